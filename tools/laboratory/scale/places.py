"""Where in the sources an address of code is: the innermost line of the project's own, with its text."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
from common import ROOT  # noqa: E402
from virtual_build import frames_of, own_file  # noqa: E402

MOST_CALLERS = 2


def source_text(path, line):
    try:
        return Path(path).read_text(errors="replace").splitlines()[line - 1].strip()
    except (OSError, IndexError):
        return ""


def describe(frames):
    """'runtime/core/private_deque.h:46 < runtime/wait/sentinel.cpp:71  the text of the first line' of the frames of one
    address, innermost first: the callers are those that the code was inlined into."""
    own = []
    for frame in frames:
        parts = frame.rsplit(":", 2)
        path = own_file(parts[0]) if len(parts) == 3 and parts[1].isdigit() else None
        if path:
            own.append((path, int(parts[1])))
    if not own:
        return frames[0] if frames else "?"
    places = " < ".join(f"{path}:{line}" for path, line in own[:MOST_CALLERS + 1])
    return f"{places}  {source_text(ROOT / own[0][0], own[0][1])}"


def lines_of(places):
    """A line for each of the places, which are dicts with `file` and `offset` (where the call returns to)."""
    answers = {}
    for file in {place["file"] for place in places}:
        offsets = sorted({place["offset"] for place in places if place["file"] == file})
        answers.update({(file, offset): describe(frames) for offset, frames in zip(offsets, frames_of(file, offsets))})
    return [answers.get((place["file"], place["offset"]), f"{Path(place['file']).name}+{place['offset']:#x}") for place in places]
