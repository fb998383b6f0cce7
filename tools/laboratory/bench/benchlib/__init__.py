"""tools/bench. Its harness is the one of all that compares."""

import pathlib
import sys

LABORATORY = pathlib.Path(__file__).resolve().parents[2]
for folder in (str(LABORATORY), str(LABORATORY.parent / "lib")):
    if folder not in sys.path:
        sys.path.append(folder)
