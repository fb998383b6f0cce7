"""One process that must succeed, and the samples of all rounds."""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field


class Failed(Exception):
    """A run that gave no usable number. `mark` is one word for the table: hangs, crashes, wrong or error."""

    def __init__(self, mark: str, why: str) -> None:
        super().__init__(f"{mark}: {why}")


@dataclass
class Series:
    """All rounds of one pattern on one runtime in one mode, in the pattern's unit."""

    samples: list[float] = field(default_factory=list)
    extras: list[dict[str, float]] = field(default_factory=list)  # the program's other figures, one for each sample
    error: str = ""  # begins with the mark

    @property
    def best(self) -> float:
        return min(self.samples)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def mark(self) -> str:
        return self.error.split(":")[0]

    def extra(self, key: str) -> float | None:
        """The median of one of the other figures."""
        values = [e[key] for e in self.extras if key in e]
        return statistics.median(values) if values else None


def parse(line: str) -> dict[str, str]:
    """The key=value pairs of a program's last line."""
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


def first_words(text: str) -> str:
    """The first line of a program's complaint, shortened, without the folders of this machine."""
    lines = [line for line in text.splitlines() if line.strip()]
    return re.sub(r"(/[^/\s:]+)+/", "", lines[0])[:80] if lines else "no output"


def run_program(command: list[str], env: dict[str, str], limit_s: float, begins: Callable[[], None] | None = None) -> str:
    """Standard output of a program that must succeed. `begins` is called in its process first."""
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=limit_s, check=False, preexec_fn=begins)
    except subprocess.TimeoutExpired as late:
        raise Failed("hangs", f"no end after {limit_s:.0f} s") from late
    if done.returncode < 0:
        raise Failed("crashes", f"signal {-done.returncode}: {first_words(done.stderr or done.stdout)}")
    if "check=WRONG" in done.stdout or "UNSUCCESSFUL" in done.stdout:
        culprits = [parse(line).get("pattern", "") for line in done.stdout.splitlines() if "check=WRONG" in line]
        raise Failed("wrong", " ".join(["not the right answer", *filter(None, culprits)]))
    if done.returncode != 0:
        raise Failed("error", f"exit {done.returncode}: {first_words(done.stderr or done.stdout)}")
    return done.stdout
