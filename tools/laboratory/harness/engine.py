"""How long to measure, and what may be said: the one rule of all commands that compare.

Sides run in turn, round by round (turns.py), and all rounds count. What may be said of two sides is tools/shipped/chomp/verdict.c's to
say, as in `chomp bench`. Rounds go on until it is settled, or the budget is spent. What is not clear then is printed as *not settled*:
never as a win, never as a loss.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .files import ROOT

WORDS = ("not settled", "faster", "slower", "level")  # in the order of verdict.h
UNSETTLED, FASTER, SLOWER, LEVEL = WORDS
NOISE = 1.03  # closer than this is level
LEAST, MOST = 7, 40  # rounds


@dataclass(frozen=True)
class Verdict:
    """`ratio`: the peer's time over ours, above 1 where we are faster; with its interval, of so many rounds. None: not known."""

    word: str
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    by_cpu: bool = False  # the ratio is of CPU time, which decides where wall time does not
    beside: str = ""  # the peer's name

    @property
    def settled(self) -> bool:
        return self.word != UNSETTLED

    def __str__(self) -> str:
        if self.ratio is None:
            return self.word
        if not self.settled and self.rounds < LEAST:
            return f"{self.ratio:.2f}, {self.word}: {self.rounds} round{'s' * (self.rounds != 1)}"
        return f"{self.ratio:.2f} ({self.low:.2f} to {self.high:.2f}), {self.word}" + (" by CPU time" if self.by_cpu else "")


class _Ratio(ctypes.Structure):
    _fields_ = [("median", ctypes.c_double), ("low", ctypes.c_double), ("high", ctypes.c_double), ("word", ctypes.c_int)]


class _Verdict(ctypes.Structure):
    _fields_ = [("word", ctypes.c_int), ("by_cpu", ctypes.c_int), ("wall", _Ratio), ("cpu", _Ratio)]


@functools.cache
def _rule() -> ctypes.CDLL:
    """verdict.c, compiled if need be."""
    source, library = ROOT / "tools" / "shipped" / "chomp" / "verdict.c", ROOT / "build" / "verdict" / "verdict.so"
    compiler = shutil.which("cc") or shutil.which("clang-19") or shutil.which("clang")
    newest = max(file.stat().st_mtime for file in (source, source.with_suffix(".h")))
    if not library.exists() or (compiler is not None and library.stat().st_mtime < newest):
        library.parent.mkdir(parents=True, exist_ok=True)
        made = library.with_name(f"verdict.{os.getpid()}")
        if compiler is None or subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", made, "-lm"], check=False).returncode != 0:
            raise SystemExit(f"{source.relative_to(ROOT)} is not compiled: to compare takes a C compiler")
        made.replace(library)
    return ctypes.CDLL(str(library))


def judge(ours: Sequence[float], theirs: Sequence[float], our_cpu: Sequence[float] = (), their_cpu: Sequence[float] = (),
          beside: str = "") -> Verdict:
    """Of two series of the same rounds. The CPU times are those of the processes; empty where they are not known."""
    count, found = min(len(ours), len(theirs), _MOST_ROUNDS), _Verdict()
    values = [(ctypes.c_double * count)(*series[:count]) if len(series) >= count else None for series in (ours, theirs, our_cpu, their_cpu)]
    _rule().compare(count, *values, ctypes.byref(found))
    said = found.cpu if found.by_cpu else found.wall
    if count == 0:
        return Verdict(UNSETTLED, None, None, None, 0, beside=beside)
    low, high = (None, None) if math.isinf(said.high) else (said.low, said.high)
    return Verdict(WORDS[found.word], said.median, low, high, count, bool(found.by_cpu), beside)


_MOST_ROUNDS = 101  # of verdict.h


def exact(ratio: float, beside: str) -> Verdict:
    """Of what repeats exactly: instructions."""
    return Verdict(FASTER if ratio > NOISE else SLOWER if ratio * NOISE < 1 else LEVEL, ratio, ratio, ratio, 1, beside=beside)


def worst(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Of one side beside each of several others: what may be said beside the best of them. Which is the best is chance where some are
    alike, so we are faster than it where we are faster than each, and slower where we are slower than any. None if there are none."""
    order = (SLOWER, UNSETTLED, LEVEL, FASTER)
    return min(verdicts, key=lambda verdict: (order.index(verdict.word), verdict.ratio or 0), default=None)


def mean(verdicts: Iterable[Verdict]) -> float | None:
    """The geometric mean of the ratios that are settled; None if none is."""
    return statistics.geometric_mean(ratios) if (ratios := [verdict.ratio for verdict in verdicts if verdict.settled]) else None


def counts(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, int, int]]:
    """(word, how many, how many of them by CPU time), of those words that were said."""
    every = list(verdicts)
    for word in (FASTER, LEVEL, UNSETTLED, SLOWER):
        if found := [verdict for verdict in every if verdict.word == word]:
            yield word, len(found), sum(verdict.by_cpu for verdict in found)


Row = TypeVar("Row")


def schedule(rows: Sequence[Row], settled: Callable[[Row], bool], budget_s: float, least: int = LEAST, most: int = MOST,
             clock: Callable[[], float] = time.monotonic) -> Iterator[tuple[int, Row]]:
    """(turn, row): all rows twice, whatever that takes; then each that is not settled until it has `least` rounds, those that take the
    shortest time first, so that a budget that is too small for all is enough for many; then the settled ones, whose intervals become
    narrow; then all that are not settled, round by round. Nothing else begins when the budget is spent. Whether a row is settled is
    asked when verdict.c may look."""
    begin, took, made, done = clock(), {}, {}, set()

    def step(turn: int, index: int) -> Iterator[tuple[int, Row]]:
        before = clock()
        yield turn, rows[index]
        took[index] = clock() - before
        made[index] = turn + 1
        if _rule().may_look(turn + 1):
            (done.add if settled(rows[index]) else done.discard)(index)

    every = range(len(rows))
    for turn in range(min(2, most)):
        for index in every:
            yield from step(turn, index)
    for to_the_end in (False, True):
        for index in sorted(every, key=lambda index: took[index]):
            for turn in range(made[index], min(least, most)):
                if not to_the_end and index in done:
                    break
                if clock() - begin > budget_s:
                    return
                yield from step(turn, index)
    for turn in range(least, most):
        for index in every:
            if index not in done:
                if clock() - begin > budget_s:
                    return
                yield from step(turn, index)
