"""tools/bench callers: several threads of a program call regions at the same time; throughput and latency, the runtimes in turn."""

from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import statistics

from harness import files
from harness.machine import commit, load_average, machine
from harness.running import Failed, run_program
from harness.tables import as_markdown
from harness.turns import in_turn

from . import build as building
from . import runtimes

CALLERS = building.HERE / "callers"
# Settings by which a runtime shares the CPUs among callers, beside its default.
SHARING = {"chomp": {"CHOMP_THREAD_BUDGET": "auto"}, "libomp": {"OMP_DYNAMIC": "true", "KMP_DYNAMIC_MODE": "thread_limit"},
           "libiomp5": {"OMP_DYNAMIC": "true", "KMP_DYNAMIC_MODE": "thread_limit"}, "libgomp": {"OMP_DYNAMIC": "true"}}


def program_for(build: pathlib.Path, compiler: str, clang: str, gcc: str, name: str = "callers") -> pathlib.Path:
    """The program of one compiler, built if need be."""
    flags = [*building.FLAGS, "-pthread"]
    if compiler != "tbb":
        command = [clang if compiler == "clang" else gcc, *flags, "-std=gnu11", "-fopenmp"]
        return building.compile_to(build / "bin" / f"{name}-{compiler}", [CALLERS / f"{name}.c"], command, [])
    common = building.compile_to(build / "bin" / "callers.o", [CALLERS / "callers.c"], [clang, *flags, "-std=gnu11", "-c"], [])
    return building.compile_to(build / "bin" / "callers-tbb", [CALLERS / "callers_tbb.cpp", common],
                               [building.cxx_of(clang), *flags, "-std=c++20"], [], ["-ltbb"])


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The options."""
    p = argparse.ArgumentParser(prog="tools/bench callers", description=__doc__)
    p.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure; default: build one")
    p.add_argument("--before", metavar="DIR", help="another library of chomp's, in turn with it")
    p.add_argument("--peers", default="libomp,libgomp,tbb", metavar="LIST", help="default: %(default)s; 'none'")
    p.add_argument("--callers", type=int, default=8, metavar="N", help="threads that call regions (default %(default)s)")
    p.add_argument("--work", type=float, default=80, metavar="US", help="microseconds of work in a region (default %(default)s)")
    p.add_argument("--seconds", type=float, default=2, help="of a process (default %(default)s)")
    p.add_argument("--rounds", type=int, default=5, help="processes of each, in turn (default %(default)s)")
    p.add_argument("--json", metavar="FILE", help="write every round")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    return p.parse_args(argv)


def contestants(args: argparse.Namespace) -> list[tuple[str, list[str], dict[str, str]]]:
    """(name, command, environment) of everything that is measured."""
    build = pathlib.Path(args.build).resolve()
    chomp = building.chomp_library(args.chomp, build)
    found = [runtimes.with_soname(build, "chomp", "clang", chomp)]
    if args.before:
        found.append(runtimes.with_soname(build, "before", "clang", building.chomp_library(args.before, build)))
    for name in [] if args.peers == "none" else args.peers.split(","):
        found.append(runtimes.find_peer(name, build, chomp, args.clang, args.gcc))
    chosen = []
    for runtime in filter(None, found):
        program = program_for(build, runtime.compiler, args.clang, args.gcc)
        command = [str(program), str(args.callers), str(args.seconds), str(args.work)]
        chosen.append((runtime.name, command, runtime.environment()))
        if sharing := SHARING.get(runtime.name):
            words = " ".join(f"{key}={value}" for key, value in sharing.items())
            chosen.append((f"{runtime.name}, {words}", command, {**runtime.environment(), **sharing}))
    return chosen


def main(argv: list[str]) -> int:
    """Measures, and prints a table."""
    args = parse_arguments(argv)
    chosen = contestants(args)
    figures: dict[str, list[tuple[float, ...]]] = {name: [] for name, _, _ in chosen}
    before = load_average()
    for turn in range(args.rounds):
        for name, command, environment in in_turn(chosen, turn):
            try:
                said = run_program(command, environment, 60 + 20 * args.seconds)
            except Failed as failure:
                print(f"{name}: {failure}")
                return 1
            figures[name].append(tuple(float(word) for word in said.split()))
    print(f"{args.callers} callers, regions of {args.work:g} us of work, {len(os.sched_getaffinity(0))} CPUs; medians of {args.rounds} rounds, "
          f"in brackets the worst; load {before:.1f} before, {load_average():.1f} after\n")
    print(as_markdown([["library", "regions a second", "median, ms", "99th percentile, ms"], *(row(name, *zip(*figures[name])) for name in figures)]))
    if args.json:
        about = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine(), "callers": args.callers, "work_us": args.work}
        files.write(pathlib.Path(args.json), files.as_json(about, ({"library": name, "samples": rows} for name, rows in figures.items())))
    return 0


def row(name: str, rate: tuple[float, ...], middle: tuple[float, ...], late: tuple[float, ...]) -> list[str]:
    """One line of the table."""
    return [name, f"{statistics.median(rate):,.0f} ({min(rate):,.0f})", f"{statistics.median(middle) / 1000:.3f}",
            f"{statistics.median(late) / 1000:.2f} ({max(late) / 1000:.2f})"]
