"""tools/scale --robust: every pattern and a draw of the versions, on machines, costs and settings drawn by a seed. Each run is beside
one thread on the same machine with the same costs and settings."""

import copy
import json
import random
import re
import shlex
import statistics
from pathlib import Path

from asked import MOST_THREADS
import progress
from common import die, say
from drawn import draw, programs
from spread import perturbed
from virtual_build import ScaledFailure

SCHEDULER = "hierarchical"
RUNS = 100
LIMIT = 1.10  # of the ratio to one thread
WANTED_SHARE = 0.7  # of the possible speed-up
SCALING = ("tree", "version")  # kinds of which the share of the possible speed-up is told
GIVE_UP = 20  # a run may take so many times as long as one thread, whole processes compared
START_NS = 2_000_000  # and so much more, for the threads to start
REGION_NS = 100_000_000  # and so much more where that is told apart: each of some 600 regions may have to wake all threads
MOST_SHOWN = 12  # of the worst
SECONDS = 600  # of real time, after which it is a hang outside of the machine


class Outcome:
    """What came of a run: `ratio` to one thread, `share` of the possible speed-up, or what was wrong."""

    def __init__(self, run, one=None, many=None, wrong=None, slow=False):
        """`one` and `many` are what Figures says of the two runs."""
        self.run, self.one, self.many, self.wrong, self.slow = run, one, many, wrong, slow
        self.ratio = GIVE_UP if slow else None if wrong else many.ns / (one.ns + (0 if run.kind == "serial" else many.longest_loss_ns))
        self.share = None
        if many and many.longest_loss_ns < many.whole_ns / 2:
            self.share = min(1, one.ns / (many.while_there_ns(min(run.threads, run.cpus)) * run.capacity_of(run.threads)))

    def figure(self):
        return f"> {GIVE_UP}" if self.slow else "failed" if self.wrong else f"{self.ratio:.3f}"


def command(run, profile, scheduler):
    """The command line that shows both runs."""
    changed = [f"{name}={value}" for name, value in run.costs.items() if value != profile.get(name)]
    words = ["tools/scale", "--machine", run.machine, "--threads", f"1,{run.threads}"]
    words += ["--schedulers", scheduler] if scheduler != SCHEDULER else []
    words += ["--set", ",".join(changed)] if changed else []
    for name, value in run.settings.items():
        words += ["--env", f"{name}={value}"]
    words += ["--size", str(run.size)] if run.size is not None else []
    return shlex.join([*words, run.program, *run.arguments])


# What tools/check runs: these seeds on small machines, and after them some runs of a new seed, of which nothing is asked but that they
# end with a right answer.
SLICE = {"seeds": (1, 2), "runs": 10, "new_runs": 4, "most_cpus": 8}
# The ratio that the slice's fixed runs may have, where LIMIT is missed today. These may only shrink.
SLICE_LIMITS = {"depend_wavefront": 1.3, "bots-sparselu/tied-for-fine": 1.4,
                # Two threads a core: a member that is awake beside the creator, by chance, takes a sixth of its core (1.04 or 1.18).
                "spawn_serial": 1.25,
                # One thread sees first that it is alone, and puts nothing into the list of priorities: 17.5 ns a task, 22.4 before. Four: 20.2.
                "flow_priority": 1.2}


class Figures:
    """A run's time, and what of it is no fault of the runtime: the time for which something else had a CPU."""

    def __init__(self, run, result):
        # A grain pattern's figure is the time of all its threads, here of as many CPUs of full speed.
        self.whole_ns = result["ns_per_unit"] * run.capacity_of(result["threads"]) / result["threads"] if run.kind == "grain" else result["program_ns"]
        lost = {name: min(result[name] / result["time_ns"], 0.9) * self.whole_ns for name in ("lost_by_first_ns", "longest_loss_ns")}
        self.lost_ns = result["lost_ns"] / result["time_ns"] * self.whole_ns
        # What the first thread loses, one thread would lose, too. Where others have work to do that must be done, all may have to
        # wait once for one that is away; of tasks that are too short to share, they need not have any.
        self.ns = self.whole_ns - lost["lost_by_first_ns"]
        self.longest_loss_ns = lost["longest_loss_ns"]

    def while_there_ns(self, cpus):
        """For how long all CPUs were there in the mean, the last one's loss left out."""
        return self.whole_ns - min(max(self.lost_ns / cpus, self.longest_loss_ns), self.whole_ns / 2)


def measure(run, program, execute, scheduler):
    try:
        one = execute(program, run.machine, run.costs, 1, scheduler, run.settings, seconds=SECONDS)
        limit = GIVE_UP * one["time_ns"] + START_NS + (REGION_NS if run.kind == "region" else 0)
        many = execute(program, run.machine, run.costs, run.threads, scheduler, run.settings, limit_ns=limit, seconds=SECONDS)
    except ScaledFailure as failure:
        slow = "no end within the virtual time allowed" in str(failure)
        return Outcome(run, wrong=str(failure), slow=slow)
    return Outcome(run, Figures(run, one), Figures(run, many))


def describe(run):
    noise = [word for name, word in (("slow_cores", "two speeds"), ("smt", "two threads a core"), ("preempt_every", "CPUs are lost"),
                                     ("slow_yield", "slow yields"), ("slow_fence", "slow membarriers")) if name in run.costs]
    noise += ["forks"] if "--fork" in run.arguments else []
    settings = ", ".join([" ".join(f"{name}={value}" for name, value in run.settings.items()), *noise]).removeprefix(", ")
    return f"{run.name:28} {run.machine:>5} {run.threads:4} threads  {settings}".rstrip()


def in_per_cent(share):
    return f"{100 * share:.0f} %" if share is not None else ""


def summary_of_patterns(outcomes):
    say(f"\n{'pattern':32} {'runs':>5} {'median':>7} {'worst':>7} {f'> {LIMIT:.2f}':>7}  share of the speed-up: median, least")
    names = {}
    for outcome in outcomes:
        name = "versions" if outcome.run.kind == "version" else re.sub(r"\..*", "", outcome.run.name) if outcome.run.kind == "loop" else outcome.run.name
        names.setdefault(name, []).append(outcome)
    for name, mine in sorted(names.items(), key=lambda item: -max(o.ratio for o in item[1])):
        ratios = [o.ratio for o in mine]
        shares = [o.share for o in mine if o.run.kind in SCALING and o.share is not None]
        say(f"{name:32} {len(mine):5} {statistics.median(ratios):7.2f} {max(ratios):7.2f} {sum(r > LIMIT for r in ratios):7}"
            + (f"  {in_per_cent(statistics.median(shares)):>6} {in_per_cent(min(shares)):>6}" if shares else ""))


def summary(outcomes, seed):
    ratios = [o.ratio for o in outcomes]
    shares = [o.share for o in outcomes if o.run.kind in SCALING and o.share is not None]
    say(f"\nseed {seed}: {len(ratios)} runs; above {LIMIT:.2f}: {sum(r > LIMIT for r in ratios)}; worst {max(ratios):.2f}, median "
        f"{statistics.median(ratios):.2f}" + (f"; share of the possible speed-up, {len(shares)} trees and versions: median "
                                              f"{in_per_cent(statistics.median(shares))}, least {in_per_cent(min(shares))}" if shares else ""))


def robust(make_program, execute, profile, options):
    """`make_program(name, arguments, size)` and `execute(program, machine, costs, threads, scheduler, settings, ...)`. The number of
    runs that failed: a crash, a wrong answer, a deadlock."""
    seed = options.seed if options.seed is not None else random.randrange(1 << 31)
    scheduler = options.scheduler_list[0]
    runs = options.runs or RUNS
    say(f"seed {seed}, {runs} runs, scheduler {scheduler}")
    outcomes = run_all(make_program, execute, profile, options, seed, runs, MOST_THREADS)
    return report(outcomes, profile, scheduler, options, seed)


def run_again(outcome, execute, scheduler):
    """Four times, with a block that takes a little more or less, and CPUs that are lost at other times."""
    for number, costs in enumerate(perturbed(outcome.run.costs, first=1), 1):
        run = copy.copy(outcome.run)
        run.costs = costs | {"seed": costs["seed"] + number} if "seed" in costs else costs
        yield measure(run, run.made, execute, scheduler)


def robust_slice(make_program, execute, profile, options):
    """What tools/check runs; as robust(), but the fixed runs must keep SLICE_LIMITS, if not at once then in the middle of five."""
    scheduler, bad = options.scheduler_list[0], 0
    fixed = [(seed, SLICE["runs"]) for seed in SLICE["seeds"]]
    for seed, runs in [*fixed, (random.randrange(1 << 31), SLICE["new_runs"])]:
        for outcome in run_all(make_program, execute, profile, options, seed, runs, SLICE["most_cpus"]):
            limit = SLICE_LIMITS.get(outcome.run.name, LIMIT) if (seed, runs) in fixed and outcome.run.kind != "region" else None
            wrong, middle = outcome.slow and limit or outcome.wrong and not outcome.slow, ""
            if not outcome.wrong and limit and outcome.ratio > limit:
                five = [outcome, *run_again(outcome, execute, scheduler)]
                outcome = next((one for one in five if one.wrong), outcome)
                ratio = statistics.median(one.ratio for one in five) if not outcome.wrong else None
                wrong, middle = outcome.wrong or ratio > limit, f" {ratio:.3f} in the middle of five" if ratio else ""
            bad += bool(wrong)
            say(f"{'FAILED' if wrong else 'ok    '} seed {seed}, {outcome.run.number:2}: {outcome.figure():>7}"
                f"{f' (at most {limit})' if limit else ''}{middle} {describe(outcome.run)}")
            if wrong:
                say(f"  {command(outcome.run, profile, scheduler)}" + (f"\n  {outcome.wrong}" if outcome.wrong else ""))
    return bad


def run_all(make_program, execute, profile, options, seed, count, most_cpus):
    patterns = programs(re.compile(options.filter))
    if not any(patterns.values()):
        die(f"scale: no pattern or version matches {options.filter!r}", 2)
    runs = [draw(seed, number, profile, patterns, most_cpus) for number in range(count)]
    made = {}
    for run in runs:
        key = (run.program, tuple(run.arguments), run.size)
        if key not in made:
            made[key] = make_program(run.program, run.arguments, run.size)
        run.made = made[key]
    outcomes = []
    with progress.Pool(options.jobs) as pool:
        for outcome in pool.map(lambda run: measure(run, run.made, execute, options.scheduler_list[0]), runs):
            outcomes.append(outcome)
    return outcomes


def report(outcomes, profile, scheduler, options, seed):
    """Prints what is to be said of all; the number of those that failed."""
    apart = [o for o in outcomes if o.run.kind == "region" and not (o.wrong or o.slow)]
    failed = [o for o in outcomes if o.wrong and not o.slow]
    judged = sorted((o for o in outcomes if o not in apart and o not in failed), key=lambda o: -o.ratio)
    for outcome in failed:
        say(f"\nFAILED {describe(outcome.run)}\n  {command(outcome.run, profile, scheduler)}\n  {outcome.wrong}")
    if judged:
        show(judged, profile, scheduler, MOST_SHOWN)
        summary_of_patterns(judged)
    for outcome in apart:
        say(f"apart: {describe(outcome.run)}: {outcome.many.whole_ns:.0f} ns")
    if judged:
        summary(judged, seed)
    say(f"failed: {len(failed)}")
    if options.json:
        write_json(options.json, outcomes, profile, scheduler, seed)
    return len(failed)


def show(judged, profile, scheduler, count):
    """Those that miss what is wanted, `count` at most, and at least one."""
    say("\nthe worst ratios: time of N threads over that of one")
    show_each([o for i, o in enumerate(judged[:count]) if i == 0 or o.ratio > LIMIT], Outcome.figure, profile, scheduler)
    shares = sorted((o for o in judged if o.run.kind in SCALING and o.share is not None), key=lambda o: o.share)
    if shares:
        say("\nthe least shares of the possible speed-up")
        show_each([o for i, o in enumerate(shares[:count // 2]) if i == 0 or o.share < WANTED_SHARE], lambda o: in_per_cent(o.share), profile,
                  scheduler)


def show_each(outcomes, figure, profile, scheduler):
    for outcome in outcomes:
        say(f"{figure(outcome):>8} {describe(outcome.run)}\n         {command(outcome.run, profile, scheduler)}")


def write_json(path, outcomes, profile, scheduler, seed):
    Path(path).write_text(json.dumps({"seed": seed, "scheduler": scheduler, "runs": [
        {"number": o.run.number, "kind": o.run.kind, "name": o.run.name, "machine": o.run.machine, "threads": o.run.threads,
         "settings": o.run.settings, "one_ns": o.one and o.one.ns, "many_ns": o.many and o.many.ns, "ratio": o.ratio, "share": o.share, "slow": o.slow,
         "wrong": o.wrong, "command": command(o.run, profile, scheduler)} for o in outcomes]}, indent=1) + "\n")
