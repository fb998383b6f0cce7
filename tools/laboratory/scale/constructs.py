"""tools/scale --constructs: what regions and their constructs move and take, beside the floor on paper
(tools/docs/slow.md): for each thread, and of a run twice as long less one half of it, so that what happens once does not
count."""

import re

import progress
from common import say

SCHEDULER = "hierarchical"
MACHINES = (("1x2", 2), ("1x4", 4), ("1x16", 16), ("4x16", 64))
PATTERNS = ("sync_fork_join", "sync_barrier", "sync_single", "loop_static", "loop_reduction", "loop_sections", "loop_dynamic",
            "loop_collapse", "loop_ordered", "loop_pipeline")
EACH_ITERATION = ("loop_dynamic", "loop_collapse", "loop_ordered")  # the others are counted for each thread
SIZES = {"loop_dynamic": 1 << 14, "loop_collapse": 1 << 14}
REPS = 3  # of a pattern


def constructs(make_program, run, costs, options):
    """`make_program(name, size=)` and `run(program, machine, costs, threads, scheduler)`; prints the table; 0."""
    names = [name for name in PATTERNS if re.search(options.filter, name)]

    def cell(name, machine, threads):
        size = SIZES.get(name, 500 if threads < 64 else 200)
        few, more = (run(make_program(name, size=str(count)), machine, costs, threads, SCHEDULER) for count in (size, 2 * size))
        moved = [sum(t["count"] for t in result["transfers"]) for result in (few, more)]
        each = (moved[1] - moved[0]) / (REPS * size) / (1 if name in EACH_ITERATION else threads)
        return f"{each:.2f}, {(more['program_ns'] - few['program_ns']) / size:.1f}"

    say(f"{'transfers, ns':16}" + "".join(f"{machine:>16}" for machine, _ in MACHINES))
    with progress.Pool(options.jobs) as pool:
        for name in names:
            say(f"{name:16}" + "".join(f"{text:>16}" for text in pool.map(lambda where, name=name: cell(name, *where), MACHINES)))
    return 0
