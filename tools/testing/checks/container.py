#!/usr/bin/env python3
"""Runs the lines of tools/releasing/package/container/Containerfile without a container engine, each stage in a root of its own.

usage: tools/testing/checks/container.py [--root DIR]    DIR: a Debian made by debootstrap, which is copied; else one is made
It knows the instructions that the file uses: FROM, RUN, COPY, WORKDIR, ENV, CMD; others are refused. Status 77: not tried
(it needs root and debootstrap).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import first_minutes

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "tools" / "releasing" / "package" / "container" / "Containerfile"


def stages(text):
    """[(name, [(instruction, words)])]"""
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        instruction, words = line.split(None, 1)
        if instruction == "FROM":
            name = re.search(r" AS (\w+)$", words)
            found.append((name.group(1) if name else "", []))
        elif instruction in ("RUN", "COPY", "WORKDIR", "ENV", "CMD"):
            found[-1][1].append((instruction, words))
        else:
            sys.exit(f"container: {instruction} is not known here")
    return found


class Stage:
    """One root, in which the lines of a stage are run."""

    def __init__(self, root, others):
        self.root, self.others, self.folder = root, others, "/"
        self.environment = first_minutes.clean_environment(HOME="/root", DEBIAN_FRONTEND="noninteractive")

    def run(self, command):
        inside = 'mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys" && exec chroot "$1" sh -ec "cd $2 && $3"'
        return subprocess.run(["unshare", "--mount", "sh", "-c", inside, "sh", self.root, self.folder, command], env=self.environment,
                              check=False).returncode

    def copy(self, words):
        source, target = [word for word in words.split() if not word.startswith("--")]
        target = self.root / target.lstrip("/")
        if stage := re.match(r"--from=(\w+)", words):
            shutil.copytree(self.others[stage.group(1)].root / source.lstrip("/"), target, symlinks=True)
            return
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        for name in filter(None, names):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)

    def do(self, instruction, words):
        print(f"{instruction} {words}", flush=True)
        if instruction == "RUN":
            return self.run(words)
        if instruction == "CMD":
            return self.run(" ".join(json.loads(words)))
        if instruction == "WORKDIR":
            self.folder = words.strip()
        elif instruction == "ENV":
            name, value = words.split("=", 1)
            self.environment[name] = value.replace(f"${name}", self.environment.get(name, ""))
        else:
            self.copy(words)
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", type=Path)
    options = parser.parse_args()
    if os.geteuid() != 0 or (options.root is None and shutil.which("debootstrap") is None):
        print("container: not tried (it needs root and debootstrap)")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        fresh = options.root
        if fresh is None:
            fresh = Path(scratch) / "fresh"
            first_minutes.make_system(fresh)
        done = {}
        for number, (name, lines) in enumerate(stages(FILE.read_text())):
            root = Path(scratch) / f"stage-{number}"
            subprocess.run(["cp", "-a", fresh, root], check=True)
            done[name] = Stage(root, done)
            for instruction, words in lines:
                if done[name].do(instruction, words) != 0:
                    print(f"container: this line fails: {instruction} {words}")
                    return 1
    print("container: every line does its work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
