"""The patterns of `bench loops`: each loop with each schedule, named LOOP.SCHEDULE, since a schedule is compiled in. `default` is the loop
without the clause."""

from __future__ import annotations

from .catalog import Pattern

SCHEDULES = ("default", "static", "dynamic", "dynamic64", "guided", "auto")


def one_loop(loop: str, sizes: tuple[int, int, int], ns: float, what: str, name: str = "",
             schedules: tuple[str, ...] = SCHEDULES) -> list[Pattern]:
    """A pattern per schedule; `ns` is about what an iteration takes. Schedules take turns."""
    name = f"loop_{name or loop}"
    return [Pattern(f"{name}.{schedule}", "loops", f"{loop}.{schedule}", sizes, f"{what}, {schedule}", unit="ns/iteration",
                    record=False, argument=round(1000 * ns), group=name) for schedule in schedules]


def sweep(iterations: int, ns: int) -> list[Pattern]:
    """So many iterations of one length."""
    length = f"{ns}ns" if ns < 1000 else f"{ns // 1000}us"
    exponent = len(str(iterations)) - 1
    # libomp takes ten seconds for 10^8 iterations handed out singly: a full run's affair.
    return one_loop("sweep", (iterations if iterations * ns <= 10**7 else 0, iterations if iterations < 10**8 else 0, iterations), ns,
                    f"10^{exponent} iterations of {length}", f"1e{exponent}_{length}", ("default", "static", "dynamic", "guided", "auto"))


LOOPS: tuple[Pattern, ...] = (
    *one_loop("minimal", (64, 64, 64), 1, "64 trivial iterations"),
    *one_loop("conformance", (1 << 10, 1 << 12, 1 << 12), 40, "a mathematical function, tested"),
    *one_loop("reduction", (1 << 16, 1 << 20, 1 << 20), 0.5, "a sum"),
    *one_loop("scan", (32, 256, 256), 2500, "prefix sums, in blocks of 1024"),
    *one_loop("spmv", (1 << 12, 1 << 15, 1 << 15), 15, "sparse matrix times vector, rows alike"),
    *one_loop("spmv_unbalanced", (1 << 12, 1 << 15, 1 << 15), 15, "the same, a sixteenth of the rows with 15/16 of the elements"),
    *one_loop("axpy", (1 << 16, 1 << 20, 1 << 20), 0.25, "y += 2 x"),
    *one_loop("triangular", (1 << 10, 1 << 12, 1 << 12), 80, "iteration i takes time i"),
    *one_loop("random", (1 << 10, 1 << 12, 1 << 12), 130, "iterations of random length"),
    *one_loop("first_heavy", (1 << 9, 1 << 10, 1 << 10), 160, "the first iteration takes as long as all others"),
    *one_loop("last_heavy", (1 << 9, 1 << 10, 1 << 10), 160, "the last iteration takes as long as all others"),
    *one_loop("nested", (32, 256, 256), 2000, "a loop of 64 in each iteration"),
    *(pattern for iterations, ns in ((10**2, 1), (10**2, 1000), (10**2, 100000), (10**4, 1), (10**4, 100), (10**4, 1000), (10**6, 1),
                                     (10**6, 10), (10**8, 1)) for pattern in sweep(iterations, ns)),
)
