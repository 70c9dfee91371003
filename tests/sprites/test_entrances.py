"""What a group does to a sprite that is just joining it has its usual meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from physics_kit import Ball
from poolkit import IPoolableComponent, PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable


class Door(pygame.sprite.Group):  # type: ignore[type-arg]
    """Acts on every sprite that joins it, once it is told what to do."""

    act: Callable[[Any], object] | None = None

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        super().add_internal(sprite, layer)
        if self.act is not None:
            self.act(sprite)


class Noting(IPoolableComponent):
    """Notes its hooks."""

    def __init__(self, log: list[str], name: str) -> None:
        self.log = log
        self.name = name

    def spawned(self) -> None:
        self.log.append(f"{self.name} spawned")

    def despawned(self) -> None:
        self.log.append(f"{self.name} despawned")


class Wishful(Noting):
    """Notes its hooks, which take arguments."""

    def spawned(self, position: tuple[float, float]) -> None:  # type: ignore[override]
        del position
        super().spawned()


class Guest(PooledSprite):
    """A sprite with a component, both of which note their hooks."""

    def __init__(self, log: list[str]) -> None:
        super().__init__(pygame.Surface((4, 4)))
        self.log = log
        self.noting = self.add_component(Noting(log, "noting"))

    def spawned(self) -> None:
        self.log.append("guest spawned")

    def despawned(self) -> None:
        self.log.append("guest despawned")


def guests(system: PoolingSystem, door: Door, log: list[str]) -> Prefab[Guest]:
    """Return a prefab of guests that go through `door`, one of which has lived already."""
    guest = Prefab(lambda: Guest(log), name="guest", groups=[door])
    system.spawn(guest).kill()
    log.clear()
    return guest


LIVES = ["the first life", "a later life", "with options"]


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("parts", ["none", "one", "one at the door"])
def test_order3_a_life_that_a_group_ends_is_over_before_any_hook(
    system: PoolingSystem, life: str, parts: str
) -> None:
    world, door = PhysicsWorld(), Door()
    others: Any = pygame.sprite.Group()
    log: list[str] = []

    class Orc(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.add(others)
            if parts != "none":
                part = Ball(world)
                part.add(door if parts == "one at the door" else others)
                self.add_child(part, (50, 0))

        def spawned(self) -> None:
            log.append("spawned")

        def despawned(self) -> None:
            log.append("despawned")

    orc = Prefab(
        Orc,
        groups=[] if parts == "one at the door" else [door],
        settings=PoolSettings(prespawn=1),
    )
    chieftain = system.spawn(Prefab(PooledSprite))
    system.register(orc)
    if life != "the first life":
        system.spawn(orc).kill()
        log.clear()
    door.act = lambda sprite: system.despawn(sprite.parent or sprite)
    options: dict[str, Any] = {"parent": chieftain} if life == "with options" else {}
    first = system.spawn(orc, (3, 4), **options)
    assert (first.active, first.parent, log) == (False, None, [])
    left = [world.space.bodies, world.space.shapes, others, door, chieftain.children]
    assert list(map(len, left)) == [0, 0, 0, 0, 0]

    door.act = None
    second = system.spawn(orc, (5, 6))
    assert (second is first, log) == (True, ["spawned"])
    assert len(world.space.bodies) == (1 if parts == "none" else 2)
    system.reset()
    assert list(map(len, [world.space.bodies, others, door])) == [0, 0, 0]


def test_order3_a_plain_sprite_that_a_group_despawns_has_left_it(system: PoolingSystem) -> None:
    door = Door()

    class Spark(pygame.sprite.Sprite):
        image, rect = pygame.Surface((4, 4)), pygame.Rect(0, 0, 4, 4)

    spark = Prefab(Spark, groups=[door])
    door.act = system.despawn
    first = system.spawn(spark)
    assert [system.is_spawned(first), first.alive(), len(door)] == [False, False, 0]
    door.act = None
    assert system.spawn(spark) is first


@pytest.mark.parametrize("kind", [Noting, Wishful])
def test_a_component_that_a_group_attaches_is_spawned_once(
    system: PoolingSystem, kind: type[Noting]
) -> None:
    log: list[str] = []
    door = Door()
    guest = guests(system, door, log)
    door.act = lambda sprite: sprite.add_component(kind(log, "late"))
    late = system.spawn(guest)
    assert log == ["late spawned", "guest spawned", "noting spawned"]
    door.act = None
    log.clear()
    late.kill()
    assert log == ["late despawned", "noting despawned", "guest despawned"]
    log.clear()
    system.spawn(guest)
    assert log == ["guest spawned", "noting spawned", "late spawned"]


def test_a_body_that_a_group_attaches_or_takes_off_is_in_the_space_or_out_of_it(
    system: PoolingSystem,
) -> None:
    world, door = PhysicsWorld(), Door()
    ball = Prefab(lambda: Ball(world), groups=[door])
    system.spawn(ball).kill()
    door.act = lambda sprite: sprite.remove_component(sprite.rigid)
    bare = system.spawn(ball, (40, 50))
    assert not world.space.bodies

    bare.kill()
    body = pymunk.Body(1, 1)
    door.act = lambda sprite: sprite.add_component(
        RigidBody(world, body, pymunk.Circle(body, 3)),
    )
    system.spawn(ball, (60, 70))
    assert list(world.space.bodies) == [body]
    assert tuple(body.position) == (60, 70)
    door.act = None
    bare.kill()
    assert not world.space.bodies
