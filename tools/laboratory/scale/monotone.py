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
from spread import Over, perturbed
from virtual_build import ScaledFailure

MACHINES = ("1x1", "1x2", "1x4", "1x8", "2x4", "2x8", "4x8", "8x8", "4x16")
PROGRAM = str(ROOT / "test" / "explore" / "scale" / "larger_machines.c")
LENGTHS = (200, 500, 1000, 2000, 5000)  # of one creator's tasks, in ns
# The arguments of PROGRAM: each gives two rows, its first execution and the best of the later ones.
CASES = tuple(("creator", kind, str(length)) for kind in ("plain", "urgent", "dependent") for length in LENGTHS) + (
    ("creator", "stencil", "5000"),) + tuple(
    ("loop", schedule, "1000") for schedule in ("dynamic", "in_order", "guided", "nowait")) + (
    ("loop", "dynamic", "100"), ("loop", "in_order", "100"), *((name, "-", "1000") for name in
     ("pipeline", "product", "nested_taskloop", "wavefront", "tree", "sums")), ("tree", "-", "100"), ("quicksort",), ("first_region",))
LIMIT = 1.10
DOUBTFUL = 0.95  # a cell whose first run is above is run again, and what it is beside: five times in all
SECONDS = 1200  # of real time, after which a run has no figure: other programs may have the CPUs meanwhile


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


def in_doubt(times, names):
    """The machines whose cells are to be run again: those near the best of the smaller ones, or above it, and these."""
    found = set()
    for at in (times[name] for name in names if name in times):
        for machine in MACHINES[1:]:
            best = min((other for other in smaller(machine) if at.get(other)), key=lambda other: at[other][0], default=None)
            if at.get(machine) and best and at[machine][0] > DOUBTFUL * at[best][0]:
                found |= {machine, best}
    return found - {"1x1"}  # one thread meets nobody


def measure(make_program, run, costs, options):
    """{name: {machine: [ns, …]}}, which is also written to --json after each pattern: what is there is not run again."""
    path = Path(options.json) if options.json else None
    times = json.loads(path.read_text())["times"] if path and path.exists() else {}

    def one(job):
        program, names, machine, with_costs = job
        try:
            result = run(program, machine, with_costs, cpus(machine), "hierarchical", options.settings, seconds=SECONDS)
        except ScaledFailure as failure:
            say(f"{names[-1]} on {machine}: {str(failure).splitlines()[0]}")
            return {}
        return figures_of(result, names)

    for name, program, names in rows(make_program, options.filter):
        def run_all(machines, kinds):
            jobs = [(program, names, machine, with_costs) for machine in machines for with_costs in kinds]  # noqa: B023
            with progress.Pool(options.jobs) as pool:
                for (_, _, machine, _), found in zip(jobs, pool.map(one, jobs)):
                    for row, ns in found.items():
                        times.setdefault(row, {}).setdefault(machine, []).append(ns)

        run_all([machine for machine in MACHINES if machine not in times.get(names[-1], {})], perturbed(costs, 1))
        again = [machine for machine in MACHINES if machine in in_doubt(times, names) and len(times[names[-1]][machine]) == 1]
        run_all(again, perturbed(costs, options.runs, first=1))
        say(f"{name}: done")
        if path:
            path.write_text(json.dumps({"times": times}, indent=1) + "\n")
    return times


class Cell:
    """One pattern on one machine beside the best of the smaller ones."""

    def __init__(self, name, machine, mine, others):
        self.name, self.machine, self.middle = name, machine, median(mine)
        self.over = Over(mine, min(others, key=median))

    def above(self):
        return self.over.ratio > LIMIT

    def settled(self):
        return self.over.least > LIMIT


def cells_of(times):
    return [Cell(name, machine, at[machine], [at[other] for other in smaller(machine) if at.get(other)])
            for name, at in times.items() for machine in MACHINES[1:] if at.get(machine) and any(at.get(other) for other in smaller(machine))]


def table(times, cells):
    by_place = {(cell.name, cell.machine): cell for cell in cells}

    def shown(name, machine):
        cell = by_place.get((name, machine))
        if cell is None:
            return "–"
        return f"**{cell.over}**" if cell.above() else str(cell.over)

    return [["us on one thread; over the best smaller machine", "1x1", *MACHINES[1:]],
            *([name, f"{median(at['1x1']) / 1000:,.1f}" if at.get("1x1") else "–", *(shown(name, machine) for machine in MACHINES[1:])]
              for name, at in times.items())]


def monotone(make_program, run, costs, options):
    times = measure(make_program, run, costs, options)
    cells = cells_of(times)
    say(as_markdown(table(times, cells)))
    above = sorted((cell for cell in cells if cell.above()), key=lambda cell: -cell.over.ratio)
    say(f"\n{len(cells)} cells; above {LIMIT:.2f}: {len(above)} ({100 * len(above) / max(len(cells), 1):.1f} %), of which "
        f"{sum(cell.settled() for cell in above)} whatever runs of the range are compared"
        + "".join(f"\n  {cell.over}  {cell.name} on {cell.machine}: {cell.middle / 1000:,.1f} us" for cell in above))
    return len(above)
