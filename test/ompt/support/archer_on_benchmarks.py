#!/usr/bin/env python3
"""Runs every version of the programs in bots/ and uts/ under ThreadSanitizer and Archer, at their small size.

  archer_on_benchmarks.py [--only REGEX] CLANG...

The library to run on, and Archer's, are in LD_LIBRARY_PATH: that of the system's libomp shows what that reports. Prints
a line for each run in which races are reported or the answer is wrong, and the numbers of both; status 1 if there is one.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools" / "lib"))
import programs  # noqa: E402

MORE_SOURCES = {"bots-alignment": ["bots/alignment/myers_miller.c"]}
COMMON = ["bots/common/benchmark.c", "bots/common/report.c"]
UTS = [f"uts/{name}.c" for name in ("uts", "options", "search", "tree", "sha1")] + ["bots/common/report.c"]
LIMIT = 100  # seconds for a run

environment = dict(os.environ, TSAN_OPTIONS="ignore_noninstrumented_modules=1:exitcode=0", OMP_NUM_THREADS="4")


def build(clang, folder, name):
    short = name.removeprefix("bots-")
    sources = UTS if name == "uts" else [f"bots/{short}/{short}.c", *COMMON, *MORE_SOURCES.get(name, [])]
    subprocess.run([*clang, "-fopenmp", "-std=c11", "-O1", "-g", "-fsanitize=thread", "-ffp-contract=off", "-w", "-Ibots",
                    *sources, "-lm", "-o", folder / name], cwd=ROOT, check=True)


def run(folder, case):
    """What is wrong with a run; empty: nothing."""
    try:
        done = subprocess.run([folder / case.program, *case.arguments.split(), "-v", case.version, "-c"], env=environment,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {LIMIT} s"
    places = re.findall(r"WARNING: ThreadSanitizer: data race.*?#0 (\S+) \S*?([^/\s]+:\d+)", done.stderr, re.DOTALL)
    if places:
        return f"{len(places)} races: " + ", ".join(sorted({f"{function} {line}" for function, line in places}))
    return "" if done.returncode == 0 else f"status {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("clang", nargs="+")
    options = parser.parse_args()
    cases = programs.cases("small", options.only)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in dict.fromkeys(case.program for case in cases):
            build(options.clang, folder, program)
        for case in cases:
            if found := run(folder, case):
                wrong += 1
                print(f"{case.name}: {found}", flush=True)
    print(f"{len(cases)} runs, {wrong} with something to report")
    return 1 if wrong else 0


sys.exit(main())
