"""The programs of the slides, and the other BOTS programs, with the sizes of a quick, a default and a full run.

The slides use manual cut-offs where the suite has them (fib, nqueens, strassen) and one task per village and step in health. Default sizes take about
a tenth of a second without tasks, so that everything together fits into a quarter of an hour on two cores; full sizes are the suite's."""

from __future__ import annotations

from dataclasses import dataclass

from benchlib.catalog import SCALES, Pattern
from benchlib.results import BY_NAME

from .jobs import MovedJob, PatternJob, ProgramJob, pattern_job, program_job


@dataclass(frozen=True)
class Program:
    """A row of the tables of BOTS programs. The options that differ by scale are (quick, default, full)."""

    name: str
    command: str
    sizes: tuple[str, str, str]
    in_slides: bool = True

    def job(self, scale: str) -> ProgramJob:
        """At the size of the scale."""
        return program_job("bots", self.name, f"{self.command} {self.sizes[SCALES.index(scale)]}")


PROGRAMS = (
    Program("alignment (single)", "bots-alignment -v untied", ("-n 6", "-n 16", "-n 100")),
    Program("alignment (for)", "bots-alignment -v untied-for", ("-n 6", "-n 16", "-n 100")),
    Program("fib", "bots-fib -v untied-manual", ("-n 24 -x 10", "-n 36 -x 14", "-n 45 -x 18")),
    Program("health", "bots-health -v untied", ("-n 4 -t 20", "-n 5 -t 200", "-n 7 -t 365")),
    Program("nqueens", "bots-nqueens -v untied-manual", ("-n 8 -x 3", "-n 11 -x 4", "-n 14 -x 4")),
    Program("sort", "bots-sort -v untied", ("-n 65536", "-n 1048576", "-n 33554432")),
    Program("sparselu (single)", "bots-sparselu -v untied", ("-n 12 -m 8", "-n 32 -m 32", "-n 50 -m 100")),
    Program("sparselu (for)", "bots-sparselu -v untied-for", ("-n 12 -m 8", "-n 32 -m 32", "-n 50 -m 100")),
    Program("strassen", "bots-strassen -v untied-manual -x 3", ("-n 128", "-n 512", "-n 4096")),
    Program("cholesky", "bots-cholesky -v untied-depend -y 32", ("-n 128", "-n 1024", "-n 4096"), False),
    Program("concom", "bots-concom -v untied", ("-n 20000", "-n 1000000", "-n 5000000"), False),
    Program("fft", "bots-fft -v untied", ("-n 16384", "-n 1048576", "-n 16777216"), False),
    Program("floorplan", "bots-floorplan -v untied-manual", ("-n 15", "-n 22", "-n 24"), False),
    Program("knapsack", "bots-knapsack -v untied-manual", ("-n 40", "-n 60", "-n 100"), False),
)

# ---- The four patterns of SAND2012-10594 ------------------------------------------------------------------------------

FOUR_PATTERNS = ("spawn_serial", "spawn_parallel", "fib_untied", "uts_t3")
# Tasks or nodes of the report's own sizes: 2^20 null tasks twice, fib(30) with two tasks a call, tree T3.
REPORT_UNITS = {"spawn_serial": 1 << 20, "spawn_parallel": 1 << 20, "fib_untied": 2_692_536, "uts_t3": 4_112_897}


def four_patterns(scale: str) -> list[PatternJob]:
    """The report's sizes, but for a quick run."""
    patterns: list[Pattern] = [BY_NAME[name] for name in FOUR_PATTERNS]
    return [pattern_job(p, p.size(scale)) for p in patterns]


def null_task_patterns(scale: str) -> list[PatternJob]:
    """The two that spawn null tasks."""
    return four_patterns(scale)[:2]


# ---- UTS by granularity -----------------------------------------------------------------------------------------------

GRANULARITIES = (1, 2, 4, 8, 16, 32)
# The slides' tree is T3L, which takes minutes: full. The others are of its kind, five children a node. (tree, root's children)
UTS_TREES = (("small", 200), ("small", 2000), ("T3L", 2000))
UTS_OPTIONS = {"small": "-t 0 -q 0.198 -m 5 -r 7", "T3L": "-T T3L"}


def granularity_job(hashes: int, scale: str) -> ProgramJob:
    """UTS as in the slides: an untied task for every node with children, each state hashed so many times."""
    tree, children = UTS_TREES[SCALES.index(scale)]
    return program_job("uts", f"g={hashes}", f"uts {UTS_OPTIONS[tree]} -b {children} -g {hashes} -v untied-inner -s")


def moved_job(hashes: int, scale: str) -> MovedJob:
    """The same search, which counts the tasks that moved."""
    tree, children = UTS_TREES[SCALES.index(scale)]
    return MovedJob(f"moved/g={hashes}", f"uts-moved {tree}, {children} children of the root, {hashes} hashes per node", "s", tree,
                    children, hashes)
