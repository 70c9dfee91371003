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
from benchmarks.lives import HandHealthy, Healthy
from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, contest
from benchmarks.report import Verdict, bracketed, table
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
    system, settings = PoolingSystem(), PoolSettings(prespawn=size)
    prefab = Prefab(Healthy, groups=[PooledGroup()], settings=settings)
    pool = ComponentPool(HandHealthy, size)
    for _ in range(size // 2):
        system.spawn(prefab, POSITION)
        pool.spawn(POSITION)

    def ours(pieces: int) -> None:
        for _ in range(pieces):
            system.spawn(prefab, POSITION).kill()

    def theirs(pieces: int) -> None:
        for _ in range(pieces):
            pool.despawn(pool.spawn(POSITION))

    return {POOLKIT: ours, BY_HAND: theirs}


def _many_pools(size: int) -> dict[str, Work]:
    system, group, settings = PoolingSystem(), PooledGroup(), PoolSettings(prespawn=IN_A_POOL)
    prefabs = [Prefab(Healthy, groups=[group], settings=settings) for _ in range(size)]
    for prefab in prefabs:
        system.register(prefab)
    alike: Any = pygame.sprite.Group()
    pools = {f"monster {n}": ComponentPool(HandHealthy, IN_A_POOL, alike) for n in range(size)}
    our_turn, their_turn = itertools.cycle(prefabs), itertools.cycle(pools)

    def ours(pieces: int) -> None:
        for prefab in itertools.islice(our_turn, pieces):
            system.spawn(prefab, POSITION).kill()

    def theirs(pieces: int) -> None:
        for name in itertools.islice(their_turn, pieces):
            pool = pools[name]
            pool.despawn(pool.spawn(POSITION))

    return {POOLKIT: ours, BY_HAND: theirs}


def run(
    *,
    instances: Iterable[int] = INSTANCES,
    pools: Iterable[int] = POOLS,
    turns: int = 7,
    pieces: int = 20_000,
) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    axes: dict[str, tuple[Callable[[int], dict[str, Work]], Iterable[int]]] = {
        "instances in a pool": (_large_pools, instances),
        "pools": (_many_pools, pools),
    }
    return {
        axis: {size: contest(prepare(size), turns=turns, pieces=pieces).figures() for size in sizes}
        for axis, (prepare, sizes) in axes.items()
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars; a quick run has no sizes that have one."""
    bars = {"instances in a pool": (LARGE, 1.3), "pools": (MANY, 1.5)}
    return [
        Verdict(
            what=f"{size:,} {axis}: poolkit to by hand",
            figure=results[axis][size][BY_HAND]["ours takes"][1],
            at_most=bar,
        )
        for axis, (size, bar) in bars.items()
        if size in results[axis]
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as two tables."""
    lines = [
        f"microseconds of {CLOCK_NAME} from spawn to despawn of a sprite with a component, medians"
    ]
    for axis, sizes in results.items():
        rows = [[axis, POOLKIT, BY_HAND, "poolkit takes"]]
        for size, ways in sizes.items():
            times = [f"{ways[way]['median']:.2f}" for way in (POOLKIT, BY_HAND)]
            rows.append([f"{size:,}", *times, bracketed(ways[BY_HAND]["ours takes"])])
        lines += ["", table(rows)]
    return "\n".join(lines)
