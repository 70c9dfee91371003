"""Changing scenes: in order, with nothing of the old one left, whatever goes wrong."""

from __future__ import annotations

import gc
import os
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from physics_kit import balls
from poolkit import PoolingSystem, PoolSettings, Prefab, Progress, pools
from poolkit.physics import PhysicsWorld
from poolkit.scenes import Scene, SceneManager, settle
from recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Spark:
    """Something to spawn."""


@pytest.fixture(autouse=True)
def _thaw() -> Iterator[None]:
    """Let the collector see again what `settle` froze."""
    yield
    gc.unfreeze()


class Level(Scene):
    """Writes down what happens to it."""

    def __init__(self, log: list[str], name: str = "level") -> None:
        self.log, self.name = log, name

    def _note(self, what: str) -> None:
        self.log.append(f"{self.name}.{what}")

    def prewarm(self) -> Mapping[Any, int]:
        self._note("prewarm")
        return {}

    def enter(self) -> None:
        self._note("enter")

    def exit(self) -> None:
        self._note("exit")

    def handle_event(self, event: pygame.Event) -> None:
        self._note(f"event {event.type}")

    def update(self, dt: float) -> None:
        self._note(f"update {dt}")

    def draw(self, surface: pygame.Surface) -> None:
        self._note(f"draw {surface.get_width()}")


def test_u11_a_load_goes_through_its_stages_in_order(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    monkeypatch.setattr("poolkit.scenes.manager.settle", lambda: log.append("settle"))
    system.on_reset(lambda: log.append("system.reset"))
    manager = SceneManager(system)
    manager.add_reset_hook(lambda: log.append("hook 1"))
    remove = manager.add_reset_hook(lambda: log.append("hook 2"))
    first, second = Level(log, "first"), Level(log, "second")
    manager.load(first)
    start = ["system.reset", "hook 1", "hook 2"]
    assert log == [*start, "first.prewarm", "settle", "first.enter"]
    assert manager.scene is first
    log.clear()
    remove()
    remove()
    manager.load(second)
    assert log == [
        "first.exit",
        "system.reset",
        "hook 1",
        "second.prewarm",
        "settle",
        "second.enter",
    ]


def test_u11_nothing_of_the_old_scene_is_left_in_maps_groups_or_space(
    system: PoolingSystem,
) -> None:
    world, group = PhysicsWorld(), pygame.sprite.Group[Any]()
    ball = Prefab(balls(world), name="ball", groups=[group])
    manager = SceneManager(system)
    seen = []

    class Field(Scene):
        def enter(self) -> None:
            system.spawn_many(ball, [(0, 0), (90, 0)])

        def exit(self) -> None:
            seen.append(len(group))

    manager.load(Field())
    ghost = weakref.ref(next(iter(group)))
    report = manager.load(Scene())
    gc.collect()
    assert seen == [2]
    assert ghost() is None
    assert (len(group), len(world.space.bodies), system.pool(ball).capacity) == (0, 0, 0)
    assert report is not None
    assert report.pools[0].stats.spawned == 2


@pytest.mark.parametrize("as_attribute", [True, False])
def test_p02_a_load_prewarms_and_reports_its_progress(
    system: PoolingSystem, *, as_attribute: bool
) -> None:
    class Wanting(Scene):
        def prewarm(self) -> Mapping[Any, int]:
            return {Spark: 5}

        def enter(self) -> None:
            assert system.pool(Spark).inactive_count == 5

    scene: Any = Wanting()
    if as_attribute:
        scene.prewarm = {Spark: 5}
    seen: list[Progress] = []
    SceneManager(system).load(scene, seen.append, budget_ms=0)
    assert [step.done for step in seen] == [1, 2, 3, 4, 5]
    assert seen[-1].fraction == 1
    silent = SceneManager(system)
    silent.load(scene)
    assert silent.scene is scene


def test_the_default_system_is_the_process_one() -> None:
    assert SceneManager()._system is pools


class Den(Scene):
    """Makes its prefabs when it begins, of functions that know the scene."""

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


@pytest.mark.parametrize("is_updated", [False, True])
def test_x05_a_scene_that_makes_its_own_prefabs_loads_many_times_and_leaves_nothing(
    *, is_updated: bool
) -> None:
    system = PoolingSystem()  # whose lives come back at the next update, once there is one
    manager = SceneManager(system)
    made: list[weakref.ref[Any]] = []
    manager.load(Den(system, made))
    gc.disable()
    try:
        for _ in range(5):
            if is_updated:
                system.update(0.1)
            manager.load(Den(system, made))
            assert [ref() is None for ref in made] == [True] * (len(made) - 3) + [False] * 3
    finally:
        gc.enable()
    assert [pool.name for pool in system.all_pools()] == ["orc"]
    system.dispose()
    assert system.all_pools() == ()


# -- what goes wrong -----------------------------------------------------------------------------


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


# -- the collector -------------------------------------------------------------------------------


def test_n05_settle_collects_freezes_and_frees_what_died_since() -> None:
    class Node:
        me: Any = None

    def cycle() -> weakref.ref[Node]:
        node = Node()
        node.me = node
        return weakref.ref(node)

    gc.disable()
    try:
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
    finally:
        gc.enable()
