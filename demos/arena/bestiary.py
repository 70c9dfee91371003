"""The four kinds of monsters."""

from __future__ import annotations

from arena.monster import Monster
from arena.movers import Flap, Hop, Stride, Waddle


class Orc(Monster):
    """Small, quick, and always in the way."""

    art = "orc"
    mass = 5
    hit_points = 45
    body_size = (30, 40)

    def __init__(self) -> None:
        """Build an orc."""
        super().__init__(Hop())


class Troll(Monster):
    """Long arms, long steps, and somebody to catch."""

    art = "troll"
    mass = 9
    hit_points = 60
    body_size = (36, 58)

    def __init__(self) -> None:
        """Build a troll."""
        super().__init__(Stride())


class Ogre(Monster):
    """Heavy: who is below when it comes down has had a bad day."""

    art = "ogre"
    mass = 22
    hit_points = 80
    body_size = (54, 70)

    def __init__(self) -> None:
        """Build an ogre."""
        super().__init__(Waddle())


class Dragon(Monster):
    """Flies, in a manner of speaking."""

    art = "dragon"
    mass = 12
    hit_points = 70
    body_size = (66, 64)

    def __init__(self) -> None:
        """Build a dragon."""
        super().__init__(Flap())
