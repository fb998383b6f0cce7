"""The command: options, what is run on what, the report, the exit status."""

import argparse
import re
import resource
import sys
import time
from pathlib import Path

import progress
import scheduler_list
import screen
from benchlib import build as bench_build
from common import ROOT, Stopwatch, allowed_cpus, build, die, say
from harness import files
from harness.engine import LEAST
from harness.machine import load_average, machine_name
from programs import FEW, SIZES, cases

from . import libraries, page, report, results, rounds
from .entries import left_alone, own_entries, read_toml

PRESET = "release"
WRONG, STOPPED = 1, 130
BUDGET, QUICK_BUDGET, PAGE_BUDGET = 540, 110, 1800  # seconds after which no third round begins


DESCRIPTION = """Runs task programs on OpenMP libraries in turn: are the answers right, how long do they take, how much memory? Without
--bin the programs are those of bots/ and uts/.

  tools/quickstart                                     a few versions of each program beside libomp: the first look
  tools/bench programs --filter 'fib|sort' --threads 1,2,4    some, beside all libraries that are here
  tools/bench programs --bin DIR --runtime chomp libgomp      programs of your own; DIR/regress.toml says how each is called

More, with the TOML file: tools/laboratory/regress/README.md."""


def parse_arguments(arguments):
    parser = screen.parser("tools/bench programs", "", DESCRIPTION)
    g = parser.add_argument_group("what is run")
    g.add_argument("--bin", metavar="DIR", type=Path, help="a folder of executables, with a line for each in DIR/regress.toml, or --programs FILE")
    g.add_argument("--programs", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    g.add_argument("--filter", default="", metavar="REGEX", help="only what matches, like fib/untied or cholesky.*depend")
    g.add_argument("--size", choices=SIZES, default="medium", metavar="SIZE", help="of our programs' inputs: small, medium, large (medium)")
    g.add_argument("--few", action="store_true", help="of each program of bots and uts the plain version")
    g.add_argument("--list", action="store_true", help="name the programs with their arguments, and stop")
    g = parser.add_argument_group("what it runs on")
    g.add_argument("--runtime", nargs="+", action="extend", default=[], metavar="NAME=LIB", help="libraries; the first is under test (chomp, and what is here). "
                   f"NAME alone for {', '.join(libraries.KNOWN)}; NAME=LIB,VARIABLE=VALUE sets something for it")
    g.add_argument("--threads", default=str(allowed_cpus()), metavar="N,…", help="numbers of threads (the CPUs this process may use)")
    g.add_argument("--bound", action="store_true", help="threads stay on their CPUs, on every library; else as the settings have it")
    g.add_argument("--schedulers", metavar="LIST", help="the first library with each of chomp's schedulers in turn, or `all`; with --counters: their steals")
    g.add_argument("--counters", action="store_true", help=argparse.SUPPRESS)
    g.add_argument("--fetch-peers", action="store_true", help="install Intel's library from PyPI into build/bench if it is not there")
    g = parser.add_argument_group("how long")
    g.add_argument("--quick", action="store_true", help="beside libomp only, with a budget of two minutes")
    g.add_argument("--rounds", type=int, metavar="N", help="just so many runs on each library (as many as it takes to tell them apart)")
    g.add_argument("--limit", type=float, default=60, metavar="SECONDS", help="a run that takes longer hangs (60)")
    g.add_argument("--budget", type=float, metavar="SECONDS", help="after that, no more than two rounds (540; quick: 110)")
    g = parser.add_argument_group("results")
    g.add_argument("--json", metavar="FILE", help="write every round")
    g.add_argument("--from", dest="source", metavar="FILE.json", help="report on a file written by --json instead of measuring")
    g.add_argument("--record", action="store_true", help="write build/results/programs-DATE-MACHINE.json")
    g.add_argument("--page", action="store_true", help="measure, record and write measured.md, 50 minutes")
    screen.help_for(g)
    options = parser.parse_args(arguments)
    options.budget = options.budget or (QUICK_BUDGET if options.quick else BUDGET)
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", options.threads):
        parser.error("--threads wants numbers, separated by commas")
    options.threads = list(dict.fromkeys(int(word) for word in options.threads.split(",")))
    try:
        re.compile(options.filter)
    except re.error as error:
        parser.error(f"--filter {options.filter}: {error}")
    if (options.rounds or 1) < 1 or options.limit <= 0:
        parser.error("--rounds and --limit want more than 0")
    if options.page and (options.bin or options.few or options.filter or options.size == "small"):
        parser.error("--page is about all of our own programs")
    if options.page and not options.source:
        options.record, options.budget = True, PAGE_BUDGET
    if options.programs and not options.bin:
        parser.error("--programs goes with --bin")
    if options.bin and (options.schedulers or options.record):
        parser.error("--schedulers and --record are about our own programs; with --bin, give --runtime NAME=LIB,CHOMP_SCHEDULER=…")
    return options


def prepare(options):
    """Builds what is needed: (entries, libraries)."""
    wanted = [case for case in cases(options.size, options.filter) if not options.few or re.search(FEW, case.name)]
    needs_build = not options.bin or not options.runtime or any(word in ("chomp", "chomp-gcc") for word in options.runtime)
    if needs_build and not build(PRESET, ["omp", *([] if options.bin else dict.fromkeys(case.program for case in wanted))]):
        die("The build failed.")
    if options.fetch_peers:
        libraries.fetch_libiomp5()
    found = libraries.parse(options.runtime, PRESET) if options.runtime else libraries.default(PRESET, options.quick)
    if options.bin:
        folder = options.bin.resolve()
        file = options.programs or folder / "regress.toml"
        every = read_toml(file, folder)
        for name in left_alone(every, folder):
            say(f"{name}: {file.name} has no line for it")
        return [entry for entry in every if re.search(options.filter, entry.name)], found
    if options.schedulers:
        names = scheduler_list.names() if options.schedulers == "all" else options.schedulers.split(",")
        found = libraries.with_schedulers(found, names, ROOT / "build" / PRESET / "bin" / "bots-fib")
    gcc = any(library.compiler == "gcc" for library in found)

    def gcc_build(name):
        return bench_build.build_external(libraries.BENCH_BUILD, "gcc", "gcc", name) if gcc else None

    return own_entries(wanted, ROOT / "build" / PRESET / "bin", gcc_build), found


def cpu_seconds():
    """What all that this command has run took of the CPUs: the first look takes as much on a busy machine, which is longer."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def measure(options):
    entries, found = prepare(options)
    if not entries:
        die(f"No program matches {options.filter!r}.")
    compilers = {} if options.bin else {"clang": libraries.clang_of(PRESET), "gcc": "gcc"}
    outcome = results.Results(results.describe(found, options, compilers))
    for library in found:
        version = outcome.about["libraries"][library.name]["version"]
        say(f"{library.name}: {library.library}{' (' + version + ')' if version else ''}{', under test' if library.subject else ''}")
    say(f"{len(entries)} programs, {', '.join(map(str, options.threads))} threads, {'bound' if options.bound else 'not bound'}, in turn, {f'{options.rounds} rounds' if options.rounds else 'until they are told apart'}\n")
    runner = rounds.Runner(ROOT / "build" / "regress" / "libraries", options.limit, options.bound)
    try:
        measurement = rounds.Measurement(entries, options.threads, found, runner, outcome, show_progress)
        measurement.run(options.rounds, options.budget, cpu_seconds if options.few else time.monotonic)
        outcome.about["complete"] = True
        if options.counters:
            report.say_counters(measurement.count())
    except KeyboardInterrupt:
        say("\n\nStopped: what follows is about what was measured so far.")
        outcome.drop_unmeasured()
    outcome.about["machine"]["load_after"] = load_average()
    return outcome


def show_progress(turn, number, count, entry):
    """On a terminal one line that changes; in a log, a line now and then."""
    if sys.stderr.isatty():
        print(f"\rround {turn + 1}: {number} of {count}, {entry.name}\033[K\r", end="", file=sys.stderr, flush=True)
        progress.heard()
    else:
        progress.doing(f"round {turn + 1}", f"{number} of {count}, {entry.name}")


def record(outcome, options):
    about = outcome.about
    if not outcome.about["complete"] or options.filter or options.few or about["rounds"] not in (None, *range(LEAST, 100)) or about["size"] == "small":
        die("Not recorded: a run of record is a complete one, of all programs, without --rounds, with medium or large inputs.")
    name = f"{about['date']}-{machine_name(about['machine'])}"
    files.write(files.RESULTS / f"programs-{name}.json", results.as_json(outcome))
    say(f"Recorded as build/results/programs-{name}.json")


def main(arguments=None):
    """The exit status: 0 if everything is right on the libraries under test."""
    if sys.version_info < (3, 11):
        die("tools/bench programs needs Python 3.11 or later.")
    options, watch = parse_arguments(arguments), Stopwatch()
    if options.list:
        for case in cases(options.size, options.filter):
            say(f"{case.name:<34} {case.command}")
        return 0
    if options.page and not options.source:
        if not build(PRESET, ["omp"]):
            die("The build failed.")
        page.measure_bench(ROOT / "build" / PRESET / "lib")
    outcome = results.read(options.source) if options.source else measure(options)
    report.say_table(outcome)
    report.say_failures(outcome)
    report.say_summary(outcome)
    if options.json:
        files.write(Path(options.json), results.as_json(outcome))
    if options.record:
        record(outcome, options)
    if options.page:
        page.write()
    say(f"\n{watch.seconds():.0f} s in all.")
    if not outcome.about["complete"]:
        return STOPPED
    return WRONG if outcome.failures(outcome.subjects()) else 0


if __name__ == "__main__":
    sys.exit(main())
