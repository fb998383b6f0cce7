"""tools/bench schedulers: the tables of the papers. The list of schedulers is read by tools/lib, which all tools share."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "lib"))
