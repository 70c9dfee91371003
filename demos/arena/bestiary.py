"""The four kinds of monsters."""

from arena.monster import Monster
from arena.movers import Flap, Hop, Stride, Waddle


class Orc(Monster):
    """Small, quick, and always in the way."""

    art, moves, mass, hit_points, body_size = "orc", Hop, 5, 45, (30, 40)


class Troll(Monster):
    """Long arms, long steps, and somebody to catch."""

    art, moves, mass, hit_points, body_size = "troll", Stride, 9, 60, (36, 58)


class Ogre(Monster):
    """Heavy: who is below when it comes down has had a bad day."""

    art, moves, mass, hit_points, body_size = "ogre", Waddle, 22, 80, (54, 70)


class Dragon(Monster):
    """Flies, in a manner of speaking."""

    art, moves, mass, hit_points, body_size = "dragon", Flap, 12, 70, (66, 64)
