"""Spawn data that a prefab says for all its lives: merged, copied, and never shared."""

from __future__ import annotations

import copy
from typing import Any

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    Prefab,
    PrefabError,
)


class Orc(IPoolableComponent):
    def spawned(self, hp: Any = None, loot: Any = None, **others: Any) -> None:
        self.got = {"hp": hp, "loot": loot, **others}


class Needy(Orc):
    def spawned(self, hp: int) -> None:  # type: ignore[override]
        super().spawned(hp=hp)


plain = st.integers() | st.text(max_size=2)
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner), max_leaves=6
)
tables = st.dictionaries(st.sampled_from(["hp", "loot", "speed"]), values, max_size=3)


def spoil(value: Any) -> None:
    """Change everything that can be changed in a value."""
    if isinstance(value, list | dict):
        for each in list(value) if isinstance(value, list) else list(value.values()):
            spoil(each)
        value.clear()


@given(own=tables, changes=tables, said=tables, is_pooling=st.booleans())
def test_a_life_begins_with_what_its_prefab_and_its_spawn_say_and_nobody_elses_copies(
    own: dict[str, Any], changes: dict[str, Any], said: dict[str, Any], *, is_pooling: bool
) -> None:
    system = PoolingSystem()
    kept = copy.deepcopy((own, changes))
    orc = Prefab(Orc, name="orc", data=own, pooling=is_pooling)
    captain = orc.variant(name="captain", data=changes)
    system.register(captain)
    merged = own | changes | said
    expected = {"hp": None, "loot": None} | merged
    for _ in range(2):
        some = system.spawn_many("captain", [(0, 0)] * 2, **copy.deepcopy(said))
        some.append(system.spawn(captain, **copy.deepcopy(said)))
        some.append(system.pool(captain).spawn(**copy.deepcopy(said)))
        for life in some[1:]:  # the first two of `spawn_many` share what that call handed in
            assert life.got == expected
            spoil({name: life.got[name] for name in merged.keys() - said.keys()})
        assert some[0].got == expected
        system.despawn_all()
    assert (own, changes) == kept
    assert orc.data == own


def test_what_is_adopted_begins_with_its_prefabs_data() -> None:
    system, mine = PoolingSystem(), Needy()
    system.adopt(Prefab(Needy, data={"hp": 3}), mine)
    assert mine.got["hp"] == 3


def test_what_does_not_take_its_prefabs_data_is_not_adopted(system: PoolingSystem) -> None:
    prefab = Prefab(Needy, data={"gold": 3})
    with pytest.raises(TypeError, match="names 'gold'"):
        system.adopt(prefab, Needy())
    assert system.pool(prefab).capacity == 0
    assert system.pool(prefab).inactive == ()


@pytest.mark.parametrize("data", [5, [("hp", 3)], {"groups": []}, {"parent": None}])
def test_data_that_maps_no_names_or_names_an_option_is_refused(data: Any) -> None:
    with pytest.raises(TypeError, match="data of Orc must map names of spawn data to values"):
        Prefab(Orc, data=data)


def test_data_that_no_hook_names_is_refused_at_the_first_use_with_a_hint() -> None:
    class Bat(IPoolableComponent):
        def spawned(self, speed: float) -> None:
            self.speed = speed

    with pytest.raises(TypeError, match=r"names 'sped'.*did you mean 'speed'"):
        PoolingSystem().spawn(Prefab(Bat, data={"sped": 3.0}))
    assert PoolingSystem().spawn(Prefab(Bat, data={"speed": 3.0})).speed == 3.0


class Spark(PooledSprite):
    """Has fields that are copied for each life."""

    velocity: pygame.Vector2 = pygame.Vector2(0, -1)
    tint: pygame.Color = pygame.Color("gold")
    trail: list[int] = []  # noqa: RUF012 - a field, copied for each life

    def spawned(self, velocity: pygame.Vector2) -> None:
        self.took = velocity


@pytest.mark.parametrize("where", ["spawn", "prefab"])
def test_a_field_that_is_copied_takes_what_is_given_as_its_own_and_of_its_type(
    where: str, system: PoolingSystem
) -> None:
    wind, trail = pygame.Vector2(3, 4), [1]
    data: dict[str, Any] = {"velocity": wind, "trail": trail}
    prefab = Prefab(Spark, name=where, data=data if where == "prefab" else None)
    given = data if where == "spawn" else {}
    sparks = system.spawn_many(prefab, [(0, 0), (1, 0)], **given)
    for spark in sparks:
        spark.velocity *= 2
        spark.trail.append(2)
    assert [tuple(spark.velocity) for spark in sparks] == [(6, 8), (6, 8)]
    assert (tuple(wind), trail) == ((3, 4), [1])
    assert all(spark.took is spark.velocity for spark in sparks)

    pair = system.spawn(prefab, velocity=(5, 6), tint="red", trail=(7,))
    assert (pair.velocity.length_squared(), pair.tint.g, pair.trail) == (61, 0, [7])
    assert tuple(system.spawn(Spark).velocity) == (0, -1)


@pytest.mark.parametrize("name", ["groups", "persistent", "reclaimable", "parent"])
def test_a_field_that_no_spawn_could_give_is_refused(name: str, system: PoolingSystem) -> None:
    fields: dict[str, Any] = {"__annotations__": {name: "object"}, name: None}
    kind = type("Odd", (IPoolableComponent,), fields)
    with pytest.raises(PrefabError, match=rf"Odd declares a field '{name}', which is an option"):
        system.spawn(kind)
    constant = type("Fine", (IPoolableComponent,), fields | {"__annotations__": {name: "ClassVar"}})
    assert system.is_spawned(system.spawn(constant))
