"""What came out: one series for each program, library and number of threads. Written as JSON without any path of the machine."""

import datetime
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from common import die
from harness import engine, files
from harness.machine import commit, first_line, library_version, machine

from .entries import RIGHT
from .libraries import KNOWN

FORMAT = 3
NOT_RUN = "not run"  # the outcome of a program that cannot run on the library under test


@dataclass
class Series:
    """All rounds of one program on one library with one number of threads."""

    entry: str
    library: str
    threads: int
    arguments: str = ""
    cutoff: bool | None = None
    outcome: str = RIGHT
    why: str = ""
    seconds: list = field(default_factory=list)
    serial: list = field(default_factory=list)
    peak_kib: list = field(default_factory=list)
    cpu: list = field(default_factory=list)  # seconds of all threads of each run together

    @property
    def right(self):
        return self.outcome == RIGHT and bool(self.seconds)

    @property
    def best(self):
        return min(self.seconds)

    @property
    def peak_mib(self):
        return max(self.peak_kib) / 1024


class Results:
    """Series by (entry, threads, library), in the order in which they were begun."""

    def __init__(self, about):
        self.about = about
        self.series = {}

    def add(self, series):
        self.series[series.entry, series.threads, series.library] = series

    def drop_unmeasured(self):
        """What a stopped run did not come to."""
        self.series = {key: series for key, series in self.series.items() if series.seconds or series.outcome != RIGHT}

    def get(self, entry, threads, library):
        """None unless it was run and every answer was right."""
        series = self.series.get((entry, threads, library))
        return series if series and series.right else None

    def lines(self):
        """The pairs (entry, threads), in order."""
        return list(dict.fromkeys((entry, threads) for entry, threads, _ in self.series))

    def libraries(self):
        return list(self.about["libraries"])

    def subjects(self):
        return [name for name, facts in self.about["libraries"].items() if facts["subject"]]

    def references(self):
        return [name for name, facts in self.about["libraries"].items() if not facts["subject"]]

    def compiler(self, library):
        return self.about["libraries"][library]["compiler"]

    def comparable(self, reference, subject):
        """Whether both ran the same executables."""
        return not self.about["own_programs"] or self.compiler(reference) == self.compiler(subject)

    def verdict(self, entry, threads, subject):
        """What may be said of the subject beside the best of the libraries that ran the same executable (engine.py); None without both."""
        ours = self.get(entry, threads, subject)
        peers = {name: series for name in self.references() if self.comparable(name, subject) and (series := self.get(entry, threads, name))}
        return engine.worst(engine.judge(ours.seconds, series.seconds, ours.cpu, series.cpu, name) for name, series in peers.items()) if ours else None

    def speed_up_verdict(self, entry, threads, subject, other):
        """Of speed-ups, each over the serial code of its own compiler in the same round; None without both."""
        both = [self.get(entry, threads, name) for name in (subject, other)]
        if None in both or any(len(series.serial) < len(series.seconds) for series in both):
            return None
        return engine.judge(*([seconds / max(serial, 1e-9) for seconds, serial in zip(series.seconds, series.serial)] for series in both))

    def verdicts(self, threads, subject):
        """{program: verdict} of those that can be compared."""
        found = {entry: self.verdict(entry, line_threads, subject) for entry, line_threads in self.lines() if line_threads == threads}
        return {entry: verdict for entry, verdict in found.items() if verdict}

    def serial(self, entry, compiler):
        """The best time of the serial code that this compiler made, over all runs; None if it was not timed."""
        values = [seconds for (name, _, library), series in self.series.items()
                  if name == entry and series.right and self.compiler(library) == compiler for seconds in series.serial]
        return min(values, default=None)

    def speed_up(self, entry, threads, library):
        """Over the serial code of the same compiler; None if there is no time of either."""
        if library not in self.about["libraries"]:
            return None
        series, serial = self.get(entry, threads, library), self.serial(entry, self.compiler(library))
        return serial / max(series.best, 1e-9) if series and serial else None

    def failures(self, names):
        return [series for series in self.series.values() if series.library in names and not series.right]


def describe(libraries, options, compilers):
    """Everything that is needed to judge a run or to repeat it; no path of this machine. `compilers` made our own programs;
    it is not known where other executables come from."""
    settings = {k: v for k, v in os.environ.items() if k.startswith(("OMP_", "KMP_", "GOMP_", "CHOMP_")) and "/" not in v}
    return {"format": FORMAT, "date": datetime.date.today().isoformat(), "commit": commit(), "complete": False,
            "own_programs": bool(compilers), "few": options.few, "size": options.size, "rounds": options.rounds, "bound": options.bound,
            "arguments": [re.sub(r"(^|=)(?=[./~])[^,]*/", r"\1", word) for word in sys.argv[1:]], "settings": settings,
            "machine": machine(),
            "compilers": {name: first_line([command, "--version"]) for name, command in compilers.items()},
            "libraries": {library.name: {"file": library.library.name, "subject": library.subject, "compiler": library.compiler,
                                         "version": library_version(library) if library.name in KNOWN else "",
                                         "environment": library.environment} for library in libraries}}


def as_json(results):
    return files.as_json(results.about, map(vars, results.series.values()))


def read(file):
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            die(f"{file}: of format {data['format']}; this tool reads format {FORMAT}")
        results = Results({key: value for key, value in data.items() if key != "results"})
        for row in data["results"]:
            results.add(Series(**row))
    except (OSError, ValueError, KeyError, TypeError) as error:
        die(f"{file}: not the results of a run of tools/bench programs: {error}")
    return results
