"""Tables: one row per pattern and mode; best and median per unit, ratio to the ABI floor, ratio to the best peer."""

from __future__ import annotations

from .catalog import Pattern
from .measure import Mode, Series
from .runtimes import PEERS, Runtime

Results = dict[tuple[str, str, str], Series]  # (pattern, mode, runtime)


def number(value: float) -> str:
    """Three significant digits are what a shared machine repeats."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def ratio(value: float, reference: float | None) -> str:
    """`1.23`, or a dash."""
    return f"{value / reference:.2f}" if reference else "–"


def best_of(results: Results, pattern: str, mode: str, runtime: str) -> float | None:
    """The best sample, if there is one."""
    series = results.get((pattern, mode, runtime))
    return series.best if series and series.samples else None


def best_peer(results: Results, pattern: str, mode: str) -> float | None:
    """The fastest peer in this mode."""
    values = [best_of(results, pattern, mode, r) for r in PEERS]
    return min((v for v in values if v is not None), default=None)


def cell(results: Results, pattern: Pattern, mode: Mode, runtime: Runtime) -> str:
    """`best (median)`, or how it failed."""
    series = results.get((pattern.name, mode.name, runtime.name))
    if series is None:
        return "–"
    if not series.samples:
        return "fails"
    return f"{number(series.best)} ({number(series.median)})"


def row(results: Results, pattern: Pattern, mode: Mode, peers: list[Runtime], ours: Runtime | None,
        unit: str) -> list[str]:
    """One line of the table."""
    floor = best_of(results, pattern.name, "1", "floor")
    line = [f"{pattern.name}, {unit}", mode.name, number(floor) if floor else "–"]
    if ours is not None:
        best = best_of(results, pattern.name, mode.name, ours.name)
        reference = best_peer(results, pattern.name, mode.name)
        line.append(cell(results, pattern, mode, ours))
        line += [ratio(best, floor), ratio(best, reference)] if best is not None else ["–", "–"]
    return line + [cell(results, pattern, mode, peer) for peer in peers]


def table(results: Results, patterns: list[Pattern], found: list[Runtime], modes: list[Mode],
          instructions: bool = False) -> list[list[str]]:
    """Headings and rows; ratios are chomp's."""
    ours = next((r for r in found if r.name == "chomp"), None)
    peers = [r for r in found if r.name not in ("floor", "chomp")]
    headings = ["best (median)", "threads", "floor"]
    headings += ["chomp", "× floor", "× best peer"] if ours else []
    rows = [row(results, p, m, peers, ours, p.unit.replace("ns/", "instructions/") if instructions else p.unit) for p in patterns
            for m in modes if any(k[0] == p.name and k[1] == m.name and k[2] != "floor" for k in results)]
    return [headings + [p.name for p in peers], *rows]


def notes(results: Results) -> list[str]:
    """What the table has no room for: failures and the programs' own figures."""
    out = []
    for (pattern, mode, runtime), series in results.items():
        if series.error:
            out.append(f"{pattern}, {mode}, {runtime}: {series.error}")
        elif series.extras:
            out.append(f"{pattern}, {mode}, {runtime}: " + " ".join(f"{k}={v:g}" for k, v in series.extras.items()))
    return out


def as_text(lines: list[list[str]]) -> str:
    """Columns for the terminal."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths)))
                     for line in lines)


def as_markdown(lines: list[list[str]]) -> str:
    """The same as a Markdown table."""
    head, *body = lines
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body])
