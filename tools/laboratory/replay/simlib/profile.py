"""What recording costs on this machine, to be taken off again: measured (--calibrate), kept in a JSON file."""

from __future__ import annotations

import datetime
import json
import pathlib
import tempfile

from common import ROOT, die
from harness.machine import cpu_model

FILE = ROOT / "build" / "simulate" / "recording.json"
RECORDINGS = 9


def measure(build) -> list:
    """[kind of event, kind of the next, ns]: mean times between two events of a tree of empty tasks, which are those of
    recording and of the runtime while it is observed."""
    print(f"replay: measuring what recording costs here, into {FILE}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files = build.record([str(build.calibrate), "11"], RECORDINGS, folder)
        lines = build.ask_engine("gaps", *files).splitlines()
    found = [[int(before), int(after), float(ns)] for before, after, ns in map(str.split, lines)]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps({"machine": cpu_model(), "date": datetime.date.today().isoformat(), "overheads": found}) + "\n")
    return found


def overheads(build) -> list:
    if not FILE.exists():
        return measure(build)
    try:
        return json.loads(FILE.read_text())["overheads"]
    except (ValueError, KeyError) as problem:
        die(f"replay: {FILE} is damaged ({problem}); tools/scale replay --calibrate makes a new one")
