"""Who has its turn, and how far a run is. What is compared runs in turn, round by round, so that a slow phase of a shared machine
meets all alike; another one begins each time, since the first of a round finds other caches than the last."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TypeVar

Side = TypeVar("Side")


def in_turn(sides: Sequence[Side], turn: int) -> list[Side]:
    """The order of one round. Of any two sides each is before the other in half of each two rounds, and another one begins in the next
    two; which way round has no rhythm that a machine might have, too (the Thue-Morse sequence, as verdict.c's second_begins())."""
    first = turn // 2 % len(sides) if sides else 0
    order = [*sides[first:], *sides[:first]]
    return order[::-1] if bin(turn).count("1") % 2 else order


class Progress:
    """One line on standard error that overwrites itself; where that is no terminal, one line for each step."""

    def __init__(self, who: str, steps: int) -> None:
        self.who, self.steps, self.done, self.begin, self.terminal = who, steps, 0, time.monotonic(), sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Shows what is being done."""
        if self.terminal:
            print(f"\r\033[K[{self.done + 1}/{self.steps}, {time.monotonic() - self.begin:.0f} s] {text}", end="", file=sys.stderr,
                  flush=True)

    def finished(self, step: str) -> None:
        """One of the steps."""
        self.done += 1
        if not self.terminal:
            print(f"{self.who}: [{self.done}/{self.steps}, {time.monotonic() - self.begin:.0f} s] {step}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leaves an empty line for the next output."""
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
