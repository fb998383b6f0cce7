"""What is measured: one entry per pattern, with the sizes of a quick, a default and a full run."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    """One line of the table. `sizes` is (quick, default, full); 0 leaves it out."""

    name: str
    program: str  # patterns/<program>.c
    case: str  # which of the program's patterns
    sizes: tuple[int, int, int]
    what: str  # for the README
    unit: str = "ns/task"  # what the figure is; always less is better
    floor: bool = True  # the ABI floor can run it
    record: bool = True  # has a figure of record (one thread of a two-thread team)
    tbb: bool = False  # has a oneTBB twin: patterns/<program>_tbb.cpp
    threads: bool = True  # says something with more than one thread
    callgrind: tuple[int, int] | None = None  # two sizes whose difference gives instructions per unit
    arguments: tuple[str, ...] = ()  # not a pattern program but one of the project's: its options; {size} is replaced

    @property
    def external(self) -> bool:
        """One of the programs in bots/ and uts/; its serial version stands in for the floor."""
        return bool(self.arguments)


CATALOG: tuple[Pattern, ...] = (
    Pattern("spawn_serial", "spawn", "serial", (1 << 16, 1 << 18, 1 << 20), "one thread spawns null tasks", tbb=True,
            callgrind=(2000, 6000)),
    Pattern("spawn_parallel", "spawn", "parallel", (1 << 16, 1 << 18, 1 << 20), "a parallel loop spawns null tasks",
            tbb=True, callgrind=(2000, 6000)),
    Pattern("spawn_memory", "spawn", "memory", (1 << 20, 1 << 21, 1 << 24), "peak resident memory of a serial spawn",
            unit="MB", floor=False),
    Pattern("fib_untied", "fib", "untied", (20, 23, 30), "fib, two untied tasks a call", tbb=True, callgrind=(15, 18)),
    Pattern("fib_tied", "fib", "tied", (20, 23, 30), "fib, two tied tasks a call", tbb=True, callgrind=(15, 18)),
    Pattern("fib_call_one", "fib", "call_one", (21, 25, 36), "fib, fork one and call the other, tied", unit="ns/call",
            tbb=True, callgrind=(15, 18)),
    Pattern("fib_taskgroup", "fib", "taskgroup", (20, 23, 30), "fib, two tied tasks in a taskgroup", tbb=True,
            callgrind=(15, 18)),
    Pattern("fib_if_zero", "fib", "if_zero", (20, 23, 30), "fib, every task `if(0)`", callgrind=(15, 18)),
    Pattern("fib_if", "fib", "if", (20, 23, 30), "fib, untied, `if(depth < 10)`", callgrind=(15, 18)),
    Pattern("fib_final", "fib", "final", (20, 23, 30), "fib, untied, `final(depth >= 10) mergeable`",
            callgrind=(15, 18)),
    Pattern("group_flat", "group", "flat", (1 << 15, 1 << 17, 1 << 20), "one taskgroup around a serial spawn",
            callgrind=(2000, 6000)),
    Pattern("group_nested", "group", "nested", (1 << 14, 1 << 16, 1 << 20), "taskgroups nested 16 deep, a task in each",
            callgrind=(2048, 6144)),
    Pattern("taskloop_one", "taskloop", "one", (1 << 14, 1 << 16, 1 << 18), "taskloop, one iteration per task",
            callgrind=(2000, 6000)),
    Pattern("taskloop_default", "taskloop", "default", (1 << 18, 1 << 20, 1 << 22), "taskloop, the runtime's grain",
            unit="ns/iteration"),
    Pattern("taskloop_reduction", "taskloop", "loop_reduction", (1 << 14, 1 << 16, 1 << 18),
            "taskloop with a reduction, one iteration per task", callgrind=(2000, 6000)),
    Pattern("task_reduction", "taskloop", "task_reduction", (1 << 14, 1 << 16, 1 << 18),
            "tasks with in_reduction in a taskgroup", callgrind=(2000, 6000)),
    Pattern("depend_chains", "depend", "chains", (1 << 13, 1 << 15, 1 << 18), "`depend(inout)` over 64 addresses in turn",
            floor=False, callgrind=(2048, 6144)),
    Pattern("depend_wavefront", "depend", "wavefront", (64, 160, 512), "2-D wavefront, two in and one out", floor=False),
    Pattern("depend_cholesky", "depend", "cholesky", (24, 48, 100), "task graph of a blocked Cholesky factorisation",
            floor=False),
    Pattern("flow_detach", "flow", "detach", (1 << 10, 1 << 12, 1 << 15),
            "producer with `detach`, its completion, its consumer", unit="ns/item", floor=False),
    Pattern("flow_priority", "flow", "priority", (1 << 14, 1 << 16, 1 << 18), "serial spawn with eight priorities",
            floor=False),
    *(Pattern(f"uts_{tree.lower()}", "uts", "untied", (0, 0, 1), f"UTS {tree}, an untied task per node", unit="ms",
              record=False, arguments=("-T", tree)) for tree in ("T1", "T2", "T4", "T5")),
    Pattern("uts_t3", "uts", "untied", (0, 1, 1), "UTS T3, an untied task per node", unit="ms", record=False,
            arguments=("-T", "T3")),
    Pattern("uts_t3_inner", "uts", "untied-inner", (0, 1, 1), "UTS T3, an untied task per inner node", unit="ms",
            record=False, arguments=("-T", "T3")),
    Pattern("nqueens", "bots-nqueens", "untied", (8, 10, 12), "BOTS nqueens, untied, no cut-off", unit="ms", record=False,
            arguments=("-n", "{size}")),
    *(Pattern(f"grain_{label}", "grain", "fixed", (ns, ns, ns), f"tasks of {label}, spawned in parallel",
              unit="CPU ns/task", floor=False, record=False)
      for ns, label in ((100, "0.1us"), (1000, "1us"), (10000, "10us"), (100000, "100us"))),
    Pattern("grain_95", "grain", "smallest", (2, 3, 5), "smallest grain with 95 % efficiency", unit="ns", floor=False,
            record=False),
    Pattern("sync_fork_join", "sync", "fork_join", (500, 2000, 20000), "an empty parallel region", unit="ns/region",
            floor=False, record=False),
    Pattern("sync_barrier", "sync", "barrier", (500, 2000, 20000), "a barrier", unit="ns/barrier", floor=False,
            record=False),
    Pattern("sync_barrier_work", "sync", "barrier_work", (20, 50, 200), "a barrier after 100 µs of work, above the work",
            unit="ns/barrier", floor=False, record=False),
    Pattern("sync_single", "sync", "single", (500, 2000, 20000), "a single construct with its barrier",
            unit="ns/single", floor=False, record=False),
    Pattern("loop_dynamic", "sync", "dynamic", (1 << 14, 1 << 16, 1 << 18), "`schedule(dynamic, 1)`",
            unit="ns/iteration", floor=False, record=False),
)


def select(regex: str) -> list[Pattern]:
    """The patterns whose name the regular expression finds, in the catalog's order."""
    wanted = re.compile(regex)
    return [p for p in CATALOG if wanted.search(p.name)]
