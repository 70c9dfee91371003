"""Sprites and groups for pygame-ce that live in pools. Knows no pymunk."""

from poolkit.sprites import records as _records  # registers the records of sprites
from poolkit.sprites.animation import Animation
from poolkit.sprites.group import PooledGroup
from poolkit.sprites.rotation import rotation_cache
from poolkit.sprites.sprite import PooledSprite
from poolkit.sprites.text import TextSprite

del _records

__all__ = ["Animation", "PooledGroup", "PooledSprite", "TextSprite", "rotation_cache"]
