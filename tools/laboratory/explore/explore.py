"""Explores orders of events of the real runtime on a virtual machine (tools/laboratory/virtual)."""

import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import asked  # noqa: E402
import mutants  # noqa: E402
import scheduler_list  # noqa: E402
import screen  # noqa: E402
import weakenings  # noqa: E402
import progress  # noqa: E402
from common import ROOT, clean_environment, say  # noqa: E402
from virtual_build import BUILD, build_virtual, frames_of, own_file  # noqa: E402

PROGRAMS = ROOT / "test" / "explore" / "programs"
STRATEGIES = ("random", "pct")
MOST_PER_PROCESS = 200  # runs; then the next combination has its turn
MOST_IN_A_SLICE = 10  # likewise, where time is short or something is to be found
PLACE = re.compile(r"at (/\S+)\+0x([0-9a-f]+)")


DESCRIPTION = """Explores orders of events of the real runtime on a virtual machine.

  tools/explore                                                every program of test/explore/programs
  tools/explore --seconds 120 test/explore/programs/locks.c    one, for two minutes, from a new seed
  tools/explore --replay --seed S ... TEST                     one run, printed step by step
  tools/explore --mutants                                      is each mutant of test/mutants found, and how fast?

TEST is a C or C++ file with OpenMP in it, compiled here, or an executable. Exit status: 0 nothing was found, 1 something,
2 a mistake in the command. Method: tools/laboratory/explore/README.md."""


def parse_arguments():
    parser = screen.parser("tools/explore", "[TEST ...]", DESCRIPTION)
    parser.add_argument("tests", nargs="*", metavar="TEST", help=argparse.SUPPRESS)
    add = parser.add_argument_group("options").add_argument
    add("--runs", type=int, default=1000, metavar="N", help="runs of each combination (1000)")
    add("--seconds", type=float, metavar="S", help="stop after so long, whatever is left")
    add("--seed", type=int, metavar="S", help="the first seed (a new one each time, which is printed)")
    add("--strategy", choices=[*STRATEGIES, "exhaustive"], metavar="NAME", help="random, pct, exhaustive (random and pct)")
    add("--depth", type=int, default=3, metavar="N", help="pct: priority changes; exhaustive: preemptions and old values (3)")
    add("--threads", type=asked.threads, default="2,3,5", metavar="N,...", help="OMP_NUM_THREADS (2,3,5)")
    add("--schedulers", type=asked.schedulers, metavar="NAME,...", help="CHOMP_SCHEDULER (all)")
    add("--machine", default="package:2 l3:2 core:2 pu:1", metavar="TEXT", help="HWLOC_SYNTHETIC (2 chips, 4 caches, 8 cores)")
    add("--blocktime", default="0", metavar="TIME", help="KMP_BLOCKTIME: how long threads spin before they sleep (0)")
    add("--steps", type=int, default=5_000_000, metavar="N", help="a run of more steps is a livelock (5000000)")
    add("--mutant", type=asked.mutant, default="", metavar="NAME", help="with this bug put in (test/mutants)")
    add("--mutants", type=asked.mutants, nargs="?", const="all", metavar="NAME,...", help="build each mutant in turn, or those named")
    add("--weaken", default="", metavar="PLACE", help="accesses of FILE:LINE or FILE:TEXT lose their order, or only :acquire, :release")
    add("--weakenings", nargs="?", const="all", metavar="N-M", help="weaken each place of weakenings.txt in turn, or some")
    add("--replay", action="store_true", help="one run, printed step by step")
    add("-j", "--jobs", type=int, default=2, metavar="N", help="processes at a time (2)")
    add("-h", "--help", action="help", help="this help")
    return parser.parse_args()


def executable(test):
    """A test's executable, compiled if it is a source file."""
    path = Path(test)
    if path.suffix not in (".c", ".cpp"):
        return path.resolve()
    clang = shutil.which("clang-19") or shutil.which("clang") or sys.exit("explore: no clang")
    out = BUILD / "explore" / path.stem
    out.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".cpp":
        clang = clang.replace("clang", "clang++")
    # Instrumented too, so that the machine sees what the program's own threads do to memory. Made under another name first: another
    # tools/explore may be running it.
    made = f"{out}.{os.getpid()}"
    cached = ["ccache"] if shutil.which("ccache") else []
    compiled = subprocess.run([*cached, clang, "-fopenmp", "-O1", "-g", "-pthread", "-fsanitize=thread", f"-I{ROOT / 'test'}", "-c", str(path),
                               "-o", f"{made}.o"], check=False)
    linked = compiled.returncode == 0 and subprocess.run(
        [clang, "-fopenmp", "-pthread", f"{made}.o", f"-L{BUILD / 'lib'}", "-lchomp-virtual", "-o", made], check=False)
    Path(f"{made}.o").unlink(missing_ok=True)
    if linked and linked.returncode == 0:
        os.replace(made, out)
    return out if linked and linked.returncode == 0 else sys.exit(2)


class Mutant:
    """A bug that is put in on purpose."""
    option, word = "mutant", ""

    def __init__(self, name, jobs):
        self.name, self.program = name, mutants.shown_by(name)
        self.library = mutants.build_library(name, BUILD, jobs)


class Weakening:
    """An order that is weakened."""
    option, program, library = "weaken", None, BUILD / "lib"

    def __init__(self, name):
        self.name, self.word = name, f"weaken={weakenings.word(name, (self.library / 'libomp.so').resolve())}"


class Combination:
    def __init__(self, program, strategy, threads, scheduler, fault):
        self.program, self.strategy, self.threads, self.scheduler, self.fault = program, strategy, threads, scheduler, fault
        self.done = 0
        self.complete = False  # an exhaustive search has taken all ways
        self.stalled = []  # runs that did not end in time, but did when they were repeated

    def words(self):
        return f"{self.program.name} --strategy {self.strategy} --threads {self.threads} --schedulers {self.scheduler}" + \
            (f" --{self.fault.option} {shlex.quote(self.fault.name)}" if self.fault else "")

    def run(self, options, seed, runs):
        """(runs done, steps, failure line or None, what the program and the machine said)."""
        explore = (f"runs={runs} seed={seed} strategy={self.strategy} depth={options.depth} memory=c11 races=1 "
                   f"faults=1 steps={options.steps} cpus=64 "
                   f"seconds=60 trace={int(options.replay)}" + (f" {self.fault.word}" if self.fault else ""))
        environment = clean_environment()
        environment.update({"EXPLORE": explore, "OMP_NUM_THREADS": str(self.threads), "CHOMP_SCHEDULER": self.scheduler,
                            "KMP_BLOCKTIME": options.blocktime,
                            "HWLOC_SYNTHETIC": options.machine, "LD_LIBRARY_PATH": f"{self.fault.library if self.fault else BUILD / 'lib'}:{BUILD / 'lib'}",
                            "LD_PRELOAD": str(BUILD / "lib" / "libchomp-virtual.so")})
        done = subprocess.run([str(self.program)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        last = re.search(r"^DONE runs=(\d+) failures=\d+ steps=(\d+) switches=\d+( complete)?$", done.stdout, re.M)
        if last is None:
            return 0, 0, f"FAILURE seed={seed} nothing ran: status {done.returncode}", done.stdout + done.stderr
        self.complete = last[3] is not None
        failure = re.search(r"^FAILURE .*", done.stdout, re.M)
        stuck = failure and re.search(r"seed=(\d+) .* stuck:", failure[0])
        if stuck and runs > 1:  # by real time. The same seed is the same run: if it ends now, the machine was too busy
            _, _, again, said = self.run(options, int(stuck[1]), 1)
            if not again:
                self.stalled.append(f"seed {stuck[1]}, {self.words()}")
            return int(last[1]), int(last[2]), again, said
        return int(last[1]), int(last[2]), failure and failure[0], done.stderr


def with_lines(text):
    """The text, with file:line for each address of code."""
    places = {}
    for file in {file for file, _ in PLACE.findall(text)}:
        offsets = sorted({offset for name, offset in PLACE.findall(text) if name == file})
        for offset, frames in zip(offsets, frames_of(file, [int(offset, 16) for offset in offsets])):
            mine = [":".join([str(path), *line.rsplit(":", 2)[1:]]) for line in frames if (path := own_file(line.rsplit(":", 2)[0]))]
            places[file, offset] = " < ".join((mine or frames)[:3])
    return PLACE.sub(lambda found: "at " + places.get((found[1], found[2]), found[0][3:]), text)


def explore(combinations, options, seed):
    """Rounds over all combinations until all have had their runs, a failure was found or time is up. Each round is in an
    order of its own, so that a short slice meets all programs, schedulers and teams."""
    order = random.Random(seed)
    began, total, steps = time.monotonic(), 0, 0
    with progress.Pool(options.jobs) as pool:
        while True:
            left = [c for c in combinations if c.done < options.runs]
            if not left or (options.seconds and time.monotonic() - began > options.seconds):
                return total, steps, None
            order.shuffle(left)

            def one(combination):
                if options.seconds and time.monotonic() - began > options.seconds:
                    return combination, (0, 0, None, "")
                short = options.seconds or options.mutants or options.weakenings
                most = min(MOST_IN_A_SLICE if short else MOST_PER_PROCESS, options.runs - combination.done)
                if combination.strategy == "exhaustive":
                    most = options.runs
                return combination, combination.run(options, seed + combination.done, most)

            for combination, (runs, more, failure, said) in pool.map(one, left):
                total, steps, combination.done = total + runs, steps + more, combination.done + runs
                if combination.strategy == "exhaustive":
                    combination.done = options.runs
                if failure:
                    return total, steps, (combination, failure, said)


def report(combination, failure, said, options):
    say(f"{failure}\n  in {combination.words()}")
    say(with_lines(said).rstrip())
    found = re.search(r"seed=(\d+)", failure)
    again = f"tools/explore --replay --seed {found[1]} {combination.words().split(' ', 1)[1]} --depth {options.depth}"
    say(f"  step by step: {again} --blocktime {options.blocktime} --machine {shlex.quote(options.machine)} TEST")


def faults_to_find(options):
    """The bugs that must be found, one after the other."""
    if options.mutants:
        names = mutants.names() if options.mutants == "all" else options.mutants.split(",")
        return (Mutant(name, options.jobs) for name in names)
    places = weakenings.listed()
    if options.weakenings != "all":
        first, _, last = options.weakenings.partition("-")
        places = places[int(first) - 1:int(last or first)]
    return (Weakening(place) for place in places)


def is_found(fault, combinations, options, seed):
    total, _, found = explore(combinations, options, seed)
    say(f"{fault.name}: " + (f"found after {total} runs: {found[1]} ({found[0].words()})" if found else f"NOT FOUND in {total} runs"))
    return found is not None


def main():
    options = parse_arguments()
    build_virtual("explore", "omp")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    programs = [executable(test) for test in options.tests or sorted(PROGRAMS.glob("*.c"))]
    strategies = [options.strategy] if options.strategy else STRATEGIES
    schedulers = options.schedulers or scheduler_list.names()
    threads = options.threads

    def combinations(fault):
        only = fault.program if fault and not options.tests else None
        return [Combination(program, strategy, count, scheduler, fault) for scheduler in schedulers for count in threads
                for strategy in strategies for program in programs if only in (None, program.name)]

    say(f"explore: first seed {seed}")
    given = Mutant(options.mutant, options.jobs) if options.mutant else Weakening(options.weaken) if options.weaken else None
    if options.replay:
        combination = combinations(given)[0]
        _, _, failure, said = combination.run(options, seed, 1)
        print(with_lines(said))
        say(failure or "nothing is wrong in this run")
        return int(bool(failure))
    if options.mutants or options.weakenings:
        found = [is_found(fault, combinations(fault), options, seed) for fault in faults_to_find(options)]
        return int(not all(found))
    began, all_ = time.monotonic(), combinations(given)
    total, steps, found = explore(all_, options, seed)
    for stalled in (line for combination in all_ for line in combination.stalled):
        say(f"no end in time, but in time when repeated: {stalled}")
    rate = total / max(1e-3, time.monotonic() - began)
    say(f"explore: {total} runs, {steps} steps, {rate:.0f} runs a second, {'FAILED' if found else 'nothing found'}")
    if found:
        report(*found, options)
        return 1
    cut_short = [c.words() for c in all_ if c.strategy == "exhaustive" and not c.complete]
    for words in cut_short:
        say(f"not all ways were taken: {words}")
    return int(bool(cut_short))


if __name__ == "__main__":
    sys.exit(main())
