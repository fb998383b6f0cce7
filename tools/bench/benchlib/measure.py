"""Runs one program once, checks what it says, and keeps the samples of all rounds."""

from __future__ import annotations

import pathlib
import statistics
import subprocess
from dataclasses import dataclass, field

from .catalog import Pattern
from .runtimes import Runtime

TIMEOUT_S = 20


class Failed(Exception):
    """A run that gave no usable number; the text says why, briefly."""


@dataclass(frozen=True)
class Mode:
    """How many threads. `record`: the figure of record, one thread of a team of two whose other member is busy."""

    name: str
    threads: int
    record: bool = False


@dataclass
class Series:
    """All rounds of one pattern on one runtime in one mode; nanoseconds per unit."""

    samples: list[float] = field(default_factory=list)
    extras: dict[str, float] = field(default_factory=dict)  # of the best sample
    error: str = ""

    @property
    def best(self) -> float:
        return min(self.samples)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    def add(self, value: float, extras: dict[str, float]) -> None:
        if not self.samples or value < self.best:
            self.extras = extras
        self.samples.append(value)


KNOWN_KEYS = {"pattern", "size", "units", "ns_per_unit", "median_ns", "first_ns", "reps", "threads", "record", "check", "loaded"}


def parse(line: str) -> dict[str, str]:
    """The key=value pairs of a program's last line."""
    return dict(word.split("=", 1) for word in line.split() if "=" in word)


def verify_loaded(loaded: str, runtime: Runtime) -> None:
    """The process had the intended library and no other runtime."""
    files = {str(pathlib.Path(f).resolve()) for f in loaded.split(",")}
    if files != {str(runtime.library)}:
        raise Failed(f"loaded {sorted(pathlib.Path(f).name for f in files)} instead of {runtime.library.name}")


def first_words(text: str) -> str:
    """The first line of a program's complaint, shortened."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0][:80] if lines else "no output"


def run_program(command: list[str], env: dict[str, str], timeout: float = TIMEOUT_S) -> str:
    """Standard output of a program that must succeed."""
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as late:
        raise Failed(f"no end after {timeout:.0f} s") from late
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {first_words(done.stderr or done.stdout)}")
    return done.stdout


def run_external(program: pathlib.Path, pattern: Pattern, runtime: Runtime, mode: Mode,
                 size: int) -> tuple[float, dict[str, float]]:
    """One process of a program of bots/ or uts/: milliseconds by its own clock. For the floor, its serial version."""
    env = runtime.environment() | {"OMP_NUM_THREADS": str(mode.threads)}
    if runtime.name != "floor":
        verify_loaded(",".join(resolved_runtimes(program, env)), runtime)
    version = "serial" if runtime.name == "floor" else pattern.case
    arguments = [a.format(size=size) for a in pattern.arguments]
    out = run_program([str(program), *arguments, "-v", version], without_library_path(env) if version == "serial" else env)
    fields = {k.strip(): v.strip() for k, v in (line.split("=", 1) for line in out.splitlines() if "=" in line)}
    if "UNSUCCESSFUL" in fields.get("Verification", ""):
        raise Failed("wrong result")
    return 1e3 * float(fields["Time Program"].split()[0]), {}


def without_library_path(env: dict[str, str]) -> dict[str, str]:
    """For the serial version, which must load but not use a runtime: the compiler's own."""
    return {k: v for k, v in env.items() if k != "LD_LIBRARY_PATH"}


def resolved_runtimes(program: pathlib.Path, env: dict[str, str]) -> list[str]:
    """The OpenMP libraries the loader takes for a program, by its own account."""
    out = run_program([str(program)], env | {"LD_TRACE_LOADED_OBJECTS": "1"})
    files = [line.split("=>")[1].split("(")[0].strip() for line in out.splitlines() if "=>" in line]
    return [f for f in files if pathlib.Path(f).name.startswith(("libomp", "libiomp5", "libgomp"))]


def run_once(program: pathlib.Path, pattern: Pattern, runtime: Runtime, mode: Mode, size: int, reps: int,
             budget_ms: int) -> tuple[float, dict[str, float]]:
    """One process: nanoseconds per unit, and the extra keys it printed."""
    if pattern.external:
        return run_external(program, pattern, runtime, mode, size)
    env = runtime.environment() | {"OMP_NUM_THREADS": str(mode.threads), "BENCH_THREADS": str(mode.threads),
                                   "OMP_MAX_TASK_PRIORITY": "8"}
    command = [str(program), pattern.case, "--size", str(size), "--reps", str(reps), "--budget-ms", str(budget_ms)]
    if mode.record:
        command.append("--record")
    out = run_program(command, env)
    fields = parse(out.splitlines()[-1] if out else "")
    if fields.get("check") != "ok":
        raise Failed("wrong result")
    verify_loaded(fields["loaded"], runtime)
    if runtime.name != "floor" and int(fields["threads"]) != mode.threads:
        raise Failed(f"{fields['threads']} threads instead of {mode.threads}")
    extras = {k: float(v) for k, v in fields.items() if k not in KNOWN_KEYS}
    return float(fields["ns_per_unit"]), extras
