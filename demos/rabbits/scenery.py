"""The scenery. What is solid is a sprite too, with a static body."""

from functools import partial

import pygame
import pymunk

from poolkit import PooledSprite, Prefab, pools
from rabbits.stage import GROUND, LENGTH, SOLID, WIDE, camera, embody, scenery
from shared.pictures import picture

HOLES = 90, 290, 510, 710  # pixels from the left: where rabbits come from
END, FAR = LENGTH // 2, LENGTH // 2 + 100


class Scenery(PooledSprite):
    """A part of a place, with a picture for each place."""

    def __init__(self, kind: str) -> None:
        super().__init__(picture(f"rabbits/meadow_{kind}"))
        self.kind = kind

    def spawned(self, place: str) -> None:
        """Take the picture of the place."""
        self.image = picture(f"rabbits/{place}_{self.kind}")


class Solid(Scenery):
    """Scenery to stand on."""

    def __init__(self, kind: str, *boxes: tuple[int, int, int, int]) -> None:
        """Build its solid boxes: left, top, right and bottom, in pixels from its middle."""
        super().__init__(kind)
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        shapes = [pymunk.Poly.create_box_bb(body, pymunk.BB(*box)) for box in boxes]
        embody(self, body, SOLID, *shapes, bounce=0.7)


walls = (-FAR, -900, -END, 0), (END, -900, FAR, 0)  # one at each end of the ground
make_ground = partial(Solid, "ground", (-FAR, -19, FAR, 60), *walls)
make_ledge, sample = partial(Solid, "ledge", (-47, -8, 47, 0)), {"place": "meadow"}
ground = Prefab(make_ground, name="ground", groups=[scenery], sample_data=sample)
ledge = Prefab(make_ledge, name="ledge", groups=[scenery], sample_data=sample)
hole = Prefab(partial(Scenery, "hole"), name="hole", groups=[scenery], sample_data=sample)


def build(place: str, ledges: tuple[tuple[int, int], ...] = ()) -> None:
    """Spawn all that stands in a place; a ledge is given by the middle of its top."""
    camera.left = (LENGTH - WIDE) / 2
    pools.spawn(ground, (LENGTH / 2, GROUND + 19), place=place)
    both = [(side, y + 8) for x, y in ledges for side in {x, LENGTH - x}]
    pools.spawn_many(ledge, both, place=place)
    pools.spawn_many(hole, [(x, GROUND + 1) for x in HOLES], place=place)


def draw_backdrop(surface: pygame.Surface, place: str) -> None:
    """Draw what is behind a place: the farther away, the less it moves with the camera."""
    surface.blit(picture(f"rabbits/{place}_sky"), (0, 0))
    for part, bottom in (("far", GROUND - 8), ("near", GROUND + 22)):
        strip = picture(f"rabbits/{place}_{part}")
        left = -camera.left / (LENGTH - WIDE) * (strip.get_width() - WIDE)
        surface.blit(strip, (left, bottom - strip.get_height() + camera.offset[1] / 2))
