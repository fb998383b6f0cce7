"""The command line: from options to a plan, from the plan to a record, from the record to the report."""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import signal
import sys

import screen
from benchlib import build as building
from benchlib import results as storing
from benchlib import runtimes
from harness import engine, files, plots
from harness.running import Failed
from harness.turns import Progress

from . import jobs, record as recording, sides, topologies
from .jobs import Tools
from .programs import PROGRAMS
from .record import Record
from .report import markdown, text
from .running import Case, groups, run_group
from .tables import TABLES, Plan, Table

LIMIT_S = {"quick": 30.0, "default": 60.0, "full": 900.0}
PEERS = ("libomp", "libiomp5", "libgomp", "tbb")

DESCRIPTION = """Compares chomp's task schedulers, and other runtimes, by the tables of the papers that the schedulers come from. Every
answer is checked; Markdown, JSON and pictures are written.

  tools/bench schedulers                                              all tables, about a quarter of an hour on two cores
  tools/bench schedulers --quick --tables 1,2 --programs 'fib|sort'   a look
  tools/bench schedulers --command 'mine=./program 5' --programs mine --tables 1,2,3

Exit status: 1 if an answer on chomp was wrong, or a run of it hung or crashed. What the tables say:
tools/laboratory/schedulers/README.md."""


def add_what(p: argparse.ArgumentParser) -> None:
    """Tables, programs, schedulers, shapes."""
    g = p.add_argument_group("what is compared")
    g.add_argument("--tables", default="1,2,3,4,5,6", metavar="LIST", help="numbers (all)")
    g.add_argument("--programs", metavar="REGEX", help="the BOTS programs of tables 1 to 3 whose name it finds (those of the slides)")
    g.add_argument("--command", action="append", default=[], metavar="NAME=COMMAND", help="one more program for these tables: right if it exits with 0")
    g.add_argument("--schedulers", metavar="LIST", help="names or aliases (all that the library has)")
    g.add_argument("--peers", default=",".join(PEERS), metavar="LIST", help=f"of {', '.join(PEERS)}; 'none' (those found)")
    g.add_argument("--threads", default="", metavar="LIST", help="(1, 2, 4 … all CPUs; all of a made-up machine)")
    g.add_argument("--topologies", default="", metavar="LIST", help="`real`, or shapes for HWLOC_SYNTHETIC (real; for counts with more chips, too)")
    g.add_argument("--list", action="store_true", help="name the tables, programs and schedulers, and stop")


def add_effort(p: argparse.ArgumentParser) -> None:
    """How much work."""
    g = p.add_argument_group("how long")
    sizes = g.add_mutually_exclusive_group()
    sizes.add_argument("--quick", dest="scale", action="store_const", const="quick", help="small sizes, two rounds: a look")
    sizes.add_argument("--full", dest="scale", action="store_const", const="full", help="the sizes of the suites and papers: hours")
    g.add_argument("--rounds", type=int, metavar="N", help="processes per figure, in turn (5 for tables 1 and 2, 3 for others)")
    g.add_argument("--limit", type=float, metavar="SECONDS", help="a process that takes longer hangs (60; quick: 30, full: 900)")


def add_results(p: argparse.ArgumentParser) -> None:
    """What becomes of the figures."""
    g = p.add_argument_group("results")
    g.add_argument("--output", metavar="DIR", help="folder for the results (build/results/schedulers-DATE-MACHINE)")
    g.add_argument("--resume", action="store_true", help="keep what the folder has, and measure only what is missing")
    g.add_argument("--from", dest="source", metavar="FILE", help="report on that JSON file instead of measuring")


def add_tools(p: argparse.ArgumentParser) -> None:
    """Compilers, and where to build."""
    g = p.add_argument_group("tools")
    g.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure, or the file (built here)")
    g.add_argument("--build", default=str(building.ROOT / "build" / "schedulers"), metavar="DIR", help="build folder (build/schedulers)")
    g.add_argument("--clang", default="clang-19", help="C compiler (clang-19)")
    g.add_argument("--gcc", default="gcc", help="C compiler of libgomp's programs (gcc)")
    screen.help_for(g)


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The options, checked as far as possible without building anything."""
    p = screen.parser("tools/bench schedulers", "", DESCRIPTION)
    for add in (add_what, add_effort, add_results, add_tools):
        add(p)
    args = p.parse_args(argv)
    args.scale = args.scale or "default"
    args.limit = args.limit or LIMIT_S[args.scale]
    try:
        args.numbers = tuple(int(word) for word in args.threads.split(",")) if args.threads else ()
        args.wanted = [table_of(word) for word in args.tables.split(",")]
        args.shapes = topologies.parse_list(args.topologies) if args.topologies else ()
        args.commands = tuple(jobs.command_job("bots", command) for command in args.command)
        args.chosen = chosen_programs(args)
    except (ValueError, re.error) as problem:
        p.error(str(problem))
    args.peer_names = [] if args.peers == "none" else args.peers.split(",")
    if unknown := [name for name in args.peer_names if name not in PEERS]:
        p.error(f"--peers: no {unknown[0]}; of {', '.join(PEERS)}")
    if any(number < 1 for number in args.numbers) or (args.rounds is not None and args.rounds < 1):
        p.error("--threads and --rounds want numbers above 0")
    if not (args.list or args.source) and shutil.which(args.clang) is None:
        p.error(f"--clang: no {args.clang} here")
    return args


def table_of(word: str) -> Table:
    """By number or name."""
    for table in TABLES:
        if word.strip() in (str(table.number), table.name):
            return table
    raise ValueError(f"--tables: no table {word!r}; {', '.join(f'{t.number} ({t.name})' for t in TABLES)}")


def chosen_programs(args: argparse.Namespace) -> tuple[jobs.Job, ...]:
    """Those named; else those of the slides, in a full run all."""
    if args.programs is None:
        found = [p.job(args.scale) for p in PROGRAMS if p.in_slides or args.scale == "full"]
        return (*found, *args.commands)
    wanted = re.compile(args.programs)
    named = [p.job(args.scale) for p in PROGRAMS if wanted.search(p.name)]
    found = named + [c for c in args.commands if wanted.search(c.name.split("/", 1)[1])]
    if not found:
        raise ValueError(f"--programs: none matches {args.programs!r}; --list names them")
    return tuple(found)


def say(words: str) -> None:
    """One line on standard error."""
    print(f"schedulers: {words}", file=sys.stderr, flush=True)


def list_all() -> str:
    """For --list."""
    lines = ["tables:"] + [f"  {table.number}  {table.name:<12} {table.title}" for table in TABLES]
    lines += ["programs of tables 1 to 3 (* not in the slides: only by name, or --full):"]
    lines += [f"{' ' if p.in_slides else '*'} {p.name:<20} {p.command} {' | '.join(p.sizes)}" for p in PROGRAMS]
    return "\n".join([*lines, "schedulers:", *(f"  {sides.shown(name)}" for name in sides.SCHEDULERS)])


# ---- From options to a plan -------------------------------------------------------------------------------------------

def scheduler_names(args: argparse.Namespace) -> list[str]:
    """Those asked for, by their long names; else all that papers and design know."""
    letters = {alias.lower(): name for name, alias in sides.SLIDES.items()}
    return [letters.get(word.strip().lower(), word.strip()) for word in args.schedulers.split(",")] if args.schedulers else list(sides.SCHEDULERS)


def find_schedulers(args: argparse.Namespace, tools: Tools, chomp: runtimes.Runtime) -> tuple[sides.Side, ...]:
    """Those that the library takes. One that was asked for and is not there is an error."""
    probe = building.build_program(tools.build, storing.BY_NAME["spawn_parallel"], "clang", tools.clang, tools.gcc)
    assert probe is not None  # a pattern of tools/bench
    found = []
    for name in dict.fromkeys(scheduler_names(args)):
        side = sides.with_scheduler(chomp, name)
        if sides.has_setting(side, probe):
            found.append(side)
        elif args.schedulers:
            raise SystemExit(f"schedulers: this library has no scheduler {name}")
        else:
            say(f"this library has no scheduler {name}; left out")
    return tuple(found)


def find_stealing(tools: Tools, schedulers: tuple[sides.Side, ...]) -> tuple[sides.Side, ...]:
    """MTS with other amounts, if the library lets one choose."""
    probe = building.build_program(tools.build, storing.BY_NAME["spawn_parallel"], "clang", tools.clang, tools.gcc)
    mts = next((side for side in schedulers if side.name == "mts"), None)
    if mts is None or probe is None:
        return ()
    found = tuple(side for amount in sides.STEALING if sides.has_setting(side := sides.stealing(mts, amount), probe))
    if not found:
        say("this library has no CHOMP_STEAL; MTS with other amounts is left out")
    return found


def find_peers(args: argparse.Namespace, tools: Tools) -> tuple[sides.Side, ...]:
    """Those that this machine has."""
    found = {name: sides.peer(name, tools.build, tools.clang, tools.gcc) for name in args.peer_names}
    for name in (name for name, side in found.items() if side is None):
        say(f"{name} not found; left out (tools/bench --fetch-peers installs peers)")
    return tuple(side for side in found.values() if side is not None)


def find_queues(args: argparse.Namespace, tools: Tools) -> tuple[tuple[str, str], ...]:
    """What the queue benchmark can measure, less the schedulers not asked for."""
    if not any(table.name == "queues" for table in args.wanted):
        return ()
    try:
        names = jobs.queue_names(tools)
    except Failed as failure:
        raise SystemExit(f"schedulers: the queue benchmark does not start: {failure}") from failure
    wanted = scheduler_names(args)
    return tuple((kind, name) for name, kind in names.items() if kind == "queue" or not args.schedulers or name in wanted)


def counted_shapes(args: argparse.Namespace, cpus: int) -> tuple[topologies.Topology, ...]:
    """Shapes with several chips: this machine if it has them, else made up of its CPUs; and the slides' machine."""
    own = [topologies.real()] if topologies.chips() > 1 else [topologies.parse(f"package:{cpus} core:1 pu:1")] if cpus > 1 else []
    return args.shapes or (*own, topologies.parse(topologies.SLIDES))


def make_plan(args: argparse.Namespace, tools: Tools) -> Plan:
    """Builds what is needed to know what there is."""
    library = building.chomp_library(args.chomp, tools.build)
    chomp = runtimes.with_soname(tools.build, "chomp", "clang", library)
    if chomp is None:
        raise SystemExit("schedulers: nothing to compare without chomp")
    real = topologies.real()
    schedulers = find_schedulers(args, tools, chomp)
    return Plan(args.chosen, schedulers, find_stealing(tools, schedulers) if any(t.number == 3 for t in args.wanted) else (),
                find_peers(args, tools), find_queues(args, tools), args.shapes or (real,), counted_shapes(args, real.pus), args.numbers,
                real.pus, args.scale, args.rounds)


# ---- From the plan to a record ----------------------------------------------------------------------------------------

def describe(args: argparse.Namespace, plan: Plan, cases: list[Case]) -> Record:
    """An empty record of a run that begins now."""
    everyone = list({case.side.name: case.side for case in sorted(cases, key=lambda case: order_of(plan, case))}.values())
    libraries = {side.library: side for side in everyone if side.compiler != "none"}.values()
    about = storing.describe(list(libraries), "tasks", args.clang, args.gcc, args.scale, args.rounds or 0, False)
    about.pop("figure")
    about |= {"tables": [table.number for table in args.wanted],
              "sides": {side.name: {"compiler": side.compiler, "scheduler": side.scheduler} for side in everyone},
              "topologies": [topology.name for topology in plan.topologies],
              "counts_only": [list(where) for where in dict.fromkeys((case.topology.name, case.threads) for case in cases
                              if not case.topology.has_meaningful_times(case.threads, plan.cpus))]}
    return Record(about)


def order_of(plan: Plan, case: Case) -> int:
    """Schedulers in the order of the papers, then peers, then queues."""
    names = [side.name for side in (*plan.schedulers, *plan.stealing, *plan.peers)]
    return names.index(case.side.name) if case.side.name in names else len(names)


def resume(record: Record, file: pathlib.Path) -> None:
    """Takes over what an earlier run with the same sizes has measured, but for its failures."""
    if not file.exists():
        return
    old = recording.from_json(file.read_text(encoding="utf-8"))
    if (old.about["scale"], old.about["machine"]["cpu"], old.cpus) != (record.about["scale"], record.about["machine"]["cpu"], record.cpus):
        raise SystemExit("schedulers: --resume: that folder has the results of another machine, or of other sizes")
    if old.about["commit"] != record.about["commit"]:
        say(f"--resume: takes over results of commit {old.about['commit']}")
    record.series = {key: series for key, series in old.series.items() if not series.error}
    record.jobs = old.jobs
    record.about["sides"] = old.about["sides"] | record.about["sides"]
    record.about["tables"] = sorted({*old.about["tables"], *record.about["tables"]})
    for name in ("topologies", "counts_only"):
        record.about[name] += [where for where in old.about[name] if where not in record.about[name]]


def measure(args: argparse.Namespace, tools: Tools, folder: pathlib.Path | None) -> tuple[Record, pathlib.Path]:
    """Group by group, written after each; an interrupt leaves what is there."""
    plan = make_plan(args, tools)
    cases = [case for table in args.wanted for case in table.cases(plan)]
    if not cases:
        raise SystemExit("schedulers: nothing to do: no scheduler, no program, or no number of threads")
    record = describe(args, plan, cases)
    folder = folder or recording.default_folder(record.about)
    if args.resume:
        resume(record, folder / "results.json")
    waiting = list(groups(cases))
    progress, watch = Progress("schedulers", len(waiting)), engine.Watch(engine.ping_program())
    try:
        for group in waiting:
            label = f"{group[0].job.name}, {group[0].threads} threads, {group[0].topology.name}{', counted' if group[0].counted else ''}"
            progress.show(label)
            run_group(tools, group, record, args.limit, watch, again=args.rounds is None and args.scale != "quick")
            progress.finished(label)
            files.write(folder / "results.json", recording.as_json(record))
        record.about["complete"] = True
    except KeyboardInterrupt:
        say("interrupted; what was measured is kept, --resume goes on")
    progress.end()
    record.about["machine"]["load_after"] = storing.load_average()
    files.write(folder / "results.json", recording.as_json(record))
    return record, folder


# ---- From the record to the report ------------------------------------------------------------------------------------

def deliver(record: Record, folder: pathlib.Path) -> None:
    """The report on the terminal and as files."""
    drawn = {}
    for table in (t for t in TABLES if t.number in record.about["tables"]):
        file = folder / f"{table.number}-{table.name}.png"
        if plots.draw(file, f"{table.number}. {table.title}", table.panels(record)):
            drawn[table.number] = file.name
    files.write(folder / "README.md", markdown(record, drawn))
    print(text(record))
    say(f"written to {folder}")


def main(argv: list[str] | None = None) -> int:
    """1 when chomp failed somewhere."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    args = parse_arguments(argv)
    if args.list:
        print(list_all())
        return 0
    folder = pathlib.Path(args.output) if args.output else None
    if args.source:
        file = pathlib.Path(args.source)
        record = recording.from_json(file.read_text(encoding="utf-8"))
        folder = folder or file.parent
    else:
        tools = Tools(pathlib.Path(args.build).resolve(), args.clang, args.gcc)
        record, folder = measure(args, tools, folder)
    deliver(record, folder)
    ours = [key for key, _ in record.failures() if record.about["sides"][key.side]["compiler"] == "none"
            or record.about["sides"][key.side]["scheduler"]]
    return int(bool(ours))
