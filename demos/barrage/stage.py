"""What all parts of the game share: its size, its dice and its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    import numpy as np

SIZE = 1280, 720
AREA = pygame.Rect((0, 0), SIZE)
MOST_BULLETS = 50_000
FACTORS = 1, 10, 100  # by which a key multiplies the bullets


@dataclass
class Stage:
    """How the game stands."""

    dice: np.random.Generator
    factor: int = 1  # of the bullets; above 1 the ship is a ghost
    score: int = 0
    graze: int = 0
    lives: int = 3
    seconds: float = 0.0
    words: str = ""  # in the middle of the screen
    words_until: float = 0.0  # seconds

    @property
    def is_show(self) -> bool:
        """Whether there are too many bullets to dodge."""
        return self.factor > 1

    @property
    def is_over(self) -> bool:
        """Whether the last ship is lost."""
        return self.lives <= 0

    def say(self, words: str, seconds: float = 2.0) -> None:
        """Show words for some seconds."""
        self.words, self.words_until = words, self.seconds + seconds
