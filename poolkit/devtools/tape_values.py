"""Writes what events carry as JSON, each value with its type, and reads it again."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 50  # lists in lists: more of them, and Python can't read them again
_BITS = 14_000  # of an integer: Python reads no more digits
_BYTES: tuple[Any, ...] = (bytes, bytearray)
_CONTAINERS: tuple[Any, ...] = (
    *(list, dict, set, frozenset),
    *(pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color),
)


def _filled(kind: Any, items: Any) -> Any:
    return kind(decoded(items))


_READERS: dict[str, Callable[[Any], Any]] = {
    **{kind.__name__: kind.fromhex for kind in _BYTES},
    **{kind.__name__: partial(_filled, kind) for kind in _CONTAINERS},
    "keys": lambda keys: defaultdict(bool, dict.fromkeys(keys, True)),
}


def encoded(value: Any, deepest: int = _DEEPEST) -> Any:
    """Return a value for JSON: a tuple as an array, other containers as ``{"list": [...]}``.

    Raises:
        TypeError: It can't be written, or one that it contains can't; the message is its type.
    """
    kind = type(value)
    is_huge = isinstance(value, int) and value.bit_length() > _BITS
    if (value is None or isinstance(value, str | int | float)) and not is_huge:
        return value
    if kind in _BYTES:
        return {kind.__name__: value.hex()}
    if not deepest or (kind is not tuple and kind not in _CONTAINERS):
        raise TypeError(kind.__name__)
    values = value.items() if kind is dict else value
    items = [encoded(item, deepest - 1) for item in values]
    return items if kind is tuple else {kind.__name__: items}


def decoded(value: Any) -> Any:
    """Return what was encoded.

    Raises:
        ValueError, TypeError, LookupError: `encoded` makes no such value.
    """
    if isinstance(value, list):
        return tuple(map(decoded, value))
    if isinstance(value, dict):
        [(name, content)] = value.items()
        return _READERS[name](content)
    return value
