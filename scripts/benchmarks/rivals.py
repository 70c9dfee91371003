"""The pools that a careful user would write by hand, and what they and poolkit hold."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

import pygame
import pymunk

from poolkit import IPoolableComponent, PooledSprite
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

__all__ = [
    "BarestPool",
    "BodySprite",
    "HandPool",
    "Health",
    "HealthSprite",
    "PooledBodySprite",
    "PooledHealthSprite",
    "new_body",
]

MASS, RADIUS = 5.0, 12.0
MOMENT = pymunk.moment_for_circle(MASS, 0, RADIUS)
IMAGE = pygame.Surface((24, 24))

Group = pygame.sprite.Group


class Health(IPoolableComponent):
    """A component with the two hooks that most have."""

    current = 0

    def spawned(self) -> None:
        """Begin a life in full health."""
        self.current = 30

    def despawned(self) -> None:
        """End it."""
        self.current = 0


class HealthSprite(pygame.sprite.Sprite):
    """A sprite with one component, for the pool written by hand."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__()
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect()
        self.active = False
        self.components = [Health()]

    def enter(self, position: tuple[float, float]) -> None:
        """Come into play."""
        self.rect.center = position

    def leave(self) -> None:
        """Go out of play."""


def new_body() -> tuple[pymunk.Body, pymunk.Circle]:
    """Build a body with a shape."""
    body = pymunk.Body(MASS, MOMENT)
    return body, pymunk.Circle(body, RADIUS)


class BodySprite(HealthSprite):
    """The same with a body and a shape, which are reset as poolkit's component resets them."""

    def __init__(self, space: pymunk.Space) -> None:
        """Build it."""
        super().__init__()
        self.space = space
        self.body, self.shape = new_body()

    def enter(self, position: tuple[float, float]) -> None:
        """Come into play, and into the space."""
        super().enter(position)
        self.body.position = position
        self.body.angle = 0.0
        self.space.add(self.body, self.shape)

    def leave(self) -> None:
        """Leave the space, and come to rest."""
        body = self.body
        self.space.remove(self.shape, body)
        pymunk.Body.update_position(body, 0.0)
        body.velocity = (0.0, 0.0)
        body.angular_velocity = 0.0
        body.force = (0.0, 0.0)
        body.torque = 0.0


S = TypeVar("S", bound=HealthSprite)


class HandPool(Generic[S]):
    """A pool of one kind of sprite: an active dict, an inactive queue, a group, hooks."""

    def __init__(self, group: Group[S], made: list[S]) -> None:
        """Begin with `made`, all inactive."""
        self.group = group
        self.active: dict[S, None] = {}
        self.inactive = deque(made)

    def spawn(self, position: tuple[float, float]) -> S:
        """Begin a life."""
        sprite = self.inactive.popleft()
        sprite.enter(position)
        sprite.active = True
        self.active[sprite] = None
        self.group.add(sprite)
        for component in sprite.components:
            component.spawned()
        return sprite

    def despawn(self, sprite: S) -> bool:
        """End a life; `False` if it is over already."""
        if not sprite.active:
            return False
        sprite.active = False
        del self.active[sprite]
        for component in reversed(sprite.components):
            component.despawned()
        sprite.kill()
        sprite.leave()
        self.inactive.append(sprite)
        return True


class BarestPool(Generic[S]):
    """A pool for one game alone: a list, a group, one component known by name, and no checks.

    It can't tell which sprites are alive, ends a life twice without noticing, and hands out again
    what was used last, which the processor still has in its caches.
    """

    def __init__(self, group: Group[S], made: list[S]) -> None:
        """Begin with `made`, all inactive."""
        self.group = group
        self.inactive = made

    def spawn(self, position: tuple[float, float]) -> S:
        """Begin a life."""
        sprite = self.inactive.pop()
        sprite.enter(position)
        self.group.add(sprite)
        sprite.components[0].spawned()
        return sprite

    def despawn(self, sprite: S) -> None:
        """End it."""
        sprite.components[0].despawned()
        sprite.kill()
        sprite.leave()
        self.inactive.append(sprite)


class PooledHealthSprite(PooledSprite):
    """The sprite with one component, for poolkit."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__(IMAGE)
        self.add_component(Health())


class PooledBodySprite(PooledHealthSprite):
    """The same with a body and a shape."""

    def __init__(self, world: PhysicsWorld) -> None:
        """Build it."""
        super().__init__()
        body, shape = new_body()
        self.add_component(RigidBody(world, body, shape))
        self.add_component(ResetPooledBodyComponent())
