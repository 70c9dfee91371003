"""What the tests of the physics share: balls, and worlds to roll them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from poolkit import PooledSprite
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 1 / 60


class Ball(PooledSprite):
    """A sprite with one round body."""

    def __init__(self, world: PhysicsWorld, *, kind: int = 1, radius: float = 10) -> None:
        super().__init__(pygame.Surface((20, 20)))
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, radius)
        self.shape.collision_type = kind
        self.rigid = self.add_component(RigidBody(world, self.body, self.shape))
        self.add_component(ResetPooledBodyComponent())


def balls(world: PhysicsWorld, **options: Any) -> Callable[[], Ball]:
    """Return a factory of balls in `world`."""

    def ball() -> Ball:
        return Ball(world, **options)

    return ball


def motion(body: pymunk.Body) -> tuple[object, ...]:
    """Return everything public about how a body moves."""
    return (
        body.position,
        body.angle,
        body.velocity,
        body.angular_velocity,
        body.force,
        body.torque,
    )
