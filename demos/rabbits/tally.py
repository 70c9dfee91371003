"""The score, the lives, and the best score so far, which is kept in a file of the player's."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pygame

__all__ = ["LIVES", "Tally", "tally"]

LIVES = 3
MOST_LIVES = 5


class Tally:
    """What is counted in a game, from its first level to its end."""

    def __init__(self) -> None:
        """Begin with nothing, and nothing to beat."""
        self.score = 0
        self.lives = LIVES
        self.best = 0
        self.file: Path | None = None

    def begin(self) -> None:
        """Begin another game."""
        self.score = 0
        self.lives = LIVES

    def gain_life(self) -> None:
        """Have a life more, up to as many as there is room for."""
        self.lives = min(self.lives + 1, MOST_LIVES)

    @property
    def is_record(self) -> bool:
        """Whether this is the best game so far."""
        return self.score > self.best

    def open_file(self, file: Path | None = None) -> None:
        """Read the best score. A file that is missing or damaged counts as 0."""
        self.file = file or Path(pygame.system.get_pref_path("poolkit", "rabbits")) / "best.txt"
        with contextlib.suppress(OSError, ValueError):
            self.best = max(0, int(self.file.read_text("utf-8")[:20]))

    def end(self) -> str:
        """Keep the score if it is the best; return what is wrong, in a line, or nothing.

        The file is written beside the old one, and takes its place whole: whatever happens
        meanwhile, one of the two is there.
        """
        if not self.is_record:
            return ""
        self.best = self.score
        if self.file is None:
            return ""
        new = self.file.with_suffix(".new")
        try:
            new.write_text(f"{self.best}\n", "utf-8")
            os.replace(new, self.file)  # noqa: PTH105 - the word that means atomically
        except OSError as error:
            return f"the best score can't be kept: {error}"
        return ""


tally = Tally()
