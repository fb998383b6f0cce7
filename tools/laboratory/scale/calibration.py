"""tools/scale --calibrate: what the machine's operations cost here, as a profile."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from common import ROOT, die, say

HERE = Path(__file__).resolve().parent
SCALED = ("plain", "atomic", "block")  # what cannot be measured alone: scaled until fib_tied takes what it takes here


def cache_of(cpu):
    """The CPUs that share the last cache with this one, as the system writes them."""
    shared = ""
    for index in range(4):
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/shared_cpu_list")
        if path.exists():
            shared = path.read_text().strip()
    return shared


def core_of(cpu):
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return path.read_text().strip() if path.exists() else str(cpu)


def pairs():
    """A pair of CPUs on two cores of one chip, and one on two chips; None where there is none."""
    cpus = sorted(os.sched_getaffinity(0))
    near = next(((cpus[0], b) for b in cpus[1:] if core_of(b) != core_of(cpus[0]) and cache_of(b) == cache_of(cpus[0])), None)
    far = next(((cpus[0], b) for b in cpus[1:] if cache_of(b) != cache_of(cpus[0])), None)
    return near, far


def measure(binary, pair):
    done = subprocess.run([str(binary), *map(str, pair)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        die(f"scale: {binary} ended with status {done.returncode}", 2)
    return {name: int(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def calibrate(path, default, factor_of_fib):
    """`default` are the costs that are kept where nothing can be measured; `factor_of_fib(costs)` is how much slower a
    thread of this machine runs fib_tied than a virtual one."""
    clang = shutil.which("clang-19") or shutil.which("clang") or die("scale: no clang", 2)
    binary = ROOT / "build" / "virtual" / "scale" / "calibrate"
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([clang, "-O2", "-pthread", str(HERE / "calibrate.c"), "-o", str(binary)], check=True)
    near, far = pairs()
    costs, kept = dict(default), set(default)
    for name, pair in (("far", far), ("chip", near)):
        if pair:
            found = measure(binary, pair)
            found[name] = found.pop("transfer")
            costs.update(found)
            kept -= found.keys()
    if not near and not far:
        costs.update(measure(binary, (min(os.sched_getaffinity(0)),) * 2))
    factor = factor_of_fib(costs)
    for name in SCALED:
        costs[name] = round(costs[name] * factor)
    kept -= set(SCALED)
    Path(path).write_text(json.dumps({"what": f"measured; kept from the default profile: {', '.join(sorted(kept))}",
                                      "costs_ps": costs}, indent=2) + "\n")
    say(f"{path}: " + ", ".join(f"{name} {value}" for name, value in costs.items()))
    return 0
