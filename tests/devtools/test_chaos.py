"""Chaos mode: what a game must not rely on, shown by its own tests."""

from __future__ import annotations

from typing import Any

import pytest

from physics_kit import STEP, balls
from poolkit import (
    Exceed,
    IPoolableComponent,
    ObjectPool,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.devtools import disable_strict, enable_strict
from poolkit.devtools.chaos import ChaosPolicy
from poolkit.physics import PhysicsWorld
from recorder import Orc


def begin_chaos(system: PoolingSystem, seed: int) -> ChaosPolicy:
    """Begin it in one system, without the rest of strict mode."""
    chaos = ChaosPolicy(seed)
    system._context.watch_lives(chaos)
    return chaos


def order_of_reuse(system: PoolingSystem, prefab: Prefab[Orc]) -> list[int]:
    names: dict[int, int] = {}
    seen = []
    for _ in range(60):
        orcs = system.spawn_many(prefab, [(0, 0)] * 3)
        for orc in orcs:
            seen.append(names.setdefault(id(orc), len(names)))
            system.despawn(orc)
    return seen


def test_reuse_order_is_random_instances_are_dropped_and_a_seed_repeats_it(
    system: PoolingSystem,
) -> None:
    runs = []
    for seed in (1, 1, 2):
        prefab = Prefab(Orc, settings=PoolSettings(prespawn=6))
        chaos = begin_chaos(system, seed)
        order_of_reuse(system, prefab)
        runs.append(system.pool(prefab).stats)
        system._context.unwatch_lives(chaos)
    assert runs[0] == runs[1] != runs[2]
    assert min(stats.destroyed for stats in runs) > 5
    system.reset()  # pools keep to their settings again
    assert order_of_reuse(system, prefab) == [number % 6 for number in range(180)]


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@pytest.mark.parametrize("overflow", [RecycleOldest(), RecycleLowest(id)])
def test_a_pool_that_recycles_does_so_now_and_then_although_there_is_room(
    system: PoolingSystem, overflow: Any, reuse: Any
) -> None:
    reasons: list[str] = []

    class Imp(IPoolableComponent):
        def despawned(self, reason: Any) -> None:
            reasons.append(reason.name)

    prefab = Prefab(Imp, name="imp", settings=PoolSettings(limit=1000, overflow=overflow))
    system.configure(reuse=reuse)
    begin_chaos(system, 1)
    system.spawn_many(prefab, [(0, 0)] * 100)
    for _ in range(100):
        system.spawn(prefab)
    stats = system.pool(prefab).stats
    assert 10 < stats.recycled < 50
    assert stats.active == 200 - stats.recycled
    assert reasons == ["RECYCLED"] * stats.recycled
    assert stats.created - stats.destroyed == stats.active + stats.inactive


@pytest.mark.parametrize(
    "settings", [{"limit": None}, {"overflow": Exceed()}, {"overflow": Refuse()}]
)
def test_a_pool_that_does_not_recycle_never_does(system: PoolingSystem, settings: Any) -> None:
    begin_chaos(system, 1)
    settings = {"limit": 1000, "overflow": RecycleOldest(), **settings}
    prefab = Prefab(Orc, settings=PoolSettings(**settings))
    for _ in range(200):
        system.spawn(prefab)
    assert system.pool(prefab).active_count == 200


def test_what_may_not_be_reclaimed_never_is_nor_the_parent_of_the_new_life(
    system: PoolingSystem,
) -> None:
    begin_chaos(system, 2)
    settings = PoolSettings(limit=1000, overflow=RecycleOldest())
    prefab = Prefab(Orc, settings=settings)
    king = system.spawn(prefab, reclaimable=False)
    parent = system.spawn(prefab)
    for _ in range(100):
        if not system.is_spawned(parent):
            parent = system.spawn(prefab)
        child = system.spawn(prefab, parent=parent)
        assert system.is_spawned(parent)
        assert system.is_spawned(child)
    assert system.is_spawned(king)
    assert system.pool(prefab).stats.recycled > 5


def test_a_physics_step_is_no_place_to_recycle_early(system: PoolingSystem) -> None:
    world = PhysicsWorld()
    settings = PoolSettings(limit=60, overflow=RecycleOldest())
    ball = Prefab(balls(world), name="ball", settings=settings)
    system.spawn_many(ball, [(0, 0), (5, 0)])
    begin_chaos(system, 1)

    def meet(*_: object) -> None:
        system.spawn_many(ball, [(900, 0)] * 40)

    world.on_collision(1, 1, begin=meet)
    world.step(STEP)
    assert system.pool(ball).stats.recycled == 0
    assert system.pool(ball).active_count == 42


def test_chaos_everywhere_ends_and_leaves_that_of_one_system(system: PoolingSystem) -> None:
    chaos, lent, strict = ChaosPolicy(), ObjectPool(Orc), PoolingSystem()
    chaos.watch_all()
    try:
        later = PoolingSystem()
        contexts = [system._context, lent._context, later._context]
        enable_strict(strict, chaos=1)
        assert all(chaos in context.life_watchers for context in contexts)
    finally:
        chaos.unwatch_all()
    assert not any(context.life_watchers for context in (*contexts, PoolingSystem()._context))
    assert [type(one) for one in strict._context.life_watchers].count(ChaosPolicy) == 1


def test_strict_mode_has_it_as_an_option_which_a_second_call_begins_again(
    system: PoolingSystem,
) -> None:
    runs = []
    for seed in (1, 2, 1):
        enable_strict(system, chaos=seed)
        prefab = Prefab(Orc, settings=PoolSettings(prespawn=6))
        for _ in range(60):
            system.spawn_many(prefab, [(0, 0)] * 3)
            system.despawn_all(prefab)
            system.update(1)  # what strict mode keeps back comes back
        runs.append(system.pool(prefab).stats.destroyed)
    assert runs[0] == runs[2] != runs[1]
    assert runs[0] > 5
    enable_strict(system)  # changes nothing
    disable_strict(system)
    assert not system._context.life_watchers
