"""What everything is built into: the physics, the groups that are drawn, and the camera."""

import random
from typing import Any

import pymunk

from poolkit import PooledGroup, PooledSprite
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from rabbits.kept import kept

WIDE, HIGH = 480, 270  # pixels of the canvas, which the window enlarges
LENGTH = 800  # pixels from one end of a level to the other
GROUND = 226  # where one stands
STEP = 1 / 60  # seconds
MARGIN = 180  # pixels that the hero may be off the middle for a boss to stay in view

# Bodies move in fixed steps. Sprites are shown between two steps, so they move evenly at any frame
# rate.
world = PhysicsWorld(gravity=(0, 640), timestep=STEP, interpolate=True)

GROUPS = [PooledGroup[Any]() for _ in range(7)]  # in the order in which they are drawn
scenery, powerups, enemies, dinosaurs, phones, effects, words = GROUPS

# What a shape is, and what it collides with.
SOLID, DINOSAUR, ENEMY, PHONE, BUBBLE = (1 << number for number in range(5))
MEETS = {
    SOLID: DINOSAUR | ENEMY | PHONE | BUBBLE,
    DINOSAUR: SOLID | BUBBLE,
    ENEMY: SOLID | PHONE,
    PHONE: SOLID | ENEMY,
    BUBBLE: SOLID | DINOSAUR,
}


def embody(
    sprite: PooledSprite, body: pymunk.Body, what: int, *shapes: pymunk.Shape, bounce: float = 0.0
) -> None:
    """Give a sprite a body with shapes, which are in the space while the sprite is alive."""
    for shape in shapes:
        shape.friction = 0.9
        shape.elasticity = bounce
        shape.filter = pymunk.ShapeFilter(categories=what, mask=MEETS[what])
    sprite.add_component(RigidBody(world, body, *shapes))
    # It comes to rest at the end of a life, so each life begins like the first.
    sprite.add_component(ResetPooledBodyComponent())


def lob(start: tuple[float, float], end: tuple[float, float], speed: float) -> pymunk.Vec2d:
    """Return the velocity of a throw from one place that passes through another."""
    way = pymunk.Vec2d(*end) - start
    seconds = max(way.length, 40) / speed
    return way / seconds - world.space.gravity * seconds / 2


class Camera:
    """Looks at a part of the level, and shakes when something heavy happens."""

    def __init__(self) -> None:
        self.left = self.trembling = 0.0  # pixels
        self.held = 0.0  # seconds
        self.offset = 0, 0  # what `PooledGroup.draw` adds to places in the level

    def update(self, dt: float, x: float, other: float | None = None) -> None:
        """Glide to where `x` is in the middle, or off it so that `other` is in view."""
        if other is not None:
            x += max(-MARGIN, min((other - x) / 2, MARGIN))
        self.left += (max(0.0, min(x - WIDE / 2, LENGTH - WIDE)) - self.left) * min(1.0, 5 * dt)
        self.trembling *= max(0.0, 1 - 7 * dt)
        # Only down: above and beside it, the picture ends.
        self.offset = round(-self.left), round(random.uniform(0, self.trembling))

    def shake(self, pixels: float) -> None:
        """Shake by so many pixels, if the player wants that."""
        self.trembling = max(self.trembling, pixels) if kept.options.shake else 0.0

    def hold(self, seconds: float) -> None:
        """Stop everything for a moment, so that a blow is felt."""
        self.held = max(self.held, seconds)


camera = Camera()
