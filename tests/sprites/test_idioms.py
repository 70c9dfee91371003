"""What users of pygame write works: positions that are vectors, and its own idioms."""

from __future__ import annotations

import importlib.util
import types
import unittest
from typing import Any

import pygame
import pymunk
import pytest
from pygame import Vector2

from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab


class Hat(PooledSprite):
    """A sprite with a picture and no group."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((4, 4)))


# -- X01: positions --------------------------------------------------------------------------------


def test_x01_a_position_reads_as_a_vector_that_does_arithmetic(system: PoolingSystem) -> None:
    sprite = system.spawn(Hat, Vector2(3, 4))
    position = sprite.position
    assert (position.x, position.y) == (3, 4)
    assert position == (3, 4)
    assert position + Vector2(1, 2) == (1, 2) + position == (4, 6)  # noqa: RUF005 - a sum
    assert position - (1, 2) == (2, 2)
    assert position * 2 == (6, 8)
    with pytest.raises(AttributeError):
        position.x = 9  # type: ignore[misc]
    assert position == (3, 4)


@pytest.mark.parametrize("pair", [(5, 6), [5, 6], Vector2(5, 6), pymunk.Vec2d(5, 6)])
def test_x01_a_position_takes_any_pair(system: PoolingSystem, pair: Any) -> None:
    sprite = system.spawn(Hat)
    sprite.position = pair
    assert sprite.position == (5, 6)
    sprite.position += pair
    sprite.position -= (1, 1)
    sprite.position += Vector2(60, 0) * 0.5
    assert sprite.position == (39, 11)
    assert system.spawn(Hat, pair).position == (5, 6)


# -- X11: pygame's idioms --------------------------------------------------------------------------


def test_x11_pygames_own_sprite_tests_pass_with_our_classes() -> None:
    ours: dict[str, Any] = {
        "Sprite": PooledSprite,
        "Group": PooledGroup,
        "RenderPlain": PooledGroup,
    }
    theirs: Any = vars(pygame.sprite)
    stand_in: Any = types.SimpleNamespace(**{**theirs, **ours})
    spec = importlib.util.find_spec("pygame.tests.sprite_test")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:  # the module takes what it needs as it is run
        patch.setattr(pygame, "sprite", stand_in)
        spec.loader.exec_module(module)
    module.pygame = types.SimpleNamespace(**{**vars(pygame), "sprite": stand_in})
    assert module.SpriteTypeTest.Sprite is PooledSprite
    assert module.SpriteTypeTest.Groups[0] is PooledGroup
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    assert [str(test) + trace for test, trace in result.failures + result.errors] == []
    assert result.testsRun >= 143


class Spelled(PooledSprite):
    def __init__(self) -> None:
        pygame.sprite.Sprite.__init__(self)
        self.image = pygame.Surface((6, 6))
        self.rect = self.image.get_rect()


class Early(PooledSprite):
    def __init__(self) -> None:
        self.image = pygame.Surface((6, 6))
        self.rect = pygame.FRect(0, 0, 6, 6)
        super().__init__()


class OnTheClass(PooledSprite):
    image = pygame.Surface((6, 6))
    rect = pygame.FRect(0, 0, 6, 6)  # type: ignore[override]


class DirtyFirst(pygame.sprite.DirtySprite, PooledSprite):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((6, 6))


class DirtyLast(PooledSprite, pygame.sprite.DirtySprite):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(pygame.Surface((6, 6)))
        pygame.sprite.DirtySprite.__init__(self)


class HidesGroups(Spelled):
    def __init__(self) -> None:
        super().__init__()
        self.groups = "all"  # type: ignore[assignment,method-assign]


@pytest.mark.parametrize("kind", [Spelled, Early, OnTheClass, DirtyFirst, DirtyLast, HidesGroups])
def test_x11_classes_as_games_write_them_live_twice(
    system: PoolingSystem, kind: type[PooledSprite]
) -> None:
    group = PooledGroup()
    prefab = Prefab(kind, groups=[group])
    sprite = system.spawn(prefab, (7, 8))
    other = system.spawn(prefab, (1, 1))
    group.draw(pygame.Surface((20, 20)))
    sprite.kill()
    assert group.sprites() == [other]
    assert system.spawn(prefab, (2, 3)) is sprite
    assert sprite.position == (2, 3)
    assert other.position == (1, 1)
    assert sprite in group


@pytest.mark.parametrize("kind", [DirtyFirst, DirtyLast])
def test_x11_a_dirty_sprite_is_as_new_in_each_life(system: PoolingSystem, kind: Any) -> None:
    prefab = Prefab(kind)
    sprite = system.spawn(prefab)
    new = (sprite.dirty, sprite.visible, sprite.blendmode, sprite.source_rect)
    sprite.dirty, sprite.visible, sprite.blendmode = 0, 0, 1
    sprite.source_rect = pygame.Rect(0, 0, 1, 1)
    sprite.kill()
    assert system.spawn(prefab) is sprite
    assert (sprite.dirty, sprite.visible, sprite.blendmode, sprite.source_rect) == new
