"""Reads schedulers/list.def: the schedulers there are."""

import re
from collections import namedtuple
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "schedulers" / "list.def"
LINE = re.compile(r'^SCHEDULER\((\w+), "([\w-]+)", (?:"([\w-]+)"|nullptr)\)$', re.M)

# The source file without its suffix, the name, the alias or "".
Scheduler = namedtuple("Scheduler", "file name alias")


def read(text=None):
    """All of them, in the order of the list. A line that looks like none of them is an error."""
    text = FILE.read_text(encoding="utf-8") if text is None else text
    found = [Scheduler(*line) for line in LINE.findall(text)]
    if not found or len(found) != len(re.findall(r"^SCHEDULER", text, re.M)):
        raise ValueError(f'{FILE}: expected lines like SCHEDULER(file, "name", "alias") or SCHEDULER(file, "name", nullptr)')
    return found


def names():
    return [each.name for each in read()]
