"""A picture of a run: one panel per number of threads, one group of bars per pattern, logarithmic."""

from __future__ import annotations

from . import report
from .results import Run
from .runtimes import warn


def plot(path: str, run: Run) -> None:
    """Writes the picture, if matplotlib is there."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        warn("no matplotlib: no plot")
        return
    patterns, modes, names = run.patterns(), run.modes(), run.runtimes()
    figure, panels = pyplot.subplots(len(modes), 1, figsize=(2 + 0.7 * len(patterns), 4.5 * len(modes)), squeeze=False)
    width = 0.8 / len(names)
    for panel, mode in zip(panels[:, 0], modes):
        for at, name in enumerate(names):
            bars = [(i + at * width, best) for i, p in enumerate(patterns)
                    if (best := run.best(p.name, "1" if name in report.REFERENCES else mode, name))]
            if bars:
                panel.bar([x for x, _ in bars], [y for _, y in bars], width, label=name)
        panel.set_yscale("log")
        panel.set_title(f"threads: {mode}")
        panel.set_ylabel("best, in the pattern's unit")
        panel.set_xticks([i + 0.4 for i in range(len(patterns))], [f"{p.name}\n{report.unit(run, p)}" for p in patterns],
                         rotation=60, ha="right", fontsize=7)
        panel.legend(ncols=len(names), fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
