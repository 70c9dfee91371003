"""The scenery. What is solid is a sprite, too, with a body that stays where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import picture
from rabbits.stage import GROUND, LENGTH, SOLID, WIDE, camera, embody, scenery

if TYPE_CHECKING:
    import pygame

HOLES = 90, 290, 510, 710  # pixels from the left: where rabbits come from


class Solid(PooledSprite):
    """Something that one can stand on."""

    def __init__(self, *boxes: tuple[int, int, int, int]) -> None:
        """Take what is solid of it: left, top, right and bottom, in pixels from its middle."""
        super().__init__()
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        shapes = [
            pymunk.Poly(body, [(left, top), (right, top), (right, bottom), (left, bottom)])
            for left, top, right, bottom in boxes
        ]
        embody(self, SOLID, *shapes, bounce=0.7)

    def spawned(self, image: pygame.Surface) -> None:
        """Look as the level does."""
        middle = self.rect.center
        self.image = image
        self.rect = image.get_frect(center=middle)


def make_ground() -> Solid:
    """Build the ground, and a wall at each end of the level."""
    end, far = LENGTH // 2, LENGTH // 2 + 100
    return Solid((-far, -19, far, 60), (-far, -900, -end, 0), (end, -900, far, 0))


def make_ledge() -> Solid:
    """Build a piece of ground that hovers."""
    return Solid((-47, -8, 47, 0))


def make_hole() -> PooledSprite:
    """Build a hole in the ground. There is nothing to do for it: it needs no class."""
    return PooledSprite(picture("hole"))


ground = Prefab(make_ground, name="ground", groups=[scenery], settings=PoolSettings(limit=1))
ledge = Prefab(make_ledge, name="ledge", groups=[scenery], settings=PoolSettings(limit=4))
hole = Prefab(make_hole, name="hole", groups=[scenery], settings=PoolSettings(limit=4))


def build(place: str, ledges: tuple[tuple[int, int], ...] = ()) -> None:
    """Spawn all that stands in a place; of ledges the middle of the top is given."""
    pools.spawn(ground, (LENGTH / 2, GROUND + 19), image=picture(f"{place}_ground"))
    for x, y in ledges:
        pools.spawn(ledge, (x, y + 8), image=picture(f"{place}_ledge"))
    pools.spawn_many(hole, [(x, GROUND + 1) for x in HOLES])


def draw_backdrop(surface: pygame.Surface, place: str) -> None:
    """Draw what is behind a place; the farther it is, the less it moves with the camera."""
    surface.blit(picture(f"{place}_sky"), (0, 0))
    for part, bottom in (("far", GROUND - 8), ("near", GROUND + 22)):
        strip = picture(f"{place}_{part}")
        left = -camera.left / (LENGTH - WIDE) * (strip.get_width() - WIDE)
        surface.blit(strip, (left, bottom - strip.get_height() + camera.shift[1] / 2))
