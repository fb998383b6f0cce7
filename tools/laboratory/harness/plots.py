"""Pictures of all commands: they hand over panels, this draws them with matplotlib, which may be in the tree's own environment only."""

from __future__ import annotations

import importlib.util
import math
import pathlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .machine import ROOT


def pyplot():
    """matplotlib's pyplot, for files; None, and a line that says so, where it is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        sys.path += map(str, (ROOT / ".venv").glob("lib/python*/site-packages"))
    if importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib, so no picture: .venv/bin/pip install matplotlib", file=sys.stderr)
        return None
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "chomp"})
    from matplotlib import pyplot as found
    return found


COLUMNS, LEGEND_COLUMNS = 3, 6
MARKERS = "osD^vP*Xd<>ph"


@dataclass
class Panel:
    """One set of axes. `lines`: name → points."""

    title: str
    x: str
    y: str
    lines: dict[str, list[tuple[Any, float]]]
    log_x: bool = False
    log_y: bool = False


def draw_lines(axes: Any, panel: Panel, styles: dict[str, Any]) -> None:
    """One line per name, with its marker."""
    for name, points in panel.lines.items():
        color, marker = styles[name]
        axes.plot([x for x, _ in points], [y for _, y in points], marker=marker, markersize=4, linewidth=1, label=name, color=color)
    ticks = sorted({x for points in panel.lines.values() for x, _ in points})
    if panel.log_x:
        axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks], fontsize=7)
    axes.minorticks_off()


def few_lines(svg: str) -> str:
    """A line for each set of axes: what is data need not look like text in the tree."""
    return re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><").replace('<g id="axes', '\n<g id="axes').strip() + "\n"


def draw(path: pathlib.Path, title: str, panels: Sequence[Panel]) -> bool:
    """Writes the picture; False if there is nothing to draw or nothing to draw with."""
    panels = [panel for panel in panels if any(panel.lines.values())]
    found = pyplot() if panels else None
    if found is None:
        return False
    from matplotlib import ticker
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    colors = found.get_cmap("tab20" if len(names) > 10 else "tab10").colors
    styles = {name: (colors[i % len(colors)], MARKERS[i % len(MARKERS)]) for i, name in enumerate(names)}
    columns = min(COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    width, height = max(9.0, 4.2 * columns), 3.3
    legend_rows = math.ceil(len(names) / LEGEND_COLUMNS)
    size = (width, height * rows + 0.8 + 0.2 * legend_rows)
    figure, grid = found.subplots(rows, columns, figsize=size, squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.axis("off")
    for axes, panel in zip(grid.flat, panels):
        draw_lines(axes, panel, styles)
        if panel.log_y and any(value > 0 for points in panel.lines.values() for _, value in points):
            axes.set_yscale("log")
            axes.yaxis.set_minor_formatter(ticker.NullFormatter())
        axes.set_title(panel.title.replace("`", ""), fontsize=9)
        axes.set_xlabel(panel.x, fontsize=8)
        axes.set_ylabel(panel.y, fontsize=8)
        axes.tick_params(labelsize=7)
    handles = {label: handle for axes in grid.flat for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=LEGEND_COLUMNS, fontsize=8)
    figure.suptitle(title, fontsize=11)
    figure.tight_layout(rect=(0, (0.3 + 0.2 * legend_rows) / size[1], 1, 0.99))
    path.parent.mkdir(parents=True, exist_ok=True)
    svg = path.suffix == ".svg"
    figure.savefig(path, dpi=100, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type") if svg else ("Software",)))
    if svg:
        path.write_text(few_lines(path.read_text(encoding="utf-8")), encoding="utf-8")
    found.close(figure)
    return True
