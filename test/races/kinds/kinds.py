#!/usr/bin/env python3
"""What `chomp explore` finds in the pairs of programs of this folder: of each kind, with Clang and GCC, at -O0 and -O2.

usage: kinds.py CHOMP FOLDER [--compilers clang,gcc] [--levels 02] [--runs N] [KIND ...]

A line `SAYS: ...` before a program is a pattern for what must be said of its racy form. The status is 1 if a racy program is
missed that is not in OUT_OF_REACH, or a right one is reported. FOLDER is for the programs.
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
        subprocess.run(compile_command(chomp, compiler, level, HERE / f"{kind}.c", program, flags), check=True)
    return programs


def names_of(kind):
    """The programs of a kind, in turn, and the pattern of the line "SAYS: ..." before each."""
    text = (HERE / f"{kind}.c").read_text()
    return {name: says or "" for says, name in re.findall(r"(?:^// SAYS: (.*)\n)?^PROGRAM\((\w+)\)", text, re.M)}


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
                names = {name: says for name, says in names_of(kind).items() if name in has}
                said = {name: explored(options.chomp, [], racy, name) for name in names}
                missed = [name for name in names if said[name][0] != 1 or not re.search(names[name], said[name][1])]
                few = ["--runs", str(options.runs), "--seconds", "0"]
                wrong = [name for name in names if explored(options.chomp, few, right, name)[0] != 0]
                bad = bad or wrong or set(missed) - OUT_OF_REACH[of]
                words = "; ".join([*(f"missed: {name}" for name in missed), *(f"reported: {name}" for name in wrong)])
                print(f"| {kind} | {compiler} -O{level} | {len(names)} | {len(names) - len(missed)} | {len(names)} | {len(wrong)} | {words}", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
