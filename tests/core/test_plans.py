"""Capacity plans: all pools' settings in one place."""

from __future__ import annotations

import pytest

from poolkit import (
    CapacityPlans,
    IPoolableComponent,
    PoolingSystem,
    PoolSettings,
    Prefab,
)


class Orc:
    """Something to pool."""


class Elf:
    """Something else."""


orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=1))
elf = Prefab(Elf, name="elf")
plans = CapacityPlans(
    low={orc: PoolSettings(prespawn=2, limit=4)},
    high={orc: PoolSettings(prespawn=20), elf: PoolSettings(prespawn=3)},
)


def test_g13_what_only_another_plan_mentions_gets_its_own_settings_back(
    system: PoolingSystem,
) -> None:
    plans.apply("high", system)
    plans.apply("low", system)
    assert system.pool(elf).settings == PoolSettings()
    assert system.pool(orc).settings.limit == 4


def test_g13_a_prefab_is_meant_by_its_class_and_its_name_too(system: PoolingSystem) -> None:
    def build() -> Elf:
        return Elf()

    mixed = CapacityPlans(
        low={
            Elf: PoolSettings(limit=1),
            build: PoolSettings(limit=2),
            "orc": PoolSettings(limit=3),
        },
        high={orc: PoolSettings(limit=9)},
        none={},
    )
    system.register(orc)
    mixed.apply("low", system)
    assert [system.pool(prefab).settings.limit for prefab in (Elf, build, orc)] == [1, 2, 3]
    mixed.apply("high", system)
    assert [system.pool(prefab).settings.limit for prefab in (Elf, build, orc)] == [None, None, 9]
    mixed.apply("none", system)
    assert system.pool(orc).settings == orc.settings
    assert system.pool(Elf).settings == PoolSettings()


def test_g13_a_name_is_known_by_the_prefab_that_another_plan_gives(system: PoolingSystem) -> None:
    mixed = CapacityPlans(low={"orc": PoolSettings(limit=3)}, high={orc: PoolSettings(limit=9)})
    mixed.apply("low", system)
    assert system.pool("orc").settings.limit == 3


def test_p10_every_pool_gets_its_settings_though_some_raise_as_they_shrink(
    system: PoolingSystem,
) -> None:
    class Bomb(IPoolableComponent):
        def destroyed(self) -> None:
            raise ValueError("boom")  # noqa: EM101 - the shortest error there is

    bombs = [Prefab(Bomb, settings=PoolSettings(prespawn=2)) for _ in range(2)]
    tight = CapacityPlans(
        low={prefab: PoolSettings(limit=1) for prefab in (*bombs, orc)},
    )
    for prefab in (*bombs, orc):
        system.prespawn(prefab)
    with pytest.raises(ExceptionGroup, match="capacity plan 'low' is in force") as caught:
        tight.apply("low", system)
    assert [str(error) for error in caught.value.exceptions] == ["boom"] * 2
    assert [system.pool(prefab).settings.limit for prefab in (*bombs, orc)] == [1] * 3
    assert [system.pool(prefab).capacity for prefab in (*bombs, orc)] == [1] * 3
