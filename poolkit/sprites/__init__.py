"""Sprites and groups for pygame-ce that live in pools. Knows no pymunk."""

from poolkit.sprites import records as _records  # registers the records of sprites
from poolkit.sprites.group import PooledGroup
from poolkit.sprites.rotation import rotation_cache
from poolkit.sprites.sprite import PooledSprite

del _records

__all__ = ["PooledGroup", "PooledSprite", "rotation_cache"]
