"""Runs every program on every library, the libraries in turn: A B A B, so that a slow phase of a shared machine hits all of them. How often
is the engine's to say. The first failure on a library ends the program's runs there."""

import dataclasses
import json
import os
import tempfile
import time
from pathlib import Path

import binding
from harness import engine
from harness.turns import in_turn

from .entries import RIGHT, judge, seconds_in, without_folders
from .launch import run
from .results import NOT_RUN, Series


BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}


class Unusable(Exception):
    """A library that this program cannot run on."""


class Runner:
    """`links` is a folder for names of libraries; `limit` seconds for one run, where a program's line does not say."""

    def __init__(self, links, limit, bound=False):
        self._links = Path(links)
        self._limit = limit
        # The caller's settings stay, and the results name them; the variables of the loader are set here.
        self._base = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_DEBUG", "LD_BIND_NOW")}
        if bound:
            self._base |= BOUND
        self._placed = {}

    def variables(self, entry, library, threads):
        """What to set so that the program runs on the library; Unusable if nothing does it."""
        executable = entry.executable(library.compiler)
        if executable is None:
            raise Unusable(f"no build of it by {library.compiler}")
        key = (executable, library.name)
        if library.compiler == "tbb" and executable == entry.files.get("tbb"):
            self._placed[key] = {}  # a twin is linked with its library, and calls no OpenMP
        if key not in self._placed:
            try:
                found = binding.place(executable, library.library, self._links / library.name.replace("/", "-"),
                                      self._base | entry.environment)
            except (binding.NotBound, OSError) as error:
                found = Unusable(str(error))
            self._placed[key] = found
        if isinstance(self._placed[key], Unusable):
            raise self._placed[key]
        return {"OMP_NUM_THREADS": str(threads), **entry.environment, **library.environment, **self._placed[key]}

    def once(self, entry, library, threads):
        """One run: (outcome, why, what the process did)."""
        variables = self.variables(entry, library, threads)
        ended = run([entry.executable(library.compiler), *entry.arguments], variables, self._base, entry.timeout or self._limit)
        return (*judge(entry, ended), ended)

    def counted(self, entry, library, threads):
        """The counters of one more run, which takes longer for them; None if it failed, or the library has none."""
        with tempfile.NamedTemporaryFile() as file:
            counting = dataclasses.replace(library, environment={**library.environment, "CHOMP_STATS": file.name})
            if self.once(entry, counting, threads)[0] != RIGHT:
                return None
            text = Path(file.name).read_text(encoding="utf-8")
        return json.loads(text)["total"] if text else None

    def serial(self, entry):
        """Seconds of the entry's own serial program, or None if it has none or failed."""
        if not entry.serial:
            return None
        ended = run(entry.serial, entry.environment, self._base, entry.timeout or self._limit)
        return (seconds_in(entry.time, ended.output) if entry.time else ended.seconds) if ended.status == entry.status else None


def _take(entry, library, series, runner):
    outcome, why, ended = runner.once(entry, library, series.threads)
    series.peak_kib.append(ended.peak_kib)
    if outcome != RIGHT:
        series.outcome, series.why = outcome, why
        return
    series.seconds.append(seconds_in(entry.time, ended.output) if entry.time else ended.seconds)
    series.cpu.append(round(ended.cpu_seconds, 6))
    serial = seconds_in(entry.serial_time, ended.output)
    if serial is not None:
        series.serial.append(serial)


def _line_up(entry, threads, libraries, runner, results):
    """[(library, its series)] of those that the program can run on; the series stand in `results` from now on."""
    found = []
    for library in libraries:
        try:
            runner.variables(entry, library, threads)
        except Unusable as error:
            if library.subject:
                results.add(Series(entry.name, library.name, threads, outcome=NOT_RUN, why=without_folders(str(error))))
            continue
        series = Series(entry.name, library.name, threads, " ".join(entry.arguments), entry.cutoff)
        results.add(series)
        found.append((library, series))
    return found


def _one_round(entry, pairs, turn, runner):
    """Each library once, another one first each time."""
    running = [(library, series) for library, series in pairs if series.outcome == RIGHT]
    serial = runner.serial(entry) if running else None
    for library, series in in_turn(running, turn):
        _take(entry, library, series, runner)
        if serial is not None and series.outcome == RIGHT:
            series.serial.append(serial)


class Measurement:
    """The runs of all programs, and what came out, in `results`. All programs run once before any runs again: so a run that is stopped, or
    runs out of its budget, has something to say about all."""

    def __init__(self, entries, thread_counts, libraries, runner, results, progress):
        """`progress(round, number, of how many, entry)` before each."""
        self._runner, self._results, self._progress = runner, results, progress
        self._lines = [(entry, threads, _line_up(entry, threads, libraries, runner, results))
                       for entry in entries for threads in thread_counts]

    def _settled(self, line):
        """Whether more rounds would tell nothing more of any library under test."""
        entry, threads, _ = line
        verdicts = [self._results.verdict(entry.name, threads, name) for name in self._results.subjects()]
        return all(verdict is None or verdict.settled for verdict in verdicts)

    def run(self, rounds, budget_seconds, clock=time.monotonic):
        """So many rounds of all; None: as many as each line needs, within the budget by that clock."""
        limits = {} if rounds is None else {"least": rounds, "most": rounds}
        for turn, line in engine.schedule(self._lines, self._settled, budget_seconds, **limits, clock=clock):
            self._progress(turn, self._lines.index(line) + 1, len(self._lines), line[0])
            _one_round(line[0], line[2], turn, self._runner)

    def count(self):
        """One more run of each line on each library under test: (program, threads, library, counters)."""
        for entry, threads, pairs in self._lines:
            for library, series in pairs:
                if library.subject and series.outcome == RIGHT and (counters := self._runner.counted(entry, library, threads)):
                    yield entry.name, threads, library.name, counters
