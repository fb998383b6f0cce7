#!/usr/bin/env python3
"""How good race detectors are on a folder of executables whose names say whether they race.

usage: tools/explore races [options] FOLDER ...       the executables in these folders, and in those within
       tools/explore races [options] --own            the programs of test/races, compiled at -O0 and at -O2

A name whose last word is "yes", "race" or "faulty" races, one with "no", "norace" or "sound" does not
("drb001-antidep1-orig-yes"). Where it is neither, the name of the folder counts; others are left out.

An executable that `chomp cc` has linked is explored; status 1 counts as a report. One that has ThreadSanitizer's own run time
(clang -fsanitize=thread) runs with Archer, so many times. Precision: of those with a report, how many race. Recall: of those
that race, how many have one.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OWN = ROOT / "test/races"
RACES, SOUND = {"yes", "race", "faulty"}, {"no", "norace", "sound"}


def races(path):
    """Whether the name says that it races; None: it does not say."""
    for name in (path.stem, path.parent.name):
        last = re.findall("[a-z]+", name.lower())[-1:]
        if last and last[0] in RACES | SOUND:
            return last[0] in RACES
    return None


def detector_of(path):
    """What the executable was linked for; None: it is none, or for nothing."""
    if not path.is_file() or not os.access(path, os.X_OK):
        return None
    content = path.read_bytes()
    if not content.startswith(b"\x7fELF"):
        return None
    return "chomp explore" if b"libchomp-explore" in content else "Archer" if b"ThreadSanitizer: " in content else None


def is_reported(detector, command, options):
    if detector == "chomp explore":
        words = [options.chomp, "explore", "--seconds", str(options.seconds), *command]
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 1
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads), "OMP_TOOL_LIBRARIES": str(options.archer),
                                "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    until = time.monotonic() + options.seconds
    for _ in range(options.runs):
        try:
            left = until - time.monotonic()
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=max(left, 0.1))
        except subprocess.TimeoutExpired:
            return False
        if b"WARNING: ThreadSanitizer" in done.stderr:
            return True
    return False


def judge(programs, options):
    """Counts of each detector: reports on programs that race, and that do not; those without a report, likewise."""
    counts = {}
    for name, detector, racy, command in programs:
        if detector is None or racy is None or (detector == "Archer" and not options.archer.exists()):
            continue
        reported = is_reported(detector, command, options)
        counts.setdefault(detector, {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0})[racy, reported] += 1
        if reported != racy:
            print(f"{detector}: {'nothing found in' if racy else 'a report on'} {name}", flush=True)
    return counts


def print_table(name, counts):
    print(f"\n| {name} | race | found | race not | reports | precision | recall | F1 |\n|---|---|---|---|---|---|---|---|")
    for detector, count in sorted(counts.items()):
        found, missed, wrong, right = count[True, True], count[True, False], count[False, True], count[False, False]
        precision, recall = found / max(found + wrong, 1), found / max(found + missed, 1)
        both = 2 * precision * recall / max(precision + recall, 1e-9)
        print(f"| {detector} | {found + missed} | {found} | {wrong + right} | {wrong} | {precision:.2f} | {recall:.2f} | {both:.2f} |")


def programs_of(folder):
    """The name of each executable, what it was linked for, whether it races, and how it is run."""
    return [(path.relative_to(folder), detector_of(path), races(path), [path]) for path in sorted(Path(folder).rglob("*"))]


def own_programs(folder, level, options):
    """The same for the programs of test/races, which are compiled into the folder for both detectors."""
    sources = [(source, flags) for source in sorted((OWN / "kinds").glob("*.c")) for flags in (["-DRACY"], [])]
    sources += [(source, []) for source in sorted((OWN / "sound").glob("*.c*"))]
    for source, flags in sources:
        compiler, standard = (options.clang.replace("clang", "clang++"), ["-std=c++17"]) if source.suffix == ".cpp" else (options.clang, [])
        for detector, words in (("chomp explore", [options.chomp, "cc", compiler]), ("Archer", [compiler, "-g", "-fopenmp", "-fsanitize=thread"])):
            binary = folder / f"{source.stem}{'-racy' * len(flags)}-{detector[:5]}"
            subprocess.run([*words, level, "-w", "-D_GNU_SOURCE", *standard, *flags, source, "-o", binary, "-lm"], check=True)
            for name in re.findall(r"^PROGRAM\((\w+)\)", source.read_text(), re.M) or [""]:
                yield f"{source.name} {name}", detector, bool(flags), [binary, name]


def main():
    parser = argparse.ArgumentParser(prog="tools/explore races", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--own", action="store_true", help="the programs of test/races")
    parser.add_argument("--chomp", default=ROOT / "build/release/bin/chomp", help="the command, build/release/bin/chomp")
    parser.add_argument("--clang", default="clang-19", help="for --own; Archer is that of its folder (clang-19)")
    parser.add_argument("--seconds", type=int, default=10, help="of each program, 10")
    parser.add_argument("--runs", type=int, default=10, help="of each program with Archer, 10")
    parser.add_argument("--threads", type=int, default=4, help="with Archer, 4")
    options = parser.parse_args()
    if bool(options.folders) == options.own:
        parser.error("folders of executables, or --own")
    resources = subprocess.run([options.clang, "-print-resource-dir"], capture_output=True, text=True, check=False).stdout.strip()
    options.archer = Path(resources).parents[1] / "libarcher.so" if resources else Path("no Archer")
    if options.own:
        for level in ("-O0", "-O2"):
            with tempfile.TemporaryDirectory() as folder:
                print_table(level, judge(own_programs(Path(folder), level, options), options))
    empty = True
    for folder in options.folders:
        counts = judge(programs_of(folder), options)
        empty = empty and not counts
        print_table(folder, counts)
    if empty and not options.own:
        sys.exit("tools/explore races: no executable that is linked for a detector has a name that says whether it races")


if __name__ == "__main__":
    main()
