"""Results as JSON: what is known of the run, then a line for each series, so that two files can be compared by eye."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable
from typing import Any


ROOT = pathlib.Path(__file__).resolve().parents[3]
RESULTS = ROOT / "build" / "results"  # of record: they stay on the machine that they are about


def as_json(about: dict[str, Any], rows: Iterable[dict[str, Any]]) -> str:
    head = json.dumps(about, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{head},\n "results": [\n  {lines}\n ]\n}}\n'


def from_json(who: str, text: str, known: int) -> dict[str, Any]:
    """The reverse; of another format than the known one it says so."""
    data = json.loads(text)
    if data.get("format") != known:
        raise SystemExit(f"{who}: a file of format {data.get('format')}; this command reads format {known}")
    return data


def write(path: pathlib.Path, text: str) -> None:
    """All of it or nothing, into a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".new")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)
