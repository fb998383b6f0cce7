"""tools/bench. Its harness is the one of all that compares, and its options look like those of all tools."""

import pathlib
import sys

LABORATORY = str(pathlib.Path(__file__).resolve().parents[2])
for folder in (LABORATORY, str(pathlib.Path(LABORATORY).parent / "lib")):
    if folder not in sys.path:
        sys.path.append(folder)
