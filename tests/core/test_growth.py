"""Nothing grows: work is counted in calls, not in seconds; a steady state allocates nothing."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from measuring import unmeasured
from physics_kit import STEP, Ball
from poolkit import (
    Animation,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
)
from poolkit.physics import PhysicsWorld
from recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

Act = Callable[[], object]


class Hat(PooledSprite):
    """A sprite to be tied to others."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))


def cost(act: Act) -> tuple[int, int]:
    """Return how many functions `act` calls, Python's own included, and how many bytes it takes."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    tracemalloc.start()
    sys.setprofile(count)
    try:
        act()
        return calls, tracemalloc.get_traced_memory()[1]
    finally:
        sys.setprofile(None)
        tracemalloc.stop()


def late_system() -> PoolingSystem:
    """Return a system that is updated, so that what dies waits for the next frame."""
    system = PoolingSystem()
    system.configure(reuse="next_update")
    return system


def spawn_while_dead_wait(number: int) -> Iterator[Act]:
    system, most = late_system(), 12 * number
    limits = PoolSettings(prespawn=most, limit=most, overflow=RecycleOldest())
    prefab = Prefab(Recorder, settings=limits)
    system.spawn_many(prefab, [(0, 0)] * number)
    system.despawn_all(prefab)
    yield lambda: [system.spawn(prefab) for _ in range(100)]
    system.spawn_many(prefab, [(0, 0)] * (most - 100))
    yield lambda: [system.spawn(prefab) for _ in range(100)]  # each takes another's place


def live_among_many_prefabs(number: int) -> Iterator[Act]:
    system, settings = PoolingSystem(), PoolSettings(prespawn=1)
    names = [
        system.register(Prefab(Recorder, name=f"{n}", settings=settings)).name
        for n in range(number)
    ]
    first, last = system.pool(names[0]).prefab, names[-1]
    for prefab in (first, last):
        yield lambda: [system.despawn(system.spawn(prefab)) for _ in range(50)]  # noqa: B023


def recycle_the_lowest(number: int) -> Iterator[Act]:
    system, policy = PoolingSystem(), RecycleLowest(id)
    prefab = Prefab(Recorder, settings=PoolSettings(limit=number, overflow=policy))
    lives = system.spawn_many(prefab, [(0, 0)] * number)
    system.spawn(prefab)  # which ranks all of them
    yield lambda: [system.spawn(prefab) for _ in range(50)]
    yield lambda: [*map(system.pool(prefab).update_priority, lives[:50])]


def tie_a_child(number: int) -> Iterator[Act]:
    system, prefab = PoolingSystem(), Prefab(Hat)
    king = system.spawn(Hat)
    system.prespawn(prefab, number + 1)
    hats = system.spawn_many(prefab, [(0, 0)] * number, parent=king)
    yield lambda: system.spawn(prefab, parent=king)
    yield hats[number // 2].kill


def update_many_pools(number: int) -> Iterator[Act]:
    system = late_system()
    for _ in range(number):
        system.despawn(system.spawn(Prefab(Recorder, settings=PoolSettings(prespawn=1))))
    for _ in range(2):  # in the second, nothing has changed since the first
        system.update(STEP)
    yield lambda: system.update(0.3)


def draw_groups_while_others_follow(number: int) -> Iterator[Act]:
    system, prefab, crowd = PoolingSystem(), Prefab(Hat), PooledGroup()
    for place in range(number):
        system.spawn(prefab, parent=system.spawn(prefab, (place, 0)), groups=[crowd])
    group = PooledGroup()
    screen = pygame.Surface((8, 8))
    group.update(STEP)
    group.draw(screen)
    yield lambda: group.update(STEP)
    yield lambda: group.draw(screen)


class Flame(Hat):
    """A sprite that is animated."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(Animation([pygame.Surface((2, 2))] * 3, 10))


def update_what_is_animated(number: int) -> Iterator[Act]:
    """Between two frames; those that change are in the table below."""
    system = PoolingSystem()
    system.spawn_many(Prefab(Flame), [(0, 0)] * number)
    yield lambda: system.update(0.09)


@pytest.mark.parametrize(
    ("prepare", "few"),
    [
        (update_what_is_animated, 100),
        (spawn_while_dead_wait, 50),
        (live_among_many_prefabs, 100),
        (recycle_the_lowest, 100),
        (tie_a_child, 300),
        (update_many_pools, 200),
        (draw_groups_while_others_follow, 100),
    ],
)
@unmeasured()
def test_work_is_the_same_however_much_there_is(
    prepare: Callable[[int], Iterator[Act]], few: int
) -> None:
    prepare(1)  # what is worked out once for a class
    one, ten = ([cost(act) for act in prepare(number)] for number in (few, 10 * few))
    for (calls, taken), (more_calls, more_taken) in zip(one, ten, strict=True):
        assert more_calls <= 1.05 * calls + 50
        assert more_taken <= taken + 8_000


def prewarm(number: int, budget_ms: float) -> Iterator[Act]:
    counts = {Prefab(Recorder): 2 for _ in range(number)}
    yield lambda: list(PoolingSystem().prewarm(counts, budget_ms=budget_ms))


def kill_a_king(number: int) -> Iterator[Act]:
    system = PoolingSystem()
    king = system.spawn(Hat)
    system.spawn_many(Prefab(Hat), [(0, 0)] * number, parent=king)
    yield king.kill


def look_at_pairs_that_do_not_move(number: int) -> Iterator[Act]:
    system, prefab = PoolingSystem(), Prefab(Hat, groups=[PooledGroup()])
    for _ in range(number):
        system.spawn(prefab, parent=system.spawn(prefab))
    system.update(STEP)
    yield lambda: system.update(STEP)


def change_what_is_animated(number: int) -> Iterator[Act]:
    system, prefab = PoolingSystem(), Prefab(Flame)
    for _ in range(number):
        system.spawn(prefab)
        system.update(0.01 / number)
    yield lambda: system.update(0.1)


def live_in_a_chain(number: int, kind: Callable[[], Any], *, persistent: bool) -> Iterator[Act]:
    """Spawn each under the one before; ask the last how long it lives, end the first, reset."""
    system = PoolingSystem()
    prefab = Prefab(kind, persistent=persistent, settings=PoolSettings(prespawn=number))
    pool = system.pool(prefab)

    def grow() -> None:
        link = None
        for _ in range(number):
            link = system.spawn(prefab, parent=link)

    yield grow
    yield lambda: [*pool.active.values()][-1].is_persistent
    yield lambda: system.despawn(next(iter(pool.active)))
    assert pool.active_count == 0
    grow()
    yield system.reset
    assert pool.active_count == number * persistent
    system.dispose()


@pytest.mark.parametrize(
    ("prepare", "few", "each"),
    [
        *((partial(prewarm, budget_ms=each), 100, 1000) for each in (0, 1e9)),
        (kill_a_king, 500, 1000),
        (change_what_is_animated, 100, 10),
        (look_at_pairs_that_do_not_move, 100, 10),
        (partial(live_in_a_chain, kind=Recorder, persistent=False), 200, 1000),
        (partial(live_in_a_chain, kind=Hat, persistent=True), 200, 1000),
    ],
)
@unmeasured()
def test_work_is_linear_in_how_much_there_is(
    prepare: Callable[[int], Iterator[Act]], few: int, each: int
) -> None:
    one, ten = ([cost(act)[0] for act in prepare(number)] for number in (few, 10 * few))
    for little, much in zip(one, ten, strict=True):
        assert much < min(11 * little, each * 10 * few), (one, ten)


class Fireball(IPoolableComponent):
    """A life as the README's first program has it: with data and a timer."""

    system: PoolingSystem

    def spawned(self, speed: int, position: tuple[float, float]) -> None:
        self.place = position
        self.speed = speed
        self.system.scope(self).after(0.5, self.burn)

    def burn(self) -> None:
        self.system.despawn(self)


class Health(IPoolableComponent):
    """Lasts for half a second."""

    def spawned(self) -> None:
        self.scope.after(0.5, self.sprite.kill)

    def despawned(self) -> None:
        self.current = 0


class Spark(PooledSprite):
    """The same as a sprite with a component."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))
        self.add_component(Health())

    def spawned(self, speed: int) -> None:
        self.speed = speed


class Ember(Spark):
    """The same, animated."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(Animation([pygame.Surface((2, 2))] * 3, 9, loop=False))


def collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


@pytest.mark.parametrize("kind", [Fireball, Spark, Ember])
@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@unmeasured()
def test_a_steady_state_with_data_and_timers_allocates_and_collects_nothing(
    kind: Any, reuse: Any
) -> None:
    system = Fireball.system = PoolingSystem()
    system.configure(reuse=reuse)
    prefab = Prefab(kind, groups=() if kind is Fireball else [PooledGroup()])
    place = (3.0, 4.0)

    def play(frames: int) -> None:
        for _ in range(frames):
            for early in (True, False, False, True):
                one = system.spawn(prefab, place, speed=9)
                if early:
                    system.despawn(one)
            for one in system.spawn_many(prefab, (place, place), speed=9):
                system.despawn(one)
            system.update(0.1)

    gc.collect()  # which empties the interpreter's own stores: they fill up again
    play(2_000)
    spawned = system.pool(prefab).stats.spawned
    collected, blocks = collections(), sys.getallocatedblocks()
    play(5_000)
    grown = sys.getallocatedblocks() - blocks
    assert collections() == collected
    assert abs(grown) < 20  # the numbers counted here, what the interpreter specialises late
    assert system.pool(prefab).stats.spawned == spawned + 30_000


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@unmeasured()
def test_recycling_at_a_limit_inside_collision_callbacks_builds_nothing(reuse: Any) -> None:
    world = PhysicsWorld()
    system = PoolingSystem()
    system.configure(reuse=reuse)
    limits = PoolSettings(prespawn=10, limit=10, overflow=RecycleOldest())
    sparks = Prefab(lambda: Ball(world, kind=2), name="spark", settings=limits)
    rocks = system.spawn_many(Prefab(lambda: Ball(world)), [(40.0 * n, 0) for n in range(6)])
    meetings = 0

    def meet(*_: object) -> None:
        nonlocal meetings
        meetings += 1
        for place in range(3):
            system.spawn(sparks, (1000 + 40 * place, 500))

    world.on_collision(1, 1, begin=meet)

    def play(steps: int) -> None:
        for number in range(steps):
            for place, rock in enumerate(rocks):  # in pairs that touch in every second step
                apart = 200 if number % 2 else 12
                rock.body.position = (500 * (place // 2) + apart * (place % 2), 0)
                rock.body.velocity = (0, 0)
            world.step(STEP)
            system.update(STEP)

    gc.collect()
    play(800)
    pool, before, met = system.pool(sparks), system.pool(sparks).stats, meetings
    collected, blocks = collections(), sys.getallocatedblocks()
    play(300)
    after = pool.stats
    assert (meetings - met, after.recycled - before.recycled) == (450, 3 * 450)
    assert (after.created, after.destroyed) == (before.created, before.destroyed)
    assert (pool.active_count, pool.capacity <= 10 + 9) == (10, True)
    assert collections() - collected == 0
    assert abs(sys.getallocatedblocks() - blocks) < 50
