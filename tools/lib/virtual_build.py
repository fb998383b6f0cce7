"""The virtual build (tools/laboratory/virtual), and programs on its made-up machines: for tools/scale."""

import fcntl
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from common import ROOT, clean_environment, die

BUILD = ROOT / "build" / "virtual"
PROFILES = ROOT / "tools" / "laboratory" / "scale" / "profiles"


@functools.cache
def build_virtual(who, *targets):
    for command in ([] if (BUILD / "build.ninja").exists() else [["cmake", "--preset", "virtual"]]) + \
            [["cmake", "--build", "--preset", "virtual", "-j2", "--target", *targets]]:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            die(f"{who}: the virtual build failed:\n{done.stdout[-4000:]}", 2)


def own_file(name):
    """The path within the tree of a file as debug information names it; None: it is no file of the tree. A cache of
    objects may have compiled it in another copy of the tree."""
    path = Path(os.path.normpath(name))
    if path.is_relative_to(ROOT):
        return path.relative_to(ROOT)
    copy = re.match(r".*/build/\w+/\.\./\.\./(.+)", name)
    return Path(copy[1]) if copy and (ROOT / copy[1]).exists() else None


def frames_of(file, offsets):
    """For each offset in a file of code, where a call returns to, the lines it stands for: innermost first, then those into which it
    was inlined. Nothing where there is no symbolizer."""
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    if not symbolizer:
        return []
    # The instruction before that is the one that is meant.
    done = subprocess.run([symbolizer, f"--obj={file}", "--inlines", "--functions=none"], input="\n".join(hex(offset - 1) for offset in offsets),
                          text=True, capture_output=True, check=False)
    blocks = [block.strip().splitlines() for block in done.stdout.strip().split("\n\n")]
    return blocks if len(blocks) == len(offsets) else []


def read_costs(who, profile):
    """The costs, in picoseconds, of a profile by its name or file."""
    path = Path(profile)
    if not path.exists():
        path = PROFILES / f"{profile}.json"
    if not path.exists():
        die(f"{who}: no profile {profile}; there are: " + ", ".join(p.stem for p in sorted(PROFILES.glob("*.json"))), 2)
    return json.loads(path.read_text())["costs_ps"]


@functools.cache
def library_folder(folder):
    """A descriptor of a folder of libraries, of three digits. By /proc/self/fd its name is as long wherever the tree is: the loader
    keeps such names in memory, and what it keeps behind them would lie elsewhere."""
    return fcntl.fcntl(os.open(folder, os.O_PATH), fcntl.F_DUPFD, 100)


class ScaledFailure(Exception):
    """A program that failed on a made-up machine; the text says how."""


def scaled(command, machine, costs, threads, scheduler, settings=None, limit_ns=None, seconds=None, libraries_in=BUILD / "lib"):
    """Runs a command on a machine "CxK" of that many chips and cores; (what it printed, the machine's report). It fails after
    `limit_ns` of virtual time, or `seconds` of real time, which only stop what hangs outside of the machine. The libraries of the
    runtime and of the machine are in the folder `libraries_in`."""
    chips, cores = machine.split("x")
    words = ["strategy=scale", f"machine={machine}", *(f"{k}={v}" for k, v in costs.items()), *([f"limit_ns={limit_ns}"] if limit_ns else [])]
    folder = library_folder(libraries_in)
    libraries = f"/proc/self/fd/{folder}"
    environment = clean_environment() | {
        "EXPLORE": " ".join(words), "OMP_NUM_THREADS": str(threads), "BENCH_THREADS": str(threads),
        "CHOMP_SCHEDULER": scheduler, "LD_LIBRARY_PATH": libraries,
        "HWLOC_SYNTHETIC": f"package:{chips} l3:1 core:{cores} pu:{costs.get('smt', 1)}",
        "LD_PRELOAD": f"{libraries}/libchomp-virtual.so"} | (settings or {})
    with tempfile.TemporaryFile("w+") as out:
        environment["EXPLORE_REPORT"] = str(out.fileno())
        try:
            done = subprocess.run([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, errors="replace", pass_fds=[out.fileno(), folder], check=False, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise ScaledFailure(f"no end within {seconds} s of real time") from late
        out.seek(0)
        report = out.read().replace(libraries, str(libraries_in))
    if done.returncode != 0 or not report:
        # What the machine found comes before what each thread did then.
        found = re.search(r"^explore: .*", done.stderr, re.M)
        raise ScaledFailure(f"status {done.returncode} with {threads} threads under {scheduler}: {shlex.join(map(str, command))}\n"
                            + (f"{found[0]}\n" if found else "") + f"{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout, json.loads(report)
