"""Measures chomp beside others, in turn: constructs (benchlib), `programs` (../regress), `callers` and `crowd`."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    what, words = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] else ("", [])
    sys.path[:0] = [str(HERE.parent / "regress"), str(HERE)]
    if what == "programs":
        from regresslib import cli
        return cli.main(words)
    from benchlib import callers, cli, crowd
    return callers.main(words) if what == "callers" else crowd.main(words) if what == "crowd" else cli.main()


if __name__ == "__main__":
    sys.exit(main())
