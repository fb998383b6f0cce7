"""What describes a machine and what was built: for results that somebody else judges or repeats."""

from __future__ import annotations

import os
import pathlib
import platform
import re
import subprocess
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]


def first_line(command: list[str]) -> str:
    """The first line a command prints, or nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.splitlines()[0] if done.stdout else ""


def cpu_model() -> str:
    """As /proc/cpuinfo names it."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def machine_name(machine: dict[str, Any]) -> str:
    """For a file's name: processor and number of CPUs."""
    model = re.sub(r"[^a-z0-9]+", "-", machine["cpu"].lower()).strip("-")
    return f"{model}-{machine['cpus']}"


def commit() -> str:
    """Of this tree; marked when something in it is not committed."""
    git = ["git", "-C", str(ROOT)]
    changed = first_line([*git, "status", "--porcelain", "--untracked-files=no"])
    return first_line([*git, "rev-parse", "--short", "HEAD"]) + ("-dirty" if changed else "")


def library_version(runtime: Any) -> str:
    """By the package it came from; empty for what was built here, and where no library is used."""
    if runtime.compiler == "serial":
        return ""
    for info in runtime.library.parent.glob("python*/site-packages/intel_openmp-*.dist-info"):
        return info.name.removesuffix(".dist-info").replace("intel_openmp-", "intel-openmp ")
    package = first_line(["dpkg-query", "-S", str(runtime.library)]).split(":")[0]
    version = first_line(["dpkg-query", "-W", "-f=${Version}\\n", package]) if package else ""
    return f"{package} {version}".strip()


def load_average() -> float:
    """Of the last minute."""
    return round(os.getloadavg()[0], 2)


def machine() -> dict[str, Any]:
    """When a run begins; `load_after` is for its end."""
    return {"cpu": cpu_model(), "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(), "load_before": load_average(),
            "load_after": None}
