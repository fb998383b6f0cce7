"""Table 5, XTask's: throughput and latency of each queue's enqueue and dequeue, and null tasks through each scheduler."""

from __future__ import annotations

from benchlib.measure import Series
from harness.plots import Panel

from .. import spread
from ..jobs import QueueJob
from ..programs import null_task_patterns
from ..record import Record
from ..running import Case
from ..sides import shown, without_library
from ..text import Lines, Part, drop_empty_columns, or_failure, place
from .plan import Plan

TITLE = "Queues: throughput and latency; null tasks"
SOURCE = "Nookala, Dinda, Hale, Raicu: XTask, III B (figures 5–20: queues) and VI (figures 22–25: tasks per second)"
ROUNDS = 3
OPERATIONS = {"quick": 20_000, "default": 500_000, "full": 5_000_000}
PATTERNS = {"all": "every thread produces and consumes", "one": "one thread produces, all consume"}
LATENCIES = {"in_p50": "enqueue p50", "in_p99": "enqueue p99", "out_p50": "dequeue p50", "out_p99": "dequeue p99"}
NULL_TASKS = {"spawn_serial": "one thread spawns", "spawn_parallel": "all threads spawn"}


def queue_job(kind: str, pattern: str, scale: str) -> QueueJob:
    return QueueJob(f"{kind}/{pattern}", f"{PATTERNS[pattern]}, {OPERATIONS[scale]} tasks per producer", "ns/task", pattern,
                    OPERATIONS[scale])


def cases(plan: Plan) -> list[Case]:
    """The queue benchmark knows no topology but its own; null tasks are the patterns of table 4."""
    queues = [Case(queue_job(kind, pattern, plan.scale), without_library(name), threads, topology, plan.rounds_or(ROUNDS))
              for topology, threads in plan.timed_places() if topology.name == "real"
              for pattern in PATTERNS for kind, name in plan.queues]
    nulls = [Case(job, side, threads, topology, plan.rounds_or(ROUNDS)) for job in null_task_patterns(plan.scale)
             for topology, threads in plan.timed_places() for side in (*plan.schedulers, *plan.peers)]
    return queues + nulls


def millions(ns_per_task: float) -> str:
    return spread.number(1e3 / ns_per_task)


def refusals(series: Series) -> str:
    """Per cent of the attempts to put that found no room; each was tried again."""
    tasks, refused = (spread.median_of(series.extras, key) for key in ("tasks", "refused"))
    return "–" if tasks is None or refused is None else spread.number(100 * refused / (tasks + refused), 2)


def operations(record: Record, kind: str, topology: str, threads: int) -> Lines:
    """One row per queue and pattern."""
    found = [[f"{kind}, cycles unless said", "who", "million tasks/s", *LATENCIES.values(), "clock", "no room, %"]]
    for pattern, who in PATTERNS.items():
        for side in record.sides(f"{kind}/"):
            series = record.get(f"{kind}/{pattern}", side, threads, topology)
            if series is None:
                continue
            rate = millions(series.best) if series.samples else "–"
            found.append([shown(side), who, or_failure(rate, series),
                          *(spread.count(spread.median_of(series.extras, key)) for key in (*LATENCIES, "clock")), refusals(series)])
    return found


def null_tasks(record: Record, topology: str, threads: int) -> Lines:
    found = [["null tasks, million/s", *NULL_TASKS.values()]]
    for side in record.sides("pattern/"):
        series = [record.get(f"pattern/{pattern}", side, threads, topology) for pattern in NULL_TASKS]
        found.append([shown(side), *(or_failure(millions(s.best) if s and s.samples else "–", s) for s in series)])
    return [found[0], *(line for line in found[1:] if any(field != "–" for field in line[1:]))]


def parts(record: Record) -> list[Part]:
    found = []
    for kind in ("queue", "scheduler"):
        for where in record.places(kind, counted=False):
            if len(lines := operations(record, kind, *where)) > 1:
                found.append(Part(f"{kind}s, {place(*where)}", lines, (0, 1)))
    if found:
        found[-1].remarks = ["Latencies are of single operations between two readings of the time stamp counter, whose own cost is in the "
                             "column `clock` and not subtracted; rates are of a run without those readings."]
    for where in record.places("pattern", counted=False):
        found.append(Part(f"null tasks, {place(*where)}", drop_empty_columns(null_tasks(record, *where))))
    return found


def panels(record: Record) -> list[Panel]:
    """Rates against threads; latencies with all threads."""
    found = []
    for kind in ("queue", "scheduler"):
        places = record.places(kind, counted=False)
        for pattern, who in PATTERNS.items():
            rates = {shown(side): [(threads, 1e3 / series.best) for topology, threads in places
                                   if (series := record.get(f"{kind}/{pattern}", side, threads, topology)) and series.samples]
                     for side in record.sides(f"{kind}/")}
            found.append(Panel(f"{kind}s: {who}", "threads", "million tasks/s", rates, log_y=True))
        if places:
            topology, threads = places[-1]
            bars = {shown(side): [(word, value) for key, word in LATENCIES.items() if (series := record.get(
                f"{kind}/all", side, threads, topology)) and (value := spread.median_of(series.extras, key)) is not None]
                for side in record.sides(f"{kind}/")}
            found.append(Panel(f"{kind}s, {threads} threads: {PATTERNS['all']}", "", "cycles", bars, bars=True))
    return found
