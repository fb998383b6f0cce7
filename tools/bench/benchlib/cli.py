"""The command line, and the order of a run: rounds outermost, runtimes in turn on the same work."""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sys

from . import build as building
from . import report, runtimes
from . import results as storing
from .callgrind import instructions_per_unit
from .catalog import Pattern, select
from .measure import Failed, Mode, Series, run_once
from .plot import plot
from .report import Results


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The options; README.md explains them."""
    p = argparse.ArgumentParser(prog="bench", description="Measures chomp beside its peers and the ABI floor.")
    p.add_argument("--chomp", default="", metavar="DIR", help="directory of chomp's libomp.so; 'none'; default: build it")
    p.add_argument("--peers", default=",".join(runtimes.PEERS), help="of: %(default)s; 'none'")
    p.add_argument("--fetch-peers", action="store_true", help="install libiomp5 into the build directory")
    p.add_argument("--libiomp5", metavar="FILE", help="Intel's library, if not fetched")
    p.add_argument("--patterns", default="", metavar="REGEX", help="only the patterns it finds")
    p.add_argument("--threads", default="1,2", help="comma-separated; 1 also takes the figure of record")
    p.add_argument("--rounds", type=int, default=5, help="rounds over all runtimes (default 5)")
    p.add_argument("--reps", type=int, default=20, help="repetitions inside a process, at most (default 20)")
    p.add_argument("--budget-ms", type=int, default=40, help="no further repetition after that much time")
    p.add_argument("--quick", action="store_true", help="small sizes")
    p.add_argument("--full", action="store_true", help="the sizes of the papers")
    p.add_argument("--callgrind", action="store_true", help="instructions per task instead of time (valgrind)")
    p.add_argument("--json", metavar="FILE", help="write all samples")
    p.add_argument("--plot", metavar="FILE.png", help="draw the table (matplotlib)")
    p.add_argument("--record-results", action="store_true", help="results/DATE-MACHINE.json and the table in README.md")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), help="build directory")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    return p.parse_args(argv)


def modes_of(threads: str) -> list[Mode]:
    """`1,2` → record, 1, 2."""
    modes = []
    for word in threads.split(","):
        count = int(word)
        if count == 1:
            modes.append(Mode("record", 2, record=True))
        modes.append(Mode(str(count), count))
    return modes


def find_runtimes(args: argparse.Namespace, build: pathlib.Path) -> list[runtimes.Runtime]:
    """The floor, chomp and the peers asked for, less those this machine has not."""
    if args.fetch_peers:
        runtimes.fetch_peers(build)
    floor = building.build_floor(build, args.clang)
    chomp = building.chomp_library(args.chomp, build)
    peers = [] if args.peers == "none" else args.peers.split(",")
    found = []
    for name in ["floor", *(["chomp"] if chomp else []), *peers]:
        if name not in runtimes.ALL:
            raise SystemExit(f"bench: no runtime {name}; one of {', '.join(runtimes.ALL)}")
        runtime = runtimes.find_runtime(name, build, floor, chomp, args.libiomp5, args.clang, args.gcc)
        if runtime is None:
            runtimes.warn(f"{name} not found; left out")
        else:
            found.append(runtime)
    return found


def applies(pattern: Pattern, runtime: runtimes.Runtime, mode: Mode) -> bool:
    """Whether there is such a measurement."""
    if runtime.name == "floor":
        return pattern.floor and mode.name == "1"
    if runtime.compiler == "tbb" and not pattern.tbb:
        return False
    if mode.record:
        return pattern.record
    return mode.threads == 1 or pattern.threads


def program_for(args: argparse.Namespace, build: pathlib.Path, pattern: Pattern,
                runtime: runtimes.Runtime) -> pathlib.Path | None:
    """The pattern's program for that runtime's compiler, built if need be."""
    if runtime.compiler == "tbb":
        return building.build_tbb_program(build, args.clang, pattern.program)
    command = args.clang if runtime.compiler == "clang" else args.gcc
    if pattern.external:
        return building.build_external(build, runtime.compiler, command, pattern.program)
    return building.build_c_program(build, runtime.compiler, command, pattern.program)


def progress(text: str) -> None:
    """One line that overwrites itself, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def sample(args: argparse.Namespace, program: pathlib.Path, pattern: Pattern, runtime: runtimes.Runtime, mode: Mode,
           size: int) -> tuple[float, dict[str, float]]:
    """One figure: time, or instructions."""
    if args.callgrind:
        return instructions_per_unit(program, pattern, runtime, mode), {}
    return run_once(program, pattern, runtime, mode, size, args.reps, args.budget_ms)


def measure_pattern(args: argparse.Namespace, pattern: Pattern, programs: dict[str, pathlib.Path | None],
                    found: list[runtimes.Runtime], modes: list[Mode], label: str) -> Results:
    """All rounds of one pattern, the runtimes in turn. A combination that failed once is not tried again."""
    size = pattern.sizes[0 if args.quick else 2 if args.full else 1]
    results: Results = {}
    for turn in range(1 if args.callgrind else args.rounds):
        for mode in modes:
            for runtime in (r for r in found if applies(pattern, r, mode)):
                series = results.setdefault((pattern.name, mode.name, runtime.name), Series())
                program = programs[runtime.name]
                if series.error or program is None:
                    continue
                progress(f"{label} {pattern.name}, round {turn + 1}: {runtime.name}, threads {mode.name}")
                try:
                    series.add(*sample(args, program, pattern, runtime, mode, size))
                except Failed as failure:
                    series.error = str(failure)
    return results


def chosen_patterns(args: argparse.Namespace) -> list[Pattern]:
    """By name, and those that a quick, default or full run has."""
    patterns = [p for p in select(args.patterns) if p.sizes[0 if args.quick else 2 if args.full else 1] != 0]
    if args.callgrind:
        patterns = [p for p in patterns if p.callgrind]
    if not patterns:
        raise SystemExit("bench: no such pattern")
    return patterns


def measure_all(args: argparse.Namespace, build: pathlib.Path, patterns: list[Pattern], found: list[runtimes.Runtime],
                modes: list[Mode]) -> Results:
    """Everything; pattern by pattern, so that what is compared was measured within seconds. An interrupt ends it early: what is
    complete is delivered."""
    results: Results = {}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for at, pattern in enumerate(patterns):
            programs = {r.name: program_for(args, build, pattern, r) for r in found if r.compiler != "tbb" or pattern.tbb}
            if None in programs.values():
                runtimes.warn(f"{pattern.name}: the tree has no {pattern.program}; left out")
                continue
            results |= measure_pattern(args, pattern, programs, found, modes, f"[{at + 1}/{len(patterns)}]")
    except KeyboardInterrupt:
        runtimes.warn("interrupted; what follows is incomplete")
        args.record_results = False
    progress("")
    return results


def deliver(args: argparse.Namespace, results: Results, patterns: list[Pattern], found: list[runtimes.Runtime],
            modes: list[Mode]) -> None:
    """The table, and the files asked for."""
    lines = report.table(results, patterns, found, modes, args.callgrind)
    load = os.getloadavg()[0]
    busy = "; others are busy here, threads beyond 1 are not to be trusted" if load > 2 * len(os.sched_getaffinity(0)) else ""
    print("" if args.callgrind else f"load average {load:.1f}{busy}")
    print(report.as_text(lines))
    for note in report.notes(results):
        print("  " + note)
    data = storing.as_data(results, patterns, found, args.clang, args.gcc)
    if args.json:
        storing.write_json(pathlib.Path(args.json), data)
    if args.plot:
        plot(args.plot, results, patterns, found, modes)
    if args.record_results:
        print(f"recorded in {storing.record(data, lines).name}")


def main(argv: list[str] | None = None) -> int:
    """Runs everything asked for; 1 when chomp failed somewhere."""
    args = parse_arguments(argv)
    build = pathlib.Path(args.build).resolve()
    if args.record_results and (args.rounds < 5 or args.callgrind):
        raise SystemExit("bench: results of record are times, of at least 5 rounds")
    patterns = chosen_patterns(args)
    found = find_runtimes(args, build)
    modes = modes_of("1" if args.callgrind else args.threads)
    results = measure_all(args, build, patterns, found, modes)
    deliver(args, results, patterns, found, modes)
    return int(any(s.error for (_, _, runtime), s in results.items() if runtime == "chomp"))
