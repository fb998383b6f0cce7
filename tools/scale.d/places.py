"""Where in the sources an address of code is: the innermost line of the project's own, with its text."""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "lib"))
from common import ROOT  # noqa: E402


def source_text(path, line):
    try:
        return Path(path).read_text(errors="replace").splitlines()[line - 1].strip()
    except (OSError, IndexError):
        return ""


def describe(frames):
    """'runtime/tasks/publish.cpp:71  the line's text' of the frames of one address, innermost first."""
    for frame in frames:
        parts = frame.rsplit(":", 2)
        if len(parts) != 3 or not parts[1].isdigit():
            continue
        path = Path(parts[0]).resolve()
        if path.is_relative_to(ROOT):
            return f"{path.relative_to(ROOT)}:{parts[1]}  {source_text(path, int(parts[1]))}"
    return frames[0] if frames else "?"


def lines_of(places):
    """A line for each of the places, which are dicts with `file` and `offset` (where the call returns to)."""
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    answers = {}
    for file in {place["file"] for place in places} if symbolizer else ():
        offsets = sorted({place["offset"] for place in places if place["file"] == file})
        done = subprocess.run([symbolizer, f"--obj={file}", "--inlines", "--functions=none"],
                              input="\n".join(hex(offset - 1) for offset in offsets), text=True, capture_output=True, check=False)
        blocks = [block.strip().splitlines() for block in done.stdout.strip().split("\n\n")]
        if len(blocks) == len(offsets):
            answers.update({(file, offset): describe(frames) for offset, frames in zip(offsets, blocks)})
    return [answers.get((place["file"], place["offset"]), f"{Path(place['file']).name}+{place['offset']:#x}") for place in places]
