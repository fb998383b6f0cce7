"""Random settings under which a program runs: all that may be set and must not change an answer."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "lib"))
import scheduler_list  # noqa: E402

SHAPES = ["package:1 core:2 pu:1", "package:2 l3:4 core:2 pu:2", "package:4 l3:1 core:8 pu:1", "package:2 core:1 pu:1",
          "package:1 l3:16 core:1 pu:1", "package:8 numa:1 l3:1 core:4 pu:2"]

# name: (how often it is set, values)
CHOICES = {
    "OMP_STACKSIZE": (0.2, ["256K", "512K", "1M", "64M"]),
    "OMP_WAIT_POLICY": (0.2, ["passive", "passive", "active"]),
    "KMP_BLOCKTIME": (0.15, ["0", "1", "200"]),
    "OMP_PROC_BIND": (0.2, ["true", "close", "spread", "false", "primary", "spread,close"]),
    "OMP_PLACES": (0.15, ["cores", "threads", "sockets", "{0}", "{0:2}"]),
    "OMP_DYNAMIC": (0.15, ["true", "false"]),
    "OMP_CANCELLATION": (0.5, ["true", "false"]),
    "OMP_MAX_ACTIVE_LEVELS": (0.4, ["0", "1", "2", "3", "5"]),
    "OMP_SCHEDULE": (0.5, ["static", "dynamic", "dynamic,3", "guided", "guided,2", "auto", "static,1", "nonmonotonic:dynamic,1", "monotonic:dynamic"]),
    "OMP_MAX_TASK_PRIORITY": (0.3, ["1", "5", "100"]),
    "OMP_THREAD_LIMIT": (0.1, ["1", "2", "5", "64"]),
    "OMP_NUM_TEAMS": (0.05, ["1", "3"]),
}
OURS = {
    "HWLOC_SYNTHETIC": (0.3, SHAPES),
    "CHOMP_MEMBARRIER": (0.1, ["0"]),
    "CHOMP_STACK_SEGMENTS": (0.1, ["0"]),
    "CHOMP_STEAL": (0.1, ["one", "half-idle", "half-queue"]),
    "CHOMP_DOMAIN": (0.1, ["socket", "l3", "core", "machine"]),
    "KMP_TASK_STEALING_CONSTRAINT": (0.15, ["0"]),
    "KMP_ENABLE_TASK_THROTTLING": (0.1, ["0"]),
    "KMP_FORCE_REDUCTION": (0.1, ["critical", "atomic", "tree"]),
    "KMP_LIBRARY": (0.05, ["throughput", "turnaround"]),
    "KMP_USE_YIELD": (0.05, ["1", "2"]),
    "FUZZ_STOPS": (0.3, ["1"]),  # the program asks for a handle: its tasks may stop
    "OMP_THREADS_RESERVE": (0.3, ["free_agent(1)", "free_agent(3)", "structured(2),free_agent(1)"]),
}
THREADS = ["1", "2", "2", "3", "4", "4", "5", "8", "8", "16", "33", "2,3", "4,2,2", "3,1,2"]


def random_settings(rng):
    """(variables, how many threads of the program execute it at once)"""
    chosen = {"OMP_NUM_THREADS": rng.choice(THREADS), "CHOMP_SCHEDULER": rng.choice(scheduler_list.names()) if rng.random() < 0.7 else None}
    for table in (CHOICES, OURS):
        for name, (often, values) in table.items():
            chosen[name] = rng.choice(values) if rng.random() < often else None
    if chosen["OMP_NUM_THREADS"] in ("16", "33") and chosen["OMP_WAIT_POLICY"] == "active":
        chosen["OMP_WAIT_POLICY"] = None  # it would only spin
    roots = rng.choice([2, 3, 4]) if rng.random() < 0.15 and int(chosen["OMP_NUM_THREADS"].split(",")[0]) <= 8 else 1
    return {name: value for name, value in chosen.items() if value is not None}, roots


def for_control(settings):
    """What of them other runtimes know."""
    return {name: value for name, value in settings.items() if name in CHOICES or name == "OMP_NUM_THREADS"}


def as_text(settings, roots):
    words = [f"{name}='{value}'" if not value.isalnum() else f"{name}={value}" for name, value in settings.items()]
    return " ".join([*words, *([f"-r {roots}"] if roots > 1 else [])])
