"""Finds the rows that a point, a rect, a circle or a sprite hits, or that are inside of an area."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pygame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.swarms.columns import Array
    from poolkit.swarms.rows import Rows


_FAR = 1e30  # pixels
_EDGE = np.zeros((), np.float32)  # scratch: ufuncs take arrays faster than numbers
# In microseconds, of which only the ratios matter: of looking for the hits of one sprite, and for
# each row then; of a sweep, for each row that it sorts, and for each candidate that it compares.
_QUERY, _QUERY_ROW, _SWEEP, _SORTED_ROW, _CANDIDATE = 4.4, 0.0005, 60.0, 0.035, 0.012

_rect_of = attrgetter("rect")


class Box(NamedTuple):
    """A target or an area, and the ufuncs that compare rows with its edges."""

    left: Any  # a number; in a sweep, an array of them
    right: Any
    top: Any
    bottom: Any
    lower: Any = np.greater
    upper: Any = np.less
    circle: tuple[float, float, float] | None = None  # its center and radius, if it is one


class Extents:
    """How far the images of a swarm reach from a row's position, by `frame`."""

    def __init__(self, sizes: Sequence[tuple[int, int]]) -> None:
        self.halves: Array = np.array(sizes, np.float32).T / 2  # of widths, of heights
        self.largest: tuple[float, ...] = tuple(map(float, self.halves.max(axis=1)))
        self.least: tuple[float, ...] = tuple(map(float, self.halves.min(axis=1)))
        self.is_uniform: bool = self.largest == self.least
        self._is_simple = self.is_uniform and 0.0 not in self.largest
        self._margins = np.array([self.largest]).T

    def hit(self, rows: Rows, box: Box, *, has_ended: bool) -> Array:
        """Return the rows whose images a box hits; without those that `has_ended`, if some have."""
        candidates: Array = self.overlap(rows, box).nonzero()[0]
        if has_ended or box.circle is not None or not self._is_simple:
            candidates = candidates[self._are_hit(rows, box, candidates)]
        return candidates

    def sweep(
        self, rows: Rows, sprites: Sequence[Any], *, has_ended: bool
    ) -> tuple[Array, Array] | None:
        """Return the rows that sprites hit, and which of the sprites, in the order of these.

        The rows are sorted along an axis once. So those that a sprite may hit are next to each
        other, and all such candidates are compared at once. Returns `None` if it is faster to look
        for the hits of each sprite, or if one has no rect.
        """
        count = rows.count
        cost_of_queries = len(sprites) * (_QUERY + count * _QUERY_ROW)
        cost = _SWEEP + count * _SORTED_ROW
        if not (count and cost < cost_of_queries and (sides := _sides_of(sprites)) is not None):
            return None
        low = (sides[:2] - self._margins).astype(np.float32)
        high = (sides[2:] + self._margins).astype(np.float32)
        lines = rows.windows()[:2]
        # Along the axis with fewer candidates; how many these are if all are evenly spread.
        spreads = [max(1.0, float(line.max()) - float(line.min())) for line in lines]
        nums_candidates = (high - low).sum(axis=1) * count / spreads
        axis = int(nums_candidates.argmin())
        if not cost + nums_candidates[axis] * _CANDIDATE < cost_of_queries:
            return None
        order = lines[axis].argsort()
        line, other_line = lines[axis][order], lines[1 - axis][order]
        starts = line.searchsorted(low[axis], "right")
        nums = np.maximum(line.searchsorted(high[axis], "left") - starts, 0)
        ends = nums.cumsum()
        if not ends[-1] * _CANDIDATE < cost_of_queries:  # they weren't evenly spread
            return None
        candidates = np.arange(ends[-1])
        candidates += (starts - ends + nums).repeat(nums)
        others = other_line.take(candidates)
        inside = others > low[1 - axis].repeat(nums)
        inside &= others < high[1 - axis].repeat(nums)
        hits = inside.nonzero()[0]
        columns, found = ends.searchsorted(hits, "right"), order[candidates[hits]]
        keys = columns * count + found  # which sort by sprite, then by row
        if has_ended or not self._is_simple:
            left, top, right, bottom = sides.astype(np.float32)[:, columns]
            keys = keys[self._are_hit(rows, Box(left, right, top, bottom), found)]
        keys.sort()
        columns, found = np.divmod(keys, count)
        return found, columns

    def inside(self, rows: Rows, box: Box) -> Array:
        """Return a mask of the rows whose images aren't completely outside of a box: scratch."""
        inside = self.overlap(rows, box)
        if not self.is_uniform:
            maybe = inside.nonzero()[0]
            inside[maybe[~self._overlap_exactly(rows, box, maybe)]] = False
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

    def _are_hit(self, rows: Rows, box: Box, candidates: Array) -> Array:
        """Return a mask of the candidates that live and whose images a box hits."""
        mask: Array = rows.window(rows.alive)[candidates]
        if box.circle is not None or not self._is_simple:
            mask &= self._overlap_exactly(rows, box, candidates)
            if box.circle is None:  # as for `Rect.colliderect`
                mask &= (
                    (self.halves > 0).all(axis=0).take(self._frames(rows, candidates), mode="clip")
                )
        return mask

    def _frames(self, rows: Rows, candidates: Array) -> Any:
        return rows.window(*rows.lines["frame"])[candidates] if self.halves.shape[1] > 1 else 0

    def _overlap_exactly(self, rows: Rows, box: Box, candidates: Array) -> Array:
        """Return which candidates overlap a box, by the size of each row's own image."""
        x, y = (line[candidates] for line in rows.windows()[:2])
        frames = self._frames(rows, candidates)
        width, height = (half.take(frames, mode="clip") for half in self.halves)
        if box.circle is not None:
            center_x, center_y, radius = box.circle
            dx = np.maximum(abs(x.astype(float) - center_x) - width, 0)
            dy = np.maximum(abs(y.astype(float) - center_y) - height, 0)
            near: Array = dx * dx + dy * dy <= radius * radius
            return near
        mask: Array = box.lower(x + width, box.left) & box.upper(x - width, box.right)
        mask &= box.lower(y + height, box.top) & box.upper(y - height, box.bottom)
        return mask


def _sides_of(sprites: Sequence[Any]) -> Array | None:
    """Return the left, top, right and bottom of sprites; `None` if one has no rect.

    All four of an empty rect are as far: as for `Rect.colliderect`, it hits nothing.
    """
    try:
        rects = [*map(_rect_of, sprites)]
    except AttributeError:
        return None
    if not all(issubclass(cls, pygame.Rect | pygame.FRect) for cls in {*map(type, rects)}):
        return None
    sides = np.fromiter(chain.from_iterable(rects), float, 4 * len(rects)).reshape(-1, 4).T.copy()
    corners, sizes = sides[:2], sides[2:]
    if sizes.min() > 0:
        sizes += corners
        return sides
    is_empty, ends = ~sizes.all(axis=0), corners + sizes
    sides = np.concatenate([np.fmin(corners, ends), np.fmax(corners, ends)])
    sides[:, is_empty] = _FAR
    return sides


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
