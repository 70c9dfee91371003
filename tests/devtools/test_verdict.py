"""The verdict: whether pooling pays for a prefab, measured and said in a sentence.

The clock of these tests stands still but for what work is said to cost, so no machine is too busy
for them; the last one looks at the real clock, and asserts only what holds on any machine.
"""

from __future__ import annotations

import functools
import gc
import itertools
import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from measuring import unmeasured
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    pools,
)
from poolkit.devtools import disable_strict, enable_strict, verdicts
from poolkit.devtools.frames import CollectorPause, CollectorProbe
from poolkit.devtools.verdicts import Verdict, verdict
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from recorder import Orc

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("small_heap")


class Clock:
    """Advances by what work is said to cost, and by a moment with each look."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.busy: Callable[[], float] = float  # what other programs take until the next look
        self.pauses: list[tuple[CollectorPause, ...]] = [()] * 5  # of the collector, run by run
        self._patch = monkeypatch.setattr
        self._patch(verdicts, "_clock", self)
        self._patch(CollectorProbe, "take", lambda _: self.pauses.pop())

    def __call__(self) -> float:
        self.now += 1e-9 + self.busy()
        return self.now

    def works(self, microseconds: float) -> None:
        self.now += microseconds * 1e-6

    def charge(self, owner: Any, name: str, microseconds: float) -> None:
        """Let each call of a method cost so much."""
        method = getattr(owner, name)

        @functools.wraps(method)
        def charged(*args: Any, **named: Any) -> Any:
            self.works(microseconds)
            return method(*args, **named)

        self._patch(owner, name, charged)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize("reuse", ["at_once", "next_update", None])
def test_a_long_verdict_is_no_update_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, reuse: Any
) -> None:
    class Bomb(PooledSprite):
        def spawned(self) -> None:
            self.scope.after(9.0, self.kill)

    looks = itertools.count()  # at the clock; each takes a second
    monkeypatch.setattr(verdicts, "_clock", lambda: next(looks) + time.perf_counter())
    monkeypatch.setattr("poolkit.core.clock.time.monotonic", lambda: next(looks) / 2)
    system = PoolingSystem()
    system.configure(reuse=reuse)
    verdict(Bomb, rounds=3, system=system)
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("build", "reuse", "sentence"),
    [
        (31.4, 2.3, "orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays"),
        (0.6, 0.8, "orc: 0.6 µs against 0.8; pooling does not pay"),
        (0.04, 0.8, "orc: 0.04 µs against 0.8; pooling does not pay"),
        (3.0, 2.1, "orc: 3.0 µs against 2.1; too close to call"),
    ],
)
def test_the_verdict_is_a_sentence(build: float, reuse: float, sentence: str) -> None:
    assert str(Verdict("orc", build * 1e-6, reuse * 1e-6)) == sentence


def test_a_life_from_a_pool_is_compared_with_one_that_runs_the_same_statements_without_poolkit(
    clock: Clock,
) -> None:
    seen: list[Any] = []

    class Health(IPoolableComponent):
        def spawned(self, hp: int) -> None:
            clock.works(1.5)
            seen.append(hp)

        def despawned(self) -> None:
            clock.works(0.5)

    class Hat(PooledSprite):
        def awake(self) -> None:
            clock.works(100)

        def spawned(self, position: tuple[float, float]) -> None:
            clock.works(1)
            seen.append(position)

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((16, 16)))
            self.add_component(Health())
            self.add_child(Hat(), (0, 8))
            clock.works(30)

        def awake(self) -> None:
            clock.works(67)

        def spawned(self, loot: list[str], **_: object) -> None:
            loot.append("coin")
            seen.append(len(loot))
            self.scope.after(1, self.kill)
            assert self.handle().get() is self
            assert pools.is_spawned(self)

    for owner, name in ((PooledSprite, "add_component"), (PooledSprite, "add_child")):
        clock.charge(owner, name, 20)  # the pool's own, as all below
    clock.charge(RigidBody, "__init__", 20)
    clock.charge(PoolingSystem, "spawn", 3)
    orc = Prefab(Orc, name="orc", data={"loot": [], "hp": 3}, settings=PoolSettings(limit=2))
    answer = verdict(orc, rounds=3)
    assert str(answer) == "orc: 200.0 µs to build, 6.0 µs to reuse, 33 times; pooling pays"
    assert answer.paused == 0
    assert set(seen) == {1, 3, (0, 0)}


def test_fields_are_restored_and_mixins_called_in_the_lives_it_compares_with(clock: Clock) -> None:
    seen: list[Any] = []

    class Burns(IPoolableComponent):
        heat: int = 3

        def spawned(self) -> None:
            clock.works(1)
            seen.append(("burns", self.heat))

        def despawned(self) -> None:
            clock.works(1)

    class Imp(Burns, PooledSprite):
        hp: int = 30
        loot: list[str] = []  # noqa: RUF012

        def __init__(self) -> None:
            super().__init__(pygame.Surface((16, 16)))
            clock.works(30)

        def spawned(self) -> None:
            seen.append((self.hp, self.heat, *self.loot))
            self.hp = self.heat = 0
            self.loot.append("coin")

    imp = Prefab(Imp, name="imp", data={"hp": 40})
    assert str(verdict(imp, rounds=3)).startswith("imp: 32.0 µs to build, 2.0 µs to reuse")
    assert set(seen) == {("burns", 3), (40, 3)}


@unmeasured()
def test_the_same_prefab_gets_the_same_sentence_in_five_runs_on_a_busy_machine(
    clock: Clock,
) -> None:
    class Orc:
        def __init__(self) -> None:
            clock.works(31.4)

    dice = random.Random(5)  # noqa: S311 - of a test
    clock.busy = lambda: dice.choice([0, 0, 0, 0.002, 0.05])
    clock.charge(PoolingSystem, "spawn", 2.3)
    orc = Prefab(Orc, name="orc")
    clock.pauses *= 5
    sentences = {str(verdict(orc, rounds=20)) for _ in range(5)}
    assert sentences == {"orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays"}


def test_the_collectors_pauses_are_the_shortest_of_five_runs_shared_by_all_lives(
    clock: Clock,
) -> None:
    class Orc:
        def __init__(self) -> None:
            clock.works(100)

    short = CollectorPause(0, 0.001), CollectorPause(2, 0.014)
    long = CollectorPause(2, 1)
    clock.pauses = [(long,), (long,), short, (long,), (*short, long)]
    found = verdict(Orc, rounds=3)
    assert found.paused == pytest.approx(0.015 / 1500, rel=0.01)  # 0.15 seconds of lives
    assert found.build == pytest.approx(110e-6, rel=0.001)


BUSY = """
import sys
print(flush=True)
while True: pass
"""


@unmeasured()
def test_busy_neighbours_on_the_machine_change_neither_the_verdict_nor_its_pauses() -> None:
    class Node:
        def __init__(self) -> None:
            self.me = self

    quiet = verdict(Node, rounds=10)
    neighbours = [
        subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        for neighbour in neighbours:
            assert neighbour.stdout is not None
            neighbour.stdout.readline()  # it is busy from now on
        busy = verdict(Node, rounds=10)
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.communicate()
    # Neighbours share the processor's caches, and that is all.
    assert busy.paused < 4 * quiet.paused
    assert busy.build < 4 * quiet.build


def test_nothing_of_the_game_is_changed(clock: Clock) -> None:
    system = PoolingSystem()

    class Puff:
        pass

    class Ghost(IPoolableComponent):
        def __init__(self) -> None:
            clock.works(50)

        def despawned(self) -> None:
            system.spawn(Puff)

    others = system.spawn_many(Puff, [(0, 0)] * 3)
    ghost = Prefab(Ghost, name="ghost")
    alive, enabled = system.spawn(ghost), gc.isenabled()
    verdict("ghost", rounds=3, system=system)
    assert gc.isenabled() == enabled
    assert system._context.reuse is None  # the game's first update chooses
    assert list(system.pool(Puff).active) == others
    assert list(system.pool(ghost).active) == [alive]
    assert system.pool(ghost).capacity == 1


def test_bad_input_a_system_that_is_not_as_it_is_in_play(system: PoolingSystem) -> None:
    for change in (enable_strict, lambda system: system.configure(pooling=False)):
        change(system)
        with pytest.raises(PoolError, match="is not as it is in play: leave strict mode and"):
            verdict(Orc, rounds=3, system=system)
        disable_strict(system)


@pytest.mark.parametrize(("cost", "lives"), [(0, 2000), (10, 50), (300, 2)])
def test_where_nothing_is_reused_before_the_next_update_a_batch_is_one_frame(
    clock: Clock, system: PoolingSystem, monkeypatch: pytest.MonkeyPatch, cost: float, lives: int
) -> None:
    class Orc(IPoolableComponent):
        def spawned(self) -> None:
            clock.works(cost)

    batches, update = [0], system.update

    def count(_: object) -> None:
        batches[-1] += 1

    def updating(seconds: float) -> None:
        batches.append(0)
        update(seconds)

    system.configure(reuse="next_update")
    monkeypatch.setattr(system, "update", updating)
    system.on_spawn(count)
    verdict(Orc, rounds=3, system=system)
    assert max(batches) == lives
    assert all(pool.capacity == 0 for pool in system.all_pools())


class Dirty(pygame.sprite.DirtySprite):
    def __init__(self) -> None:
        super().__init__()
        self.image, self.rect = pygame.Surface((8, 8)), pygame.FRect(0, 0, 8, 8)


class PooledDirty(PooledSprite, pygame.sprite.DirtySprite): ...  # type: ignore[misc]  # layers


class NamesakeOfGroups(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))
        self.groups = [LAYERS]  # type: ignore[assignment]


LAYERS = pygame.sprite.LayeredUpdates[Any]()


@pytest.mark.parametrize("kind", [Dirty, PooledDirty, NamesakeOfGroups])
def test_sprites_of_every_group_of_pygames_can_be_judged(clock: Clock, kind: Any) -> None:
    clock.charge(PoolingSystem, "spawn", 3)
    group = LAYERS if kind is NamesakeOfGroups else pygame.sprite.LayeredDirty[Any]()
    found = verdict(Prefab(kind, name="it", groups=[group]), rounds=3)
    assert str(found) == "it: 0.00 µs against 3.0; pooling does not pay"
    assert not group.sprites()


@pytest.mark.usefixtures("clock")
def test_a_function_may_spawn_what_a_life_needs_which_lasts_until_the_verdict(
    system: PoolingSystem,
) -> None:
    class Rider(PooledSprite):
        def spawned(self, parent: Orc, seat: int) -> None:
            seen.add((parent, seat))

    def sample() -> dict[str, object]:
        return {"parent": system.spawn(Orc), "seat": 1}

    seen: set[tuple[Orc, int]] = set()
    mine = system.spawn(Orc)
    rider = Prefab(Rider, sample_data=sample)
    verdict(rider, data=lambda: {"seat": 2}, rounds=3, system=system)
    assert [seat for _, seat in seen] == [2]
    assert [*system.pool(Orc).active] == [mine]


def test_really_measured_it_is_a_sentence_and_nothing_is_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verdicts, "_WATCHED", 0.01)
    world, group = PhysicsWorld(), PooledGroup()

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((8, 8)), group)
            body = pymunk.Body(5, 10)
            self.add_component(RigidBody(world, body, pymunk.Circle(body, 12)))
            self.add_component(ResetPooledBodyComponent())

    in_play = Orc()
    found = verdict(Orc, rounds=3)
    assert str(found).startswith("Orc: ")
    assert 0 <= found.paused <= found.build
    assert group.sprites() == [in_play]
    assert not world.space.bodies
