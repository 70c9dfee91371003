"""A heap as a game has it: what Python's collector must look through again and again."""

from __future__ import annotations

import random

__all__ = ["Thing", "build_heap"]

_NEAR = (1, -1, 300)  # places in the list: the one before, the one after, one farther off
_OBJECTS_EACH = 4


class Thing:
    """Something of a game's world: an object, two lists and a dict, with a name and numbers."""

    def __init__(self, number: int, dice: random.Random) -> None:
        """Begin with nothing near."""
        self.name = f"thing {number}"
        self.at = [dice.random(), dice.random()]
        self.near: list[Thing] = []
        self.stock: dict[str, object] = {"wood": dice.random(), "near": self.near}


def build_heap(objects: int) -> list[Thing]:
    """Build that many objects which the garbage collector watches, and return their roots.

    All of them are replaced once, in random order, as things come and go while a game is played:
    new ones take the memory of old ones. So the collector goes through them in another order than
    that of memory, and takes three times as long as for a heap that was just loaded.
    """
    dice = random.Random(1)  # noqa: S311 - the same heap every time
    things = [Thing(number, dice) for number in range(objects // _OBJECTS_EACH)]
    for place in dice.sample(range(len(things)), len(things)):
        things[place] = Thing(place, dice)
    for place, thing in enumerate(things):
        thing.near += [things[(place + offset) % len(things)] for offset in _NEAR]
    return things
