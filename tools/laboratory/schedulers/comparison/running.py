"""Runs cases: sides in turn on the same work, round by round, so that what else the machine does meets all alike."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import benchlib  # noqa: F401  # says where the harness is
from harness import engine
from harness.running import Failed, Series
from harness.turns import in_turn

from . import counters
from .jobs import Job, Sample, Tools
from .record import Key, Record
from .sides import Side
from .topologies import Topology


@dataclass(frozen=True)
class Case:
    """One series to be measured. `counted`: the library keeps statistics meanwhile, and the time is not used."""

    job: Job
    side: Side
    threads: int
    topology: Topology
    rounds: int
    counted: bool = False

    @property
    def key(self) -> Key:
        return Key(self.job.name, self.side.name, self.threads, self.topology.name, self.counted)

    @property
    def group(self) -> tuple[str, int, str, bool]:
        """What is compared, and so measured in turn."""
        return (self.job.name, self.threads, self.topology.name, self.counted)


def merged(cases: list[Case]) -> list[Case]:
    """Each series once, with the most rounds that a table wants of it; groups together, in order."""
    best: dict[Key, Case] = {}
    for case in cases:
        if case.key not in best or best[case.key].rounds < case.rounds:
            best[case.key] = case
    order = {group: at for at, group in reversed(list(enumerate(case.group for case in best.values())))}
    return sorted(best.values(), key=lambda case: order[case.group])


def groups(cases: list[Case]) -> Iterator[list[Case]]:
    """Those that are compared with one another."""
    for _, members in groupby(merged(cases), key=lambda case: case.group):
        yield list(members)


def sample(case: Case, program: pathlib.Path, limit_s: float) -> Sample:
    """One process, with its counters if they are wanted."""
    side = case.side.on(case.topology)
    if not case.counted:
        return case.job.run(program, side, case.threads, limit_s)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "statistics.json"
        figure, extras = case.job.run(program, side.with_settings({"CHOMP_STATS": str(file)}), case.threads, limit_s)
        try:
            return figure, extras | counters.totals(file)
        except counters.NoCounters as problem:
            raise Failed("error", str(problem)) from problem


def built(tools: Tools, group: list[Case]) -> dict[Key, pathlib.Path]:
    """The programs of a group, without the cases that have none."""
    programs = {case.key: case.job.program(tools, case.side) for case in group}
    return {key: program for key, program in programs.items() if program is not None}


def run_group(tools: Tools, group: list[Case], record: Record, limit_s: float, watch: engine.Watch, again: bool) -> None:
    """All rounds of what is compared; `again`: those that were disturbed are made once more. What failed once is not tried again; what an
    earlier run has already is kept."""
    programs = built(tools, group)
    present = [case for case in group if case.key in programs]
    for case in present:
        record.jobs[case.job.name] = {"what": case.job.what, "unit": case.job.unit}
        record.series.setdefault(case.key, Series())
    most = max((case.rounds for case in present), default=0)
    for turn in range(2 * most if again else most):
        watch.begin()
        for case in in_turn(present, turn):
            series = record.series[case.key]
            if series.error or len(series.samples) > turn or (len(series.clean) if again else turn) >= case.rounds:
                continue
            try:
                figure, extras = sample(case, programs[case.key], limit_s)
                series.samples.append(figure)
                series.extras.append(extras)
            except Failed as failure:
                series.error = str(failure)
        around = vars(watch.end())
        for series in (record.series[case.key] for case in present):
            series.rounds += [around] * (len(series.samples) - len(series.rounds))
