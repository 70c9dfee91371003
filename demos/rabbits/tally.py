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
        self.kept = 0  # what the file says
        self.file: Path | None = None  # none: nothing is kept, as when a bot plays

    def open_file(self, file: Path | None = None) -> None:
        """Read the best score. A file that is missing or damaged counts as 0."""
        try:
            self.file = file or Path(pygame.system.get_pref_path("poolkit", "rabbits")) / "best.txt"
        except pygame.error as error:  # there is no home, or one that nothing can be written to
            self.give_up(error)
            return
        with contextlib.suppress(OSError, ValueError):
            self.best = self.kept = max(0, int(self.file.read_text("utf-8")[:20]))

    def add(self, points: int) -> None:
        """Count points; a best score is kept at once, for nobody knows how the game will end."""
        self.score += points
        if self.score > self.best:
            is_first = self.best == self.kept
            self.best = self.score
            if is_first:
                self.keep()

    def keep(self) -> None:
        """Write the best score to the file, if it is better than what is there."""
        if self.file is None or self.best == self.kept:
            return
        self.kept = self.best
        new = self.file.with_suffix(".new")
        try:
            new.write_text(f"{self.best}\n", "utf-8")
            new.replace(self.file)  # whole: even after a crash, one of the two is there
        except OSError as error:
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Say, once, that scores last only as long as the program."""
        print(f"the best score can't be kept: {error}", file=sys.stderr)
        self.file = None


tally = Tally()
