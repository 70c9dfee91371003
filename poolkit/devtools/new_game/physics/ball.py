"""The ball: a pooled sprite with a body. Its numbers are in prefabs.toml."""

from pathlib import Path

import pygame
import pymunk
from poolkit import PooledGroup, PooledSprite
from poolkit.content import PrefabFile
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

world = PhysicsWorld(gravity=(0, 400))
floor = pymunk.Segment(world.space.static_body, (0, 360), (640, 360), 5)
floor.elasticity = floor.friction = 0.8
world.space.add(floor)
balls: PooledGroup["Ball"] = PooledGroup()


class Ball(PooledSprite):
    """Flies, bounces, and is gone after some seconds."""

    seconds: float = 3.0  # a field: each life begins with it, or with what the file says

    def __init__(self, color: pygame.Color, radius: int = 8) -> None:  # once for an instance
        image = pygame.Surface((2 * radius, 2 * radius), pygame.SRCALPHA)
        pygame.draw.circle(image, color, (radius, radius), radius)
        super().__init__(image)
        self.body = pymunk.Body(1, pymunk.moment_for_circle(1, 0, radius))
        circle = pymunk.Circle(self.body, radius)
        circle.elasticity = circle.friction = 0.8
        self.add_component(RigidBody(world, self.body, circle))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        self.body.velocity = velocity  # pixels a second
        self.scope.after(self.seconds, self.kill)  # kill puts the ball back into its pool


book = PrefabFile(Path(__file__).with_name("prefabs.toml"), classes=[Ball], groups={"balls": balls})


def move(dt: float) -> None:
    world.step(dt)  # and the balls go with their bodies
