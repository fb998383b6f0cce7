"""The picture of a run: lines over the numbers of threads, logarithmic, one panel per pattern."""

from __future__ import annotations

import pathlib

from harness import plots

from . import report
from .catalog import Pattern
from .results import Run
from .runtimes import PEERS


def panels(run: Run, patterns: list[Pattern]) -> list[plots.Panel]:
    """Medians over the numbers of threads, chomp beside its peers."""
    found = []
    for pattern in patterns:
        lines = {}
        for name in ("chomp", *PEERS):
            points = [(int(mode), series.median) for mode in run.modes() if mode.isdigit()
                      and (series := run.series.get((pattern.name, mode, name))) is not None and series.samples]
            if points:
                lines[name] = points
        found.append(plots.Panel(pattern.name, "threads", report.unit(run, pattern), lines, log_x=True, log_y=True))
    return found


def plot(path: str, run: Run, patterns: list[Pattern]) -> None:
    title = f"medians of the rounds; {run.about['machine']['cpu']}, {run.about['machine']['cpus']} CPUs, {run.about['date']}"
    plots.draw(pathlib.Path(path), title, panels(run, patterns))
