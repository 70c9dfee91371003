"""What `awake` does to a sprite is part of how it was built: every life begins with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import PoolingSystem


class Joining(PooledSprite):
    """Joins a group when it wakes."""

    def __init__(self, group: Any) -> None:
        super().__init__(pygame.Surface((4, 4)))
        self.group = group

    def awake(self) -> None:
        self.add(self.group)


class PlainJoining(pygame.sprite.Sprite, IPoolableComponent):
    """Does the same, without being a pooled sprite."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect = self.image.get_frect()
        self.group = group

    def awake(self) -> None:
        self.group.add(self)


class Dressing(PooledSprite):
    """Gets its image, size, rotation and layer when it wakes."""

    def __init__(self) -> None:
        super().__init__()

    def awake(self) -> None:
        self.image = pygame.Surface((8, 6))
        self.rect = self.image.get_frect()
        self.rotation = 90
        self.layer = 3


KINDS = pytest.mark.parametrize("kind", [Joining, PlainJoining])
LATE = pytest.mark.parametrize("late", [False, True])


@KINDS
@LATE
def test_k02_u06_groups_that_awake_joins_are_home_groups_left_until_the_first_life(
    system: PoolingSystem,
    kind: Callable[[Any], Any],
    late: bool,  # noqa: FBT001
) -> None:
    group, other = PooledGroup(), PooledGroup()
    prefab = Prefab(lambda: kind(group), groups=[other], awake_on_first_spawn=late)
    system.prespawn(prefab, 2)
    assert len(group) == 0
    for _ in range(3):
        one = system.spawn(prefab)
        assert set(one.groups()) == {group, other}
        system.despawn(one)
        assert one.groups() == []
        system.spawn(prefab)
        system.despawn_all()
        assert len(group) == len(other) == 0


@KINDS
def test_u15_groups_that_awake_joins_are_kept_by_an_adopted_sprite(
    system: PoolingSystem, kind: Callable[[Any], Any]
) -> None:
    group, other = PooledGroup(), PooledGroup()
    prefab = Prefab(lambda: kind(group))
    sprite = kind(group)
    other.add(sprite)
    system.adopt(prefab, sprite)
    assert set(sprite.groups()) == {group, other}
    system.despawn(sprite)
    assert sprite.groups() == []
    assert system.spawn(prefab) is sprite
    assert set(sprite.groups()) == {group, other}


@LATE
def test_u02_what_awake_makes_of_a_sprite_is_restored_at_every_spawn(
    system: PoolingSystem,
    late: bool,  # noqa: FBT001
) -> None:
    prefab = Prefab(Dressing, awake_on_first_spawn=late)
    system.prespawn(prefab, 1)
    for _ in range(2):
        sprite = system.spawn(prefab, (50, 40))
        image: Any = sprite.image
        assert image.get_size() == sprite.rect.size == (8, 6)
        assert (sprite.position, sprite.rotation, sprite.layer) == ((50, 40), 0, 3)
        sprite.image = None
        sprite.rect.size = (1, 1)
        sprite.kill()
        sprite.layer = 9


class Knight(PooledSprite):
    """Has one part from its constructor and one from its `awake`, both dressed late."""

    def __init__(self, group: Any) -> None:
        super().__init__(pygame.Surface((4, 4)))
        self.group = group
        self.sword = Dressing()
        self.add_child(self.sword, (5, 0))

    def awake(self) -> None:
        self.shield = Joining(self.group)
        self.add_child(self.shield, (-5, 0))


@LATE
def test_u14_what_awake_makes_of_the_parts_is_restored_too(
    system: PoolingSystem,
    late: bool,  # noqa: FBT001
) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Knight(group), awake_on_first_spawn=late)
    system.prespawn(prefab, 1)
    assert len(group) == 0
    for _ in range(2):
        knight = system.spawn(prefab, (50, 40))
        assert knight.shield in group
        assert knight.shield.position == (45, 40)
        assert knight.sword.position == (55, 40)
        assert knight.sword.rect.size == (8, 6)
        knight.kill()
        assert len(group) == 0
