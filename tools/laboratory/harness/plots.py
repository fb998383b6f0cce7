"""Pictures of all commands: matplotlib, which may be in the tree's own environment only."""

import importlib.util
import sys

from .machine import ROOT


def pyplot():
    """matplotlib's pyplot, for files; None, and a line that says so, where it is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        sys.path += map(str, (ROOT / ".venv").glob("lib/python*/site-packages"))
    if importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib, so no picture: .venv/bin/pip install matplotlib", file=sys.stderr)
        return None
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as found
    return found
