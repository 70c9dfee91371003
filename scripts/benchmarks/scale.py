"""What a spawn and a despawn cost in large pools, and where there are many pools.

In a large pool half of the instances are alive; the rest wait their turn in a queue, so that each
spawn takes the one that was touched the longest ago: its memory is in no cache. With many pools
each spawn is of another prefab than the one before. The pool written by hand does the same, with
as many sprites and pools. No time passes in either: what ends may begin again at once.
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import TYPE_CHECKING, Any

import pygame

from benchmarks.by_hand import ComponentPool
from benchmarks.by_poolkit import HandHealthy, Healthy, pooled
from benchmarks.measure import BY_HAND, POOLKIT, repeated
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measure import Work
    from benchmarks.report import Report

IN_A_POOL, LOADED = 4, 50  # instances, where pools are many; where many are made ready
REGISTERED = "by register"
POSITION = (320.0, 40.0)


def _large_pools(size: int) -> dict[str, Work]:
    _, spawn = pooled(Healthy, size)
    pool = ComponentPool(HandHealthy, size)
    for begin in (spawn, pool.spawn):
        for _ in range(size // 2):
            begin(POSITION)
    names = {"spawn": spawn, "pool": pool, "P": POSITION}
    return {
        POOLKIT: repeated(names, "spawn(P).kill()"),
        BY_HAND: repeated(names, "pool.despawn(pool.spawn(P))"),
    }


def _many_pools(size: int) -> dict[str, Work]:
    system, group, settings = PoolingSystem(), PooledGroup(), PoolSettings(prespawn=IN_A_POOL)
    prefabs = [Prefab(Healthy, groups=[group], settings=settings) for _ in range(size)]
    for prefab in prefabs:
        system.register(prefab)
    alike: Any = pygame.sprite.Group()
    pools = {f"monster {n}": ComponentPool(HandHealthy, IN_A_POOL, alike) for n in range(size)}
    turns = {"prefabs": itertools.cycle(prefabs), "monsters": itertools.cycle(pools)}
    names = {"spawn": system.spawn, "pools": pools, "P": POSITION, **turns}
    return {
        POOLKIT: repeated(names, "spawn(next(prefabs), P).kill()"),
        BY_HAND: repeated(names, "pool = pools[next(monsters)]", "pool.despawn(pool.spawn(P))"),
    }


def _loading(count: int) -> dict[str, Work]:
    """Return the ways of making so many pools ready, with fifty instances in each."""

    def load(prespawn: int) -> PoolingSystem:
        system, settings = PoolingSystem(), PoolSettings(prespawn=prespawn)
        prefabs = [system.register(Prefab(Healthy, settings=settings)) for _ in range(count)]
        if not prespawn:
            deque(system.prewarm(dict.fromkeys(prefabs, LOADED)), 0)
        return system

    return {POOLKIT: lambda _: load(0), REGISTERED: lambda _: load(LOADED)}


def run(report: Report) -> None:
    """Measure both axes, of which only the largest sizes have bars, and prewarming many pools."""
    axes: list[tuple[str, Callable[[int], dict[str, Work]], tuple[int, ...], float]] = [
        ("instances in a pool", _large_pools, (10, 1_000, 10_000, 200_000), 1.3),
        ("pools", _many_pools, (1, 100, 1_000, 5_000), 1.5),
    ]
    for axis, prepare, sizes, most in axes:
        for size in map(report.size, sizes):
            bar = (most, 1.0) if size >= sizes[-1] else None
            report.contest(f"{size:,} {axis}", prepare(size), 7, pieces=20_000, bar=bar)
    size = report.size(1_000)
    name, load = f"{size:,} pools are prewarmed, an instance of {LOADED} in each", _loading(size)
    report.contest(name, load, 3, pieces=LOADED * size, bar=(1.3, 1.0), to=REGISTERED)
