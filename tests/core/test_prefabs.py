"""Prefabs, their names, and which pool is meant."""

from __future__ import annotations

import copy
import functools
from typing import Any, cast
from unittest.mock import Mock

import pytest

from poolkit import (
    ObjectPool,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    PrefabPool,
    PrefabPoolingSystem,
    pools,
)
from poolkit.devtools import enable_strict
from recorder import Noted, Orc


def test_there_is_one_static_entry_point_reachable_from_anywhere() -> None:
    assert pools is PrefabPoolingSystem
    prefab = Prefab(Orc, name="an orc of test_prefabs")
    orc = PrefabPoolingSystem.spawn(prefab)
    assert pools.is_spawned(orc)
    assert pools.despawn(orc)
    assert repr(pools).startswith("<PoolingSystem(num_pools=")


def test_a_pool_is_known_by_name_and_knows_its_prefab_its_system_and_its_records(
    system: PoolingSystem,
) -> None:
    prefab = Prefab(Orc, name="orc")
    assert system.register(prefab) is prefab
    orc, pool = system.spawn("orc"), system.pool("orc")
    assert isinstance(pool, PrefabPool)
    assert (pool.prefab, pool.system, system.pool(prefab)) == (prefab, system, pool)
    assert repr(pool) == "<PrefabPool('orc', active=1, inactive=0)>"
    data = pool.active[orc]
    assert (data.instance, data.pool) == (orc, pool)
    assert repr(data) == "<PoolablePrefabData(orc #0001, active)>"
    assert repr(pool.active) == "<ActiveInstances(1)>"
    system.despawn(orc)
    assert repr(data) == "<PoolablePrefabData(orc #0001, inactive)>"
    with pytest.raises(KeyError):
        pool.active[orc]


class Barracks:
    def train(self) -> Orc:
        return Orc()

    @staticmethod
    def hire() -> Orc:
        return Orc()


FACTORIES = [Orc, Barracks.hire, Barracks().train, Prefab(functools.partial(Orc))]


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_class_function_bound_method_or_partial_in_a_prefab_is_wrapped_once(
    system: PoolingSystem, factory: Any
) -> None:
    first = system.spawn(factory)
    assert system.pool(factory).settings == PoolSettings()
    system.despawn(first)
    assert system.spawn(factory) is first
    assert len(system.all_pools()) == 1


def test_instances_are_numbered_by_name(system: PoolingSystem) -> None:
    imp = Prefab(PooledSprite, name="imp")
    with pytest.raises(TypeError):
        system.spawn(imp, color="red")  # it never joined, and takes no number
    first, second = system.spawn(imp), system.spawn(imp)
    assert repr(first) == "<PooledSprite imp #0001 active>"
    assert repr(second) == "<PooledSprite imp #0002 active>"
    assert repr(system.handle(first)) == "<Handle(imp #0001, life 1)>"
    first.kill()
    assert repr(first) == "<PooledSprite imp #0001 inactive>"


def test_a_variant_differs_in_what_is_changed_and_has_no_name_of_its_own() -> None:
    orc = Prefab(Orc, name="orc", persistent=True, settings=PoolSettings(prespawn=3))
    elite = orc.variant(settings=PoolSettings(limit=1))
    assert (elite.persistent, elite.factory, elite.settings.limit) == (True, Orc, 1)
    assert (elite.settings.prespawn, orc.settings.prespawn) == (0, 3)
    assert [copy.copy(orc), *copy.deepcopy([orc])] == [orc, orc]  # a copy is no variant
    system = PoolingSystem()
    system.register(orc)
    system.register(elite)
    assert orc.variant(name="chief").name == "chief"


def test_a_constructor_that_needs_arguments_is_refused_with_where_they_belong(
    system: PoolingSystem,
) -> None:
    class Named(Orc):
        def __init__(self, name: str) -> None:
            self.name = name

    class Broken(Orc):
        def __init__(self) -> None:
            len(cast("Any", 5))

    with pytest.raises(PrefabError, match=r"Named .*missing .*'name'\).*belongs in spawned"):
        system.spawn(cast("Any", Named), name="grunt")
    with pytest.raises(TypeError, match="has no len"):  # a mistake of its own
        system.spawn(Broken)
    assert system.pool(Broken).capacity == 0


@pytest.mark.parametrize("is_strict", [False, True])
def test_another_prefab_takes_over_a_name_of_which_nothing_lives(
    system: PoolingSystem, *, is_strict: bool
) -> None:
    if is_strict:  # what was despawned rests a second later
        enable_strict(system)
    settings = PoolSettings(prespawn=2)
    first, second = (Prefab(Orc, name="orc", settings=settings) for _ in range(2))
    kept = system.pool(first)
    for prefab, other in ((first, second), (second, first)) * 2:
        orc = system.spawn(prefab)
        assert system.pool("orc").prefab is prefab
        assert len(system._records) == system.pool("orc").capacity  # none of the other's rest
        with pytest.raises(PrefabError, match="'orc' in this system, with 1 instances in use"):
            system.spawn(other)
        system.despawn(orc)
    assert system.spawn(first) in kept.active


@pytest.mark.parametrize("place", ["factory", "awake", "groups"])
def test_no_prefab_takes_over_a_name_in_the_middle_of_a_spawn(
    system: PoolingSystem, place: str
) -> None:
    second = Prefab(Orc, name="orc")

    class First(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            call("factory")

        def awake(self) -> None:
            call("awake")

    def call(now: str) -> list[Any]:
        if now == place:
            system.spawn(second)
        return []

    with pytest.raises(PrefabError, match="'orc'"):
        system.spawn(Prefab(First, name="orc", groups=lambda: call("groups")))
    system.reset()
    assert not system._records


@pytest.mark.parametrize("kind", [object, list, Orc, Mock, Noted])
def test_an_instance_has_one_pool_whichever_system_or_object_pool_it_is_offered_to(
    system: PoolingSystem, kind: Any
) -> None:
    one = kind([]) if kind is Noted else kind()
    same, other = Prefab(lambda: one, name="one"), PoolingSystem()
    lent = ObjectPool(lambda: one)
    calls: list[Any] = [
        lambda: system.spawn(same),
        lambda: system.adopt(Orc, one),
        lambda: other.spawn(same),
        lambda: other.adopt(Orc, one),
        lent.get,
    ]
    for owner, detach in ((system, system.detach), (lent, lent.detach)):
        assert (system.spawn(same) if owner is system else lent.get()) is one
        for call in calls:
            with pytest.raises(PrefabError, match=r"#0001 is already: it must be a new instance"):
                call()
        assert not other.is_spawned(one)
        detach(one)
    other.adopt(Orc, one)
    assert other.is_spawned(one)
