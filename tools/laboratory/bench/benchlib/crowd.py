"""tools/bench crowd: waiting beside busy processes, under each policy; time and CPU time beside the best peer, the runtimes in turn.

A crowd is a number of processes that compute for ever, and where: in the scheduling group of the program (`8same`), in one other
(`8other`), in a group each (`8each`). `0` is none. A group is a cgroup with the cpu controller, of either version."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import os
import pathlib
import statistics
import subprocess
import time
from collections.abc import Iterator

from harness import files, plots
from harness.machine import commit, load_average, machine
from harness.running import Failed, run_program
from harness.tables import as_markdown
from harness.turns import Progress, in_turn

from . import build as building
from . import callers, runtimes

LIMIT = 1.15  # times the best peer
KINDS = 6  # of callers/crowd.c
CROWDS = ["0", *(f"{count}{where}" for where in ("same", "other", "each") for count in (1, 3, 8, 30))]
POLICIES = {"default": {}, "active": {"OMP_WAIT_POLICY": "active"}, "passive": {"OMP_WAIT_POLICY": "passive"},
            "0": {"KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}, "200": {"KMP_BLOCKTIME": "200", "GOMP_SPINCOUNT": "20000000"},
            "infinite": {"KMP_BLOCKTIME": "infinite", "GOMP_SPINCOUNT": "infinite"}}
Cell = tuple[str, str, str, str]  # threads, crowd, policy, kind
Figures = dict[str, list[tuple[float, float]]]  # by runtime: time and CPU time of each round


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The options."""
    p = argparse.ArgumentParser(prog="tools/bench crowd", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure; default: build one")
    p.add_argument("--peers", default="libomp,libiomp5,libgomp", metavar="LIST", help="default: %(default)s; 'none'")
    p.add_argument("--threads", default="2,3,4,8,16", metavar="LIST", help="default: %(default)s")
    p.add_argument("--crowds", default=",".join(CROWDS), metavar="LIST", help="default: %(default)s")
    p.add_argument("--policies", default=",".join(POLICIES), metavar="LIST", help="default: %(default)s (numbers: KMP_BLOCKTIME)")
    p.add_argument("--minutes", type=float, default=40, help="of the whole run (default %(default)s)")
    p.add_argument("--rounds", type=int, default=9, help="processes of each, in turn (default %(default)s)")
    p.add_argument("--json", metavar="FILE", help="write every round")
    p.add_argument("--plot", metavar="FILE", help="draw each policy's ratios over the crowds")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    return p.parse_args(argv)


@contextlib.contextmanager
def group_maker() -> Iterator:
    """make(name): a scheduling group's list of processes, or None where there are no groups. They go with their last user."""
    made: list[pathlib.Path] = []
    roots = [pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup")]
    root = next((r for r in roots if (r / "cgroup.procs").exists()), roots[0]) / f"chomp-crowd-{os.getpid()}"

    def make(name: str) -> pathlib.Path | None:
        path = root / name
        try:
            for folder in (root, path):
                if not folder.exists():
                    folder.mkdir()
                    made.append(folder)
            if (root / "cgroup.subtree_control").exists() and not (path / "cpu.weight").exists():
                (root / "cgroup.subtree_control").write_text("+cpu")
        except OSError:
            return None
        return path / "cgroup.procs"

    try:
        yield make
    finally:
        for folder in reversed(made):
            folder.rmdir()


def enter(group: pathlib.Path | None) -> None:
    """In a process that begins."""
    if group is not None:
        group.write_text("0")


@contextlib.contextmanager
def busy(program: pathlib.Path, crowd: str, make) -> Iterator[None]:
    """The crowd computes meanwhile."""
    where = crowd.lstrip("0123456789")
    names = {"same": "program", "other": "other", "": "program"}
    processes = []
    try:
        for i in range(int(crowd.removesuffix(where))):
            group = make(names.get(where, f"each-{i}"))
            if group is None and where != "same":
                raise SystemExit("bench: no scheduling groups here (cgroups with the cpu controller, as root): --crowds 0,8same")
            processes.append(subprocess.Popen([program, "busy"], preexec_fn=functools.partial(enter, group)))
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def measure(args: argparse.Namespace, chosen: list[tuple[runtimes.Runtime, pathlib.Path]]) -> dict[Cell, Figures]:
    """All cells, crowd by crowd."""
    cells: dict[Cell, Figures] = {}
    crowds, settings = args.crowds.split(","), [(t, p) for t in args.threads.split(",") for p in args.policies.split(",")]
    progress = Progress("bench", len(crowds) * len(settings))
    with group_maker() as make:
        for crowd in crowds:
            with busy(chosen[0][1], crowd, make):
                for threads, policy in settings:
                    progress.show(f"{threads} threads, crowd {crowd}, {policy}")
                    left = (progress.begin + args.minutes * 60 - time.monotonic()) / (progress.steps - progress.done)
                    each_ms = max(1, 1000 * left / (args.rounds * len(chosen) * KINDS))
                    for turn in range(args.rounds):
                        for runtime, program in in_turn(chosen, turn):
                            command = [str(program), threads, f"{each_ms:.1f}"]
                            said = run_program(command, {**runtime.environment(), **POLICIES[policy]}, 120,
                                               functools.partial(enter, make("program")))
                            for kind, took, cpu in map(str.split, said.splitlines()):
                                figures = cells.setdefault((threads, crowd, policy, kind), {})
                                figures.setdefault(runtime.name, []).append((float(took), float(cpu)))
                    progress.finished(f"{threads} threads, crowd {crowd}, {policy}")
    progress.end()
    return cells


def ratio(figures: Figures, which: int) -> tuple[float, str]:
    """Medians: chomp's over the best peer's, and that peer's name. `which`: 0 time, 1 CPU time."""
    medians = {name: statistics.median(sample[which] for sample in samples) for name, samples in figures.items()}
    best = min((value, name) for name, value in medians.items() if name != "chomp" or len(medians) == 1)
    return medians["chomp"] / max(best[0], 1e-3), best[1]


def missed(cells: dict[Cell, Figures]) -> list[list[str]]:
    """The cells beyond the limit, the worst first: with chomp's time and its CPU time over the best peer's."""
    worst = sorted(((ratio(figures, 0), cell, figures) for cell, figures in cells.items()), reverse=True)
    return [[*cell, f"{by_time:.2f}", peer, f"{ratio(figures, 1)[0]:.2f}"] for (by_time, peer), cell, figures in worst if by_time > LIMIT]


def panels(cells: dict[Cell, Figures]) -> list[plots.Panel]:
    """A panel for each policy and number of threads: ratios over the crowds, a line for each kind."""
    found: dict[tuple[str, str], dict[str, list[tuple[int, float]]]] = {}
    crowds = list(dict.fromkeys(crowd for _, crowd, _, _ in cells))
    for (threads, crowd, policy, kind), figures in cells.items():
        found.setdefault((policy, threads), {}).setdefault(kind, []).append((crowds.index(crowd), ratio(figures, 0)[0]))
    return [plots.Panel(f"{policy}, {threads} threads", "crowd: " + " ".join(crowds), "× best peer", lines, log_y=True)
            for (policy, threads), lines in found.items()]


def main(argv: list[str]) -> int:
    """Measures, and prints what is beyond the limit."""
    args = parse_arguments(argv)
    build = pathlib.Path(args.build).resolve()
    chomp = building.chomp_library(args.chomp, build)
    names = [] if args.peers == "none" else args.peers.split(",")
    found = [runtimes.with_soname(build, "chomp", "clang", chomp), *(runtimes.find_peer(n, build, chomp, args.clang, args.gcc) for n in names)]
    chosen = [(runtime, callers.program_for(build, runtime.compiler, args.clang, args.gcc, "crowd")) for runtime in filter(None, found)]
    before = load_average()
    try:
        cells = measure(args, chosen)
    except Failed as failure:
        print(f"bench: {failure}")
        return 1
    lines = missed(cells)
    print(f"{len(cells) - len(lines)} of {len(cells)} cells within {LIMIT} of the best of {', '.join(r.name for r, _ in chosen[1:]) or 'none'}; "
          f"{len(os.sched_getaffinity(0))} CPUs, medians of {args.rounds} rounds; load {before:.1f} before\n")
    print(as_markdown([["threads", "crowd", "policy", "kind", "time, × best", "best", "CPU time, × best"], *lines], left=(1, 2, 3, 5)))
    if args.plot:
        plots.draw(pathlib.Path(args.plot), f"time beside the best peer; {machine()['cpu']}", panels(cells))
    if args.json:
        about = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine()}
        rows = ({"threads": t, "crowd": c, "policy": p, "kind": k, "samples": figures} for (t, c, p, k), figures in cells.items())
        files.write(pathlib.Path(args.json), files.as_json(about, rows))
    return 0
