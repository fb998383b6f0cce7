"""What the tables choose their cases from: the options of a run, and what this machine and library have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..jobs import Job
from ..sides import Side
from ..topologies import Topology


@dataclass(frozen=True)
class Plan:
    """`rounds` and `threads` are what the user asked for, or nothing."""

    programs: tuple[Job, ...]
    schedulers: tuple[Side, ...]
    stealing: tuple[Side, ...]  # MTS with other amounts
    peers: tuple[Side, ...]
    queues: tuple[tuple[str, str], ...]  # (`queue` or `scheduler`, name) that can be measured without a program
    topologies: tuple[Topology, ...]  # for times
    counted_topologies: tuple[Topology, ...]
    threads: tuple[int, ...]
    cpus: int
    scale: str
    rounds: int | None

    def rounds_or(self, default: int) -> int:
        """The number of rounds: two are enough for a look."""
        return self.rounds or (min(2, default) if self.scale == "quick" else default)

    def places(self) -> Iterator[tuple[Topology, int, bool]]:
        """Topology, number of threads, and whether times mean something there."""
        for topology in self.topologies:
            for threads in topology.threads(self.threads):
                yield topology, threads, topology.has_meaningful_times(threads, self.cpus)

    def timed_places(self) -> list[tuple[Topology, int]]:
        """Where times mean something."""
        return [(topology, threads) for topology, threads, meaningful in self.places() if meaningful]

    def largest_timed_places(self) -> list[tuple[Topology, int]]:
        """The most threads of each topology."""
        most: dict[Topology, int] = {}
        for topology, threads in self.timed_places():
            most[topology] = max(threads, most.get(topology, 0))
        return list(most.items())

    def counted_places(self) -> list[tuple[Topology, int]]:
        """Where counters are read."""
        return [(topology, threads) for topology in self.counted_topologies for threads in topology.threads(self.threads)
                if threads > 1]
