"""What a spawn and a despawn cost in large pools, and where there are many pools.

In a large pool half of the instances are alive; the rest wait their turn in a queue, so that each
spawn takes the one that was touched the longest ago: its memory is in no cache. With many pools
each spawn is of another prefab than the one before. The pool written by hand does the same, with
as many sprites and pools.
"""

from __future__ import annotations

import gc
import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from benchmarks.measure import Contest, contest
from benchmarks.rivals import HandPool, HealthSprite, PooledHealthSprite
from benchmarks.verdict import Verdict
from poolkit import PoolingSystem, PoolSettings, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["INSTANCES", "POOLS", "QUICK", "as_text", "run", "verdicts"]

LARGE, MANY = 200_000, 5_000  # where the bars are
INSTANCES = (10, 100, 1_000, 10_000, 100_000, LARGE, 1_000_000)
POOLS = (1, 10, 100, 1_000, MANY, 10_000)
QUICK = {"instances": (10, 100), "pools": (1, 10), "rounds": 4, "pieces": 200}

IN_A_POOL = 4  # instances, where pools are many
POSITION = (320.0, 40.0)
POOLKIT, BY_HAND = "poolkit", "written by hand"


def run(
    *,
    instances: Iterable[int] = INSTANCES,
    pools: Iterable[int] = POOLS,
    rounds: int = 30,
    pieces: int = 10_000,
) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    return {
        "instances in a pool": [_measure(_large_pools, n, rounds, pieces) for n in instances],
        "pools": [_measure(_many_pools, n, rounds, pieces) for n in pools],
    }


def _measure(
    prepare: Callable[[int], dict[str, Callable[[int], None]]],
    size: int,
    rounds: int,
    pieces: int,
) -> dict[str, Any]:
    gc.collect()
    gc.disable()  # building a million sprites would otherwise look through them again and again
    try:
        ways = prepare(size)
        outcome: Contest = contest(ways, pieces=pieces, rounds=rounds)
    finally:
        gc.enable()
    return {
        "size": size,
        "nanoseconds": {name: round(outcome.nanoseconds(name)) for name in ways},
        "poolkit to": [round(value, 3) for value in outcome.ratio(POOLKIT, to=BY_HAND)],
    }


def _prefab(at_rest: int, group: Any) -> Prefab[PooledHealthSprite]:
    return Prefab(PooledHealthSprite, groups=[group], settings=PoolSettings(prespawn=at_rest))


def _hand_pool(at_rest: int, group: Any) -> HandPool[HealthSprite]:
    return HandPool(group, [HealthSprite() for _ in range(at_rest)])


def _large_pools(size: int) -> dict[str, Callable[[int], None]]:
    system = PoolingSystem()
    prefab = system.register(_prefab(size, pygame.sprite.Group()))
    spawn, despawn = partial(system.spawn, prefab), system.despawn
    by_hand = _hand_pool(size, pygame.sprite.Group())
    for _ in range(size // 2):
        spawn(POSITION)
        by_hand.spawn(POSITION)

    def ours(pieces: int) -> None:
        spawn = system.spawn
        for _ in range(pieces):
            despawn(spawn(prefab, POSITION))

    def theirs(pieces: int) -> None:
        spawn, despawn = by_hand.spawn, by_hand.despawn
        for _ in range(pieces):
            despawn(spawn(POSITION))

    return {POOLKIT: ours, BY_HAND: theirs}


def _many_pools(size: int) -> dict[str, Callable[[int], None]]:
    system = PoolingSystem()
    our_group: Any = pygame.sprite.Group()
    prefabs = [system.register(_prefab(IN_A_POOL, our_group)) for _ in range(size)]
    their_group: Any = pygame.sprite.Group()
    by_name = {f"monster {number}": _hand_pool(IN_A_POOL, their_group) for number in range(size)}
    our_turn, their_turn = itertools.cycle(prefabs), itertools.cycle(by_name)

    def ours(pieces: int) -> None:
        spawn, despawn = system.spawn, system.despawn
        for prefab in itertools.islice(our_turn, pieces):
            despawn(spawn(prefab, POSITION))

    def theirs(pieces: int) -> None:
        for name in itertools.islice(their_turn, pieces):
            pool = by_name[name]
            pool.despawn(pool.spawn(POSITION))

    return {POOLKIT: ours, BY_HAND: theirs}


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars; a quick run has no sizes that have one."""
    bars = {"instances in a pool": (LARGE, 1.3), "pools": (MANY, 1.5)}
    return [
        Verdict(
            what=f"{size:,} {axis}, poolkit to a pool written by hand",
            figure=row["poolkit to"][1],
            at_most=bar,
        )
        for axis, (size, bar) in bars.items()
        for row in results[axis]
        if row["size"] == size
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as two tables."""
    lines = ["spawn + despawn of a sprite with one component, microseconds, medians"]
    for axis, rows in results.items():
        lines += ["", f"{axis:<22}{POOLKIT:>10}{BY_HAND:>18}   poolkit takes     to the smallest"]
        for row in rows:
            ours, theirs = (row["nanoseconds"][name] / 1000 for name in (POOLKIT, BY_HAND))
            low, middle, high = row["poolkit to"]
            grown = [
                row["nanoseconds"][name] / rows[0]["nanoseconds"][name]
                for name in (POOLKIT, BY_HAND)
            ]
            ratio = f"{middle:.2f} [{low:.2f} - {high:.2f}]"
            growth = f"{grown[0]:.2f} (by hand {grown[1]:.2f})"
            lines.append(f"{row['size']:>22,}{ours:>10.2f}{theirs:>18.2f}   {ratio}   {growth}")
    return "\n".join(lines)
