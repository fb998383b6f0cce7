"""tools/scale --predict: programs on one and two threads, virtual and real, under two schedulers.

One number of each program is measured, as by --measure: what a basic block of it takes, so that one virtual thread takes
as long as a real one under the first scheduler. The rest is predicted from the profile. Real times are the best of many
short runs, all settings in turn, since other processes disturb."""

import os
import subprocess

from common import clean_environment, die, say

# Some milliseconds each, so that some runs are undisturbed; name, size of a pattern, arguments.
PROGRAMS = (("fib_tied", "21", ()), ("fib_untied", "20", ()), ("nqueens", "8", ()), ("taskloop_one", None, ()),
            ("bots-sort", None, ("-n", "100000", "-v", "tied")), ("bots-strassen", None, ("-n", "256", "-v", "tied")),
            ("bots-sparselu", None, ("-n", "20", "-m", "24", "-v", "tied")),
            ("uts", None, ("-t", "0", "-b", "2000", "-q", "0.115", "-m", "8", "-r", "42", "-g", "1", "-v", "tied")))
SCHEDULERS = ("hierarchical", "steal")
THREADS = (1, 2)
WITHIN = 0.2


def real_times(program, library, rounds):
    """ns by scheduler and threads."""
    best = {}
    for _ in range(rounds):
        for scheduler in SCHEDULERS:
            for threads in THREADS:
                environment = clean_environment() | {"OMP_NUM_THREADS": str(threads), "CHOMP_SCHEDULER": scheduler,
                                                     "LD_LIBRARY_PATH": str(library)}
                done = subprocess.run([str(program.real), *program.arguments], env=environment, stdin=subprocess.DEVNULL, text=True,
                                      capture_output=True, check=False)
                ns = program.time_ns(done.stdout, 0)
                if done.returncode != 0 or not ns:
                    die(f"scale: {program.name} failed, or does not print its time")
                best[scheduler, threads] = min(ns, best.get((scheduler, threads), ns))
    return best


def block_cost(program, run, costs, real):
    at = [run(program, "1x1", {**costs, "block": block}, 1, SCHEDULERS[0])["program_ns"] for block in (0, 1000)]
    return max(0, round((real - at[0]) / (at[1] - at[0]) * 1000))


def predict(make_program, run, costs, library, rounds):
    """`run` as in known_answers.py. Prints a table for results.md; the number of predictions that are too far off."""
    say("| program | scheduler | 1 thread: real ms | virtual / real | 2 threads: real ms | virtual / real |")
    say("|---|---|---|---|---|---|")
    far_off = made = 0
    for name, size, arguments in PROGRAMS:
        program = make_program(name, arguments, size, plain=True)
        real = real_times(program, library, rounds)
        block = block_cost(program, run, costs, real[SCHEDULERS[0], 1])
        for scheduler in SCHEDULERS:
            cells = []
            for threads in THREADS:
                virtual = run(program, f"1x{threads}", {**costs, "block": block}, threads, scheduler)["program_ns"]
                ratio = virtual / real[scheduler, threads]
                made += 1
                far_off += abs(ratio - 1) > WITHIN
                cells += [f"{real[scheduler, threads] / 1e6:.3f}", f"{ratio:.2f}"]
            say(f"| {name} ({block} ps a block) | {scheduler} | " + " | ".join(cells) + " |")
    say(f"\n{made - far_off} of {made} within {WITHIN:.0%}; best of {rounds} runs, load {os.getloadavg()[0]:.1f}")
    return far_off
