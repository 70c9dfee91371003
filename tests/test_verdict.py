"""The verdict: whether pooling pays for a prefab, measured and said in a sentence."""

from __future__ import annotations

import gc
import re
import tracemalloc
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from demo_fixture import playing
from monsters import MonstersDemo
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    pools,
)
from poolkit.devtools import disable_chaos, disable_strict, enable_chaos, enable_strict
from poolkit.devtools.collector_probe import CollectorPause
from poolkit.devtools.verdicts import Pauses, Spread, Verdict, verdict
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

PAYS = re.compile(
    r"(.+): (\d+\.\d+) µs to build, (\d+\.\d+) µs to reuse, [\d.]+ times; pooling pays"
)
DOES_NOT = re.compile(r"(.+): (\d+\.\d+) µs against (\d+\.\d+); pooling does not pay")


def burn(rounds: int = 3000) -> None:
    for _ in range(rounds):
        pass


class Costly(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((16, 16)))
        burn()


class Spark:
    pass


def spread(median: float, *, by: float = 0.05) -> Spread:
    return Spread(median * (1 - by), median, median * (1 + by))


def judged(build: float, reuse: float, *, by: float = 0.05) -> str:
    ratio = spread(build / reuse, by=by)
    return str(Verdict("orc", spread(build * 1e-6), spread(reuse * 1e-6), ratio))


@pytest.mark.parametrize(
    ("build", "reuse", "sentence"),
    [
        (31.4, 2.3, "orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays"),
        (6.0, 2.4, "orc: 6.0 µs to build, 2.4 µs to reuse, 2.5 times; pooling pays"),
        (0.6, 0.8, "orc: 0.6 µs against 0.8; pooling does not pay"),
        (0.04, 0.8, "orc: 0.04 µs against 0.8; pooling does not pay"),
        (2.0, 2.05, "orc: 2.0 µs against 2.0; too close to call"),
        (2.2, 2.1, "orc: 2.2 µs against 2.1; too close to call"),
    ],
)
def test_n07_the_verdict_is_a_sentence(build: float, reuse: float, sentence: str) -> None:
    assert judged(build, reuse) == sentence


def test_n07_where_the_spreads_overlap_it_is_too_close_to_call() -> None:
    assert judged(3.0, 2.0, by=0.1).endswith("pooling pays")
    assert judged(3.0, 2.0, by=0.4) == "orc: 3.0 µs against 2.0; too close to call"
    assert judged(2.0, 3.0, by=0.6) == "orc: 2.0 µs against 3.0; too close to call"


def test_n07_details_tell_of_spreads_bytes_and_the_collector() -> None:
    pauses = [CollectorPause(0, 0.001, 9), CollectorPause(2, 0.0142, 0)]
    whole = Verdict(
        "orc",
        Spread(30.9e-6, 31.4e-6, 32.5e-6),
        spread(2.3e-6),
        spread(14),
        5426.4,
        0.0,
        300_000,
        Pauses.of(5000, pauses),
        Pauses.of(5000, []),
    )
    assert whole.details.splitlines() == [
        (
            "  to build: 31.4 µs (30.9 - 32.5), 5,426 bytes; "
            "the collector stopped 2 times in 5,000 lives, 15.2 ms in all, 14.2 ms at worst"
        ),
        "  to reuse: 2.3 µs (2.2 - 2.4), 0 bytes; the collector never stopped in 5,000 lives",
        "  (medians and quartiles; at a heap of 300,000 objects)",
    ]
    assert whole.build_pauses.full == 1
    assert str(Pauses.of(10, pauses[:1])).startswith("stopped once in 10 lives")


def test_n07_pooling_pays_for_a_costly_prefab() -> None:
    costly = Prefab(Costly, name="orc", settings=PoolSettings(limit=2))
    found = verdict(costly, heap=1000, rounds=11)
    assert PAYS.fullmatch(str(found))
    assert found.pays
    assert found.times > 2
    assert found.build_bytes > 16 * 16 * 4  # its surface included
    assert found.reuse_bytes < 100
    assert found.heap == 1000


def test_n07_pooling_does_not_pay_for_a_plain_prefab() -> None:
    for kind in (Spark, pygame.sprite.Sprite):
        found = verdict(Prefab(kind, name="spark"), heap=0, rounds=11)
        assert DOES_NOT.fullmatch(str(found))
        assert found.pays is False


def test_n07_what_hooks_cost_is_on_both_sides() -> None:
    class Busy(IPoolableComponent):
        def __init__(self) -> None:
            burn(1500)

        def spawned(self) -> None:
            burn(4500)

    found = verdict(Busy, heap=0, rounds=21)
    # Four parts of work against three, although building alone is but one.
    assert 1.0 < found.times < 2.5


def test_n07_the_collector_has_work_where_bodies_are_built_and_none_where_they_are_reused() -> None:
    world, group = PhysicsWorld(), PooledGroup()

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            body = pymunk.Body(5, 10)
            self.add_component(RigidBody(world, body, pymunk.Circle(body, 12)))
            self.add_component(ResetPooledBodyComponent())

    found = verdict(Prefab(Orc, name="orc", groups=[group]), heap=10_000, rounds=15)
    assert found.pays
    assert found.build_pauses.count > 0
    assert found.reuse_pauses.count == 0
    assert not world.space.bodies
    assert len(group) == 0


def test_n07_spawn_data_is_handed_on() -> None:
    class Bullet(IPoolableComponent):
        seen: set[object] = set()  # noqa: RUF012 - a note, no field

        def spawned(self, speed: int) -> None:
            self.seen.add(speed)

    with pytest.raises(TypeError, match="speed"):
        verdict(Bullet, heap=0, rounds=3)
    verdict(Bullet, data={"speed": 7}, heap=0, rounds=3)
    assert Bullet.seen == {7}


def test_n07_nothing_of_the_game_is_changed(system: PoolingSystem) -> None:
    class Puff:
        pass

    class Ghost(IPoolableComponent):
        def despawned(self) -> None:
            system.spawn(Puff)

    others = system.spawn_many(Puff, [(0, 0)] * 3)
    ghost = Prefab(Ghost, name="ghost")
    alive = system.spawn(ghost)
    enabled, tracing = gc.isenabled(), tracemalloc.is_tracing()
    verdict(ghost, heap=0, rounds=3, system=system)
    assert (gc.isenabled(), tracemalloc.is_tracing()) == (enabled, tracing)
    assert list(system.pool(Puff).active) == others
    assert list(system.pool(ghost).active) == [alive]
    assert system.pool(ghost).capacity == 1
    gc.disable()
    try:
        verdict("ghost", heap=0, rounds=3, system=system)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_n07_it_tells_how_far_it_is() -> None:
    shares: list[float] = []
    verdict(Spark, heap=0, rounds=5, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert len(shares) == 8


def test_g14_the_gain_is_measured_for_the_prefabs_of_a_demo() -> None:
    with playing(MonstersDemo):
        found = verdict("orc", heap=10_000, rounds=15)
        assert found.name == "orc"
        assert found.build_pauses.count > found.reuse_pauses.count
        assert PAYS.fullmatch(str(found))
        assert len(pools.all_pools()) > 4


def test_g14_the_fake_pool_shows_the_gain_in_the_game_itself(system: PoolingSystem) -> None:
    built = 0

    def build() -> Spark:
        nonlocal built
        built += 1
        return Spark()

    spark = Prefab(build, name="spark")
    for pooling, most in ((True, 1), (False, 100)):
        built = 0
        system.configure(pooling=pooling)
        for _ in range(100):
            system.despawn(system.spawn(spark))
        assert built == most


def test_bad_input_a_system_that_is_not_as_it_is_in_play(system: PoolingSystem) -> None:
    changes: list[Callable[[], object]] = [
        lambda: enable_strict(system),
        lambda: enable_chaos(system),
        lambda: system.configure(reuse="next_update"),
        lambda: system.configure(pooling=False),
    ]
    for change in changes:
        change()
        with pytest.raises(PoolError, match="is not as it is in play: leave strict mode, chaos"):
            verdict(Spark, heap=0, rounds=3, system=system)
        disable_strict(system)
        disable_chaos(system)
        system.configure(reuse="at_once")
    system.configure(pooling=True)
    verdict(Spark, heap=0, rounds=3, system=system)


def test_n07_what_fails_leaves_nothing_in_the_system(system: PoolingSystem) -> None:
    class Needy(IPoolableComponent):
        def spawned(self, target: object) -> None:
            raise ValueError(target)

    for data in ({}, {"target": 5}):
        with pytest.raises((TypeError, ValueError)):
            verdict(Needy, data=data, heap=0, rounds=3, system=system)
    assert all(pool.capacity == 0 for pool in system.all_pools())


def test_bad_input_what_no_verdict_can_be_given_on() -> None:
    wrong: Any = 5
    for prefab, error, message in (
        (wrong, PrefabError, "5 is no prefab"),
        ("nobody", PrefabError, "no prefab named 'nobody'"),
        (lambda: None, PrefabError, "make it a Prefab"),
        (Prefab(lambda: None, name="none"), PrefabError, "the factory of none returned None"),
    ):
        with pytest.raises(error, match=message):
            verdict(prefab)
    with pytest.raises(ValueError, match="rounds must be 3 or more"):
        verdict(Spark, rounds=1)
    with pytest.raises(TypeError, match="heap must be a whole number"):
        verdict(Spark, heap=wrong / 2)
