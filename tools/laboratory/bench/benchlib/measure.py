"""Runs one program once, and checks what it says."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

from harness.running import Failed, Series, first_words, parse, run_program  # noqa: F401

from .catalog import Pattern
from .runtimes import Runtime


@dataclass(frozen=True)
class Mode:
    """How many threads. `record`: the figure of record, one thread of a team of two whose other member is busy."""

    name: str
    threads: int
    record: bool = False


@dataclass(frozen=True)
class Effort:
    """How long one process may work."""

    reps: int
    budget_ms: int  # no further repetition after that, of each pattern
    limit_s: float  # then it hangs


Sample = tuple[float, dict[str, float]]  # the figure in the pattern's unit, and the other figures
WARM_MS = 20  # of a process whose patterns take turns: until its threads have a CPU each
KNOWN_KEYS = {"pattern", "size", "units", "ns_per_unit", "median_ns", "first_ns", "reps", "threads", "record", "check", "loaded"}


def verify_loaded(loaded: str, runtime: Runtime) -> None:
    """Checks that the process had the intended library and no other runtime."""
    files = {str(pathlib.Path(f).resolve()) for f in loaded.split(",")}
    if files != {str(runtime.library)}:
        raise Failed("error", f"loaded {sorted(pathlib.Path(f).name for f in files)} instead of {runtime.library.name}")


def resolved_runtimes(program: pathlib.Path, env: dict[str, str]) -> list[str]:
    """The OpenMP libraries the loader takes for a program, by its own account."""
    out = run_program([str(program)], env | {"LD_TRACE_LOADED_OBJECTS": "1"}, 10)
    files = [line.split("=>")[1].split("(")[0].strip() for line in out.splitlines() if "=>" in line]
    return [f for f in files if pathlib.Path(f).name.startswith(("libomp", "libiomp5", "libgomp"))]


def case_for(pattern: Pattern, runtime: Runtime) -> str:
    """The program's name of the pattern."""
    return {"serial": pattern.serial, "tbb": pattern.twin}.get(runtime.compiler, pattern.case)


def run_external(program: pathlib.Path, pattern: Pattern, runtime: Runtime, mode: Mode, size: int, limit_s: float) -> float:
    """One process of a program of bots/ or uts/, by its own clock: nanoseconds per node, or milliseconds."""
    env = environment(runtime, mode, pattern)
    if runtime.compiler != "serial":
        verify_loaded(",".join(resolved_runtimes(program, env)), runtime)
    arguments = [a.format(size=size) for a in pattern.arguments]
    out = run_program([str(program), *arguments, "-v", case_for(pattern, runtime)], env, limit_s)
    fields = {k.strip(): v.strip() for k, v in (line.split("=", 1) for line in out.splitlines() if "=" in line)}
    # A serial search of a tree that is not published has nothing to be compared with.
    if fields.get("Verification") != "SUCCESSFUL" and runtime.compiler != "serial":
        raise Failed("wrong", f"verification {fields.get('Verification', 'missing').lower()}")
    units = float(fields["Nodes"]) if "Nodes" in fields else 1e6
    return 1e9 * float(fields["Time Program"].split()[0]) / units


def environment(runtime: Runtime, mode: Mode, pattern: Pattern) -> dict[str, str]:
    """Of a process that measures the pattern; those of a group have the same settings."""
    threads = str(mode.threads)
    return runtime.environment() | {"OMP_NUM_THREADS": threads, "BENCH_THREADS": threads} | dict(pattern.settings)


def command_line(program: pathlib.Path, patterns: list[Pattern], runtime: Runtime, mode: Mode, size: int, effort: Effort) -> list[str]:
    """The command line of a pattern program that measures all of these."""
    command = [str(program), ",".join(case_for(p, runtime) for p in patterns), "--size", str(size), "--reps", str(effort.reps), "--budget-ms",
               str(effort.budget_ms)]
    if patterns[0].group:
        command += ["--warm-ms", str(min(WARM_MS, effort.budget_ms))]
    if patterns[0].argument:
        command += ["--arg", str(patterns[0].argument)]
    return [*command, "--record"] if mode.record else command


def figures(line: str, pattern: Pattern, runtime: Runtime, mode: Mode) -> Sample:
    """What a pattern program prints about one pattern."""
    fields = parse(line)
    if fields.get("pattern") != case_for(pattern, runtime) or fields.get("check") != "ok":
        raise Failed("wrong", "no line of results")
    if runtime.compiler != "serial":
        verify_loaded(fields["loaded"], runtime)
    if int(fields["threads"]) != mode.threads:
        raise Failed("error", f"{fields['threads']} threads instead of {mode.threads}")
    return float(fields["ns_per_unit"]), {k: float(v) for k, v in fields.items() if k not in KNOWN_KEYS}


def run_patterns(program: pathlib.Path, patterns: list[Pattern], runtime: Runtime, mode: Mode, size: int, effort: Effort) -> list[Sample]:
    """One process of a pattern program."""
    env = environment(runtime, mode, patterns[0])
    out = run_program(command_line(program, patterns, runtime, mode, size, effort), env, effort.limit_s)
    lines = [line for line in out.splitlines() if line.startswith("pattern=")]
    if len(lines) != len(patterns):
        raise Failed("wrong", "no line of results")
    return [figures(line, pattern, runtime, mode) for line, pattern in zip(lines, patterns)]


def run_once(program: pathlib.Path, patterns: list[Pattern], runtime: Runtime, mode: Mode, size: int, effort: Effort) -> list[Sample]:
    """One process, of one pattern or of a group: a sample of each."""
    if patterns[0].external and runtime.compiler != "tbb":
        return [(run_external(program, patterns[0], runtime, mode, size, effort.limit_s), {})]
    return run_patterns(program, patterns, runtime, mode, size, effort)
