"""The shapes of machine that programs run on: the real one, or one that HWLOC_SYNTHETIC makes chomp believe in."""

from __future__ import annotations

import glob
import os
import pathlib
import re
from dataclasses import dataclass

REAL = "real"
SLIDES = "package:4 core:8 pu:1"  # the machine of the slides and of SAND2012-10594: four Intel X7550
LEVEL = re.compile(r"[A-Za-z]\w*:(\d+)")


class BadTopology(ValueError):
    """A description that hwloc would not take."""


@dataclass(frozen=True)
class Topology:
    """`name` is `real`, or hwloc's description of the shape."""

    name: str
    pus: int  # how many threads it has room for

    def environment(self) -> dict[str, str]:
        """What makes chomp see it."""
        return {} if self.name == REAL else {"HWLOC_SYNTHETIC": self.name}

    def threads(self, asked: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers of threads to run with: those asked for, else doubling to all of a real machine, all of a made-up one."""
        if asked:
            return asked
        if self.name != REAL:
            return (self.pus,)
        return tuple(n for n in (1 << k for k in range(16)) if n < self.pus) + (self.pus,)

    def has_meaningful_times(self, threads: int, cpus: int) -> bool:
        """Every thread has a CPU, and the machine does not claim cores that are not there."""
        return threads <= cpus and self.pus <= cpus


def chips(cpus: str = "/sys/devices/system/cpu") -> int:
    """How many last-level caches the CPUs of this process have between them; 1 where the system does not say."""
    found = set()
    for cpu in os.sched_getaffinity(0):
        for file in glob.glob(f"{cpus}/cpu{cpu}/cache/index3/shared_cpu_list"):
            found.add(pathlib.Path(file).read_text(encoding="utf-8"))
    return max(1, len(found))


def real() -> Topology:
    """This machine, as far as this process may use it."""
    return Topology(REAL, len(os.sched_getaffinity(0)))


def parse(text: str) -> Topology:
    """`real`, or `package:4 core:8 pu:1`."""
    name = " ".join(text.split())
    if name == REAL:
        return real()
    words = re.sub(r"\([^)]*\)", "", name).split()
    counts = [LEVEL.fullmatch(word) for word in words]
    if not words or not all(counts):
        raise BadTopology(f"not a topology: {text!r}; `real`, or levels as in '{SLIDES}'")
    pus = 1
    for count in counts:
        pus *= int(count.group(1))  # type: ignore[union-attr]
    if pus == 0:
        raise BadTopology(f"no processing unit: {text!r}")
    return Topology(name, pus)


def parse_list(text: str) -> tuple[Topology, ...]:
    """Separated by commas; those inside parentheses belong to a description."""
    return tuple(dict.fromkeys(parse(part) for part in re.split(r",(?![^(]*\))", text)))
