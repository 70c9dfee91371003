"""Spawn and despawn: poolkit, a pool written by hand, and building anew each time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks.measure import Contest, SteadyState, contest, steady_state
from benchmarks.rivals import (
    BodySprite,
    HandPool,
    HealthSprite,
    PooledBodySprite,
    PooledHealthSprite,
)
from poolkit import PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["as_text", "run"]

AT_REST = 100
POSITION = (320.0, 40.0)
POOLKIT, BY_HAND, ANEW = "poolkit", "written by hand", "built anew"


class PlainSprite(pygame.sprite.Sprite):
    """As little as a sprite can be: what pooling gains nothing for."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__()
        self.rect: pygame.FRect = pygame.FRect(0, 0, 24, 24)


def run(*, pieces: int = 2_000, rounds: int = 40, cycles: int = 100_000) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    cases = {
        "a sprite with one component": (_component_ways(), 1),
        "a sprite with body, shape and reset": (_body_ways(), 8),
        "a plain sprite": (_plain_ways(), 1),
    }
    results: dict[str, Any] = {}
    for name, (ways, weight) in cases.items():
        outcome = contest(ways, pieces=max(1, pieces // weight), rounds=rounds)
        left = steady_state(ways[POOLKIT], cycles)
        results[name] = _figures(outcome, left)
    return results


def _figures(outcome: Contest, left: SteadyState) -> dict[str, Any]:
    rivals = [name for name in outcome.rounds if name != POOLKIT]
    return {
        "nanoseconds": {name: round(outcome.nanoseconds(name)) for name in outcome.rounds},
        "poolkit to": {
            rival: [round(value, 3) for value in outcome.ratio(POOLKIT, rival)] for rival in rivals
        },
        "steady state": {
            "cycles": left.cycles,
            "net blocks": left.blocks,
            "collections": left.collections,
        },
    }


def _poolkit_way(prefab: Prefab[Any]) -> Callable[[int], None]:
    system = PoolingSystem()
    system.register(prefab)

    def work(pieces: int) -> None:
        spawn, despawn = system.spawn, system.despawn
        for _ in range(pieces):
            despawn(spawn(prefab, POSITION))

    return work


def _by_hand_way(pool: HandPool[Any]) -> Callable[[int], None]:
    def work(pieces: int) -> None:
        spawn, despawn = pool.spawn, pool.despawn
        for _ in range(pieces):
            despawn(spawn(POSITION))

    return work


def _component_ways() -> dict[str, Callable[[int], None]]:
    def build_anew(pieces: int) -> None:
        group: pygame.sprite.Group[HealthSprite] = pygame.sprite.Group()
        for _ in range(pieces):
            sprite = HealthSprite()
            sprite.enter(POSITION)
            group.add(sprite)
            for component in sprite.components:
                component.spawned()
            for component in sprite.components:
                component.despawned()
            sprite.kill()

    settings = PoolSettings(prespawn=AT_REST)
    prefab = Prefab(PooledHealthSprite, groups=[pygame.sprite.Group()], settings=settings)
    made = [HealthSprite() for _ in range(AT_REST)]
    return {
        POOLKIT: _poolkit_way(prefab),
        BY_HAND: _by_hand_way(HandPool(pygame.sprite.Group(), made)),
        ANEW: build_anew,
    }


def _body_ways() -> dict[str, Callable[[int], None]]:
    space = pymunk.Space()

    def build_anew(pieces: int) -> None:
        group: pygame.sprite.Group[BodySprite] = pygame.sprite.Group()
        for _ in range(pieces):
            sprite = BodySprite(space)
            sprite.enter(POSITION)
            group.add(sprite)
            for component in sprite.components:
                component.spawned()
            for component in sprite.components:
                component.despawned()
            sprite.kill()
            space.remove(sprite.shape, sprite.body)

    world = PhysicsWorld()
    prefab = Prefab(
        partial(PooledBodySprite, world),
        groups=[pygame.sprite.Group()],
        settings=PoolSettings(prespawn=AT_REST),
    )
    hand_space = pymunk.Space()
    made = [BodySprite(hand_space) for _ in range(AT_REST)]
    return {
        POOLKIT: _poolkit_way(prefab),
        BY_HAND: _by_hand_way(HandPool(pygame.sprite.Group(), made)),
        ANEW: build_anew,
    }


def _plain_ways() -> dict[str, Callable[[int], None]]:
    def build_anew(pieces: int) -> None:
        group: pygame.sprite.Group[PlainSprite] = pygame.sprite.Group()
        for _ in range(pieces):
            sprite = PlainSprite()
            sprite.rect.center = POSITION
            group.add(sprite)
            sprite.kill()

    settings = PoolSettings(prespawn=AT_REST)
    prefab = Prefab(PlainSprite, groups=[pygame.sprite.Group()], settings=settings)
    return {POOLKIT: _poolkit_way(prefab), ANEW: build_anew}


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = ["spawn + despawn, medians of rounds taken in turns (quartiles in brackets)"]
    for name, figures in results.items():
        lines += ["", name]
        for way, nanoseconds in figures["nanoseconds"].items():
            line = f"  {way:<16} {nanoseconds / 1000:>7.2f} µs"
            ratio = figures["poolkit to"].get(way)
            if ratio:
                low, middle, high = ratio
                line += f"   poolkit takes {middle:.2f} of it  [{low:.2f} - {high:.2f}]"
            lines.append(line)
        left = figures["steady state"]
        lines.append(
            f"  {left['cycles']:,} cycles leave {left['net blocks']} memory blocks "
            f"and ran the garbage collector {left['collections']} times"
        )
    return "\n".join(lines)
