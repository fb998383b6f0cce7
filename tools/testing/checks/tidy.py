#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) on the sources of the library and of `chomp explore`, with the flags of a build: tools/testing/checks/tidy.py BUILD [FILE ...].

A file that was clean is not looked at again while nothing has changed that clang-tidy sees: the file, its headers (as the
build knows them), its flags, .clang-tidy and the tool. BUILD/tidy/ has an empty file for each such state. Status 77: no
clang-tidy here, nothing checked.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source import ROOT, tree_files

TOOLS = ("clang-tidy-19", "clang-tidy-22", "clang-tidy-21", "clang-tidy-20", "clang-tidy-18", "clang-tidy-17", "clang-tidy")
SETTINGS = (".clang-tidy", "tools/shipped/explore/.clang-tidy")
NO_TIDY = 77
KEPT_SECONDS = 30 * 24 * 3600  # a state that no run has met for so long is forgotten


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False).stdout


def commands_of(build):
    """{file: its command} of the build's sources."""
    return {str(Path(entry["file"]).resolve()): entry["command"] for entry in reversed(json.loads((build / "compile_commands.json").read_text()))}


def headers_of(build):
    """{file: the files that it includes, itself too}, where the build has compiled it."""
    found = {}
    for block in output_of("ninja", "-C", build, "-t", "deps").split("\n\n"):
        lines = block.splitlines()
        if len(lines) > 1 and "VALID" in lines[0]:
            paths = [os.path.normpath(build / line.strip()) for line in lines[1:]]
            found.setdefault(paths[0], paths)
    return found


class Digests:
    """What is in a file, in a few letters; of a file of the system when it was changed, which is enough."""

    def __init__(self):
        self._known = {}

    def of(self, path):
        if path not in self._known:
            if Path(path).is_relative_to(ROOT):
                self._known[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            else:
                state = os.stat(path)
                self._known[path] = f"{state.st_mtime_ns} {state.st_size}"
        return self._known[path]


def state_of(file, command, headers, always, digests):
    """A name for all that clang-tidy sees of this file, or None: the build has not compiled it."""
    if not headers:
        return None
    try:
        parts = [always, command, *(f"{path} {digests.of(path)}" for path in sorted(headers))]
    except OSError:  # a header that is gone
        return None
    return hashlib.sha256("\n".join([file, *parts]).encode()).hexdigest()


def main():
    build, *named = sys.argv[1:]
    build = Path(build).resolve()
    tidy = next(filter(None, map(shutil.which, TOOLS)), None)
    if tidy is None:
        print("tidy: no clang-tidy here")
        return NO_TIDY
    commands, headers, digests = commands_of(build), headers_of(build), Digests()
    sources = named or tree_files("runtime", "schedulers", "abi", "tools/shipped/explore", suffixes=(".cpp",))
    # A file that no target builds yet has no flags to be checked with.
    files = [file for file in (str(ROOT / name) for name in sources) if file in commands]
    always = output_of(tidy, "--version") + "".join((ROOT / name).read_text() for name in SETTINGS)
    clean = build / "tidy"
    clean.mkdir(exist_ok=True)

    def look(file):
        """What clang-tidy says, or None if it is known to be clean."""
        state = state_of(file, commands[file], headers.get(file), always, digests)
        if state and (clean / state).exists():
            (clean / state).touch()
            return None
        done = subprocess.run([tidy, "-p", build, "--quiet", "--warnings-as-errors=*", file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        if done.returncode == 0 and state:
            (clean / state).touch()
        return done

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        looked = [done for done in pool.map(look, files) if done]
    for old in clean.iterdir():
        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
            old.unlink()
    bad = [done for done in looked if done.returncode != 0]
    print("".join(done.stdout for done in bad), end="")
    if not files:
        print(f"tidy: no file is built in {build}")
    print(f"tidy: {len(files)} files, {len(files) - len(looked)} of them as they were when they were clean")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
