"""Fields: what a class declares is as good as new in every life, and a spawn may give it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkit import IPoolableComponent, PooledSprite, PoolingSystem, Prefab, PrefabError
from poolkit.core.fields import fields_of

T = TypeVar("T")
IMAGE = pygame.Surface((4, 4))


class Host(PooledSprite):
    """A sprite with a component of each class that is named."""

    kinds: tuple[type, ...] = ()

    def __init__(self) -> None:
        super().__init__(IMAGE)
        for kind in self.kinds:
            self.add_component(kind())


def host_of(*kinds: type) -> Prefab[Host]:
    return Prefab(type("Guest", (Host,), {"kinds": kinds}))


# -- what is a field -----------------------------------------------------------------------------


class Monster(PooledSprite, Generic[T]):
    """Declares fields, and much that is none."""

    anchor: ClassVar[str] = "midbottom"
    layer: int = 3
    execution_order: int = 1
    hp: int = 30
    prey: T | None = None
    loot: list[str] = []  # noqa: RUF012 - a field
    _anger: float = 0.0
    kills: ClassVar[int] = 0
    legs: "Final[int]" = 4  # noqa: UP037 - a text in a text
    price = 5
    target: pygame.Vector2

    @property
    def is_alive(self) -> bool:
        return self.hp > 0


class Orc(Monster[int]):
    """Has a default of its own, and hides a field."""

    hp = 60
    _anger: ClassVar[float] = 1.0  # type: ignore[misc]

    @property
    def prey(self) -> int | None:  # type: ignore[override]
        return None


def test_a_field_has_a_type_and_a_default_and_is_no_constant_and_not_ours() -> None:
    assert dict(fields_of(Monster)) == {"hp": 30, "prey": None, "loot": [], "_anger": 0.0}
    assert dict(fields_of(Orc)) == {"hp": 60, "loot": []}
    assert dict(fields_of(PooledSprite)) == {}


@dataclass(eq=False)
class Armour(IPoolableComponent):
    """What a dataclass makes of its defaults is what each life begins with."""

    strength: int = 10
    dents: list[int] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class SlottedArmour(IPoolableComponent):
    sprite: Any = field(default=None, init=False)
    strength: int = 10
    dents: list[int] = field(default_factory=list)


@pytest.mark.parametrize("kind", [Armour, SlottedArmour])
def test_dataclasses_have_fields_which_their_constructor_may_set(
    kind: Any, system: PoolingSystem
) -> None:
    prefab = host_of(lambda: kind(50))  # type: ignore[arg-type]
    sayings: list[dict[str, Any]] = [{}, {"strength": 7}, {}]
    for said in sayings:
        sprite = system.spawn(prefab, **said)
        [armour] = sprite.components
        assert (armour.strength, armour.dents) == (said.get("strength", 50), [])
        armour.strength, armour.dents = 0, [*armour.dents, 1]
        sprite.kill()


# -- what a life begins with ---------------------------------------------------------------------

some = st.none() | st.lists(st.integers(), max_size=2)
tables: Any = st.fixed_dictionaries({}, optional={"hp": st.integers(), "loot": some, "goal": some})


@given(defaults=tables, built=tables, woken=tables, data=tables, lives=st.lists(tables, min_size=2))
def test_each_life_begins_with_what_its_spawn_gives_or_its_prefab_or_how_it_was_built(
    defaults: Any, built: Any, woken: Any, data: Any, lives: list[Any]
) -> None:
    class Thing(IPoolableComponent):
        __annotations__ = dict.fromkeys(["hp", "loot", "goal"], Any)
        hp: Any = 30
        loot: Any = []  # noqa: RUF012 - a field
        goal: Any = None

        def __init__(self) -> None:
            vars(self).update(copy.deepcopy(built))

        def awake(self) -> None:
            vars(self).update(copy.deepcopy(woken))

        def spawned(self, hp: Any, **_: Any) -> None:
            self.took = hp

    for name, default in copy.deepcopy(defaults).items():
        setattr(Thing, name, default)
    system = PoolingSystem()
    prefab = Prefab(Thing, data=copy.deepcopy(data))
    unset = {"hp": 30, "loot": [], "goal": None}
    for said in lives:
        given = copy.deepcopy(said)
        twins = system.spawn_many(prefab, [(0, 0)] * 2, **given)
        for thing in twins:
            expected = unset | defaults | built | woken | data | said
            assert {name: getattr(thing, name) for name in expected} == expected
            assert thing.took == expected["hp"]
            for name in expected:  # neither its twin nor a later life sees this
                if isinstance(getattr(thing, name), list):
                    getattr(thing, name).append("spoiled")
                setattr(thing, name, "spoiled")
        assert given == said
        system.despawn_all()


def test_a_hook_that_names_a_field_gets_that_of_its_own_component(system: PoolingSystem) -> None:
    class Health(IPoolableComponent):
        maximum: int = 30

        def spawned(self, maximum: int) -> None:
            self.got: Any = maximum

    class Shield(Health):
        maximum = 10

    class Sign(IPoolableComponent):
        def spawned(self, maximum: int = 5) -> None:  # its own default, unless the spawn gives it
            self.got = maximum

    class Needy(IPoolableComponent):
        def spawned(self, maximum: int) -> None:
            self.got = maximum

    prefab = host_of(Health, Shield, Sign, Needy)
    assert [one.got for one in system.spawn(prefab).components] == [30, 10, 5, 30]
    assert [one.got for one in system.spawn(prefab, maximum=7).components] == [7, 7, 7, 7]


def test_a_component_that_comes_late_begins_with_its_fields_too(system: PoolingSystem) -> None:
    class Bag(IPoolableComponent):
        size: int = 3
        items: list[str] = []  # noqa: RUF012 - a field

        def spawned(self, size: int) -> None:
            self.items.extend("x" * size)

    prefab = host_of()
    bags = [system.spawn(prefab).add_component(Bag()) for _ in range(2)]
    assert [bag.items for bag in bags] == [["x"] * 3] * 2
    assert Bag.items == []
    system.despawn_all()
    system.spawn(prefab, size=1)
    assert bags[0].items == ["x"]


def test_a_vector_of_three_is_copied_as_one_of_two(system: PoolingSystem) -> None:
    class Star(IPoolableComponent):
        place: pygame.Vector3 = pygame.Vector3()

    star = system.spawn(Star)
    star.place.z = 5
    system.despawn(star)
    assert tuple(system.spawn(Star).place) == (0, 0, 0)
    assert system.spawn(Star, place=(1, 2, 3)).place == pygame.Vector3(1, 2, 3)


# -- what is refused -----------------------------------------------------------------------------


def test_private_fields_are_restored_but_no_spawn_gives_them(system: PoolingSystem) -> None:
    goblin: Any = system.spawn(Monster)
    goblin._anger = 1.0
    goblin.kill()
    assert goblin._anger == 1.0
    assert system.spawn(Monster) is goblin
    assert goblin._anger == 0.0
    with pytest.raises(TypeError, match=r"names '_anger' \(they name hp, loot, prey\)"):
        system.spawn(Monster, _anger=1.0)


def test_a_field_that_no_spawn_could_give_is_refused(system: PoolingSystem) -> None:
    class Sleeper(IPoolableComponent):
        persistent: bool = False

    with pytest.raises(PrefabError, match="declares a field 'persistent'"):
        system.spawn(Sleeper)
