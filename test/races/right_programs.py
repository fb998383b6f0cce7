#!/usr/bin/env python3
"""Makes programs without a fault, in C, C++ and Fortran, and looks for alarms that `chomp explore` raises on them.

usage: right_programs.py CHOMP FOLDER [--first N] [--count N] [--runs N] [--seconds S] [--every-level]

Each program is a few pieces, drawn by its number, that use memory in ways that are right: by tasks, loops, threads, with
locks, dependences, memory of the stack, of threads, of the heap. Its number says the compiler and the level of optimisation,
too. It must end with 0 and "nothing found".
"""

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

import right_pieces
from at_each_level import COMPILERS, compile_command, explore

LANGUAGES = (".c", ".cpp", ".f90")


def program(number):
    """The name and the text of the program of that number."""
    suffix = LANGUAGES[number % len(LANGUAGES)]
    return f"p{number}{suffix}", right_pieces.assemble(suffix, random.Random(number))


def ways(name, number, every_level):
    """The compilers and levels that a program is compiled with."""
    compilers = list(COMPILERS[Path(name).suffix].values())
    all_ways = [(compiler, level) for compiler in compilers for level in range(4)]
    return all_ways if every_level else [all_ways[number // len(LANGUAGES) % len(all_ways)]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chomp")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9, help="begins no program after so many")
    parser.add_argument("--every-level", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    until, done, wrong = time.monotonic() + options.seconds, 0, 0
    for number in range(options.first, options.first + options.count):
        if time.monotonic() > until:
            break
        name, text = program(number)
        source = options.folder / name
        source.write_text(text)
        for compiler, level in ways(name, number, options.every_level):
            binary = options.folder / f"p{number}.{compiler}{level}"
            subprocess.run(compile_command(options.chomp, compiler, level, source, binary), check=True)
            problem = explore(options.chomp, binary, options.runs, None)
            done += 1
            if problem:
                wrong += 1
                print(f"{source}, {compiler} -O{level}: {problem}", flush=True)
            else:
                binary.unlink()
    print(f"{done} programs, {wrong} with an alarm")
    return wrong > 0 or done == 0


if __name__ == "__main__":
    sys.exit(main())
