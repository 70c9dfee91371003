"""What everybody in the game knows: how large it is, its dice, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    import numpy as np

SIZE = 1280, 720
AREA = pygame.Rect((0, 0), SIZE)
STEP = 1 / 60  # seconds: the game advances in equal steps
MOST_BULLETS = 50_000
FACTORS = 1, 10, 100  # of what a pattern shoots, one after the other by a key


@dataclass
class Stage:
    """How the game stands."""

    dice: np.random.Generator
    factor: int = 1  # of what each pattern shoots; above 1 the ship is a ghost, for show
    score: int = 0
    graze: int = 0
    lives: int = 3
    seconds: float = 0.0
    words: str = ""  # what is said in the middle of the screen
    words_until: float = 0.0  # seconds

    @property
    def is_show(self) -> bool:
        """Whether there are more bullets than anybody can dodge."""
        return self.factor > 1

    @property
    def is_over(self) -> bool:
        """Whether the last ship is lost."""
        return self.lives <= 0

    def say(self, words: str, seconds: float = 2.0) -> None:
        """Say something for some time."""
        self.words, self.words_until = words, self.seconds + seconds
