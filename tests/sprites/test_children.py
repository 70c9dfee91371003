"""Sprites that move, live and die with another: parts of a prefab, and pooled children."""

from __future__ import annotations

import gc
import sys
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygame import Vector2

from measuring import unmeasured
from physics_kit import Ball
from poolkit import (
    DespawnReason,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    Prefab,
    PrefabError,
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


@pytest.mark.parametrize("offset", [("a", "b"), (None, 1), (1, 2, 3), 5, (float("nan"), 0)])
@pytest.mark.parametrize("is_carried", [False, True])
def test_an_offset_that_is_no_place_ties_nothing(
    system: PoolingSystem, offset: Any, *, is_carried: bool
) -> None:
    hero = system.spawn(Part)
    sword = system.spawn(Part) if is_carried else Part()
    with pytest.raises((TypeError, ValueError), match="the offset of a child"):
        hero.add_child(sword, offset)
    assert (hero.children, sword.parent) == ((), None)
    system.update(0)


@pytest.mark.parametrize("stranger", [None, Part(), pygame.sprite.Sprite()])
def test_only_a_child_can_be_released(system: PoolingSystem, stranger: Any) -> None:
    with pytest.raises(LookupError, match="is no child of"):
        system.spawn(Part).release_child(stranger)


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
    groups: tuple[PooledGroup[Any], ...] = ()  # that it is in, by itself
    released: tuple[float, float] | None = None  # its rotation then, and its own turn
    home: Vector2 = field(init=False)
    home_groups: tuple[PooledGroup[Any], ...] = field(init=False)

    def __post_init__(self) -> None:
        self.home, self.home_groups = self.offset, self.groups

    @property
    def is_in_a_group(self) -> bool:
        """Whether a group draws it, for itself or with what it hangs on."""
        return bool(self.groups or (self.above and self.above.is_in_a_group))

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
        self.groups = PooledGroup[Any](), PooledGroup[Any](layers=True)
        self.knots: list[Knot] = []
        self.spawn(None, Vector2(100, 50), 0)

    def spawn(self, above: Knot | None, place: Vector2, degrees: float) -> None:
        groups = self.some_groups(degrees)
        prefab = Prefab(Part, groups=groups[:1])
        sprite = self.system.spawn(
            prefab, place, degrees, parent=above and above.sprite, groups=groups[1:]
        )
        knot = Knot(sprite, prefab, above, place, groups=groups)
        knot.home_groups = groups[:1]
        knot.put(place, degrees)
        self.knots.append(knot)

    def some_groups(self, degrees: float) -> tuple[PooledGroup[Any], ...]:
        """Return none of the two groups, one of them, or both."""
        return (*self.groups[:1] * (degrees % 2 == 0), *self.groups[1:] * (degrees % 3 == 0))

    def ride(self, above: Knot, place: Vector2, degrees: float) -> None:
        self.spawn(above, place, degrees)

    def part(self, above: Knot, offset: Vector2, degrees: float) -> None:
        follows, groups = degrees < 100, self.some_groups(degrees)
        part = above.sprite.add_child(
            Part(*groups), offset, follow_rotation=follows, below=degrees < 0
        )
        self.knots.append(Knot(part, None, above, offset, 0.0, follows, groups))

    def join_or_leave(self, knot: Knot, _: Vector2, degrees: float) -> None:
        group = self.groups[int(degrees) % 2]
        if group in knot.groups:
            group.remove(knot.sprite)
            knot.groups = tuple(other for other in knot.groups if other is not group)
        else:
            knot.sprite.add(group)
            knot.groups += (group,)

    def move(self, knot: Knot, place: Vector2, _: float) -> None:
        knot.sprite.position = place
        knot.put(place, knot.pose[1])

    def hang(self, knot: Knot, place: Vector2, _: float) -> None:
        """Assign the offset of what hangs on something, shoved or not."""
        if knot.above is None:
            with pytest.raises(PoolError, match="hangs on nothing"):
                knot.sprite.offset = place
            return
        if place.x % 2:
            knot.sprite.rect.move_ip(place.y, 7)
        knot.sprite.offset = place
        knot.offset = place

    def rotate(self, knot: Knot, _: Vector2, degrees: float) -> None:
        knot.sprite.rotation = degrees
        knot.put(knot.pose[0], degrees)

    def shove(self, knot: Knot, place: Vector2, degrees: float) -> None:
        """Move a rect behind the library's back, which looks at it in one of its turns."""
        knot.sprite.rect.center = place
        knot.put(place, knot.pose[1])
        if degrees % 4:
            for group in self.groups:
                looks: list[Callable[[], object]] = [
                    group.update,
                    partial(group.draw, pygame.Surface((4, 4))),
                    partial(group.near, (0, 0)),
                ]
                looks[int(degrees) % 4 - 1]()
        if degrees % 4 == 0 or not all(one.is_in_a_group for one in self.knots):
            self.system.update(0.1)

    def let_go(self, knot: Knot, place: Vector2, _: float) -> None:
        """Release a child right after its parent was moved: it stays where it belongs then."""
        if knot.prefab is not None and knot.above is not None:
            knot.above.sprite.rect.center = place
            knot.above.put(place, knot.above.pose[1])
            knot.above.sprite.release_child(knot.sprite)
            place, degrees = knot.pose
            own_turn = knot.turn if knot.follows_rotation else degrees
            knot.above, knot.released = None, (degrees, own_turn)
            knot.put(place, degrees)

    def carry(self, knot: Knot, place: Vector2, degrees: float) -> None:
        """Let any knot carry another, at an offset, turned to it as to the one before."""
        above = self.knots[int(degrees) % len(self.knots)]
        follows = degrees < 100
        if knot.prefab is None or above.is_on(knot):
            with pytest.raises(PrefabError, match=r"part of another|hangs on it"):
                above.sprite.add_child(knot.sprite, place, follow_rotation=follows)
            return
        assert above.sprite.add_child(knot.sprite, place, follow_rotation=follows) is knot.sprite
        if knot.above is None and knot.released and knot.released[0] == knot.turn:
            knot.turn = knot.released[1]
        knot.above, knot.follows_rotation = above, follows
        knot.offset = place

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
                one.offset, one.turn, one.groups = one.home, 0.0, one.home_groups
        assert self.system.spawn(knot.prefab, place, degrees) is knot.sprite
        knot.above, knot.follows_rotation, knot.released = None, True, None
        knot.put(place, degrees)

    def check(self) -> None:
        for knot in self.knots:
            place, degrees = knot.pose
            assert knot.sprite.active
            assert [group for group in self.groups if knot.sprite in group] == [
                group for group in self.groups if group in knot.groups
            ]
            assert knot.sprite.parent is (knot.above and knot.above.sprite)
            assert knot.sprite.position == pytest.approx(place, abs=0.05)
            offset = None if knot.above is None else pytest.approx(knot.offset, abs=0.05)
            assert knot.sprite.offset == offset
            assert knot.sprite.rotation == pytest.approx(degrees, abs=1e-6)


ACTS = [Kin.ride, Kin.ride, Kin.part, Kin.part, Kin.move, Kin.rotate, Kin.rotate, Kin.shove]
ACTS += [
    Kin.join_or_leave,
    Kin.join_or_leave,
    Kin.shove,
    Kin.let_go,
    Kin.live_again,
    Kin.carry,
    Kin.carry,
    Kin.hang,
    Kin.hang,
]


@settings(max_examples=200)
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
def test_children_and_parts_are_where_plain_arithmetic_has_them(
    steps: list[tuple[Callable[..., None], int, Vector2, float]],
) -> None:
    kin = Kin()
    for act, number, place, degrees in steps:
        act(kin, kin.knots[number % len(kin.knots)], place, degrees)
        kin.check()


def test_a_part_that_is_built_at_another_offset_begins_every_life_there(
    system: PoolingSystem,
) -> None:
    class King(Part):
        def __init__(self) -> None:
            super().__init__()
            self.crown, self.beard = (self.add_child(Part(), (0, -9)) for _ in range(2))
            self.crown.offset = (0, -20)

        def awake(self) -> None:
            self.beard.offset = (0, -4)

    king = system.spawn(King, (50, 50))
    for _ in range(2):
        assert (king.crown.position, king.beard.position) == ((50, 30), (50, 46))
        king.crown.offset = king.beard.offset = (3, 3)
        king.rotation = 90
        king.rect.move_ip(10, 0)
        assert king.crown.position == king.beard.position == (53, 47)  # moved with the next frame
        system.update(0)
        assert (king.beard.position, king.beard.offset) == ((63, 47), (3, 3))
        king.kill()
        assert system.spawn(King, (50, 50)) is king


def test_an_offset_moves_the_body_of_what_is_carried_too(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    king, ball = system.spawn(Part, (10, 0)), system.spawn(Prefab(lambda: Ball(world)), (30, 0))
    king.add_child(ball, (5, 5))
    assert ball.offset == (20, 0)  # it is where its body is
    ball.offset = (5, 6)
    world.step(0.1)
    assert ball.position == (15, 6) == ball.body.position


def test_a_child_of_a_part_sees_its_parent_to_the_end(system: PoolingSystem) -> None:
    seen: list[Any] = []

    class Rider(Part):
        def spawned(self, parent: Any) -> None:
            seen.append(parent)

        def despawned(self, reason: DespawnReason) -> None:
            seen.append((self.parent, reason))

    hull: Any = system.spawn(Prefab(tank()), (0, 0))
    rider = system.spawn(Rider, (20, 0), parent=hull.turret)
    hull.kill()
    assert seen == [hull.turret, (hull.turret, DespawnReason.PARENT)]
    assert rider.parent is None


def test_what_a_killed_part_began_by_its_scope_is_undone(system: PoolingSystem) -> None:
    log: list[str] = []
    ticking = Noted(log, "hand")

    class Clock(Part):
        def __init__(self) -> None:
            super().__init__()
            self.hand = self.add_child(Part(), (0, 0))
            self.hand.add_component(ticking)

        def spawned(self) -> None:
            self.scope.every(1, lambda: log.append("tick"))
            self.hand.scope.callback(lambda: log.append("undone"))
            ticking.scope.every(1, lambda: log.append("tock"))

    def passed() -> list[str]:
        log.clear()
        system.update(1)
        return sorted(log)

    clock = system.spawn(Clock)
    hand = clock.hand
    assert hand.scope is ticking.scope is not clock.scope
    assert repr(hand.scope) == "<Scope(Part of Clock #0001, 2 to undo)>"
    assert passed() == ["tick", "tock"]
    hand.kill()
    assert log[-1] == "undone"
    for whose in (hand, ticking):
        with pytest.raises(PoolError, match="no scope until its sprite's next life"):
            _ = whose.scope
    assert passed() == ["tick"]
    hand.kill()
    assert log == ["tick"]
    for _ in range(2):
        clock.kill()
        assert passed() == []
        with pytest.raises(PoolError, match="it has no scope"):
            _ = hand.scope
        assert system.spawn(Clock) is clock
        assert passed() == ["tick", "tock"]
    hand.scope.after(1, hand.kill)
    assert passed() == ["tick", "tock", "undone"]
    clock.kill()
    assert "undone" not in log[3:]


@pytest.mark.usefixtures("no_collector")
def test_a_sprite_that_is_destroyed_is_freed_though_a_timer_of_its_part_was_set(
    system: PoolingSystem,
) -> None:
    hull: Any = system.spawn(Prefab(tank()))
    hull.turret.scope.after(9.0, hull.turret.kill)
    freed = [weakref.ref(hull), weakref.ref(hull.turret)]
    system.discard(hull)
    del hull
    assert [reference() for reference in freed] == [None, None]


@pytest.mark.parametrize("again", ["spawn", "adopt"])
def test_a_killed_part_is_hidden_until_its_parents_next_life(
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


class Watched(Part):
    """Counts how often somebody asks where any of its kind is."""

    reads = 0
    place: Any = None

    @property
    def rect(self) -> Any:
        Watched.reads += 1
        return self.place

    @rect.setter
    def rect(self, rect: Any) -> None:
        self.place = rect


def test_what_hangs_on_sprites_is_no_business_of_other_groups_systems_and_worlds(
    system: PoolingSystem,
) -> None:
    class Wearer(Watched):
        def __init__(self) -> None:
            super().__init__()
            self.add_child(Watched(), (0, -5)).add_child(Watched(), (0, -5))

    groups, strangers, worlds = (
        PooledGroup(),
        PooledGroup[Any](),
        [PhysicsWorld() for _ in range(2)],
    )
    wearer = system.spawn(Prefab(Wearer, groups=[groups]))
    system.spawn(Watched, parent=wearer)
    other = PoolingSystem()
    other.spawn(Prefab(Wearer, groups=[PooledGroup()]))
    rider = other.spawn(Prefab(lambda: Ball(worlds[0]), groups=[strangers]))
    other.spawn(Part, parent=rider)
    screen = pygame.Surface((4, 4))
    reads = []
    for look in (
        partial(strangers.update, 0.1),
        partial(strangers.draw, screen),
        partial(strangers.near, (0, 0)),
        partial(strangers.despawn_outside, (-9, -9, 20, 20)),
        partial(PoolingSystem().update, 0.1),
        partial(worlds[0].step, 0.1),
        partial(worlds[1].step, 0.1),
    ):
        Watched.reads = 0
        look()
        reads.append(Watched.reads)
    assert reads == [0] * 7
    system.update(0.1)
    assert Watched.reads > 0


def test_what_hangs_on_a_body_is_moved_by_its_world(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(Prefab(lambda: Ball(world)), (30, 0))
    child = system.spawn(Part, (30, 9), parent=ball)
    grandchild = system.spawn(Part, (30, 19), parent=child)
    ball.body.velocity = (60, 0)
    world.step(0.1)
    assert (child.position, grandchild.position) == ((36, 9), (36, 19))
    system.detach(ball)  # its children end, and its body stays
    hat = ball.add_child(Part(), (0, -5))
    world.step(0.1)
    assert (ball.position, hat.position) == ((42, 0), (42, -5))


@pytest.mark.parametrize("end", [Part.kill, PoolingSystem.detach, PoolingSystem.discard, None])
def test_nobody_keeps_a_parent_that_has_left_play(
    system: PoolingSystem, end: Callable[..., object] | None
) -> None:
    group = PooledGroup[Any]()
    parent = system.spawn(Prefab(Part, groups=[group]), (5, 5))
    child = system.spawn(Part, (5, 5), parent=parent)
    group.update(0.1)
    if end is None:
        parent.release_child(child)
    else:
        end(*[system] * (end is not Part.kill), parent)
    freed = weakref.ref(parent)
    group.empty()
    del parent
    system.reset()
    gc.collect()  # for what was detached
    assert freed() is None


class Hat(Part):
    """Has a feather, which has a bead."""

    def __init__(self) -> None:
        super().__init__()
        self.feather = self.add_child(Part(), (10, 0))
        self.bead = self.feather.add_child(Part(), (10, 0))


def spawned_late(system: PoolingSystem) -> Hat:
    return system.spawn(Part).add_child(Hat(), (0, 0))


def adopted(system: PoolingSystem) -> Hat:
    hat = Hat()
    system.adopt(Hat, hat)
    return hat


def spawned(system: PoolingSystem) -> Hat:
    return system.spawn(Hat)


@pytest.mark.parametrize("make", [spawned, spawned_late, adopted])
def test_a_system_moves_parts_in_no_group_until_their_sprite_is_detached(
    system: PoolingSystem, make: Callable[[PoolingSystem], Hat]
) -> None:
    hat = make(system)
    for moved in (hat, hat.feather):
        moved.position = (50, 50)
        moved.rect.x += 5
        system.update(0.1)
        assert hat.bead.position == (65 + 10 * (moved is hat), 50)
    if make is not spawned_late:
        system.detach(hat)
        hat.feather.rect.x += 5
        system.update(0.1)
        assert hat.bead.position == (65, 50)


DEEP = sys.getrecursionlimit() + 200


class Segment(Part):
    """A piece of a snake."""

    anchor = "midbottom"


class Snake(Segment):
    """All segments are parts of one prefab, members of groups of their own or of none."""

    def __init__(self, home: Any, *groups: Any) -> None:
        super().__init__(home)
        self.segments = [Segment(*groups) for _ in range(DEEP)]
        for tail, head in zip(self.segments, self.segments[1:], strict=False):
            head.add_child(tail, (1, 0))  # from the tail on, as a game may
        self.add_child(self.segments[-1], (1, 0))


@pytest.mark.parametrize("are_members", [False, True])
@unmeasured()
def test_chains_of_parts_of_any_depth_spawn_turn_hide_and_die(
    system: PoolingSystem, *, are_members: bool
) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Snake(group, *[group] * are_members))
    snake = system.spawn(prefab, (10, 20))
    tail, number = snake.segments[0], 1 + DEEP * are_members

    def is_drawn(place: tuple[int, int]) -> bool:
        screen = pygame.Surface((DEEP + 50, 40))
        screen.fill("white")
        group.update(0.1)
        group.draw(screen)
        return screen.get_at(place) == pygame.Color("black")

    assert tail.position == (10 + DEEP, 20)
    assert is_drawn((10 + DEEP, 18))
    snake.rotation = 90
    assert tail.position == pytest.approx((10, 20 - DEEP), abs=1)
    assert tail.rotation == 90
    assert len(group) == number
    snake.segments[-1].kill()  # hides it, and all that hang on it
    snake.rotation = 0
    assert group.sprites() == [snake]
    assert not tail.active
    assert not is_drawn((10 + DEEP, 18))
    snake.kill()
    assert system.spawn(prefab, (0, 20)) is snake
    assert tail.active
    assert len(group) == number
    assert is_drawn((DEEP, 18))


@unmeasured()
def test_a_queue_of_followers_of_any_depth_moves_after_the_first(system: PoolingSystem) -> None:
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


def test_a_part_is_in_its_place_when_it_is_updated(system: PoolingSystem) -> None:
    seen = []

    class Arm(Part):
        def update(self, dt: float) -> None:
            seen.append((*self.position, dt))
            self.rect.y += 5

    class Crab(Part):
        def __init__(self) -> None:
            super().__init__()
            self.arm = self.add_child(Arm(), (8, 0))
            self.claw = self.arm.add_child(Arm(), (4, 0), follow_rotation=False)

        def update(self, dt: float) -> None:
            self.rect.x += dt

    crabs = PooledGroup()
    crab = system.spawn(Prefab(Crab, groups=[crabs]), (100, 50))
    for _ in range(2):
        crabs.update(1)
    assert seen == [(109, 50, 1), (113, 55, 1), (110, 55, 1), (114, 65, 1)]
    assert (crab.arm.position, crab.claw.position) == ((110, 60), (114, 70))


class Squire(Part):
    """Joins groups in its hook, if any are named."""

    def spawned(self, into: Any = ()) -> None:
        self.add(into)


PLAIN: list[Any] = [pygame.sprite.Group, pygame.sprite.LayeredUpdates, pygame.sprite.GroupSingle]


@pytest.mark.parametrize("plain", PLAIN)
@pytest.mark.parametrize("child", [None, Part, Squire])
def test_the_log_tells_once_of_what_hangs_on_a_sprite_in_groups_of_pygames_own(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture, plain: Any, child: type[Part] | None
) -> None:
    class Chief(Part):
        def __init__(self) -> None:
            super().__init__()
            if child is None:
                self.add_child(Part(), (0, 0))

    def told(*groups: Any, **options: Any) -> list[str]:
        caplog.clear()
        chief = system.spawn(Prefab(Chief, groups=groups))
        if child is not None:
            system.spawn(child, parent=chief, **options)
        system.update(0.1)
        chief.kill()
        return caplog.messages.copy()

    assert told() == told(PooledGroup()) == told(plain(), PooledGroup()) == []
    if child is Squire:
        assert told(plain(), into=plain()) == []
    (words,) = told(plain())
    assert "hangs on <Chief Chief #0001" in words
    assert "use a PooledGroup, or give the part groups of its own" in words
    assert told(plain()) == []


def test_the_log_tells_of_a_plain_sprite_that_was_spawned_under_another_without_groups(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    class Extra(pygame.sprite.Sprite):
        pass

    chief = system.spawn(Prefab(Part, groups=[PooledGroup()]))
    system.spawn(Extra, parent=chief, groups=[PooledGroup()])
    assert caplog.messages == []
    for _ in range(2):
        assert system.spawn(Extra, parent=chief).groups() == []
    assert ["only a PooledSprite hangs on another" in words for words in caplog.messages] == [True]


class Sticky(pygame.sprite.Group[Any]):
    def remove_internal(self, sprite: Any) -> None:
        super().remove_internal(sprite)
        message = "stuck"
        raise ValueError(message)


def test_a_child_that_fails_to_leave_is_no_child_any_more(system: PoolingSystem) -> None:
    king = system.spawn(Prefab(Part, groups=[pygame.sprite.Group()]))
    child = system.spawn(Prefab(Part, groups=[Sticky()]), parent=king)
    with pytest.raises(ValueError, match="stuck"):
        child.kill()
    assert king.children == ()


@pytest.mark.parametrize("who", ["itself", "sibling"])
def test_a_life_may_end_while_what_follows_is_moved(system: PoolingSystem, who: str) -> None:
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


def test_what_a_late_part_brings_that_cannot_be_woken_takes_no_part(
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
def test_a_lost_rect_stops_no_child_but_its_own(system: PoolingSystem, lost: int) -> None:
    horses = [system.spawn(Part, (100, 100)) for _ in range(2)]
    riders = [system.spawn(Part, (100, 90), parent=horse) for horse in horses]
    (horses[0], riders[0])[lost].rect = None
    horses[1].rect.x += 10
    system.update(0)
    assert riders[1].position == (110, 90)


def test_what_has_no_rect_can_not_be_followed(system: PoolingSystem) -> None:
    king = system.spawn(PooledSprite)
    king.rect = None
    with pytest.raises(PoolError, match=r"can't follow .* no rect"):
        system.spawn(PooledSprite, parent=king)
    assert_counts(system)


@pytest.mark.usefixtures("no_collector")
def test_a_child_that_is_destroyed_is_freed_though_a_timer_of_it_was_set(
    system: PoolingSystem,
) -> None:
    king = system.spawn(PooledSprite)
    child = system.spawn(Prefab(PooledSprite), parent=king)
    child.scope.after(9.0, child.kill)
    freed = weakref.ref(child)
    system.discard(child)
    del child
    assert freed() is None
