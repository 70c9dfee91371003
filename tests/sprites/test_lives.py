"""A pooled sprite: as good as new at every spawn, in nothing between, and pygame's in its ways."""

from __future__ import annotations

import importlib.util
import types
import unittest
from typing import TYPE_CHECKING, Any, assert_type

import pygame
import pymunk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygame import Vector2

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolError, PoolingSystem, Prefab
from poolkit.sprites.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable


IMAGE = pygame.Surface((5, 9))
IMAGE.fill("red")


def new_group(*sprites: Any) -> Any:
    """Return a plain group of pygame's."""
    return pygame.sprite.Group(*sprites)


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(IMAGE)


@pytest.mark.parametrize("anchor", ["topleft", "midbottom", "center", "bottomright", "midleft"])
@pytest.mark.parametrize("is_later", [False, True])
def test_positions_are_anchors_and_may_be_assigned(
    system: PoolingSystem, anchor: str, *, is_later: bool
) -> None:
    kind: Any = type("Anchored", (Orc,), {"anchor": "center" if is_later else anchor})
    kind.anchor = anchor
    group = new_group()
    sprite = system.spawn(Prefab(kind, groups=[group]), (30.5, 40), rotation=45)
    assert getattr(sprite.rect, anchor) == pytest.approx((30.5, 40), abs=1e-4)
    sprite.position = (1.5, 2)
    assert getattr(sprite.rect, anchor) == sprite.position == pytest.approx((1.5, 2), abs=1e-4)
    sprite.rotation = 90
    assert sprite.rect.size == (9, 5)
    assert sprite.position == pytest.approx((1.5, 2), abs=1e-4)


# -- as good as new ----------------------------------------------------------------------------


DAMAGE: list[list[tuple[str, Any]]] = [
    [],
    [("rect", pygame.Rect(1, 2, 3, 4))],
    [("rect", None)],
    [("image", None)],
    [("image", pygame.Surface((40, 40))), ("rect", pygame.Rect(0, 0, 40, 40))],
    [("rotation", 33)],
    [("rotation", 10), ("image", pygame.Surface((7, 3))), ("rotation", 200)],
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("grouped", [True, False], ids=["quick", "plain"])
@pytest.mark.parametrize("rotation", [0.0, 90.0])
def test_a_spawn_restores_image_rect_and_rotation_whatever_the_life_before_did(
    system: PoolingSystem, damage: list[tuple[str, Any]], rotation: float, *, grouped: bool
) -> None:
    prefab = Prefab(Orc, groups=[new_group()] if grouped else [])
    orc = system.spawn(prefab, (1, 1))
    orc.rect.update(float("nan"), float("inf"), 30, 30)
    for name, value in damage:
        setattr(orc, name, value)
    orc.kill()
    again = system.spawn(prefab, (50.5, 60.25), rotation)
    assert again is orc
    assert isinstance(orc.rect, pygame.FRect)
    assert orc.rotation == rotation
    assert orc.rect.size == ((5, 9) if not rotation else (9, 5))
    assert orc.position == (50.5, 60.25)
    assert orc.image is not None
    assert orc.image.get_size() == orc.rect.size
    if not rotation:
        assert orc.image is IMAGE


@pytest.mark.parametrize("who", ["sprite", "part", "component"])
def test_an_image_that_is_first_set_in_spawned_sizes_an_empty_rect(
    system: PoolingSystem, who: str
) -> None:
    class Blank(PooledSprite):
        anchor = "midbottom"

    class Shows(IPoolableComponent):
        def spawned(self, image: pygame.Surface) -> None:
            self.sprite.image = image

    class Sign(Blank):
        def __init__(self) -> None:
            super().__init__()
            self.board = self.add_child(Blank(), (0, -20)) if who == "part" else self
            if who == "component":
                self.add_component(Shows())

        def spawned(self, image: pygame.Surface) -> None:
            if who != "component":
                self.board.image = image

    prefab = Prefab(Sign, groups=[new_group(PooledSprite()), PooledGroup()])
    up = -20 if who == "part" else 0
    for size in ((30, 10), (6, 40)):
        sign = system.spawn(prefab, (100, 50), image=pygame.Surface(size))
        assert sign.board.rect.size == size
        assert sign.board.rect.midbottom == (100, 50 + up)
        sign.kill()
    sized = pygame.FRect(0, 0, 7, 7)

    def size_it(sign: Any, image: Any) -> None:
        del image
        sign.board.rect = sized.copy()

    Sign.spawned = size_it  # type: ignore[assignment, method-assign]
    assert system.spawn(prefab, image=None).board.rect.size == (7, 7)


def test_a_games_own_image_is_set_while_the_sprite_is_upright(system: PoolingSystem) -> None:
    seen: list[float] = []

    class Tilted(Orc):
        image: Any = property(lambda _: IMAGE, lambda self, _: seen.append(self.rotation))

    prefab = Prefab(Tilted, groups=[new_group()])
    for _ in range(2):
        system.spawn(prefab, rotation=90).kill()
        seen.append(-1)
    assert seen == [0, 0, 90, -1, 0, 90, -1]  # built, in play, turned; in play again, turned


class Layered(PooledSprite):
    """Joins a group that asks for its layer."""

    group: Any

    def __init__(self) -> None:
        super().__init__(IMAGE, self.group)


class ByInstance(Layered):
    def __init__(self) -> None:
        self._layer = 3
        super().__init__()


class ByProperty(Layered):
    def __init__(self) -> None:
        super().__init__()
        self.layer = 5


class ByName(Layered):
    layer = 6


@pytest.mark.parametrize(
    ("kind", "layer"),
    [
        (ByInstance, 3),
        (type("ByClass", (Layered,), {"_layer": 4}), 4),
        (ByProperty, 5),
        (ByName, 6),
        (type("Inherited", (ByName,), {}), 6),
    ],
)
def test_a_layer_set_in_any_way_is_used_and_restored(
    system: PoolingSystem, kind: type[Layered], layer: int
) -> None:
    group = Layered.group = pygame.sprite.LayeredUpdates(default_layer=7)
    for _ in range(2):
        sprite = system.spawn(kind)
        assert group.get_layer_of_sprite(sprite) == sprite.layer == layer
        group.change_layer(sprite, 9)
        assert sprite.layer == 9
        other = system.spawn(Orc, groups=[group])
        assert group.get_layer_of_sprite(other) == 7  # the group's own choice
        for member in (sprite, other):
            member.kill()
            assert member not in group


# -- groups ------------------------------------------------------------------------------------


def test_home_groups_may_be_joined_in_every_way_pygame_knows(system: PoolingSystem) -> None:
    groups: list[Any] = [new_group() for _ in range(6)]
    groups.append(pygame.sprite.GroupSingle())  # nobody's place is taken by what only waits

    class Joiner(PooledSprite):
        def __init__(self) -> None:
            super().__init__(IMAGE, groups[0], [groups[1], (groups[2],)])
            self.add(groups[6], [groups[3]])
            groups[4].add(self)

    prefab = Prefab(Joiner, groups=[groups[5]])
    system.prespawn(prefab, 1)
    assert [len(group) for group in groups] == [0] * 7
    joiner = system.spawn(prefab)
    system.prespawn(prefab, 2)
    assert joiner.groups() == [*groups[:3], groups[6], *groups[3:6]]
    joiner.kill()
    assert [len(group) for group in groups] == [0] * 7


@pytest.mark.parametrize(
    "given",
    [
        lambda group: group,
        lambda group: (group,),
        lambda group: [[group]],
        lambda group: lambda: [group],
        lambda group: lambda: group,
    ],
    ids=["one", "several", "nested", "a function", "a function of one"],
)
def test_a_prefabs_groups_may_be_one_several_or_a_function(
    system: PoolingSystem, given: Callable[[Any], Any]
) -> None:
    group, extra = new_group(), new_group()
    prefab = Prefab(Orc, groups=given(group))
    for groups in ([extra], extra):
        orc = system.spawn(prefab, groups=groups)
        assert orc.groups() == [group, extra]
        orc.kill()
        assert orc.groups() == []


# -- the ends of lives -------------------------------------------------------------------------


def test_only_games_call_kill_which_ends_a_life_in_collisions_too(system: PoolingSystem) -> None:
    killed: list[PooledSprite] = []

    class Loud(Orc):
        def kill(self) -> None:
            killed.append(self)
            super().kill()

    group = PooledGroup()
    prefab = Prefab(Loud, groups=[group])
    system.despawn(system.spawn(prefab))
    system.spawn(prefab)
    system.reset()
    assert killed == []
    alive = system.spawn_many(prefab, [(5, 5), (6, 6), (90, 90)])
    assert pygame.sprite.spritecollide(alive[0], group, dokill=True) == alive[:2] == killed
    assert group.sprites() == alive[2:] == list(system.pool(prefab).active)


def test_a_sprite_knows_its_pool_and_may_die_any_time(system: PoolingSystem) -> None:
    prefab = Prefab(Orc, name="orc")
    orc = system.spawn(prefab)
    handle = orc.handle()
    assert (orc.prefab, orc.system, orc.active) == (prefab, system, True)
    assert handle == system.handle(orc)
    assert repr(orc) == "<Orc orc #0001 active>"
    orc.kill()
    assert repr(orc) == "<Orc orc #0001 inactive>"
    group = new_group(orc)
    orc.kill()  # takes it out of what the game has put it into
    assert len(group) == 0
    assert system.pool(prefab).inactive_count == 1
    system.reset()
    orc.kill()
    assert (orc.active, orc.alive(), bool(handle)) == (False, False, False)
    assert "destroyed" in repr(orc)
    with pytest.raises(PoolError, match="destroyed"):
        orc.add_component(IPoolableComponent())
    with pytest.raises(PoolError, match="destroyed"):
        orc.add_child(PooledSprite(), (0, 0))


def test_an_unmanaged_sprite_is_an_ordinary_one() -> None:
    group = new_group()
    orc = PooledSprite(IMAGE, group)
    assert (orc.active, orc.prefab, orc.system) == (False, None, None)
    assert repr(orc) == "<PooledSprite in 1 groups, in no pool>"
    orc.update(0.1)
    orc.kill()
    assert not orc.alive()


# -- adopted, and other kinds of instances -------------------------------------------------------


def test_an_adopted_sprite_keeps_place_image_and_groups(system: PoolingSystem) -> None:
    built_in, joined = new_group(), new_group()
    log: list[object] = []

    class Statue(PooledSprite):
        def __init__(self) -> None:
            super().__init__(IMAGE, built_in)

        def spawned(self, position: tuple[float, float], rotation: float) -> None:
            log.append((position, rotation))

    statue = Statue()
    statue.position = (40.5, 50)
    statue.rotation = 30
    built_in.remove(statue)
    joined.add(statue)
    before = (statue.image, statue.rect.copy(), statue.groups())
    system.adopt(Statue, statue)
    assert (statue.image, statue.rect, statue.groups()) == before
    assert log == [((40.5, 50), 30)]
    statue.kill()
    assert statue.groups() == []
    assert system.spawn(Statue, (1, 2)) is statue
    assert statue.groups() == [joined]
    assert (statue.image, statue.rotation, statue.position) == (IMAGE, 0, (1, 2))


class Plain(pygame.sprite.Sprite, IPoolableComponent):
    """A sprite that isn't poolkit's, and may have no rect."""

    def __init__(self, *groups: Any, rect: Any = None) -> None:
        super().__init__(*groups)
        self.rect = rect
        self.spawned_at: Any = None

    def spawned(self, position: tuple[float, float]) -> None:
        self.spawned_at = position


@pytest.mark.parametrize("rect", [pygame.Rect(0, 0, 4, 4), None])
def test_plain_sprites_are_placed_grouped_and_adopted(system: PoolingSystem, rect: Any) -> None:
    own_group, home = new_group(), new_group()
    prefab = Prefab(lambda: Plain(own_group, rect=rect and rect.copy()), groups=[home])
    system.prespawn(prefab, 1)
    assert len(own_group) == 0
    for _ in range(2):
        sprite = system.spawn(prefab, (20, 30), rotation=45)
        assert sprite.spawned_at == (20, 30)
        assert sprite.rect is None or sprite.rect.center == (20, 30)
        assert sprite.groups() == [own_group, home]
        system.despawn(sprite)
        assert sprite.groups() == []
    system.spawn(prefab).kill()  # pygame's own kill knows no pool
    assert system.is_spawned(sprite)
    statue = Plain(own_group, rect=rect)
    system.adopt(prefab, statue)
    assert statue.spawned_at == (rect.center if rect else (0, 0))
    assert statue.groups() == [own_group]


# -- what users of pygame write ------------------------------------------------------------------


places = st.builds(Vector2, *[st.floats(-1e4, 1e4).map(lambda x: round(x, 2))] * 2)


@given(place=places, other=places, reach=st.floats(-50, 500))
def test_a_position_measures_as_a_vector_does(place: Vector2, other: Vector2, reach: float) -> None:
    position = Position(place)
    assert position.length() == pytest.approx(place.length())
    assert position.distance_to(other) == pytest.approx(place.distance_to(other))
    assert position.distance_to(tuple(other)) == position.distance_to(Position(other))
    assert position.angle_to(other) == pytest.approx(place.angle_to(other))
    if place != other:
        nearer = position.move_towards(other, reach)
        assert isinstance(nearer, Position)
        assert nearer == pytest.approx(place.move_towards(other, reach), abs=1e-6)
    assert position.move_towards(place, reach) == position


@given(place=places, other=places)
def test_a_sprite_looks_at_a_point_with_the_right_side_of_its_image(
    place: Vector2, other: Vector2
) -> None:
    arrow = PooledSprite(IMAGE)
    arrow.position, arrow.rotation = place, 33
    direction = other - arrow.position
    arrow.look_at(other)
    if not direction:
        assert arrow.rotation == 33
        return
    # Counter-clockwise on screen, where y points down.
    nose = Vector2(1, 0).rotate(-arrow.rotation)
    assert nose.dot(direction.normalize()) == pytest.approx(1)


@pytest.mark.parametrize("pair", [(5, 6), [5, 6], Vector2(5, 6), pymunk.Vec2d(5, 6)])
def test_a_position_takes_any_pair_and_reads_as_a_vector_that_does_arithmetic(
    system: PoolingSystem, pair: Any
) -> None:
    sprite = system.spawn(Orc)
    sprite.position = pair
    position = sprite.position
    assert (position.x, position.y) == position == (5, 6)
    assert position + (1, 2) == (1, 2) + position == (6, 8)  # noqa: RUF005 - a sum
    assert position - (1, 2) == (4, 4)
    assert (1, 2) - position == (-4, -4)
    assert position * 2 == (10, 12)
    assert_type(position + (1, 2), Position)  # noqa: RUF005 - as above
    assert_type(position + Vector2(1, 2), Vector2)
    for found in (position + Vector2(1, 2), Vector2(1, 2) + position):
        assert isinstance(found, Vector2)
        assert tuple(found) == (6, 8)
    for found in (position - Vector2(0.1, 2), -(Vector2(0.1, 2) - position)):
        assert isinstance(found, Vector2)
        assert tuple(found) == (5 - 0.1, 4)
    with pytest.raises(AttributeError):
        position.x = 9  # type: ignore[misc]
    sprite.position += pair
    sprite.position -= (1, 1)
    sprite.position += Vector2(60, 0) * 0.5
    assert sprite.position == (39, 11)
    assert system.spawn(Orc, pair).position == (5, 6)


def test_pygames_own_sprite_tests_pass_with_our_classes() -> None:
    ours: dict[str, Any] = {
        "Sprite": PooledSprite,
        "Group": PooledGroup,
        "RenderPlain": PooledGroup,
    }
    stand_in: Any = types.SimpleNamespace(**{**vars(pygame.sprite), **ours})
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
        self.groups = "all"  # type: ignore[assignment,method-assign]


class Early(PooledSprite):
    def __init__(self) -> None:
        self.image = pygame.Surface((6, 6))
        self.rect = pygame.FRect(0, 0, 6, 6)
        super().__init__()


class WithoutSuper(PooledSprite):
    def __init__(self) -> None:
        self.image = pygame.Surface((6, 6))
        self.rect = self.image.get_frect()


class OnTheClass(PooledSprite):
    image = pygame.Surface((6, 6))  # type: ignore[override]
    rect = pygame.FRect(0, 0, 6, 6)  # type: ignore[override]


class DirtyFirst(pygame.sprite.DirtySprite, PooledSprite):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((6, 6))


class DirtyLast(PooledSprite, pygame.sprite.DirtySprite):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(pygame.Surface((6, 6)))
        pygame.sprite.DirtySprite.__init__(self)


@pytest.mark.parametrize("kind", [Spelled, Early, WithoutSuper, OnTheClass, DirtyFirst, DirtyLast])
def test_classes_as_games_write_them_live_twice(system: PoolingSystem, kind: Any) -> None:
    group = PooledGroup()
    prefab = Prefab(kind, groups=[group])
    sprite, other = system.spawn(prefab, (7, 8)), system.spawn(prefab, (1, 1))
    group.draw(pygame.Surface((20, 20)))
    if isinstance(sprite, pygame.sprite.DirtySprite):
        sprite.dirty, sprite.visible, sprite.blendmode = 0, 0, 1
        sprite.source_rect = pygame.Rect(0, 0, 1, 1)
    sprite.kill()
    assert group.sprites() == [other]
    assert system.spawn(prefab, (2, 3)) is sprite
    assert (sprite.position, other.position) == ((2, 3), (1, 1))
    assert sprite in group
    for name in ("dirty", "visible", "blendmode", "source_rect"):
        assert getattr(sprite, name, None) == getattr(other, name, None)
