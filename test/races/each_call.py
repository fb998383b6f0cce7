#!/usr/bin/env python3
"""Explores a program whose argument is the number of a planted fault, compiled by Clang and GCC: each must be found.

usage: each_call.py CHOMP OUTPUT SOURCE [flag ...]

The first number that the program does not know ends it with 77; without a number it must have no fault.
"""

import subprocess
import sys
from pathlib import Path

from at_each_level import COMPILERS, compile_command


def main():
    chomp, output, source = sys.argv[1:4]
    wrong = 0
    for name, compiler in COMPILERS[Path(source).suffix].items():
        program = f"{output}.{name}"
        subprocess.run(compile_command(chomp, compiler, 2, source, program, sys.argv[4:]), check=True)
        number = -1
        while True:
            words = [program] + [str(number)] * (number >= 0)
            done = subprocess.run([chomp, "explore", "--runs", "200", "--any-output", *words], capture_output=True, text=True, check=False)
            if number >= 0 and "nothing found" in done.stderr and subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode == 77:
                break
            found = any(kind in done.stderr for kind in ("data race", "use after free"))
            if found != (number >= 0):
                wrong += 1
                print(f"{compiler}, number {number}: {done.stderr}", flush=True)
            number += 1
        if number < 1:
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
