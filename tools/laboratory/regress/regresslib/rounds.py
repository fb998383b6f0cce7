"""Runs every program on every library, round by round, the libraries in turn: A B A B, so that a slow phase of a shared machine hits all of
them. The first failure on a library ends the program's runs there."""

import os
import time
from pathlib import Path

import binding
from harness.turns import in_turn

from .entries import RIGHT, judge, seconds_in, without_folders
from .launch import run
from .results import NOT_RUN, Series

CLOSE = (0.90, 1.10)  # ratios between these get more rounds, as many again, while there is time


class Unusable(Exception):
    """A library that this program cannot run on."""


class Runner:
    """`links` is a folder for names of libraries; `limit` seconds for one run, where a program's line does not say."""

    def __init__(self, links, limit):
        self._links = Path(links)
        self._limit = limit
        # The caller's settings stay, and the results name them; the variables of the loader are set here.
        self._base = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_DEBUG", "LD_BIND_NOW")}
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


def _is_close(entry, threads, results):
    ratios = [results.ratio(entry.name, threads, name) for name in results.subjects()]
    return any(ratio is not None and CLOSE[0] < ratio < CLOSE[1] for ratio in ratios)


class Measurement:
    """The runs of all programs, and what came out, in `results`. All programs run once before any runs again: so a slow
    hour of the machine costs each of them one round, and a run that is stopped, or runs out of its budget, has
    something to say about all."""

    def __init__(self, entries, thread_counts, libraries, runner, results, progress):
        """`progress(round, number, of how many, entry)` before each."""
        self._runner, self._results, self._progress = runner, results, progress
        self._lines = [(entry, threads, _line_up(entry, threads, libraries, runner, results))
                       for entry in entries for threads in thread_counts]
        self._turns = 0

    def _round(self, lines):
        for number, (entry, _, pairs) in enumerate(lines, 1):
            self._progress(self._turns, number, len(lines), entry)
            _one_round(entry, pairs, self._turns, self._runner)
        self._turns += 1

    def run(self, rounds, budget_seconds):
        """`rounds` of all, then as many of those where libraries are close; none but the second begins when the time is up."""
        begin = time.monotonic()
        for turn in range(2 * rounds if rounds > 1 else 1):
            lines = self._lines if turn < rounds else [line for line in self._lines if _is_close(*line[:2], self._results)]
            if turn >= 2 and time.monotonic() - begin > budget_seconds:
                return
            self._round(lines)

    def repeat(self, names, rounds):
        """More rounds of some programs."""
        for _ in range(rounds):
            self._round([line for line in self._lines if line[0].name in names])
