#!/usr/bin/env python3
"""What `chomp explore` finds in the pairs of programs of this folder: of each kind, with Clang and GCC, at -O0 and -O2.

usage: kinds.py CHOMP FOLDER [--compilers clang,gcc] [--levels 02] [--runs N] [KIND ...]

What is said of a racy form must name a line of that program, and none of another one. A line `SAYS: ...` before a program is a
pattern for it. The status is 1 if a racy program is missed that is not in OUT_OF_REACH, or a right one is reported. FOLDER is for
the programs.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from at_each_level import COMPILERS, compile_command  # noqa: E402

# In code of Clang, of GCC.
LANES = {"lanes_of_one_thread"}
OUT_OF_REACH = {"clang": LANES, "gcc": LANES | {"teams_share_a_variable"}}  # GCC runs the teams of a target one after the other


def pairs(chomp, folder, kind, compiler, level):
    """The programs of a kind with their faults, and without them."""
    programs = [folder / f"{kind}.{compiler}{level}{end}" for end in (".racy", "")]
    for program, flags in zip(programs, (["-DRACY"], [])):
        # Two tasks that do the same would be one function, with the lines of the first.
        apart = ["-fno-ipa-icf"] if compiler == COMPILERS[".c"]["gcc"] else []
        subprocess.run(compile_command(chomp, compiler, level, HERE / f"{kind}.c", program, [*flags, *apart]), check=True)
    return programs


class Program:
    """A program of a kind, with the pattern of the line "SAYS: ..." before it, and the lines that are its own: from the end of
    the program before it."""

    def __init__(self, says, name, lines):
        self.says, self.name, self.lines = says or "", name, lines


def programs_of(kind):
    text, end, found = (HERE / f"{kind}.c").read_text(), 0, []
    for program in re.finditer(r"(?:^// SAYS: (.*)\n)?^PROGRAM\((\w+)\)(?:.*\n)*?}$(?=\n\n|\n#|\n\Z)", text, re.M):
        found.append(Program(program[1], program[2], range(text.count("\n", 0, end) + 2, text.count("\n", 0, program.end()) + 2)))
        end = program.end()
    return found


def tells(said, kind, program, programs):
    """Whether the report is about this program: what it says, and that it names a line of it and none of another one."""
    lines = [int(line) for line in re.findall(rf"\b{kind}\.c:(\d+)", said)]
    others = any(line in each.lines for each in programs if each is not program for line in lines)
    own = program.says or any(line in program.lines for line in lines)
    return re.search(program.says, said) and own and not others


def explored(chomp, options, program, name):
    """The status of `chomp explore`, and what it says."""
    words = [chomp, "explore", *options, program, name]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chomp")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compilers", default="clang,gcc")
    parser.add_argument("--levels", default="02")
    parser.add_argument("--runs", type=int, default=50, help="of each right program, 50; a racy one has 10 s")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bad = False
    print("| kind | compiler | racy | found | right | reported |\n|---|---|---|---|---|---|")
    for kind in options.kinds or sorted(source.stem for source in HERE.glob("*.c")):
        for of, compiler in ((name, COMPILERS[".c"][name]) for name in options.compilers.split(",")):
            for level in options.levels:
                racy, right = pairs(options.chomp, options.folder, kind, compiler, level)
                has = subprocess.run([racy], capture_output=True, text=True, check=True).stdout.split()
                programs = [program for program in programs_of(kind) if program.name in has]
                names, missed = [program.name for program in programs], []
                for program in programs:
                    status, said = explored(options.chomp, [], racy, program.name)
                    if status != 1 or not tells(said, kind, program, programs):
                        missed.append(program.name)
                few = ["--runs", str(options.runs), "--seconds", "0"]
                wrong = [name for name in names if explored(options.chomp, few, right, name)[0] != 0]
                bad = bad or wrong or set(missed) - OUT_OF_REACH[of]
                words = "; ".join([*(f"missed: {name}" for name in missed), *(f"reported: {name}" for name in wrong)])
                print(f"| {kind} | {compiler} -O{level} | {len(names)} | {len(names) - len(missed)} | {len(names)} | {len(wrong)} | {words}", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
