"""The whole report: where the numbers come from, the tables, and how what failed did."""

from __future__ import annotations

from collections.abc import Iterator

from .record import Key, Record
from .tables import TABLES, Table
from .text import Part, place


def wanted(record: Record) -> Iterator[tuple[Table, list[Part]]]:
    """The tables of the run."""
    for table in TABLES:
        if table.number in record.about["tables"]:
            yield table, table.parts(record)


def caption(record: Record) -> str:
    """What a reader needs to judge the numbers."""
    about, machine = record.about, record.about["machine"]
    libraries = ", ".join(dict.fromkeys(v["version"] for v in about["libraries"].values() if v["version"]))
    compilers = ", ".join(filter(None, about["compilers"].values()))
    rounds = f"{about['rounds']} rounds" if about["rounds"] else "the tables' own numbers of rounds"
    words = (f"{about['date']}, {machine['cpu']}, {machine['cpus']} CPUs, load average {machine['load_before']} before and "
             f"{machine['load_after']} after; {compilers}; {libraries}; commit {about['commit']}, "
             f"`tools/bench schedulers {' '.join(about['arguments'])}`, {about['scale']} sizes, {rounds}, {record.disturbed()}.")
    if not about["complete"]:
        words += " **The run was interrupted: some figures are missing.**"
    if machine["load_before"] > 0.5 * machine["cpus"]:
        words += " **Others were busy on this machine: times are not to be trusted.**"
    return words


def failure(key: Key, error: str) -> str:
    """One line."""
    return f"{key.side} at {key.job}, {place(key.topology, key.threads)}{', counted' if key.counted else ''}: {error}"


def markdown(record: Record, pictures: dict[int, str]) -> str:
    """README.md of the results' folder. `pictures`: file names by number of table, which stand for it."""
    blocks = ["# Schedulers compared", caption(record), "What the pictures show: README.md of tools/laboratory/schedulers; their tables: `tools/bench schedulers --from results.json`."]
    for table, parts in wanted(record):
        drawn = table.number in pictures
        blocks += [f"## {table.number}. {table.title}", f"After {table.source}.", *(part.markdown() for part in ([] if drawn else parts))]
        if not parts:
            blocks.append("Nothing was measured.")
        if drawn:
            blocks.append(f"![{table.title}]({pictures[table.number]})")
    blocks += ["\n".join(f"- {failure(*entry)}" for entry in record.failures()) or "Every answer was right."]
    return "\n\n".join(block for block in blocks if block) + "\n"


def text(record: Record) -> str:
    """For the terminal."""
    blocks = [caption(record).replace("**", "")]
    for table, parts in wanted(record):
        blocks.append(f"---- {table.number}. {table.title} ----")
        blocks += [part.text() for part in parts]
    blocks += [failure(*entry) for entry in record.failures()] or ["Every answer was right."]
    return "\n\n".join(blocks)
