"""Runs tests on libraries that are broken on purpose, the patches of test/mutants/lit, and lists the tests that no mutant makes fail, and
the mutants that no test shows.

  tools/check mutants --sample 100 --seed 3                      a hundred tests
  tools/check mutants                                            all that test the library
  tools/check mutants --mutants ordered_is_not --tests ordered   one mutant

A patch's first line says what is wrong then, the second which tests should see it, as a regular expression of their paths.
Only the objects that it changes are compiled again. The mutants that fewest tests should see come first, and a test that has failed
is not run again, but for a mutant that has made no other fail.

All take more than an hour on two CPUs, half of it to link libraries: so tools/check has no sample of it. The first whole run, of 61, had
four that no test showed, and 78 of 319 tests that no mutant made fail; most of these have mutants now. What links libomp.a has none."""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import asked  # noqa: E402
import mutants  # noqa: E402
from common import ROOT, allowed_cpus, build, clean_environment, die, has_module, say  # noqa: E402

RELEASE = ROOT / "build" / "release"
HOME = ROOT / "build" / "mutants"
# What tests the library. Models have broken variants of their own; unit tests compile sources; the others look at tools.
SUITES = ("abi", "env", "fortran", "gomp", "omp", "ompt", "process", "record", "regression", "sched", "stats", "stress")
LIMIT_SECONDS = 20  # a broken library may hang
NAMES_IN_A_COMMAND = 300


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="only so many tests, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of --sample (1)")
    parser.add_argument("--tests", default="", metavar="REGEX", help="only tests whose path matches")
    parser.add_argument("--mutants", type=asked.lit_mutants, default="all", metavar="NAME,...", help="only these (all)")
    parser.add_argument("--jobs", "-j", type=int, default=allowed_cpus(), metavar="N", help="tests at a time (one for each CPU)")
    return parser.parse_args()


def lit(home, jobs, tests, *more):
    """Runs tests on the library in `home`; a dictionary of what each came to."""
    python = ROOT / ".venv" / "bin" / "python"
    command = [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else ["lit"]
    record, found = home / "lit.json", {}
    for i in range(0, len(tests), NAMES_IN_A_COMMAND):
        record.unlink(missing_ok=True)
        names = "|".join(map(re.escape, tests[i:i + NAMES_IN_A_COMMAND]))
        done = subprocess.run([*command, "-q", "-j", str(2 * jobs), "--output", record, "--filter", f"^chomp :: ({names})$", *more,
                               "--param", f"build={home}", "--param", f"limit={LIMIT_SECONDS}", *(ROOT / "test" / suite for suite in SUITES)],
                              env=clean_environment(), text=True, capture_output=True, check=False)
        if not record.exists():
            die(f"mutants: lit failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}", 2)
        found |= {test["name"].removeprefix("chomp :: "): test["code"] for test in json.loads(record.read_text())["tests"]}
    return found


def all_tests(home):
    python = ROOT / ".venv" / "bin" / "python"
    command = [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else ["lit"]
    shown = subprocess.run([*command, "--show-tests", "--param", f"build={home}", *(ROOT / "test" / suite for suite in SUITES)],
                           env=clean_environment(), text=True, capture_output=True, check=False).stdout
    return re.findall(r"^\s+chomp :: (.+)$", shown, re.M)


def failed_on(library, jobs, tests):
    codes = lit(put_in_place(library), jobs, tests)
    return [test for test in tests if codes.get(test) not in ("PASS", "UNSUPPORTED")]


def put_in_place(library):
    """A build folder for lit that has this library and else what the Release build has."""
    home = HOME / "build"
    (home / "lib").mkdir(parents=True, exist_ok=True)
    for place, origin in ((home, RELEASE), (home / "lib", RELEASE / "lib")):
        for entry in origin.iterdir():
            link = place / entry.name
            if entry.name in ("lib", "mutants", "test-output") or link.exists():
                continue
            link.symlink_to(entry.readlink() if entry.is_symlink() else entry)
    real = (RELEASE / "lib" / "libomp.so").resolve().name
    staged = home / "lib" / f"{real}.new"
    staged.unlink(missing_ok=True)
    os.link(library.resolve(), staged)
    os.replace(staged, home / "lib" / real)
    return home


def shown_by(name, tests):
    return sorted(test for test in tests if re.search(mutants.shown_by(name), test))


def main():
    options = parse_arguments()
    if not build("release"):
        return 2
    began = time.monotonic()
    home = put_in_place(RELEASE / "lib" / "libomp.so")
    tests = sorted(test for test in all_tests(home) if re.search(options.tests, test))
    if options.sample and options.sample < len(tests):
        tests = sorted(random.Random(options.seed).sample(tests, options.sample))
    left = [test for test, code in sorted(lit(home, options.jobs, tests).items()) if code == "PASS"]
    say(f"mutants: of {len(tests)} tests {len(left)} run here and pass on the library as it is")
    wanted, hidden = set(left), []
    names = mutants.names("lit") if options.mutants == "all" else options.mutants.split(",")
    for name, should in sorted(((name, shown_by(name, wanted)) for name in names), key=lambda each: len(each[1])):
        if not should:
            continue
        library = mutants.build_library(name, RELEASE, options.jobs) / "libomp.so"
        first = [test for test in should if test in left]
        failed = failed_on(library, options.jobs, first)
        say(f"{name}: {len(failed)} of {len(first)} fail" + "".join(f"\n  {test}" for test in failed))
        left = [test for test in left if test not in failed]
        if not failed and not failed_on(library, options.jobs, [test for test in should if test not in left]):
            hidden.append(name)
    say(f"no mutant makes these fail:{''.join(chr(10) + '  ' + test for test in left)}")
    say(f"no test shows these mutants:{''.join(chr(10) + '  ' + name for name in hidden)}")
    say(f"mutants: {len(wanted) - len(left)} of {len(wanted)} tests can fail, {(time.monotonic() - began) / 60:.0f} minutes")
    return int(bool(left or hidden))


if __name__ == "__main__":
    sys.exit(main())
