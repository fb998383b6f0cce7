"""What tools/scale --robust draws: a machine, what things cost on it, settings, and a program. A run is drawn from the seed and its
own number, so the runs of one seed are the same however many of them are asked for."""

import random
from dataclasses import dataclass, field

from programs import cases
from versions import BLOCKS

# By what part of the runs' programs each kind is drawn.
KINDS = {"tree": 7, "serial": 11, "parallel": 3, "grain": 1, "loop": 3, "version": 6, "region": 1}

# The patterns of tools/bench with the sizes at which their state is steady, for a machine of at most FEW CPUs and for a larger one.
# A run of one thread takes 0.5 to 10 ms of virtual time.
FEW = 8
PATTERNS = {
    # Trees: more threads must be faster.
    "tree": {**dict.fromkeys(("fib_untied", "fib_tied", "fib_taskgroup", "fib_taskgroup_untied", "fib_if", "fib_final"), (23, 25)),
             "fib_call_one": (24, 26), **dict.fromkeys(("nqueens", "nqueens_tied"), (9, 10)),
             "uts untied": (), "uts untied-inner": (), "uts tied": ()},
    # Tasks that are too short to share, from one thread: more threads must not be slower.
    "serial": {"spawn_serial": (1 << 16,) * 2, "fib_if_zero": (22, 22), "group_flat": (1 << 16,) * 2, "group_nested": (1 << 15,) * 2,
               "task_reduction": (1 << 16,) * 2, "depend_chains": (1 << 15,) * 2, "depend_wavefront": (160, 160),
               "depend_cholesky": (50, 50), "flow_detach": (1 << 12,) * 2, "flow_priority": (1 << 16,) * 2},
    # Such tasks that all threads make.
    "parallel": {"spawn_parallel": (1 << 17,) * 2, "taskloop_one": (1 << 16, 1 << 17), "taskloop_default": (1 << 19, 1 << 20),
                 "taskloop_reduction": (1 << 16, 1 << 17)},
    # Tasks of one length, as many for each thread: the CPU time of a task must not grow.
    "grain": dict.fromkeys(("grain_0.1us", "grain_1us", "grain_10us", "grain_100us"), (None, None)),
    # Parallel loops.
    "loop": dict.fromkeys([f"loop_{loop}.{schedule}" for loop in ("conformance", "reduction", "spmv_unbalanced", "triangular", "random",
                                                                  "first_heavy", "last_heavy", "1e4_1us")
                           for schedule in ("default", "dynamic", "guided", "auto")], (None, None)) | {"loop_dynamic": (1 << 14, 1 << 16)},
    # What one thread does not need at all: reported apart.
    "region": dict.fromkeys(("sync_fork_join", "sync_barrier", "sync_single"), (200, 200)),
}
UTS = "-t 0 -b 500 -q 0.124 -m 8 -r 42"  # 3 levels deep for each child in the mean, hundreds at the most
GRAIN_BLOCKS = 20  # their blocks cost so much more: fewer steps make a task of the same length

SETTINGS = ({}, {}, {}, {"KMP_BLOCKTIME": "0"}, {"OMP_WAIT_POLICY": "passive"}, {"KMP_BLOCKTIME": "infinite"},
            {"OMP_WAIT_POLICY": "active"}, {"OMP_PROC_BIND": "close"}, {"OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"})
# With more threads than CPUs, or with CPUs that are lost, a thread that never sleeps is what the setting asks for.
PATIENT = {"OMP_WAIT_POLICY": "active"}, {"KMP_BLOCKTIME": "infinite"}
MS = 1_000_000_000  # in picoseconds
# The least and the most of a cost that is not drawn from a quarter to four times the profile's: in picoseconds, and one of 1000.
RANGES = {"chip": (6750, 220_000), "far": (27_500, 330_000), "store_overlap": (125, 1000)}


@dataclass
class Run:
    """One run of --robust; `kind` as in KINDS."""

    number: int
    kind: str
    name: str  # of the pattern or the version
    program: str
    arguments: list
    size: int | None
    machine: str
    threads: int
    costs: dict
    settings: dict = field(default_factory=dict)

    @property
    def cpus(self):
        chips, cores = map(int, self.machine.split("x"))
        return chips * cores * self.costs.get("smt", 1)

    def capacity_of(self, threads):
        """What so many threads can do together, beside the first one alone: whole cores come first, then their second threads."""
        chips, cores = map(int, self.machine.split("x"))
        slow = self.costs.get("slow_cores", 0)
        speeds = [1 if core < cores - slow else self.costs["slow_speed"] / 1000 for _ in range(chips) for core in range(cores)]
        more = [speed * (2 * self.costs.get("smt_share", 600) / 1000 - 1) for speed in speeds] if self.costs.get("smt", 1) == 2 else []
        return sum([*speeds, *more][:threads])


def draw_machine(rng):
    """Chips x cores: mostly up to 17 CPUs, one of sixteen larger."""
    shape = rng.randrange(16)
    if shape == 0:
        return rng.choice(((4, 8), (2, 16), (1, 64), (8, 8), (6, 7), (16, 2), (16, 4), (3, 11)))
    if shape < 5:
        return 1, rng.randint(2, 17)
    if shape < 8:
        return rng.choice((2, 3, 4, 5, 6, 8, 12, 16)), 1
    chips = rng.choice((2, 2, 2, 3, 3, 4, 5, 7, 8))
    return chips, rng.randint(2, max(2, 17 // chips))


def draw_costs(rng, profile):
    """Each cost by itself: the profile's, or a quarter to four times that."""
    if rng.randrange(6) == 0:
        return dict(profile)
    drawn = {}
    for name in sorted(profile, key=lambda each: each != "far"):  # the way within a chip is the shorter one
        value = profile[name]
        low, high = RANGES.get(name, (value / 4, value * 4))
        if name == "chip":
            high = min(high, drawn["far"])
        drawn[name] = in_short(low * (high / low) ** rng.random()) if value else 0
    return {name: drawn[name] for name in profile}


def in_short(value):
    """Two digits are enough."""
    return int(float(f"{value:.2g}"))


def draw_unevenness(rng, cores):
    """Two speeds of cores, of which the first of a chip is always a fast one, or two threads a core; mostly neither."""
    shape = rng.randrange(12)
    if shape == 0 and cores > 1:
        return {"slow_cores": rng.randint(1, cores - 1), "slow_speed": rng.choice((300, 500, 700, 800))}
    if shape == 1:
        return {"smt": 2, "smt_share": rng.choice((520, 600, 700))}
    return {}


def draw_noise(rng, fence_rng):
    """CPUs that are lost for 1 to 10 ms, and sched_yield() and membarriers that take long; mostly none."""
    noise = {}
    if rng.randrange(5) == 0:
        noise |= {"preempt_every": in_short(2 * MS * 10 ** rng.random()), "preempt_least": MS, "preempt_most": rng.choice((1, 3, 10)) * MS}
    if rng.randrange(8) == 0:
        noise |= {"slow_yield_one_of": rng.choice((3, 30, 300)), "slow_yield": in_short(MS / 10 * 100 ** rng.random())}
    if noise:
        noise["seed"] = rng.randrange(1000)
    if fence_rng.randrange(8) == 0:  # drawn by itself: added later, it leaves the other draws as they were
        fences = {"slow_fence_one_of": fence_rng.choice((1, 3, 30)), "slow_fence": in_short(MS / 20 * 40 ** fence_rng.random())}
        noise = {"seed": fence_rng.randrange(1000)} | fences | noise
    return noise


def longer(size):
    """A size of which some CPUs are lost meanwhile."""
    return size * (4 if size > 1000 else 2)


def draw_program(rng, cpus, patterns):
    """(kind, name, program, arguments, size, what its blocks cost: a number for all or None, and a factor)."""
    kinds = [kind for kind in KINDS if patterns[kind]]
    kind = rng.choices(kinds, [KINDS[kind] for kind in kinds])[0]
    if kind == "version":
        case = rng.choice(patterns[kind])
        return kind, case.name, case.program, [*case.arguments.split(), "-v", case.version], None, BLOCKS.get(case.program), 1
    name = rng.choice(list(patterns[kind]))
    if name.startswith("uts "):
        return kind, name, "uts", [*UTS.split(), "-v", name.split()[1]], None, None, 1
    size = patterns[kind][name][cpus > FEW]
    # A pattern that is a program of bots/ or uts/ is run once.
    more = [] if name.startswith("nqueens") else ["--reps", "2"]
    return kind, name, name, more, size, None, GRAIN_BLOCKS if kind == "grain" else 1


def programs(wanted):
    """What can be drawn, by kind: those whose name the compiled regular expression finds."""
    return {**{kind: {name: sizes for name, sizes in table.items() if wanted.search(name)} for kind, table in PATTERNS.items()},
            "version": [case for case in cases("modelled") if case.program.startswith(("bots", "uts")) and wanted.search(case.name)]}


def draw(seed, number, profile, patterns, most_cpus):
    rng = random.Random(f"{seed} {number}")
    chips, cores = draw_machine(rng)
    while chips * cores > most_cpus:
        chips, cores = draw_machine(rng)
    costs = draw_costs(rng, profile)
    uneven, noise = draw_unevenness(rng, cores), draw_noise(rng, random.Random(f"{seed} {number} fences"))
    cpus = chips * cores * uneven.get("smt", 1)
    settings = dict(rng.choice(SETTINGS))
    threads = rng.randint(2, cpus) if rng.randrange(4) == 0 else cpus
    if rng.randrange(10) == 0 and not uneven and cpus <= 17 and settings not in PATIENT:
        threads = rng.randint(cpus + 1, 3 * cpus)
    forks = rng.randrange(12) == 0
    kind, name, program, arguments, size, block, factor = draw_program(rng, cpus, patterns)
    if block is not None:
        costs["block"] = round(block * costs["block"] / profile["block"])
    costs["block"] *= factor
    if kind in ("loop", "grain", "region"):
        # All threads of a region must have come, and one that has lost its CPU does not: that is no fault of the runtime.
        noise = {name: value for name, value in noise.items() if not name.startswith("preempt")}
    if "preempt_every" in noise and kind in ("serial", "parallel") and name != "fib_if_zero":
        size, arguments = longer(size), ["--reps", "1"]
    if forks and "--reps" in arguments and kind in ("tree", "serial", "parallel"):
        arguments = [*arguments, "--fork"]
    return Run(number, kind, name, program, arguments, size, f"{chips}x{cores}", threads, costs | uneven | noise, settings)
