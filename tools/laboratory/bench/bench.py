"""Measures chomp beside others, in turn: constructs (benchlib), `programs` (../regress), `callers`, `crowd`, `inlined` and `start`."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    what, words = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] else ("", [])
    sys.path[:0] = [str(HERE.parent / "regress"), str(HERE)]
    if what == "programs":
        from regresslib import cli
        return cli.main(words)
    from benchlib import callers, cli, constructs, crowd, inlined, start
    others = {"callers": callers.main, "constructs": constructs.main, "crowd": crowd.main, "inlined": inlined.main, "start": start.main}
    return others[what](words) if what in others else cli.main()


if __name__ == "__main__":
    sys.exit(main())
