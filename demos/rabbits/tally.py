"""The score, the lives, and the best score so far, which is kept in a file of the player's."""

import contextlib
import sys
from pathlib import Path

import pygame

LIVES, MOST_LIVES = 3, 5


class Tally:
    """What is counted in a game, from its first level to its end."""

    def __init__(self) -> None:
        self.score, self.best, self.lives = 0, 0, LIVES
        self.file: Path | None = None  # none: nothing is kept, as when a bot plays

    def open_file(self, file: Path | None = None) -> None:
        """Read the best score. A file that is missing or damaged counts as 0."""
        self.file = file or Path(pygame.system.get_pref_path("poolkit", "rabbits")) / "best.txt"
        with contextlib.suppress(OSError, ValueError):
            self.best = max(0, int(self.file.read_text("utf-8")[:20]))

    def end(self) -> None:
        """Keep the score if it is the best."""
        if self.score <= self.best:
            return
        self.best = self.score
        if self.file is not None:
            try:
                new = self.file.with_suffix(".new")
                new.write_text(f"{self.best}\n", "utf-8")
                new.replace(self.file)  # whole: whatever happens meanwhile, one of the two is there
            except OSError as error:
                print(f"the best score can't be kept: {error}", file=sys.stderr)


tally = Tally()
