"""Scenes follow each other or lie over one another, and leave nothing behind."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import re
import weakref
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from physics_kit import balls
from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    Progress,
    pools,
)
from poolkit.physics import PhysicsWorld
from poolkit.scenes import Scene, SceneManager, settle
from poolkit.scenes import manager as manager_module
from recorder import Recorder, assert_counts
from reference_model import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EVENT = pygame.Event(pygame.KEYDOWN)


class Faulty:
    """Fails at the places where it is asked to."""

    places: frozenset[str] = frozenset()

    @classmethod
    def at(cls, place: str) -> None:
        if place in cls.places:
            raise ZeroDivisionError(place)


class Spark(IPoolableComponent):
    """Something to spawn, whose hooks fail."""

    def despawned(self) -> None:
        Faulty.at("despawned")

    def destroyed(self) -> None:
        Faulty.at("destroyed")


class Stage(Scene):
    """Notes its turns; fails where it is asked to, after it has spawned something."""

    def __init__(
        self,
        name: str,
        log: list[str],
        *,
        system: PoolingSystem | None = None,
        fails: str = "",
        is_overlay: bool = False,
    ) -> None:
        self.name, self.log, self.system = name, log, system
        self.fails, self.is_overlay = fails, is_overlay
        self.open_scopes = 0
        self.is_on_top = False  # while it enters

    def _reach(self, stage: str) -> None:
        self.log.append(f"{self.name}.{stage}")
        if stage == "prewarm":
            self.open_scopes += 1
            self.scope.callback(self._close)
            self.scope.every(0.25, functools.partial(self.log.append, f"{self.name}.tick"))
        assert self.open_scopes == 1
        if stage == "enter" and self.is_on_top:
            assert self.manager.scene is self.manager.scenes[-1] is self
        if stage == "enter" and self.system is not None:
            self.system.spawn(Spark)
        if stage == self.fails:
            raise ZeroDivisionError(stage)

    def _close(self) -> None:
        self.open_scopes -= 1
        Faulty.at("scope")

    def prewarm(self) -> Mapping[Any, int]:
        self._reach("prewarm")
        return {} if self.system is None else {Spark: 3}

    def enter(self) -> None:
        self._reach("enter")

    def exit(self) -> None:
        self._reach("exit")

    def handle_event(self, event: pygame.Event) -> None:
        del event
        self._reach("event")

    def update(self, dt: float) -> None:
        del dt
        self._reach("update")

    def draw(self, surface: pygame.Surface) -> None:
        del surface
        self._reach("draw")


def turns(manager: SceneManager, log: list[str]) -> list[str]:
    """Play one frame, and return who had which turn."""
    log.clear()
    manager.handle_event(EVENT)
    manager.update(0.125)
    manager.draw(pygame.Surface((1, 1)))
    had = log[:]
    log.clear()
    return had


# -- one after another ---------------------------------------------------------------------------


def test_a_load_goes_through_its_stages_in_order(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    monkeypatch.setattr(manager_module, "settle", lambda: log.append("settle"))
    system.on_reset(lambda: log.append("system.reset"))
    manager = SceneManager(system)
    manager.on_load(lambda: log.append("hook 1"))
    remove = manager.on_load(lambda: log.append("hook 2"))
    first, second = Stage("first", log), Stage("second", log)
    manager.load(first)
    reset = ["system.reset", "hook 1", "hook 2"]
    assert log == [*reset, "first.prewarm", "settle", "first.enter"]
    assert manager.scene is first
    log.clear()
    remove()
    remove()
    manager.load(second)
    assert log == ["first.exit", *reset[:2], "second.prewarm", "settle", "second.enter"]
    assert SceneManager()._system is pools


def test_nothing_of_an_old_scene_is_left_in_maps_groups_or_space(system: PoolingSystem) -> None:
    world, group = PhysicsWorld(), pygame.sprite.Group[Any]()
    ball = Prefab(balls(world), name="ball", groups=[group])
    manager = SceneManager(system)
    seen: list[int] = []
    field: Any = Scene()
    field.enter = lambda: system.spawn_many(ball, [(0, 0), (90, 0)])
    field.exit = lambda: seen.append(len(group))
    manager.load(field)
    ghost = weakref.ref(next(iter(group)))
    report = manager.load(Scene())
    assert seen == [2]
    assert ghost() is None
    assert (len(group), len(world.space.bodies), system.pool(ball).capacity) == (0, 0, 0)
    assert report is not None
    assert report.pools[0].stats.spawned == 2


@pytest.mark.parametrize("change", [SceneManager.load, SceneManager.push])
def test_what_enter_builds_is_no_reason_to_prespawn_and_what_play_builds_is(
    system: PoolingSystem, change: Callable[..., object]
) -> None:
    orc = Prefab(PooledSprite, name="orc", settings=PoolSettings(grow_by=2))
    field: Any = Scene()
    field.enter = lambda: system.spawn_many(orc, [(0, 0)] * 4)
    change(SceneManager(system), field)
    report = system.report()
    assert (report["orc"].stats.late, report["orc"].entered, report.advice) == (4, 4, ())
    system.spawn(orc)
    [advice] = system.report().advice
    assert advice == "orc: 0 prespawned, 5 ever used, 2 made late; 6 would do"


@pytest.mark.parametrize("as_attribute", [True, False])
def test_a_load_prewarms_and_reports_its_progress(
    system: PoolingSystem, *, as_attribute: bool
) -> None:
    found: list[int] = []
    seen: list[Progress] = []
    scene: Any = Scene()
    scene.prewarm = {Spark: 5} if as_attribute else lambda: {Spark: 5}
    scene.enter = lambda: found.append(system.pool(Spark).inactive_count)
    SceneManager(system).load(scene, seen.append, budget_ms=0)
    assert [step.done for step in seen] == [1, 2, 3, 4, 5]
    assert seen[-1].fraction == 1
    assert found == [5]


class Den(Scene):
    """Makes its prefabs in `enter`, from functions that refer to the scene."""

    def __init__(self, system: PoolingSystem, made: list[weakref.ref[Any]]) -> None:
        self.system = system
        self.made = made

    def enter(self) -> None:
        def build() -> Recorder:
            one = Recorder()
            one.acts["despawned"] = self.note
            return one

        self.deaths = 0
        self.one = Prefab(build, name="orc", settings=PoolSettings(prespawn=2))
        self.made += map(weakref.ref, (self.one, build, self))
        ones = [self.system.spawn(self.one), self.system.spawn("orc")]
        self.system.scope(ones[0]).after(9, self.note)
        self.system.despawn(ones[1])

    def note(self) -> None:
        self.deaths += 1


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("is_updated", [False, True])
def test_scenes_with_own_prefabs_load_often_and_leave_nothing(*, is_updated: bool) -> None:
    system = PoolingSystem()  # whose lives come back at the next update, once there is one
    manager = SceneManager(system)
    made: list[weakref.ref[Any]] = []
    manager.load(Den(system, made))
    for _ in range(5):
        if is_updated:
            system.update(0.1)
        manager.load(Den(system, made))
        assert [ref() is None for ref in made] == [True] * (len(made) - 3) + [False] * 3
    assert [pool.name for pool in system.all_pools()] == ["orc"]
    system.dispose()
    assert system.all_pools() == ()


def test_what_the_clean_up_of_a_broken_scene_raises_becomes_a_note(system: PoolingSystem) -> None:
    class Broken(Scene):
        def enter(self) -> None:
            system.scope(system.spawn(Spark)).callback(lambda: os.environ["MISSING"])
            raise ZeroDivisionError

    manager = SceneManager(system)
    with pytest.raises(ZeroDivisionError) as caught:
        manager.load(Broken())
    assert "KeyError('MISSING')" in caught.value.__notes__[0]
    assert manager.load(Scene()) is not None


# -- one over another ----------------------------------------------------------------------------


def test_a_game_stands_still_below_a_pushed_scene_losing_nothing(system: PoolingSystem) -> None:
    world = PhysicsWorld(gravity=(0, 900))
    ball = Prefab(balls(world), name="ball")
    told: list[str] = []
    system.on_reset(lambda: told.append("reset"))

    class Field(Scene):
        def enter(self) -> None:
            system.spawn(ball, (5, 5)).scope.after(0.5, lambda: told.append("bell"))

        def update(self, dt: float) -> None:
            system.update(dt)
            world.step(dt)

    manager = SceneManager(system)
    manager.load(Field())
    [it] = system.pool(ball).active
    manager.update(0.25)
    place = it.position
    manager.push(Stage("pause", [], system=system, is_overlay=True))
    assert system.pool(Spark).inactive_count == 2
    for _ in range(100):
        manager.update(0.25)
    assert (it.active, it.position == place, told) == (True, True, ["reset"])
    manager.pop()
    assert system.pool(Spark).active_count == 1
    manager.update(0.25)
    assert it.position != place
    assert told == ["reset", "bell"]
    assert system.report().scene == "Field"


CHANGES: dict[str, Callable[[SceneManager], object]] = {
    "push()": lambda manager: manager.push(Scene()),
    "pop()": lambda manager: manager.pop(),
    "load()": lambda manager: manager.load(Scene()),
    "loading()": lambda manager: manager.loading(Scene()),
}


def test_no_change_of_scene_in_a_hook_a_step_or_another_change(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    manager = SceneManager(system)
    reasons: set[str] = set()

    def try_all(*_: object) -> Any:
        for name, change in CHANGES.items():
            with pytest.raises(PoolError, match=rf"^{re.escape(name)} was called") as caught:
                change(manager)
            reasons.update(
                re.findall("inside a .*?(?=[,:;])|while [a-z()]+ is under way", str(caught.value))
            )
        return {}

    def refused(act: Callable[[], object]) -> set[str]:
        reasons.clear()
        act()
        return reasons

    level, impatient = Scene(), Scene()
    impatient.prewarm = impatient.enter = impatient.exit = try_all  # type: ignore[method-assign]
    manager.load(level)
    hooked = system.spawn(Recorder)
    hooked.acts["despawned"] = try_all
    assert refused(lambda: system.despawn(hooked)) == {"inside a hook"}
    system.spawn(balls(world)).body.position_func = try_all
    assert refused(lambda: world.step(1 / 60)) == {"inside a physics step"}
    assert refused(lambda: manager.push(impatient)) == {"while push() is under way"}
    assert refused(manager.pop) == {"while pop() is under way"}
    assert manager.scene is level
    for scene in (impatient, level):
        assert refused(lambda: manager.load(scene)) == {"while load() is under way"}  # noqa: B023


def test_a_load_goes_on_for_frames_alone_until_it_is_closed(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    wanted = Stage("new", [], system=system)
    steps, second = manager.loading(wanted, budget_ms=0), manager.loading(Scene())
    assert next(steps) == Progress(1, 3)
    with pytest.raises(PoolError, match=r"while loading\(\) is under way.* exhausted or closed"):
        next(second)
    steps.close()
    assert manager.scene is None
    assert system.all_pools() == ()
    assert gc.get_freeze_count() == 0
    assert [*manager.loading(wanted, budget_ms=1e6)] == [Progress(3, 3)]
    assert manager.scene is wanted


def test_a_scene_of_any_class_will_do_that_has_the_methods_of_one(system: PoolingSystem) -> None:
    log: list[str] = []
    stages = ("prewarm", "enter", "exit", "handle_event", "update", "draw")

    class Free:
        prewarm: Mapping[Any, int] = {}

        def __getattr__(self, name: str) -> Callable[..., None]:
            if name not in stages:
                raise AttributeError(name)
            return lambda *_: log.append(name)

    manager = SceneManager(system)
    one: Any = Free()
    other: Any = Free()
    manager.load(one)
    manager.push(other)
    assert log == ["enter", "enter"]
    assert turns(manager, log) == ["handle_event", "update", "draw"]
    with pytest.raises(TypeError, match=r"load\(\) takes a scene, not 'level 2', which has no"):
        manager.load("level 2")  # type: ignore[arg-type]
    assert (manager.scene, log) == (other, [])


# -- the collector -------------------------------------------------------------------------------


class Cyclic:
    """Many objects for the collector to look at."""

    def __init__(self) -> None:
        self.parts = [[self] for _ in range(200)]
        self.was_watched = gc.isenabled()


def test_the_collector_is_off_while_a_load_builds_then_runs_once(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    scene: Any = Scene()
    scene.prewarm = {Cyclic: 100}
    between: list[bool] = []
    gc.collect()
    before = [generation["collections"] for generation in gc.get_stats()]
    manager.load(scene, lambda _: between.append(gc.isenabled()), budget_ms=0)
    passes = [generation["collections"] for generation in gc.get_stats()]
    assert passes == [before[0], before[1], before[2] + 1]
    assert between == [True] * 100
    assert not any(it.was_watched for it in system.spawn_many(Cyclic, [(0, 0)] * 100))
    assert gc.isenabled()


@pytest.mark.usefixtures("no_collector")
def test_settle_collects_freezes_and_frees_what_died_since() -> None:
    class Node:
        me: Any = None

    def cycle() -> weakref.ref[Node]:
        node = Node()
        node.me = node
        return weakref.ref(node)

    garbage = cycle()
    kept = Node()
    kept.me = kept
    frozen = weakref.ref(kept)
    settle()
    assert garbage() is None
    assert gc.get_freeze_count() > 0
    del kept
    gc.collect()
    assert frozen() is not None  # frozen cycles are out of a collection's sight
    settle()
    assert frozen() is None


class Menu(Scene):
    """Notes in its scopes which of its turns it is."""

    def __init__(self) -> None:
        self.turn = 0
        self.ended: list[int] = []

    def enter(self) -> None:
        self.turn += 1
        self.scope.callback(functools.partial(self.ended.append, self.turn))


def test_a_scene_pushed_over_itself_has_a_scope_for_each_turn_and_none_afterwards(
    system: PoolingSystem,
) -> None:
    manager, menu = SceneManager(system), Menu()
    manager.load(menu)
    manager.push(menu)
    manager.pop()
    assert menu.ended == [2]
    menu.scope.callback(functools.partial(menu.ended.append, 0))  # the first turn's again
    manager.load(Scene())
    assert sorted(menu.ended) == [0, 1, 2]
    with pytest.raises(PoolError, match="Menu isn't in play"):
        menu.scope.callback(print)


# -- against a list ------------------------------------------------------------------------------

PLACES = st.sampled_from(
    [
        "scope",
        "on_reset 1",
        "on_reset 2",
        "hook 1",
        "hook 2",
        "despawned",
        "destroyed",
        "gc.disable",
        "progress",
    ]
)
DISABLE = gc.disable


def disable_and_fail() -> None:
    """Switch the collector off, and be interrupted at once."""
    DISABLE()
    Faulty.at("gc.disable")


def test_the_collector_is_on_after_a_load_that_was_interrupted_as_it_switched_it_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc, "disable", disable_and_fail)
    monkeypatch.setattr(Faulty, "places", frozenset({"gc.disable"}))
    with pytest.raises(ZeroDivisionError):
        SceneManager(PoolingSystem()).load(Scene())
    assert gc.isenabled()


FAILS = st.sampled_from(["", "", "", "prewarm", "enter", "exit"])


class ScenesAgainstAList(RuleBasedStateMachine):
    """Any changes of scene, beside a plain list of scenes."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = contextlib.ExitStack()
        self.patches.enter_context(mock.patch.object(manager_module, "settle"))  # it takes long
        self.patches.enter_context(mock.patch.object(gc, "disable", disable_and_fail))
        self.system = PoolingSystem()
        self.manager = SceneManager(self.system)
        for number in (1, 2):
            self.system.on_reset(functools.partial(Faulty.at, f"on_reset {number}"))
            self.manager.on_load(functools.partial(Faulty.at, f"hook {number}"))
        self.log: list[str] = []
        self.loaded: Stage | None = None
        self.pushed: list[Stage] = []
        self.stages: list[Stage] = []
        self.updates: dict[Stage, int] = {}  # each of an eighth of a second
        self.lives = 0
        self.coming: tuple[Stage, Any] | None = None
        self.made = 0
        self.is_collecting = True

    @initialize(is_collecting=st.booleans())
    def begin(self, is_collecting: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        self.is_collecting = is_collecting
        if not is_collecting:
            gc.disable()

    def teardown(self) -> None:
        gc.enable()
        self.coming = None
        Faulty.places = frozenset()
        self.patches.close()
        gc.unfreeze()

    def stage(self, fails: str, *, is_overlay: bool) -> Stage:
        self.made += 1
        name = f"scene {self.made}"
        stage = Stage(name, self.log, system=self.system, fails=fails, is_overlay=is_overlay)
        stage.is_on_top = True
        self.stages.append(stage)
        return stage

    def leave(self) -> tuple[list[str], int]:
        """Return whose `exit` is to be called, and how many things fail in it."""
        scenes = [*reversed(self.pushed), *([self.loaded] if self.loaded else [])]
        made = sum(pool.capacity for pool in self.system.all_pools())
        times = {"despawned": self.lives, "destroyed": made, "progress": 0, "gc.disable": 0}
        times["scope"] = len(scenes)
        failures = sum(scene.fails == "exit" for scene in scenes)
        failures += sum(times.get(place, 1) for place in Faulty.places)
        self.loaded, self.pushed, self.lives = None, [], 0
        return [f"{scene.name}.exit" for scene in scenes], failures

    def attempt(self, call: Callable[[], object], failures: int, *, in_timer: bool = False) -> None:
        """Do something of which so many things fail: all of them are told, and nothing else."""
        self.log.clear()
        top = self.manager.scene
        if in_timer and top is not None:
            top.scope.after(0, call)
            call = functools.partial(self.manager.update, 0)
        if failures:
            with pytest.raises((ZeroDivisionError, ExceptionGroup)) as caught:
                call()
            assert [*leaves(caught.value)] == ["ZeroDivisionError"] * failures
        else:
            call()

    @precondition(lambda self: self.coming is None)
    @rule(
        fails=FAILS,
        is_overlay=st.booleans(),
        places=st.frozensets(PLACES, max_size=3),
        in_timer=st.booleans(),
    )
    def load(  # Hypothesis fills it in
        self,
        fails: str,
        is_overlay: bool,  # noqa: FBT001
        places: frozenset[str],
        in_timer: bool,  # noqa: FBT001
    ) -> None:
        scene = self.stage(fails, is_overlay=is_overlay)
        Faulty.places = places
        exits, failures = self.leave()
        expected = exits
        if not failures:
            expected = [*exits, f"{scene.name}.prewarm"]
            if places & {"progress", "gc.disable"} and fails != "prewarm":
                fails = "progress"
            if fails not in {"prewarm", "progress"}:
                expected.append(f"{scene.name}.enter")
            if fails in {"", "exit"}:
                self.loaded, self.lives = scene, 1
            else:
                failures = 1
        progress = functools.partial(Faulty.at, "progress")
        load = functools.partial(self.manager.load, scene, lambda _: progress())
        self.attempt(load, failures, in_timer=in_timer)
        Faulty.places = frozenset()
        assert self.log == expected

    @precondition(lambda self: self.coming is None)
    @rule(fails=FAILS)
    def begin_loading(self, fails: str) -> None:
        scene = self.stage(fails, is_overlay=False)
        steps = self.manager.loading(scene, budget_ms=0)
        exits, failures = self.leave()
        self.attempt(lambda: next(steps), failures or fails == "prewarm")
        assert self.log == (exits if failures else [*exits, f"{scene.name}.prewarm"])
        if not failures and fails != "prewarm":
            self.coming = scene, steps

    @precondition(lambda self: self.coming is not None)
    @rule()
    def go_on_loading(self) -> None:
        assert self.coming is not None
        scene, steps = self.coming
        self.log.clear()
        try:
            next(steps)
        except StopIteration:
            assert self.log == [f"{scene.name}.enter"]
            self.loaded, self.lives, self.coming = scene, 1, None
        except ZeroDivisionError:
            assert scene.fails == "enter"
            self.coming = None
        else:
            assert self.log == []

    @precondition(lambda self: self.coming is not None)
    @rule(drops=st.booleans())
    def cancel_loading(self, drops: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        assert self.coming is not None
        _, steps = self.coming
        self.coming = None
        self.log.clear()
        if not drops:
            steps.close()
        del steps
        assert self.log == []
        assert self.system.all_pools() == ()

    @precondition(lambda self: self.coming is None)
    @rule(fails=FAILS, is_overlay=st.booleans(), in_timer=st.booleans())
    def push(self, fails: str, is_overlay: bool, in_timer: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        scene, top = self.stage(fails, is_overlay=is_overlay), self.manager.scene
        has_failed = fails in {"prewarm", "enter"}
        self.attempt(lambda: self.manager.push(scene), has_failed, in_timer=in_timer)
        expected = [f"{scene.name}.prewarm"]
        if fails != "prewarm":
            self.lives += 1  # what `enter` spawned before it raised lives on
            expected.append(f"{scene.name}.enter")
        if has_failed and in_timer and isinstance(top, Stage):
            expected.append(f"{top.name}.update")  # its frame goes on
        assert self.log == expected
        if fails in {"", "exit"}:
            self.pushed.append(scene)

    @precondition(lambda self: self.coming is None)
    @rule(in_timer=st.booleans())
    def pop(self, in_timer: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        if not self.pushed:
            with pytest.raises(PoolError):
                self.manager.pop()
            return
        scene = self.pushed.pop()
        self.attempt(self.manager.pop, scene.fails == "exit", in_timer=in_timer)
        assert self.log == [f"{scene.name}.exit"]

    @invariant()
    def the_same_scenes_have_their_turns(self) -> None:
        scenes = [*([self.loaded] if self.loaded else []), *self.pushed]
        top = scenes[-1] if scenes else None
        assert (self.manager.scene, self.manager.scenes) == (top, tuple(scenes))
        drawn: list[str] = []
        for scene in reversed(scenes):
            drawn.insert(0, f"{scene.name}.draw")
            if not scene.is_overlay:
                break
        played = []
        if top:
            self.updates[top] = self.updates.get(top, 0) + 1
            ticks = [f"{top.name}.tick"] * (self.updates[top] % 2 == 0)  # by its own time alone
            played = [f"{top.name}.event", *ticks, f"{top.name}.update"]
        assert turns(self.manager, self.log) == [*played, *drawn]

    @invariant()
    def a_scope_is_open_from_before_enter_to_after_exit(self) -> None:
        begun = [self.loaded, *self.pushed, *(self.coming or ())[:1]]
        assert [one for one in self.stages if one.open_scopes] == [one for one in begun if one]
        for stage in self.stages:
            if not stage.open_scopes:
                with pytest.raises(PoolError, match="isn't in play"):
                    stage.scope.callback(print)
        self.log.clear()
        self.system.update(1)
        assert self.log == []  # the pools' time isn't theirs

    @invariant()
    def nothing_is_reset_but_by_a_load(self) -> None:
        alive = sum(pool.active_count for pool in self.system.all_pools())
        assert alive == self.lives
        assert_counts(self.system)

    @invariant()
    def the_collector_is_on_or_off_as_the_game_left_it(self) -> None:
        assert gc.isenabled() is self.is_collecting


TestScenesAgainstAList = ScenesAgainstAList.TestCase
TestScenesAgainstAList.settings = settings(
    max_examples=60, stateful_step_count=25, derandomize=True
)
