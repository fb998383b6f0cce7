"""Table 4, SAND2012-10594's Figure 5.1: High or Low at four patterns, by the report's criteria."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from harness.plots import Panel

from .. import published, spread
from ..programs import FOUR_PATTERNS, REPORT_UNITS, four_patterns
from ..record import Record
from ..running import Case
from ..sides import shown
from ..text import Lines, Part, place
from .plan import Plan

TITLE = "High and Low at the four patterns"
SOURCE = "Wheeler, Stark, Murphy: SAND2012-10594, 5.1 and Figure 5.1"
ROUNDS = 3  # “each data point is the arithmetic mean of three non-sequential samples” (chapter 4)

# The report's cut-offs, in seconds at its sizes: “at all scales” for the first two, “full-scale” for UTS.
PARALLEL_SPAWN_S, FIBONACCI_S, UTS_S = 0.2, 2.0, 0.5
ROUGHLY_CONSTANT = 1.5  # the report gives no number for “roughly constant execution time independent of parallelism”
NAMES = {"spawn_serial": "serial spawn", "spawn_parallel": "parallel spawn", "fib_untied": "Fibonacci", "uts_t3": "UTS T3"}
CRITERIA = {
    "spawn_serial": f"at no number of threads more than {ROUGHLY_CONSTANT} × the time with one (“roughly constant”; the factor is ours)",
    "spawn_parallel": f"below {PARALLEL_SPAWN_S} s at all numbers of threads",
    "fib_untied": f"below {FIBONACCI_S:g} s at all numbers of threads",
    "uts_t3": f"below {UTS_S} s with all threads",
}
Scaling = Sequence[tuple[int, float]]  # (threads, seconds), fewest threads first


def cases(plan: Plan) -> list[Case]:
    return [Case(job, side, threads, topology, plan.rounds_or(ROUNDS)) for job in four_patterns(plan.scale)
            for topology, threads in plan.timed_places() for side in (*plan.schedulers, *plan.peers)]


def is_high(pattern: str, scaling: Scaling) -> bool | None:
    """None: not enough was measured to say."""
    times = [time for _, time in scaling]
    if pattern == "spawn_serial":
        return max(times) <= ROUGHLY_CONSTANT * times[0] if len(times) > 1 and scaling[0][0] == 1 else None
    if not times:
        return None
    if pattern == "uts_t3":
        return times[-1] < UTS_S
    return max(times) < (PARALLEL_SPAWN_S if pattern == "spawn_parallel" else FIBONACCI_S)


def scaling(record: Record, pattern: str, side: str, topology: str) -> Scaling:
    """Mean times at the report's size."""
    found = []
    for where, threads in record.places("pattern", counted=False):
        series = record.get(f"pattern/{pattern}", side, threads, topology) if where == topology else None
        if series and series.samples:
            found.append((threads, statistics.mean(series.samples) * REPORT_UNITS[pattern] / 1e9))
    return found


def failure(record: Record, pattern: str, side: str, topology: str) -> str:
    """The first word of what went wrong anywhere."""
    return next((series.mark for key, series in record.series.items()
                 if (key.job, key.side, key.topology) == (f"pattern/{pattern}", side, topology) and series.error), "")


def cell(record: Record, pattern: str, side: str, topology: str) -> str:
    """`High 0.05, 0.03`: the verdict and the seconds by number of threads. What crashes or hangs somewhere is Low, as Cilk was at UTS."""
    times = scaling(record, pattern, side, topology)
    if bad := failure(record, pattern, side, topology):
        return f"Low ({bad})"
    verdict = is_high(pattern, times)
    word = {True: "**High**", False: "Low", None: "?"}[verdict] if times else "–"
    return " ".join([word, ", ".join(spread.number(time, 2) for _, time in times)]).strip()


def highs(line: list[str]) -> int:
    return sum(field.startswith("**High**") for field in line)


def lines(record: Record, topology: str) -> Lines:
    """Rows ordered by the number of Highs, as in the report."""
    rows = [[shown(side), *(cell(record, pattern, side, topology) for pattern in FOUR_PATTERNS)] for side in record.sides("pattern/")]
    rows = [row for row in rows if any(field != "–" for field in row[1:])]
    return [["seconds", *NAMES.values()], *sorted(rows, key=highs, reverse=True)]


def parts(record: Record) -> list[Part]:
    found = []
    for topology in dict.fromkeys(where for where, _ in record.places("pattern", counted=False)):
        threads = [threads for where, threads in record.places("pattern", counted=False) if where == topology]
        remarks = [f"{NAMES[pattern]} is High when: {words}." for pattern, words in CRITERIA.items()]
        remarks.append(f"Seconds with {', '.join(map(str, threads))} threads, the mean of the rounds.")
        if record.about["scale"] == "quick":
            remarks.append("Measured with small sizes, and multiplied to the report's.")
        found.append(Part(place(topology, max(threads)), lines(record, topology), (0, 1, 2, 3, 4), remarks))
    rows = [[name, *("High" if row[pattern] else "Low" for pattern in FOUR_PATTERNS)] for name, row in published.HIGH.items()]
    found.append(Part("The report, 32 cores, 2012", [["", *NAMES.values()], *rows], (0, 1, 2, 3, 4)))
    return found


def panels(record: Record) -> list[Panel]:
    """Seconds at the report's size against threads, on the real machine."""
    found = []
    for pattern in FOUR_PATTERNS:
        lines_ = {shown(side): list(points) for side in record.sides("pattern/") if (points := scaling(record, pattern, side, "real"))}
        if lines_:
            found.append(Panel(NAMES[pattern], "threads", "s at the report's size", lines_, log_y=True))
    return found
