"""Table 6: UTS's parallel efficiency by granularity, and the child tasks moved per thread and second."""

from __future__ import annotations

from harness.plots import Panel

from .. import spread
from ..programs import GRANULARITIES, granularity_job, moved_job
from ..record import Record
from ..running import Case
from ..sides import shown
from ..text import Lines, Part, drop_empty_columns, or_failure, place
from .plan import Plan

TITLE = "UTS: parallel efficiency by granularity, and child tasks moved"
SOURCE = "Olivier: UTS granularity slides, 7, 10–15 (efficiency) and 19–21 (child tasks moved per thread and second)"
ROUNDS = 3
HASHES_PER_NODE = 5  # the slides' tree has 5 children a node; a task hashes that many states, times the granularity


def cases(plan: Plan) -> list[Case]:
    """Times with all threads; moved tasks also where times mean nothing."""
    sides = [*plan.schedulers, *(side for side in plan.peers if side.compiler != "tbb")]
    places = [(topology, threads) for topology, threads, meaningful in plan.places()
              if (topology, threads) in plan.largest_timed_places() or not meaningful]
    timed = [Case(granularity_job(hashes, plan.scale), side, threads, topology, plan.rounds_or(ROUNDS)) for hashes in GRANULARITIES
             for topology, threads in plan.largest_timed_places() for side in sides]
    return timed + [Case(moved_job(hashes, plan.scale), side, threads, topology, 1) for hashes in GRANULARITIES
                    for topology, threads in places if threads > 1 for side in sides]


def serial_s(record: Record, hashes: int, compiler: str) -> float | None:
    """The fastest search without tasks by programs of one compiler."""
    values = [extra["sequential"] for key, series in record.series.items() if key.job == f"uts/g={hashes}" and not key.counted
              and record.about["sides"][key.side]["compiler"] == compiler for extra in series.extras if "sequential" in extra]
    return min(values, default=None)


def efficiency(record: Record, hashes: int, side: str, topology: str, threads: int) -> float | None:
    series = record.get(f"uts/g={hashes}", side, threads, topology)
    serial = serial_s(record, hashes, record.about["sides"][side]["compiler"])
    return spread.efficiency(serial, threads, series.best) if series and series.samples and serial else None


def efficiencies(record: Record, topology: str, threads: int) -> Lines:
    sides = record.sides("uts/")
    found = [["efficiency, %", "serial, ns/node", *map(shown, sides)]]
    for hashes in GRANULARITIES:
        row = [or_failure(spread.number(efficiency(record, hashes, side, topology, threads)),
                          record.get(f"uts/g={hashes}", side, threads, topology)) for side in sides]
        found.append([f"g = {hashes}", spread.number(serial_ns_per_node(record, hashes)), *row])
    return drop_empty_columns(found)


def serial_ns_per_node(record: Record, hashes: int) -> float | None:
    serial = serial_s(record, hashes, "clang")
    nodes = [extra["nodes"] for key, series in record.series.items() if key.job == f"uts/g={hashes}" for extra in series.extras
             if "nodes" in extra]
    return 1e9 * serial / nodes[0] if serial and nodes else None


def moved(record: Record, hashes: int, side: str, topology: str, threads: int) -> str:
    """Per thread and second where time means something, else per thread."""
    series = record.get(f"moved/g={hashes}", side, threads, topology)
    if series is None or not series.samples:
        return or_failure("–", series)
    time = series.median if record.has_meaningful_times(topology, threads) else 1
    return spread.number(spread.per_thread_and_second(series.extra("moved") or 0, threads, time))


def all_moved(record: Record, topology: str, threads: int) -> Lines:
    unit = "per thread and second" if record.has_meaningful_times(topology, threads) else "per thread"
    sides = record.sides("moved/")
    found = [[f"tasks moved {unit}", *map(shown, sides)]]
    for hashes in GRANULARITIES:
        found.append([f"g = {hashes}", *(moved(record, hashes, side, topology, threads) for side in sides)])
    return drop_empty_columns(found)


def parts(record: Record) -> list[Part]:
    found = [Part(f"{place(*where)}: efficiency", efficiencies(record, *where)) for where in record.places("uts", counted=False)]
    for where in record.places("moved", counted=False):
        remarks = [] if record.has_meaningful_times(*where) else [
            f"{where[1]} threads on {record.cpus} CPUs: times are not meaningful, so counts are not divided by them."]
        found.append(Part(f"{place(*where)}: child tasks moved", all_moved(record, *where), remarks=remarks))
    return found


def panels(record: Record) -> list[Panel]:
    found = []
    for where in record.places("uts", counted=False):
        lines = {shown(side): [(HASHES_PER_NODE * hashes, value) for hashes in GRANULARITIES
                               if (value := efficiency(record, hashes, side, *where)) is not None] for side in record.sides("uts/")}
        found.append(Panel(place(*where), "hashes per task of five children", "efficiency, %",
                           {name: points for name, points in lines.items() if points}, log_x=True))
    return found
