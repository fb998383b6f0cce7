"""The command tools/scale replay; what it does is in simlib/."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "lib"))

from simlib.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
