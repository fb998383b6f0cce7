"""Reads what CHOMP_STATS=FILE.json leaves behind: the sums over all workers of a run."""

from __future__ import annotations

import json
import pathlib

# Of what the file has, what the tables show: steals, those that brought nothing, and the tasks that the others brought.
STOLEN, FAILED, MOVED = "stolen_operations", "failed_steals", "stolen_tasks"


class NoCounters(Exception):
    """The file is missing or says nothing that can be used."""


def totals(file: pathlib.Path) -> dict[str, float]:
    """The counters of `total`, and `threads`."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        total = {key: float(value) for key, value in data["total"].items() if isinstance(value, (int, float))}
    except FileNotFoundError as missing:
        raise NoCounters("the library wrote no statistics") from missing
    except (ValueError, KeyError, AttributeError, TypeError) as problem:
        raise NoCounters(f"statistics that cannot be read: {type(problem).__name__} {problem}") from problem
    return total | {"threads": float(data.get("threads", 0))}
