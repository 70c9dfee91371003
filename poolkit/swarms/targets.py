"""Which rows a point, a rect, a circle or a sprite hits, and which are outside of an area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pygame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.swarms.columns import Array
    from poolkit.swarms.rows import Rows


_FAR = 1e30  # pixels
_EDGE = np.zeros((), np.float32)  # scratch: ufuncs take arrays faster than numbers


class Box(NamedTuple):
    """A target or an area, and the ufuncs that compare rows with its edges."""

    left: float
    right: float
    top: float
    bottom: float
    lower: Any = np.greater
    upper: Any = np.less
    circle: tuple[float, float, float] | None = None  # its center and radius, if it is one


class Extents:
    """How far the images of a swarm reach from a row's position, by `frame`."""

    def __init__(self, sizes: Sequence[tuple[int, int]]) -> None:
        self.halves = np.array(sizes, np.float32).T / 2  # of widths, of heights
        self.largest = tuple(map(float, self.halves.max(axis=1)))
        self.least = tuple(map(float, self.halves.min(axis=1)))
        self.is_uniform = self.largest == self.least

    def hit(self, rows: Rows, box: Box, *, are_some_over: bool) -> Array:
        """Return the living rows whose images a box hits."""
        inside = self.overlap(rows, box)
        if are_some_over:
            inside &= rows.window(rows.alive)
        found: Array = inside.nonzero()[0]
        if box.circle is not None or not self.is_uniform or 0.0 in self.largest:
            found = found[self._exact(rows, box, found)]
        return found

    def inside(self, rows: Rows, box: Box) -> Array:
        """Return a mask of the rows whose images aren't completely outside of a box: scratch."""
        inside = self.overlap(rows, box)
        if not self.is_uniform:
            maybe = inside.nonzero()[0]
            inside[maybe[~self._exact(rows, box, maybe, are_empty_hit=True)]] = False
        return inside

    def overlap(self, rows: Rows, box: Box) -> Array:
        """Return a mask of the rows that overlap a box if all have the largest image: scratch."""
        x, y, inside, other = rows.windows()
        left, right, top, bottom, lower, upper, _ = box
        width, height = self.largest
        edge = _EDGE
        edge[()] = left - width
        lower(x, edge, inside)
        edge[()] = right + width
        upper(x, edge, other)
        np.bitwise_and(inside, other, inside)
        edge[()] = top - height
        lower(y, edge, other)
        np.bitwise_and(inside, other, inside)
        edge[()] = bottom + height
        upper(y, edge, other)
        np.bitwise_and(inside, other, inside)
        return inside

    def _exact(self, rows: Rows, box: Box, found: Array, *, are_empty_hit: bool = False) -> Array:
        """Return which of some rows a box hits, by the size of each row's own image."""
        x, y = (rows.window(line)[found] for line in rows.lines["position"])
        frames = rows.window(*rows.lines["frame"])[found] if self.halves.shape[1] > 1 else 0
        width, height = (half.take(frames, mode="clip") for half in self.halves)
        if box.circle is not None:
            center_x, center_y, radius = box.circle
            dx = np.maximum(abs(x.astype(float) - center_x) - width, 0)
            dy = np.maximum(abs(y.astype(float) - center_y) - height, 0)
            near: Array = dx * dx + dy * dy <= radius * radius
            return near
        hit: Array = box.lower(x + width, box.left) & box.upper(x - width, box.right)
        hit &= box.lower(y + height, box.top) & box.upper(y - height, box.bottom)
        return hit if are_empty_hit else hit & (width > 0) & (height > 0)


def box_of(target: Any) -> Box | None:
    """Return the box of a point, a rect, a circle or a sprite; `None` if nothing can be hit by it.

    Raises:
        TypeError: It isn't any of these.
        ValueError: A point or circle isn't finite, or a radius is negative.
    """
    rect = getattr(target, "rect", target)
    if rect is None and target is not None:  # a sprite that is nowhere yet
        return None
    if not isinstance(rect, pygame.Rect | pygame.FRect):
        box = _point_or_circle(rect)
        if box is not None:
            return box
        try:
            rect = pygame.FRect(rect)
        except TypeError:
            message = (
                "hits() takes a point (x, y), a rect, a circle ((x, y), radius), a sprite or a "
                f"group, not {target!r}"
            )
            raise TypeError(message) from None
    left, top, width, height = rect
    if not width or not height:  # as for `Rect.colliderect`
        return None
    right, bottom = left + width, top + height
    return Box(min(left, right), max(left, right), min(top, bottom), max(top, bottom))


def _point_or_circle(target: Any) -> Box | None:
    try:
        center, radius = target
        if hasattr(center, "__len__"):
            (x, y), radius = map(float, center), float(radius)
            reach = x - radius, x + radius, y - radius, y + radius
            box = Box(*reach, np.greater_equal, np.less_equal, (x, y, radius))
        else:
            x, y = float(center), float(radius)
            box = Box(x, x, y, y, np.greater, np.less_equal)
    except (TypeError, ValueError):
        return None
    if not all(-_FAR < edge < _FAR for edge in box[:4]) or box.right < box.left:
        message = f"a point or circle must be finite, and a radius 0 or more, not {target!r}"
        raise ValueError(message)
    return box
