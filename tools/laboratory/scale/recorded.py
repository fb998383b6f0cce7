"""tools/scale --recorded: virtual times beside those of recorded.json, so that a commit that makes something slower is seen
before it lands. `--record` writes the file again, for a developer who accepts a change: the commit says why.

Each run with several threads is made on three machines whose lines move a little faster or slower, and the mean counts: the
smallest change of the code is another run, other members meet (README, "How far to trust it").
"""

import json
from pathlib import Path
from statistics import mean

import progress
from common import say

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


def measure(make_program, run, costs, jobs, chips=CHIPS):
    """Nanoseconds by name."""
    programs = {(pattern, size): make_program(pattern, size=size) for pattern, size, *_ in RUNS}

    def one(what):
        (pattern, size, machine, threads, _), factor = what
        chip = round(costs["chip"] * factor)
        return run(programs[pattern, size], machine, costs | {"chip": chip}, threads, SCHEDULER)["program_ns"]

    work = [(entry, factor) for entry in RUNS for factor in (chips if entry[3] > 1 else (1.0,))]
    times = {}
    with progress.Pool(jobs) as pool:
        for (entry, _), ns in zip(work, pool.map(one, work)):
            times.setdefault(name_of(*entry[:4]), []).append(ns)
    return {name: round(mean(values)) for name, values in times.items()}


def beside(recorded, times):
    """A line for each run, and how many are slower than the table allows, faster by as much, or not recorded."""
    lines, bad = [], 0
    for *what, tolerance in RUNS:
        name = name_of(*what)
        ratio = times[name] / recorded[name] if name in recorded else None
        verdict = "NEW   " if ratio is None else "SLOWER" if ratio > tolerance else "faster" if ratio < 1 / tolerance else "ok    "
        bad += verdict in ("NEW   ", "SLOWER")
        lines.append(f"{verdict} {name:45} {'' if ratio is None else f'{ratio:.3f} of what is recorded, at most {tolerance:.2f}'}")
    return lines, bad


def compare(make_program, run, costs, options):
    """The number of runs that are too slow; with --record none, and the file is written."""
    times = measure(make_program, run, costs, options.jobs)
    if options.record:
        FILE.write_text(json.dumps(times, indent=1) + "\n")
        say(f"{FILE.name}: {len(times)} times")
        return 0
    lines, bad = beside(json.loads(FILE.read_text()) if FILE.exists() else {}, times)
    for line in lines:
        say(line)
    if bad:
        say("what is slower for a good reason is recorded again: tools/scale --recorded --record, and the commit says why")
    return bad
