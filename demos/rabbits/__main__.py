"""Mutant rabbits come out of the ground; a dinosaur throws phones at them."""

import sys
from pathlib import Path

if not __package__:  # run as a folder or a file: the package lies one folder up
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rabbits.game import main

sys.exit(main())
