"""How long to measure, and what may be said: the one rule of all commands that compare.

Sides run in turn, round by round (turns.py). Each round is watched: how much of the CPUs others took (/proc/stat, what a hypervisor
stole included), what a ping-pong of two threads takes (two CPUs of one machine are near one another or far, for minutes at a time), and
how long the serial code beside it took, where there is some. A round that was disturbed does not count, so it is made again. Rounds go on
until the interval of the ratio is narrow, or the budget is spent. What is not clear then is printed as *undecided*: never as a win,
never as a loss.
"""

from __future__ import annotations

import math
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from .files import ROOT

FASTER, SLOWER, LEVEL, UNSETTLED = "faster", "slower", "level", "undecided"
NOISE = 1.03  # closer than this is level
NARROW = 1.06  # upper end over lower end of an interval that needs no more rounds
LEAST, MOST = 6, 40  # rounds: five that agree by chance are one in sixteen
CONFIDENCE = 0.99  # high, since it is looked at after each round
OTHERS = 0.08  # part of the CPUs that others may take
SERIAL = 1.15  # times the usual time of the serial code
PING_EVERY_S = 2.0
MOVED = 1.6  # times what the ping-pong usually takes, up or down: the CPUs are others now
ONE_CPU = (0.8, 1.1)  # CPUs that a process of several threads has when they sit on one


@dataclass(frozen=True)
class Round:
    """What else the machine did meanwhile. What is not known is None, and disturbs nothing."""

    others: float = 0.0  # part of the CPUs that others took
    ping_ns: float | None = None  # a round trip between two CPUs
    serial: float | None = None  # of the serial code, in any unit


@dataclass(frozen=True)
class Verdict:
    """`ratio`: the peer's time over ours, above 1 where we are faster; with its interval, of so many rounds."""

    word: str
    ratio: float | None
    low: float | None
    high: float | None
    rounds: int
    why: str = ""

    @property
    def settled(self) -> bool:
        return self.word != UNSETTLED

    def __str__(self) -> str:
        if self.ratio is None:
            return f"{self.word}: {self.why}"
        return f"{self.ratio:.2f} ({self.low:.2f} to {self.high:.2f}), {self.word}" + (f": {self.why}" if self.why else "")


def disturbed(rounds: Sequence[Round]) -> list[bool]:
    """Which of the rounds do not count. Of states that last (CPUs near one another or far; the speed of the serial code), the one that most
    rounds had counts."""
    def typical(name: str, apart: float) -> float | None:
        values = sorted(value for one in rounds if (value := getattr(one, name)))
        return max(values, key=lambda value: sum(1 / apart < other / value < apart for other in values), default=None)
    ping, serial = typical("ping_ns", MOVED), typical("serial", SERIAL)
    return [one.others > OTHERS
            or bool(ping and one.ping_ns and not 1 / MOVED < one.ping_ns / ping < MOVED)
            or bool(serial and one.serial and not 1 / SERIAL < one.serial / serial < SERIAL) for one in rounds]


def on_one_cpu(threads: int, cpus: int, cores: float | None, most: float | None) -> bool:
    """Whether the threads of a process sat on one CPU: it used one, where in another round it used more. `cores`: its CPU time over the
    time that it took."""
    return min(threads, cpus) > 1 and None not in (cores, most) and ONE_CPU[0] <= cores <= ONE_CPU[1] and most > 1.4


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """Of the median, by ranks: exact for any distribution, where a bootstrap of few rounds is too narrow. Of so few that even the least
    and the most are not sure enough, these two."""
    count, cut, below = len(ratios), 0, 0
    ranked = sorted(ratios)
    while 2 * (cut + 1) < count:
        below += math.comb(count, cut)
        if 2 * below / 2 ** count > 1 - CONFIDENCE:
            break
        cut += 1
    return ranked[max(cut - 1, 0)], ranked[-max(cut, 1)]


def judge(ours: Sequence[float], theirs: Sequence[float], rounds: Sequence[Round] = (), apart: Iterable[int] = ()) -> Verdict:
    """Of two series of the same rounds. `apart`: rounds in which the threads of one of them sat on one CPU."""
    count = min(len(ours), len(theirs))
    watched = [*rounds[:count], *[Round()] * (count - len(rounds))]
    apart, bad = set(apart), disturbed(watched)
    ratios = [theirs[i] / ours[i] for i in range(count) if not bad[i] and i not in apart and ours[i] > 0 and theirs[i] > 0]
    left_out = [f"{sum(bad)} of {count} rounds disturbed"] if any(bad) else []
    left_out += [f"threads on one CPU in {len(apart)} of {count} rounds"] if apart else []
    why = "; ".join(left_out)
    if not ratios:
        return Verdict(UNSETTLED, None, None, None, 0, why or "no rounds")
    ratio, (low, high) = statistics.median(ratios), interval(ratios)
    if len(ratios) < LEAST or 2 * len(apart) > count:
        return Verdict(UNSETTLED, ratio, low, high, len(ratios), why or f"{len(ratios)} rounds")
    if high / low > max(NARROW, math.sqrt(max(ratio, 1 / ratio))):  # a factor of three needs no second digit
        return Verdict(UNSETTLED, ratio, low, high, len(ratios), "; ".join([*left_out, "the interval is wide"]))
    word = LEVEL if max(ratio, 1 / ratio) < NOISE else FASTER if low > 1 else SLOWER if high < 1 else UNSETTLED
    return Verdict(word, ratio, low, high, len(ratios), why)


Row = TypeVar("Row")


def schedule(rows: Sequence[Row], settled: Callable[[Row], bool], budget_s: float, least: int = LEAST, most: int = MOST,
             clock: Callable[[], float] = time.monotonic) -> Iterator[tuple[int, Row]]:
    """(turn, row): all rows once before any runs again, `least` times each, then those that are not settled. The first two rounds of all
    are made whatever they take; nothing else begins when the budget is spent. A row is settled or not after each of its rounds."""
    begin = clock()
    for turn in range(most):
        left = [row for row in rows if turn < least or not settled(row)]
        for row in left:
            if turn >= 2 and clock() - begin > budget_s:
                return
            yield turn, row
        if not left:
            return


# ---- What the machine does meanwhile -----------------------------------------------------------------------------------


def _busy_s(cpus: Iterable[int]) -> float:
    """Seconds that these CPUs have worked for anybody, or were stolen."""
    names, ticks = {f"cpu{cpu}" for cpu in cpus}, 0
    for line in pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines():
        word, *values = line.split()
        if word in names:
            user, nice, system, _, _, irq, softirq, steal = map(int, values[:8])
            ticks += user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    """Seconds of this process and its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


class Watch:
    """Watches rounds; all sides of a round run between begin() and end()."""

    def __init__(self, ping: pathlib.Path | None) -> None:
        self._ping, self._cpus = ping, sorted(os.sched_getaffinity(0))
        self._begin, self._pinged = (0.0, 0.0, 0.0), (-PING_EVERY_S, None)

    def begin(self) -> None:
        self._begin = (time.monotonic(), _busy_s(self._cpus), _own_s())

    def end(self, serial: float | None = None) -> Round:
        elapsed, busy, own = (now - then for now, then in zip((time.monotonic(), _busy_s(self._cpus), _own_s()), self._begin))
        room = elapsed * len(self._cpus)
        # The kernel counts in ticks: what is less than two of them on each CPU is not known.
        others = busy - own - 2 * len(self._cpus) / os.sysconf("SC_CLK_TCK")
        return Round(round(max(0.0, others / room), 3) if room else 0.0, self._ping_ns(), serial)

    def _ping_ns(self) -> float | None:
        """What a word takes from one CPU to another and back; None where there is one CPU only."""
        if self._ping is not None and len(self._cpus) > 1 and time.monotonic() - self._pinged[0] > PING_EVERY_S:
            done = subprocess.run([self._ping, *map(str, self._cpus[:2])], capture_output=True, text=True, check=False)
            self._pinged = (time.monotonic(), float(done.stdout) if done.returncode == 0 else None)
        return self._pinged[1]


def ping_program(compiler: str = "cc") -> pathlib.Path | None:
    """pingpong.c, compiled if need be; None where there is no compiler."""
    source, program = pathlib.Path(__file__).with_name("pingpong.c"), ROOT / "build" / "results" / "pingpong"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        found = shutil.which(compiler) or shutil.which("clang-19")
        program.parent.mkdir(parents=True, exist_ok=True)
        made = program.with_name(f"pingpong.{os.getpid()}")
        if found is None or subprocess.run([found, "-O2", "-pthread", source, "-o", made], check=False).returncode != 0:
            return None
        made.replace(program)
    return program


def as_words(rows: Iterable[Sequence[dict[str, float | None]]]) -> str:
    """A caption about the rounds of all rows."""
    watched = [rounds_from(row) for row in rows]
    pings = [one.ping_ns for row in watched for one in row if one.ping_ns]
    moved = f"; a ping-pong took {min(pings):.0f} to {max(pings):.0f} ns" if pings else ""
    return f"{sum(sum(disturbed(row)) for row in watched)} of {sum(map(len, watched))} rounds were disturbed{moved}"


def judge_series(ours: Any, theirs: Any, threads: int, cpus: int) -> Verdict:
    """Of two running.Series."""
    apart = set()
    for one in (ours, theirs):
        most = max(one.cores, default=None)
        apart |= {i for i, cores in enumerate(one.cores) if on_one_cpu(threads, cpus, cores, most)}
    return judge(ours.samples, theirs.samples, rounds_from(ours.rounds), apart)


class Cores:
    """How many CPUs the children have that run, one after another, between begin() and end()."""

    def begin(self) -> None:
        self._begin = (time.monotonic(), _own_s())

    def end(self) -> float:
        elapsed, own = time.monotonic() - self._begin[0], _own_s() - self._begin[1]
        return round(own / elapsed, 2) if elapsed else 0.0


def rounds_from(rows: Iterable[dict[str, float | None]]) -> list[Round]:
    return [Round(**row) for row in rows]
