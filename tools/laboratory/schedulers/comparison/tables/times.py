"""Table 1, the slides' figures: the time of each BOTS program against the number of threads."""

from __future__ import annotations

from benchlib.measure import Series
from harness.plots import Panel

from .. import counters, spread
from ..record import Record
from ..running import Case
from ..sides import shown
from ..text import Lines, Part, drop_empty_columns, or_failure, place
from .plan import Plan

TITLE = "Times of the BOTS programs"
SOURCE = "Olivier, Porterfield, Wheeler, Prins: slides, the figures from “Health Simulation Performance” to “Sparse LU Decomposition”"
ROUNDS = 5


def cases(plan: Plan) -> list[Case]:
    """Times where they mean something; elsewhere the counters of chomp's schedulers."""
    found = []
    for job in plan.programs:
        for topology, threads, meaningful in plan.places():
            if meaningful:
                found += [Case(job, side, threads, topology, plan.rounds_or(ROUNDS)) for side in (*plan.schedulers, *plan.peers)]
            else:
                found += [Case(job, side, threads, topology, 1, counted=True) for side in plan.schedulers]
    return found


def milliseconds(series: Series | None) -> str:
    """The fastest run."""
    return or_failure(spread.number(1000 * series.best) if series and series.samples else "–", series)


def serial_ms(record: Record, label: str) -> str:
    """The fastest run without tasks that any of the programs compiled by Clang made."""
    values = [extra["sequential"] for key, series in record.series.items() if key.job == f"bots/{label}"
              and record.about["sides"][key.side]["compiler"] == "clang" for extra in series.extras if "sequential" in extra]
    return spread.number(1000 * min(values)) if values else "–"


def times(record: Record, topology: str, threads: int) -> Lines:
    sides = record.sides("bots/")
    lines = [["fastest, ms", "serial", *map(shown, sides)]]
    for label in record.labels("bots"):
        series = [record.get(f"bots/{label}", side, threads, topology) for side in sides]
        if any(series):
            lines.append([label, serial_ms(record, label), *map(milliseconds, series)])
    return drop_empty_columns(lines)


def counts(record: Record, topology: str, threads: int) -> Lines:
    sides = [side for side in record.sides("bots/") if record.about["sides"][side]["scheduler"] == side]  # not MTS with other amounts
    lines = [["steals / failed", *map(shown, sides)]]
    for label in record.labels("bots"):
        line = [label]
        for side in sides:
            series = record.get(f"bots/{label}", side, threads, topology, counted=True)
            both = "/".join(spread.count(spread.median_of(series.extras, key)) if series else "–"
                            for key in (counters.STOLEN, counters.FAILED))
            line.append(or_failure(both, series))
        lines.append(line)
    return drop_empty_columns(lines)


def parts(record: Record) -> list[Part]:
    found = [Part(place(*where), times(record, *where)) for where in record.places("bots", counted=False)]
    for topology, threads in record.places("bots", counted=True):
        if topology in record.about["topologies"] and not record.has_meaningful_times(topology, threads):
            found.append(Part(place(topology, threads), counts(record, topology, threads), remarks=[
                f"{threads} threads on {record.cpus} CPUs: times are not meaningful and not shown."]))
    return found


def panels(record: Record) -> list[Panel]:
    """One per program: time against threads, on the real machine."""
    found = []
    for label in record.labels("bots"):
        lines = {}
        for side in record.sides("bots/"):
            points = [(threads, 1000 * series.best) for topology, threads in record.places("bots", counted=False) if topology == "real"
                      and (series := record.get(f"bots/{label}", side, threads, topology)) and series.samples]
            if points:
                lines[shown(side)] = points
        if lines:
            found.append(Panel(label, "threads", "fastest, ms", lines, log_y=True))
    return found
