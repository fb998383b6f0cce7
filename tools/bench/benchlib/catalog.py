"""What is measured: one entry per pattern, with the sizes of a quick, a default and a full run."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """One line of the table. `sizes` is (quick, default, full)."""

    name: str
    program: str  # patterns/<program>.c
    case: str  # which of the program's patterns
    sizes: tuple[int, int, int]
    what: str  # for the README
    unit: str = "task"
    floor: bool = True  # the ABI floor can run it
    record: bool = True  # has a figure of record (one thread of a two-thread team)
    tbb: bool = False  # has a oneTBB twin: patterns/<program>_tbb.cpp
    threads: bool = True  # says something with more than one thread
    callgrind: tuple[int, int] | None = None  # two sizes whose difference gives instructions per unit


CATALOG: tuple[Pattern, ...] = (
    Pattern("fib_untied", "fib", "untied", (21, 25, 30), "fib, two untied tasks a call", callgrind=(15, 18)),
    Pattern("fib_tied", "fib", "tied", (21, 25, 30), "fib, two tied tasks a call", callgrind=(15, 18)),
    Pattern("fib_call_one", "fib", "call_one", (23, 28, 36), "fib, fork one and call the other, tied", unit="call",
            callgrind=(15, 18)),
    Pattern("fib_taskgroup", "fib", "taskgroup", (21, 25, 30), "fib, two tied tasks in a taskgroup", callgrind=(15, 18)),
    Pattern("fib_if_zero", "fib", "if_zero", (21, 25, 30), "fib, every task `if(0)`", callgrind=(15, 18)),
    Pattern("fib_if", "fib", "if", (21, 25, 30), "fib, untied, `if(depth < 10)`", callgrind=(15, 18)),
    Pattern("fib_final", "fib", "final", (21, 25, 30), "fib, untied, `final(depth >= 10) mergeable`",
            callgrind=(15, 18)),
)


def select(regex: str) -> list[Pattern]:
    """The patterns whose name the regular expression finds, in the catalog's order."""
    wanted = re.compile(regex)
    return [p for p in CATALOG if wanted.search(p.name)]
