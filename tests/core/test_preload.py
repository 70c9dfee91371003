"""Preload settings: how much, when, and how fast instances are made beforehand."""

from __future__ import annotations

import pytest

from poolkit import PoolingSystem, PoolSettings, Prefab, Progress


class Orc:
    """Something to pool."""


def test_k01_prespawning_waits_before_it_starts_and_makes_a_few_an_update(
    system: PoolingSystem,
) -> None:
    settings = PoolSettings(prespawn=5, prespawn_delay=0.3, prespawn_per_update=2)
    pool = system.pool(Prefab(Orc, settings=settings))
    made = []
    for _ in range(7):
        made.append(pool.inactive_count)
        system.update(0.1)
    assert made == [0, 0, 0, 2, 4, 5, 5]
    assert system.reset().pools[0].prespawned == 5


def test_k01_spawns_meanwhile_make_what_they_lack(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=3, prespawn_per_update=1))
    system.spawn_many(orc, [(0, 0)] * 2)
    for _ in range(4):
        system.update(0.1)
    pool = system.pool(orc)
    assert (pool.capacity, pool.active_count, pool.stats.late) == (3, 2, 2)


def test_k01_a_prefab_whose_factory_fails_does_not_stop_the_others(system: PoolingSystem) -> None:
    def broken() -> Orc:
        raise OSError("disk")  # noqa: EM101 - the shortest error there is

    settings = PoolSettings(prespawn=2, prespawn_per_update=1)
    system.register(Prefab(broken, settings=settings))
    whole = system.register(Prefab(Orc, settings=settings))
    with pytest.raises(OSError, match="disk"):
        system.update(0.1)
    system.update(0.1)
    assert system.pool(whole).inactive_count == 2


def test_k01_the_amount_is_the_settings_where_they_say_more(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=5))
    assert list(system.prewarm({orc: 2}, budget_ms=1000)) == [Progress(5, 5)]
    assert system.pool(orc).capacity == 5
    # Only its first use is the settings' to say.
    assert list(system.prewarm({orc: 7}, budget_ms=1000)) == [Progress(2, 2)]


def test_p02_a_look_at_the_pool_meanwhile_does_not_make_more(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=5))
    for _ in system.prewarm({orc: 5}, budget_ms=0):
        system.pool(orc)
    assert system.pool(orc).capacity == 5


def test_k01_a_factory_that_fails_half_way_leaves_what_was_built_and_says_what_is_missing(
    system: PoolingSystem,
) -> None:
    built: list[Orc] = []

    def fragile() -> Orc:
        if len(built) == 3:
            raise OSError("disk")  # noqa: EM101 - the shortest error there is
        built.append(Orc())
        return built[-1]

    with pytest.raises(OSError, match="disk") as caught:
        list(system.prewarm({fragile: 5}, budget_ms=1000))
    assert any("2 of 5 instances are still missing" in note for note in caught.value.__notes__)
    assert system.pool(fragile).inactive_count == 3
    assert system.spawn(fragile) is built[0]


def test_p02_prewarming_that_is_cancelled_leaves_the_settings_prespawn_to_the_first_use(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=20))
    warming = system.prewarm({orc: 5}, budget_ms=0)
    next(warming)
    next(warming)
    warming.close()
    system.spawn(orc)
    assert system.pool(orc).capacity == 20


def test_k01_a_prespawn_that_failed_is_made_up_for(system: PoolingSystem) -> None:
    failures = [True]

    def moody() -> Orc:
        if failures:
            failures.clear()
            raise OSError("busy")  # noqa: EM101 - the shortest error there is
        return Orc()

    orc = Prefab(moody, settings=PoolSettings(prespawn=10))
    with pytest.raises(OSError, match="busy"):
        system.register(orc)
    system.register(orc)
    assert system.pool(orc).capacity == 10


def test_p02_a_limit_is_part_of_the_total_from_the_start(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(limit=5))
    assert {step.total for step in system.prewarm({orc: 8}, budget_ms=0)} == {5}
