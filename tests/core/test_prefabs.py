"""Prefabs, their names, and which pool is meant."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

import pygame
import pytest

from poolkit import (
    Budget,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    PrefabPool,
    PrefabPoolingSystem,
    pools,
)
from recorder import assert_counts, notes_of, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Orc:
    pass


class Troll:
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


def test_u01_instances_and_prefabs_find_their_pools(system: PoolingSystem) -> None:
    orc, troll = Prefab(Orc), Prefab(Troll)
    instances = [system.spawn(orc), system.spawn(troll)]
    assert len(set(system.all_pools())) == 2
    assert [pool.active_count for pool in system.all_pools()] == [1, 1]
    assert instances[0] in system.pool(orc).active
    assert instances[0] not in system.pool(troll).active
    assert repr(system) == "<PoolingSystem(num_pools=2, num_active=2)>"


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


def test_k03_a_name_is_known_from_the_first_use_on(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc")
    system.spawn(orc)
    assert isinstance(system.spawn("orc"), Orc)


def test_k03_a_prefab_without_an_explicit_name_is_not_found_by_name(system: PoolingSystem) -> None:
    system.spawn(Prefab(Orc))
    system.spawn(Orc)
    with pytest.raises(PrefabError):
        system.spawn("Orc")


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


def test_a_class_and_a_prefab_of_it_have_a_pool_each(system: PoolingSystem) -> None:
    orc = Prefab(Orc)
    assert system.pool(Orc) is not system.pool(orc)
    assert system.pool(orc) is not system.pool(Prefab(Orc))


def test_order8_a_prefab_used_in_two_systems_has_two_pools(system: PoolingSystem) -> None:
    other = PoolingSystem()
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=2))
    mine, theirs = system.spawn(orc), other.spawn(orc)
    assert system.pool(orc) is not other.pool(orc)
    system.reset()
    assert not system.is_spawned(mine)
    assert other.is_spawned(theirs)
    assert not system.is_spawned(theirs)


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


def test_f09_an_instance_that_never_joined_takes_no_number(system: PoolingSystem) -> None:
    with pytest.raises(TypeError):
        system.spawn(Orc, color="red")
    assert system.pool(Orc).active[system.spawn(Orc)].number == 1


def test_a_prefab_is_immutable_and_hashed_by_identity() -> None:
    orc, same = Prefab(Orc, name="orc"), Prefab(Orc, name="orc")
    assert orc != same
    assert len({orc, same}) == 2
    assert repr(orc) == "<Prefab('orc')>"
    with pytest.raises(AttributeError, match=r"variant\(name="):
        cast("Any", orc).name = "ork"
    with pytest.raises(AttributeError, match="immutable"):
        del cast("Any", orc).name


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


def test_a_partial_or_a_lambda_is_fine_inside_a_prefab(system: PoolingSystem) -> None:
    orc = Prefab(functools.partial(functools.partial(Orc)))
    assert orc.name == "Orc"
    assert isinstance(system.spawn(orc), Orc)
    assert isinstance(system.spawn(Prefab(lambda: Orc())), Orc)  # noqa: PLW0108 - the case itself


@pytest.mark.parametrize(
    "prefab",
    [5, None, Orc(), [Orc], {}, 1.5, ("orc",)],
    ids=lambda value: type(value).__name__,
)
def test_bad_input_what_is_no_prefab_is_refused(system: PoolingSystem, prefab: Any) -> None:
    for call in (system.spawn, system.try_spawn, system.pool, system.prespawn, system.register):
        with pytest.raises(PrefabError, match="is no prefab"):
            call(prefab)
    with pytest.raises(PrefabError):
        system.spawn_many(prefab, [(0, 0)])
    assert system.all_pools() == ()


def test_bad_input_a_lambda_or_partial_must_be_made_a_prefab(system: PoolingSystem) -> None:
    for factory in (lambda: Orc(), functools.partial(Orc)):  # noqa: PLW0108 - the case itself
        with pytest.raises(PrefabError, match=r"make it a Prefab\(\.\.\.\) once"):
            system.spawn(factory)
    assert system.all_pools() == ()


def test_bad_input_an_unknown_name_is_answered_with_the_nearest(system: PoolingSystem) -> None:
    system.register(Prefab(Orc, name="orc"))
    system.register(Prefab(Troll, name="troll"))
    with pytest.raises(PrefabError, match="did you mean 'troll'"):
        system.spawn("trol")
    with pytest.raises(PrefabError, match="known are orc, troll"):
        system.spawn("wyvern")
    with pytest.raises(PrefabError, match="did you mean 'orc'"):
        system.despawn_all("orcs")
    assert_counts(system)


def test_bad_input_two_prefabs_of_one_name_are_refused(system: PoolingSystem) -> None:
    first = system.register(Prefab(Orc, name="orc"))
    system.spawn(first)
    second = Prefab(Troll, name="orc")
    for call in (system.register, system.spawn, system.prespawn):
        with pytest.raises(PrefabError, match="another prefab named 'orc'"):
            call(second)
    assert system.register(first) is first
    assert len(system.all_pools()) == 1
    assert isinstance(system.spawn("orc"), Orc)
    assert_counts(system)


@pytest.mark.parametrize(
    ("build", "error", "says"),
    [
        (lambda: Prefab(cast("Any", 5)), PrefabError, "class or function"),
        (lambda: Prefab(cast("Any", Prefab(Orc))), PrefabError, "prefab already"),
        (lambda: Prefab(Orc, name=""), PrefabError, "non-empty"),
        (lambda: Prefab(Orc, name=cast("Any", 7)), PrefabError, "non-empty"),
        (lambda: Prefab(Orc, settings=cast("Any", {"limit": 1})), TypeError, "PoolSettings"),
        (lambda: Prefab(Orc, groups=cast("Any", 5)), TypeError, "groups"),
        (lambda: PoolSettings(prespawn=-1), ValueError, "prespawn"),
        (lambda: PoolSettings(prespawn=cast("Any", 1.5)), TypeError, "whole number"),
        (lambda: PoolSettings(prespawn=True), TypeError, "whole number"),
        (lambda: PoolSettings(limit=-1), ValueError, "limit"),
        (lambda: PoolSettings(max_idle=-1), ValueError, "max_idle"),
        (lambda: PoolSettings(prespawn=3, max_idle=2), ValueError, "more than max_idle"),
        (lambda: PoolSettings(prespawn_per_update=0), ValueError, "prespawn_per_update"),
        (lambda: PoolSettings(prespawn_delay=-1), ValueError, "prespawn_delay"),
        (lambda: PoolSettings(budget=cast("Any", 300)), TypeError, "Budget"),
        (lambda: Budget(-1), ValueError, "limit of a Budget"),
        (lambda: PoolSettings(grow_by=0), ValueError, "grow_by"),
        (lambda: PoolSettings(prespawn=3, limit=2), ValueError, "more than limit"),
        (lambda: PoolSettings(order=cast("Any", "random")), ValueError, "fifo"),
        (lambda: PoolSettings(overflow=cast("Any", "refuse")), TypeError, "policy"),
        (lambda: PoolSettings(trim_after=0), ValueError, "trim_after"),
        (lambda: PoolSettings(trim_after=float("nan")), ValueError, "trim_after"),
    ],
)
def test_bad_input_prefabs_and_settings_are_checked_when_they_are_made(
    build: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        build()


def test_bad_input_a_factory_that_returns_none_is_named(system: PoolingSystem) -> None:
    def forgets() -> None:
        Orc()

    with pytest.raises(PrefabError, match="factory of forgets returned None"):
        system.spawn(forgets)
    assert_counts(system)
    assert system.pool(forgets).stats.created == 0


@pytest.mark.parametrize("kind", [Orc, PooledSprite])
def test_bad_input_a_factory_that_returns_one_object_twice_is_named(
    system: PoolingSystem, kind: Callable[[], Any]
) -> None:
    only = kind()

    def always_the_same() -> Any:
        return only

    assert system.spawn(always_the_same) is only
    with pytest.raises(PrefabError, match="which always_the_same #0001 is already"):
        system.spawn(always_the_same)
    assert system.is_spawned(only)
    assert stats_of(system, always_the_same).created == 1
    assert_counts(system)


def test_bad_input_a_factory_that_raises_changes_nothing(system: PoolingSystem) -> None:
    broken = True

    def factory() -> Orc:
        if broken:
            message = "no art"
            raise RuntimeError(message)
        return Orc()

    with pytest.raises(RuntimeError, match="no art") as caught:
        system.spawn(factory)
    assert "while the factory of factory built an instance" in notes_of(caught.value)
    assert_counts(system)
    assert system.pool(factory).capacity == 0
    broken = False
    assert isinstance(system.spawn(factory), Orc)
    assert_counts(system)


def test_bad_input_a_component_that_takes_no_attributes_is_named(system: PoolingSystem) -> None:
    class Narrow(IPoolableComponent):
        __slots__ = ()

    with pytest.raises(PoolError, match="add '_pool_data' to its __slots__"):
        system.spawn(Narrow)
    assert_counts(system)

    class Wide(IPoolableComponent):
        __slots__ = ("_pool_data",)

    wide = system.spawn(Wide)
    assert system.despawn(wide)
    assert not system.despawn(wide)


def test_bad_input_only_sprites_can_be_in_groups(system: PoolingSystem) -> None:
    with pytest.raises(PrefabError, match="only sprites"):
        system.spawn(Prefab(Orc, name="orc", groups=[object()]))
    with pytest.raises(PoolError, match="only sprites"):
        system.spawn(Orc, groups=[pygame.sprite.Group()])
    assert_counts(system)


def test_a_single_group_may_be_named_without_a_list(system: PoolingSystem) -> None:
    first, second = PooledGroup(), PooledGroup()
    sprite = system.spawn(Prefab(PooledSprite, groups=first), groups=second)
    assert set(sprite.groups()) == {first, second}
    asked = system.spawn(Prefab(PooledSprite, groups=lambda: first))
    assert asked in first


def test_f09_a_number_that_is_left_out_is_not_given_twice(system: PoolingSystem) -> None:
    class Scout(IPoolableComponent):
        failing = True

        def awake(self) -> None:
            if Scout.failing:
                Scout.failing = False
                system.spawn(Scout)
                message = "first"
                raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="first"):
        system.spawn(Scout)
    system.spawn(Scout)
    numbers = [data.number for data in system.pool(Scout)._records]
    assert numbers == [2, 3]


def test_what_a_factory_builds_on_the_side_is_the_games_own(system: PoolingSystem) -> None:
    group = PooledGroup()
    bars: list[PooledSprite] = []

    def build() -> PooledSprite:
        bars.append(PooledSprite(None, group))
        return PooledSprite(None, group)

    system.prespawn(build, 1)
    assert list(group) == bars
    assert not system.is_spawned(bars[0])


def test_hooks_may_be_callables_that_can_not_be_weakly_referenced(
    system: PoolingSystem,
) -> None:
    class Narrow:
        __slots__ = ()

        def __call__(self) -> None:
            called.append(1)

    class Odd(IPoolableComponent):
        spawned = Narrow()

    called: list[int] = []
    system.spawn(Odd)
    assert called == [1]
