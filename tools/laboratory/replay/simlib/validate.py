"""Predictions beside reality. Nothing here depends on the program: one profile, one set of rules for all."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import resource
import statistics
import tempfile

from common import ROOT
from . import report
from .engine import program_seconds
from .profile import RECORDINGS, machine_name, overheads

RESULTS = ROOT / "tools" / "laboratory" / "replay" / "results"
# Long enough that the start of a second thread does not count, short enough that the best of many runs is undisturbed.
PROGRAMS = {
    "alignment": "bots-alignment -n 20 -a 100 -b 300 -v tied",
    "fib, cut-off": "bots-fib -n 36 -v tied-manual -x 11",
    "health": "bots-health -n 6 -t 100 -v tied",
    "nqueens": "bots-nqueens -n 11 -v tied",
    "sort": "bots-sort -n 1000000 -v tied",
    "sparselu": "bots-sparselu -n 30 -m 40 -v tied",
    "strassen": "bots-strassen -n 512 -v tied",
    "uts": "uts -t 0 -b 2000 -q 0.124 -m 8 -r 42 -g 2 -v tied",
}
# Threads, the machine that the simulator gets, and the shape that hwloc shows to chomp.
MACHINES = {"1x2": "package:1 l3:1 core:2 pu:1", "2x1": "package:2 l3:1 core:1 pu:1"}
SCHEDULERS = ("hierarchical", "steal")
COUNTS = ("published", "stolen_operations")
WITHIN = 0.15
# Counts are small and chance has a part in them: a few more or less is no disagreement.
FEW = 5


def measured_ms(build, program: str, threads: int, rounds: int) -> tuple[float, float]:
    """The best elapsed time that the program says, and the least CPU time of the whole process in user mode, which other
    processes disturb less."""
    elapsed, user = [], []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        elapsed.append(program_seconds(build.run(program, OMP_NUM_THREADS=threads, CHOMP_SCHEDULER=SCHEDULERS[0])))
        user.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return 1e3 * min(elapsed), 1e3 * min(user)


def measured_counts(build, program: str, machine: str, scheduler: str, rounds: int) -> dict[str, float]:
    """Medians of a few runs."""
    samples: dict[str, list[int]] = {name: [] for name in COUNTS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            file = os.path.join(folder, f"{number}.json")
            build.run(program, OMP_NUM_THREADS=2, HWLOC_SYNTHETIC=MACHINES[machine], CHOMP_SCHEDULER=scheduler,
                      CHOMP_STATS=file)
            total = json.loads(pathlib.Path(file).read_text())["total"]
            for name in COUNTS:
                samples[name].append(total[name])
    return {name: statistics.median(values) for name, values in samples.items()}


def validate(build, costs: dict, rounds: int, only: str | None = None) -> dict:
    times, counts = [], []
    for name, program in PROGRAMS.items():
        if only and only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            recordings = build.record(program, RECORDINGS, folder)
            for threads in (1, 2):
                measured, user = measured_ms(build, program, threads, rounds)
                simulated = build.simulate(recordings, [f"1x{threads}"], SCHEDULERS[:1], costs, overheads(build))["results"][0]
                times.append({"program": name, "threads": threads, "measured_ms": measured, "user_ms": user,
                              "predicted_ms": simulated["time_ns"] / 1e6})
            for ours in build.simulate(recordings, list(MACHINES), list(SCHEDULERS), costs, overheads(build))["results"]:
                machine, scheduler = ours["machine"], ours["scheduler"]
                real = measured_counts(build, program, machine, scheduler, 9)
                for what in COUNTS:
                    counts.append({"program": name, "machine": machine, "scheduler": scheduler, "count": what,
                                   "measured": real[what], "simulated": ours[what]})
        print(f"replay: {name} done", flush=True)
    return {"date": datetime.date.today().isoformat(), "machine": machine_name(), "load": os.getloadavg()[0],
            "rounds": rounds, "costs_ps": costs, "programs": PROGRAMS, "times": times, "counts": counts}


def time_error(row: dict) -> float:
    return row["predicted_ms"] / row["measured_ms"] - 1


def count_agrees(row: dict) -> bool:
    ratio = (row["simulated"] + FEW) / (row["measured"] + FEW)
    return 0.5 <= ratio <= 2


def describe(result: dict) -> str:
    met = sum(abs(time_error(row)) <= WITHIN for row in result["times"])
    agree = sum(count_agrees(row) for row in result["counts"])
    text = (f"# Simulated and real\n\n{result['date']}, {result['machine']}, load average {result['load']:.1f}; "
            f"best of {result['rounds']} runs.\n\n## Times\n\nWithin {WITHIN:.0%}: {met} of {len(result['times'])}.\n\n")
    text += ("Elapsed times mean little where other processes want the CPUs. The CPU time of the whole process in user mode, "
             "with one thread, is disturbed less; it has what lies outside the regions, too.\n\n")
    text += report.markdown(["program", "threads", "measured ms", "CPU time ms", "predicted ms", "error", "met"],
                            [[row["program"], row["threads"], f"{row['measured_ms']:.3f}", f"{row['user_ms']:.1f}",
                              f"{row['predicted_ms']:.3f}", f"{time_error(row):+.1%}", "yes" if abs(time_error(row)) <= WITHIN else "**no**"]
                             for row in result["times"]])
    text += (f"\n## Counts\n\nTwo threads on a synthetic topology; medians. Within a factor of 2, after adding {FEW} to both: "
             f"{agree} of {len(result['counts'])}. The others:\n\n")
    text += report.markdown(["program", "topology", "scheduler", "count", "measured", "simulated", "met"],
                            [[row["program"], row["machine"], row["scheduler"], row["count"], f"{row['measured']:g}",
                              f"{row['simulated']:g}", "**no**"] for row in result["counts"] if not count_agrees(row)])
    text += "\nPrograms: " + "; ".join(f"{name} `{line}`" for name, line in result["programs"].items()) + ".\n"
    return text


def store(name: str, result: dict, text: str, folder: pathlib.Path = RESULTS) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"{name}-{result['date']}"
    stem.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    stem.with_suffix(".md").write_text(text)
    return stem.with_suffix(".md")
