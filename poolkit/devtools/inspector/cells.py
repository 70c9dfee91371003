"""A bar of cells, one an instance or a few: filled while alive, hollow at rest, dots for room."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import pygame

from poolkit.devtools.inspector.palette import ACTIVE, BRIGHT, CELL, GROUND, LATE, ROOM

if TYPE_CHECKING:
    from poolkit.devtools.inspector.canvas import Canvas
    from poolkit.devtools.inspector.palette import Color
    from poolkit.devtools.inspector.readings import Reading

__all__ = ["Ruler", "draw_cells", "ruler"]

HEIGHT = 5  # pixels of a cell
_WIDEST = 8  # pixels from cell to cell
_NARROWEST = 2
_HOLLOW = 4  # pixels that a cell must be wide to be drawn hollow


class Ruler(NamedTuple):
    """How instances are measured out in cells."""

    instances: int  # a cell
    pitch: int  # pixels from cell to cell


@functools.lru_cache(maxsize=512)
def ruler(width: int, capacity: int, limit: int | None) -> Ruler:
    """Return how as many as there may be fit into `width` pixels.

    A limit that is far away is not shown: the cells would be too small to tell anything.
    """
    most = max(1, width // _NARROWEST)
    slots = max(1, capacity)
    if limit is not None and limit <= max(most, 2 * capacity):
        slots = max(slots, limit)
    instances = 1
    while slots > instances * most:
        instances *= 2
    pitch = min(_WIDEST, width // math.ceil(slots / instances))
    return Ruler(instances, max(_NARROWEST, pitch))


def draw_cells(canvas: Canvas, place: tuple[int, int, int], reading: Reading, lit: int) -> None:
    """Draw the cells of a pool.

    Args:
        canvas: What to draw on.
        place: ``(left, top, width)``.
        reading: The pool's figures.
        lit: How many of the active ones, the latest, are lit up now: they were made late.
    """
    left, top, width = place
    active, capacity, limit = reading.active, reading.active + reading.inactive, reading.limit
    instances, pitch = ruler(width, capacity, limit)
    most = width // pitch
    filled = min(most, math.ceil(active / instances))
    held = min(most, math.ceil(capacity / instances))
    room = min(most, math.ceil((limit or 0) / instances))
    bright = min(filled, math.ceil(lit / instances))
    spans = (
        (ACTIVE, 0, filled - bright),
        (LATE, filled - bright, filled),
        (CELL, filled, held),
        (ROOM, held, max(held, room)),
    )
    scale = canvas.scale
    for color, begin, end in spans:
        if end > begin:
            strip = _strip(color, pitch, most, scale)
            area = (0, 0, (end - begin) * pitch * scale, HEIGHT * scale)
            canvas.blit(strip, (left + begin * pitch, top), area)
    peak = min(most, math.ceil(reading.peak / instances))
    if peak > filled:
        canvas.fill(BRIGHT, (left + peak * pitch - 1, top - 1, 1, HEIGHT + 2))


@functools.lru_cache(maxsize=64)
def _strip(color: Color, pitch: int, count: int, scale: int) -> pygame.Surface:
    """Draw cells of one kind, side by side, from which as many as are needed are taken."""
    strip = pygame.Surface((pitch * count * scale, HEIGHT * scale), 0, 32)
    strip.fill(GROUND)
    width = pitch - 1
    for number in range(count):
        x = number * pitch * scale
        if color is ROOM:
            middle = (x + (width // 2) * scale, HEIGHT // 2 * scale, scale, scale)
            strip.fill(color, middle)
            continue
        strip.fill(color, (x, 0, width * scale, HEIGHT * scale))
        if color is CELL and width >= _HOLLOW:
            inner = (x + scale, scale, (width - 2) * scale, (HEIGHT - 2) * scale)
            strip.fill(GROUND, inner)
    return strip
