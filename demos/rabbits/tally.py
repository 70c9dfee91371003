"""The score, the lives, and the best score so far, which is kept in a file of the player's."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pygame

LIVES, MOST_LIVES = 3, 5


class Tally:
    """What is counted in a game, from its first level to its end."""

    def __init__(self) -> None:
        """Begin with nothing, and nothing to beat."""
        self.score = self.best = 0
        self.lives = LIVES
        self.file: Path | None = None

    def begin(self) -> None:
        """Begin another game."""
        self.score, self.lives = 0, LIVES

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
        if self.score <= self.best:
            return ""
        self.best = self.score
        if self.file is not None:
            new = self.file.with_suffix(".new")
            try:
                new.write_text(f"{self.best}\n", "utf-8")
                os.replace(new, self.file)  # noqa: PTH105 - `Path.replace` says it less clearly
            except OSError as error:
                return f"the best score can't be kept: {error}"
        return ""


tally = Tally()
