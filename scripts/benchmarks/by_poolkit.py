"""The same lives as a game has them with poolkit."""

# ruff: noqa: D102 - hooks are what poolkit says they are

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.by_hand import IMAGE, Bodies, HandSprite, new_body
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable


class Bare(PooledSprite):
    """A sprite that wants nothing of poolkit."""

    def __init__(self) -> None:
        super().__init__(IMAGE)


class Health(IPoolableComponent):
    """A component with the two hooks that most have."""

    current = 0

    def spawned(self) -> None:
        self.current = 30

    def despawned(self) -> None:
        self.current = 0


class Healthy(Bare):
    """A sprite with that component."""

    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health())


class HandHealthy(HandSprite):
    """The same for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.health = Health()
        self.components = [self.health]


class Bodied(Bare):
    """A sprite with a body and a shape, in a world."""

    def __init__(self, world: PhysicsWorld, collision_type: int = 0) -> None:
        super().__init__()
        self.body, shape = new_body(collision_type)
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())


def pooled(
    kind: Callable[[], Any], count: int, group: Any = None, *, pooling: bool = True, **settings: Any
) -> tuple[PoolingSystem, Callable[..., Any]]:
    """Return a system, and what spawns a kind of sprite, so many of which are built beforehand."""
    system = PoolingSystem()
    system.configure(pooling=pooling)
    groups = [PooledGroup() if group is None else group]
    prefab = Prefab(kind, groups=groups, settings=PoolSettings(prespawn=count, **settings))
    system.register(prefab)
    return system, partial(system.spawn, prefab)


def pooled_bodies(
    count: int, kind: type[Bodied] = Bodied, collision_type: int = 0, *, pooling: bool = True
) -> Bodies:
    """Return how sprites with bodies are played with: the world moves them."""
    world, group = PhysicsWorld(), PooledGroup()
    make = partial(kind, world, collision_type)
    system, spawn = pooled(make, count, group, pooling=pooling)
    return Bodies(spawn, PooledSprite.kill, system.update, world.step, group, world)
