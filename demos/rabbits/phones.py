"""Phones: sprites with bodies. They bounce, and break after a few knocks."""

from __future__ import annotations

import random

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, RecycleOldest
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from rabbits.art import frames
from rabbits.effects import scatter
from rabbits.sound import play
from rabbits.stage import PHONE, RABBIT, SOLID, THING, collides, phones, world

__all__ = ["Phone", "phone"]

SIZE = 11, 7
KNOCKS = 3  # that it survives, less one


class Phone(PooledSprite):
    """Flies, turns over, bounces, cracks, and goes to pieces."""

    rotation_steps = 32

    def __init__(self) -> None:
        """Build the body once; all lives of the instance share it."""
        self.cracks = frames("phone", KNOCKS)
        super().__init__(self.cracks[0])
        self.body = pymunk.Body(1, pymunk.moment_for_box(1, SIZE))
        shape = pymunk.Poly.create_box(self.body, SIZE)
        shape.elasticity = 0.65
        shape.friction = 0.5
        shape.filter = collides(PHONE, SOLID, RABBIT, THING)
        # In the space while the sprite is alive, and at rest again when the next life begins.
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float]) -> None:
        """Be whole, and fly."""
        self.body.velocity = velocity
        self.body.angular_velocity = random.uniform(6, 14) * (1 if velocity[0] > 0 else -1)
        self.knocks = 0
        self.victims = 0
        self.scope.after(3.5, self.break_up)

    def knock(self) -> None:
        """Bump into something: crack, or break."""
        self.knocks += 1
        if self.knocks == KNOCKS:
            self.break_up()
        else:
            self.image = self.cracks[self.knocks]
            play("bounce")

    def break_up(self) -> None:
        """Go to pieces."""
        scatter(frames("shard", 5), self.position, 5)
        play("break")
        self.kill()  # last: what comes after it belongs to nobody's life


phone = Prefab(
    Phone,
    name="phone",
    groups=[phones],
    settings=PoolSettings(limit=24, overflow=RecycleOldest()),
    sample_data={"velocity": (200, -100)},
)
