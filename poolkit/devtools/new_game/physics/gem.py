"""The gem: a pooled sprite with a body. Its picture and its numbers are in prefabs.toml."""

import math

import pygame
import pymunk
from poolkit import PooledGroup
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

from sprites import Animated

GROUND = 322  # pixels from the top
gems = PooledGroup["Gem"]()

world = PhysicsWorld(gravity=(0, 400))
floor = pymunk.Segment(world.space.static_body, (-100, GROUND + 50), (740, GROUND + 50), 50)
floor.elasticity = 0.8
world.space.add(floor)


class Gem(Animated):
    """Falls, bounces, and is gone after some seconds."""

    # Fields: each life begins with them as good as new, or with what its spawn or the file gives.
    points: int = 1
    seconds: float = 5.0

    def __init__(self, sheet: pygame.Surface, frames: int, fps: float) -> None:
        super().__init__(sheet, frames, fps)
        self.body = pymunk.Body(1, math.inf)  # it never turns, as its animation does that
        circle = pymunk.Circle(self.body, 13)
        circle.elasticity = 0.8
        self.add_component(RigidBody(world, self.body, circle))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        """Begin a life: do here what takes more than a value."""
        self.body.velocity = velocity  # pixels a second
        self.scope.after(self.seconds, self.kill)  # kill puts the gem back into its pool


def move(dt: float) -> None:
    world.step(dt)  # and the gems go with their bodies
