"""tools/scale --papers: the tables of the papers on the papers' machines, predicted beside published."""

import json
import re
import tempfile
from pathlib import Path

import progress
from common import say
from harness.tables import as_markdown
from peers import runtime
from versions import BLOCKS
from virtual_build import ScaledFailure, read_costs

# SAND2012-10594 (Wheeler, Stark, Murphy), 5.1 and Figure 5.1: for which patterns a runtime is High, of four chips of eight cores.
PATTERNS = {"spawn_serial": "serial spawn", "spawn_parallel": "parallel spawn", "fib_untied": "Fibonacci", "uts_t3": "UTS T3"}
SIZES = {"spawn_serial": "8192", "spawn_parallel": "8192", "fib_untied": "16", "uts_t3": "150"}
REPORT_UNITS = {"spawn_serial": 1 << 20, "spawn_parallel": 1 << 20, "fib_untied": 2_692_536, "uts_t3": 4_112_897}
HIGH = {"Intel OpenMP": ("spawn_parallel", "fib_untied"), "GCC OpenMP": ("spawn_parallel",), "TBB": ("fib_untied", "uts_t3")}
# Olivier, Porterfield, Wheeler, Prins, "Scheduling Task Parallelism on Multi-Socket Multicore Systems": steals and failed steals of MTS, then
# of WS, with 32 threads on four Intel X7550. Each program at a small size.
STEALS = {
    "alignment (single)": ("bots-alignment -v untied -n 6", (1016, 88), (3695, 255)),
    "alignment (for)": ("bots-alignment -v untied-for -n 6", (109, 122), (1431, 286)),
    "fib": ("bots-fib -v untied-manual -n 24 -x 10", (633, 331), (467, 984)),
    "health": ("bots-health -v untied -n 4 -t 20", (28948, 10323), (295637, 47538)),
    "nqueens": ("bots-nqueens -v untied-manual -n 8 -x 3", (102, 141), (1428, 389)),
    "sort": ("bots-sort -v untied -n 65536", (1134, 404), (19330, 3283)),
    "sparselu (single)": ("bots-sparselu -v untied -n 12 -m 8", (18045, 8133), (68927, 24506)),
    "sparselu (for)": ("bots-sparselu -v untied-for -n 12 -m 8", (13486, 11889), (68099, 32205)),
    "strassen": ("bots-strassen -v untied-manual -x 3 -n 128", (227, 157), (14042, 823)),
}
SCHEDULERS = ("mts", "steal")
HASHES = (1, 2, 4, 8, 16, 32)  # a node, in Olivier's slides on the granularity of UTS
UTS = "uts -t 0 -q 0.198 -m 5 -r 7 -b 1000 -v untied-inner -s -g"
RUNTIMES = {"chomp": None, "libomp": "Intel OpenMP", "libgomp": "GCC OpenMP", "tbb": "TBB"}  # with their names in the report
THREADS = (1, 8, 32)
SECONDS = 900  # of real time, after which a run has no figure
HASH_BLOCK = 32500  # of UTS on the Skylake: five nodes of one hash take 2 us, of eight 4.6; 1.1 and 7 in the slides, whose hash has more blocks
CLOCK = 3.7 / 2.0  # a block of a program takes so many times as long on an X7550 as where BLOCKS was measured


def x7550(program):
    block = {"block": round(BLOCKS[program] * CLOCK)} if program in BLOCKS else {}
    return read_costs("scale", "x7550") | block


def attempt(run, *arguments, **more):
    try:
        return run(*arguments, seconds=SECONDS, **more)
    except ScaledFailure as failure:
        say(str(failure).splitlines()[0])
        return None


def at_the_reports_size(pattern, kind, result):
    """Seconds. The time of UTS is for all nodes, but for oneTBB's twin."""
    if pattern != "uts_t3" or kind == "tbb":
        return result["ns_per_unit"] * REPORT_UNITS[pattern] / 1e9
    return result["program_ns"] / int(re.search(r"^Nodes\s*= (\d+)", result["said"], re.M)[1]) * REPORT_UNITS[pattern] / 1e9


def is_high(pattern, times):
    """By the report's criteria for times with 1, some and all threads; "roughly constant" is a factor of 1.5 here."""
    if None in times:
        return False
    return {"spawn_serial": max(times) <= 1.5 * times[0], "spawn_parallel": max(times) < 0.2, "fib_untied": max(times) < 2,
            "uts_t3": times[-1] < 0.5}[pattern]


def high_and_low(make_program, run, pool):
    programs = {(pattern, kind): make_program(pattern, size=SIZES[pattern], runtime=runtime(kind)) for pattern in PATTERNS for kind in RUNTIMES}
    jobs = [(pattern, kind, threads) for pattern, kind in programs for threads in THREADS]

    def seconds(job):
        pattern, kind, threads = job
        result = attempt(run, programs[pattern, kind], "4x8", x7550("uts" if pattern == "uts_t3" else ""), threads, "hierarchical")
        return at_the_reports_size(pattern, kind, result) if result else None

    found = dict(zip(jobs, pool.map(seconds, jobs)))

    def cell(pattern, kind, name):
        times = [found[pattern, kind, threads] for threads in THREADS]
        return (f"{'High' if is_high(pattern, times) else 'Low'} {', '.join('–' if time is None else f'{time:.2g}' for time in times)}"
                + (f"; {'High' if pattern in HIGH[name] else 'Low'}" if name else ""))

    return [["runtime", *PATTERNS.values()],
            *([f"{kind} ({name})" if name else kind, *(cell(pattern, kind, name) for pattern in PATTERNS)] for kind, name in RUNTIMES.items())]


def steals(make_program, run, pool):
    programs = {label: make_program(command.split()[0], command.split()[1:]) for label, (command, _, _) in STEALS.items()}

    def counts(job):
        label, scheduler = job
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "counters.json"
            if not attempt(run, programs[label], "4x8", x7550(programs[label].name), 32, scheduler, {"CHOMP_STATS": str(file)}):
                return 0, 0
            total = json.loads(file.read_text(encoding="utf-8"))["total"]
        return total["stolen_operations"], total["failed_steals"]

    jobs = [(label, scheduler) for label in STEALS for scheduler in SCHEDULERS]
    found = dict(zip(jobs, pool.map(counts, jobs)))

    def row(*pairs):
        (first, _), (second, _) = pairs
        return [*(f"{steals}, {failed}" for steals, failed in pairs), f"{second / first:.1f}" if first else "–"]

    return [["steals, failed", "MTS", "WS", "WS over MTS", "published MTS", "published WS", "WS over MTS"],
            *([label, *row(*(found[label, scheduler] for scheduler in SCHEDULERS)), *row(*published)] for label, (_, *published) in STEALS.items())]


def granularities(make_program, run, pool):
    """Efficiency of 48 threads on two chips of 24 cores."""
    kinds = ("chomp", "libomp")
    name, *arguments = UTS.split()
    jobs = [(hashes, kind) for hashes in HASHES for kind in kinds]
    programs = {(hashes, kind): make_program(name, [*arguments, str(hashes)], runtime=runtime(kind)) for hashes, kind in jobs}

    def figures(job):
        """(efficiency in %, microseconds of a task of five nodes)."""
        costs = read_costs("scale", "skylake") | {"block": HASH_BLOCK}
        result = attempt(run, programs[job], "2x24", costs, 48, "hierarchical")
        if not result:
            return None, None
        nodes, serial = (float(re.search(rf"^{what}\s*= ([\d.]+)", result["said"], re.M)[1]) for what in ("Nodes", "Time Sequential"))
        return serial * 1e11 / result["program_ns"] / 48, serial * 5e6 / nodes

    found = dict(zip(jobs, pool.map(figures, jobs)))

    def cell(value):
        return "–" if value is None else f"{value:.2g}"

    return [["efficiency, % (µs a task)", *(f"{hashes} hashes ({cell(found[hashes, kinds[0]][1])})" for hashes in HASHES)],
            *([kind, *(cell(found[hashes, kind][0]) for hashes in HASHES)] for kind in kinds)]


def papers(make_program, run, options):
    with progress.Pool(options.jobs) as pool:
        for table, title in ((steals, "Steals and failed steals, 32 threads, 4x8"), (granularities, "UTS, 48 threads, 2x24"),
                             (high_and_low, "The four patterns, 4x8: seconds with 1, 8, 32 threads at the report's size; then what the report says")):
            if re.search(options.filter, table.__name__):
                say(f"{title}\n\n{as_markdown(table(make_program, run, pool))}\n")
    return 0
