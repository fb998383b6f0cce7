"""The results of a run: in memory, as a JSON file, and as the record under build/results/."""

from __future__ import annotations

import datetime
import pathlib
import sys
from dataclasses import dataclass, field
from typing import Any

from harness import engine, files
from harness.machine import commit, first_line, library_version, load_average, machine, machine_name  # noqa: F401
from harness.running import Series

from .catalog import CATALOG, Pattern
from .loops_catalog import LOOPS
from .metg_catalog import METG
from .runtimes import PEERS, Runtime

Key = tuple[str, str, str]  # (pattern, mode, runtime); the serial code is in mode "1"
CATALOGS = {"tasks": CATALOG, "loops": LOOPS, "metg": METG}
BY_NAME = {pattern.name: pattern for catalog in CATALOGS.values() for pattern in catalog}
FORMAT = 1


@dataclass
class Run:
    """Everything a run found out. `about` is what somebody needs to judge or repeat it."""

    about: dict[str, Any]
    series: dict[Key, Series] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # of the patterns

    def best(self, pattern: str, mode: str, runtime: str) -> float | None:
        """The best sample, if there is one."""
        series = self.series.get((pattern, mode, runtime))
        return series.best if series and series.samples else None

    def best_peer(self, pattern: str, mode: str) -> tuple[float, str] | None:
        """The fastest peer in this mode, and its name."""
        values = [(value, peer) for peer in PEERS if (value := self.best(pattern, mode, peer)) is not None]
        return min(values, default=None)

    def verdict(self, pattern: str, mode: str) -> engine.Verdict | None:
        """What may be said of chomp beside the best peer; None if there are not both."""
        ours = self.series.get((pattern, mode, "chomp"))
        if ours is None or not ours.samples:
            return None
        peers = {name: series for name in PEERS if (series := self.series.get((pattern, mode, name))) and series.samples}
        if self.instructions:  # they repeat exactly
            return engine.worst(engine.exact(series.best / ours.best, name) for name, series in peers.items())
        return engine.worst(engine.judge(ours.samples, series.samples, beside=name) for name, series in peers.items())

    def patterns(self) -> list[Pattern]:
        """Those that were measured, in the catalog's order."""
        names = {pattern for pattern, _, _ in self.series}
        return [p for p in CATALOGS[self.catalog] if p.name in names]

    def modes(self) -> list[str]:
        """`record` first, then by number of threads."""
        return sorted({mode for _, mode, _ in self.series}, key=lambda m: 0 if m == "record" else int(m))

    def runtimes(self) -> list[str]:
        """In the order in which they took turns."""
        return list(self.about["libraries"])

    @property
    def catalog(self) -> str:
        """Of which the patterns are: a key of CATALOGS."""
        return self.about.get("catalog", "tasks")

    @property
    def instructions(self) -> bool:
        """Instructions were counted, not time."""
        return self.about["figure"] == "instructions"


def describe(found: list[Runtime], catalog: str, clang: str, gcc: str, scale: str, rounds: int | None, instructions: bool) -> dict[str, Any]:
    """Everything about a run that begins now; no path of this machine."""
    return {"format": FORMAT, "date": datetime.date.today().isoformat(), "commit": commit(),
            "figure": "instructions" if instructions else "time", "scale": scale, "rounds": rounds, "complete": False,
            "arguments": [a for a in sys.argv[1:] if "/" not in a],
            "machine": machine(),
            "compilers": {"clang": first_line([clang, "--version"]), "gcc": first_line([gcc, "--version"])},
            "libraries": {r.name: {"file": r.library.name, "version": library_version(r)} for r in found},
            **({} if catalog == "tasks" else {"catalog": catalog})}


def as_rows(run: Run) -> list[dict[str, Any]]:
    """One entry per series."""
    return [{"pattern": pattern, "size": run.sizes[pattern], "unit": BY_NAME[pattern].unit, "threads": mode, "runtime": runtime,
             "best": s.best if s.samples else None, "median": s.median if s.samples else None, "samples": s.samples,
             "extras": s.extras if any(s.extras) else [], "error": s.error} for (pattern, mode, runtime), s in run.series.items()]


def as_json(run: Run) -> str:
    return files.as_json(run.about, as_rows(run))


def from_json(text: str) -> Run:
    """The reverse. Patterns that the catalog no longer has are dropped."""
    data = files.from_json("bench", text, FORMAT)
    run = Run({k: v for k, v in data.items() if k != "results"})
    for row in data["results"]:
        if row["pattern"] in BY_NAME:
            run.series[row["pattern"], row["threads"], row["runtime"]] = Series(row["samples"], row["extras"], row["error"])
            run.sizes[row["pattern"]] = row["size"]
    return run


def write_json(path: pathlib.Path, run: Run) -> None:
    """Into a folder that is made if need be."""
    files.write(path, as_json(run))


def why_not_of_record(run: Run) -> str:
    """Empty if the run may stand as the record."""
    if run.instructions:
        return "instructions were counted, not time"
    if (run.about["rounds"] or engine.LEAST) < engine.LEAST:
        return f"fewer than {engine.LEAST} rounds"
    if run.about["scale"] == "quick":
        return "sizes of a quick run"
    return "" if run.about["complete"] else "an incomplete run"


def record(run: Run, folder: pathlib.Path = files.RESULTS) -> pathlib.Path:
    """build/results/CATALOG-DATE-MACHINE.json, whose path is returned."""
    samples = folder / f"{run.catalog}-{run.about['date']}-{machine_name(run.about['machine'])}.json"
    write_json(samples, run)
    return samples
