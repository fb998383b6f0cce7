"""tools/bench crowd: waiting beside busy processes, under each policy; time and CPU time beside each peer, the runtimes in turn.

A crowd is a number of processes that compute for ever, and where: in the scheduling group of the program (`8same`), in one other
(`8other`), in a group each (`8each`). `0` is none. A group is a cgroup with the cpu controller, of either version. Each program and its
crowd share two CPUs; on a larger machine several pairs of CPUs measure at a time."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import json
import math
import multiprocessing
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.queues import SimpleQueue
from typing import Any

from harness import engine, files, plots
from harness.machine import commit, machine
from harness.running import Failed, run_program
from harness.tables import as_markdown, wrapped
from harness.turns import Progress, in_turn

from . import build as building
from . import callers, runtimes, start

LIMIT = 1.15  # times each peer
KINDS = 6  # of callers/crowd.c
WITHIN, UNSETTLED, BEYOND = "within", engine.UNSETTLED, "beyond"
HEADING, CELL = "## Beside other programs", ["threads", "crowd", "policy", "kind", "", "time, × best", "best", "CPU time, × best"]
LONGEST_S, LATE_S = 60, 60  # of one process; after the end nothing begins
CROWDS = ["0", *(f"{count}{where}" for where in ("same", "other", "each") for count in (1, 3, 8, 30))]
POLICIES = {"default": {}, "active": {"OMP_WAIT_POLICY": "active"}, "passive": {"OMP_WAIT_POLICY": "passive"},
            "0": {"KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}, "200": {"KMP_BLOCKTIME": "200", "GOMP_SPINCOUNT": "20000000"},
            "infinite": {"KMP_BLOCKTIME": "infinite", "GOMP_SPINCOUNT": "infinite"}}
Cell = tuple[str, str, str, str]  # threads, crowd, policy, kind
Figures = dict[str, list[tuple[float, ...]]]  # by runtime, of each round: time, CPU time, voluntary and involuntary switches


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The options."""
    p = argparse.ArgumentParser(prog="tools/bench crowd", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure; default: build one")
    p.add_argument("--peers", default="libomp,libiomp5,libgomp", metavar="LIST", help="default: %(default)s; 'none'")
    p.add_argument("--threads", default="2,3,4,8,16", metavar="LIST", help="default: %(default)s")
    p.add_argument("--crowds", default=",".join(CROWDS), metavar="LIST", help="default: %(default)s")
    p.add_argument("--policies", default=",".join(POLICIES), metavar="LIST", help="default: %(default)s (numbers: KMP_BLOCKTIME)")
    p.add_argument("--pairs", type=int, default=1, metavar="N", help="pairs of CPUs, each with a program and a crowd (default %(default)s)")
    p.add_argument("--minutes", type=float, default=40, help="of the whole run (default %(default)s)")
    p.add_argument("--rounds", type=int, default=9, help="processes of each, in turn (default %(default)s)")
    p.add_argument("--json", metavar="FILE", help="write every round")
    p.add_argument("--from", dest="earlier", metavar="FILE", help="show such a file; measures nothing")
    p.add_argument("--page", action="store_true", help="put the table into measured.md")
    p.add_argument("--plot", metavar="FILE", help="draw each policy's ratios over the crowds")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    return p.parse_args(argv)


# ---- Scheduling groups and the crowd ------------------------------------------------------------------------------------


def make_group(root: pathlib.Path, name: str) -> pathlib.Path:
    """A scheduling group's list of processes."""
    path = root / name
    path.mkdir(parents=True, exist_ok=True)
    if (root / "cgroup.subtree_control").exists() and not (path / "cpu.weight").exists():
        (root / "cgroup.subtree_control").write_text("+cpu")
    return path / "cgroup.procs"


@contextlib.contextmanager
def groups() -> Iterator[pathlib.Path | None]:
    """The folder of the groups that this run makes; None where it may not make any. They go with it."""
    mounted = [path for path in map(pathlib.Path, ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup")) if (path / "cgroup.procs").exists()]
    root = mounted[0] / f"chomp-crowd-{os.getpid()}" if mounted else None
    try:
        try:
            subprocess.run([sys.executable, "-c", ""], check=True, preexec_fn=functools.partial(enter, root and make_group(root, "trial")))
            usable = root
        except (OSError, subprocess.SubprocessError):
            usable = None
        yield usable
    finally:
        for folder in [path for path in (*root.glob("*"), root) if path.is_dir()] if root else []:
            for _ in range(100):  # a killed process leaves its group a little later
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)


def enter(group: pathlib.Path | None) -> None:
    """In a process that begins."""
    if group is not None:
        group.write_text("0")


@contextlib.contextmanager
def busy(program: pathlib.Path, crowd: str, group: Callable[[str], pathlib.Path | None]) -> Iterator[None]:
    """The crowd computes meanwhile."""
    where = crowd.lstrip("0123456789")
    names = {"same": "program", "other": "other", "": "program"}
    processes = []
    try:
        for i in range(int(crowd.removesuffix(where))):
            processes.append(subprocess.Popen([program, "busy"], preexec_fn=functools.partial(enter, group(names.get(where, f"each-{i}")))))
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


# ---- Measuring ---------------------------------------------------------------------------------------------------------


def pairs_of_cpus(count: int) -> list[list[int]]:
    """Neighbours among the CPUs that this process may use."""
    cpus = sorted(os.sched_getaffinity(0))
    if not 1 <= count <= max(1, len(cpus) // 2):
        raise SystemExit(f"bench: --pairs {count}: there are {len(cpus)} CPUs")
    return [cpus[2 * i:2 * i + 2] for i in range(count)]


@dataclass(frozen=True)
class Plan:
    """What all processes of a run know."""

    chosen: list[tuple[runtimes.Runtime, pathlib.Path]]
    policies: list[str]
    rounds: int
    groups: pathlib.Path | None
    end: float  # by the monotonic clock

    def group(self, name: str) -> pathlib.Path | None:
        """One that belongs to this pair of CPUs."""
        return make_group(self.groups, f"{min(os.sched_getaffinity(0))}-{name}") if self.groups else None


def measure_with(plan: Plan, step: tuple[str, str, int]) -> tuple[dict[Cell, Figures], list[str]]:
    """Every policy with so many threads beside that crowd. Of the time until the end the step takes one part of `parts`."""
    crowd, threads, parts = step
    cells: dict[Cell, Figures] = {}
    failures = []
    if time.monotonic() > plan.end + LATE_S:
        return {}, [f"{threads} threads, crowd {crowd}: no time was left"]
    end = time.monotonic() + (plan.end - time.monotonic()) / parts
    processes, starts_s = plan.rounds * len(plan.chosen), 0.0
    for left, policy in zip(range(len(plan.policies), 0, -1), plan.policies):
        began = time.monotonic()
        each_ms = max(1, 1000 * ((end - began) / left - starts_s) / (processes * KINDS))
        for turn in range(plan.rounds):
            with busy(plan.chosen[0][1], crowd, plan.group):  # each turn another one: where its processes run decides much
                for runtime, program in in_turn(plan.chosen, turn):
                    try:
                        said = run_program([str(program), threads, f"{each_ms:.1f}"], {**runtime.environment(), **POLICIES[policy]},
                                           LONGEST_S, functools.partial(enter, plan.group("program")))
                    except Failed as failure:
                        failures.append(f"{runtime.name}, {threads} threads, crowd {crowd}, {policy}: {failure}")
                        continue
                    for kind, *figures in map(str.split, said.splitlines()):
                        samples = cells.setdefault((threads, crowd, policy, kind), {}).setdefault(runtime.name, [])
                        samples.append(tuple(map(float, figures)))
        starts_s = max(0, time.monotonic() - began - each_ms * processes * KINDS / 1000)
    return cells, failures


def bind_to_next(pairs: SimpleQueue) -> None:
    """In each process that measures, when it begins."""
    os.sched_setaffinity(0, pairs.get())


def write(path: pathlib.Path, about: dict[str, Any], cells: dict[Cell, Figures]) -> None:
    """Every round."""
    rows = ({"threads": t, "crowd": c, "policy": p, "kind": k, "samples": figures} for (t, c, p, k), figures in cells.items())
    files.write(path, files.as_json(about, rows))


def earlier_run(path: str) -> tuple[dict[str, Any], dict[Cell, Figures], list[str]]:
    """What write() has written."""
    about = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return about, {(row["threads"], row["crowd"], row["policy"], row["kind"]): row["samples"] for row in about.pop("results")}, []


def new_run(args: argparse.Namespace) -> tuple[dict[str, Any], dict[Cell, Figures], list[str]]:
    """What it is about, all cells, so many at a time as there are pairs, and what failed."""
    build = pathlib.Path(args.build).resolve()
    chomp = building.chomp_library(args.chomp, build)
    names = [] if args.peers == "none" else args.peers.split(",")
    found = [runtimes.with_soname(build, "chomp", "clang", chomp), *(runtimes.find_peer(n, build, chomp, args.clang, args.gcc) for n in names)]
    chosen = [(runtime, callers.program_for(build, runtime.compiler, args.clang, args.gcc, "crowd")) for runtime in filter(None, found)]
    about = {"date": datetime.date.today().isoformat(), "commit": commit(), "machine": machine(), "rounds": args.rounds, "pairs": args.pairs,
             "peers": [runtime.name for runtime, _ in chosen[1:]]}
    cells: dict[Cell, Figures] = {}
    failures: list[str] = []
    crowds, context, pairs = args.crowds.split(","), multiprocessing.get_context("fork"), pairs_of_cpus(args.pairs)
    with groups() as root:
        if root is None and (without := [crowd for crowd in crowds if crowd.endswith(("other", "each"))]):
            print(f"bench: no scheduling groups here (cgroups with the cpu controller, as root); left out: {','.join(without)}")
            crowds = [crowd for crowd in crowds if crowd not in without]
        steps = [(crowd, threads) for crowd in crowds for threads in args.threads.split(",")]
        parts = [math.ceil((len(steps) - i) / len(pairs)) for i in range(len(steps))]
        progress = Progress("bench", len(steps))
        plan = Plan(chosen, args.policies.split(","), args.rounds, root, progress.begin + args.minutes * 60)
        queue = context.SimpleQueue()
        for pair in pairs:
            queue.put(pair)
        with context.Pool(len(pairs), bind_to_next, [queue]) as pool:
            for step_cells, step_failures in pool.imap_unordered(functools.partial(measure_with, plan), [(*s, p) for s, p in zip(steps, parts)]):
                cells.update({cell: figures for cell, figures in step_cells.items() if "chomp" in figures})
                failures += step_failures
                if args.json:  # each time, for a run may be stopped
                    write(pathlib.Path(args.json), about, cells)
                progress.finished("threads beside a crowd")
    progress.end()
    return about, cells, failures


def ratio(figures: Figures, which: int) -> tuple[float, str]:
    """Medians: chomp's over the best peer's, and that peer's name. `which`: 0 time, 1 CPU time."""
    medians = {name: statistics.median(sample[which] for sample in samples) for name, samples in figures.items()}
    best = min((value, name) for name, value in medians.items() if name != "chomp" or len(medians) == 1)
    return medians["chomp"] / max(best[0], 1e-3), best[1]


def judged(figures: Figures) -> str:
    """What may be said of a cell: chomp's time is within the limit beside each peer, or beyond it beside one."""
    ours = [sample[0] for sample in figures["chomp"]]
    said = [engine.judge(ours, [LIMIT * sample[0] for sample in samples]) for name, samples in figures.items() if name != "chomp"]
    if any(verdict.high is not None and verdict.high < 1 for verdict in said):
        return BEYOND
    return WITHIN if all(verdict.low is not None and verdict.low >= 1 for verdict in said) else UNSETTLED


def not_within(cells: dict[Cell, Figures]) -> list[list[str]]:
    """The other cells: those beyond the limit, then those not settled, the worst medians first; with chomp's time and its CPU time over the
    best peer's."""
    said = [(judged(figures), *ratio(figures, 0), cell, figures) for cell, figures in cells.items()]
    said = sorted((row for row in said if row[0] != WITHIN), key=lambda row: (row[0] != BEYOND, -row[1]))
    return [[*cell, word, f"{by_time:.2f}", peer, f"{ratio(figures, 1)[0]:.2f}"] for word, by_time, peer, cell, figures in said]


def panels(cells: dict[Cell, Figures]) -> list[plots.Panel]:
    """A panel for each policy and number of threads: ratios over the crowds, a line for each kind."""
    found: dict[tuple[str, str], dict[str, list[tuple[int, float]]]] = {}
    crowds = list(dict.fromkeys(crowd for _, crowd, _, _ in cells))
    for (threads, crowd, policy, kind), figures in cells.items():
        found.setdefault((policy, threads), {}).setdefault(kind, []).append((crowds.index(crowd), ratio(figures, 0)[0]))
    return [plots.Panel(f"{policy}, {threads} threads", "crowd: " + " ".join(crowds), "× best peer", lines, log_y=True)
            for (policy, threads), lines in found.items()]


def by_place(cells: dict[Cell, Figures]) -> list[list[str]]:
    """Of each policy, for each place of the crowd: in how many cells chomp is within the limit, not settled, beyond; the worst of these."""
    found: dict[str, dict[str, list[Figures]]] = {}
    for (_, crowd, policy, _), figures in cells.items():
        found.setdefault(policy, {}).setdefault(crowd.lstrip("0123456789"), []).append(figures)
    places = {"": "no crowd", "same": "same group", "other": "one other group", "each": "a group each"}
    places = {place: name for place, name in places.items() if any(place in values for values in found.values())}

    def cell(all_figures: list[Figures]) -> str:
        said = [judged(figures) for figures in all_figures]
        worst = max((ratio(figures, 0)[0] for word, figures in zip(said, all_figures) if word == BEYOND), default=None)
        return "/".join(str(said.count(word)) for word in (WITHIN, UNSETTLED, BEYOND)) + (f": {worst:.0f}" if worst else "") if said else "–"

    rows = [[policy, *(cell(values.get(place, [])) for place in places)] for policy, values in found.items()]
    return [["/".join((WITHIN, UNSETTLED, BEYOND)), *places.values()], *rows]


def put_on_page(about: dict[str, Any], cells: dict[Cell, Figures]) -> None:
    """The table, before the page's next part."""
    threads, crowds = (", ".join(dict.fromkeys(cell[i] for cell in cells)) for i in (0, 1))
    text = wrapped(f"Beside busy processes ({crowds}), with {threads} threads: in how many cells chomp's time is within {LIMIT} of each of "
                   f"{', '.join(about['peers'])}, or beyond one, with the worst ratio. {about['rounds']} rounds, {about['date']}, "
                   f"{about['machine']['cpu']}, 2 CPUs, commit {about['commit']}, `tools/bench crowd`.")
    page = start.PAGE.read_text(encoding="utf-8")
    part = f"{HEADING}\n\n{text}\n\n{as_markdown(by_place(cells))}\n\n"
    files.write(start.PAGE, re.sub(rf"(?:{HEADING}\n.*?)?(?={start.HEADING}\n)", lambda _: part, page, count=1, flags=re.DOTALL))


def main(argv: list[str]) -> int:
    """Measures, and prints what is not within the limit."""
    args = parse_arguments(argv)
    about, cells, failures = earlier_run(args.earlier) if args.earlier else new_run(args)
    for failure in failures:
        print(f"bench: {failure}")
    said = [judged(figures) for figures in cells.values()]
    print(f"{len(said)} cells beside {', '.join(about['peers']) or 'none'}: {said.count(WITHIN)} within {LIMIT} of each one's time, "
          f"{said.count(UNSETTLED)} {UNSETTLED}, {said.count(BEYOND)} {BEYOND}; {about['machine']['cpus']} CPUs, {about['rounds']} rounds; "
          f"load {about['machine']['load_before']:.1f} before\n")
    print(as_markdown(by_place(cells)) + "\n")
    print(as_markdown([CELL, *not_within(cells)], left=(1, 2, 3, 4, 6)))
    if args.plot:
        plots.draw(pathlib.Path(args.plot), f"time beside the best peer; {about['machine']['cpu']}", panels(cells))
    if args.page:
        put_on_page(about, cells)
    return int(any(failure.startswith("chomp,") for failure in failures))
