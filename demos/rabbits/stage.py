"""What everything is built into: the physics, the groups that are drawn, and the camera."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit import PooledGroup
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from poolkit import PooledSprite

__all__ = [
    "DINOSAUR",
    "GROUND",
    "PHONE",
    "RABBIT",
    "SCREEN",
    "SOLID",
    "STEP",
    "THING",
    "WIDTH",
    "Camera",
    "camera",
    "collides",
    "dinosaurs",
    "effects",
    "phones",
    "powerups",
    "rabbits",
    "scenery",
    "towards",
    "world",
]

SCREEN = 480, 270  # pixels of the picture, each of which the window shows as a square
WIDTH = 800  # pixels from one end of a level to the other
GROUND = 226  # where one stands
STEP = 1 / 60  # seconds

# The bodies of all sprites, in fixed steps; sprites are shown between two of them, so that they
# move evenly however often a second the screen is drawn.
world = PhysicsWorld(gravity=(0, 640), timestep=STEP, interpolate=True)

# In the order in which they are drawn.
scenery: PooledGroup[Any] = PooledGroup()
powerups: PooledGroup[Any] = PooledGroup()
rabbits: PooledGroup[Any] = PooledGroup()
dinosaurs: PooledGroup[Any] = PooledGroup()
phones: PooledGroup[Any] = PooledGroup()
effects: PooledGroup[Any] = PooledGroup()

# Who bumps into whom is said in two sets: what a shape is, and what it collides with.
SOLID, DINOSAUR, RABBIT, PHONE, THING = (1 << number for number in range(5))


def collides(category: int, *others: int) -> pymunk.ShapeFilter:
    """Return the filter of a shape of one category that meets those of others."""
    return pymunk.ShapeFilter(categories=category, mask=sum(others))


def towards(sprite: PooledSprite) -> int:
    """Return on which side of a sprite the dinosaur is: 1 (right) or -1 (left)."""
    for dinosaur in dinosaurs:
        return 1 if dinosaur.position.x > sprite.position.x else -1
    return random.choice((1, -1))


class Camera:
    """Looks at a part of the level, and trembles when something heavy happens."""

    def __init__(self) -> None:
        """Look at the left end."""
        self.left = 0.0
        self.trembling = 0.0  # pixels
        self.shift = 0, 0

    def update(self, dt: float, sprite: PooledSprite, ahead: float) -> None:
        """Glide to where `sprite` is in the middle, with a view `ahead` (pixels to the right)."""
        wanted = sprite.position.x + ahead - SCREEN[0] / 2
        wanted = max(0.0, min(wanted, WIDTH - SCREEN[0]))
        self.left += (wanted - self.left) * min(1.0, 5 * dt)
        self.trembling *= max(0.0, 1 - 7 * dt)
        reach = self.trembling if self.trembling > 0.5 else 0.0
        self.shift = round(random.uniform(-reach, reach)), round(random.uniform(-reach, reach))

    def shake(self, pixels: float) -> None:
        """Tremble by so many pixels, unless it does so more already."""
        self.trembling = max(self.trembling, pixels)

    @property
    def offset(self) -> tuple[int, int]:
        """What is added to a place in the level to draw it: what `PooledGroup.draw` takes."""
        return self.shift[0] - round(self.left), self.shift[1]


camera = Camera()
