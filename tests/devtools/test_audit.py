"""What an audit is given and returns, and that it leaves a game as it was."""

from __future__ import annotations

import cProfile
import datetime as dt
import functools
import gc
import math
import random
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recorder
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    UseAfterDespawnError,
    pools,
)
from poolkit.devtools import audit, enable_strict, values
from poolkit.devtools.values import described
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from poolkit.scenes import Scene, SceneManager, settle

if TYPE_CHECKING:
    from collections.abc import Generator

    from hypothesis.strategies import SearchStrategy


@pytest.fixture(autouse=True)
def _idle() -> None:
    pools.reset()


class Health(IPoolableComponent):
    def __init__(self, maximum: int) -> None:
        self.current = maximum

    def hit(self, damage: int) -> None:
        self.current -= damage  # the place


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))
        self.health = self.add_component(Health(30))


def fight(orc: Orc) -> None:
    orc.health.hit(18)


class Calm(PooledSprite):
    """Leaks nothing, and has no method that could."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))
        self.mood = "calm"


# -- the report ------------------------------------------------------------------------------


def test_a_field_that_is_not_reset_is_a_leak_with_both_values_and_its_place() -> None:
    report = audit(Prefab(Orc, name="orc"), fight)
    place = recorder.place(__file__, "the place")
    [leak] = report.leaks
    assert str(report) == (
        "orc: 1 leak between lives\n"
        "  orc.health.current: fresh 30, respawned 12: "
        f"set in Health.hit ({place}), never reset in spawned or despawned"
    )
    assert (leak.path, leak.kind) == ("orc.health.current", "changed")
    assert (leak.fresh, leak.respawned) == (30, 12)
    assert leak.where == f"Health.hit ({place})"
    assert repr(leak) == "<Leak(orc.health.current, changed)>"
    assert repr(report) == f"<AuditReport('orc', leaks=1, values={report.values})>"
    assert not report
    assert report.unplayed == ()  # nor is it told a second time


# -- what is audited -------------------------------------------------------------------------


def test_prefabs_are_given_as_such_as_classes_and_as_registered_names(
    system: PoolingSystem,
) -> None:
    named = system.register(Prefab(Calm, name="grunt"))
    assert str(audit("grunt", system=system)).startswith("grunt: clean")
    assert str(audit(named, system=system)).startswith("grunt: clean")
    assert str(audit(Calm, system=system)).startswith("Calm: clean")


def test_without_a_life_of_the_games_own_updates_are_played() -> None:
    class Ageing(PooledSprite):
        age = 0.0

        def update(self, dt: float) -> None:
            self.age += dt

    assert audit(Ageing).leaks[0].respawned == pytest.approx(3)
    assert audit(Ageing, seconds=0.5).leaks[0].respawned == pytest.approx(0.5)
    assert audit(Ageing, seconds=0).leaks == ()


def test_updates_without_seconds_are_played_too_and_others_are_noted() -> None:
    class Plain(pygame.sprite.Sprite):
        ticks = 0
        rect = None

        def update(self) -> None:
            self.ticks += 1

    class Choosy(Plain):
        def update(self, dt: float, player: object) -> None:  # type: ignore[override]
            raise AssertionError((dt, player))

    class Seeing(Plain):
        def __init__(self) -> None:
            super().__init__()
            self.prey: object = None

        def update(self, player: Any) -> None:  # type: ignore[override]
            self.hunt(player)

        def hunt(self, player: Any) -> None:
            self.prey = player.rect

    class Pressed(Seeing):
        def hunt(self, keys: Any) -> None:
            if keys[pygame.K_LEFT]:
                self.prey = keys

    assert audit(Plain).leaks[0].respawned == 180
    report = audit(Choosy)
    assert report.ok
    assert str(report).endswith(f"note: {report.notes[0]}")
    how = "the seconds of a frame: to play it, pass live=, as in audit(prefab, lambda it: it.update"
    for kind, why in {
        Choosy: "takes something else than",
        Seeing: "raised AttributeError(\"'float' object has no attribute 'rect'\") when given",
        Pressed: "raised TypeError(\"'float' object is not subscriptable\") when given",
    }.items():
        report = audit(kind)
        [note] = report.notes
        name = f"{kind.__name__}.update" if kind is not Pressed else "Seeing.update"
        assert note.startswith(f"{name} was not played, because it {why} {how}")
        assert report.leaks == ()
        # It is read instead.
        told = [finding.attribute for finding in report.unplayed]
        assert told == ([] if kind is Choosy else ["prey"])


def test_what_an_update_raises_of_its_own_comes_out() -> None:
    class Broken(PooledSprite):
        def update(self, dt: float) -> None:
            speed: Any = dt and None
            self.speed = speed + 1

    with pytest.raises(TypeError, match="NoneType"):
        audit(Broken)


def test_what_is_handed_in_as_spawn_data_is_the_games_own() -> None:
    class Arrow(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.log: list[object] = []
            self.own: list[object] = []

        def spawned(self, log: list[object], box: dict[str, Any]) -> None:
            self.log, self.counts = log, box["counts"]
            log.append(self)
            self.counts["arrows"] += 1
            self.own.append(7)

    data: dict[str, Any] = {"log": [], "box": {"counts": {"arrows": 0}}}
    report = audit(Prefab(Arrow, sample_data=data))
    assert [leak.path for leak in report.leaks] == ["Arrow.own"]
    assert audit(Arrow, data=data, ignore="own").ok


def test_spawn_data_is_the_prefabs_own_sample_unless_other_data_is_given() -> None:
    class Arrow(PooledSprite):
        def spawned(self, position: tuple[float, float], velocity: int) -> None:
            seen.append((position, velocity))

    seen: list[object] = []
    prefab = Prefab(Arrow, name="arrow", sample_data={"velocity": 3})
    assert audit(prefab).ok
    assert audit(prefab, data={"velocity": 4, "position": (5, 6)}).ok
    assert audit(prefab, data=lambda: {"velocity": 5, "parent": pools.spawn(Calm)}).ok
    sample = {"velocity": 6, "parent": Calm}
    needy = prefab.variant(sample_data=lambda: sample | {"parent": pools.spawn(Calm)})
    assert audit(needy).ok
    assert len(pools.pool(Calm).active) == 0
    expected = [((0, 0), 3), ((5, 6), 4), ((0, 0), 5), ((0, 0), 6)]
    assert seen == [number for number in expected for _ in range(3)]


def test_names_paths_and_wildcards_are_ignored_on_request() -> None:
    assert audit(Orc, fight, ignore="health.current").ok
    assert audit(Orc, ignore="health.current").ok  # nor is it read
    assert audit(Orc, fight, ignore=["health.*"]).ok
    assert audit(Orc, fight, ignore=["health"]).ok
    assert not audit(Orc, fight, ignore=["current"]).ok


def test_long_and_deep_things_are_looked_at_too() -> None:
    class Chain:
        def __init__(self, length: int) -> None:
            self.next = Chain(length - 1) if length else None
            self.value = 0

    class Long(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.chain = Chain(40)
            self.many = list(range(1_500))
            self.boxes = [[number] for number in range(1_500)]

    def change(long: Long) -> None:
        long.many[1_400] = 0
        long.boxes[1_400].append(0)
        long.chain.value = 2

    report = audit(Long, change)
    found = {leak.path for leak in report.leaks}
    assert found == {"Long.many", "Long.boxes[1400]", "Long.chain.value"}
    assert report.notes == ()


def test_a_huge_instance_is_cut_without_a_false_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(values, "MOST", 500)

    class Huge(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.rows = [[[column] for column in range(30)] for _ in range(30)]

    report = audit(Huge, lambda huge: huge.rows[0][0].append(1))
    assert [leak.path for leak in report.leaks] == ["Huge.rows[0][0]"]
    [note] = report.notes
    assert "after the first 500 values" in note
    assert str(report).endswith(f"note: {note}")


def test_what_is_nested_too_deeply_is_cut_and_the_audit_says_where() -> None:
    class Nested(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.mood = "calm"
            self.deep: Any = []
            for _ in range(5_000):
                self.deep = [self.deep]
            self.wide = [list(range(90)) for _ in range(100)]

    def live(nested: Nested) -> None:
        nested.mood = "angry"
        nested.wide[0][0] = 7

    report = audit(Nested, live)
    assert [leak.path for leak in report.leaks] == ["Nested.mood", "Nested.wide[0][0]"]
    [note] = report.notes
    assert len(note) < 150
    [leak] = audit(Nested, lambda nested: nested.wide.clear()).leaks
    assert leak.path == "Nested.wide"


def test_a_body_that_only_its_rigid_body_knows_is_looked_at_too() -> None:
    class Ball(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((8, 8)))
            body = pymunk.Body(1, 10)
            self.rigid = self.add_component(RigidBody(PhysicsWorld(), body, pymunk.Circle(body, 4)))

    [leak] = audit(Ball, lambda ball: setattr(ball.rigid.body, "torque", 3)).leaks
    assert leak.path == "Ball.rigid.bodies[0].torque"


def test_of_two_pictures_is_said_what_differs() -> None:
    class Looks(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.pictures = [pygame.Surface((4, 4)) for _ in range(4)]
            self.last = pygame.Surface((4, 4))

    def live(looks: Looks) -> None:
        faint, keyed, clipped, drawn = looks.pictures
        faint.set_alpha(30)
        keyed.set_colorkey("red")
        clipped.set_clip((1, 1, 2, 2))
        drawn.set_at((0, 0), "red")
        looks.last = pygame.Surface((5, 4))

    shown = [(str(leak.fresh), str(leak.respawned)) for leak in audit(Looks, live).leaks]
    pixels = [re.sub("[0-9a-f]{8}", "#", text) for text in shown.pop(4)]
    assert pixels == ["<Surface 4x4, pixels #>"] * 2
    assert shown == [
        ("<Surface 4x4, pixels 2c0e7f9f, clip (0, 0, 4, 4)>", shown[0][1]),
        ("<Surface 4x4, alpha None>", "<Surface 4x4, alpha 30>"),
        ("<Surface 4x4, color key None>", "<Surface 4x4, color key (255, 0, 0, 255)>"),
        ("<Surface 4x4, clip (0, 0, 4, 4)>", "<Surface 4x4, clip (1, 1, 2, 2)>"),
    ]


# -- what was not played ---------------------------------------------------------------------


def test_methods_that_never_ran_are_read_in_the_same_report() -> None:
    report = audit(Prefab(Orc, name="orc"))
    assert not report.ok
    assert report.leaks == ()
    [finding] = report.unplayed
    assert (finding.owner, finding.attribute) == ("Health", "current")
    assert str(report) == (
        "orc: nothing leaked in the life that was played\n"
        "  not played, but by their source these leak (pass live= to see):\n"
        f"    {finding}"
    )
    assert repr(report) == f"<AuditReport('orc', leaks=0, values={report.values}, unplayed=1)>"


def test_a_method_that_never_ran_is_read_although_another_one_did() -> None:
    class Cursed(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.curses: list[float] = []

        def update(self, dt: float) -> None:
            self.curses = [curse for curse in self.curses if curse > dt]

        def curse(self) -> None:
            self.curses.append(3)

    [finding] = audit(Cursed).unplayed
    assert "changed by append() in curse()" in finding.problem


def test_what_a_constructor_takes_of_the_moment_is_told_although_two_lives_are_alike() -> None:
    class Ghost(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.born = pygame.time.get_ticks()

        def update(self, dt: float) -> None:
            assert pygame.time.get_ticks() - self.born + dt > 0

    report = audit(Ghost)
    [finding] = report.unplayed
    assert not report.ok
    assert finding.attribute == "born"
    assert "it from pygame.time.get_ticks() once" in finding.problem
    assert finding.hint == "hint: move it to spawned, or say # poolkit: kept"


def test_a_system_in_which_something_is_alive_is_refused(system: PoolingSystem) -> None:
    orc = system.spawn(Calm)
    with pytest.raises(PoolError, match="nothing is alive, and there are 1 of Calm: call it"):
        audit(Calm, system=system)
    orc.kill()
    assert audit(Calm, system=system)  # it is clean
    mine = pools.spawn(Calm)
    with pytest.raises(PoolError, match="nothing is alive"):
        audit(Calm)
    assert audit(Calm, system=system).ok  # the game goes on elsewhere
    assert mine.active


# -- nothing is left behind ------------------------------------------------------------------


def test_a_system_its_groups_and_its_physics_are_left_as_they_were(
    system: PoolingSystem,
) -> None:
    monsters = PooledGroup()
    world = PhysicsWorld(gravity=(0, 900))
    world.on_collision(1, 1, begin=lambda *_: None)
    floor = pymunk.Segment(world.space.static_body, (-9, 500), (9, 500), 1)
    world.space.add(floor)

    class Ball(Orc):
        def __init__(self) -> None:
            super().__init__()
            self.body = pymunk.Body(1, 10)
            self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 4)))
            self.add_component(ResetPooledBodyComponent())

    def live(other: Ball) -> None:
        assert other in monsters
        assert system.try_spawn(ball) is not None
        world.step(0.2)
        assert other.body.position.y > 0
        world.space.add(pymunk.Segment(world.space.static_body, (-9, 0), (9, 0), 1))
        world.on_collision(4, 4, begin=lambda *_: None)

    ball = Prefab(Ball, name="ball", groups=[monsters], settings=PoolSettings(prespawn=3))
    resting = system.prespawn(ball)
    pooled = system.all_pools()
    classes = (Ball, Orc, Health, PooledSprite, pymunk.Body, pymunk.Circle, RigidBody)
    before, dice = [dict(vars(cls)) for cls in classes], random.getstate()
    wall, callback = audit(ball, live, system=system).leaks
    assert (wall.path, callback.path) == ("ball.space", "ball.space")
    assert "still called for all that collides after the despawn" in str(callback)
    assert system.all_pools() == pooled
    assert system.pool(ball).inactive_count == resting
    assert len(monsters) == 0
    assert [*world.space.bodies, *world.space.shapes] == [floor]
    assert random.getstate() == dice
    assert [dict(vars(cls)) for cls in classes] == before
    assert system.spawn(ball).active


def test_strict_mode_and_chaos_do_not_disturb_it_and_stay_on(system: PoolingSystem) -> None:
    enable_strict(system, chaos=1)
    over = system.spawn(Orc)
    over.kill()
    system.update(0.1)

    class Sees(PooledSprite):
        other = over

        def spawned(self) -> None:
            self.seen = [over]

    assert audit(Sees, system=system).ok
    assert len(audit(Orc, fight, system=system).leaks) == 1
    with pytest.raises(UseAfterDespawnError):
        _ = over.health
    assert len(system._context.life_watchers) == 2


def test_what_a_scene_has_frozen_is_asked_too_and_frozen_again() -> None:
    bus: list[object] = []
    bus.append(bus)  # the collector's business
    try:
        settle()
        frozen = gc.get_freeze_count()
        [leak] = audit(Soldier, lambda it: bus.append(it.march)).leaks
        assert leak.kind == "subscription"
        assert gc.get_freeze_count() >= frozen // 2
    finally:
        gc.unfreeze()
        bus.clear()
    assert audit(Calm).ok
    assert gc.get_freeze_count() == 0


def test_classes_are_given_back_their_own_ways_of_setting_attributes() -> None:
    class Base(PooledSprite):
        level = 1

        def __setattr__(self, name: str, value: object) -> None:
            written.append(name)
            super().__setattr__(name, value)

    class Derived(Base):
        pass

    written: list[str] = []
    original = Base.__setattr__

    def live(derived: Derived) -> None:
        derived.level = 2
        assert type(derived) is Derived

    [leak] = audit(Derived, live).leaks
    assert leak.where is not None
    assert leak.where.startswith("live (test_audit.py:")
    assert Base.__setattr__ is original
    assert "__setattr__" not in vars(Derived)
    assert "level" in written


def test_a_profiler_that_watches_an_audit_goes_on_watching() -> None:
    profiler = cProfile.Profile()
    profiler.enable()
    assert len(audit(Orc, fight).leaks) == 1
    described(7)
    profiler.disable()
    assert described.__code__ in [entry.code for entry in profiler.getstats()]


# -- what goes wrong -------------------------------------------------------------------------


DOING = {
    "__init__": "being built",
    "spawned": "the first spawn of another one",
    "despawned": "being destroyed",
    "update": "its life",
}


@pytest.mark.parametrize("where", DOING)
def test_bad_input_what_the_instance_raises_comes_out_with_what_was_being_done(where: str) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    group = PooledGroup()
    kind = type("Fragile", (PooledSprite,), {where: fail})
    home, dice = pools._context, random.getstate()
    with pytest.raises(ZeroDivisionError) as caught:
        audit(Prefab(kind, name="fragile", groups=[group]))
    assert f"while auditing fragile: in {DOING[where]}" in caught.value.__notes__
    assert pools._context is home
    assert random.getstate() == dice
    assert len(group) == 0
    assert "__setattr__" not in vars(kind)


def test_bad_input_missing_data_is_named_with_how_to_give_it() -> None:
    class Arrow(PooledSprite):
        def spawned(self, velocity: tuple[int, int]) -> None:
            del velocity

    with pytest.raises(TypeError, match="needs velocity=") as caught:
        audit(Arrow)
    assert "data={...}), or by Prefab(..., sample_data={...})" in caught.value.__notes__[-1]


def test_bad_input_an_instance_that_ends_itself_at_once_or_leaves_its_pool_has_one_life() -> None:
    class Shy(PooledSprite):
        def spawned(self) -> None:
            self.kill()

    with pytest.raises(PoolError, match="ended its own life in the first spawn"):
        audit(Shy)
    with pytest.raises(PoolError, match="left its pool while it lived"):
        audit(Orc, pools.detach)


def test_bad_input_an_error_while_cleaning_up_is_a_note_of_the_first_one() -> None:
    class Sore(PooledSprite):
        def despawned(self) -> None:
            if tired:
                raise ZeroDivisionError

    def live(sore: Sore) -> None:
        tired.append(1)
        raise KeyError(sore)

    tired: list[int] = []
    home = pools._context
    with pytest.raises(KeyError) as caught:
        audit(Sore, live)
    assert "then ending what the audit had begun raised" in caught.value.__notes__[-1]
    assert pools._context is home


class Soldier(PooledSprite):
    def march(self) -> None: ...

    def drill(self) -> Generator[float]:
        yield 9


@pytest.mark.parametrize(
    "wait",
    [
        lambda scope, it: scope.after(9, it.march),
        lambda scope, it: scope.after(9, lambda: [it.march()]),
        lambda scope, it: scope.after(9, functools.partial(Soldier.march, it)),
        lambda scope, it: scope.start(it.drill()),
    ],
)
def test_timers_that_would_call_the_instance_after_its_life_are_found(wait: Any) -> None:
    [leak] = audit(Soldier, lambda it: wait(pools.spawn(Calm).scope, it)).leaks
    assert leak.kind == "timer"


# -- what it takes for the same value ---------------------------------------------------------

atoms: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-3, 3).map(float),
    st.just(math.nan),
    st.just(math.inf),
    st.sampled_from([Decimal("1.0"), Decimal(1), Decimal("NaN"), Decimal("sNaN")]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from([dt.date(2020, 1, 1), dt.date(2021, 1, 1), re.compile("a"), re.compile("b")]),
    st.binary(max_size=1),
)
any_values: SearchStrategy[Any] = st.recursive(
    atoms | st.sets(st.integers(0, 2), max_size=2) | st.frozensets(st.booleans(), max_size=1),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
    ),
    max_leaves=6,
)


def plainly_same(one: Any, other: Any) -> bool:
    """Compare as the audit should: NaN equals NaN, containers of one kind entry by entry."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 - NaN
    if type(one) is not type(other):
        return False
    if isinstance(one, Decimal):  # as they are written: 1.0 is not 1, but NaN is NaN
        return str(one) == str(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(plainly_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(plainly_same(one[k], other[k]) for k in one)
    return bool(one == other)


@given(any_values, any_values)
@settings(max_examples=60)
def test_a_value_leaks_where_a_plain_comparison_says_so(first: Any, second: Any) -> None:
    class Holder:
        def __init__(self) -> None:
            self.value = first

    def live(holder: Holder) -> None:
        holder.value = second

    report = audit(Holder, live)
    assert report.ok == plainly_same(first, second)
    for leak in report.leaks:
        assert leak.path.startswith("Holder.value")
        assert len(str(leak)) < 400


def test_a_set_is_shown_in_one_order_whatever_its_hashes() -> None:
    names = [f"name {number}" for number in range(5)]
    first, last = set(names), frozenset(reversed(names))
    assert described(first) == str(names).replace("[", "{").replace("]", "}")
    assert described(last) == f"frozenset({described(first)})"
    assert described(set()) == "set()"


def test_a_cached_property_leaks_where_it_is_not_what_it_would_be_now() -> None:
    class Runner:
        factor = 1

        @functools.cached_property
        def slow(self) -> int:
            return 2 * Runner.factor

        @functools.cached_property
        def fast(self) -> int:
            return 9 * self.level

        def level_up(self) -> None:
            self.level = self.slow + self.fast

        level = 1

    report = audit(Runner, Runner.level_up)
    assert [leak.path for leak in report.leaks] == ["Runner.level", "Runner.fast"]


def test_a_timer_on_a_scenes_own_clock_is_found(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    manager.load(level := Scene())

    class Bomb(PooledSprite):
        def spawned(self) -> None:
            level.scope.after(30, self.explode)

        def explode(self) -> None: ...

    [leak] = audit(Bomb, seconds=0.1, system=system).leaks
    assert leak.kind == "timer"
    assert "explode in 3" in str(leak.respawned)
