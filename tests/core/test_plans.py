"""Capacity plans: all pools' settings in one place."""

from __future__ import annotations

import pytest

from poolkit import CapacityPlans, PoolingSystem, PoolSettings, Prefab
from recorder import Orc, Recorder, raising


class Elf:
    """Something else."""


orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=1))
elf = Prefab(Elf, name="elf")


def test_g13_a_plan_gives_each_pool_its_settings_and_back_what_others_gave(
    system: PoolingSystem,
) -> None:
    def build() -> Elf:
        return Elf()

    low = {Elf: PoolSettings(limit=1), build: PoolSettings(limit=2), "orc": PoolSettings(limit=3)}
    high = {orc: PoolSettings(limit=9), elf: PoolSettings(limit=8)}
    plans = CapacityPlans(low=low, high=high, none={})

    def limits() -> list[int | None]:
        return [system.pool(prefab).settings.limit for prefab in (Elf, build, "orc", elf)]

    plans.apply("low", system)  # "orc" is known by the prefab that another plan gives
    assert limits() == [1, 2, 3, None]
    plans.apply("high", system)
    assert limits() == [None, None, 9, 8]
    plans.apply("none", system)
    assert limits() == [None] * 4
    assert system.pool(orc).settings == orc.settings


def test_p10_every_pool_gets_its_settings_though_some_raise_as_they_shrink(
    system: PoolingSystem,
) -> None:
    def build() -> Recorder:
        bomb = Recorder()
        bomb.acts["destroyed"] = raising(ValueError("boom"))
        return bomb

    bombs = [Prefab(build, settings=PoolSettings(prespawn=2)) for _ in range(2)]
    tight = CapacityPlans(low=dict.fromkeys((*bombs, orc), PoolSettings(limit=1)))
    for prefab in (*bombs, orc):
        system.prespawn(prefab)
    with pytest.raises(ExceptionGroup, match="capacity plan 'low' is in force") as caught:
        tight.apply("low", system)
    assert [str(error) for error in caught.value.exceptions] == ["boom"] * 2
    assert [system.pool(prefab).settings.limit for prefab in (*bombs, orc)] == [1] * 3
    assert [system.pool(prefab).capacity for prefab in (*bombs, orc)] == [1] * 3
