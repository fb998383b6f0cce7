"""The picture of a run: lines over the numbers of threads, logarithmic, one panel per pattern."""

from __future__ import annotations

import textwrap

from harness import plots

from . import report
from .catalog import Pattern
from .results import Run
from .runtimes import PEERS

PANELS_IN_A_ROW = 4


def plot(path: str, run: Run, patterns: list[Pattern]) -> None:
    """Medians over the numbers of threads, chomp beside its peers."""
    pyplot = plots.pyplot()
    threads = [mode for mode in run.modes() if mode.isdigit()]
    if pyplot is None or not patterns or not threads:
        return
    from matplotlib import ticker
    rows = -(-len(patterns) // PANELS_IN_A_ROW)
    columns = min(len(patterns), PANELS_IN_A_ROW)
    figure, panels = pyplot.subplots(rows, columns, figsize=(2.6 * columns, 2.6 * rows + 0.5), squeeze=False)
    for panel, pattern in zip(panels.flat, patterns):
        for name in ("chomp", *PEERS):
            points = [(int(mode), series.median) for mode in threads
                      if (series := run.series.get((pattern.name, mode, name))) is not None and series.samples]
            if points:
                panel.plot(*zip(*points), marker="o", label=name, linewidth=3 if name == "chomp" else 1.2, zorder=3 if name == "chomp" else 2)
        panel.set_yscale("log")
        low, high = panel.get_ylim()
        if high < 10 * low:  # a decade at least: small differences shall look small
            middle = (low * high) ** 0.5
            panel.set_ylim(middle / 10**0.5, middle * 10**0.5)
        panel.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        panel.yaxis.set_minor_formatter(ticker.NullFormatter())
        panel.set_xscale("log", base=2)
        panel.set_xticks([int(mode) for mode in threads], threads)
        panel.set_xlim(0.8, 1.25 * max(map(int, threads)))
        panel.set_title("\n".join(textwrap.wrap(f"{pattern.name}: {pattern.what}", 36)), fontsize=7)
        panel.set_ylabel(report.unit(run, pattern), fontsize=7)
        panel.tick_params(labelsize=7, which="both")
        panel.grid(alpha=0.3, which="both")
    for panel in panels.flat[len(patterns):]:
        panel.set_axis_off()
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=8, frameon=False)
    figure.supxlabel(f"threads; {run.about['machine']['cpu']}, {run.about['machine']['cpus']} CPUs, {run.about['date']}; medians of the rounds", fontsize=7, y=0.055)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
