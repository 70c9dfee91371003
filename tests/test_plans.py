"""Capacity plans: all pools' settings in one place."""

from __future__ import annotations

from typing import Any

import pytest

from poolkit import CapacityPlans, PoolError, PoolingSystem, PoolSettings, Prefab
from poolkit.scenes import Scene, SceneManager


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


def test_g13_a_plan_gives_each_prefab_its_settings_before_anything_is_prespawned(
    system: PoolingSystem,
) -> None:
    plans.apply("high", system)
    assert system.pool(orc).inactive_count == 20
    assert system.pool(elf).inactive_count == 3


def test_g13_what_only_another_plan_mentions_gets_its_own_settings_back(
    system: PoolingSystem,
) -> None:
    plans.apply("high", system)
    plans.apply("low", system)
    assert system.pool(elf).settings == PoolSettings()
    assert system.pool(orc).settings.limit == 4


def test_g13_a_plan_is_switched_at_a_scene_load(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    manager.add_reset_hook(lambda: plans.apply("low", system))

    class Level(Scene):
        def enter(self) -> None:
            system.spawn(orc)

    manager.load(Level())
    assert system.pool(orc).capacity == 2
    assert system.pool(orc).stats.late == 0


def test_bad_input_an_unknown_plan_and_settings_that_are_none(system: PoolingSystem) -> None:
    with pytest.raises(PoolError, match=r"no capacity plan named 'hihg': did you mean 'high'\?"):
        plans.apply("hihg", system)
    wrong: Any = {orc: 20}
    with pytest.raises(TypeError, match="plan 'low' gives"):
        CapacityPlans(low=wrong)
    assert repr(plans) == "<CapacityPlans(low, high)>"
    assert plans.names == ("low", "high")
