"""tools/scale --targets: what four threads of one chip must reach beside one, in virtual time."""

from common import say

SCHEDULER, MACHINE, THREADS = "hierarchical", "1x4", 4
TREES = ("fib_untied", "fib_tied", "fib_taskgroup_untied", "fib_taskgroup", "fib_call_one", "uts_t3", "uts_t3_tied", "uts_t3_inner", "nqueens",
         "nqueens_tied")
GENERATORS = ("spawn_serial", "spawn_parallel", "group_flat", "group_nested", "taskloop_one", "taskloop_default", "taskloop_reduction",
              "task_reduction", "depend_chains", "depend_wavefront", "depend_cholesky", "flow_detach", "flow_priority")
# A quick run's tree is too small for four threads, and its graphs are little more than what comes before the throttle.
SIZES = {"uts_t3": "400", "uts_t3_tied": "400", "uts_t3_inner": "400", "nqueens": "9", "nqueens_tied": "9", "depend_chains": "65536", "depend_wavefront": "128", "depend_cholesky": "44",
         "flow_detach": "8192", "flow_priority": "262144"}
TIED = (("fib_tied", "fib_untied"), ("fib_taskgroup", "fib_taskgroup_untied"), ("uts_t3_tied", "uts_t3"), ("nqueens_tied", "nqueens"))


def targets(make_program, run, costs):
    """`make_program(name, size=)` and `run(program, machine, costs, threads, scheduler)`; prints each target, met or missed; 0."""
    ratios = {}
    say(f"{'':7} {'pattern':40} {'1 thread':>9} {f'{THREADS} threads':>9} {'number':>7} {'limit':>6} {'transfers a unit':>17}")
    for name in (*TREES, *GENERATORS):
        program = make_program(name, size=SIZES.get(name))
        one, many = (run(program, MACHINE, costs, threads, SCHEDULER) for threads in (1, THREADS))
        ratios[name] = many["program_ns"] / one["program_ns"]
        limit = 0.5 if name in TREES else 1.05
        transfers = sum(t["count"] for t in many["transfers"])
        shown = [f"{r['program_ns'] / r['units']:.1f}" if r["units"] else f"{r['program_ns'] / 1e6:.3f}" for r in (one, many)]
        say(f"{verdict(ratios[name] <= limit)} {name:40} {shown[0]:>9} {shown[1]:>9} {ratios[name]:7.2f} {'≤ ' + str(limit):>6} "
            + (f"{transfers / many['units']:17.1f}" if many["units"] else ""))
    for tied, untied in TIED:
        value = ratios[untied] / ratios[tied]
        say(f"{verdict(value >= 0.95)} {f'{tied}: efficiency beside {untied}':60} {value:7.2f} {'≥ 0.95':>6}")
    value = 1 / ratios["uts_t3_inner"] / THREADS
    say(f"{verdict(value >= 0.9)} {'uts_t3_inner: efficiency':60} {value:7.2f} {'≥ 0.9':>6}")
    return 0


def verdict(met):
    return "met   " if met else "missed"
