"""What the tests of the physics share: balls, and worlds to roll them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 1 / 60


class Ball(PooledSprite):
    """A sprite with one round body."""

    def __init__(self, world: PhysicsWorld, *, kind: int = 1, radius: float = 10) -> None:
        super().__init__(pygame.Surface((20, 20)))
        self.kind = kind
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, radius)
        self.shape.collision_type = kind
        self.rigid = self.add_component(RigidBody(world, self.body, self.shape))
        self.add_component(ResetPooledBodyComponent())


class Tank(Ball):
    """Has two bodies of its own, and a part with another."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        body = pymunk.Body(1, 1)
        self.add_component(RigidBody(world, body, pymunk.Circle(body, 3)))
        self.turret = Ball(world)
        self.add_child(self.turret, (100, 0))


def balls(world: PhysicsWorld, **options: Any) -> Callable[[], Ball]:
    """Return a factory of balls in `world`."""

    def ball() -> Ball:
        return Ball(world, **options)

    return ball


def motion(body: pymunk.Body) -> tuple[object, ...]:
    """Return everything public about how a body moves."""
    names = ("position", "angle", "velocity", "angular_velocity", "force", "torque")
    return tuple(getattr(body, name) for name in names)


MEETINGS = ["begin", "pre_solve", "post_solve", "separate"]
"""The callbacks of a collision."""
PLACES = [*MEETINGS, "post-step", "velocity", "position", "joint", "spring", "raw begin"]
"""The callbacks that a step makes."""


class Encounter:
    """Two balls that touch, with a spring between them, and a function called once in a step."""

    def __init__(self, system: PoolingSystem, world: PhysicsWorld, place: str) -> None:
        self.system, self.world = system, world
        self.prefab = Prefab(balls(world, kind=1), name="ball")
        self.other_prefab = Prefab(balls(world, kind=2), name="other")
        self.one = system.spawn(self.prefab, (0, 0))
        self.two = system.spawn(self.other_prefab, (12, 0))
        self.act: Callable[[], object] | None = None
        if place in {"joint", "spring"}:
            ends = (self.one.body, self.two.body, (0, 0), (0, 0))
            self.spring = pymunk.DampedSpring(*ends, 5, 5, 5)
            world.space.add(self.spring)
        self._call_at(place)
        if place == "separate":
            world.space.step(STEP)
            self.one.body.velocity = (-3000, 0)

    def _call_at(self, place: str) -> None:
        space, body = self.world.space, self.one.body
        if place in MEETINGS:
            self.world.on_collision(1, 2, **{place: self._once})
        elif place == "raw begin":
            space.on_collision(1, 2, begin=self._once)
        elif place == "post-step":
            space.add_post_step_callback(self._once, "the game's")
        elif place == "velocity":
            body.velocity_func = self._fall
        elif place == "position":
            body.position_func = self._move
        elif place == "joint":
            self.spring.pre_solve = self._once
        else:
            self.spring.force_func = self._once

    def _fall(self, body: pymunk.Body, *given: Any) -> None:
        self._once()
        pymunk.Body.update_velocity(body, *given)

    def _move(self, body: pymunk.Body, dt: float) -> None:
        pymunk.Body.update_position(body, dt)
        self._once()

    def _once(self, *_: object) -> Any:
        act, self.act = self.act, None
        if act is not None:
            act()
        return 0.0
