"""The six tables. Each module says which cases it needs, and what it makes of the record; tables share cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.plots import Panel

from ..record import Record
from ..running import Case
from ..text import Part
from . import granularity, patterns, queues, steals, times, variability
from .plan import Plan

__all__ = ["TABLES", "Plan", "Table"]


@dataclass(frozen=True)
class Table:
    """One of the tables of the papers."""

    number: int
    name: str  # for --list and file names
    title: str
    source: str
    cases: Callable[[Plan], list[Case]]
    parts: Callable[[Record], list[Part]]
    panels: Callable[[Record], list[Panel]]


TABLES = tuple(Table(number, module.__name__.rsplit(".", 1)[1], module.TITLE, module.SOURCE, module.cases, module.parts, module.panels)
               for number, module in enumerate((times, variability, steals, patterns, queues, granularity), 1))
