"""What a spawn and a despawn cost in large pools, and where there are many pools.

In a large pool half of the instances are alive; the rest wait their turn in a queue, so that each
spawn takes the one that was touched the longest ago: its memory is in no cache. With many pools
each spawn is of another prefab than the one before. The pool written by hand does the same, with
as many sprites and pools. No time passes in either: what ends may begin again at once.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pygame

from benchmarks.by_hand import ComponentPool
from benchmarks.by_poolkit import HandHealthy, Healthy, pooled
from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, contest, repeated
from benchmarks.report import Report, Verdict, bracketed, table
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.measure import Work

LARGE, MANY = 200_000, 5_000  # where the bars are
INSTANCES = (10, 1_000, 10_000, LARGE)
POOLS = (1, 100, 1_000, MANY)
QUICK = {"instances": (10, 100), "pools": (1, 10), "turns": 1, "pieces": 200}

IN_A_POOL = 4  # instances, where pools are many
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


def run(
    *,
    instances: Iterable[int] = INSTANCES,
    pools: Iterable[int] = POOLS,
    turns: int = 7,
    pieces: int = 20_000,
) -> Report:
    """Measure both axes; only their largest sizes have bars, which a quick run has not."""
    axes: dict[str, tuple[Callable[[int], dict[str, Work]], Iterable[int], int, float]] = {
        "instances in a pool": (_large_pools, instances, LARGE, 1.3),
        "pools": (_many_pools, pools, MANY, 1.5),
    }
    text = [
        f"microseconds of {CLOCK_NAME} from spawn to despawn of a sprite with a component, medians"
    ]
    found, verdicts = {}, []
    for axis, (prepare, sizes, last, bar) in axes.items():
        costs = found[axis] = {
            size: contest(prepare(size), turns=turns, pieces=pieces).figures() for size in sizes
        }
        rows = [[axis, POOLKIT, BY_HAND, "poolkit takes"]]
        for size, ways in costs.items():
            times, takes = (
                [f"{way['median']:.2f}" for way in ways.values()],
                ways[BY_HAND]["ours takes"],
            )
            rows.append([f"{size:,}", *times, bracketed(takes)])
            if size == last:
                verdicts.append(Verdict(f"{size:,} {axis}: poolkit to by hand", takes[1], bar))
        text += ["", table(rows)]
    return Report(found, "\n".join(text), verdicts)
