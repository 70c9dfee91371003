"""Spawn and despawn: poolkit, a pool written by hand, and building anew each time."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks.measure import Contest, SteadyState, contest, steady_state
from benchmarks.rivals import (
    BarestPool,
    BodySprite,
    HandPool,
    HealthSprite,
    PooledBodySprite,
    PooledHealthSprite,
)
from benchmarks.verdict import Verdict
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["QUICK", "as_text", "run", "verdicts"]

QUICK = {"pieces": 200, "rounds": 4, "cycles": 10_000}

AT_REST = 100
POSITION = (320.0, 40.0)
POOLKIT, BY_HAND, ANEW = "poolkit", "written by hand", "built anew"
BAREST = "barest by hand"
COMPONENT, BODY, PLAIN = (
    "a sprite with one component",
    "a sprite with body, shape and reset",
    "a plain sprite",
)
FRAMES = "frames of a game with physics"
A_FRAME, STEP = 20, 1 / 60  # lives that end and begin in one of these frames; seconds


class PlainSprite(pygame.sprite.Sprite):
    """As little as a sprite can be: what pooling gains nothing for."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__()
        self.rect: pygame.FRect = pygame.FRect(0, 0, 24, 24)


def run(*, pieces: int = 2_000, rounds: int = 40, cycles: int = 100_000) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    cases = {
        COMPONENT: (_component_ways(), 1),
        BODY: (_body_ways(), 8),
        PLAIN: (_plain_ways(), 1),
    }
    results: dict[str, Any] = {}
    for name, (ways, weight) in cases.items():
        outcome = contest(ways, pieces=max(1, pieces // weight), rounds=rounds)
        left = steady_state(ways[POOLKIT], cycles)
        results[name] = _figures(outcome, left)
    left = steady_state(_frames_of_a_game(), max(1, cycles // A_FRAME))
    return {"cases": results, FRAMES: _as_figures(left)}


def _figures(outcome: Contest, left: SteadyState) -> dict[str, Any]:
    rivals = [name for name in outcome.rounds if name != POOLKIT]
    return {
        "nanoseconds": {name: round(outcome.nanoseconds(name)) for name in outcome.rounds},
        "p99, nanoseconds": {name: round(outcome.p99(name)) for name in outcome.rounds},
        "poolkit to": {
            rival: [round(value, 3) for value in outcome.ratio(POOLKIT, rival)] for rival in rivals
        },
        "steady state": _as_figures(left),
    }


def _as_figures(left: SteadyState) -> dict[str, int]:
    return {
        "cycles": left.cycles,
        "net blocks": left.blocks,
        "collections": left.collections,
    }


def _frames_of_a_game() -> Callable[[int], None]:
    """Return what plays some frames: lives end and begin, the world moves on, all is drawn."""
    world, group, system = PhysicsWorld(gravity=(0, 900)), PooledGroup(), PoolingSystem()
    screen = pygame.Surface((640, 360))
    prefab = Prefab(
        partial(PooledBodySprite, world),
        groups=[group],
        settings=PoolSettings(prespawn=2 * A_FRAME),
    )
    system.register(prefab)
    alive = deque(system.spawn(prefab, (30.0 * number, 0.0)) for number in range(A_FRAME))

    def work(frames: int) -> None:
        for _ in range(frames):
            for _ in range(A_FRAME):
                system.despawn(alive.popleft())
            for number in range(A_FRAME):
                alive.append(system.spawn(prefab, (30.0 * number, 0.0)))
            system.update(STEP)
            world.step(STEP)
            group.draw(screen)

    work(600)  # beyond the 256th life of each: Python allocates numbers from there on, once
    return work


def _poolkit_way(prefab: Prefab[Any]) -> Callable[[int], None]:
    system = PoolingSystem()
    system.register(prefab)

    def work(pieces: int) -> None:
        spawn, despawn = system.spawn, system.despawn
        for _ in range(pieces):
            despawn(spawn(prefab, POSITION))

    return work


def _by_hand_way(pool: HandPool[Any] | BarestPool[Any]) -> Callable[[int], None]:
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
    made, more = ([HealthSprite() for _ in range(AT_REST)] for _ in range(2))
    return {
        POOLKIT: _poolkit_way(prefab),
        BY_HAND: _by_hand_way(HandPool(pygame.sprite.Group(), made)),
        BAREST: _by_hand_way(BarestPool(pygame.sprite.Group(), more)),
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
    hand_space, bare_space = pymunk.Space(), pymunk.Space()
    made, more = (
        [BodySprite(inside) for _ in range(AT_REST)] for inside in (hand_space, bare_space)
    )
    return {
        POOLKIT: _poolkit_way(prefab),
        BY_HAND: _by_hand_way(HandPool(pygame.sprite.Group(), made)),
        BAREST: _by_hand_way(BarestPool(pygame.sprite.Group(), more)),
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


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    bars = {COMPONENT: 1.15, BODY: 1.2}
    found = [
        Verdict(
            what=f"{name}, poolkit to a pool written by hand",
            figure=results["cases"][name]["poolkit to"][BY_HAND][1],
            at_most=bar,
            aim=1.0,
        )
        for name, bar in bars.items()
    ]
    steady = {name: figures["steady state"] for name, figures in results["cases"].items()}
    steady[FRAMES] = results[FRAMES]
    for name, left in steady.items():
        found += [
            Verdict(
                what=f"{what} left by {left['cycles']:,} x {name}", figure=left[what], at_most=0
            )
            for what in ("net blocks", "collections")
        ]
    return found


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = ["spawn + despawn, medians and p99 of rounds taken in turns (quartiles in brackets)"]
    for name, figures in results["cases"].items():
        lines += ["", name]
        for way, nanoseconds in figures["nanoseconds"].items():
            p99 = figures["p99, nanoseconds"][way]
            line = f"  {way:<16} {nanoseconds / 1000:>7.2f} µs  p99 {p99 / 1000:>6.2f}"
            ratio = figures["poolkit to"].get(way)
            if ratio:
                low, middle, high = ratio
                line += f"   poolkit takes {middle:.2f} of it  [{low:.2f} - {high:.2f}]"
            lines.append(line)
        lines.append(f"  {_left(figures['steady state'])}")
    lines += [
        "",
        f"{FRAMES}: {A_FRAME} lives end and begin, step, draw",
        f"  {_left(results[FRAMES])}",
    ]
    return "\n".join(lines)


def _left(left: dict[str, int]) -> str:
    return (
        f"{left['cycles']:,} cycles leave {left['net blocks']} memory blocks "
        f"and ran the garbage collector {left['collections']} times"
    )
