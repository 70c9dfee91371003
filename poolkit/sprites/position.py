"""Where a sprite is: a pair of numbers that one can count with."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Final, NoReturn

import pygame

Pair = Sequence[float] | pygame.Vector2
"""Two numbers, in pixels: what may be assigned to a position."""

BOTH = slice(None)
"""What a position is asked for as a plain tuple, which pygame takes in a fifth of the time."""


class Position(tuple[float, float]):
    """A position in pixels, equal to the pair ``(x, y)``; sums and multiples are positions again.

    A tuple, which pymunk takes as well, where it takes no vector of pygame's.
    """

    __slots__ = ()

    # In C: half the time of properties written in Python.
    x: Final[float] = property(itemgetter(0))  # type: ignore[assignment]
    """Pixels from the left."""
    y: Final[float] = property(itemgetter(1))  # type: ignore[assignment]
    """Pixels from the top."""

    def __add__(self, other: Pair) -> Position:  # type: ignore[override]  # not longer, but further
        return Position((self[0] + other[0], self[1] + other[1]))

    __radd__ = __add__

    def __sub__(self, other: Pair) -> Position:
        return Position((self[0] - other[0], self[1] - other[1]))

    def __rsub__(self, other: Pair) -> Position:
        return Position((other[0] - self[0], other[1] - self[1]))

    def __mul__(self, factor: float) -> Position:  # type: ignore[override]
        if hasattr(factor, "__len__"):
            return NotImplemented
        return Position((self[0] * factor, self[1] * factor))

    __rmul__ = __mul__  # type: ignore[assignment]

    def __truediv__(self, divisor: float) -> Position:
        return Position((self[0] / divisor, self[1] / divisor))

    def __neg__(self) -> Position:
        return Position((-self[0], -self[1]))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: it is a copy of where the sprite was."""
        message = f"a position has no {name} to be set: move a sprite by position += (dx, dy)"
        raise AttributeError(message)

    def __repr__(self) -> str:
        """Return ``Position(3, 4)``."""
        return f"Position({self[0]!r}, {self[1]!r})"
