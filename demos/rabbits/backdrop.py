"""The scenery: what is solid is a sprite, too, with a body that stays where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from poolkit.physics import RigidBody
from rabbits.art import picture
from rabbits.stage import (
    DINOSAUR,
    GROUND,
    PHONE,
    RABBIT,
    SCREEN,
    SOLID,
    THING,
    WIDTH,
    camera,
    collides,
    scenery,
    world,
)

if TYPE_CHECKING:
    import pygame

__all__ = ["HOLES", "PLACES", "Place", "Solid", "build", "draw_backdrop"]

HOLES = 90, 290, 510, 710  # pixels from the left


@dataclass(frozen=True)
class Place:
    """What makes the scenery of a level different from that of the others."""

    name: str  # of its pictures
    ledges: tuple[tuple[int, int], ...]  # the middle of the top of each


PLACES = {
    place.name: place
    for place in (
        Place("meadow", ((200, 166), (400, 128), (600, 166))),
        Place("garden", ((130, 160), (310, 120), (490, 120), (670, 160))),
        Place("hill", ((160, 160), (640, 160))),
    )
}


class Solid(PooledSprite):
    """Something that one can stand on."""

    def __init__(self, *boxes: tuple[int, int, int, int]) -> None:
        """Take what is solid of it: left, top, right and bottom, in pixels from its middle."""
        super().__init__()
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        shapes = []
        for left, top, right, bottom in boxes:
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
            shape = pymunk.Poly(body, corners)
            shape.friction = 0.9
            shape.elasticity = 0.7
            shape.filter = collides(SOLID, DINOSAUR, RABBIT, PHONE, THING)
            shapes.append(shape)
        self.add_component(RigidBody(world, body, *shapes))

    def spawned(self, image: pygame.Surface) -> None:
        """Look as the level does."""
        middle = self.rect.center
        self.image = image
        self.rect = image.get_frect(center=middle)


def make_ground() -> Solid:
    """Build the ground, and a wall at each end of the level."""
    side = WIDTH // 2
    return Solid(
        (-side - 100, -19, side + 100, 60),
        (-side - 100, -900, -side, 0),
        (side, -900, side + 100, 0),
    )


def make_ledge() -> Solid:
    """Build a piece of ground that hovers."""
    return Solid((-47, -8, 47, 0))


ground = Prefab(make_ground, name="ground", groups=[scenery], settings=PoolSettings(limit=1))
ledge = Prefab(make_ledge, name="ledge", groups=[scenery], settings=PoolSettings(limit=4))


class Hole(PooledSprite):
    """Where rabbits come from. There is nothing to do for it."""

    def __init__(self) -> None:
        """Take the picture."""
        super().__init__(picture("hole"))


hole = Prefab(Hole, name="hole", groups=[scenery], settings=PoolSettings(limit=len(HOLES)))


def build(place: Place) -> None:
    """Spawn all that stands in a place."""
    image = picture(f"{place.name}_ground")
    pools.spawn(ground, (WIDTH / 2, GROUND + 19), image=image)
    for x, y in place.ledges:
        pools.spawn(ledge, (x, y + 8), image=picture(f"{place.name}_ledge"))
    for x in HOLES:
        pools.spawn(hole, (x, GROUND + 1))


def draw_backdrop(surface: pygame.Surface, name: str) -> None:
    """Draw what is behind a place; the farther it is, the less it moves with the camera."""
    surface.blit(picture(f"{name}_sky"), (0, 0))
    scrolled = camera.left / (WIDTH - SCREEN[0])
    for part, bottom in (("far", GROUND - 8), ("near", GROUND + 22)):
        strip = picture(f"{name}_{part}")
        left = -scrolled * (strip.get_width() - SCREEN[0])
        surface.blit(strip, (left, bottom - strip.get_height() + camera.shift[1] / 2))
