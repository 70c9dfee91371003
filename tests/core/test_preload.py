"""Preload settings: how much, when, and how fast instances are made beforehand."""

from __future__ import annotations

import pytest

from poolkit import PoolingSystem, PoolSettings, Prefab


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
