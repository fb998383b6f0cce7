"""The results of a run: in memory, and as the JSON file that is written after every group of cases, so that an interrupted run keeps what
it has."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import benchlib  # noqa: F401  # says where the harness is
from harness import engine, files
from harness.machine import machine_name
from harness.running import Series

FORMAT = 1


class Key(NamedTuple):
    """Which series. `counted`: run for the counters; its time is not shown."""

    job: str
    side: str
    threads: int
    topology: str
    counted: bool


@dataclass
class Record:
    """Everything a run found out. `about` is what a reader needs to judge or repeat it."""

    about: dict[str, Any]
    series: dict[Key, Series] = field(default_factory=dict)
    jobs: dict[str, dict[str, str]] = field(default_factory=dict)  # name → what it does, unit

    @property
    def cpus(self) -> int:
        """That the process could use."""
        return int(self.about["machine"]["cpus"])

    def sides(self, group: str = "") -> list[str]:
        """In the order of the run; those of a group of jobs, if one is named."""
        used = {key.side for key in self.series if key.job.startswith(group)}
        return [name for name in self.about["sides"] if name in used]

    def labels(self, group: str) -> list[str]:
        """Of the jobs of a group, in order."""
        return list(dict.fromkeys(name.split("/", 1)[1] for name in self.jobs if name.startswith(f"{group}/")))

    def places(self, group: str, counted: bool) -> list[tuple[str, int]]:
        """The topologies and numbers of threads that a group of jobs ran with."""
        return sorted({(k.topology, k.threads) for k in self.series if k.job.startswith(f"{group}/") and k.counted == counted},
                      key=lambda place: (place[0] != "real", place[0], place[1]))

    def has_meaningful_times(self, topology: str, threads: int) -> bool:
        """Whether times mean something, as the run that measured them judged it."""
        return [topology, threads] not in self.about["counts_only"]

    def get(self, job: str, side: str, threads: int, topology: str, counted: bool = False) -> Series | None:
        """A series, if it was measured."""
        return self.series.get(Key(job, side, threads, topology, counted))

    def disturbed(self) -> str:
        """How many rounds of all series were."""
        return engine.as_words(series.rounds for series in self.series.values())

    def failures(self) -> list[tuple[Key, str]]:
        """The series that failed, and how."""
        return [(key, series.error) for key, series in self.series.items() if series.error]


def as_json(record: Record) -> str:
    rows = (key._asdict() | {"samples": s.samples, "extras": s.extras, "error": s.error, "rounds": s.rounds}
            for key, s in record.series.items())
    return files.as_json(record.about | {"jobs": record.jobs}, rows)


def from_json(text: str) -> Record:
    """The reverse."""
    data = files.from_json("schedulers", text, FORMAT)
    record = Record({k: v for k, v in data.items() if k not in ("jobs", "results")}, jobs=data["jobs"])
    for row in data["results"]:
        key = Key(*(row[name] for name in Key._fields))
        record.series[key] = Series(row["samples"], row["extras"], row["error"], rounds=row.get("rounds", []))
    return record


def default_folder(about: dict[str, Any]) -> pathlib.Path:
    """build/results/schedulers-DATE-MACHINE, as tools/bench names its files."""
    return files.RESULTS / f"schedulers-{about['date']}-{machine_name(about['machine'])}"
