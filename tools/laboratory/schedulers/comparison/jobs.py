"""What one process does, how it is built, and how its answer is checked. A job knows nothing of tables."""

from __future__ import annotations

import pathlib
import re
import shlex
import shutil
import time
from dataclasses import dataclass
from functools import lru_cache

from benchlib import build as building
from benchlib.catalog import Pattern
from benchlib.measure import Effort, Failed, Mode, parse, run_once, run_program

from .sides import Side, loads_library

Sample = tuple[float, dict[str, float]]  # the figure, and what else the process said
asked_loads_library = lru_cache(maxsize=None)(loads_library)


def must_load_library(program: pathlib.Path, side: Side) -> None:
    """The loader is asked once for each program and side. Raises Failed."""
    if not asked_loads_library(program, side):
        raise Failed("error", f"{program.name} loads no OpenMP library")


@dataclass(frozen=True)
class Tools:
    """Where things are built, and with what."""

    build: pathlib.Path
    clang: str
    gcc: str


@dataclass(frozen=True)
class Job:
    """`name` is `group/label`; `what` says it to people; the figure of a sample is in `unit`."""

    name: str
    what: str
    unit: str = "s"

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        """Built for the side's compiler if need be; None where there is no such thing."""
        raise NotImplementedError

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        """One process. Raises Failed."""
        raise NotImplementedError


def fields_of(out: str) -> dict[str, str]:
    """The lines `Name = value` of a program of bots/ or uts/."""
    return {k.strip(): v.strip() for k, v in (line.split("=", 1) for line in out.splitlines() if "=" in line)}


def seconds(text: str) -> float:
    """The number before the unit."""
    return float(text.split()[0])


def figures_of(fields: dict[str, str]) -> Sample:
    """Times and sizes that the program printed."""
    extras = {key: seconds(fields[name]) for key, name in (("sequential", "Time Sequential"), ("nodes", "Nodes")) if name in fields}
    return seconds(fields["Time Program"]), extras


@dataclass(frozen=True)
class ProgramJob(Job):
    """A program of bots/ or uts/, which checks its own answer (-c) and times itself."""

    executable: str = ""
    arguments: tuple[str, ...] = ()

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        if side.compiler not in ("clang", "gcc"):
            return None
        command = tools.gcc if side.compiler == "gcc" else tools.clang
        return building.build_external(tools.build, side.compiler, command, self.executable)

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        must_load_library(program, side)
        out = run_program([str(program), *self.arguments, "-c"], side.environment() | {"OMP_NUM_THREADS": str(threads)}, limit_s)
        fields = fields_of(out)
        if fields.get("Verification") != "SUCCESSFUL":
            raise Failed("wrong", f"verification {fields.get('Verification', 'missing').lower()}")
        return figures_of(fields)


def program_job(group: str, label: str, command: str) -> ProgramJob:
    """`bots-fib -n 30 -v untied` as a job."""
    executable, *arguments = shlex.split(command)
    return ProgramJob(f"{group}/{label}", command, "s", executable, tuple(arguments))


@dataclass(frozen=True)
class CommandJob(Job):
    """A program of the user's. It is right if its exit status is 0 and no line `Verification` says otherwise. Time is
    what it prints as `Time Program = …`, else that of the whole process."""

    command: tuple[str, ...] = ()

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        found = shutil.which(self.command[0])
        return pathlib.Path(found).resolve() if found and side.compiler == "clang" else None

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        asked_loads_library(program, side)  # what loads none may start a program that does
        begin = time.monotonic()
        out = run_program([str(program), *self.command[1:]], side.environment() | {"OMP_NUM_THREADS": str(threads)}, limit_s)
        fields = {"Time Program": f"{time.monotonic() - begin}"} | fields_of(out)
        if fields.get("Verification", "SUCCESSFUL") != "SUCCESSFUL":
            raise Failed("wrong", f"verification {fields['Verification'].lower()}")
        return figures_of(fields)


def command_job(group: str, text: str) -> CommandJob:
    """`NAME=PROGRAM ARGUMENTS`."""
    name, equals, command = text.partition("=")
    if not equals or not re.fullmatch(r"[\w .,()+-]+", name) or not shlex.split(command):
        raise ValueError(f"not of the form NAME=COMMAND: {text!r}")
    words = tuple(shlex.split(command))
    return CommandJob(f"{group}/{name}", f"{pathlib.Path(words[0]).name} {' '.join(words[1:])}".strip(), "s", words)


@dataclass(frozen=True)
class PatternJob(Job):
    """A pattern of tools/bench; the figure is nanoseconds per unit."""

    pattern: Pattern | None = None
    size: int = 0

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        assert self.pattern is not None
        if side.compiler == "tbb" and not self.pattern.twin:
            return None
        return building.build_program(tools.build, self.pattern, side.compiler, tools.clang, tools.gcc)

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        assert self.pattern is not None
        return run_once(program, [self.pattern], side, Mode(str(threads), threads), self.size, Effort(1, 1, limit_s))[0]


def pattern_job(pattern: Pattern, size: int) -> PatternJob:
    """A pattern at a size."""
    return PatternJob(f"pattern/{pattern.name}", f"{pattern.what}, size {size}", pattern.unit, pattern, size)


HOME = building.ROOT / "tools" / "laboratory" / "schedulers"


@dataclass(frozen=True)
class MovedJob(Job):
    """UTS that counts the tasks another thread ran than made them."""

    tree: str = ""
    root_children: int = 0
    hashes: int = 1

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        if side.compiler not in ("clang", "gcc"):
            return None
        command = tools.gcc if side.compiler == "gcc" else tools.clang
        sources = [HOME / "programs" / "uts_moved.c", building.UTS / "tree.c", building.UTS / "sha1.c",
                   building.PATTERNS / "harness.c", building.PATTERNS / "harness_omp.c"]
        flags = [*building.FLAGS, "-std=gnu11", "-ffp-contract=off", "-fopenmp", f"-I{building.UTS}", f"-I{building.PATTERNS}"]
        headers = [*building.UTS.glob("*.h"), *building.PATTERNS.glob("*.h")]
        return building.compile_to(tools.build / "bin" / f"uts-moved-{side.compiler}", sources, [command, *flags], headers, ["-lm"])

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        must_load_library(program, side)
        command = [str(program), self.tree, "--size", str(self.root_children), "--arg", str(self.hashes), "--reps", "1"]
        out = run_program(command, side.environment() | {"OMP_NUM_THREADS": str(threads)}, limit_s)
        fields = parse(out)
        if fields.get("check") != "ok":
            raise Failed("wrong", "no line of results")
        nodes = float(fields["units"])
        return float(fields["ns_per_unit"]) * nodes / 1e9, {"moved": float(fields["moved"]), "nodes": nodes}


QUEUES = HOME / "queues"
LIBRARY_PARTS = ("schedulers/*.cpp", "runtime/base/log.cpp", "runtime/base/os_linux.cpp")


@dataclass(frozen=True)
class QueueJob(Job):
    """Threads that put tasks into a scheduler or a queue and take them out again; no OpenMP. The side names which."""

    pattern: str = ""
    operations: int = 0

    def program(self, tools: Tools, side: Side) -> pathlib.Path | None:
        return build_queue_benchmark(tools)

    def run(self, program: pathlib.Path, side: Side, threads: int, limit_s: float) -> Sample:
        out = run_program([str(program), side.name, self.pattern, "--threads", str(threads), "--operations", str(self.operations)],
                          side.environment(), limit_s)
        fields = parse(out)
        if fields.get("check") != "ok":
            raise Failed("wrong", "tasks were lost or came out twice")
        figures = {k: float(v) for k, v in fields.items() if re.fullmatch(r"-?[\d.]+", v)}
        return figures.pop("ns_per_task"), figures


def build_queue_benchmark(tools: Tools) -> pathlib.Path:
    """Compiled with the tree's own schedulers and queues."""
    root = building.ROOT
    sources = [*sorted(QUEUES.glob("*.cpp")), *(source for part in LIBRARY_PARTS for source in sorted(root.glob(part)))]
    headers = [*QUEUES.glob("*.h"), *root.glob("schedulers/**/*.h"), *root.glob("schedulers/*.def"), *root.glob("runtime/base/*.h")]
    command = [building.cxx_of(tools.clang), "-std=c++20", "-O2", "-gdwarf-4", "-Wall", "-Wextra", "-fno-exceptions", "-fno-rtti",
               "-D_GNU_SOURCE", f"-I{root}", "-pthread"]
    return building.compile_to(tools.build / "bin" / "queue-benchmark", sources, command, headers)


def queue_names(tools: Tools) -> dict[str, str]:
    """What the benchmark can measure: name → `scheduler` or `queue`."""
    out = run_program([str(build_queue_benchmark(tools)), "--list"], {}, 30)
    return {name: kind for kind, name in (line.split() for line in out.splitlines())}
