"""Table 3: steals and failed steals, MTS beside WS; and MTS whose thief takes more or fewer tasks."""

from __future__ import annotations

from harness.plots import Panel

from .. import counters, published, spread
from ..record import Record
from ..running import Case
from ..sides import STEALING
from ..text import Lines, Part, drop_empty_columns, or_failure, place
from .plan import Plan

TITLE = "Steals and failed steals; stealing several tasks"
SOURCE = ("Olivier, Porterfield, Wheeler, Prins: slides, “Per-Core Work Stealing vs. Hierarchical Scheduling”, second table, and "
          "“Stealing Multiple Tasks”")
ROUNDS = 3
PAIR = {"mts": "MTS", "steal": "WS"}
AMOUNTS = {"one": "one", "half-idle": "half of the idle cores", "idle": "all idle cores", "half-queue": "half of the queue"}


def cases(plan: Plan) -> list[Case]:
    sides = [side for side in plan.schedulers if side.name in PAIR] + list(plan.stealing)
    return [Case(job, side, threads, topology, plan.rounds_or(ROUNDS), counted=True)
            for job in plan.programs for topology, threads in plan.counted_places() for side in sides]


def median(record: Record, label: str, side: str, where: tuple[str, int], counter: str) -> float | None:
    series = record.get(f"bots/{label}", side, where[1], where[0], counted=True)
    return spread.median_of(series.extras, counter) if series else None


def cell(record: Record, label: str, side: str, where: tuple[str, int], *which: str) -> str:
    """Medians of counters, separated by slashes."""
    figures = "/".join(spread.count(median(record, label, side, where, counter)) for counter in which)
    return or_failure(figures, record.get(f"bots/{label}", side, where[1], where[0], counted=True))


def beside(record: Record, where: tuple[str, int]) -> Lines:
    """MTS, WS, and what the slides have of each."""
    heading, found = ["median of the rounds"], []
    for letters in PAIR.values():
        heading += [f"{letters} steals", f"{letters} failed"]
    for letters in PAIR.values():
        heading += [f"slides: {letters} steals", f"slides: {letters} failed"]
    for label in record.labels("bots"):
        ours = [cell(record, label, side, where, counter) for side in PAIR for counter in (counters.STOLEN, counters.FAILED)]
        theirs = [spread.count(value) for letters in PAIR.values() for value in published.STEALS[letters].get(label, (None, None))]
        found.append([label, *ours, *theirs])
    return drop_empty_columns([heading, *found])


def by_amount(record: Record, where: tuple[str, int]) -> Lines:
    """MTS with each setting of CHOMP_STEAL."""
    sides = [f"mts, {amount}" for amount in STEALING]
    found = [["MTS: steals/tasks/failed", *(AMOUNTS[amount] for amount in STEALING)]]
    for label in record.labels("bots"):
        found.append([label, *(cell(record, label, side, where, counters.STOLEN, counters.MOVED, counters.FAILED) for side in sides)])
    return drop_empty_columns(found)


def parts(record: Record) -> list[Part]:
    found = []
    for where in record.places("bots", counted=True):
        remark = [] if record.has_meaningful_times(*where) else [
            f"{where[1]} threads on {record.cpus} CPUs: threads that wait for a CPU steal when they get one. The counts are of this run, not of "
            "such a machine."]
        found.append(Part(place(*where), beside(record, where), remarks=remark))
        if len(amounts := by_amount(record, where)[0]) > 1:
            found.append(Part(f"{place(*where)}: a thief takes {', '.join(amounts[1:])}", by_amount(record, where)))
    return found


def panels(record: Record) -> list[Panel]:
    found = []
    for where in record.places("bots", counted=True):
        bars = {f"{letters}, {word}": [(label, value) for label in record.labels("bots")
                                       if (value := median(record, label, side, where, counter)) is not None]
                for side, letters in PAIR.items() for word, counter in (("steals", counters.STOLEN), ("failed", counters.FAILED))}
        found.append(Panel(place(*where), "", "number", bars, bars=True, log_y=True))
    return found
