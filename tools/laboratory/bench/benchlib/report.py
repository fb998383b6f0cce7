"""Tables: one row per pattern and mode; best and median per unit, ratio to the best peer."""

from __future__ import annotations

from harness import engine
from harness.tables import Table, as_markdown, as_text  # noqa: F401

from .catalog import Pattern
from .results import Run

REFERENCES = ("serial",)  # measured once, by one thread


def number(value: float) -> str:
    """Three significant digits are what a shared machine repeats."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def reference(run: Run, pattern: str, name: str) -> str:
    """The serial code's best, or how it failed."""
    series = run.series.get((pattern, "1", name))
    if series is None:
        return "–"
    return number(series.best) if series.samples else series.mark or "–"


def cell(run: Run, pattern: str, mode: str, runtime: str) -> str:
    """`best (median)`, how it failed, or both."""
    series = run.series.get((pattern, mode, runtime))
    if series is None:
        return "–"
    figures = f"{number(series.best)} ({number(series.median)})" if series.samples else ""
    return " ".join(part for part in (figures, series.mark) if part) or "–"


def beside_best_peer(verdict: engine.Verdict | None) -> str:
    """chomp's time over the best peer's, of the same rounds, and what may be said of it."""
    if verdict is None:
        return "–"
    return f"{1 / verdict.ratio:.2f} {verdict.word}"


def unit(run: Run, pattern: Pattern) -> str:
    """What a figure is."""
    return pattern.unit.replace("ns/", "instructions/") if run.instructions else pattern.unit


def row(run: Run, pattern: Pattern, mode: str, peers: list[str]) -> list[str]:
    """One line of the main table; ratios are chomp's, best to best."""
    line = [f"{pattern.name}, {unit(run, pattern)}", mode] + [reference(run, pattern.name, name) for name in REFERENCES]
    if "chomp" in run.runtimes():
        line += [cell(run, pattern.name, mode, "chomp"), beside_best_peer(run.verdict(pattern.name, mode))]
    return line + [cell(run, pattern.name, mode, peer) for peer in peers]


def table(run: Run) -> Table:
    """The main table."""
    peers = [name for name in run.runtimes() if name not in (*REFERENCES, "chomp")]
    headings = ["best (median)", "threads", *REFERENCES]
    headings += ["chomp", "× best peer"] if "chomp" in run.runtimes() else []
    measured = {(pattern, mode) for pattern, mode, runtime in run.series if runtime not in REFERENCES}
    return [headings + peers, *(row(run, p, m, peers) for p in run.patterns() for m in run.modes() if (p.name, m) in measured)]


def efficiency_table(run: Run) -> Table:
    """Per cent of a plain parallel loop's speed that tasks of a length reach; empty if no grain was measured."""
    names = [name for name in run.runtimes() if name not in REFERENCES]
    rows = []
    for pattern in run.patterns():
        for mode in run.modes():
            values = [run.series[key].extra("efficiency") if (key := (pattern.name, mode, name)) in run.series else None
                      for name in names]
            if any(v is not None for v in values) and pattern.name != "grain_95":
                rows.append([pattern.name, mode] + [f"{100 * v:.0f} %" if v is not None else "–" for v in values])
    return [["efficiency (median)", "threads", *names], *rows] if rows else []


def metg_figure(ns: float | None) -> str:
    """In nanoseconds; `never` where no granularity of the curve reached the efficiency."""
    return "–" if ns is None else number(ns) if ns > 0 else "never"


def metg_table(run: Run) -> Table:
    """Of each graph and kernel: METG(50 %), METG(95 %) and the granularity of the shortest tasks, medians of the rounds."""
    names = [name for name in run.runtimes() if name not in REFERENCES]
    keys = ("metg50", "metg95", "smallest")
    rows = []
    for pattern, mode in ((p, m) for p in run.patterns() for m in run.modes()):
        series = [run.series.get((pattern.name, mode, name)) for name in names]
        if any(series):
            rows.append([pattern.name, mode, *(" / ".join(metg_figure(s.extra(key)) for key in keys) if s and s.samples else s.mark if s
                                               else "–" for s in series)])
    return [["METG(50 %) / METG(95 %) / shortest, ns (medians)", "threads", *names], *rows]


def notes(run: Run) -> list[str]:
    """How each measurement failed that did; one line for all numbers of threads."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for (pattern, mode, runtime), s in run.series.items():
        if s.error:
            found.setdefault((pattern, runtime, s.error), []).append(mode)
    return [f"{pattern}, threads {', '.join(modes)}, {runtime}: {error}" for (pattern, runtime, error), modes in found.items()]
