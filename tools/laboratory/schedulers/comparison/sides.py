"""What programs run on: chomp with one of its schedulers, or another runtime."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
from dataclasses import dataclass

import scheduler_list
from benchlib import runtimes
from benchlib.measure import Failed, run_program
from benchlib.runtimes import Runtime

from .topologies import Topology

# chomp's schedulers by the names of design and papers: the slides' five in the slides' order, then the others.
SLIDES = {"fifo": "Q", "lifo": "L", "central": "CQ", "steal": "WS", "mts": "MTS"}
SCHEDULERS = (*SLIDES, *(name for name in scheduler_list.names() if name not in SLIDES))
STEALING = ("one", "half-idle", "idle", "half-queue")  # how much MTS's thief takes, CHOMP_STEAL


@dataclass(frozen=True)
class Side(Runtime):
    """A library with settings. `scheduler` is empty for other runtimes than chomp."""

    scheduler: str = ""
    settings: tuple[tuple[str, str], ...] = ()

    def environment(self) -> dict[str, str]:
        """The library's, the settings, and nothing of the caller's that shapes a machine."""
        inherited = {k: v for k, v in super().environment().items() if not k.startswith("HWLOC_")}
        return inherited | dict(self.settings)

    def with_settings(self, settings: dict[str, str]) -> Side:
        """The same, with more settings."""
        return dataclasses.replace(self, settings=self.settings + tuple(settings.items()))

    def on(self, topology: Topology) -> Side:
        """The same on a machine of that shape; only chomp believes in those made up."""
        return self.with_settings(topology.environment())


def shown(name: str) -> str:
    """A scheduler with the slides' letters."""
    return f"{name} ({SLIDES[name]})" if name in SLIDES else name


def with_scheduler(chomp: Runtime, scheduler: str) -> Side:
    """chomp with one of its schedulers."""
    return Side(scheduler, chomp.compiler, chomp.library, chomp.directory, scheduler, (("CHOMP_SCHEDULER", scheduler),))


def stealing(mts: Side, amount: str) -> Side:
    """MTS whose thief takes another number of tasks."""
    return dataclasses.replace(mts.with_settings({"CHOMP_STEAL": amount}), name=f"{mts.name}, {amount}")


def setting_in_force(side: Side, program: pathlib.Path, name: str) -> str | None:
    """What the library says a setting is: an unknown value would quietly give the default."""
    env = side.environment() | {"OMP_DISPLAY_ENV": "VERBOSE", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run([str(program), "parallel", "--size", "1", "--reps", "1"], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(rf"\b{name}='([^']*)'", done.stdout + done.stderr)
    return found.group(1) if found else None


def has_setting(side: Side, program: pathlib.Path) -> bool:
    """Whether the library takes the side's own settings."""
    return all(setting_in_force(side, program, name) == value for name, value in side.settings if name.startswith("CHOMP_"))


def peer(name: str, build: pathlib.Path, clang: str, gcc: str) -> Side | None:
    """Another runtime, if this machine has it."""
    found = runtimes.find_peer(name, build, None, clang, gcc)
    return Side(found.name, found.compiler, found.library, found.directory) if found else None


def without_library(name: str) -> Side:
    """For programs that use no OpenMP: a queue, measured by itself."""
    return Side(name, "none", pathlib.Path("none"), None)


def loads_library(program: pathlib.Path, side: Side) -> bool:
    """Whether the program loads the side's library; false if none at all. Raises Failed if it would run on another one."""
    out = run_program([str(program)], side.environment() | {"LD_TRACE_LOADED_OBJECTS": "1"}, 30)
    files = [pathlib.Path(line.split("=>")[1].split("(")[0].strip()) for line in out.splitlines() if "=>" in line]
    found = {str(f.resolve()) for f in files if f.name.startswith(("libomp", "libiomp5", "libgomp"))}
    if found - {str(side.library)}:
        raise Failed("error", f"loads {', '.join(sorted(pathlib.Path(f).name for f in found))} instead of {side.library.name}")
    return bool(found)
