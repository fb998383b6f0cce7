"""Random settings under which a program runs: all that may be set and must not change an answer.

The library's table of environment variables (runtime/config/settings_table.cpp) says which there are. A truth value, a word of a list or
a number is drawn by what its row says. A row of another type has its values in GIVEN, or a reason in LEFT_OUT; else drawing fails."""

import functools
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "lib"))
import scheduler_list  # noqa: E402
from common import ROOT  # noqa: E402

SHAPES = ["package:1 core:2 pu:1", "package:2 l3:4 core:2 pu:2", "package:4 l3:1 core:8 pu:1", "package:2 core:1 pu:1",
          "package:1 l3:16 core:1 pu:1", "package:8 numa:1 l3:1 core:4 pu:2"]

# name: (how often it is set, values). First those that other runtimes know, too.
CHOICES = {
    "OMP_STACKSIZE": (0.2, ["256K", "512K", "1M", "64M"]),
    "OMP_WAIT_POLICY": (0.2, ["passive", "passive", "active"]),
    "KMP_BLOCKTIME": (0.15, ["0", "1", "200", "infinite"]),
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
GIVEN = {
    "HWLOC_SYNTHETIC": (0.3, SHAPES),
    "FUZZ_STOPS": (0.3, ["1"]),  # the program asks for a handle: its tasks may stop
    "CHOMP_NESTED": (0.2, ["light", "light", "threads"]),
    "CHOMP_RECORD": (0.03, ["/dev/null"]),
    "CHOMP_STATS": (0.1, ["/dev/null"]),
    "CHOMP_THREAD_BUDGET": (0.05, ["auto", "2", "off"]),
    "GOMP_SPINCOUNT": (0.05, ["0", "1000", "infinite"]),
    "KMP_DETERMINISTIC_REDUCTION": (0.1, ["true"]),
    "KMP_DISP_NUM_BUFFERS": (0.05, ["1", "7"]),
    "KMP_LIBRARY": (0.05, ["throughput", "turnaround"]),
    "KMP_SCHEDULE": (0.05, ["static,balanced", "static,greedy"]),
    "KMP_TASK_STEALING_CONSTRAINT": (0.15, ["0"]),
    "KMP_TEAMS_THREAD_LIMIT": (0.06, ["1", "2", "6"]),
    "KMP_TEAMS_PROC_BIND": (0.05, ["primary", "close", "spread"]),
    "OMP_THREADS_RESERVE": (0.3, ["free_agent(1)", "free_agent(3)", "structured(2),free_agent(1)"]),
}
LEFT_OUT = {
    "CHOMP_SCHEDULER OMP_NUM_THREADS": "drawn for each program",
    "GOMP_STACKSIZE KMP_STACKSIZE": "as OMP_STACKSIZE",
    "GOMP_CPU_AFFINITY KMP_AFFINITY KMP_HIDDEN_HELPER_AFFINITY KMP_HW_SUBSET": "as OMP_PLACES, but for the text",
    "KMP_ALL_THREADS KMP_DEVICE_THREAD_LIMIT KMP_PLACE_THREADS OMP_NESTED": "as others",
    "OMP_TARGET_OFFLOAD OMP_DEFAULT_DEVICE": "programs need a device then",
    "OMP_TOOL OMP_TOOL_LIBRARIES OMP_TOOL_VERBOSE_INIT": "tests of tools draw programs of their own",
    "CHOMP_RECORD_LIMIT CHOMP_WATCHDOG CHOMP_WATCHDOG_SIGNAL CHOMP_RANK_CORES KMP_CPUINFO_FILE": "of files, ranks, hangs",
    "KMP_SETTINGS KMP_VERSION OMP_AFFINITY_FORMAT OMP_DEBUG OMP_DISPLAY_AFFINITY OMP_DISPLAY_ENV": "they print",
    "KMP_INHERIT_FP_CONTROL": "programs see whether they round as their creator did",
    "OMP_ALLOCATOR": "memory may be refused",
}
OFTEN = 0.06  # how often a variable is set whose row says all
THREADS = ["1", "2", "2", "3", "4", "4", "5", "8", "8", "16", "33", "2,3", "4,2,2", "3,1,2"]


@functools.cache
def from_table():
    """Those variables whose row says what they may be."""
    text = (ROOT / "runtime" / "config" / "settings_table.cpp").read_text()
    lists = {name: re.findall(r'\{"([^"]+)",', body) for name, body in re.findall(r"NamedValue (k\w+)\[\] = \{(.*?)\};", text, re.S)}
    known, table = {*CHOICES, *GIVEN, *(name for names in LEFT_OUT for name in names.split())}, text[text.index("kTable[] = {"):]
    found = {}
    for kind, name, rest in re.findall(r'^    (?:(boolean|integer|choice|without_effect)\(|\{\.name = )"(\w+)"(.*?)(?=^    \S)', table, re.M | re.S):
        if name in known or kind == "without_effect":
            continue
        if kind == "boolean":
            found[name] = (OFTEN, ["true", "false"])
        elif kind == "choice":
            found[name] = (OFTEN, lists[re.search(r", (k\w+)\)", rest)[1]])
        elif kind == "integer":
            least, *most = map(int, re.findall(r", (\d+)", rest))
            found[name] = (OFTEN, sorted({str(number) for number in (least, least + 1, min([least + 5, *most]))}))
        else:
            raise ValueError(f"{name}: its row is of no type that is drawn: give it values, or a reason, in {__file__}")
    return found


def random_settings(rng):
    """(variables, how many threads of the program execute it at once)"""
    chosen = {"OMP_NUM_THREADS": rng.choice(THREADS), "CHOMP_SCHEDULER": rng.choice(scheduler_list.names()) if rng.random() < 0.7 else None}
    for table in (CHOICES, GIVEN, from_table()):
        for name, (often, values) in table.items():
            chosen[name] = rng.choice(values) if rng.random() < often else None
    if chosen["OMP_NUM_THREADS"] in ("16", "33"):  # they would only spin
        for name, value in (("OMP_WAIT_POLICY", "active"), ("KMP_BLOCKTIME", "infinite"), ("GOMP_SPINCOUNT", "infinite"), ("KMP_LIBRARY", "turnaround")):
            if chosen[name] == value:
                chosen[name] = None
    roots = rng.choice([2, 3, 4]) if rng.random() < 0.15 and int(chosen["OMP_NUM_THREADS"].split(",")[0]) <= 8 else 1
    return {name: value for name, value in chosen.items() if value is not None}, roots


def for_control(settings):
    """What of them other runtimes know."""
    return {name: value for name, value in settings.items() if name in CHOICES or name == "OMP_NUM_THREADS"}


def as_text(settings, roots):
    words = [f"{name}='{value}'" if not value.isalnum() else f"{name}={value}" for name, value in settings.items()]
    return " ".join([*words, *([f"-r {roots}"] if roots > 1 else [])])
