"""Instructions per unit: the difference between two sizes, divided. It repeats exactly, whatever else the machine
does."""

from __future__ import annotations

import pathlib
import re

from .catalog import Pattern
from .measure import Failed, Mode, case_for, environment, parse, run_program, verify_loaded
from .runtimes import Runtime

TIMEOUT_S = 120


def count(program: pathlib.Path, pattern: Pattern, runtime: Runtime, mode: Mode, size: int) -> tuple[int, float]:
    """Instructions inside bench_once(), in the thread that is measured, and the units of that size."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--fair-sched=try",
               "--toggle-collect=bench_once", "--log-fd=1", str(program), case_for(pattern, runtime), "--size", str(size),
               "--reps", "1"]
    if mode.record:
        command.append("--record")
    out = run_program(command, environment(runtime, mode, pattern), TIMEOUT_S)
    collected = re.search(r"Collected : (\d+)", out)
    fields = parse(next((line for line in out.splitlines() if line.startswith("pattern=")), ""))
    if collected is None or fields.get("check") != "ok":
        raise Failed("error", "no count")
    if runtime.compiler != "serial":
        verify_loaded(fields["loaded"], runtime)
    return int(collected.group(1)), float(fields["units"])


def instructions_per_unit(program: pathlib.Path, pattern: Pattern, runtime: Runtime, mode: Mode) -> float:
    """Instructions of one more task, the runtime's and the program's together."""
    assert pattern.callgrind is not None  # such patterns are not chosen
    small, large = (count(program, pattern, runtime, mode, size) for size in pattern.callgrind)
    return (large[0] - small[0]) / (large[1] - small[1])
