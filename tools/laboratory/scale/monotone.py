"""tools/scale --monotone: is a larger machine ever slower than a smaller one? Each pattern runs on machines of growing size, on all
their cores. Its time stands beside the least time on all smaller machines: those that fit into this one, and one thread."""

import json
import re
from pathlib import Path
from statistics import median

from beside import PATTERNS, cpus
import progress
from common import ROOT, say
from harness.tables import as_markdown
from virtual_build import ScaledFailure

MACHINES = ("1x1", "1x2", "1x4", "1x8", "2x4", "2x8", "4x8", "8x8", "4x16")
PROGRAM = str(ROOT / "test" / "explore" / "scale" / "larger_machines.c")
LENGTHS = (200, 500, 1000, 2000, 5000)  # of one creator's tasks, in ns
# The arguments of PROGRAM: each gives two rows, its first execution and the best of the later ones.
CASES = tuple(("creator", kind, str(length)) for kind in ("plain", "urgent", "dependent") for length in LENGTHS) + tuple(
    ("loop", schedule, "1000") for schedule in ("dynamic", "in_order", "guided", "nowait")) + (
    ("loop", "dynamic", "100"), ("loop", "in_order", "100"), *((name, "-", "1000") for name in
     ("pipeline", "product", "nested_taskloop", "wavefront", "tree", "sums")), ("tree", "-", "100"), ("quicksort",), ("first_region",))
# The same run with a basic block that takes a little longer or less is another one: other members meet.
PERTURBED = (1.0, 0.993, 1.007, 0.986, 1.014)
LIMIT = 1.10
SECONDS = 240  # of real time, after which a run has no figure


def smaller(machine):
    """The machines that fit into this one."""
    chips, cores = map(int, machine.split("x"))
    return [other for other in MACHINES if other != machine and all(a <= b for a, b in zip(map(int, other.split("x")), (chips, cores)))]


def rows(make_program, pattern_of_names):
    """(name of the run, program, what its figures are called)."""
    for case in CASES:
        name = " ".join(word for word in case if word != "-")
        if re.search(pattern_of_names, name):
            yield name, make_program(PROGRAM, arguments=case), (f"{name}, first", name)
    for name, (size, _) in PATTERNS.items():
        if re.search(pattern_of_names, name):
            yield name, make_program(name, size=size), (name,)


def figures_of(result, names):
    found = re.search(r"first_ns=(\d+) later_ns=(\d+)", result["said"])
    return dict(zip(names, map(float, found.groups()))) if found else {names[0]: result["program_ns"]}


def measure(make_program, run, costs, options):
    """{name: {machine: [ns, …]}}, which is also written to --json after each pattern: what is there is not run again."""
    path = Path(options.json) if options.json else None
    times = json.loads(path.read_text())["times"] if path and path.exists() else {}
    factors = PERTURBED[:options.runs or len(PERTURBED)]

    def one(job):
        program, names, machine, factor = job
        try:
            result = run(program, machine, costs | {"block": round(costs["block"] * factor)}, cpus(machine), "hierarchical", options.settings,
                         seconds=SECONDS)
        except ScaledFailure as failure:
            say(f"{names[-1]} on {machine}: {str(failure).splitlines()[0]}")
            return {}
        return figures_of(result, names)

    for name, program, names in rows(make_program, options.filter):
        jobs = [(program, names, machine, factor) for machine in MACHINES if machine not in times.get(names[-1], {})
                for factor in (factors if machine != "1x1" else factors[:1])]
        with progress.Pool(options.jobs) as pool:
            for (_, _, machine, _), found in zip(jobs, pool.map(one, jobs)):
                for row, ns in found.items():
                    times.setdefault(row, {}).setdefault(machine, []).append(ns)
        say(f"{name}: done")
        if path:
            path.write_text(json.dumps({"times": times}, indent=1) + "\n")
    return times


class Cell:
    """One pattern on one machine beside the best of the smaller ones: middles, and what the ranges leave open."""

    def __init__(self, name, machine, mine, others):
        best = min(others, key=median)
        self.name, self.machine, self.middle = name, machine, median(mine)
        self.ratio = median(mine) / median(best)
        self.least, self.most = min(mine) / max(best), max(mine) / min(best)

    def above(self):
        return self.ratio > LIMIT

    def settled(self):
        return self.least > LIMIT


def cells_of(times):
    return [Cell(name, machine, at[machine], [at[other] for other in smaller(machine) if at.get(other)])
            for name, at in times.items() for machine in MACHINES[1:] if at.get(machine) and any(at.get(other) for other in smaller(machine))]


def table(times, cells):
    by_place = {(cell.name, cell.machine): cell for cell in cells}

    def shown(name, machine):
        cell = by_place.get((name, machine))
        if cell is None:
            return "–"
        text = f"{cell.ratio:.2f} ({cell.least:.2f}–{cell.most:.2f})" if cell.most - cell.least > 0.1 else f"{cell.ratio:.2f}"
        return f"**{text}**" if cell.above() else text

    return [["us on one thread; over the best smaller machine", "1x1", *MACHINES[1:]],
            *([name, f"{median(at['1x1']) / 1000:,.1f}" if at.get("1x1") else "–", *(shown(name, machine) for machine in MACHINES[1:])]
              for name, at in times.items())]


def monotone(make_program, run, costs, options):
    times = measure(make_program, run, costs, options)
    cells = cells_of(times)
    say(as_markdown(table(times, cells)))
    above = sorted((cell for cell in cells if cell.above()), key=lambda cell: -cell.ratio)
    say(f"\n{len(cells)} cells; above {LIMIT:.2f}: {len(above)} ({100 * len(above) / max(len(cells), 1):.1f} %), of which "
        f"{sum(cell.settled() for cell in above)} whatever runs of the range are compared"
        + "".join(f"\n  {cell.ratio:6.2f} ({cell.least:.2f} to {cell.most:.2f})  {cell.name} on {cell.machine}: {cell.middle / 1000:,.1f} us" for cell in above[:20]))
    return len(above)
