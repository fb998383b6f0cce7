"""What operations cost: measured here (--calibrate), kept in a JSON file, changed by options."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pathlib
import platform
import tempfile

from common import ROOT, allowed_cpus, die

DEFAULT = ROOT / "build" / "simulate" / "profile.json"
RECORDINGS = 9
FAR = ("steal", "notice_far", "moved_far")


@dataclasses.dataclass
class Profile:
    machine: str
    date: str
    costs: dict[str, float]
    overheads: list  # [kind of event, kind of the next, ns], see runtime/observe/record_format.h
    measured: dict[str, float]

    def save(self, path: pathlib.Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n")

    def changed(self, far: float = 1, affinity: float = 0, costs: dict[str, float] | None = None) -> "Profile":
        """With operations between domains `far` times as dear, and tasks of which such a share waits for memory."""
        new = dict(self.costs)
        for name in FAR:
            new[name] = new[name] * far
        per_us = self.measured.get("memory_bound_per_us", 0) * affinity
        new["moved_per_us"], new["moved_far_per_us"] = per_us, per_us * far
        new.update(costs or {})
        return dataclasses.replace(self, costs=new)


def load(path: pathlib.Path) -> Profile:
    try:
        return Profile(**json.loads(path.read_text()))
    except FileNotFoundError:
        die(f"simulate: no profile {path}; tools/simulate --calibrate makes one")
    except (ValueError, TypeError) as problem:
        die(f"simulate: {path} is no profile: {problem}")


def machine_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def measure(build, rounds: int) -> dict[str, float]:
    """Runs every mode of chomp-calibrate a few times; the least of each figure."""
    least: dict[str, float] = {}
    modes = [(["serial"], {"OMP_NUM_THREADS": 1}), (["team"], {"OMP_NUM_THREADS": 2}),
             (["handover"], {"OMP_NUM_THREADS": 2}), (["sleeper"], {"OMP_NUM_THREADS": 2, "KMP_BLOCKTIME": 0}),
             (["lines"], {"OMP_NUM_THREADS": 2})]
    if allowed_cpus() < 2:
        die("simulate: calibration needs two CPUs")
    for _ in range(rounds):
        for words, settings in modes:
            for line in build.run([str(build.calibrate), *words], **settings).splitlines():
                name, ns = line.split()
                least[name] = min(least.get(name, float("inf")), float(ns))
        far = build.run([str(build.calibrate), "handover"], OMP_NUM_THREADS=2,
                        HWLOC_SYNTHETIC="package:2 l3:1 core:1 pu:1")
        for line in far.splitlines():
            name, ns = line.split()
            least[name + "_far"] = min(least.get(name + "_far", float("inf")), float(ns))
    return least


def overheads(build, rounds: int) -> list:
    """Mean times between two events of a tree of empty tasks: recording, and the runtime while it is observed."""
    with tempfile.TemporaryDirectory() as folder:
        files = build.record([str(build.calibrate), "tree", "11"], rounds, folder)
        lines = build.ask_engine("gaps", *files).splitlines()
    return [[int(before), int(after), float(ns)] for before, after, ns in map(str.split, lines)]


def calibrate(build, rounds: int = 5) -> Profile:
    measured = measure(build, rounds)
    costs = build.default_costs()
    line = measured["line"]
    # What two threads can show directly …
    costs.update(task_serial=measured["task_serial"], task=measured["task"],
                 group=max(0, measured["group"]), depend=max(0, measured["depend"]),
                 revoke=measured["membarrier"] + 2 * line, barrier=measured["barrier"],
                 fork=max(0, measured["fork_join"] - measured["barrier"]),
                 wake=measured["handover_sleeper"], wake_call=measured["handover_call_sleeper"])
    # … and what is cache lines that change their core: the lock and the queue's ends; the header and the payload …
    costs.update(publish=max(line, measured["handover_call"] - measured["task"] / 2), publish_task=line / 8,
                 acquire=2 * line, moved=2 * line, steal_task=line / 8, probe=line, finish_elsewhere=line, lock=line,
                 place=2 * line)
    costs["steal"] = 4 * line
    costs["moved_far"] = costs["moved"]
    # … so that both add up to the time from the creation to the start elsewhere.
    costs["notice"] = max(line, measured["handover"] - costs["publish"] - costs["acquire"] - costs["moved"])
    costs["notice_far"] = max(line, measured["handover_far"] - costs["publish"] - costs["steal"] - costs["moved"])
    costs = {name: round(ns, 2) for name, ns in costs.items()}
    date = datetime.date.today().isoformat()
    return Profile(machine_name(), date, costs, overheads(build, RECORDINGS), measured)
