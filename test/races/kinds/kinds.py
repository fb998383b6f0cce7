#!/usr/bin/env python3
"""What `chomp explore` says of the pairs of programs of this folder: of each kind, by Clang, GCC and gfortran, at -O0 and -O2.

usage: kinds.py CHOMP FOLDER [KIND ...] [--compilers clang,gcc] [--levels 02] [--runs N] [--exhaustive] [--only NAME]

What is said of a racy form must name a line of that program, and none of another one. A line `SAYS: ...` before a program is a
pattern for it. The status is 1 if a racy program is missed that is not in OUT_OF_REACH, or a right one is reported. With
--exhaustive of each program all orders are tried, too: that must not say of a racy one that none fails, and what it finds need not be
looked for again. FOLDER is for the programs.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from at_each_level import COMPILERS, compile_command  # noqa: E402

OUT_OF_REACH = {"lanes_of_one_thread"}
FAULT, NOTHING, NOT_ALL = 1, 0, 3
ALL_ORDERS = ["--exhaustive", "--seconds", "3"]


def pairs(chomp, folder, source, compiler, level):
    """The programs of a kind with their faults, and without them."""
    programs = [folder / f"{source.stem}{source.suffix[:2]}.{compiler}{level}{end}" for end in (".racy", "")]
    for program, flags in zip(programs, (["-DRACY"], [])):
        # Two tasks that do the same would be one function, with the lines of the first.
        apart = ["-fno-ipa-icf"] if compiler != COMPILERS[".c"]["clang"] else []
        subprocess.run(compile_command(chomp, compiler, level, source, program, [*flags, *apart]), check=True)
    return programs


class Program:
    """A program of a kind, with the pattern of the line "SAYS: ..." before it, and the lines that are its own: from the end of
    the program before it."""

    def __init__(self, says, name, lines):
        self.says, self.name, self.lines = says or "", name, lines


PROGRAMS = {
    ".c": r"(?:^// SAYS: (.*)\n)?^PROGRAM\((\w+)\)(?:.*\n)*?}$(?=\n\n|\n#|\n\Z)",
    ".F90": r"(?:^! SAYS: (.*)\n)?^subroutine (\w+)(?:.*\n)*?^end subroutine$",
}


def programs_of(source):
    text, end, found = source.read_text(), 0, []
    for program in re.finditer(PROGRAMS[source.suffix], text, re.M):
        found.append(Program(program[1], program[2], range(text.count("\n", 0, end) + 2, text.count("\n", 0, program.end()) + 2)))
        end = program.end()
    return found


def tells(said, source, program, programs):
    """Whether the report is about this program: what it says, and that it names a line of it and none of another one."""
    lines = [int(line) for line in re.findall(rf"\b{re.escape(source.name)}:(\d+)", said)]
    others = any(line in each.lines for each in programs if each is not program for line in lines)
    own = program.says or any(line in program.lines for line in lines)
    return re.search(program.says, said) and own and not others


def explored(chomp, options, program, name):
    """The status of `chomp explore`, and what it says."""
    words = [chomp, "explore", *options, program, name]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return done.returncode, done.stderr


def is_found(options, racy, program, source, every, assured):
    """Whether the fault of a racy program is found. The searches that find most at once come first."""
    searches = [ALL_ORDERS] if options.exhaustive else [["--seed", "1", "--runs", "30"]]
    if program.name not in OUT_OF_REACH:
        searches = [*searches, ["--seed", "1", "--runs", "200", "--seconds", "60"]]
    for search in searches:
        status, said = explored(options.chomp, search, racy, program.name)
        if search is ALL_ORDERS and status not in (FAULT, NOT_ALL):
            assured.append(program.name)
        if status == FAULT and tells(said, source, program, every):
            return True
    return False


def judged(options, source, compiler, level):
    """A line of the table, and whether a verdict is wrong."""
    racy, right = pairs(options.chomp, options.folder, source, COMPILERS[source.suffix][compiler], level)
    has = subprocess.run([racy], capture_output=True, text=True, check=True).stdout.split()
    every = [program for program in programs_of(source) if program.name in has]
    programs = [program for program in every if options.only in ("", program.name)]
    few = ["--seed", "1", "--runs", str(options.runs), "--seconds", "0"]  # no search for all orders
    missed, reported, assured = [], [], []
    for program in programs:
        if not is_found(options, racy, program, source, every, assured):
            missed.append(program.name)
        if options.exhaustive and explored(options.chomp, ALL_ORDERS, right, program.name)[0] not in (NOTHING, NOT_ALL):
            reported.append(program.name)
    names = ["all"] if not options.only else [program.name for program in programs]
    for name in names:  # one process for all of them: most of what a few runs cost is its start
        status, said = explored(options.chomp, few, right, name)
        if status != NOTHING:
            reported.append(f"{name}: status {status}\n{said}")
    words = "; ".join([*(f"missed: {name}" for name in missed), *(f"reported: {name}" for name in reported), *(f"assured: {name}" for name in assured)])
    print(f"| {source.name} | {compiler} -O{level} | {len(programs)} | {len(programs) - len(missed)} | {len(programs)} | {len(reported)} | {words}", flush=True)
    return bool(reported or assured or set(missed) - OUT_OF_REACH)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chomp")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compilers", default="clang,gcc")
    parser.add_argument("--levels", default="02")
    parser.add_argument("--runs", type=int, default=50, help="at random of each right program, 50; a racy one has a minute")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(source for source in HERE.glob("*.[cF]*") if not options.kinds or source.stem in options.kinds)
    bad = False
    print("| kind | compiler | racy | found | right | reported |\n|---|---|---|---|---|---|")
    for source in sources:
        for compiler in options.compilers.split(","):
            for level in options.levels if compiler in COMPILERS[source.suffix] else "":
                bad = judged(options, source, compiler, level) or bad
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
