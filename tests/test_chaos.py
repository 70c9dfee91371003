"""Chaos mode: what a game must not rely on, shown by its own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit import PoolSettings, Prefab, RecycleOldest
from poolkit.devtools import disable_chaos, enable_chaos

if TYPE_CHECKING:
    from poolkit import PoolingSystem


class Orc:
    """Something to pool."""


def order_of_reuse(system: PoolingSystem, prefab: Prefab[Orc]) -> list[int]:
    names: dict[int, int] = {}
    seen = []
    for _ in range(60):
        orcs = system.spawn_many(prefab, [(0, 0)] * 3)
        for orc in orcs:
            seen.append(names.setdefault(id(orc), len(names)))
            system.despawn(orc)
    return seen


def test_p13_reuse_order_is_random_instances_are_dropped_and_a_seed_repeats_it(
    system: PoolingSystem,
) -> None:
    runs = []
    for seed in (1, 1, 2):
        prefab = Prefab(Orc, settings=PoolSettings(prespawn=6))
        enable_chaos(system, seed=seed)
        order_of_reuse(system, prefab)
        runs.append(system.pool(prefab).stats)
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
    for stats in runs:
        assert stats.destroyed > 5
        assert stats.created - stats.destroyed == stats.active + stats.inactive


def test_p13_without_chaos_pools_keep_to_their_settings_again(system: PoolingSystem) -> None:
    prefab = Prefab(Orc, settings=PoolSettings(prespawn=6))
    enable_chaos(system)
    mixed = order_of_reuse(system, prefab)
    disable_chaos(system)
    system.reset()
    ordered = order_of_reuse(system, prefab)
    assert ordered == [number % 6 for number in range(180)]
    assert mixed != ordered


def test_p13_a_recycled_instance_is_never_dropped_for_its_place_is_needed(
    system: PoolingSystem,
) -> None:
    settings = PoolSettings(limit=2, overflow=RecycleOldest())
    prefab = Prefab(Orc, settings=settings)
    enable_chaos(system, seed=4)
    for _ in range(100):
        system.spawn(prefab)
    assert system.pool(prefab).stats.created == 2
