"""What hostile readers found of sprites that follow others: each so that it is not found again."""

from __future__ import annotations

import gc
import inspect
from typing import Any

import pygame
import pytest

from poolkit import PooledSprite, PoolingSystem, Prefab


class Knight(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((10, 10)))


class Sticky(pygame.sprite.Group[Any]):
    def remove_internal(self, sprite: Any) -> None:
        super().remove_internal(sprite)
        message = "stuck"
        raise ValueError(message)


def test_order6_a_child_that_fails_to_leave_is_no_child_any_more(system: PoolingSystem) -> None:
    king = system.spawn(Prefab(Knight, groups=[pygame.sprite.Group()]))
    child = system.spawn(Prefab(Knight, groups=[Sticky()]), parent=king)
    with pytest.raises(ValueError, match="stuck"):
        child.kill()
    assert king.children == ()
    data: Any = king._pool_data
    assert not data.kin.children


@pytest.mark.parametrize("who", ["itself", "sibling"])
def test_order6_a_life_may_end_while_what_follows_is_moved(system: PoolingSystem, who: str) -> None:
    class Squire(Knight):
        @property
        def rotation(self) -> float:
            return PooledSprite.rotation.fget(self)  # type: ignore[attr-defined,no-any-return]

        @rotation.setter
        def rotation(self, degrees: float) -> None:
            PooledSprite.rotation.fset(self, degrees)  # type: ignore[attr-defined]
            if degrees > 90:
                (self if who == "itself" else squires[-1]).kill()

    group: Any = pygame.sprite.Group()
    king = system.spawn(Prefab(Knight, groups=[group]))
    squire = Prefab(Squire, groups=[group])
    squires = [system.spawn(squire, (10, 0), parent=king) for _ in range(3)]
    king.rotation = 100
    alive = [one.active for one in squires]
    assert alive == ([False] * 3 if who == "itself" else [True, True, False])


def test_x02_children_stay_where_they_are_whatever_a_game_makes_of_rotation_and_position(
    system: PoolingSystem,
) -> None:
    class PointsUp(Knight):
        @property
        def rotation(self) -> float:
            return PooledSprite.rotation.fget(self) + 90  # type: ignore[attr-defined,no-any-return]

        @rotation.setter
        def rotation(self, degrees: float) -> None:
            PooledSprite.rotation.fset(self, degrees - 90)  # type: ignore[attr-defined]

    class Isometric(Knight):
        @property
        def position(self) -> Any:
            x, y = self.rect.center
            return x, y + 40

        @position.setter
        def position(self, position: Any) -> None:
            self.rect.center = position[0], position[1] - 40

    group: Any = pygame.sprite.Group()
    squire = Prefab(Knight, groups=[group])
    king: Any = system.spawn(Prefab(PointsUp, groups=[group]), (100, 100), rotation=30)
    child = system.spawn(squire, (120, 100), parent=king)
    system.update(0)
    assert child.position == (120, 100)
    king = system.spawn(Prefab(Isometric, groups=[group]), (100, 100))
    child = system.spawn(squire, (120, 100), parent=king)
    king.rect.x += 1
    system.update(0)
    assert child.position == (121, 100)


def test_order6_a_child_of_a_parent_without_a_rect_begins_as_in_its_first_life(
    system: PoolingSystem,
) -> None:
    group: Any = pygame.sprite.Group()
    kings, squires = Prefab(Knight, groups=[group]), Prefab(Knight, groups=[group])
    places = []
    for has_rect in (False, True, False):
        king = system.spawn(kings, (100, 100))
        rect: Any = king.rect
        king.rect = rect if has_rect else None
        child = system.spawn(squires, (120, 100), parent=king)
        king.rect = rect
        king.position = (200, 200)
        system.update(0.1)
        places.append(child.position)
        king.kill()
    assert places == [(200, 200), (220, 200), (200, 200)]


def test_g05_a_hook_behind_a_decorator_gets_its_data_by_name(system: PoolingSystem) -> None:
    def noted(hook: Any) -> Any:
        def call(self: Any, **data: Any) -> None:
            hook(self, **data)

        call.__signature__ = inspect.signature(hook)  # type: ignore[attr-defined]
        return call

    class Dart(Knight):
        @noted
        def spawned(self, velocity: float) -> None:
            self.velocity = velocity

    dart = Prefab(Dart)
    for speed in (3, 4, 5):
        one = system.spawn(dart, velocity=speed)
        assert one.velocity == speed
        one.kill()


@pytest.mark.parametrize("no_group", [Knight, pygame.sprite.Group, "a sprite"])
def test_bad_input_what_is_no_group_costs_no_instance(system: PoolingSystem, no_group: Any) -> None:
    knight = Prefab(Knight)
    if no_group == "a sprite":
        no_group = Knight()
    system.prespawn(knight, 1)
    before = system.pool(knight).stats
    with pytest.raises(TypeError, match="which is no group"):
        system.spawn(knight, groups=[no_group])
    assert system.pool(knight).stats == before


def test_order4_what_is_raised_keeps_no_pool_alive(system: PoolingSystem) -> None:
    knight = Prefab(Knight)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(TypeError):
            system.spawn_many(knight, [(0, 0)] * 3, nope=1)
        assert not [each for each in gc.get_objects() if type(each).__name__ == "ErrorCollector"]
    finally:
        gc.enable()
