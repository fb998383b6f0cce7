"""tools/scale --peers: chomp beside the peers' real code (peers.py) on machines of several sizes: tables, and a picture."""

import json
import re
from pathlib import Path
from statistics import median

import progress
from common import say
from harness import plots
from harness.tables import as_markdown
from peers import runtime
from spread import Over, perturbed
from virtual_build import ScaledFailure

RUNTIMES = ("chomp", "libomp", "libgomp", "tbb")
MACHINES = ("1x2", "1x4", "2x8", "4x8", "8x8", "4x16")
# Patterns of tools/bench with their sizes; those with True are in the picture.
PATTERNS = {"fib_tied": ("17", True), "fib_untied": ("16", False), "nqueens_tied": ("7", False), "uts_t3_inner": ("100", False),
            "taskloop_one": ("8192", True), "spawn_serial": ("8192", False), "depend_chains": ("4096", False),
            "depend_cholesky": ("20", True), "sync_fork_join": ("100", True), "sync_barrier": ("200", False), "loop_dynamic": ("32768", True)}
NEAR = 1.25  # a peer whose time is less than so many times chomp's is run five times, and so is chomp
SECONDS = 60  # of real time, after which a run has no figure


def cpus(machine):
    chips, cores = map(int, machine.split("x"))
    return chips * cores


def run_all(make_program, run, patterns, costs, options):
    """{pattern: {machine: {runtime: [ns on one thread, ns on all, …]}}}, which is also written to --json after each pattern: a run of
    the same name there is not made again."""
    path = Path(options.json) if options.json else None
    figures = json.loads(path.read_text())["figures"] if path and path.exists() else {}

    def one(job):
        name, machine, program, threads, with_costs = job
        try:
            result = run(program, machine, with_costs, threads, "hierarchical", options.settings, seconds=SECONDS)
        except ScaledFailure as failure:
            say(f"{name} on {machine}, {program.runtime.name}, {threads} threads: {str(failure).splitlines()[0]}")
            return None
        return result["program_ns"] if patterns[name].external else result["ns_per_unit"]

    for name, (size, _) in PATTERNS.items():
        if not re.search(options.filter, name):
            continue
        per_node = patterns[name].external and patterns[name].unit.startswith("ns/")  # the twin's figure; others give the whole time
        kinds = [kind for kind in RUNTIMES if kind != "tbb" or (patterns[name].twin and not per_node)]
        programs = {kind: make_program(name, size=size, runtime=runtime(kind)) for kind in kinds}
        cells = figures.setdefault(name, {})

        def run_these(pairs, threads_and_costs):
            jobs = [(name, machine, programs[kind], threads or cpus(machine), each)  # noqa: B023
                    for machine, kind in pairs for threads, each in threads_and_costs]
            with progress.Pool(options.jobs) as pool:
                for (machine, kind), ns in zip((pair for pair in pairs for _ in threads_and_costs), pool.map(one, jobs)):
                    cells.setdefault(machine, {}).setdefault(kind, []).append(ns)  # noqa: B023

        run_these([(machine, kind) for machine in MACHINES for kind in kinds if kind not in cells.get(machine, {})], [(1, costs), (0, costs)])
        near = [(machine, kind) for machine, at in cells.items() for kind in kinds[1:] if (over := beside_chomp(at, kind)) and over.ratio < NEAR]
        again = dict.fromkeys(near + [(machine, "chomp") for machine, _ in near])
        run_these([(machine, kind) for machine, kind in again if len(cells[machine][kind]) == 2], [(0, each) for each in perturbed(costs, first=1)])
        say(f"{name} of size {size}: done")
        if path:
            path.write_text(json.dumps({"figures": figures}, indent=1) + "\n")
    return figures


def on_all(at, kind):
    """The runs on all threads that have ended."""
    return [ns for ns in at.get(kind, [])[1:] if ns]


def figure(value):
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def beside_chomp(at, kind):
    """The peer's time over chomp's; None where one has none."""
    return Over(on_all(at, kind), on_all(at, "chomp")) if on_all(at, kind) and on_all(at, "chomp") else None


def table(figures):
    """On all threads: chomp's ns, then the times of the others over it, bold where one is faster."""
    def cell(at):
        words = []
        for kind in RUNTIMES[1:]:
            over = beside_chomp(at, kind)
            words.append("–" if over is None else f"**{over}**" if over.ratio < 1 else str(over) if over.ratio < NEAR else figure(over.ratio))
        return f"{figure(median(on_all(at, 'chomp')) if on_all(at, 'chomp') else None)}: {', '.join(words)}"

    return [[f"ns: {', '.join(RUNTIMES[1:])}", *MACHINES],
            *([name, *(cell(cells[machine]) if machine in cells else "–" for machine in MACHINES)] for name, cells in figures.items())]


def faster_peers(figures):
    return [f"{name} on {machine}: {kind}, {over}" for name, cells in figures.items() for machine, at in cells.items()
            for kind in RUNTIMES[1:] if (over := beside_chomp(at, kind)) and over.ratio < 1]


def picture(figures, path):
    """Time over threads, each number of threads on the machine that has so many cores."""
    panels = []
    for name, cells in figures.items():
        lines = {}
        for kind in RUNTIMES:
            points = [(cpus(machine), median(on_all(at, kind))) for machine, at in cells.items() if machine != "4x16" and on_all(at, kind)]
            first = [(1, at[kind][0]) for at in cells.values() if at.get(kind) and at[kind][0]][:1]
            lines[kind] = first + points
        if PATTERNS[name][1]:
            panels.append(plots.Panel(name, "threads", "ns", lines, log_x=True, log_y=True))
    return plots.draw(Path(path), "Virtual machines: 1, 1x2, 1x4, 2x8, 4x8, 8x8 cores", panels)


def beside(make_program, run, patterns, costs, options):
    figures = run_all(make_program, run, patterns, costs, options)
    say(as_markdown(table(figures)))
    faster = faster_peers(figures)
    say(f"\na peer is faster in {len(faster)} places" + (": " + "; ".join(faster) if faster else ""))
    if options.plot:
        picture(figures, options.plot)
    return len(faster)
