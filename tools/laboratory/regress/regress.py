"""The command tools/regress; what it does is in regresslib/."""

import sys

from regresslib.cli import main

if __name__ == "__main__":
    sys.exit(main())
