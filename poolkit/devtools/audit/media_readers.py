"""Reads pygame's values and numpy's arrays: pictures by their pixels, vectors by their numbers."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import pygame

from poolkit.devtools.audit.reading import Described, Reading, Surroundings, described

__all__ = ["is_array", "read_array", "read_media"]

_NUMBERS = (pygame.Rect, pygame.FRect, pygame.Vector2, pygame.Vector3, pygame.Color)


def read_media(value: Any, _: Surroundings) -> Reading | None:
    """Read a value of pygame's."""
    if isinstance(value, _NUMBERS):
        kind = type(value)
        return Reading(kind.__name__, tuple(value), _copy(value), is_mutable=True)
    if isinstance(value, pygame.Surface):
        return _read_surface(value)
    if isinstance(value, pygame.mask.Mask):
        bits = bytes(memoryview(value))  # type: ignore[arg-type]  # it has a buffer
        words = Described(f"<Mask {_size(value.get_size())}, {value.count()} set>")
        return Reading("Mask", (value.get_size(), bits), words, is_mutable=True)
    if isinstance(value, pygame.sprite.AbstractGroup):
        size = len(value.sprites())
        words = Described(f"<{type(value).__name__} of {size} sprites>")
        return Reading("group", size, words, is_mutable=True, is_container=True, size=size)
    return None


def is_array(value: object) -> bool:
    """Tell whether something is an array of numpy's, where numpy is in use."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, "ndarray", ()))


def read_array(value: Any, _: Surroundings) -> Reading | None:
    """Read a numpy array, or a number of numpy's, where numpy is in use."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, numpy.generic):
        return Reading("number", value.item(), described(value))
    if not is_array(value):
        return None
    kind = f"array of {value.dtype}"
    size = int(value.size)
    words = described(value)
    if value.dtype.hasobject:
        entries = [(f"[{place}]", entry) for place, entry in enumerate(value.ravel().tolist())]
        return Reading(kind, value.shape, words, tuple(entries), is_mutable=True, size=size)
    if value.dtype.kind in "fc":
        # Two NaNs may differ in bits that mean nothing, and -0.0 is 0.0.
        value = numpy.where(numpy.isnan(value), numpy.nan, value) + 0.0
    return Reading(
        kind,
        (value.shape, _digest(value.tobytes())),
        words,
        is_mutable=True,
        is_container=True,
        size=size,
    )


def _read_surface(surface: pygame.Surface) -> Reading:
    size = surface.get_size()
    try:
        pixels = _digest(pygame.image.tobytes(surface, "RGBA"))
        look = (size, pixels, surface.get_alpha(), surface.get_colorkey())
    except pygame.error:  # the screen of a display that was closed
        return Reading("Surface", (size,), Described("<Surface that is gone>"))
    words = Described(f"<Surface {_size(size)}, pixels {pixels[:6]}>")
    return Reading("Surface", look, words, is_mutable=True)


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _copy(value: Any) -> object:
    try:
        return value.copy()
    except AttributeError:  # colours have none
        return pygame.Color(value)
