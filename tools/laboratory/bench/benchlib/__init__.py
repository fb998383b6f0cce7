"""tools/bench. Its harness is the one of all that compares."""

import pathlib
import sys

LABORATORY = str(pathlib.Path(__file__).resolve().parents[2])
if LABORATORY not in sys.path:
    sys.path.append(LABORATORY)
