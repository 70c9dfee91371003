"""Nothing grows: work is counted in calls, not in seconds; a steady state allocates nothing."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from physics_kit import STEP, Ball
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable


def work(act: Callable[[], object]) -> int:
    """Return how many functions are called, Python's own included, while `act` runs."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls


class Orc(IPoolableComponent):
    """A plain instance."""


class Hat(PooledSprite):
    """A sprite to be tied to others."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))


@pytest.fixture
def frames() -> PoolingSystem:
    """Return a system that is updated, so that what dies waits for the next frame."""
    system = PoolingSystem()
    system.configure(reuse="next_update")
    return system


# -- how much a call does --------------------------------------------------------------------------


@pytest.mark.parametrize("overflow", [None, RecycleOldest()])
def test_10_a_spawn_costs_the_same_whatever_waits_for_the_update(overflow: Any) -> None:
    costs = []
    for waiting in (10, 3000):
        system = PoolingSystem()
        system.configure(reuse="next_update")
        chosen = {} if overflow is None else {"overflow": overflow}
        limits = PoolSettings(prespawn=3500, limit=3500, **chosen)
        prefab = Prefab(Orc, settings=limits)
        orcs = system.spawn_many(prefab, [(0, 0)] * waiting)
        for orc in orcs:
            system.despawn(orc)
        costs.append(work(lambda: [system.spawn(prefab) for _ in range(100)]))  # noqa: B023 - called at once
        system.spawn_many(prefab, [(0, 0)] * 3400)
        if overflow is not None:  # full: each takes another's place
            costs[-1] += work(lambda: [system.spawn(prefab) for _ in range(100)])  # noqa: B023
    assert costs[0] == pytest.approx(costs[1], rel=0.05)


def prewarm(system: PoolingSystem, pools: int, budget_ms: float) -> Callable[[], object]:
    counts = {Prefab(Orc): 2 for _ in range(pools)}
    return lambda: list(system.prewarm(counts, budget_ms=budget_ms))


def kill_a_king(system: PoolingSystem, subjects: int) -> Callable[[], object]:
    king = system.spawn(Hat)
    system.spawn_many(Prefab(Hat), [(0, 0)] * subjects, parent=king)
    return king.kill


def look_at_pairs(system: PoolingSystem, pairs: int) -> Callable[[], object]:
    prefab = Prefab(Hat, groups=[PooledGroup()])
    for _ in range(pairs):
        system.spawn(prefab, parent=system.spawn(prefab))
    system.update(STEP)
    return lambda: system.update(STEP)


@pytest.mark.parametrize(
    ("prepare", "options", "few", "each"),
    [
        (prewarm, [0], 100, 1000),
        (prewarm, [1e9], 100, 1000),
        (kill_a_king, [], 500, 1000),
        (look_at_pairs, [], 100, 10),  # that do not move: a few comparisons for each
    ],
)
def test_10_work_is_linear_in_how_much_there_is(
    prepare: Callable[..., Callable[[], object]], options: list[Any], few: int, each: int
) -> None:
    costs = [work(prepare(PoolingSystem(), number, *options)) for number in (few, 10 * few)]
    assert costs[1] < min(11 * costs[0], each * 10 * few)


def test_10_tying_a_child_costs_the_same_however_many_there_are(system: PoolingSystem) -> None:
    prefab = Prefab(Hat)
    king: Any = system.spawn(Hat)
    system.prespawn(prefab, 10_000)
    system.spawn(prefab, parent=king)  # the first of a frame has a little more to do
    first = work(lambda: system.spawn(prefab, parent=king))
    ties = king._pool_data.kin.children, king._links
    for _ in range(9_990):
        system.spawn(prefab, parent=king)
    assert work(lambda: system.spawn(prefab, parent=king)) == pytest.approx(first, rel=0.1)
    assert (king._pool_data.kin.children, king._links) == ties
    assert king._pool_data.kin.children is ties[0]  # added to, not copied
    assert king._links is ties[1]
    hats = list(king.children)
    hats.pop().kill()  # the first end after an update has more to note
    one = work(hats[5_000].kill)
    for hat in hats[1:-1]:
        hat.kill()
    assert work(hats[0].kill) == pytest.approx(one, rel=0.1)
    assert len(king.children) == 1


def test_10_groups_without_followers_do_not_move_those_of_others(system: PoolingSystem) -> None:
    crowd, prefab = PooledGroup(), Prefab(Hat)
    for number in range(1000):
        system.spawn(prefab, parent=system.spawn(prefab, (number, 0)), groups=[crowd])
    groups = [PooledGroup() for _ in range(8)]
    screen = pygame.Surface((8, 8))

    def frame() -> None:
        for group in groups:
            group.update(STEP)
            group.draw(screen)

    frame()
    empty = work(frame)
    assert empty < 1000  # less than one call for each pair


class Chain:
    """Instances of which each was spawned under the one before."""

    def __init__(self, depth: int, kind: Callable[[], Any], *, persistent: bool = False) -> None:
        self.system = PoolingSystem()
        self.prefab = Prefab(kind, persistent=persistent, settings=PoolSettings(prespawn=depth))
        self.system.register(self.prefab)
        self.links: list[Any] = []
        self.spawning = work(lambda: self.grow(depth))

    def grow(self, depth: int) -> None:
        for _ in range(depth):
            above = self.links[-1] if self.links else None
            self.links.append(self.system.spawn(self.prefab, parent=above))

    @property
    def last(self) -> Any:
        return self.system.pool(self.prefab).active[self.links[-1]]


@pytest.mark.parametrize("kind", [Orc, Hat])
@pytest.mark.parametrize("persistent", [False, True])
def test_12_17_chains_of_parents_of_any_depth_cost_what_their_length_does(
    kind: Callable[[], Any], *, persistent: bool
) -> None:
    costs: list[list[int]] = []
    for depth in (200, 2000):
        chain = Chain(depth, kind, persistent=persistent)
        system = chain.system
        cost = [chain.spawning, work(lambda: chain.last.is_persistent)]  # noqa: B023
        cost.append(work(lambda: system.despawn(chain.links[0])))  # noqa: B023
        assert system.pool(chain.prefab).active_count == 0
        chain.links.clear()
        chain.grow(depth)
        cost.append(work(system.reset))
        costs.append(cost)
        assert system.pool(chain.prefab).active_count == depth * persistent
        system.reset()  # is not refused
        system.dispose()
    for few, many in zip(*costs, strict=True):
        assert many < 11 * few, costs


def test_10_an_update_does_not_look_at_pools_where_nothing_happened(frames: PoolingSystem) -> None:
    costs = []
    for pools in (10, 10_000):
        for _ in range(pools):
            frames.despawn(frames.spawn(Prefab(Orc, settings=PoolSettings(prespawn=1))))
        frames.update(STEP)
        costs.append(work(lambda: frames.update(0.3)))
    assert abs(costs[1] - costs[0]) < 100  # a few pools a frame are looked at for lives in no group


# -- the steady state ------------------------------------------------------------------------------


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30
        self.scope.after(0.5, self.sprite.kill)

    def despawned(self) -> None:
        self.current = 0


class Monster(PooledSprite):
    """A sprite with a component that has hooks."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))
        self.add_component(Health())


class Fireball(IPoolableComponent):
    """A life as the README's first program has it: with data and a timer."""

    system: PoolingSystem

    def spawned(self, speed: int, position: tuple[float, float]) -> None:
        self.place = position
        self.speed = speed
        self.system.scope(self).after(0.5, self.burn)

    def burn(self) -> None:
        self.system.despawn(self)


class Spark(PooledSprite):
    """The same as a sprite."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))

    def spawned(self, speed: int) -> None:
        self.speed = speed
        self.scope.after(0.5, self.kill)


def collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


@pytest.mark.parametrize("kind", [Fireball, Spark, Monster])
@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_u12_n09_a_steady_state_with_data_and_timers_allocates_and_collects_nothing(
    kind: Any, reuse: Any
) -> None:
    system = Fireball.system = PoolingSystem()
    system.configure(reuse=reuse)
    prefab = Prefab(kind, groups=() if kind is Fireball else [PooledGroup()])
    data: dict[str, Any] = {} if kind is Monster else {"speed": 9}
    place = (3.0, 4.0)

    def play(frames: int) -> None:
        for _ in range(frames):
            for early in (True, False, False, True):
                one = system.spawn(prefab, place, **data)
                if early:
                    system.despawn(one)
            for one in system.spawn_many(prefab, (place, place), **data):
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
def test_n12_recycling_at_a_limit_inside_collision_callbacks_builds_nothing(reuse: Any) -> None:
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
    pool, before = system.pool(sparks), system.pool(sparks).stats
    met = meetings
    collected, blocks = collections(), sys.getallocatedblocks()
    play(300)
    after = pool.stats
    assert meetings - met == 450
    assert after.recycled - before.recycled == 3 * 450
    assert (after.created, after.destroyed) == (before.created, before.destroyed)
    assert pool.active_count == 10
    assert pool.capacity <= 10 + 9
    assert collections() - collected == 0
    assert abs(sys.getallocatedblocks() - blocks) < 50
