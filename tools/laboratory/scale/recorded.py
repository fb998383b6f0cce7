"""tools/scale --recorded: virtual times beside those of recorded.json, so that a commit that makes something slower is seen
before it lands. `--record` writes the file again, for a developer who accepts a change: the commit says why.

Each run with several threads is made on three machines whose lines move a little faster or slower, and the mean counts: the
smallest change of the code is another run, other members meet. What then looks too slow is run four times more (spread.py).
"""

import json
from pathlib import Path
from statistics import mean

import progress
from common import say
from spread import perturbed

FILE = Path(__file__).resolve().parent / "recorded.json"
SCHEDULER = "hierarchical"
CHIPS = (0.97, 1.0, 1.03)  # times the profile's cost of a transfer within a chip
# How much slower than recorded is too slow: one thread repeats but for where code and data lie; regions and loops always
# have the same order of events; tasks meet by chance.
ALONE, ORDERED, TASKS = 1.01, 1.03, 1.08
# Pattern, size, machine, threads, tolerance.
RUNS = (
    ("fib_tied", "22", "1x1", 1, ALONE), ("spawn_serial", "65536", "1x1", 1, ALONE), ("depend_chains", "8192", "1x1", 1, ALONE),
    ("depend_cholesky", "32", "1x1", 1, ALONE), ("taskloop_one", "16384", "1x1", 1, ALONE), ("sync_fork_join", "2000", "1x1", 1, ALONE),
    ("sync_fork_join", "2000", "1x2", 2, ORDERED), ("sync_fork_join", "500", "1x16", 16, ORDERED),
    ("sync_barrier", "2000", "1x4", 4, ORDERED), ("sync_single", "2000", "1x4", 4, ORDERED), ("loop_dynamic", "262144", "1x4", 4, ORDERED),
    ("fib_tied", "24", "1x4", 4, TASKS), ("fib_untied", "24", "4x4", 16, TASKS), ("fib_taskgroup", "24", "1x4", 4, TASKS),
    ("spawn_serial", "65536", "1x4", 4, TASKS), ("depend_cholesky", "44", "1x4", 4, TASKS), ("depend_wavefront", "128", "1x4", 4, TASKS),
    ("taskloop_reduction", "16384", "1x4", 4, TASKS),
)


def name_of(pattern, size, machine, threads):
    return f"{pattern} {size} on {machine}, {threads} thread{'s'[:threads > 1]}"


def measure(make_program, run, costs, jobs, chips=CHIPS, entries=RUNS):
    """Nanoseconds of each run, by name."""
    programs = {(pattern, size): make_program(pattern, size=size) for pattern, size, *_ in entries}

    def one(what):
        (pattern, size, machine, threads, _), factor = what
        chip = round(costs["chip"] * factor)
        return run(programs[pattern, size], machine, costs | {"chip": chip}, threads, SCHEDULER)["program_ns"]

    work = [(entry, factor) for entry in entries for factor in (chips if entry[3] > 1 else (1.0,))]
    times = {}
    with progress.Pool(jobs) as pool:
        for (entry, _), ns in zip(work, pool.map(one, work)):
            times.setdefault(name_of(*entry[:4]), []).append(ns)
    return times


def ratio_of(entry, recorded, times):
    name = name_of(*entry[:4])
    return mean(times[name]) / recorded[name] if name in recorded else None


def beside(recorded, times):
    """A line for each run, and how many are slower than the table allows, faster by as much, or not recorded."""
    lines, bad = [], 0
    for entry in RUNS:
        name, tolerance, ratio = name_of(*entry[:4]), entry[4], ratio_of(entry, recorded, times)
        verdict = "NEW   " if ratio is None else "SLOWER" if ratio > tolerance else "faster" if ratio < 1 / tolerance else "ok    "
        bad += verdict in ("NEW   ", "SLOWER")
        spread = f" ({min(times[name]) / recorded[name]:.3f}–{max(times[name]) / recorded[name]:.3f})" if ratio and len(times[name]) > 1 else ""
        lines.append(f"{verdict} {name:45} {'' if ratio is None else f'{ratio:.3f}{spread} of what is recorded, at most {tolerance:.2f}'}")
    return lines, bad


def compare(make_program, run, costs, options):
    """The number of runs that are too slow; with --record none, and the file is written."""
    times = measure(make_program, run, costs, options.jobs)
    if options.record:
        FILE.write_text(json.dumps({name: round(mean(ns)) for name, ns in times.items()}, indent=1) + "\n")
        say(f"{FILE.name}: {len(times)} times")
        return 0
    recorded = json.loads(FILE.read_text()) if FILE.exists() else {}
    slow = [entry for entry in RUNS if entry[3] > 1 and (ratio_of(entry, recorded, times) or 0) > entry[4]]
    for more in perturbed(costs, first=1) if slow else ():
        for name, ns in measure(make_program, run, more, options.jobs, (1.0,), slow).items():
            times[name] += ns
    lines, bad = beside(recorded, times)
    for line in lines:
        say(line)
    if bad:
        say("what is slower for a good reason is recorded again: tools/scale --recorded --record, and the commit says why")
    return bad
