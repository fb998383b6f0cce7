"""tools/bench start: what the start of a process costs, step by step: page faults, system calls; memory and time of a whole process."""

from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import re
import time

from harness import files
from harness.machine import commit, load_average, machine
from harness.running import Failed, run_program
from harness.tables import as_markdown, wrapped
from harness.turns import in_turn

from . import build as building
from . import runtimes

PROGRAM = building.HERE / "start" / "start.c"
STEPS = ("load", "first region")
PAGE, HEADING = building.ROOT / "tools" / "docs" / "measured.md", "## The start of a process"


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The options."""
    p = argparse.ArgumentParser(prog="tools/bench start", description=__doc__)
    p.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure; default: build one")
    p.add_argument("--before", metavar="DIR", help="another library of chomp's, in turn with it")
    p.add_argument("--peers", default="libomp,libiomp5,libgomp", metavar="LIST", help="default: %(default)s; 'none'")
    p.add_argument("--threads", default="1,2", metavar="LIST", help="default: %(default)s")
    p.add_argument("--rounds", type=int, default=21, help="processes of each, in turn, for times (default %(default)s; 0: no times)")
    p.add_argument("--page", action="store_true", help="put the table into measured.md, without times")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    return p.parse_args(argv)


def contestants(args: argparse.Namespace) -> list[tuple[str, str, dict[str, str]]]:
    """(name, program, environment) of everything that is measured."""
    build = pathlib.Path(args.build).resolve()
    chomp = building.chomp_library(args.chomp, build)
    found = [runtimes.with_soname(build, "chomp", "clang", chomp), runtimes.with_soname(build, "chomp-gcc", "gcc", chomp)]
    if args.before:
        found.append(runtimes.with_soname(build, "before", "clang", building.chomp_library(args.before, build)))
    found += [runtimes.find_peer(name, build, chomp, args.clang, args.gcc) for name in ([] if args.peers == "none" else args.peers.split(","))]
    programs = {compiler: str(building.compile_to(build / "bin" / f"start-{compiler}", [PROGRAM], [path, "-O2", "-fopenmp"], []))
                for compiler, path in (("clang", args.clang), ("gcc", args.gcc)) if any(r and r.compiler == compiler for r in found)}
    return [(r.name, programs[r.compiler], r.environment()) for r in found if r]


def run_alone(program: str, environment: dict[str, str]) -> tuple[float, float]:
    """Microseconds and CPU microseconds of a process. posix_spawn: fork() would copy this process's tables."""
    began = time.perf_counter()
    process = os.posix_spawn(program, [program, "child"], environment)
    _, status, used = os.wait4(process, 0)
    took = time.perf_counter() - began
    if status != 0:
        raise Failed(f"{program} child: status {status}")
    return took * 1e6, (used.ru_utime + used.ru_stime) * 1e6


def table(chosen: list[tuple[str, str, dict[str, str]]], numbers: list[str], rounds: int) -> str:
    """Measures with so many threads each."""
    lines = [["threads", *(f"{step}: faults/calls" for step in STEPS), "memory, KB", *(("time, µs", "CPU, µs") if rounds else ())]]
    for threads in numbers:
        alone: dict[str, list[tuple[float, float]]] = {name: [] for name, _, _ in chosen}
        for turn in range(rounds):
            for name, program, environment in in_turn(chosen, turn):
                alone[name].append(run_alone(program, {**environment, "OMP_NUM_THREADS": threads}))
        for name, program, environment in chosen:
            said = run_program([program], {**environment, "OMP_NUM_THREADS": threads}, 60)
            steps = [f"{faults}/{calls}" for faults, calls in re.findall(r": (\d+) faults, (\d+) calls", said)[:len(STEPS)]]
            memory = int(re.search(r"memory: (\d+) KB", said)[1])
            lines.append([f"{threads}, {name}", *steps, f"{memory:,}", *(f"{min(column):,.0f}" for column in zip(*alone[name]))])
    return as_markdown(lines)


def main(argv: list[str]) -> int:
    """Measures, and prints the table."""
    args = parse_arguments(argv)
    rounds = 0 if args.page else args.rounds
    if not all(word.isdigit() and int(word) > 0 for word in args.threads.split(",")):
        print("tools/bench start: --threads takes numbers")
        return 2
    chosen = [row for row in contestants(args) if not (args.page and row[0] == "chomp-gcc")]
    host = machine()
    text = wrapped(f"Page faults and system calls, waits not counted, until main() and in the first region, of 64 short iterations; and of the "
                   f"whole process its memory{f', and the least time and CPU time of {rounds}, in turn, load {load_average():.2f}' if rounds else ''}. "
                   f"{datetime.date.today().isoformat()}, {host['cpu']}, {host['cpus']} CPUs, commit {commit()}, `tools/bench start`.")
    text = f"{text}\n\n{table(chosen, args.threads.split(','), rounds)}"
    print(text)
    if args.page:
        page, after = PAGE.read_text(encoding="utf-8"), "## Where others are faster"
        files.write(PAGE, f"{HEADING}\n\n{text}\n\n{after}".join(re.split(rf"(?:{HEADING}\n.*)?{after}", page, maxsplit=1, flags=re.DOTALL)))
    return 0
