"""The command line, and the order of a run: runtimes in turn on the same work."""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import signal

import screen
from harness import engine
from harness.tables import as_text
from harness.turns import Progress, in_turn

from . import build as building
from . import report, runtimes, targets
from . import results as storing
from .callgrind import instructions_per_unit
from .catalog import SCALES, Pattern, in_groups, select
from .measure import Effort, Failed, Mode, Sample, Series, run_once
from .plot import plot
from .results import Run

# By scale: milliseconds after which a process begins no further repetition of a pattern, seconds after which it is said to hang.
BUDGET_MS = {"quick": 5, "default": 40, "full": 40}
TOTAL_S = {"quick": 60, "default": 600, "full": 3600}  # after which no third round begins
REPS = {"tasks": 20, "loops": 200, "metg": 50}  # those of loops last a millisecond or less; metg repeats each point of its curve
LIMIT_S = {"quick": 4, "default": 20, "full": 60}

DESCRIPTION = """Measures what one task (loops: loops by schedule; metg: graph of tasks) costs on chomp and on its peers.

  tools/bench --fetch-peers --targets               everything, with the targets met and missed (about ten minutes)
  tools/bench --quick --patterns 'fib|uts'          a look, with small sizes
  tools/bench --callgrind --patterns spawn          instructions per task, which repeat exactly on a busy machine
  tools/bench programs|callers|crowd                whole programs, also on each scheduler; callers of regions; waiting beside others; all have --help

Exit status: 1 if chomp gave a wrong answer, crashed or hung. Method: tools/laboratory/bench/README.md."""


def add_what(p: argparse.ArgumentParser) -> None:
    """Which runtimes, which patterns."""
    p.add_argument("catalog", nargs="?", choices=tuple(storing.CATALOGS), default="tasks", help=argparse.SUPPRESS)
    g = p.add_argument_group("what is measured")
    g.add_argument("--patterns", default="", metavar="REGEX", help="only the patterns whose name it finds")
    g.add_argument("--list", action="store_true", help="name the patterns with their sizes, and stop")
    g.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure, or the file; 'none' (built here)")
    g.add_argument("--peers", default=",".join(runtimes.PEERS), metavar="LIST", help=f"of {', '.join(runtimes.BESIDE)}; 'none'")
    g.add_argument("--fetch-peers", action="store_true", help="install the peers that are missing, with apt or from PyPI")
    g.add_argument("--threads", default="1,2", metavar="LIST", help="numbers of threads (1,2); 1 also takes the figure of record")
    g.add_argument("--callgrind", action="store_true", help="instructions per task instead of time (valgrind)")


def add_effort(p: argparse.ArgumentParser) -> None:
    """How much work."""
    g = p.add_argument_group("how long")
    sizes = g.add_mutually_exclusive_group()
    sizes.add_argument("--quick", dest="scale", action="store_const", const="quick", help="small sizes: about a minute in all")
    sizes.add_argument("--full", dest="scale", action="store_const", const="full", help="the sizes of the papers and of all targets")
    g.add_argument("--rounds", type=int, metavar="N", help="just so many processes per runtime, in turn (as many as it takes to tell them apart)")
    g.add_argument("--budget", type=float, metavar="SECONDS", help="after that, no more than two rounds (600; quick: 60, full: 3600)")
    g.add_argument("--budget-ms", type=int, metavar="N", help="no further repetition of a pattern after that much time (40; quick: 5)")
    g.add_argument("--limit", type=float, metavar="SECONDS", help="a process that takes longer hangs (20; quick: 4, full: 60)")


def add_results(p: argparse.ArgumentParser) -> None:
    """What becomes of the figures."""
    g = p.add_argument_group("results")
    g.add_argument("--targets", action="store_true", help="also print each target: met or missed, and by what number")
    g.add_argument("--json", metavar="FILE", help="write all samples")
    g.add_argument("--from", dest="source", metavar="FILE", help="report on a file written by --json instead of measuring")
    g.add_argument("--plot", metavar="FILE.png", help="draw medians against threads, a panel for each pattern (matplotlib)")
    g.add_argument("--record-results", action="store_true", help="write build/results/CATALOG-DATE-MACHINE.json")


def add_tools(p: argparse.ArgumentParser) -> None:
    """Compilers, and where to build."""
    g = p.add_argument_group("tools")
    g.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR", help="build folder (build/bench)")
    g.add_argument("--clang", default="clang-19", help="C compiler of chomp, libomp and libiomp5 (clang-19)")
    g.add_argument("--gcc", default="gcc", help="C compiler of libgomp (gcc)")
    screen.help_for(g)


def refuse_contradictions(p: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Complains about options that cannot be served, before anything is built."""
    if args.rounds is not None and args.rounds < 1:
        p.error("--rounds is at least 1")
    for name in args.peer_names:
        if name not in runtimes.BESIDE:
            p.error(f"--peers: no {name}; one of {', '.join(runtimes.BESIDE)}")
    if args.callgrind and args.record_results:
        p.error("results of record are times; --callgrind counts instructions")
    if args.callgrind and shutil.which("valgrind") is None:
        p.error("--callgrind needs valgrind")
    if shutil.which(args.clang) is None and not (args.list or args.source):
        p.error(f"--clang: no {args.clang} here")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The options, with the defaults of the scale."""
    p = screen.parser("tools/bench", "[tasks|loops|metg]", DESCRIPTION)
    for add in (add_what, add_effort, add_results, add_tools):
        add(p)
    args = p.parse_args(argv)
    try:
        args.modes = modes_of("1" if args.callgrind else args.threads)
    except ValueError:
        p.error(f"--threads: not a list of numbers above 0: {args.threads}")
    try:
        args.chosen = select(storing.CATALOGS[args.catalog], args.patterns)
    except re.error as problem:
        p.error(f"--patterns: {problem}")
    args.peer_names = [] if args.peers == "none" else args.peers.split(",")
    refuse_contradictions(p, args)
    args.scale = args.scale or "default"
    args.rounds = 1 if args.callgrind else args.rounds  # instructions repeat
    args.budget = args.budget or TOTAL_S[args.scale]
    args.effort = Effort(REPS[args.catalog], args.budget_ms or BUDGET_MS[args.scale], args.limit or LIMIT_S[args.scale])
    return args


def modes_of(threads: str) -> list[Mode]:
    """`1,2` → record, 1, 2."""
    modes = []
    for count in dict.fromkeys(int(word) for word in threads.split(",")):
        if count < 1:
            raise ValueError
        if count == 1:
            modes.append(Mode("record", 2, record=True))
        modes.append(Mode(str(count), count))
    return modes


def list_patterns(patterns: list[Pattern]) -> str:
    """For --list."""
    lines = [["pattern", "unit", *SCALES, "what"]]
    lines += [[p.name, p.unit, *(str(s) if s else "–" for s in p.sizes), p.what] for p in patterns]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    return "\n".join("  ".join([*(c.ljust(w) for c, w in zip(line, widths)), line[-1]]) for line in lines)


def find_runtimes(args: argparse.Namespace, build: pathlib.Path) -> list[runtimes.Runtime]:
    """The serial code, chomp and the peers asked for, less those this machine has not."""
    if args.fetch_peers:
        runtimes.fetch_peers(args.peer_names, build, args.clang, args.gcc)
    chomp = building.chomp_library(args.chomp, build)
    candidates = {"serial": runtimes.serial_code(args.clang)}
    if chomp is not None:
        candidates["chomp"] = runtimes.with_soname(build, "chomp", "clang", chomp)
    for name in args.peer_names:
        candidates[name] = runtimes.find_peer(name, build, chomp, args.clang, args.gcc)
    for name, runtime in candidates.items():
        if runtime is None:
            runtimes.warn(f"{name} not found; left out" + ("" if args.fetch_peers else " (--fetch-peers installs peers)"))
    return [runtime for runtime in candidates.values() if runtime is not None]


def applies(pattern: Pattern, runtime: runtimes.Runtime, mode: Mode) -> bool:
    """Whether the pattern can be measured on the runtime in the mode."""
    if runtime.name == "serial":
        return pattern.serial != "" and mode.name == "1"
    if runtime.compiler == "tbb" and not pattern.twin or runtime.compiler != "tbb" and not pattern.case:
        return False
    return pattern.record or not mode.record


def sample(args: argparse.Namespace, program: pathlib.Path, group: list[Pattern], runtime: runtimes.Runtime, mode: Mode) -> list[Sample]:
    """A figure of each pattern of the group: time, or instructions."""
    if args.callgrind:
        return [(instructions_per_unit(program, pattern, runtime, mode), {}) for pattern in group]
    return run_once(program, group, runtime, mode, group[0].size(args.scale), args.effort)


def measure_process(args: argparse.Namespace, program: pathlib.Path, group: list[Pattern], runtime: runtimes.Runtime, mode: Mode,
                    run: Run) -> None:
    """One round of a group on one runtime. A pattern that failed once is not tried again; a process that fails counts
    as a failure of all its patterns."""
    series = {p.name: run.series.setdefault((p.name, mode.name, runtime.name), Series()) for p in group}
    if any(s.error for s in series.values()):
        return
    try:
        for s, (value, extras) in zip(series.values(), sample(args, program, group, runtime, mode)):
            s.samples.append(value)
            s.extras.append(extras)
    except Failed as failure:
        for s in series.values():
            s.error = str(failure)


def measure_round(args: argparse.Namespace, group: list[Pattern], programs: dict[str, pathlib.Path], found: list[runtimes.Runtime],
                  turn: int, run: Run, progress: Progress) -> None:
    """One round of the patterns that are measured together."""
    for pattern in group:
        run.sizes[pattern.name] = pattern.callgrind[1] if args.callgrind and pattern.callgrind else pattern.size(args.scale)
    for mode in args.modes:
        for runtime in in_turn([r for r in found if r.name in programs], turn):
            if members := [p for p in group if applies(p, runtime, mode)]:
                progress.show(f"{group_name(group)}, round {turn + 1}: {runtime.name}, threads {mode.name}")
                measure_process(args, programs[runtime.name], members, runtime, mode, run)


def is_clear(group: list[Pattern], run: Run) -> bool:
    """Whether more rounds would tell nothing more of chomp beside the best peer."""
    verdicts = [run.verdict(pattern.name, mode) for pattern in group for mode in run.modes()]
    return all(verdict is None or verdict.settled for verdict in verdicts)


def group_name(group: list[Pattern]) -> str:
    """The name of the group, or of its only pattern."""
    return group[0].group or group[0].name


def programs_for(args: argparse.Namespace, group: list[Pattern], build: pathlib.Path,
                 found: list[runtimes.Runtime]) -> dict[str, pathlib.Path]:
    """The group's program for each runtime, by name, built if need be; empty if the tree does not have it."""
    wanted = [r for r in found if any(applies(p, r, mode) for p in group for mode in args.modes)]
    programs = {r.name: building.build_program(build, group[0], r.compiler, args.clang, args.gcc) for r in wanted}
    if None in programs.values():
        runtimes.warn(f"{group_name(group)}: the tree has no {group[0].program}; left out")
        return {}
    return programs


def chosen_patterns(args: argparse.Namespace) -> list[Pattern]:
    """The patterns that were named and that a quick, default or full run has."""
    patterns = [p for p in args.chosen if p.size(args.scale) != 0 and (p.callgrind or not args.callgrind)]
    if not patterns:
        raise SystemExit("bench: no such pattern; --list names them")
    return patterns


def measure_all(args: argparse.Namespace, build: pathlib.Path) -> Run:
    """Measures everything. An interrupt ends it early: what has been measured is reported."""
    groups, found = in_groups(chosen_patterns(args)), find_runtimes(args, build)
    run = Run(storing.describe(found, args.catalog, args.clang, args.gcc, args.scale, args.rounds, args.callgrind))
    limits = {} if args.rounds is None else {"least": args.rounds, "most": args.rounds}
    steps = engine.schedule(groups, lambda group: is_clear(group, run), args.budget, **limits)
    progress = Progress("bench", len(groups) * (args.rounds or engine.LEAST))
    programs: dict[str, dict[str, pathlib.Path]] = {}
    try:
        for turn, group in steps:
            name = group_name(group)
            if name not in programs:
                programs[name] = programs_for(args, group, build, found)
            measure_round(args, group, programs[name], found, turn, run, progress)
            progress.finished(f"{name}, round {turn + 1}")
        run.about["complete"] = True
    except KeyboardInterrupt:
        runtimes.warn("interrupted; what follows is incomplete")
    progress.end()
    run.about["machine"]["load_after"] = storing.load_average()
    return run


def print_table(lines: report.Table, left: tuple[int, ...] = (0,)) -> None:
    """With an empty line before it."""
    print("\n" + as_text(lines, left))


def print_report(run: Run, with_targets: bool) -> None:
    """For the terminal."""
    machine = run.about["machine"]
    print(f"{run.about['date']}, {machine['cpu']}, {machine['cpus']} CPUs, load average {machine['load_before']} before, "
          f"{machine['load_after']} after; "
          + ("callgrind" if run.instructions else f"{run.about['scale']} sizes, {run.about['rounds'] or 'as many'} rounds"))
    if machine["load_before"] > 0.5 * machine["cpus"] and not run.instructions:
        print("Others were busy here when it began.")
    if run.catalog == "metg":
        print_table(report.metg_table(run))
    else:
        print_tasks(run, with_targets and run.catalog == "tasks")
    if notes := report.notes(run):
        print("\n" + "\n".join(notes))


def print_tasks(run: Run, with_targets: bool) -> None:
    """Tables, targets, and what is slower than a peer."""
    print_table(report.table(run))
    if efficiency := report.efficiency_table(run):
        print_table(efficiency)
    if with_targets:
        lines = targets.report(run)
        print_table(lines, targets.LEFT)
        print(targets.summary(lines))
        if slower := targets.slower(run):
            print("\n" + "\n".join(slower))


def deliver(args: argparse.Namespace, run: Run) -> None:
    """The tables, and the files asked for."""
    if args.json:
        storing.write_json(pathlib.Path(args.json), run)
    print_report(run, args.targets)
    if args.plot:
        plot(args.plot, run, [pattern for pattern in run.patterns() if pattern in args.chosen])
    if args.record_results:
        reason = storing.why_not_of_record(run)
        if reason:
            raise SystemExit(f"bench: not recorded: {reason}")
        print(f"\nrecorded in build/results/{storing.record(run).name}")


def main(argv: list[str] | None = None) -> int:
    """Runs everything asked for; 1 when chomp failed somewhere, under programs of either compiler."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `bench … | head` ends quietly
    args = parse_arguments(argv)
    if args.list:
        print(list_patterns(args.chosen))
        return 0
    if args.source:
        run = storing.from_json(pathlib.Path(args.source).read_text(encoding="utf-8"))
    else:
        run = measure_all(args, pathlib.Path(args.build).resolve())
    deliver(args, run)
    return int(any(s.error for (_, _, runtime), s in run.series.items() if runtime.startswith("chomp")))
