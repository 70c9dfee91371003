"""Sprites and groups for pygame-ce that live in pools. Knows no pymunk."""

from poolkit.sprites import data as _data  # registers the records of sprites
from poolkit.sprites.group import PooledGroup
from poolkit.sprites.sprite import PooledSprite

del _data

__all__ = ["PooledGroup", "PooledSprite"]
