"""The targets: what chomp's figures must be, each a ratio (or a figure) with a limit, computed from the results of a run.

Best stands against best, as in the tables; `own` is chomp's figure with OMP_NUM_THREADS=1. Where nothing else is said, the figure of one
thread is the one of record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness import engine

from .report import Table
from .results import BY_NAME, Run

Figure = tuple[float, str]  # the value, and what else is to be said
Compute = Callable[[Run], "Figure | None"]  # None: something it needs was not measured


@dataclass(frozen=True)
class Target:
    """One line of the report: `compute` at most, or at least, the limit."""

    name: str
    what: str
    limit: float
    at_least: bool
    compute: Compute
    unit: str = ""

    def verdict(self, run: Run) -> list[str]:
        """met or missed, the pattern, what is compared, the number, the limit."""
        found = self.compute(run)
        limit = f"{'≥' if self.at_least else '≤'} {self.limit:g}{self.unit}"
        if found is None:
            return ["not measured", self.name, self.what, "–", limit, ""]
        value, remark = found
        met = value >= self.limit if self.at_least else value <= self.limit
        remarks = "; ".join(filter(None, [remark, smaller_size(run, self.name)]))
        shown = f"{value:.3g}" if value < 1000 else f"{value:.0f}"
        return ["met" if met else "missed", self.name, self.what, f"{shown}{self.unit}", limit, remarks]


def smaller_size(run: Run, name: str) -> str:
    """The target is about the size of a full run; instructions are the same in all sizes."""
    if run.instructions or name not in run.sizes or run.sizes[name] == BY_NAME[name].size("full"):
        return ""
    return f"size {run.sizes[name]} instead of {BY_NAME[name].size('full')}"


def over(above: tuple[str, str, str], below: tuple[str, str, str], factor: float = 1) -> Compute:
    """One figure over another, each named by pattern, mode and runtime."""
    def compute(run: Run) -> Figure | None:
        top, bottom = run.best(*above), run.best(*below)
        return None if top is None or not bottom else (factor * top / bottom, "")
    return compute


def at_most(name: str, what: str, limit: float, mode: str, below: tuple[str, str]) -> Target:
    """chomp's figure over that of another mode and runtime of the same pattern."""
    return Target(name, what, limit, False, over((name, mode, "chomp"), (name, *below)))


def faster(name: str, mode: str, peer: str, times: float = 1) -> Target:
    """How many times as fast chomp is as a peer."""
    threads = "one thread" if mode == "1" else f"{mode} threads"
    return Target(name, f"{threads}: times as fast as {peer}", times, True, over((name, mode, peer), (name, mode, "chomp")))


def speed_up(name: str, limit: float) -> Target:
    return at_most(name, "2 threads ÷ own 1 thread, wall", limit, "2", ("1", "chomp"))


def scaling(name: str) -> Target:
    """The rate of two threads against twice the rate of one."""
    return Target(name, "2 threads: part of twice the own one-thread rate", 0.95, True,
                  over((name, "1", "chomp"), (name, "2", "chomp"), 0.5))


def ahead_of_all(name: str, mode: str) -> Target:
    """The best peer over chomp."""
    def compute(run: Run) -> Figure | None:
        ours, peer = run.best(name, mode, "chomp"), run.best_peer(name, mode)
        return None if not ours or peer is None else (peer[0] / ours, f"best peer: {peer[1]}")
    threads = "one thread" if mode == "1" else f"{mode} threads"
    return Target(name, f"{threads}: times as fast as the best peer", 1, True, compute)


def group_over_wait(group: str, wait: str, mode: str) -> Target:
    threads = "one thread of record" if mode == "record" else f"{mode} threads"
    return Target(group, f"{threads} ÷ {wait}", 1.25, False, over((group, mode, "chomp"), (wait, mode, "chomp")))


def smallest_grain(run: Run) -> Figure | None:
    """The median: the best of several rounds would be luck."""
    series = run.series.get(("grain_95", "2", "chomp"))
    return (series.median / 1000, "median of the rounds") if series and series.samples else None


def peak_memory(run: Run) -> Figure | None:
    """The worst of all samples, since a bound must hold always."""
    samples = [(sample, mode) for (pattern, mode, runtime), s in run.series.items() if (pattern, runtime) == ("spawn_memory", "chomp")
               for sample in s.samples]
    return (max(samples)[0], f"worst, threads {max(samples)[1]}") if samples else None


def beside_peers(run: Run, modes: list[str] | None = None, without: tuple[str, ...] = ()) -> list[tuple[float, str, str]]:
    """chomp over the best peer, for every pattern that is a time and every mode, or some of them, and the verdict; the worst first."""
    ratios = []
    for pattern in (p for p in run.patterns() if p.unit != "MB" and p.name not in without):
        for mode in run.modes() if modes is None else modes:
            if verdict := run.verdict(pattern.name, mode):
                ratios.append((1 / verdict.ratio, f"{pattern.name}, threads {mode}, beside {verdict.beside}", verdict.word))
    return sorted(ratios, reverse=True)


UNDEFERRED = ("fib_if_zero", "fib_if", "fib_final")  # Clang's code allocates what GCC's does not make a task


def slowest_beside_peers(run: Run, modes: list[str] | None = None, without: tuple[str, ...] = ()) -> Figure | None:
    """The worst of the ratios, and how many are slower."""
    every = beside_peers(run, modes, without)
    ratios = [entry for entry in every if entry[2] != engine.UNSETTLED]
    slower = sum(word == engine.SLOWER for *_, word in ratios)
    left = f"; {len(every) - len(ratios)} not settled" if len(every) > len(ratios) else ""
    return (ratios[0][0], f"{slower} of {len(every)} slower, worst {ratios[0][1]}{left}") if ratios else None


def slower(run: Run) -> list[str]:
    """All patterns that are slower, for a list below the targets."""
    return [f"{value:.2f} × the best peer: {where}" for value, where, word in beside_peers(run) if word == engine.SLOWER]


def failures(run: Run) -> Figure | None:
    """How many of chomp's series ended in a hang, a crash or a wrong answer."""
    ours = {key: s for key, s in run.series.items() if key[2] == "chomp"}
    bad = [f"{pattern}/{mode} {s.mark}" for (pattern, mode, _), s in ours.items() if s.error]
    return (len(bad), ", ".join(bad)) if ours else None


TREES = ("fib_untied", "fib_tied", "fib_taskgroup_untied", "fib_taskgroup", "fib_call_one", "uts_t3", "uts_t3_tied", "uts_t3_inner",
         "nqueens", "nqueens_tied")
GENERATORS = ("spawn_serial", "spawn_parallel", "group_flat", "group_nested", "taskloop_one", "taskloop_default", "taskloop_reduction",
              "task_reduction", "depend_chains", "depend_wavefront", "depend_cholesky", "flow_detach", "flow_priority")


def most_threads(run: Run) -> str | None:
    """The mode with the most threads, if that is not one."""
    modes = [mode for mode in run.modes() if mode not in ("record", "1")]
    return modes[-1] if modes else None


def with_most_threads(name: str, least: int = 2) -> Compute:
    """The figure with the most threads over that of one; with fewer than `least` there is none."""
    def compute(run: Run) -> Figure | None:
        mode = most_threads(run)
        one, many = run.best(name, "1", "chomp"), run.best(name, mode, "chomp") if mode and int(mode) >= least else None
        return None if not one or many is None else (many / one, f"{mode} threads")
    return compute


def efficiency_with_most_threads(name: str) -> Target:
    """The speed-up over the own one thread, of each thread."""
    def compute(run: Run) -> Figure | None:
        ratio = with_most_threads(name)(run)
        return None if ratio is None else (1 / ratio[0] / int(ratio[1].split()[0]), ratio[1])
    return Target(name, "most threads: efficiency beside own 1 thread", 0.9, True, compute)


def slowest_with_most_threads(run: Run) -> Figure | None:
    """The worst of the ratios with the most threads, but for tasks that are not deferred."""
    mode = most_threads(run)
    return slowest_beside_peers(run, [mode], UNDEFERRED) if mode else None


def tied_beside_untied(tied: str, untied: str) -> Target:
    def compute(run: Run) -> Figure | None:
        ours, other = with_most_threads(tied)(run), with_most_threads(untied)(run)
        return None if ours is None or other is None else (other[0] / ours[0], ours[1])
    return Target(tied, f"most threads: efficiency beside {untied}", 0.95, True, compute)


def instructions(name: str, mode: str) -> Compute:
    """chomp's figure, which is the same in every run; a fraction of an instruction is what the program does once."""
    def compute(run: Run) -> Figure | None:
        value = run.best(name, mode, "chomp")
        return None if value is None else (round(value), "")
    return compute


TARGETS: tuple[Target, ...] = (
    *(target for name in ("fib_untied", "fib_tied") for target in (speed_up(name, 0.55), faster(name, "2", "tbb", 2))),
    faster("fib_untied", "2", "libiomp5", 30),
    speed_up("fib_call_one", 0.53),
    *(faster(name, "2", "libgomp") for name in ("spawn_serial", "spawn_parallel")),
    at_most("uts_t3", "one thread ÷ serial code", 1.25, "1", ("1", "serial")),
    scaling("uts_t3"),
    Target("uts_t3", "2 threads: times as fast as serial code", 1.6, True, over(("uts_t3", "1", "serial"), ("uts_t3", "2", "chomp"))),
    ahead_of_all("uts_t3", "1"),
    ahead_of_all("uts_t3", "2"),
    at_most("uts_t3_inner", "one thread ÷ serial code", 1.06, "1", ("1", "serial")),
    scaling("uts_t3_inner"),
    at_most("taskloop_one", "one thread ÷ libgomp", 2, "1", ("1", "libgomp")),
    faster("taskloop_one", "2", "libgomp"),
    at_most("depend_chains", "one thread ÷ libiomp5", 1, "1", ("1", "libiomp5")),
    faster("depend_chains", "2", "libgomp", 4),
    *(group_over_wait(group, wait, mode) for group, wait in (("fib_taskgroup", "fib_tied"), ("fib_taskgroup_untied", "fib_untied"))
      for mode in ("record", "2")),
    Target("grain_95", "2 threads: smallest task with 95 % efficiency", 0.5, False, smallest_grain, " µs"),
    *(target for name in ("sync_fork_join", "sync_barrier")
      for target in (at_most(name, "one thread ÷ libiomp5", 1, "1", ("1", "libiomp5")), ahead_of_all(name, "2"))),
    # N threads are never slower than one.
    *(Target(name, "most threads ÷ one thread, wall", 0.55 if name in TREES else 1.05, False, with_most_threads(name))
      for name in (*TREES, *GENERATORS)),
    *(Target(name, "4 threads or more ÷ one thread, wall", 0.5, False, with_most_threads(name, 4)) for name in TREES),
    *(tied_beside_untied(tied, untied) for tied, untied in (("fib_tied", "fib_untied"), ("fib_taskgroup", "fib_taskgroup_untied"),
                                                            ("uts_t3_tied", "uts_t3"), ("nqueens_tied", "nqueens"))),
    efficiency_with_most_threads("uts_t3_inner"),
    Target("spawn_memory", "2^24 serial spawns: memory above the start", 16, False, peak_memory, " MB"),
    Target("all", "slower than the best peer, at worst", engine.NOISE, False, slowest_beside_peers),
    Target("all", "most threads: behind the best peer, at worst, but for undeferred tasks", engine.NOISE, False, slowest_with_most_threads),
    Target("all", "hangs, crashes and wrong answers", 0, False, failures),
)


# Of a run that counts instructions: how many a task takes, and how many it took on a library that did nothing but serve the
# compiler's calls, for one thread, without any synchronisation.
COUNTED = {"fib_tied": (183, 147), "fib_untied": (232, 184), "fib_call_one": (111, 90), "fib_taskgroup": (220, 151),
           "fib_taskgroup_untied": (269, 188), "fib_if_zero": (160, 131), "fib_final": (309, 195), "spawn_serial": (147, 131),
           "spawn_parallel": (150, 134)}
INSTRUCTION_TARGETS: tuple[Target, ...] = tuple(
    Target(name, f"one thread of record: instructions of a task ({least} if nothing is done)", limit, False, instructions(name, "record"))
    for name, (limit, least) in COUNTED.items())


def report(run: Run) -> Table:
    """One line per target."""
    return [["", "pattern", "target", "number", "limit", "remark"],
            *(target.verdict(run) for target in (INSTRUCTION_TARGETS if run.instructions else TARGETS))]


LEFT = (0, 1, 2, 5)  # columns of words


def summary(lines: Table) -> str:
    """How many targets were met, missed and not measured."""
    verdicts = [line[0] for line in lines[1:]]
    return ", ".join(f"{verdicts.count(word)} {word}" for word in ("met", "missed", "not measured"))
