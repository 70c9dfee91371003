"""What `awake` makes of a sprite is how it was built; what a group does to one holds, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from physics_kit import Ball
from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, RigidBody
from recorder import Noted

if TYPE_CHECKING:
    from collections.abc import Callable

# -- what `awake` does ---------------------------------------------------------------------------


class Joining(PooledSprite):
    """Joins a group when it wakes."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group

    def awake(self) -> None:
        self.group.add(self)


class PlainJoining(pygame.sprite.Sprite, IPoolableComponent):
    """Does the same, without being a pooled sprite."""

    rect = pygame.FRect(0, 0, 4, 4)

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group

    def awake(self) -> None:
        self.group.add(self)


@pytest.mark.parametrize("kind", [Joining, PlainJoining])
@pytest.mark.parametrize("way", ["at once", "at the first spawn", "adopted"])
def test_k02_u06_u15_groups_that_awake_joins_are_home_groups_left_until_the_first_life(
    system: PoolingSystem, kind: Callable[[Any], Any], way: str
) -> None:
    group, other = PooledGroup(), PooledGroup()
    groups = [] if way == "adopted" else [other]
    late = way == "at the first spawn"
    prefab = Prefab(lambda: kind(group), groups=groups, awake_on_first_spawn=late)
    if way == "adopted":
        one = kind(group)
        other.add(one)
        system.adopt(prefab, one)
        assert set(one.groups()) == {group, other}
        system.despawn(one)
    else:
        system.prespawn(prefab, 2)
    for _ in range(3):
        assert len(group) == len(other) == 0
        one = system.spawn(prefab)
        assert set(one.groups()) == {group, other}
        system.despawn(one)


class Dressing(PooledSprite):
    """Gets its image, size, rotation and layer when it wakes."""

    def awake(self) -> None:
        self.image = pygame.Surface((8, 6))
        self.rect = self.image.get_frect()
        self.rotation = 90
        self.layer = 3


class Knight(Dressing):
    """Has one part from its constructor and one from its `awake`, all dressed late."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group
        self.sword = self.add_child(Dressing(), (5, 0))

    def awake(self) -> None:
        super().awake()
        self.shield = self.add_child(Joining(self.group), (-5, 0))


@pytest.mark.parametrize("late", [False, True])
def test_u02_u14_what_awake_makes_of_a_sprite_and_its_parts_is_restored_at_every_spawn(
    system: PoolingSystem, *, late: bool
) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Knight(group), awake_on_first_spawn=late)
    system.prespawn(prefab, 1)
    for _ in range(2):
        assert len(group) == 0
        knight = system.spawn(prefab, (50, 40))
        image: Any = knight.image
        assert image.get_size() == knight.rect.size == knight.sword.rect.size == (8, 6)
        assert (knight.position, knight.rotation, knight.layer) == ((50, 40), 0, 3)
        assert (knight.sword.position, knight.shield.position) == ((55, 40), (45, 40))
        assert knight.shield in group
        knight.image = None
        knight.rect.size = (1, 1)
        knight.kill()
        knight.layer = 9


# -- groups that act -----------------------------------------------------------------------------


class Door(pygame.sprite.Group):  # type: ignore[type-arg]
    """Acts on every sprite that joins it, once it is told what to do."""

    act: Callable[[Any], object] | None = None

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        super().add_internal(sprite, layer)
        if self.act is not None:
            self.act(sprite)


@pytest.mark.parametrize("life", ["the first life", "a later life", "with options"])
@pytest.mark.parametrize("parts", ["none", "one", "one at the door"])
def test_order3_a_life_that_a_group_ends_is_over_before_any_hook(
    system: PoolingSystem, world: PhysicsWorld, life: str, parts: str
) -> None:
    door = Door()
    others: Any = pygame.sprite.Group()
    log: list[str] = []

    class Orc(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.add(others)
            self.add_component(Noted(log))
            if parts != "none":
                part = Ball(world)
                part.add(door if parts == "one at the door" else others)
                self.add_child(part, (50, 0))

    orc = Prefab(Orc, groups=[] if parts == "one at the door" else [door])
    chieftain = system.spawn(Prefab(PooledSprite))
    system.prespawn(orc, 1)
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
    assert (second is first, log) == (True, ["c.spawned"])
    assert len(world.space.bodies) == (1 if parts == "none" else 2)


@pytest.mark.parametrize("moment", ["awake", "door", "spawned", "later"])
def test_u13_a_component_added_at_any_moment_is_spawned_once_and_in_order_from_then_on(
    system: PoolingSystem, moment: str
) -> None:
    log: list[str] = []
    door = Door()

    def add(sprite: Any) -> None:
        if len(sprite.components) == 1:
            sprite.add_component(Noted(log, "late", order=-1))

    def build() -> PooledSprite:
        guest = PooledSprite()
        guest.add_component(Noted(log, "early", acts={moment: lambda early: add(early.sprite)}))
        return guest

    prefab = Prefab(build, groups=[door])
    system.prespawn(prefab, 1)
    door.act = add if moment == "door" else None
    guest = system.spawn(prefab)
    if moment == "later":
        add(guest)
    late = ["late.awake", "late.spawned"]
    is_first = moment in {"awake", "door"}
    expected = [*late, "early.spawned"] if is_first else ["early.spawned", *late]
    assert log == ["early.awake", *expected]
    guest.kill()
    assert log[4:] == ["early.despawned", "late.despawned"]
    assert system.spawn(prefab) is guest
    assert log[6:] == ["late.spawned", "early.spawned"]


def test_order3_a_plain_sprite_that_a_group_despawns_has_left_it(system: PoolingSystem) -> None:
    door = Door()
    spark = Prefab(pygame.sprite.Sprite, groups=[door])
    door.act = system.despawn
    first = system.spawn(spark)
    assert [system.is_spawned(first), first.alive(), len(door)] == [False, False, 0]
    door.act = None
    assert system.spawn(spark) is first


def test_a_body_that_a_group_attaches_or_takes_off_is_in_the_space_or_out_of_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    door = Door()
    ball = Prefab(lambda: Ball(world), groups=[door])
    system.spawn(ball).kill()
    door.act = lambda sprite: sprite.remove_component(sprite.rigid)
    bare = system.spawn(ball, (40, 50))
    assert not world.space.bodies
    bare.kill()
    body = pymunk.Body(1, 1)
    door.act = lambda sprite: sprite.add_component(RigidBody(world, body))
    system.spawn(ball, (60, 70))
    assert list(world.space.bodies) == [body]
    assert body.position == (60, 70)
    bare.kill()
    assert not world.space.bodies
