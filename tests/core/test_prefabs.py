"""Prefabs, their names, and which pool is meant."""

from __future__ import annotations

import copy
import functools
from typing import Any, cast

import pytest

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    PrefabPool,
    PrefabPoolingSystem,
    pools,
)


class Orc:
    pass


def build_orc() -> Orc:
    return Orc()


def test_u01_there_is_one_static_entry_point_reachable_from_anywhere() -> None:
    assert pools is PrefabPoolingSystem
    with pytest.raises(TypeError, match="static"):
        cast("Any", PrefabPoolingSystem)()
    prefab = Prefab(Orc, name="an orc of test_prefabs")
    orc = PrefabPoolingSystem.spawn(prefab)
    assert pools.is_spawned(orc)
    assert pools.despawn(orc)
    assert repr(pools).startswith("<PrefabPoolingSystem(num_pools=")


def test_u05_the_record_of_an_active_instance_is_in_the_pools_dict(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    active = system.pool(Orc).active
    data = active[orc]
    assert data.instance is orc
    assert data.pool is system.pool(Orc)
    assert repr(data) == "<PoolablePrefabData(Orc #0001, active)>"
    assert repr(active) == "<ActiveInstances(1)>"
    system.despawn(orc)
    assert repr(data) == "<PoolablePrefabData(Orc #0001, inactive)>"
    with pytest.raises(KeyError):
        active[orc]
    assert list(active) == []


def test_u05_hooks_are_found_once_and_cached_beside_the_instance(system: PoolingSystem) -> None:
    looked: list[str] = []

    class Watched(IPoolableComponent):
        def __getattribute__(self, name: str) -> Any:
            looked.append(name)
            return super().__getattribute__(name)

        def spawned(self) -> None:
            pass

    watched = system.spawn(Watched)
    system.despawn(watched)
    looked.clear()
    assert system.spawn(Watched) is watched
    assert "spawned" not in looked
    assert "despawned" not in looked


def test_k03_a_prefab_is_spawned_by_its_name(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc")
    with pytest.raises(PrefabError, match="no prefab with a name was registered yet"):
        system.spawn("orc")
    assert system.register(orc) is orc
    assert system.is_spawned(system.spawn("orc"))
    assert system.pool("orc") is system.pool(orc)


def test_k08_a_class_or_function_is_wrapped_once(system: PoolingSystem) -> None:
    first = system.spawn(Orc)
    system.despawn(first)
    assert system.spawn(Orc) is first
    assert system.pool(Orc).settings == PoolSettings()
    made = system.spawn(build_orc)
    system.despawn(made)
    assert system.spawn(build_orc) is made
    assert len(system.all_pools()) == 2


def test_k08_a_bound_method_is_the_same_factory_each_time(system: PoolingSystem) -> None:
    class Barracks:
        def train(self) -> Orc:
            return Orc()

    barracks = Barracks()
    orc = system.spawn(barracks.train)
    system.despawn(orc)
    assert system.spawn(barracks.train) is orc


def test_k11_a_pool_knows_its_prefab_and_its_system(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc")
    pool = system.pool(orc)
    assert isinstance(pool, PrefabPool)
    assert pool.prefab is orc
    assert pool.system is system
    system.spawn(orc)
    assert repr(pool) == "<PrefabPool('orc', active=1, inactive=0)>"


def test_f09_instances_are_numbered_by_name(system: PoolingSystem) -> None:
    imp = Prefab(PooledSprite, name="imp", settings=PoolSettings(prespawn=2))
    first, second = system.spawn(imp), system.spawn(imp)
    assert repr(first) == "<PooledSprite imp #0001 active>"
    assert repr(second) == "<PooledSprite imp #0002 active>"
    assert repr(system.handle(first)) == "<Handle(imp #0001, life 1)>"
    first.kill()
    assert repr(first) == "<PooledSprite imp #0001 inactive>"


def test_a_variant_differs_in_what_is_changed_and_has_no_name_of_its_own() -> None:
    orc = Prefab(Orc, name="orc", persistent=True, settings=PoolSettings(prespawn=3))
    elite = orc.variant(settings=PoolSettings(limit=1))
    assert elite.persistent
    assert elite.factory is Orc
    assert elite.settings == PoolSettings(limit=1)
    assert orc.settings.prespawn == 3
    system = PoolingSystem()
    system.register(orc)
    system.register(elite)
    assert orc.variant(name="chief").name == "chief"
    with pytest.raises(TypeError, match="a prefab has no 'limit'"):
        orc.variant(limit=3)


def test_13_17_a_constructor_with_arguments_is_told_where_they_belong(
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


def test_a_partial_or_a_lambda_is_fine_inside_a_prefab(system: PoolingSystem) -> None:
    orc = Prefab(functools.partial(functools.partial(Orc)))
    assert orc.name == "Orc"
    assert isinstance(system.spawn(orc), Orc)
    assert isinstance(system.spawn(Prefab(lambda: Orc())), Orc)  # noqa: PLW0108 - the case itself


def test_f09_an_instance_that_never_joined_takes_no_number(system: PoolingSystem) -> None:
    with pytest.raises(TypeError):
        system.spawn(Orc, color="red")
    assert system.pool(Orc).active[system.spawn(Orc)].number == 1


def test_k03_a_copied_prefab_is_the_prefab() -> None:
    orc = Prefab(PooledSprite, name="orc")
    assert copy.copy(orc) is orc
    assert copy.deepcopy({"level": [orc]}) == {"level": [orc]}
