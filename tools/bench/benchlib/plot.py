"""A picture of a run: one panel per number of threads, one group of bars per pattern, logarithmic."""

from __future__ import annotations

from .catalog import Pattern
from .measure import Mode
from .report import Results
from .runtimes import Runtime, warn


def plot(path: str, results: Results, patterns: list[Pattern], found: list[Runtime], modes: list[Mode]) -> None:
    """Writes the picture, if matplotlib is there."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        warn("no matplotlib: no plot")
        return
    figure, panels = pyplot.subplots(len(modes), 1, figsize=(2 + 0.7 * len(patterns), 4.5 * len(modes)), squeeze=False)
    width = 0.8 / len(found)
    for panel, mode in zip(panels[:, 0], modes):
        for at, runtime in enumerate(found):
            key_mode = "1" if runtime.name == "floor" else mode.name
            bars = [(i + at * width, results[key].best) for i, p in enumerate(patterns)
                    if (key := (p.name, key_mode, runtime.name)) in results and results[key].samples]
            if bars:
                panel.bar([x for x, _ in bars], [y for _, y in bars], width, label=runtime.name)
        panel.set_yscale("log")
        panel.set_title(f"threads: {mode.name}")
        panel.set_ylabel("best, in the pattern's unit")
        panel.set_xticks([i + 0.4 for i in range(len(patterns))], [f"{p.name}\n{p.unit}" for p in patterns], rotation=60,
                         ha="right", fontsize=7)
        panel.legend(ncols=len(found), fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
