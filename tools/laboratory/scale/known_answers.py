"""tools/scale --check: programs whose result is known on paper."""

import re
from pathlib import Path
from statistics import median

from common import ROOT, say
from spread import perturbed
from versions import BLOCKS

PROGRAMS = ROOT / "test" / "explore" / "scale"
STARVING_US, LONGEST_GAP_US = 50, 10  # runtime/sync/program_lock.cpp; a gap is doubled, and a hand-over comes after it
# Transfers of cache lines for each thread of an empty region: runtime/teams/README.md, "What a region moves".
REGIONS = (("1x2", 2, 2.0), ("1x4", 4, 2.25), ("1x16", 16, 2.4), ("4x16", 64, 2.5))
TRACES = ("serial 10 50", "serial 300 50", "two 1000 20", "unbalanced 100 100", "ordered 20 50", "pool 30 100", "pool 100 50")  # of waiting.c
# Of region_sizes.c, with OMP_DYNAMIC=true: beside one thread, or all, whatever is better there.
SIZES = (("1x4", "800 1:0"), ("1x4", "800 1:300"), ("1x4", "400 1:30000"), ("1x16", "800 1:300"), ("1x16", "4 300:50 300:20000"),
         ("1x16", "40 100:50 1:20000"), ("4x16", "800 1:300"), ("4x16", "200 1:340000"))
# Transfers of cache lines for each task of hand_overs.c that changes threads: results.md, "What a steal costs, line by line".
ON_PAPER = {("one", "hierarchical"): 11, ("one", "steal"): 14.5, ("chain", "hierarchical"): 13}


def check(make_program, run, costs):
    """`make_program(path, arguments, pattern size)` and `run(program, machine, costs, threads, scheduler)`, whose result has what the
    program printed as `said`; the number of failures."""
    failures = 0

    def expect(what, value, low, high):
        """`value` is one figure, or those of several runs, of which the middle counts."""
        nonlocal failures
        values = value if isinstance(value, list) else [value]
        right = low <= median(values) <= high
        failures += not right
        spread = f" ({len(values)} runs, {min(values):.4g} to {max(values):.4g})" if len(values) > 1 else ""
        say(f"{'ok    ' if right else 'FAILED'} {what}: {median(values):.4g}{spread}, expected {low:.4g} to {high:.4g}")

    turns = 10000
    ping = make_program(str(PROGRAMS / "ping_pong.c"))
    near, far = (run(ping, machine, costs, 2, "hierarchical") for machine in ("1x2", "2x1"))
    of_the_program = sum(t["count"] for t in near["transfers"] if Path(t["file"]).name == "ping_pong")
    expect("ping-pong: transfers of a turn", of_the_program / turns, 1.99, 2.05)
    expect("ping-pong between chips against within one", far["program_ns"] / near["program_ns"],
           0.9 * costs["far"] / costs["chip"], 1.1 * costs["far"] / costs["chip"])

    private = make_program(str(PROGRAMS / "private_work.c"))
    for machine, threads in (("1x4", 4), ("8x8", 64)):
        one, many = (run(private, machine, costs, count, "hierarchical") for count in (1, threads))
        expect(f"private work: efficiency on {machine}", one["program_ns"] / many["program_ns"] / threads, 0.95, 1.001)

    # Each of four threads has a quarter to do: two share a CPU, or the last ones are on slow cores, or have half a core.
    longer = costs | {"block": 20 * costs["block"]}
    for what, machine, threads, more, expected in (("twice as many threads as CPUs", "1x2", 4, {}, 1 / 2), ("two speeds", "1x4", 4, {"slow_cores": 2, "slow_speed": 500}, 1 / 2),
                                                   ("two threads a core", "1x2", 4, {"smt": 2, "smt_share": 600}, 1 / 4 / 0.6)):
        one, many = (run(private, machine, longer | more, count, "hierarchical") for count in (1, threads))
        expect(f"private work, {what}: time beside one thread", many["time_ns"] / one["time_ns"], 0.98 * expected, 1.05 * expected)
    alone, lost = (run(private, "1x1", longer | {"preempt_every": every, "preempt_least": 10**9, "preempt_most": 10**9, "seed": 1}, 1, "hierarchical")
                   for every in (0, 2 * 10**9))
    expect("private work, a CPU that is lost for 1 ms of 3: time without what was lost", (lost["time_ns"] - lost["lost_ns"]) / alone["time_ns"], 0.999, 1.001)
    expect("... share of the time that was lost", lost["lost_ns"] / lost["time_ns"], 0.2, 0.45)

    early = run(make_program(str(PROGRAMS / "at_its_time.c")), "1x2", costs, 2, "hierarchical")["program_ns"]
    expect("a read long before another thread's write: ns", early, 0, (costs["chip"] + 3 * costs["clock"]) / 1000)

    # More tasks with dependences than are made at a time: their creator has to get some, too.
    graph = make_program("bots-sparselu", ["-n", "24", "-m", "12", "-v", "tied-depend"])
    one, two = (run(graph, "1x2", costs, count, "hierarchical")["program_ns"] for count in (1, 2))
    expect("sparselu with dependences: efficiency of 2 threads", one / two / 2, 0.65, 1)

    # Tasks of some microseconds that one thread makes: the other one must not wait, each third task, until the creator has ended
    # its own. Two of three threads' time is 1.5 times as fast as one, and phases end with one thread alone.
    phases = make_program("bots-sparselu", ["-n", "16", "-m", "32", "-v", "tied"])
    one, two = (run(phases, "1x2", costs | {"block": BLOCKS["bots-sparselu"]}, count, "hierarchical")["program_ns"] for count in (1, 2))
    expect("sparselu, tasks from one thread: speed-up of 2 threads", one / two, 1.6, 2)

    # What a thread has slept before it got its first task is no cost of handing that over.
    graph = make_program(str(PROGRAMS / "graphs.c"), ["chains", "1024", "1400", "10"])
    one, two = (run(graph, "1x2", costs, count, "hierarchical")["program_ns"] for count in (1, 2))
    expect("chains of 1 us tasks, while the other thread sleeps: efficiency of 2 threads", one / two / 2, 0.65, 1)

    # Tasks that are shorter than their hand-over stay with their creator on every machine, though other domains, or far ones,
    # have idle threads. So many threads take little longer than one. Those that have tasks before anybody knows that these are short
    # go on with their successors, for 0.1 ms or not at all; so the middle one of five programs of 0.3 ms counts.
    for name, sizes, machine, far, limit in (("depend_chains", range(18000, 23000, 1000), "5x1", 110, 1.3),
                                             ("flow_priority", range(18000, 23000, 1000), "2x4", 330, 1.4),  # runs of 1.24 to 1.41
                                             ("depend_wavefront", range(90, 140, 10), "4x1", 110, 1.3)):
        chips, cores = map(int, machine.split("x"))
        ratios = []
        for size in sizes:
            one, many = (run(make_program(name, size=str(size)), machine, costs | {"far": far * 1000}, count, "hierarchical")["program_ns"]
                         for count in (1, chips * cores))
            ratios.append(many / one)
        expect(f"{name} on {machine}, {far} ns between chips: time of all threads beside one", ratios, 0.9, limit)

    # A thief that takes a cheap look at what lies there already, but fetches far lines for each task, or that is always too late:
    # neither may look worth it for ever.
    for name, size, machine, changed, policy in (("task_reduction", 4096, "1x12", {"chip": 160_000, "pause": 10_000}, "passive"),
                                                 ("group_nested", 32768, "2x1", {"chip": 76_000, "far": 300_000, "pause": 61_000}, "active")):
        program, (chips, cores) = make_program(name, size=str(size)), map(int, machine.split("x"))
        one, many = (run(program, machine, costs | changed, count, "hierarchical", {"OMP_WAIT_POLICY": policy})["program_ns"]
                     for count in (1, chips * cores))
        expect(f"{name}, all threads of {machine}, slow lines: time beside one", many / one, 0.9, 2.5)

    # A thread that loses its CPU while it is hungry feeds nobody. Costs of a machine that tools/scale --robust has drawn.
    drawn = {"plain": 86, "atomic": 640, "update": 1900, "fence": 3200, "block": 200, "first_touch": 6300, "chip": 78_000, "far": 81_000,
             "store_overlap": 550, "store_backlog": 170_000, "pause": 55_000, "yield": 980_000, "clock": 11_000, "system_call": 1_000_000,
             "sleep": 3_800_000, "wake": 720_000, "wake_latency": 20_000_000, "membarrier": 640_000, "membarrier_cpu": 140_000,
             "interrupt": 190_000, "thread": 14_000_000, "thread_latency": 9_500_000, "preempt_every": 6_700_000_000,
             "preempt_least": 1_000_000_000, "preempt_most": 3_000_000_000}
    short = make_program("depend_wavefront", ["--reps", "1"], size="320")
    one = run(short, "1x11", costs | drawn | {"preempt_every": 0}, 1, "hierarchical")["program_ns"]
    times = [run(short, "1x11", costs | drawn | {"seed": seed}, 15, "hierarchical")["program_ns"] for seed in range(1, 12)]
    # In a third of the runs whoever makes the tasks, for 1.5 ms, loses its CPU for as long.
    expect("depend_wavefront, 15 threads on 11 CPUs that are lost: time beside one thread that loses none, the third of eleven",
           sorted(times)[2] / one, 0.3, 1.3)
    # A member of a crowd that waits in a task remembers that yields take long.
    drawn = {"plain": 110, "atomic": 1100, "update": 5800, "fence": 10_000, "block": 243, "first_touch": 4400, "chip": 32_000, "far": 140_000,
             "store_overlap": 220, "store_backlog": 460_000, "pause": 30_000, "yield": 310_000, "clock": 54_000, "system_call": 520_000,
             "sleep": 1_000_000, "wake": 870_000, "wake_latency": 2_600_000, "membarrier": 720_000, "membarrier_cpu": 130_000,
             "interrupt": 660_000, "thread": 22_000_000, "thread_latency": 7_600_000, "slow_yield_one_of": 30, "slow_yield": 8_000_000_000}
    fft = make_program("bots-fft", ["-n", "524288", "-y", "16", "-v", "tied-taskloop"])
    ratios = []
    for seed in range(1, 6):
        one, many = (run(fft, "1x5", costs | drawn | {"seed": seed}, count, "hierarchical") for count in (1, 11))
        ratios.append(many["program_ns"] / one["program_ns"])
    expect("fft, 11 threads on 5 CPUs, one yield of 30 takes 8 ms: time beside one thread", ratios, 0.2, 2)
    # Thieves of a large team do not queue for the line in which they write what they have measured.
    tree = make_program("uts_t3_inner", size="400")
    one, many = (run(tree, "4x8", costs, count, "hierarchical")["program_ns"] for count in (1, 32))
    expect("UTS T3: efficiency of 32 threads on 4x8", one / many / 32, 0.55, 1)  # 0.59 to 0.63, by chance of who finds whom
    # A creator hands over what takes some four of a thief's looks; and a steal from another chip is worth what it feeds there. A chain
    # of dependent tasks does not move at each link. Lines that a creator needs of tasks which others have ended come while it goes on.
    for machine, threads, case, most in (("1x8", 8, "creator plain 500", 0.5), ("4x16", 64, "tree - 1000", 0.05),
                                         ("1x8", 8, "creator dependent 1000", 0.33), ("2x8", 16, "creator stencil 5000", 0.095)):
        larger = make_program(str(PROGRAMS / "larger_machines.c"), case.split())
        ratios = []
        for changed in perturbed(costs, 3):
            one, many = (int(re.search(r"later_ns=(\d+)", run(larger, machine, changed, count, "hierarchical")["said"])[1]) for count in (1, threads))
            ratios.append(many / one)
        expect(f"{case}, {threads} threads on {machine}: time beside one", ratios, 1 / threads, most)
    # Iterations that take longer and longer, up to 2 us, when they are met for the first time: members do not wait for one another's.
    # Short ones that are met often are handed out in batches or shares at last: to a 4000th of a loop each, most of it for one thread.
    def executions(schedule, length, threads, later=2):
        program = make_program(str(PROGRAMS / "larger_machines.c"), ["loop", schedule, length, str(later)])
        said = run(program, "1x8", costs, threads, "hierarchical")["said"]
        return map(int, re.search(r"first_ns=(\d+) later_ns=(\d+)", said).groups())

    for schedule in ("dynamic", "in_order"):
        (one, _), (first, _) = (executions(schedule, "1000", count) for count in (1, 8))
        expect(f"growing loop, {schedule}: first execution of 8 threads beside one", first / one, 0.12, 0.17)
        _, learned = executions(schedule, "4", 8, 40)
        expect(f"loop of short iterations, {schedule}: ns an iteration, the best of 40 executions", learned / 2048, 0.5, 6)
    # Iterations whose results share lines, as those of many programs: taken one by one they cost 21 times as long, so the loop has to be
    # dealt at last; also where each member is alone on its chip, and where the first iterations are longer than the others.
    for name, machine, threads in (("conformance.dynamic", "1x8", 8), ("conformance.dynamic", "3x1", 3), ("spmv_unbalanced.auto", "3x1", 3)):
        shared = make_program(f"loop_{name}", ["--reps", "20"])
        one, many = (run(shared, machine, costs, count, "hierarchical")["ns_per_unit"] for count in (1, threads))
        expect(f"loop_{name}, {threads} threads on {machine}: time beside one, the best of 20", many / one, 0.3, 1.5)
    # The only member of a chip may make a loop's rest everybody's shares, while the others take by their chip.
    loop = make_program(str(PROGRAMS / "larger_machines.c"), ["alone_first", "-", "200"])
    one = run(loop, "1x1", costs, 1, "hierarchical")["program_ns"]
    for machine, threads in (("2x4", 5), ("2x8", 9)):
        expect(f"a loop that one of {threads} threads begins alone, each iteration once: time beside one thread",
               run(loop, machine, costs, threads, "hierarchical")["program_ns"] / one, 1 / threads, 1.5)
    # The counts of a loop's ranges and of its group have lines of their own.
    loop = make_program("taskloop_reduction", size=str(1 << 16))
    one, many = (run(loop, "16x4", costs | {"chip": 200_000, "far": 290_000}, count, "hierarchical")["program_ns"] for count in (1, 64))
    expect("taskloop with reduction, 64 threads on 16x4, 290 ns between chips: time beside one", many / one, 0.02, 4)
    for machine, threads, expected in REGIONS:
        few, more = (run(make_program("sync_fork_join", size=regions), machine, costs, threads, "hierarchical") for regions in ("500", "1000"))  # three times each
        counts = [sum(t["count"] for t in r["transfers"]) for r in (few, more)]
        expect(f"regions of {threads} threads on {machine}: transfers of a thread", (counts[1] - counts[0]) / (3 * 500) / threads, 1.9, expected + 0.1)

    # A thread that waits finds out whether to spin or to sleep: without a setting it is as fast as with the better one.
    for trace in TRACES:
        waiting = make_program(str(PROGRAMS / "waiting.c"), trace.split())
        alone, *settled = (run(waiting, "1x2", costs, 2, "hierarchical", {"OMP_WAIT_POLICY": policy} if policy else {})["program_ns"]
                           for policy in ("", "active", "passive"))
        expect(f"waiting, {trace}: no setting beside the better policy", alone / min(settled), 0.5, 1.05)

    # Where the runtime may choose, a small region takes hardly longer than on one thread, and a large one than on all. Who comes first in a
    # large one is chance.
    for machine, sizes in SIZES:
        regions, (chips, cores) = make_program(str(PROGRAMS / "region_sizes.c"), sizes.split()), map(int, machine.split("x"))
        ratios = []
        for percent in (98, 100, 102):
            one, many, chosen = (run(regions, machine, costs | {"block": costs["block"] * percent // 100}, threads, "hierarchical", settings)["program_ns"]
                                 for threads, settings in ((1, {}), (chips * cores, {}), (chips * cores, {"OMP_DYNAMIC": "true"})))
            ratios.append(chosen / min(one, many))
        expect(f"sizes chosen on {machine}, regions {sizes}: time beside the better of one thread and all", ratios, 0.1, 1.1)

    for (mode, scheduler), expected in ON_PAPER.items():
        few, more = (run(make_program(str(PROGRAMS / "hand_overs.c"), [mode, str(tasks)]), "1x2", costs, 2, scheduler)
                     for tasks in (200, 400))
        counts = [sum(t["count"] for t in r["transfers"] if Path(t["file"]).name != "hand_overs") for r in (few, more)]
        expect(f"hand_overs {mode}, {scheduler}: transfers of a task", (counts[1] - counts[0]) / 200, expected - 1, expected + 1)

    # A thread waits for STARVING_US, a gap between two looks and a section for each thread before it; all threads together need
    # little longer than one would.
    for machine, threads, steps in (("1x4", 2, 100), ("1x4", 4, 0), ("1x4", 4, 100), ("1x4", 4, 3000), ("4x4", 16, 100)):
        sections = 40000 // max(1, steps // 100) // threads
        one, many = (run(make_program(str(PROGRAMS / "locks.c"), [str(count), str(steps), "0"]), machine, costs, number, "hierarchical")
                     for count, number in ((sections * threads, 1), (sections, threads)))
        longest_us = 1e6 * float(re.search(r"longest = ([\d.]+)", many["said"])[1])
        expect(f"lock, {threads} threads, sections of {steps} steps: longest wait for each thread before it, us",
               longest_us / (threads - 1), 0, STARVING_US + LONGEST_GAP_US + 2 * one["program_ns"] / 1000 / sections / threads)
        expect("... a section beside that of one thread", many["program_ns"] / one["program_ns"], 0.99, 1.2)

    fib = make_program("fib_tied")
    first, second = (run(fib, "1x4", costs, 4, "hierarchical") for _ in range(2))
    expect("the same command twice: differences", sum(first[key] != second[key] for key in first), 0, 0)
    expect("fib_tied: speed-up of 4 threads", run(fib, "1x4", costs, 1, "steal")["program_ns"] /
           run(fib, "1x4", costs, 4, "steal")["program_ns"], 2.5, 4)
    return failures
