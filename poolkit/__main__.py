"""What ``python -m poolkit`` does: see ``python -m poolkit --help``."""

import sys

from poolkit.devtools.shell import main

if __name__ == "__main__":
    sys.exit(main())
