"""Scenes over one another, loads that go on for frames, and the collector meanwhile."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from physics_kit import balls
from poolkit import IPoolableComponent, PoolError, PoolingSystem, Prefab, Progress
from poolkit.physics import PhysicsWorld
from poolkit.scenes import Scene, SceneManager
from poolkit.scenes import manager as manager_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pymunk

EVENT = pygame.Event(pygame.KEYDOWN)


class Spark:
    """Something to spawn."""


class Stage(Scene):
    """Writes down its turns; fails where it is told to, after it has spawned something."""

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

    def _reach(self, stage: str) -> None:
        self.log.append(f"{self.name}.{stage}")
        if stage == "enter" and self.system is not None:
            self.system.spawn(Spark)
        if stage == self.fails:
            raise ZeroDivisionError(stage)

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
    manager.update(0.1)
    manager.draw(pygame.Surface((1, 1)))
    had = log[:]
    log.clear()
    return had


# -- one over another ----------------------------------------------------------------------------


def test_x06_a_game_stands_still_below_a_pushed_scene_and_loses_nothing(
    system: PoolingSystem,
) -> None:
    world = PhysicsWorld(gravity=(0, 900))
    ball = Prefab(balls(world), name="ball")
    rung, resets = [], []
    system.on_reset(lambda: resets.append("reset"))

    class Field(Scene):
        def enter(self) -> None:
            system.spawn(ball, (5, 5)).scope.after(0.5, lambda: rung.append("bell"))

        def update(self, dt: float) -> None:
            system.update(dt)
            world.step(dt)

    class Pause(Scene):
        is_overlay = True

        def prewarm(self) -> Mapping[Any, int]:
            return {Spark: 4}

        def enter(self) -> None:
            self.spark = system.spawn(Spark)

    manager = SceneManager(system)
    manager.load(Field())
    resets.clear()
    [it] = system.pool(ball).active
    manager.update(0.25)
    place = it.position
    pause = Pause()
    manager.push(pause)
    assert system.pool(Spark).inactive_count == 3
    for _ in range(100):
        manager.update(0.25)
    assert (it.active, it.position == place, rung) == (True, True, [])
    manager.pop()
    assert system.is_spawned(pause.spark)
    manager.update(0.25)
    assert it.position != place
    assert rung == ["bell"]
    assert resets == []
    assert system.report().scene == "Field"


def test_order7_no_change_of_scene_in_a_hook_a_step_or_another_change(
    system: PoolingSystem,
) -> None:
    world = PhysicsWorld()
    manager = SceneManager(system)
    refused: list[str] = []

    def try_all() -> None:
        for change in (
            lambda: manager.push(Scene()),
            manager.pop,
            lambda: manager.load(Scene()),
            lambda: manager.loading(Scene()),
        ):
            with pytest.raises(PoolError) as caught:
                change()
            refused.append(str(caught.value))

    def all_refused(why: str) -> bool:
        told, refused[:] = refused[:], []
        calls = ["push()", "pop()", "load()", "loading()"] * (len(told) // 4)
        return bool(told) and all(
            message.startswith(f"{call} was called") and why in message
            for call, message in zip(calls, told, strict=True)
        )

    class Hooked(IPoolableComponent):
        def spawned(self) -> None:
            try_all()

        def despawned(self) -> None:
            try_all()

    class Impatient(Scene):
        def prewarm(self) -> Mapping[Any, int]:
            try_all()
            return {}

        def enter(self) -> None:
            try_all()

        def exit(self) -> None:
            try_all()

    level = Scene()
    manager.load(level)
    manager.push(Scene())
    system.despawn(system.spawn(Hooked))
    assert all_refused("inside a hook")
    ball = system.spawn(Prefab(balls(world), name="ball"))

    def drift(body: pymunk.Body, dt: float) -> None:
        del body, dt
        try_all()

    ball.body.position_func = drift
    world.step(1 / 60)
    assert all_refused("inside a physics step")
    manager.push(Impatient())
    assert all_refused("while a scene is being pushed")
    manager.pop()
    assert all_refused("while a scene is being popped")
    manager.pop()
    assert manager.scene is level
    manager.load(Impatient())
    assert all_refused("while a scene is being loaded")
    manager.load(level)
    assert all_refused("while a scene is being loaded")


# -- a load that goes on for frames --------------------------------------------------------------


@pytest.mark.parametrize("steps_taken", [1, 2, 3])
def test_x07_closing_a_loading_cancels_it_and_leaves_nothing(
    steps_taken: int, system: PoolingSystem
) -> None:
    log: list[str] = []
    manager = SceneManager(system)
    manager.load(Stage("old", log))
    frozen = gc.get_freeze_count()
    assert frozen
    steps = manager.loading(Stage("new", log, system=system), budget_ms=0)
    for _ in range(steps_taken):
        next(steps)
    spinner = system.spawn(Spark)
    with pytest.raises(PoolError, match="exhausted or closed"):
        manager.push(Scene())
    steps.close()
    assert "new.enter" not in log
    assert manager.scene is None
    assert not system.is_spawned(spinner)
    assert [pool.capacity for pool in system.all_pools()] == []
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    assert [*manager.loading(Stage("new", log, system=system))] == [Progress(3, 3)]
    assert log[-1] == "new.enter"


def test_x07_two_loadings_at_once_are_refused_when_the_second_begins(
    system: PoolingSystem,
) -> None:
    manager = SceneManager(system)
    wanted = Stage("new", [], system=system)
    first, second = manager.loading(wanted), manager.loading(Scene())
    next(first)
    with pytest.raises(PoolError, match="while a scene is being loaded"):
        next(second)
    assert [*first] == []
    assert manager.scene is wanted


# -- the collector -------------------------------------------------------------------------------


@pytest.fixture
def passes() -> Iterator[list[int]]:
    """Collect the generations that the collector passes through."""
    seen: list[int] = []

    def watch(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(watch)
    yield seen
    gc.callbacks.remove(watch)


class Cyclic:
    """What the collector would have to look at."""

    def __init__(self) -> None:
        self.parts = [[self] for _ in range(200)]
        self.was_watched = gc.isenabled()


def test_u11_the_collector_is_off_while_a_load_makes_instances_and_collects_once(
    system: PoolingSystem, passes: list[int]
) -> None:
    manager = SceneManager(system)
    scene: Any = Scene()
    scene.prewarm = {Cyclic: 100}
    between: list[bool] = []
    gc.collect()
    passes.clear()
    manager.load(scene, lambda _: between.append(gc.isenabled()), budget_ms=0)
    assert passes == [2]
    assert between == [True] * 100
    assert not any(it.was_watched for it in system.spawn_many(Cyclic, [(0, 0)] * 100))
    assert gc.isenabled()


@pytest.mark.parametrize("how", ["load", "loading", "push", "cancelled", "failed"])
def test_u11_a_collector_that_the_game_switched_off_stays_off(
    how: str, system: PoolingSystem
) -> None:
    manager = SceneManager(system)
    scene: Any = Stage("new", [], system=system, fails="enter" if how == "failed" else "")
    gc.disable()
    try:
        if how == "loading":
            assert [gc.isenabled() for _ in manager.loading(scene, budget_ms=0)] == [False] * 3
        elif how == "cancelled":
            for _ in manager.loading(scene, budget_ms=0):
                break
        elif how == "failed":
            with pytest.raises(ZeroDivisionError):
                manager.load(scene)
        else:
            getattr(manager, how)(scene)
        assert not gc.isenabled()
    finally:
        gc.enable()


# -- against a list ------------------------------------------------------------------------------

FAILS = st.sampled_from(["", "", "", "prewarm", "enter", "exit"])


class ScenesAgainstAList(RuleBasedStateMachine):
    """Any changes of scene, beside a plain list of scenes."""

    def __init__(self) -> None:
        super().__init__()
        self.unsettled = mock.patch.object(manager_module, "settle")  # collecting takes long
        self.unsettled.start()
        self.system = PoolingSystem()
        self.manager = SceneManager(self.system)
        self.log: list[str] = []
        self.loaded: Stage | None = None
        self.pushed: list[Stage] = []
        self.lives = 0
        self.coming: tuple[Stage, Any] | None = None
        self.made = 0

    def teardown(self) -> None:
        self.coming = None
        self.unsettled.stop()
        gc.unfreeze()

    def stage(self, fails: str, *, is_overlay: bool) -> Stage:
        self.made += 1
        name = f"scene {self.made}"
        return Stage(name, self.log, system=self.system, fails=fails, is_overlay=is_overlay)

    def leave(self) -> tuple[list[str], int]:
        """Return whose `exit` is to be called, and how many of them fail."""
        scenes = [*reversed(self.pushed), *([self.loaded] if self.loaded else [])]
        self.loaded, self.pushed, self.lives = None, [], 0
        return [f"{scene.name}.exit" for scene in scenes], sum(s.fails == "exit" for s in scenes)

    def attempt(self, call: Callable[[], object], failures: int) -> None:
        self.log.clear()
        if not failures:
            call()
            return
        kind = ZeroDivisionError if failures == 1 else ExceptionGroup
        with pytest.raises(kind):
            call()

    @precondition(lambda self: self.coming is None)
    @rule(fails=FAILS, is_overlay=st.booleans())
    def load(self, fails: str, is_overlay: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        scene = self.stage(fails, is_overlay=is_overlay)
        exits, failures = self.leave()
        begins = not failures
        self.attempt(lambda: self.manager.load(scene), failures or fails in {"prewarm", "enter"})
        expected = exits
        if begins:
            expected = [*exits, f"{scene.name}.prewarm"]
            if fails != "prewarm":
                expected.append(f"{scene.name}.enter")
            if fails in {"", "exit"}:
                self.loaded, self.lives = scene, 1
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
    @rule(fails=FAILS, is_overlay=st.booleans())
    def push(self, fails: str, is_overlay: bool) -> None:  # noqa: FBT001 - Hypothesis fills it in
        scene = self.stage(fails, is_overlay=is_overlay)
        self.attempt(lambda: self.manager.push(scene), fails in {"prewarm", "enter"})
        assert self.log[0] == f"{scene.name}.prewarm"
        if fails != "prewarm":
            self.lives += 1  # what `enter` spawned before it raised lives on
            assert self.log[1:] == [f"{scene.name}.enter"]
        if fails in {"", "exit"}:
            self.pushed.append(scene)

    @precondition(lambda self: self.coming is None)
    @rule()
    def pop(self) -> None:
        if not self.pushed:
            with pytest.raises(PoolError):
                self.manager.pop()
            return
        scene = self.pushed.pop()
        self.attempt(self.manager.pop, scene.fails == "exit")
        assert self.log == [f"{scene.name}.exit"]

    @precondition(lambda self: self.coming is not None)
    @rule()
    def change_while_loading(self) -> None:
        self.log.clear()
        manager = self.manager
        takes_scene: list[Callable[[Scene], object]] = [manager.load, manager.loading, manager.push]
        for change in takes_scene:
            with pytest.raises(PoolError, match="while a scene is being loaded"):
                change(Scene())
        with pytest.raises(PoolError, match="while a scene is being loaded"):
            manager.pop()
        assert self.log == []

    @invariant()
    def the_same_scenes_have_their_turns(self) -> None:
        scenes = [*([self.loaded] if self.loaded else []), *self.pushed]
        top = scenes[-1] if scenes else None
        assert self.manager.scene is top
        drawn: list[str] = []
        for scene in reversed(scenes):
            drawn.insert(0, f"{scene.name}.draw")
            if not scene.is_overlay:
                break
        played = [f"{top.name}.event", f"{top.name}.update"] if top else []
        assert turns(self.manager, self.log) == [*played, *drawn]

    @invariant()
    def nothing_is_reset_but_by_a_load(self) -> None:
        alive = sum(pool.active_count for pool in self.system.all_pools())
        assert alive == self.lives
        for pool in self.system.all_pools():
            stats = pool.stats
            assert stats.created - stats.destroyed == stats.active + stats.inactive

    @invariant()
    def the_collector_is_on(self) -> None:
        assert gc.isenabled()


TestScenesAgainstAList = ScenesAgainstAList.TestCase
TestScenesAgainstAList.settings = settings(
    max_examples=60, stateful_step_count=25, derandomize=True
)
