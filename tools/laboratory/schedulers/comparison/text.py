"""The parts of a report, as Markdown; the terminal shows the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import benchlib  # noqa: F401  # says where the harness is
from harness.running import Series
from harness.tables import Table, as_markdown, as_text

Lines = Table


@dataclass
class Part:
    """One table with its heading and what is to be said below it. `left`: columns of words."""

    heading: str
    lines: Lines
    left: tuple[int, ...] = (0,)
    remarks: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        table = as_markdown(self.lines, self.left) if len(self.lines) > 1 else ""
        remarks = "\n".join(f"- {remark}" for remark in self.remarks)
        return "\n\n".join(filter(None, [f"### {self.heading}" if self.heading else "", table, remarks]))

    def text(self) -> str:
        plain = [[field.replace("**", "") for field in line] for line in self.lines]
        table = as_text(plain, self.left) if len(plain) > 1 else ""
        return "\n".join(filter(None, [self.heading, table, *self.remarks]))


def place(topology: str, threads: int) -> str:
    """`2 threads`, or with the shape of the machine."""
    words = "1 thread" if threads == 1 else f"{threads} threads"
    return words if topology == "real" else f"`{topology}`, {words}"


def or_failure(figure: str, series: Series | None) -> str:
    """The figure, how it failed, or both."""
    if series is None:
        return "–"
    return " ".join(filter(None, ["" if figure == "–" else figure, series.mark])) or "–"


def drop_empty_columns(lines: Lines, keep: Sequence[int] = (0,)) -> Lines:
    """Without columns that have nothing but dashes."""
    wanted = [i for i in range(len(lines[0])) if i in keep or any(line[i] != "–" for line in lines[1:])]
    return [[line[i] for i in wanted] for line in lines]
