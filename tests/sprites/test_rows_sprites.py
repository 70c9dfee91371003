"""Rows of the feature list that sprites keep: positions, parts, layers, pygame's own idioms."""

from __future__ import annotations

import importlib.util
import types
import unittest
from typing import Any

import pygame
import pymunk
import pytest
from pygame import Vector2

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolingSystem, Prefab
from recorder import assert_counts


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


# -- X02, X04: parts and layers --------------------------------------------------------------------


def test_x02_a_part_without_groups_joins_those_of_its_parent_and_is_drawn_above_it(
    system: PoolingSystem,
) -> None:
    group = PooledGroup()

    class King(Hat):
        def __init__(self) -> None:
            super().__init__()
            assert self.image is not None
            self.image.fill("red")
            crown = pygame.Surface((2, 2))
            crown.fill("gold")
            self.crown = self.add_child(PooledSprite(crown), (0, -1))

    prefab, screen = Prefab(King, groups=[group]), pygame.Surface((20, 20))
    for _ in range(2):
        king = system.spawn(prefab, (10, 10))
        assert type(king.crown) is PooledSprite  # add_child returns it
        assert group.sprites() == [king, king.crown]
        group.draw(screen)
        assert screen.get_at((10, 9)) == pygame.Color("gold")
        king.kill()
        assert not group


def test_x02_what_is_spawned_under_a_parent_joins_its_groups_unless_it_has_its_own(
    system: PoolingSystem,
) -> None:
    group, own = PooledGroup(), PooledGroup()
    king = system.spawn(Prefab(Hat, groups=[group]))
    crown = system.spawn(Hat, parent=king)
    sword = system.spawn(Hat, parent=king, groups=[own])
    assert group.sprites() == [king, crown]
    assert own.sprites() == [sword]
    crown.kill()
    assert system.spawn(Hat).groups() == []  # of that life alone


def test_x04_a_layer_of_the_class_counts(system: PoolingSystem) -> None:
    class Cloud(Hat):
        layer = 5

    class Storm(Cloud):
        pass

    group, layered = PooledGroup(layers=True), pygame.sprite.LayeredUpdates[Any]()
    clouds = Prefab(Cloud, groups=[group, layered])
    cloud = system.spawn(clouds)
    ground = system.spawn(Prefab(Hat, groups=[group, layered]))
    assert (cloud.layer, ground.layer, system.spawn(Storm).layer) == (5, 0, 5)
    assert layered.sprites() == [ground, cloud]
    assert layered.get_layer_of_sprite(cloud) == 5
    layered.change_layer(cloud, 7)
    cloud.kill()
    assert system.spawn(clouds) is cloud
    assert cloud.layer == 5


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


# -- what hostile testing found (issues 10 and 12) -------------------------------------------------


class Noted(IPoolableComponent):
    """Notes its hooks, and does what it is told in one of them."""

    def __init__(self, log: list[str], name: str, **acts: Any) -> None:
        self.log, self.name, self.acts = log, name, acts

    def note(self, hook: str) -> None:
        self.log.append(f"{self.name} {hook}")
        self.acts.get(hook, lambda _: None)(self)

    def spawned(self) -> None:
        self.note("spawned")

    def despawned(self) -> None:
        self.note("despawned")

    def destroyed(self) -> None:
        self.note("destroyed")


def _take_off_and_kill(component: Noted) -> None:
    sprite: Any = component.sprite
    sprite.remove_component(component)
    sprite.kill()


def _take_off_and_raise(component: Noted) -> None:
    sprite: Any = component.sprite
    sprite.remove_component(component)
    raise ValueError(component.name)


@pytest.mark.parametrize("act", [_take_off_and_kill, _take_off_and_raise])
def test_12_3_what_was_spawned_before_a_component_took_itself_off_is_despawned(
    system: PoolingSystem, act: Any
) -> None:
    log: list[str] = []

    class Orc(Hat):
        def __init__(self) -> None:
            super().__init__()
            self.add_component(Noted(log, "first"))
            self.add_component(Noted(log, "second", spawned=act))
            self.add_component(Noted(log, "third"))

    if act is _take_off_and_kill:
        assert not system.spawn(Orc).active
    else:
        with pytest.raises(ValueError, match="second"):
            system.spawn(Orc)
    assert log.count("first spawned") == log.count("first despawned") == 1
    assert log.count("second spawned") == log.count("second despawned") == 1
    assert not any(note.startswith("third s") or note == "third despawned" for note in log)
    assert_counts(system)


@pytest.mark.parametrize("hook", ["despawned", "destroyed"])
@pytest.mark.parametrize("respawns", [False, True])
def test_12_4_a_component_taken_off_whose_hook_ends_the_life_is_despawned_once(
    system: PoolingSystem, hook: str, *, respawns: bool
) -> None:
    log: list[str] = []

    def end(component: Noted) -> None:
        component.acts.clear()
        orc.kill()
        if respawns:
            system.spawn(prefab)

    def build() -> Hat:
        hat = Hat()
        hat.add_component(Noted(log, "kept"))
        return hat

    prefab = Prefab(build)
    orc = system.spawn(prefab)
    extra = orc.add_component(Noted(log, "extra", **{hook: end}))
    orc.remove_component(extra)
    assert log.count("extra despawned") == 1
    assert log.count("extra spawned") == 1
    assert log.count("extra destroyed") == 1
    assert log.index("extra destroyed") > log.index("extra despawned")
    assert log.count("kept despawned") == 1
    assert orc.components == (orc.components[0],)
    assert orc.active is respawns
    system.despawn_all()
    system.spawn(prefab)
    assert log.count("extra spawned") == 1
    assert_counts(system)
