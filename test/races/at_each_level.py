#!/usr/bin/env python3
"""Compiles a program at -O0 to -O3 with Clang and GCC for `chomp explore`, and says what that finds.

usage: at_each_level.py CHOMP OUTPUT [--runs N] [--compilers clang,gcc] [--levels 0123] [--find TEXT] SOURCE [flag ...]

Each program must end with 0 and "nothing found"; with --find TEXT, each with 1 and that text. The status is 1 if one does not.
"""

import argparse
import subprocess
import sys
from pathlib import Path

COMPILERS = {
    ".c": {"clang": "clang-19", "gcc": "gcc"},
    ".cpp": {"clang": "clang++-19", "gcc": "g++"},
    ".f90": {"gcc": "gfortran"},
    ".F90": {"gcc": "gfortran"},
}


def compile_command(chomp, compiler, level, source, program, flags=()):
    """For `chomp explore`. What a module of Fortran says goes beside the program."""
    modules = ["-J", str(Path(program).parent)] if compiler == "gfortran" else []
    return [chomp, "cc", compiler, f"-O{level}", "-w", str(source), "-o", str(program), "-pthread", "-lm", *modules, *flags]


def explore(chomp, program, runs, expected):
    """What is wrong with what `chomp explore` says, or nothing."""
    done = subprocess.run([chomp, "explore", "--runs", str(runs), "--seconds", "0", program], capture_output=True, text=True, errors="replace", check=False)
    if expected is None and done.returncode == 0 and "nothing found" in done.stderr:
        return None
    if expected is not None and done.returncode == 1 and expected in done.stderr:
        return None
    return f"status {done.returncode}\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chomp")
    parser.add_argument("output")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--compilers", default="clang,gcc")
    parser.add_argument("--levels", default="0123")
    parser.add_argument("--find", metavar="TEXT")
    parser.add_argument("source", type=Path)
    options, flags = parser.parse_known_args()
    wrong = 0
    for name, compiler in COMPILERS[options.source.suffix].items():
        if name not in options.compilers.split(","):
            continue
        for level in options.levels:
            program = f"{options.output}.{name}{level}"
            subprocess.run(compile_command(options.chomp, compiler, level, options.source, program, flags), check=True)
            problem = explore(options.chomp, program, options.runs, options.find)
            if problem:
                wrong += 1
                print(f"{options.source.name}, {compiler} -O{level}: {problem}", flush=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
