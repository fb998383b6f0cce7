"""Runs the programs of programs.py on the system's libomp and on chomp, in turn, and prints one table.

The same executables run on both: they are linked with the system's libomp, and chomp takes its place by LD_PRELOAD. Before
anything is timed the loader is asked which library each executable's OpenMP calls bind to (binding.py), so a table can never
compare libomp with itself. tools/regress runs more: other libraries, all versions, and programs of your own.
"""

import argparse
import json
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from binding import NotBound, preloadable, prove  # noqa: E402
from common import ROOT, Stopwatch, allowed_cpus, build, cache_value, clean_environment, die, say  # noqa: E402
from programs import PROGRAMS, TARGETS  # noqa: E402

PRESET = "release"
LIBRARY = ROOT / "build" / PRESET / "lib" / "libomp.so"
BIN = ROOT / "build" / PRESET / "bin"
RUN_LIMIT_SECONDS = 120
LIBOMP, CHOMP = "libomp", "chomp"


class Failure(Exception):
    """A run that gave no trustworthy time; the text says why."""


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="tools/quickstart",
        description="Build chomp, then run UTS and the BOTS kernels on the system's libomp and on chomp, in turn.")
    parser.add_argument("--threads", type=int, default=allowed_cpus(), metavar="N",
                        help="OMP_NUM_THREADS (default: the CPUs this process may use)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs on each library")
    parser.add_argument("--programs", default="", metavar="REGEX", help="only the programs whose name matches")
    parser.add_argument("--budget", type=float, default=200, metavar="SECONDS",
                        help="programs that start later than this run one round only (default: 200)")
    parser.add_argument("--json", metavar="FILE", help="write every single time to FILE too")
    options = parser.parse_args()
    if options.threads < 1 or options.rounds < 1:
        parser.error("--threads and --rounds want at least 1")
    return options


def system_libomp():
    """The libomp that the compiler's -fopenmp programs use."""
    clang = cache_value(PRESET, "CMAKE_C_COMPILER") or "clang"
    for name in ("libomp.so.5", "libomp.so"):
        found = subprocess.run([clang, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        path = Path(found.stdout.strip())
        if path.is_absolute() and path.exists():
            return path.resolve()
    die(f"{clang} knows no libomp to compare with; is its OpenMP package installed?")


def environment(side, libomp, threads):
    # Settings of the caller stay, so that CHOMP_SCHEDULER=steal tools/quickstart does what it says; the loader's do not.
    env = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    env["OMP_NUM_THREADS"] = str(threads)
    if side == CHOMP:
        env["LD_PRELOAD"] = preloadable(LIBRARY)
    else:
        env["LD_LIBRARY_PATH"] = str(libomp.parent)
    return env


def run_once(command, side, libomp, threads):
    """One run; its time in seconds, as the program measured it. Raises Failure if the answer is wrong or missing."""
    try:
        done = subprocess.run(command, env=environment(side, libomp, threads), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False,
                              timeout=RUN_LIMIT_SECONDS)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"on {side}: no answer within {RUN_LIMIT_SECONDS} s") from late
    if done.returncode != 0:
        raise Failure(f"on {side}: exit status {done.returncode}\n{done.stdout[-2000:]}")
    if not re.search(r"Verification\s*=\s*SUCCESSFUL", done.stdout, re.I):
        raise Failure(f"on {side}: the answer is not verified\n{done.stdout[-2000:]}")
    found = re.search(r"Time Program\s*=\s*([0-9.eE+-]+)", done.stdout)
    if not found:
        raise Failure(f"on {side}: no line `Time Program = <seconds>`\n{done.stdout[-2000:]}")
    return float(found.group(1))


def ratio_of(times):
    """The median of the rounds' ratios: the two runs of a round are neighbours in time, so a slow phase of a shared machine
    hits both."""
    return statistics.median(a / max(b, 1e-9) for a, b in zip(times[LIBOMP], times[CHOMP]))


def too_close_to_call(times):
    """Whether other load on the machine could decide which side looks faster: then both get more rounds."""
    return 0.7 < ratio_of(times) < 1.4


def measure(name, arguments, rounds, libomp, threads):
    """Runs one program on both sides in turn; returns the times of each. Raises Failure."""
    words = shlex.split(arguments)
    command = [str(BIN / words[0]), *words[1:]]
    times = {LIBOMP: [], CHOMP: []}
    print(f"  {name:<30}", end="", flush=True)
    done = 0
    while done < rounds or (done < rounds + 3 and rounds > 1 and too_close_to_call(times)):
        done += 1
        for side in (LIBOMP, CHOMP) if done % 2 else (CHOMP, LIBOMP):
            seconds = run_once(command, side, libomp, threads)
            times[side].append(seconds)
            print(f"  {side} {seconds:.3f}", end="", flush=True)
    say()
    return times


def print_table(rows):
    width = max(len(row["program"]) for row in rows)
    say(f"{'program':<{width}}  {'libomp, s':>10}  {'chomp, s':>10}  {'ratio':>8}  verified")
    say("-" * (width + 46))
    for row in rows:
        if "failure" in row:
            say(f"{row['program']:<{width}}  {'-':>10}  {'-':>10}  {'-':>8}  NO")
            continue
        say(f"{row['program']:<{width}}  {row['libomp']:>10.3f}  {row['chomp']:>10.3f}  {row['ratio']:>7.2f}x  yes")
    say()
    say("Seconds: the best run on each. Ratio: libomp's time / chomp's, the median over the rounds; above 1 chomp is faster.")


def main():
    options = parse_arguments()
    total = Stopwatch()
    selected = [p for p in PROGRAMS if re.search(options.programs, p[0]) or re.search(options.programs, p[1])]
    if not selected:
        die(f"no program matches {options.programs!r}; there are:\n" + "\n".join("  " + p[0] for p in PROGRAMS))

    say(f"Building chomp and the programs into build/{PRESET} …")
    if not build(PRESET, ["omp", *TARGETS]):
        die("The build failed.")
    libomp = system_libomp()

    say()
    say(f"libomp: {libomp}")
    say(f"chomp:  {LIBRARY.relative_to(ROOT)}, by LD_PRELOAD")
    try:
        for name in sorted({shlex.split(p[1])[0] for p in selected}):
            counts = {side: prove(BIN / name, LIBRARY if side == CHOMP else libomp, environment(side, libomp, options.threads))
                      for side in (LIBOMP, CHOMP)}
            say(f"  {name}: its {counts[CHOMP]} OpenMP calls bind to libomp without, to chomp with the preload")
    except (NotBound, OSError) as failure:
        die(f"Not measured, since it is not certain which library would run: {failure}")

    say()
    say(f"Running with {options.threads} thread(s), {options.rounds} round(s) on each library "
        "(up to three more where the two are close), times in seconds:")
    rows, failures, measuring = [], 0, Stopwatch()
    for name, arguments in selected:
        rounds = options.rounds if measuring.seconds() < options.budget else 1
        row = {"program": name, "command": arguments}
        try:
            times = measure(name, arguments, rounds, libomp, options.threads)
            best = {side: min(values) for side, values in times.items()}
            row.update(times=times, libomp=best[LIBOMP], chomp=best[CHOMP], verified=True,
                       ratio=ratio_of(times))
        except Failure as failure:
            failures += 1
            row.update(failure=str(failure), verified=False)
            say(f"  FAILED {failure}")
        rows.append(row)

    say()
    print_table(rows)
    say(f"{options.threads} thread(s) on {platform.machine()}, {total.seconds():.0f} s in all, building included.")
    if options.json:
        record = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "machine": platform.machine(), "cpus": allowed_cpus(),
                  "threads": options.threads, "rounds": options.rounds, "libomp": str(libomp), "programs": rows,
                  "settings": {k: v for k, v in os.environ.items() if k not in clean_environment()}}
        Path(options.json).write_text(json.dumps(record, indent=2) + "\n")
    if failures:
        die(f"{failures} program(s) failed.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        die("\nStopped.", 130)
