"""The tables and targets of `bench loops`.

The question is not which runtime is faster with one schedule, but how far each (runtime, schedule) is from the best of
all: a user should not have to choose. So the tables are normalised to the best, as in the slides: 100 is the best, 50
takes twice its time. The best is taken among those that run the same compiler's code: GCC's and Clang's code of one
loop body differ threefold, which no schedule makes good. The overheads of constructs are a table of times."""

from __future__ import annotations

import statistics

from harness.tables import Table, as_text

from .loops_catalog import SCHEDULES
from .report import number
from .results import Run
from .runtimes import PEERS
from .targets import LEFT, Figure, Target, summary

TRIVIAL = "loop_minimal"  # 64 iterations of nothing
OF_GCC = ("libgomp", "chomp-gcc")


def split(pattern: str) -> tuple[str, str]:
    """Loop and schedule."""
    loop, _, schedule = pattern.partition(".")
    return loop, schedule


def loops_of(run: Run) -> list[str]:
    """In the order of the list."""
    return list(dict.fromkeys(split(p.name)[0] for p in run.patterns() if p.program == "loops"))


def same_code(one: str, other: str) -> bool:
    """Whether two runtimes run the loops as the same compiler made them."""
    return (one in OF_GCC) == (other in OF_GCC)


def best_of_all(run: Run, loop: str, mode: str, like: str) -> tuple[float, str] | None:
    """The least time of any schedule of any runtime that runs the same code as `like`, and whose it is."""
    found = [(s.best, f"{runtime} {split(pattern)[1]}") for (pattern, at, runtime), s in run.series.items()
             if at == mode and split(pattern)[0] == loop and s.samples and same_code(runtime, like)]
    return min(found, default=None)


def per_cent(run: Run, loop: str, schedule: str, mode: str, runtime: str) -> float | None:
    """Per cent of the speed of the best."""
    own, best = run.best(f"{loop}.{schedule}", mode, runtime), best_of_all(run, loop, mode, runtime)
    return 100 * best[0] / own if own and best else None


def noise(run: Run, loop: str, mode: str, runtime: str) -> float | None:
    """By how many per cent a loop without the clause and one with schedule(static) differ, which are the same code."""
    one, other = (run.best(f"{loop}.{schedule}", mode, runtime) for schedule in ("default", "static"))
    return 100 * (max(one, other) / min(one, other) - 1) if one and other else None


def in_turns(run: Run, loop: str, schedule: str, mode: str, runtime: str) -> float | None:
    """Per cent of the speed of the runtime's own best schedule, from comparisons within single turns: medians of the turns, then of the
    rounds. None in a file of before 2026-11-22."""
    ratios = {name: series.extra("beside_first") for name in SCHEDULES
              if (series := run.series.get((f"{loop}.{name}", mode, runtime))) is not None}
    own, all_of_them = ratios.get(schedule), [ratio for ratio in ratios.values() if ratio]
    return 100 * min(all_of_them) / own if own else None


def mark(run: Run, loop: str, schedule: str, mode: str, runtime: str) -> str:
    """A cell: per cent, or how it failed."""
    value = per_cent(run, loop, schedule, mode, runtime)
    if value is not None:
        return f"{value:.0f}"
    series = run.series.get((f"{loop}.{schedule}", mode, runtime))
    return series.mark if series else "–"


def table(run: Run, mode: str) -> Table:
    """A row per loop and runtime, a column per schedule; 100 is the best of the loop."""
    rows = []
    for loop in loops_of(run):
        for runtime in run.runtimes():
            best = best_of_all(run, loop, mode, runtime)
            cells = [mark(run, loop, schedule, mode, runtime) for schedule in (*SCHEDULES, "affinity")]
            if any(cell != "–" for cell in cells):
                rows.append([loop.removeprefix("loop_"), runtime, *cells, f"{number(best[0])} ns, {best[1]}" if best else "–"])
    return [[f"threads: {mode}", "runtime", *SCHEDULES, "affinity", "100 is"], *rows]


def least_overhead(works: list[float]) -> float:
    """Less than this cannot be told from nothing: a nanosecond, or a hundredth of the work that is subtracted."""
    return max(1.0, 0.01 * min(works))


def overhead_and_least(run: Run, pattern: str, mode: str, runtime: str) -> tuple[float, float] | None:
    """Nanoseconds of a construct above its work: the best time with it less the best without, of all rounds; and the least that they
    can be. A file of before 2026-11-22 has only the differences."""
    series = run.series.get((pattern, mode, runtime))
    if series is None or not series.samples:
        return None
    works = [extras.get("work", 0.0) for extras in series.extras] or [0.0] * len(series.samples)
    least = least_overhead(works)
    return max(least, min(sample + work for sample, work in zip(series.samples, works)) - min(works)), least


def overhead(run: Run, pattern: str, mode: str, runtime: str) -> float | None:
    """Nanoseconds of a construct above its work, if they were measured."""
    found = overhead_and_least(run, pattern, mode, runtime)
    return found[0] if found else None


def overhead_mark(run: Run, pattern: str, mode: str, runtime: str) -> str:
    """A cell: nanoseconds, or how it failed."""
    found, series = overhead_and_least(run, pattern, mode, runtime), run.series.get((pattern, mode, runtime))
    if found is None:
        return series.mark if series else "–"
    value, least = found
    return number(value) if value > least else f"≤ {number(least)}"


def overheads(run: Run, mode: str) -> Table:
    """Nanoseconds per construct."""
    measured = {runtime for pattern, _, runtime in run.series if pattern.startswith("overhead_")}
    names = [name for name in run.runtimes() if name in measured]
    rows = [[pattern.name.removeprefix("overhead_")] + [overhead_mark(run, pattern.name, mode, name) for name in names]
            for pattern in run.patterns() if pattern.program == "overheads"]
    return [[f"ns above the work, threads: {mode}", *names], *rows]


def tables(run: Run) -> list[tuple[Table, tuple[int, ...]]]:
    """All tables of a run, each with the columns that hold words."""
    found = [(build(run, mode), left) for mode in run.modes() for build, left in ((table, (0, 1, 9)), (overheads, (0,)))]
    return [(lines, left) for lines, left in found if len(lines) > 1]


OWN = ("chomp", "chomp-gcc")  # chomp with the programs of either compiler


def judged(run: Run, loop: str, schedule: str, mode: str, runtime: str, value: float) -> str:
    """A loop's number and how far it can be trusted: `axpy 93 ± 2 (97 in turns)`."""
    differ, turns = noise(run, loop, mode, runtime), in_turns(run, loop, schedule, mode, runtime)
    return (loop.removeprefix("loop_") + (" (gcc)" if runtime == "chomp-gcc" else "") + f" {value:.0f}"
            + (f" ± {differ:.0f}" if differ is not None else "") + (f" ({turns:.0f} in turns)" if turns is not None else ""))


def behind(run: Run, schedule: str, mode: str, limit: float) -> list[str]:
    """The loops below the limit, the worst first."""
    found = sorted((value, loop, runtime) for loop in loops_of(run) for runtime in OWN
                   if (value := per_cent(run, loop, schedule, mode, runtime)) is not None and value < limit)
    return [judged(run, loop, schedule, mode, runtime, value) for value, loop, runtime in found]


def near_the_best(schedule: str, mode: str, limit: float) -> Target:
    """The worst of all loops, of either compiler's code."""
    def compute(run: Run) -> Figure | None:
        found = [value for loop in loops_of(run) for runtime in OWN if (value := per_cent(run, loop, schedule, mode, runtime)) is not None]
        below = behind(run, schedule, mode, limit)
        return (min(found), f"{len(below)} of {len(found)} below" + (f": {', '.join(below[:3])}" if below else "")) if found else None
    what = f"{mode} threads: schedule({schedule}) against the best schedule of any runtime, worst loop"
    return Target("loop_*", what, limit, True, compute, " %")


def largest_noise(run: Run) -> list[str]:
    """How far the numbers of a loop can be trusted: the same code is measured twice."""
    lines = []
    for mode in run.modes():
        found = sorted(((value, loop.removeprefix("loop_"), runtime) for loop in loops_of(run) for runtime in run.runtimes()
                        if (value := noise(run, loop, mode, runtime)) is not None), reverse=True)
        if found:
            worst = ", ".join(f"{loop} on {runtime} {value:.0f} %" for value, loop, runtime in found[:5])
            lines.append(f"Noise, threads {mode}: `default` and `static`, one code, differ by {statistics.median(v for v, _, _ in found):.1f} % "
                         f"in the median of all loops and runtimes; most in {worst}.")
    return lines


def chunk_cost(run: Run) -> Figure | None:
    """Above the static schedule, per chunk and thread."""
    dynamic, static = run.best("loop_axpy.dynamic", "1", "chomp"), run.best("loop_axpy.static", "1", "chomp")
    return None if dynamic is None or static is None else (dynamic - static, "above schedule(static), axpy, one thread")


def chunk_cost_of_two(run: Run) -> Figure | None:
    """The same on two threads: each spends twice the wall time per iteration."""
    dynamic = run.best("loop_axpy.dynamic", "2", "chomp")
    return None if dynamic is None else (2 * dynamic, "all of it, the addition included")


def reduction_cost(run: Run) -> Figure | None:
    """A region with a reduction over one without."""
    reduction, plain = (overhead(run, f"overhead_{name}", "2", "chomp") for name in ("reduction", "parallel"))
    return None if reduction is None or not plain else (reduction / plain, "")


def several_threads(run: Run) -> list[str]:
    """The modes with more than one."""
    return [mode for mode in run.modes() if mode not in ("record", "1")]


def worst(found: list[tuple[float, str]]) -> Figure | None:
    """Of (ratio, remark)."""
    return min(found, default=None)


def minimal_region(run: Run) -> Figure | None:
    """The best peer, with any schedule, over chomp's default: the worst number of threads."""
    found = []
    for mode in several_threads(run):
        own = run.best(f"{TRIVIAL}.default", mode, "chomp")
        peers = [(s.best, f"{runtime} {split(pattern)[1]}") for (pattern, at, runtime), s in run.series.items()
                 if at == mode and runtime in PEERS and split(pattern)[0] == TRIVIAL and s.samples]
        if own and peers:
            found.append((min(peers)[0] / own, f"{mode} threads, best peer: {min(peers)[1]}"))
    return worst(found)


def overhead_ahead(name: str) -> Target:
    """The best peer over chomp: the worst number of threads."""
    def compute(run: Run) -> Figure | None:
        found = []
        for mode in several_threads(run):
            own = overhead(run, name, mode, "chomp")
            peers = [(value, peer) for peer in PEERS if (value := overhead(run, name, mode, peer)) is not None]
            if own and peers:
                found.append((min(peers)[0] / own, f"{mode} threads, best peer: {min(peers)[1]}"))
        return worst(found)
    return Target(name, "2 threads and more: times as fast as the best peer", 1, True, compute)


TARGETS: tuple[Target, ...] = (
    near_the_best("auto", "2", 95),
    near_the_best("dynamic", "2", 95),
    near_the_best("auto", "2", 83),
    near_the_best("dynamic", "2", 83),
    Target("loop_axpy", "dynamic,1: ns per chunk, one thread", 6, False, chunk_cost, " ns"),
    Target("loop_axpy", "dynamic,1: ns per chunk and thread, two threads", 6, False, chunk_cost_of_two, " ns"),
    *(overhead_ahead(f"overhead_{name}") for name in ("parallel", "barrier", "for", "single", "critical", "lock", "ordered")),
    Target("overhead_reduction", "2 threads: a region with a reduction ÷ an empty one", 1.15, False, reduction_cost),
    Target(TRIVIAL, "2 threads and more: times as fast as the best peer with any schedule", 1, True, minimal_region),
)


def verdicts(run: Run) -> Table:
    """One line per target."""
    return [["", "pattern", "target", "number", "limit", "remark"], *(target.verdict(run) for target in TARGETS)]


def text(run: Run, with_targets: bool) -> str:
    """For the terminal."""
    parts = [as_text(lines, left) for lines, left in tables(run)] + ["\n".join(largest_noise(run))]
    if with_targets:
        lines = verdicts(run)
        parts += [as_text(lines, LEFT), summary(lines)]
    return "\n\n".join(filter(None, parts))
