"""tools/scale --versions: every version of the programs of bots/ and uts/, in virtual time, on each number of threads beside
one, and the first of several schedulers beside the best of them."""

import math

import progress
from common import die, say
from programs import cases

# What a basic block of each program takes on one real thread, in picoseconds (--measure; results.md, "Versions of bots/ and uts/").
BLOCKS = {"bots-alignment": 890, "bots-cholesky": 0, "bots-concom": 1160, "bots-fft": 100, "bots-fib": 440, "bots-floorplan": 50,
          "bots-health": 570, "bots-knapsack": 800, "bots-nqueens": 760, "bots-sort": 1150, "bots-sparselu": 50,
          "bots-strassen": 100, "uts": 5000,
          "epcc-data": 3540, "epcc-schedules": 1050, "epcc-sync": 3460, "epcc-tasks": 3400, "flow-jacobi": 760, "flow-lu": 0, "flow-qr": 170,
          "forkjoin-fib": 350, "forkjoin-matmul": 0, "forkjoin-nqueens": 1260, "forkjoin-skynet": 0, "loops-cg": 0, "loops-ft": 350,
          "loops-lu": 4250, "loops-mg": 210}
MOST_BEHIND = 1.15


def run_all(make_program, run, costs, options):
    """(version, its times in ns by (scheduler, threads)), one version after the other."""
    found = cases("modelled", options.filter)
    if not found:
        die(f"scale: no version matches {options.filter!r}; tools/bench programs --list names them", 2)
    settings = [(scheduler, threads) for scheduler in options.scheduler_list for threads in options.thread_list]
    programs = {case: make_program(case.program, [*case.arguments.split(), "-v", case.version]) for case in found}

    def time_ns(job):
        case, (scheduler, threads) = job
        block = {"block": BLOCKS[case.program]} if case.program in BLOCKS else {}
        return run(programs[case], options.machine, costs | block, threads, scheduler)["program_ns"]

    with progress.Pool(options.jobs) as pool:
        times = pool.map(time_ns, [(case, setting) for case in found for setting in settings])
        for case in found:
            yield case, {setting: next(times) for setting in settings}


def versions(make_program, run, costs, options):
    """`make_program(name, arguments)` and `run(program, machine, costs, threads, scheduler)`. Prints a table, then what is
    to be said of all; what it knows, for --json."""
    subject, *others = options.scheduler_list
    one, *more = options.thread_list
    if one != 1:
        die("scale: --versions compares with one thread", 2)
    say(f"{'version':36} {'1 thread, ms':>12}" + "".join(f"{f'{threads} over 1':>10}" for threads in more)
        + (f"   {subject} over the best of {len(others) + 1}, by threads" if others else ""))
    over_one, behind = {threads: {} for threads in more}, {threads: {} for threads in options.thread_list}
    all_times = {}
    for case, times in run_all(make_program, run, costs, options):
        row = f"{case.name:36} {times[subject, 1] / 1e6:12.3f}"
        for threads in more:
            over_one[threads][case.name] = times[subject, threads] / times[subject, 1]
            row += f"{over_one[threads][case.name]:10.2f}"
        for threads in options.thread_list if others else ():
            best = min(options.scheduler_list, key=lambda name: times[name, threads])
            ratio = behind[threads][case.name] = times[subject, threads] / times[best, threads]
            row += f"   {ratio:.2f}" + (f" {best}" if ratio > MOST_BEHIND else "")
        say(row)
        all_times[case.name] = {scheduler: {threads: times[scheduler, threads] for threads in options.thread_list}
                                for scheduler in options.scheduler_list}
    say()
    for threads, ratios in over_one.items():
        summary(f"{threads} threads over 1", ratios, "slower", 1)
    for threads, ratios in behind.items() if others else ():
        summary(f"{subject} over the best of {len(others) + 1}, {threads} threads", ratios, f"above {MOST_BEHIND}", MOST_BEHIND)
    return all_times


def summary(what, ratios, bad, limit):
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    worse = sorted(((ratio, name) for name, ratio in ratios.items() if ratio > limit), reverse=True)
    say(f"{what}: geometric mean {mean:.3f}; {bad}: {len(worse)} of {len(ratios)}"
        + "".join(f"{', ' if i else ': '}{name} {ratio:.2f}" for i, (ratio, name) in enumerate(worse)))
