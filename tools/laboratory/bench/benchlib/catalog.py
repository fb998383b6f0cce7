"""What is measured: one entry per pattern, with the sizes of a quick, a default and a full run."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCALES = ("quick", "default", "full")


@dataclass(frozen=True)
class Pattern:
    """One line of the table. `sizes` is (quick, default, full); 0 leaves it out."""

    name: str
    program: str  # patterns/<program>.c, or with `arguments` one of the project's programs
    case: str  # which of the program's patterns
    sizes: tuple[int, int, int]
    what: str  # one line for --list
    unit: str = "ns/task"  # what the figure is; always less is better
    record: bool = True  # has a figure of record (one thread of a two-thread team)
    twin: str = ""  # the case of patterns/<program>_tbb.cpp that does the same; empty: oneTBB has no counterpart
    serial: str = ""  # the case that does the same without OpenMP
    callgrind: tuple[int, int] | None = None  # two sizes whose difference gives instructions per unit
    argument: int = 0  # --arg of a pattern program
    arguments: tuple[str, ...] = ()  # a program of bots/ or uts/: its options; {size} is replaced
    group: str = ""  # those of one group have one program, size and argument, and take turns in one process; empty: alone
    settings: tuple[tuple[str, str], ...] = ()  # environment variables without which it would measure something else

    @property
    def external(self) -> bool:
        """One of the programs in bots/ and uts/."""
        return bool(self.arguments)

    def size(self, scale: str) -> int:
        """The size in a quick, default or full run."""
        return self.sizes[SCALES.index(scale)]


def fib(name: str, case: str, what: str, twin: str = "two_tasks") -> Pattern:
    """A Fibonacci tree with two tasks a call."""
    return Pattern(name, "fib", case, (20, 30, 30), what, twin=twin, serial="serial", callgrind=(15, 18))


def tasks(name: str, program: str, case: str, logs: tuple[int, int, int], what: str, **more: object) -> Pattern:
    """Numbers of tasks that are powers of two."""
    quick, default, full = (1 << log for log in logs)
    return Pattern(name, program, case, (quick, default, full), what, **more)  # type: ignore[arg-type]


def uts(name: str, tree: str, case: str, twin: str, sizes: tuple[int, int, int], what: str) -> Pattern:
    """A published tree; the size is the number of the root's children, smaller in a quick run."""
    return Pattern(name, "uts", case, sizes, f"UTS {tree}, {what}", unit="ns/node", record=False, twin=twin,
                   serial="serial", arguments=("-T", tree, "-b", "{size}", "-c"))


def grain(label: str, ns: int) -> Pattern:
    """Tasks of one length."""
    return Pattern(f"grain_{label}", "grain", "fixed", (ns, ns, ns), f"tasks of {label}, spawned in parallel", unit="CPU ns/task",
                   record=False, twin="fixed")


def sync(name: str, case: str, sizes: tuple[int, int, int], unit: str, what: str,
         callgrind: tuple[int, int] | None = (2048, 6144)) -> Pattern:
    """Regions and their synchronisation."""
    return Pattern(name, "sync", case, sizes, what, unit=unit, record=False, callgrind=callgrind)


CATALOG: tuple[Pattern, ...] = (
    tasks("spawn_serial", "spawn", "serial", (16, 20, 20), "one thread spawns null tasks", twin="serial", callgrind=(2000, 6000)),
    tasks("spawn_parallel", "spawn", "parallel", (16, 20, 20), "a parallel loop spawns null tasks", twin="parallel",
          callgrind=(2000, 6000)),
    tasks("spawn_memory", "spawn", "memory", (20, 24, 24), "peak resident memory of a serial spawn, above its start", unit="MB"),
    fib("fib_untied", "untied", "fib, two untied tasks a call"),
    fib("fib_tied", "tied", "fib, two tied tasks a call"),
    Pattern("fib_call_one", "fib", "call_one", (21, 33, 36), "fib, fork one and call the other, tied", unit="ns/call",
            twin="call_one", serial="serial", callgrind=(15, 18)),
    fib("fib_taskgroup", "taskgroup", "fib, two tied tasks in a taskgroup"),
    fib("fib_taskgroup_untied", "taskgroup_untied", "fib, two untied tasks in a taskgroup"),
    fib("fib_if_zero", "if_zero", "fib, every task `if(0)`", twin=""),
    fib("fib_if", "if", "fib, untied, `if(depth < 10)`", twin=""),
    fib("fib_final", "final", "fib, untied, `final(depth >= 10) mergeable`", twin=""),
    tasks("group_flat", "group", "flat", (15, 18, 20), "one taskgroup around a serial spawn", twin="flat", callgrind=(2000, 6000)),
    tasks("group_nested", "group", "nested", (14, 18, 20), "taskgroups nested 16 deep, a task in each", twin="nested",
          callgrind=(2048, 6144)),
    tasks("taskloop_one", "taskloop", "one", (14, 18, 18), "taskloop, one iteration per task", twin="one", callgrind=(2000, 6000)),
    tasks("taskloop_default", "taskloop", "default", (18, 22, 22), "taskloop, the runtime's grain", unit="ns/iteration",
          twin="default"),
    tasks("taskloop_reduction", "taskloop", "loop_reduction", (14, 18, 18), "taskloop with a reduction, one iteration per task",
          twin="loop_reduction", callgrind=(2000, 6000)),
    tasks("task_reduction", "taskloop", "task_reduction", (14, 18, 18), "tasks with in_reduction in a taskgroup",
          twin="task_reduction", callgrind=(2000, 6000)),
    tasks("depend_chains", "depend", "chains", (13, 18, 18), "`depend(inout)` over 64 addresses in turn",
          twin="chains", callgrind=(2048, 6144)),
    Pattern("depend_wavefront", "depend", "wavefront", (64, 256, 512), "2-D wavefront, two in and one out",
            twin="wavefront"),
    Pattern("depend_cholesky", "depend", "cholesky", (24, 64, 100), "task graph of a blocked Cholesky factorisation",
            twin="cholesky"),
    Pattern("replay_chains", "replay", "chains", (2, 16, 64), "64 chains of 64 tasks, recorded once and replayed"),
    Pattern("replay_wavefront", "replay", "wavefront", (2, 16, 64), "2-D wavefront of 64 x 64 tasks, recorded and replayed"),
    tasks("flow_detach", "flow", "detach", (10, 13, 15), "producer with `detach`, its completion, its consumer", unit="ns/item"),
    tasks("flow_priority", "flow", "priority", (13, 16, 18), "serial spawn with eight priorities",
          settings=(("OMP_MAX_TASK_PRIORITY", "8"),)),
    uts("uts_t1", "T1", "untied", "T1", (0, 4, 4), "an untied task per node"),
    uts("uts_t2", "T2", "untied", "T2", (0, 6, 6), "an untied task per node"),
    uts("uts_t3", "T3", "untied", "T3", (100, 2000, 2000), "an untied task per node"),
    uts("uts_t3_inner", "T3", "untied-inner", "T3-inner", (100, 2000, 2000), "an untied task per inner node"),
    uts("uts_t3_tied", "T3", "tied", "T3", (100, 2000, 2000), "a tied task per node"),
    uts("uts_t4", "T4", "untied", "T4", (0, 6, 6), "an untied task per node"),
    uts("uts_t5", "T5", "untied", "T5", (0, 4, 4), "an untied task per node"),
    Pattern("nqueens", "bots-nqueens", "untied", (7, 10, 12), "BOTS nqueens, untied, no cut-off", unit="ms", record=False,
            twin="untied", serial="serial", arguments=("-n", "{size}", "-c")),
    Pattern("nqueens_tied", "bots-nqueens", "tied", (7, 10, 12), "BOTS nqueens, tied, no cut-off", unit="ms", record=False,
            twin="untied", serial="serial", arguments=("-n", "{size}", "-c")),
    *(grain(label, ns) for label, ns in (("0.1us", 100), ("1us", 1000), ("10us", 10000), ("100us", 100000))),
    Pattern("grain_95", "grain", "smallest", (2, 5, 5), "smallest grain with 95 % efficiency", unit="ns",
            record=False, twin="smallest"),
    sync("sync_fork_join", "fork_join", (500, 20000, 20000), "ns/region", "an empty parallel region"),
    sync("sync_barrier", "barrier", (500, 20000, 20000), "ns/barrier", "a barrier"),
    sync("sync_barrier_work", "barrier_work", (20, 200, 200), "ns/barrier", "a barrier after 100 µs of work, above the work",
         callgrind=None),
    sync("sync_single", "single", (500, 20000, 20000), "ns/single", "a single construct with its barrier"),
    sync("loop_dynamic", "dynamic", (1 << 14, 1 << 18, 1 << 18), "ns/iteration", "`schedule(dynamic, 1)`"),
    sync("loop_static", "static", (500, 20000, 20000), "ns/loop", "a static loop of an iteration for each thread"),
    sync("loop_reduction", "reduction", (500, 20000, 20000), "ns/loop", "the same with a sum"),
    sync("loop_collapse", "collapse", (1 << 14, 1 << 18, 1 << 18), "ns/iteration", "`schedule(dynamic, 1)` of two loops that are one"),
    sync("loop_ordered", "ordered", (500, 20000, 20000), "ns/iteration", "ordered, `schedule(static, 1)`"),
    sync("loop_sections", "sections", (500, 20000, 20000), "ns/construct", "two sections"),
    sync("loop_pipeline", "pipeline", (500, 20000, 20000), "ns/plane", "a pipeline of all threads, by doacross dependences"),
    sync("loop_phases", "phases", (200, 2000, 2000), "ns/region", "a region of three static loops of 1,024 elements and a sum"),
)


def in_groups(patterns: list[Pattern]) -> list[list[Pattern]]:
    """The groups of patterns that are measured together, in the order of the list."""
    groups: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        groups.setdefault(pattern.group or pattern.name, []).append(pattern)
    return list(groups.values())


def select(catalog: tuple[Pattern, ...], regex: str) -> list[Pattern]:
    """The patterns whose name the regular expression finds, in the catalog's order."""
    wanted = re.compile(regex)
    return [p for p in catalog if wanted.search(p.name)]
