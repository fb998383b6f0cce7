"""The patterns of `bench loops`: each loop with each schedule, named LOOP.SCHEDULE, since a schedule is compiled in; and what constructs
cost above the work in them."""

from __future__ import annotations

from .catalog import Pattern

SCHEDULES = ("default", "static", "dynamic", "dynamic64", "guided", "auto")
PARTITIONERS = ("static", "auto", "affinity")  # oneTBB's
CHUNKS = (1, 4, 16, 64, 128)


def one_loop(loop: str, sizes: tuple[int, int, int], ns: int, what: str, name: str = "",
             schedules: tuple[str, ...] = SCHEDULES) -> list[Pattern]:
    """A pattern per schedule; `ns` is about what an iteration takes."""
    return [Pattern(f"loop_{name or loop}.{schedule}", "loops", f"{loop}.{schedule}" if schedule != "affinity" else "", sizes,
                    f"{what}, {schedule}", unit="ns/iteration", floor=False, record=False,
                    twin=f"{loop}.{schedule}" if schedule in PARTITIONERS else "", argument=ns)
            for schedule in (*schedules, "affinity")]


def sweep(iterations: int, ns: int) -> list[Pattern]:
    """So many iterations of one length."""
    length = f"{ns}ns" if ns < 1000 else f"{ns // 1000}us"
    exponent = len(str(iterations)) - 1
    # libomp takes ten seconds for 10^8 iterations handed out singly: a full run's affair.
    return one_loop("sweep", (iterations if iterations * ns <= 10**7 else 0, iterations if iterations < 10**8 else 0, iterations), ns,
                    f"10^{exponent} iterations of {length}", f"1e{exponent}_{length}", ("static", "dynamic", "guided", "auto"))


def overhead(case: str, size: int, what: str) -> Pattern:
    """A construct around a delay, above the delay."""
    return Pattern(f"overhead_{case}", "overheads", case, (size // 20 or 1, size, size), what, unit="ns", floor=False, record=False)


LOOPS: tuple[Pattern, ...] = (
    *one_loop("minimal", (64, 64, 64), 1, "64 trivial iterations"),
    *one_loop("conformance", (1 << 10, 1 << 12, 1 << 12), 40, "a mathematical function, tested"),
    *one_loop("reduction", (1 << 16, 1 << 20, 1 << 20), 1, "a sum"),
    *one_loop("scan", (32, 256, 256), 2500, "prefix sums, in blocks of 1024"),
    *one_loop("spmv", (1 << 12, 1 << 15, 1 << 15), 15, "sparse matrix times vector, rows alike"),
    *one_loop("spmv_unbalanced", (1 << 12, 1 << 15, 1 << 15), 15, "the same, a sixteenth of the rows with 15/16 of the elements"),
    *one_loop("axpy", (1 << 16, 1 << 20, 1 << 20), 1, "y += 2 x"),
    *one_loop("triangular", (1 << 10, 1 << 12, 1 << 12), 80, "iteration i takes time i"),
    *one_loop("random", (1 << 10, 1 << 12, 1 << 12), 130, "iterations of random length"),
    *one_loop("first_heavy", (1 << 9, 1 << 10, 1 << 10), 160, "the first iteration takes as long as all others"),
    *one_loop("last_heavy", (1 << 9, 1 << 10, 1 << 10), 160, "the last iteration takes as long as all others"),
    *one_loop("nested", (32, 256, 256), 2000, "a loop of 64 in each iteration"),
    *(pattern for iterations, ns in ((10**2, 1), (10**2, 1000), (10**2, 100000), (10**4, 1), (10**4, 100), (10**4, 1000), (10**6, 1),
                                     (10**6, 10), (10**8, 1)) for pattern in sweep(iterations, ns)),
    overhead("parallel", 20000, "a parallel region"),
    overhead("reduction", 20000, "a parallel region with a reduction"),
    overhead("for", 20000, "a static loop of one iteration per thread"),
    overhead("barrier", 20000, "a barrier"),
    overhead("single", 20000, "a single construct"),
    overhead("critical", 20000, "a critical section, all threads want it"),
    overhead("lock", 20000, "a lock, all threads want it"),
    overhead("ordered", 20000, "an ordered loop of one iteration per thread"),
    overhead("atomic", 20000, "an atomic addition, all threads want it"),
    *(overhead(f"{kind}.{chunk}", 200, f"a loop of 128 iterations per thread, schedule({kind}, {chunk})")
      for kind in ("static", "dynamic", "guided") for chunk in CHUNKS),
)
