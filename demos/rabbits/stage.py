"""What everything is built into: the physics, the groups that are drawn, and the camera."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit import PooledGroup
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from poolkit import PooledSprite

SCREEN = WIDE, HIGH = 480, 270  # pixels of the picture, each of which the window shows as a square
LENGTH = 800  # pixels from one end of a level to the other
GROUND = 226  # where one stands
STEP = 1 / 60  # seconds

# The bodies of all sprites, in fixed steps. Sprites are shown between two of them, and so move
# evenly however often a second the screen is drawn.
world = PhysicsWorld(gravity=(0, 640), timestep=STEP, interpolate=True)

# In the order in which they are drawn.
scenery: PooledGroup[Any] = PooledGroup()
powerups: PooledGroup[Any] = PooledGroup()
enemies: PooledGroup[Any] = PooledGroup()
dinosaurs: PooledGroup[Any] = PooledGroup()
phones: PooledGroup[Any] = PooledGroup()
effects: PooledGroup[Any] = PooledGroup()
GROUPS = scenery, powerups, enemies, dinosaurs, phones, effects

# What a shape is, and what it meets: all others pass through it.
SOLID, DINOSAUR, ENEMY, PHONE, BUBBLE = (1 << number for number in range(5))
MEETS = {
    SOLID: DINOSAUR | ENEMY | PHONE | BUBBLE,
    DINOSAUR: SOLID | ENEMY | BUBBLE,
    ENEMY: SOLID | DINOSAUR | PHONE,
    PHONE: SOLID | ENEMY,
    BUBBLE: SOLID | DINOSAUR,
}


def embody(
    sprite: PooledSprite, what: int, *shapes: pymunk.Shape, bounce: float = 0.0
) -> pymunk.Body:
    """Give a sprite shapes of one body, which is in the space while the sprite is alive."""
    body = shapes[0].body
    assert body is not None  # noqa: S101 - each shape was made with one
    for shape in shapes:
        shape.friction = 0.9
        shape.elasticity = bounce
        shape.filter = pymunk.ShapeFilter(categories=what, mask=MEETS[what])
    sprite.add_component(RigidBody(world, body, *shapes))
    # At the end of a life it comes to rest, so that the next one begins like the first.
    sprite.add_component(ResetPooledBodyComponent())
    return body


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

    def update(self, dt: float, x: float) -> None:
        """Glide to where `x` is in the middle."""
        wanted = max(0.0, min(x - WIDE / 2, LENGTH - WIDE))
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
