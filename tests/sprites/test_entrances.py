"""What a group does to a sprite that is just joining it has its usual meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from physics_kit import Ball
from poolkit import PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, RigidBody
from recorder import Noted

if TYPE_CHECKING:
    from collections.abc import Callable


class Door(pygame.sprite.Group):  # type: ignore[type-arg]
    """Acts on every sprite that joins it, once it is told what to do."""

    act: Callable[[Any], object] | None = None

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        super().add_internal(sprite, layer)
        if self.act is not None:
            self.act(sprite)


class Wishful(Noted):
    """Notes its hooks, one of which takes an argument."""

    def spawned(self, position: tuple[float, float]) -> None:  # type: ignore[override]
        del position
        super().spawned()


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


@pytest.mark.parametrize("kind", [Noted, Wishful])
def test_a_component_that_a_group_attaches_is_spawned_once(
    system: PoolingSystem, kind: type[Noted]
) -> None:
    log: list[str] = []
    door = Door()

    class Guest(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((4, 4)))
            self.add_component(Noted(log, "early"))

    guest = Prefab(Guest, groups=[door])
    system.spawn(guest).kill()
    log.clear()
    door.act = lambda sprite: sprite.add_component(kind(log, "late"))
    sprite = system.spawn(guest)
    assert log == ["late.awake", "late.spawned", "early.spawned"]
    door.act = None
    log.clear()
    sprite.kill()
    assert log == ["late.despawned", "early.despawned"]
    system.spawn(guest)
    assert log[2:] == ["early.spawned", "late.spawned"]


def test_order3_a_plain_sprite_that_a_group_despawns_has_left_it(system: PoolingSystem) -> None:
    door = Door()
    spark = Prefab(pygame.sprite.Sprite, groups=[door])
    door.act = system.despawn
    first = system.spawn(spark)
    assert [system.is_spawned(first), first.alive(), len(door)] == [False, False, 0]
    door.act = None
    assert system.spawn(spark) is first


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
