"""Runs a program that has races when told to (-DRACE=N) under ThreadSanitizer and Archer: none without, some with each.

  archer_on_races.py [--races N] [--answer TEXT] SOURCE CLANG...

The library to run on, and Archer's, are in LD_LIBRARY_PATH. Prints one line for each variant; status 1 if one is wrong.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

RUNS = 20  # at most, of one with a race, which not every order of events shows

environment = dict(os.environ, TSAN_OPTIONS="ignore_noninstrumented_modules=1:exitcode=0")


def reports(program, answer):
    """How many races a run reports; -1: it failed, or its answer is not that."""
    run = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0 or answer not in ("", run.stdout):
        return -1
    return len(re.findall("WARNING: ThreadSanitizer: data race", run.stderr))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--races", type=int, required=True, help="in SOURCE")
    parser.add_argument("--answer", default="", help="of SOURCE without a race")
    parser.add_argument("source")
    parser.add_argument("clang", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    source, clang, answer = options.source, options.clang, options.answer and options.answer + "\n"
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for race in range(options.races + 1):
            program = os.path.join(folder, "program")
            subprocess.run([*clang, "-fopenmp", "-O1", "-g", "-fsanitize=thread", f"-DRACE={race}", source, "-o", program],
                           check=True)
            found = []
            while len(found) < RUNS and not any(found):
                found.append(reports(program, answer if race == 0 else ""))
            good = not any(found) if race == 0 else found[-1] > 0
            wrong += not good
            print(f"race {race}: reports {found}{'' if good else '  WRONG'}")
    return 1 if wrong else 0


sys.exit(main())
