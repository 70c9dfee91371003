"""Where a sprite is, as an immutable vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, degrees, dist, hypot, inf, isfinite
from operator import itemgetter
from typing import Final, NoReturn, overload

from pygame import Vector2

from poolkit.core.saving import never_saved

Pair = Sequence[float] | Vector2
"""Two numbers, in pixels, as you may assign them to a position."""

# As a plain tuple, which pygame reads faster. `position[:]` would make a slice each time.
_plain: Callable[[Position], tuple[float, float]] = itemgetter(slice(None))


def checked_circle(point: Pair, radius: float, most: float = inf) -> tuple[float, float]:
    """Return the point that `near` was given.

    Raises:
        TypeError: It isn't two numbers, or the radius isn't one.
        ValueError: `point` isn't finite, or `radius` isn't from 0 to `most`.
    """
    try:
        x, y = point
        is_good = isfinite(x + y) and 0 <= radius <= most
    except (TypeError, ValueError, OverflowError) as error:
        message = f"near takes a point (x, y) and a radius, not {point!r} and {radius!r}"
        raise TypeError(message) from error
    if not is_good:
        message = f"near takes finite numbers and no negative radius, not {point!r}, {radius!r}"
        raise ValueError(message)
    return x, y


@never_saved
class Position(tuple[float, float]):
    """A position in pixels, equal to the pair ``(x, y)``. Sums and multiples are positions, too.

    With a `pygame.Vector2`, sums and differences are vectors. Its methods have the names of that
    class. It is a tuple, so pymunk takes it as well.
    """

    __slots__ = ()

    # In C: half the time of properties written in Python.
    x: Final[float] = property(itemgetter(0))  # type: ignore[assignment]
    """Pixels from the left."""
    y: Final[float] = property(itemgetter(1))  # type: ignore[assignment]
    """Pixels from the top."""

    @overload  # type: ignore[override]  # not longer, but further
    def __add__(self, other: Vector2) -> Vector2: ...
    @overload
    def __add__(self, other: Sequence[float]) -> Position: ...
    def __add__(self, other: Pair) -> Position | Vector2:
        if isinstance(other, Vector2):
            return other + _plain(self)
        return Position((self[0] + other[0], self[1] + other[1]))

    __radd__ = __add__

    @overload
    def __sub__(self, other: Vector2) -> Vector2: ...
    @overload
    def __sub__(self, other: Sequence[float]) -> Position: ...
    def __sub__(self, other: Pair) -> Position | Vector2:
        if isinstance(other, Vector2):
            return _plain(self) - other
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

    def length(self) -> float:
        """Return how far it is from ``(0, 0)``."""
        return hypot(self[0], self[1])

    def distance_to(self, other: Pair) -> float:
        """Return how far it is from another position."""
        return dist(self, other)

    def angle_to(self, other: Pair) -> float:
        """Return the angle in degrees between it and another position, seen from ``(0, 0)``.

        To turn one sprite towards another, use `PooledSprite.look_at`.
        """
        return degrees(atan2(other[1], other[0]) - atan2(self[1], self[0]))

    def move_towards(self, target: Pair, max_distance: float) -> Position:
        """Return the position that is so much nearer to the target, at most the target itself."""
        dx, dy = target[0] - self[0], target[1] - self[1]
        distance = hypot(dx, dy)
        if distance <= max_distance or not distance:
            return Position((target[0], target[1]))
        share = max_distance / distance
        return Position((self[0] + dx * share, self[1] + dy * share))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: it wouldn't move the sprite."""
        message = f"a position has no {name} to be set: move a sprite by position += (dx, dy)"
        raise AttributeError(message)

    def __repr__(self) -> str:
        """Return ``Position(3, 4)``."""
        return f"Position({self[0]!r}, {self[1]!r})"
