"""Table 2: the standard deviation as a percentage of the fastest time. The runs are those of table 1."""

from __future__ import annotations

from harness.plots import Panel

from .. import published, spread
from ..record import Record
from ..running import Case
from ..sides import shown
from ..text import Lines, Part, drop_empty_columns, or_failure, place
from . import times
from .plan import Plan

TITLE = "Variability: standard deviation as a percentage of the fastest time"
SOURCE = "Olivier, Porterfield, Wheeler, Prins: slides, “Per-Core Work Stealing vs. Hierarchical Scheduling”, first table"


def cases(plan: Plan) -> list[Case]:
    """The times of table 1 with all threads."""
    wanted = plan.largest_timed_places()
    return [case for case in times.cases(plan) if not case.counted and (case.topology, case.threads) in wanted]


def deviation(record: Record, label: str, side: str, topology: str, threads: int) -> float | None:
    series = record.get(f"bots/{label}", side, threads, topology)
    return spread.deviation_of_fastest(series.clean) if series else None


def lines(record: Record, topology: str, threads: int) -> Lines:
    sides = record.sides("bots/")
    papers = list(published.DEVIATION)
    found = [["%", *map(shown, sides), *(f"slides: {name}" for name in papers)]]
    for label in record.labels("bots"):
        ours = [or_failure(spread.number(deviation(record, label, side, topology, threads), 2),
                           record.get(f"bots/{label}", side, threads, topology)) for side in sides]
        found.append([label, *ours, *(spread.number(published.DEVIATION[name].get(label), 2) for name in papers)])
    return drop_empty_columns(found)


def largest(record: Record) -> list[tuple[str, int]]:
    """The most threads of each topology."""
    most = dict(sorted(record.places("bots", counted=False), key=lambda where: where[1]))
    return list(most.items())


def parts(record: Record) -> list[Part]:
    remark = "The slides' columns are of 32 threads on four 8-core chips."
    return [Part(place(*where), lines(record, *where), remarks=[remark]) for where in largest(record)]


def panels(record: Record) -> list[Panel]:
    found = []
    for where in largest(record):
        bars = {shown(side): [(label, value) for label in record.labels("bots")
                              if (value := deviation(record, label, side, *where)) is not None] for side in record.sides("bots/")}
        found.append(Panel(place(*where), "", "standard deviation, % of the fastest", bars, bars=True))
    return found
