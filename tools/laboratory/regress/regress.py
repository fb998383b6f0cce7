"""The command tools/bench programs; what it does is in regresslib/."""

import sys

from regresslib.cli import main

if __name__ == "__main__":
    sys.exit(main())
