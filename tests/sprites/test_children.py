"""Sprites that move, live and die with another: parts of a prefab, and pooled children."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygame import Vector2

from poolkit import (
    DespawnReason,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    Prefab,
)
from poolkit.physics import PhysicsWorld
from recorder import Noted, assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = pygame.Surface((4, 8))


class Part(PooledSprite):
    def __init__(self, *groups: Any) -> None:
        super().__init__(IMAGE, *groups)


def tank(log: list[str] | None = None, groups: tuple[Any, ...] = ()) -> Callable[[], PooledSprite]:
    """Return a factory of a sprite with a turret, which has a flag."""

    def build() -> PooledSprite:
        hull: Any = Part(*groups)
        hull.turret, hull.flag = Part(*groups), Part(*groups)
        if log is not None:
            for name in ("hull", "turret", "flag"):
                getattr(hull, name, hull).add_component(Noted(log, name))
        hull.turret.add_child(hull.flag, (0, -5))
        hull.add_child(hull.turret, (10, 0))
        return hull  # type: ignore[no-any-return]

    return build


def test_u13_u14_k11_hooks_of_components_on_parts_run_with_the_roots(system: PoolingSystem) -> None:
    log: list[str] = []
    prefab = Prefab(tank(log))
    hull: Any = system.spawn(prefab)
    names = ["hull", "turret", "flag"]
    assert log == [f"{n}.awake" for n in names] + [f"{n}.spawned" for n in names]
    assert (hull.flag.system, hull.flag.prefab) == (system, prefab)
    hull.add_child(Part(), (1, 1)).add_component(Noted(log, "late"))
    assert log[6:] == ["late.awake", "late.spawned"]
    log.clear()
    hull.kill()
    system.reset()
    back = ["late", *names[::-1]]
    assert log == [f"{n}.despawned" for n in back] + [f"{n}.destroyed" for n in back]


# -- pooled children -----------------------------------------------------------------------------


@dataclass(eq=False)
class Knot:
    """A sprite, and where it is by plain arithmetic: at a place, or on another one."""

    sprite: PooledSprite
    prefab: Prefab[Part] | None
    above: Knot | None
    offset: Vector2
    turn: float = 0.0
    follows_rotation: bool = True
    home: Vector2 = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.offset

    @property
    def ground(self) -> tuple[Vector2, float, float]:
        """Where the sprite above is, and by how much it turns the offset and the sprite."""
        if self.above is None:
            return Vector2(), 0.0, 0.0
        place, degrees = self.above.pose
        return place, degrees if self.follows_rotation else 0.0, degrees

    @property
    def pose(self) -> tuple[Vector2, float]:
        place, degrees, _ = self.ground
        return place + self.offset.rotate(-degrees), degrees + self.turn

    def put(self, place: Vector2, degrees: float) -> None:
        """Let it be there from now on, as long as this life lasts."""
        ground, turned, _ = self.ground
        self.offset, self.turn = (place - ground).rotate(turned), degrees - turned

    def is_on(self, other: Knot, *, as_part: bool = False) -> bool:
        """Whether it hangs on another, or on what does; `as_part`: by parts of prefabs alone."""
        if self is other:
            return True
        if self.above is None or (as_part and self.prefab is not None):
            return False
        return self.above.is_on(other, as_part=as_part)


class Kin:
    """Sprites on sprites, moved and turned at will, beside the arithmetic."""

    def __init__(self) -> None:
        self.system = PoolingSystem()
        self.system.configure(reuse="at_once")
        self.world = PhysicsWorld()
        self.group = PooledGroup()
        self.knots: list[Knot] = []
        self.spawn(None, Vector2(100, 50), 0)

    def spawn(self, above: Knot | None, place: Vector2, degrees: float) -> None:
        prefab = Prefab(Part, groups=[self.group])
        parent = above and above.sprite
        knot = Knot(self.system.spawn(prefab, place, degrees, parent=parent), prefab, above, place)
        knot.put(place, degrees)
        self.knots.append(knot)

    def ride(self, above: Knot, place: Vector2, degrees: float) -> None:
        self.spawn(above, place, degrees)

    def part(self, above: Knot, offset: Vector2, degrees: float) -> None:
        follows = degrees < 100
        part = above.sprite.add_child(Part(self.group), offset, follow_rotation=follows)
        self.knots.append(Knot(part, None, above, offset, 0.0, follows))

    def move(self, knot: Knot, place: Vector2, _: float) -> None:
        knot.sprite.position = place
        knot.put(place, knot.pose[1])

    def rotate(self, knot: Knot, _: Vector2, degrees: float) -> None:
        knot.sprite.rotation = degrees
        knot.put(knot.pose[0], degrees)

    def shove(self, knot: Knot, place: Vector2, degrees: float) -> None:
        """Move a rect behind the library's back, which looks at it in one of its turns."""
        knot.sprite.rect.center = place
        knot.put(place, knot.pose[1])
        looks: list[Callable[[], object]] = [
            lambda: self.system.update(0.1),
            self.group.update,
            lambda: self.group.draw(pygame.Surface((4, 4))),
            lambda: self.world.step(1 / 60),
        ]
        looks[int(degrees) % 4]()

    def let_go(self, knot: Knot, *_: object) -> None:
        if knot.prefab is not None and knot.above is not None:
            knot.above.sprite.release_child(knot.sprite)
            place, degrees = knot.pose
            knot.above = None
            knot.put(place, degrees)

    def live_again(self, knot: Knot, place: Vector2, degrees: float) -> None:
        """End a life, and all on it; begin another, in which its parts are where they were."""
        if knot.prefab is None:
            return
        knot.sprite.kill()
        gone = [one for one in self.knots if one.is_on(knot) and not one.is_on(knot, as_part=True)]
        assert not any(one.sprite.active for one in gone)
        self.knots = [one for one in self.knots if one not in gone]
        for one in self.knots:
            if one.is_on(knot):
                one.offset, one.turn = one.home, 0.0
        assert self.system.spawn(knot.prefab, place, degrees) is knot.sprite
        knot.above = None
        knot.put(place, degrees)

    def check(self) -> None:
        for knot in self.knots:
            place, degrees = knot.pose
            assert knot.sprite.active
            assert knot.sprite in self.group
            assert knot.sprite.parent is (knot.above and knot.above.sprite)
            assert knot.sprite.position == pytest.approx(place, abs=0.05)
            assert knot.sprite.rotation == pytest.approx(degrees, abs=1e-6)


ACTS = [Kin.ride, Kin.ride, Kin.part, Kin.part, Kin.move, Kin.rotate, Kin.rotate, Kin.shove]
ACTS += [Kin.let_go, Kin.live_again]


@settings(max_examples=100)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(ACTS),
            st.integers(0, 9),
            st.builds(Vector2, st.integers(-99, 99), st.integers(-99, 99)),
            st.integers(-200, 200),
        ),
        min_size=5,
        max_size=25,
    )
)
def test_k05_k06_p07_children_and_parts_are_where_plain_arithmetic_has_them(
    steps: list[tuple[Callable[..., None], int, Vector2, float]],
) -> None:
    kin = Kin()
    for act, number, place, degrees in steps:
        act(kin, kin.knots[number % len(kin.knots)], place, degrees)
        kin.check()


def test_p07_k06_a_child_may_hang_on_a_part_or_a_plain_object_and_sees_its_parent_to_the_end(
    system: PoolingSystem,
) -> None:
    class Ship:
        pass

    seen: list[Any] = []

    class Rider(Part):
        def spawned(self, parent: Any) -> None:
            seen.append(parent)

        def despawned(self, reason: DespawnReason) -> None:
            seen.append((self.parent, reason))

    hull: Any = system.spawn(Prefab(tank()), (0, 0))
    rider = system.spawn(Rider, (20, 0), parent=hull.turret)
    assert hull.turret.children == (hull.flag, rider)
    hull.kill()
    assert seen == [hull.turret, (hull.turret, DespawnReason.PARENT)]
    assert not rider.active
    assert rider.parent is None
    ship = system.spawn(Ship)
    sailor = system.spawn(Part, (3, 3), parent=ship)
    assert sailor.parent is None
    system.despawn(ship)
    assert not sailor.active


@pytest.mark.parametrize("again", ["spawn", "adopt"])
def test_order6_p08_a_killed_part_is_hidden_until_its_parents_next_life(
    system: PoolingSystem, again: str
) -> None:
    log: list[str] = []
    group: Any = pygame.sprite.Group()
    prefab = Prefab(tank(log, (group,)))
    hull: Any = system.spawn(prefab)
    log.clear()
    hull.turret.kill()
    assert group.sprites() == [hull]  # what is on the turret goes with it
    assert (hull.active, hull.turret.active, hull.flag.active) == (True, False, False)
    assert log == []
    with pytest.raises(PoolError, match="which is hidden"):
        system.spawn(Part, parent=hull.turret)
    if again == "adopt":
        system.detach(hull)
        system.adopt(prefab, hull)
    else:
        hull.kill()
        system.spawn(prefab)
    assert (hull.turret.active, hull.flag.active) == (True, True)


DEEP = sys.getrecursionlimit() + 200


class Segment(Part):
    """A piece of a snake."""

    anchor = "midbottom"


class Snake(Segment):
    """All segments are parts of one prefab."""

    def __init__(self, group: Any) -> None:
        super().__init__(group)
        self.segments = [Segment(group) for _ in range(DEEP)]
        for tail, head in zip(self.segments, self.segments[1:], strict=False):
            head.add_child(tail, (1, 0))  # from the tail on, as a game may
        self.add_child(self.segments[-1], (1, 0))


def test_k06_chains_of_parts_of_any_depth_spawn_turn_hide_and_die(system: PoolingSystem) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Snake(group))
    snake = system.spawn(prefab, (10, 20))
    tail = snake.segments[0]
    assert tail.position == (10 + DEEP, 20)
    snake.rotation = 90
    assert tail.position == pytest.approx((10, 20 - DEEP), abs=1)
    assert tail.rotation == 90
    assert len(group) == DEEP + 1
    snake.segments[-1].kill()  # hides it, and all that hang on it
    assert group.sprites() == [snake]
    assert not tail.active
    snake.kill()
    assert system.spawn(prefab, (0, 0)) is snake
    assert tail.active
    assert len(group) == DEEP + 1


def test_k06_a_queue_of_followers_of_any_depth_moves_after_the_first(system: PoolingSystem) -> None:
    prefab = Prefab(Part)
    queue: list[Any] = [system.spawn(prefab, (0, 0))]
    for place in range(1, DEEP):
        queue.append(system.spawn(prefab, (place, 0), parent=queue[-1]))
    queue[0].position = (5, 6)
    assert queue[-1].position == (4 + DEEP, 6)
    queue[0].rect.y += 10
    system.update(0.1)
    assert queue[-1].position == (4 + DEEP, 16)
    for follower in reversed(queue):
        follower.kill()
    assert system.pool(prefab).active_count == 0


def test_only_sprites_in_play_are_looked_at_each_frame(system: PoolingSystem) -> None:
    hull: Any = system.spawn(Prefab(tank()), (5, 5))
    hull.kill()
    hull.rect.x += 7
    place = hull.turret.position
    system.update(0.1)
    assert hull.turret.position == place


# -- at the edges --------------------------------------------------------------------------------


def test_x02_what_has_no_groups_joins_its_parents_and_is_drawn_above(system: PoolingSystem) -> None:
    group, own = PooledGroup(), PooledGroup()

    class King(Part):
        def __init__(self) -> None:
            super().__init__()
            crown = pygame.Surface((2, 2))
            crown.fill("gold")
            self.crown = self.add_child(PooledSprite(crown), (0, -1))

    prefab, page = Prefab(King, groups=[group]), Prefab(Part)
    screen = pygame.Surface((20, 20))
    for _ in range(2):
        king = system.spawn(prefab, (10, 10))
        follower = system.spawn(page, (0, 0), parent=king)
        sword = system.spawn(Part, parent=king, groups=[own])
        assert type(king.crown) is PooledSprite  # add_child returns it
        assert group.sprites() == [king, king.crown, follower]
        assert own.sprites() == [sword]
        group.draw(screen)
        assert screen.get_at((10, 9)) == pygame.Color("gold")
        king.kill()
        assert not group
    assert system.spawn(page).groups() == []  # of that life alone


class Sticky(pygame.sprite.Group[Any]):
    def remove_internal(self, sprite: Any) -> None:
        super().remove_internal(sprite)
        message = "stuck"
        raise ValueError(message)


def test_order6_a_child_that_fails_to_leave_is_no_child_any_more(system: PoolingSystem) -> None:
    king = system.spawn(Prefab(Part, groups=[pygame.sprite.Group()]))
    child = system.spawn(Prefab(Part, groups=[Sticky()]), parent=king)
    with pytest.raises(ValueError, match="stuck"):
        child.kill()
    assert king.children == ()


@pytest.mark.parametrize("who", ["itself", "sibling"])
def test_order6_a_life_may_end_while_what_follows_is_moved(system: PoolingSystem, who: str) -> None:
    class Squire(Part):
        @property
        def rotation(self) -> float:
            return PooledSprite.rotation.fget(self)  # type: ignore[attr-defined,no-any-return]

        @rotation.setter
        def rotation(self, degrees: float) -> None:
            PooledSprite.rotation.fset(self, degrees)  # type: ignore[attr-defined]
            if degrees > 90:
                (self if who == "itself" else squires[-1]).kill()

    group: Any = pygame.sprite.Group()
    king = system.spawn(Prefab(Part, groups=[group]))
    squire = Prefab(Squire, groups=[group])
    squires = [system.spawn(squire, (10, 0), parent=king) for _ in range(3)]
    king.rotation = 100
    alive = [one.active for one in squires]
    assert alive == ([False] * 3 if who == "itself" else [True, True, False])


class PointsUp(Part):
    @property
    def rotation(self) -> float:
        return PooledSprite.rotation.fget(self) + 90  # type: ignore[attr-defined,no-any-return]

    @rotation.setter
    def rotation(self, degrees: float) -> None:
        PooledSprite.rotation.fset(self, degrees - 90)  # type: ignore[attr-defined]


class Isometric(Part):
    @property
    def position(self) -> Any:
        x, y = self.rect.center
        return x, y + 40

    @position.setter
    def position(self, position: Any) -> None:
        self.rect.center = position[0], position[1] - 40


@pytest.mark.parametrize("kind", [PointsUp, Isometric])
def test_x02_children_stay_where_they_are_whatever_a_game_makes_of_rotation_and_position(
    system: PoolingSystem, kind: type[Part]
) -> None:
    king = system.spawn(kind, (100, 100), rotation=30)
    child = system.spawn(Part, (120, 100), parent=king)
    system.update(0)
    assert child.position == (120, 100)
    king.rect.x += 1
    system.update(0)
    assert child.position == (121, 100)


def test_order4_what_a_late_part_brings_that_cannot_be_woken_takes_no_part(
    system: PoolingSystem,
) -> None:
    class Asleep(IPoolableComponent):
        def awake(self) -> None:
            raise ValueError

        def spawned(self) -> None:
            pytest.fail("it was never woken")

    king, crown = system.spawn(Part), Part()
    crown.add_component(Asleep())
    with pytest.raises(ValueError):  # noqa: PT011 - its own
        king.add_child(crown, (0, -5))
    king.kill()
    assert system.spawn(Part) is king
    assert crown.components == ()


@pytest.mark.parametrize("lost", [0, 1])
def test_order6_a_lost_rect_stops_no_child_but_its_own(system: PoolingSystem, lost: int) -> None:
    horses = [system.spawn(Part, (100, 100)) for _ in range(2)]
    riders = [system.spawn(Part, (100, 90), parent=horse) for horse in horses]
    (horses[0], riders[0])[lost].rect = None
    horses[1].rect.x += 10
    system.update(0)
    assert riders[1].position == (110, 90)


def test_u16_what_has_no_rect_can_not_be_followed(system: PoolingSystem) -> None:
    king = system.spawn(PooledSprite)
    king.rect = None
    with pytest.raises(PoolError, match=r"can't follow .* no rect"):
        system.spawn(PooledSprite, parent=king)
    assert_counts(system)


@pytest.mark.usefixtures("no_collector")
def test_p12_a_child_that_is_destroyed_is_freed_though_a_timer_of_it_was_set(
    system: PoolingSystem,
) -> None:
    king = system.spawn(PooledSprite)
    child = system.spawn(Prefab(PooledSprite), parent=king)
    child.scope.after(9.0, child.kill)
    freed = weakref.ref(child)
    system.discard(child)
    del child
    assert freed() is None
