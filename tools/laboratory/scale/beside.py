"""tools/scale --peers: chomp beside the peers' real code (peers.py) on machines of several sizes: tables, and a picture."""

import json
import re
from pathlib import Path

import progress
from common import say
from harness import plots
from harness.tables import as_markdown
from peers import runtime
from virtual_build import ScaledFailure

RUNTIMES = ("chomp", "libomp", "libgomp", "tbb")
MACHINES = ("1x2", "1x4", "2x8", "4x8", "8x8", "4x16")
# Patterns of tools/bench with their sizes; those with True are in the picture.
PATTERNS = {"fib_tied": ("17", True), "fib_untied": ("16", False), "nqueens_tied": ("7", False), "uts_t3_inner": ("100", False),
            "taskloop_one": ("8192", True), "spawn_serial": ("8192", False), "depend_chains": ("4096", False),
            "depend_cholesky": ("20", True), "sync_fork_join": ("100", True), "sync_barrier": ("200", False), "loop_dynamic": ("32768", True)}
SECONDS = 60  # of real time, after which a run has no figure


def cpus(machine):
    chips, cores = map(int, machine.split("x"))
    return chips * cores


def run_all(make_program, run, patterns, costs, options):
    """{pattern: {machine: {runtime: [ns on one thread, ns on all]}}}, which is also written to --json after each pattern: a run of
    the same name there is not made again."""
    path = Path(options.json) if options.json else None
    figures = json.loads(path.read_text())["figures"] if path and path.exists() else {}

    def one(job):
        name, machine, program, threads = job
        try:
            result = run(program, machine, costs, threads, "hierarchical", options.settings, seconds=SECONDS)
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
        missing = [(machine, kind) for machine in MACHINES for kind in kinds if kind not in cells.get(machine, {})]
        jobs = [(name, machine, programs[kind], threads) for machine, kind in missing for threads in (1, cpus(machine))]
        with progress.Pool(options.jobs) as pool:
            found = list(pool.map(one, jobs))
        for (machine, kind), pair in zip(missing, zip(found[::2], found[1::2])):
            cells.setdefault(machine, {})[kind] = pair
        say(f"{name} of size {size}: done")
        if path:
            path.write_text(json.dumps({"figures": figures}, indent=1) + "\n")
    return figures


def figure(value):
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def table(figures):
    """On all threads: chomp's ns, then the times of the others over it, bold where one is faster."""
    def cell(at):
        chomp = (at.get("chomp") or [None])[-1]
        words = []
        for name in RUNTIMES[1:]:
            ratio = at[name][-1] / chomp if at.get(name) and at[name][-1] and chomp else None
            words.append(f"**{figure(ratio)}**" if ratio and ratio < 1 else figure(ratio))
        return f"{figure(chomp)}: {', '.join(words)}"

    return [[f"ns: {', '.join(RUNTIMES[1:])}", *MACHINES],
            *([name, *(cell(cells[machine]) if machine in cells else "–" for machine in MACHINES)] for name, cells in figures.items())]


def faster_peers(figures):
    return [f"{name} on {machine}: {kind}, {at[kind][-1] / at['chomp'][-1]:.2f}" for name, cells in figures.items() for machine, at in cells.items()
            for kind in RUNTIMES[1:] if at.get(kind) and at[kind][-1] and at["chomp"][-1] and at[kind][-1] < at["chomp"][-1]]


def picture(figures, path):
    """Time over threads, each number of threads on the machine that has so many cores."""
    panels = []
    for name, cells in figures.items():
        lines = {}
        for kind in RUNTIMES:
            points = [(cpus(machine), at[kind][-1]) for machine, at in cells.items() if machine != "4x16" and at.get(kind) and at[kind][-1]]
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
