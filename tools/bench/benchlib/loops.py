"""The tables and targets of `bench loops`.

The question is not which runtime is faster with
one of them, but how far each (runtime, schedule) is from the best of all: a user should not have to choose. So the tables are normalised to
the best, as in the slides: 100 is the best, 50 takes twice its time. The best of those that run the same compiler's code: GCC's and Clang's
of one loop body differ threefold, which no schedule makes good. The overheads of constructs are a table of times."""

from __future__ import annotations

from .loops_catalog import SCHEDULES
from .report import Table, as_markdown, as_text, number
from .results import Run
from .runtimes import PEERS
from .targets import LEFT, Figure, Target, ahead_of_all, summary

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
    """Of the speed of the best."""
    own, best = run.best(f"{loop}.{schedule}", mode, runtime), best_of_all(run, loop, mode, runtime)
    return 100 * best[0] / own if own and best else None


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


def overheads(run: Run, mode: str) -> Table:
    """Nanoseconds per construct, best of the rounds."""
    names = run.runtimes()
    rows = [[pattern.name.removeprefix("overhead_")] + [number(v) if (v := run.best(pattern.name, mode, name)) is not None else "–" for name in names]
            for pattern in run.patterns() if pattern.program == "overheads"]
    return [[f"ns above the work, threads: {mode}", *names], *rows]


def tables(run: Run) -> list[tuple[Table, tuple[int, ...]]]:
    """All of a run, each with the columns that hold words."""
    found = [(build(run, mode), left) for mode in run.modes() for build, left in ((table, (0, 1, 9)), (overheads, (0,)))]
    return [(lines, left) for lines, left in found if len(lines) > 1]


def near_the_best(schedule: str, mode: str, limit: float) -> Target:
    """The worst of all loops, of either compiler's code."""
    def compute(run: Run) -> Figure | None:
        found = [(value, f"{loop} ({runtime})") for loop in loops_of(run) for runtime in ("chomp", "chomp-gcc")
                 if (value := per_cent(run, loop, schedule, mode, runtime)) is not None]
        behind = sum(value < limit for value, _ in found)
        return (min(found)[0], f"{behind} of {len(found)} loops below, worst {min(found)[1]}") if found else None
    what = f"{mode} threads: schedule({schedule}) against the best schedule of any runtime, worst loop"
    return Target("loop_*", what, limit, True, compute, " %")


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
    reduction, plain = run.best("overhead_reduction", "2", "chomp"), run.best("overhead_parallel", "2", "chomp")
    return None if reduction is None or not plain else (reduction / plain, "")


def minimal_region(run: Run) -> Figure | None:
    """The best peer, with any schedule, over chomp's default."""
    own = run.best(f"{TRIVIAL}.default", "2", "chomp")
    peers = [(s.best, f"{runtime} {split(pattern)[1]}") for (pattern, mode, runtime), s in run.series.items()
             if mode == "2" and runtime in PEERS and split(pattern)[0] == TRIVIAL and s.samples]
    return (min(peers)[0] / own, f"best peer: {min(peers)[1]}") if own and peers else None


TARGETS: tuple[Target, ...] = (
    near_the_best("auto", "2", 95),
    near_the_best("dynamic", "2", 95),
    near_the_best("auto", "2", 83),
    near_the_best("dynamic", "2", 83),
    Target("loop_axpy", "dynamic,1: ns per chunk, one thread", 6, False, chunk_cost, " ns"),
    Target("loop_axpy", "dynamic,1: ns per chunk and thread, two threads", 6, False, chunk_cost_of_two, " ns"),
    *(ahead_of_all(name, "2") for name in ("overhead_parallel", "overhead_barrier", "overhead_for", "overhead_single",
                                                 "overhead_critical", "overhead_lock", "overhead_ordered")),
    Target("overhead_reduction", "2 threads: a region with a reduction ÷ an empty one", 1.15, False, reduction_cost),
    Target(TRIVIAL, "2 threads: times as fast as the best peer with any schedule", 1, True, minimal_region),
)


def verdicts(run: Run) -> Table:
    """One line per target."""
    return [["", "pattern", "target", "number", "limit", "remark"], *(target.verdict(run) for target in TARGETS)]


def text(run: Run, with_targets: bool) -> str:
    """For the terminal."""
    parts = [as_text(lines, left) for lines, left in tables(run)]
    if with_targets:
        lines = verdicts(run)
        parts += [as_text(lines, LEFT), summary(lines)]
    return "\n\n".join(parts)


def markdown(run: Run) -> str:
    """For the README."""
    lines = verdicts(run)
    return "\n\n".join([*(as_markdown(table_, left) for table_, left in tables(run)), f"### Targets of that run: {summary(lines)}",
                        as_markdown(lines, LEFT)])
