"""Hooks: which run, in what order, what they may do, and what is said when they raise."""

from __future__ import annotations

import linecache
from contextlib import nullcontext
from itertools import chain, permutations
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    Prefab,
)
from recorder import Noted, assert_counts, notes_of, raising

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Tree = tuple[int, list[int], list[Any]]


class Crew(PooledSprite):
    """A sprite of parts a, b and c, of which b comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.a = self.add_component(Noted(self.log, "a"))
        self.b = self.add_component(Noted(self.log, "b", order=-1))
        self.c = self.add_component(Noted(self.log, "c"))


def crews(made: list[Crew], name: str, **acts: Callable[..., object]) -> Prefab[Crew]:
    """Return a prefab of crews, of which `a` does something in its hooks."""

    def build() -> Crew:
        made.append(Crew())
        made[-1].a.acts = acts
        return made[-1]

    return Prefab(build, name=name)


class Member(PooledSprite):
    """A sprite or a part that notes its hooks."""

    awake, spawned, despawned, destroyed = (
        Noted.awake,
        Noted.spawned,
        Noted.despawned,
        Noted.destroyed,
    )
    note = Noted.note

    def __init__(self, log: list[str], name: str, order: int) -> None:
        super().__init__()
        self.log, self.name, self.execution_order = log, name, order
        self.acts: dict[str, Any] = {}


def member(log: list[str], name: str, tree: Tree) -> Member:
    """Build a sprite of a tree: its order, those of its components, and its parts."""
    order, orders, parts = tree
    sprite = Member(log, name, order)
    for place, part in enumerate(parts):  # first, for the order in which they come doesn't count
        sprite.add_child(member(log, f"{name}{place}", part), (0, 0))
    for place, each in enumerate(orders):
        sprite.add_component(Noted(log, f"{name}.{place}", each))
    return sprite


def in_order(name: str, tree: Tree) -> Iterator[tuple[int, str]]:
    order, orders, parts = tree
    yield from [(each, f"{name}.{place}") for place, each in enumerate(orders)]
    for place, part in enumerate(parts):
        yield from in_order(f"{name}{place}", part)
    yield order, name


ORDERS = st.integers(-1, 1)
TREES: st.SearchStrategy[Any] = st.recursive(
    st.tuples(ORDERS, st.lists(ORDERS, max_size=3), st.just([])),
    lambda parts: st.tuples(ORDERS, st.lists(ORDERS, max_size=3), st.lists(parts, max_size=3)),
    max_leaves=6,
)


@given(TREES)
def test_components_run_their_hooks_first_then_parts_and_the_sprite_last_by_execution_order(
    tree: Tree,
) -> None:
    system, log = PoolingSystem(), list[str]()
    crew = Prefab(lambda: member(log, "s", tree))
    system.spawn(crew).kill()
    system.pool(crew).clear()
    names = [name for _, name in sorted(in_order("s", tree), key=itemgetter(0))]
    begin = [f"{name}.{hook}" for hook in ("awake", "spawned") for name in names]
    end = [f"{name}.{hook}" for hook in ("despawned", "destroyed") for name in reversed(names)]
    assert log == [*begin, *end]


@pytest.mark.parametrize("fails", [False, True])
def test_a_life_that_its_own_spawned_hook_ends_despawns_those_begun(
    system: PoolingSystem, *, fails: bool
) -> None:
    made: list[Crew] = []
    act = raising(RuntimeError("a")) if fails else lambda a: a.sprite.kill()
    prefab = crews(made, "doomed", spawned=act)
    for _ in range(2):  # a new instance, and one that was at rest
        system.prespawn(prefab, 1)
        with pytest.raises(RuntimeError, match="a") if fails else nullcontext():
            assert not system.spawn(prefab).active
        begun = ["b.spawned", "a.spawned", "a.despawned", "b.despawned"]
        assert made[-1].log[3:7] == begun
        if fails:
            assert made[-1].log[7:] == ["c.destroyed", "a.destroyed", "b.destroyed"]
    assert len(made) == 1 + fails
    assert_counts(system)


def test_not_every_order_of_the_names_of_data_is_kept(system: PoolingSystem) -> None:
    class Greedy(IPoolableComponent):
        def spawned(self, **data: int) -> None:
            self.data = data

    for names in chain(permutations("abcdef"), permutations("ghijkl")):
        data: dict[str, Any] = dict.fromkeys(names, 1)
        one = system.spawn(Greedy, **data)
        assert [*one.data] == [*names]
        system.despawn(one)
    [record] = system.pool(Greedy)._records
    assert len(record.plan.begins) < 100
    assert sum("poolkit" in name for name in linecache.cache if name[0] == "<") <= 1024
    assert system.spawn(Greedy).data == {}


def test_an_awake_hook_that_raises_leaves_no_trace_but_its_error(
    system: PoolingSystem,
) -> None:
    made: list[Crew] = []
    prefab = crews(made, "bad", awake=raising(RuntimeError("a")))
    prefab = prefab.variant(name="bad", awake_on_first_spawn=True)
    system.prespawn(prefab, 1)
    made[0].b.acts["destroyed"] = raising(ValueError("b"))
    with pytest.raises(ExceptionGroup, match="waking bad #0001") as caught:
        system.spawn(prefab)
    assert [(str(error), notes_of(error)) for error in caught.value.exceptions] == [
        ("a", "in Noted.awake of bad #0001"),
        ("b", "in Noted.destroyed of bad #0001"),
    ]
    # Only where awake returned; never for the one that failed, nor for those after it.
    assert made[0].log == ["b.awake", "a.awake", "b.destroyed"]
    assert (system.pool(prefab).capacity, system.pool(prefab).stats.spawned) == (0, 0)
    assert_counts(system)


def test_several_errors_come_as_a_group_each_with_its_note(system: PoolingSystem) -> None:
    crew = system.spawn(Crew)
    crew.scope.callback(raising(RuntimeError("scope")))
    for part in (crew.a, crew.b, crew.c):
        part.acts["despawned"] = raising(RuntimeError(part.name))
    crew.b.acts["destroyed"] = raising(ValueError("b"))
    with pytest.raises(ExceptionGroup, match="despawning Crew #0001") as caught:
        system.despawn(crew)
    assert [notes_of(error) for error in caught.value.exceptions] == [
        *["in Noted.despawned of Crew #0001"] * 3,
        "in the scope of Crew #0001",
        "in Noted.destroyed of Crew #0001",
    ]
    assert_counts(system)
