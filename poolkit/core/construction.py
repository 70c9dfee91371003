"""Lets an instance know that a pool, not the game, is calling its constructor."""

from __future__ import annotations

from typing import Any

__all__ = ["built_by_pool", "constructions"]

constructions: list[list[Any]] = []
"""A list for each factory call that is under way, of the parts that announced themselves."""


def built_by_pool(part: object) -> bool:
    """Announce a part from its constructor; tell whether a pool is building it.

    A part that a pool builds stays out of play until its first life begins.
    """
    if not constructions:
        return False
    constructions[-1].append(part)
    return True
