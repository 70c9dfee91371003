"""What a full pool does: each overflow policy, and policies of the game's own."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from poolkit import (
    EXCEED,
    DespawnReason,
    Exceed,
    IPoolableComponent,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)


class Bat(IPoolableComponent):
    """Remembers its lives."""

    def __init__(self) -> None:
        self.worth = 0.0
        self.reasons: list[DespawnReason] = []

    def spawned(self, worth: float = 0.0) -> None:
        self.worth = worth

    def despawned(self, reason: DespawnReason) -> None:
        self.reasons.append(reason)


def worth(bat: Bat) -> float:
    return bat.worth


def prefab_of(overflow: Any, limit: int = 3, **settings: Any) -> Prefab[Bat]:
    return Prefab(
        Bat, name="bat", settings=PoolSettings(limit=limit, overflow=overflow, **settings)
    )


def test_k04_refuse_raises_at_the_limit_and_try_spawn_answers_none(system: PoolingSystem) -> None:
    bat = prefab_of(Refuse())
    lives = system.spawn_many(bat, [(0, 0)] * 3)
    with pytest.raises(PoolExhaustedError, match=r"bat is at its limit of 3.*try_spawn"):
        system.spawn(bat)
    assert system.try_spawn(bat) is None
    assert system.pool(bat).stats.refused == 2
    assert system.despawn(lives[0])
    assert system.spawn(bat) is lives[0]


def test_p03_the_oldest_life_is_recycled_through_a_full_despawn(system: PoolingSystem) -> None:
    bat = prefab_of(RecycleOldest())
    first, second, third = system.spawn_many(bat, [(0, 0)] * 3)
    handle = system.handle(first)
    calls: list[str] = []
    system.scope(first).after(5.0, lambda: calls.append("late"))
    system.despawn_after(first, 5.0)
    assert system.spawn(bat, worth=7) is first
    assert first.reasons == [DespawnReason.RECYCLED]
    assert first.worth == 7
    assert not handle
    system.update(10.0)
    assert calls == []
    assert system.is_spawned(first)
    # Now the second is the oldest: by life, not by instance.
    assert system.spawn(bat) is second
    assert system.spawn(bat) is third
    assert system.spawn(bat) is first
    stats = system.pool(bat).stats
    assert (stats.created, stats.recycled, stats.active) == (3, 4, 3)


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth)])
def test_p03_a_life_whose_hooks_are_running_is_never_a_victim(
    system: PoolingSystem, policy: Any
) -> None:
    class Greedy(Bat):
        def spawned(self, worth: float = 0.0, *, again: bool = False) -> None:
            super().spawned(worth)
            if again:
                with pytest.raises(PoolExhaustedError):
                    system.spawn(greedy)

    greedy = Prefab(Greedy, name="greedy", settings=PoolSettings(limit=1, overflow=policy))
    only = system.spawn(greedy, again=True)
    assert system.is_spawned(only)
    assert system.spawn(greedy) is only


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth), Refuse(), Exceed()])
def test_p06_spawn_many_never_recycles_its_own_and_is_all_or_none(
    system: PoolingSystem, policy: Any
) -> None:
    bat = prefab_of(policy)
    before = system.spawn_many(bat, [(0, 0)] * 2)
    if isinstance(policy, Exceed):
        assert len(set(map(id, system.spawn_many(bat, [(0, 0)] * 9)))) == 9
        return
    with pytest.raises(PoolExhaustedError):
        system.spawn_many(bat, [(0, 0)] * 4)
    assert all(system.is_spawned(life) for life in before)
    assert system.pool(bat).active_count == 2
    if not isinstance(policy, Refuse):
        new = system.spawn_many(bat, [(0, 0)] * 3)
        assert len(set(map(id, new))) == 3
        assert all(system.is_spawned(life) for life in new)


def test_p03_a_game_writes_its_own_policy(system: PoolingSystem) -> None:
    class RecycleFarthest:
        def choose_victim(self, pool: Any) -> Any:
            return max(pool.reclaimable, key=worth, default=None)

    bat = prefab_of(RecycleFarthest())
    system.spawn(bat, worth=1)
    far = system.spawn(bat, worth=9)
    system.spawn(bat, worth=5)
    assert system.spawn(bat) is far


def test_p03_a_policy_may_let_the_pool_go_beyond_its_limit(system: PoolingSystem) -> None:
    class OnceMore:
        def choose_victim(self, pool: Any) -> Any:
            return EXCEED if pool.capacity < 5 else None

    bat = prefab_of(OnceMore())
    assert len([system.spawn(bat) for _ in range(5)]) == 5
    with pytest.raises(PoolExhaustedError):
        system.spawn(bat)


def test_p03_data_that_the_victim_does_not_accept_costs_it_nothing(system: PoolingSystem) -> None:
    bat = prefab_of(RecycleOldest(), limit=1)
    life = system.spawn(bat)
    with pytest.raises(TypeError, match="did you mean 'worth'"):
        system.spawn(bat, wort=3)
    assert system.is_spawned(life)
    assert life.reasons == []


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth)])
def test_p05_lives_that_come_and_go_between_two_looks_pile_nothing_up(
    system: PoolingSystem, policy: Any
) -> None:
    bat = prefab_of(policy)
    pool = system.pool(bat)
    oldest = system.spawn(bat)
    for number in range(2000):
        life = system.spawn(bat, reclaimable=number % 2 == 0)
        assert policy.choose_victim(pool) is oldest
        system.despawn(life)
        if number % 3 == 0:
            pool.decrease_capacity(1)  # the next one has a record of its own
    assert _held_by(pool._recycler._order) < 500


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth)])
@pytest.mark.parametrize("ranked", [True, False])
def test_p05_what_was_detached_or_destroyed_is_not_kept_alive(
    system: PoolingSystem, policy: Any, *, ranked: bool
) -> None:
    bat = prefab_of(policy, limit=4)
    lives = system.spawn_many(bat, [(0, 0)] * 4)
    handles = [system.handle(life) for life in lives]
    pool = system.pool(bat)
    if ranked:
        assert policy.choose_victim(pool) is lives[0]
    references = [weakref.ref(life) for life in lives]
    system.detach(lives[1])
    system.despawn(lives[2])
    pool.decrease_capacity(1)
    lives.clear()
    gc.collect()
    assert [reference() is None for reference in references] == [False, True, True, False]
    assert [bool(handle) for handle in handles] == [True, False, False, True]


class ModelledVictims(RuleBasedStateMachine):
    """A pool that recycles beside a list in birth order, where each life is looked at."""

    @initialize(by_age=st.booleans())
    def begin(self, *, by_age: bool) -> None:
        self.system = PoolingSystem()
        policy: Any = RecycleOldest() if by_age else RecycleLowest(worth)
        self.by_age = by_age
        self.bat = prefab_of(policy, limit=5)
        self.lives: list[tuple[Bat, bool]] = []

    def victim(self) -> Bat | None:
        free = [bat for bat, reclaimable in self.lives if reclaimable]
        if self.by_age:
            return free[0] if free else None
        return min(free, key=worth, default=None)

    @rule(worth=st.integers(0, 2), reclaimable=st.booleans())
    def spawn(self, worth: int, *, reclaimable: bool) -> None:
        victim = self.victim() if len(self.lives) == 5 else None
        full = len(self.lives) == 5
        new = self.system.try_spawn(self.bat, worth=worth, reclaimable=reclaimable)
        if full:
            assert new is victim
        if victim is not None:
            self.lives = [life for life in self.lives if life[0] is not victim]
        if new is not None:
            self.lives.append((new, reclaimable))

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def despawn(self, data: st.DataObject) -> None:
        life = data.draw(st.sampled_from(self.lives))
        self.system.despawn(life[0])
        self.lives.remove(life)

    @precondition(lambda self: self.lives and not self.by_age)
    @rule(data=st.data(), value=st.integers(0, 2))
    def reprice(self, data: st.DataObject, value: int) -> None:
        bat, _ = data.draw(st.sampled_from(self.lives))
        bat.worth = value
        self.system.pool(self.bat).update_priority(bat)

    @rule()
    def look(self) -> None:
        pool = self.system.pool(self.bat)
        assert (pool.oldest() if self.by_age else pool.lowest()) is self.victim()

    @invariant()
    def active_ones_stand_in_birth_order(self) -> None:
        assert list(self.system.pool(self.bat).active) == [bat for bat, _ in self.lives]


ModelledVictims.TestCase.settings = hypothesis_settings(
    max_examples=100, stateful_step_count=30, derandomize=True
)
TestModelledVictims = ModelledVictims.TestCase


@pytest.mark.parametrize("overflow", [Refuse(), RecycleOldest()])
def test_k04_what_waits_for_the_next_update_holds_no_place_against_a_new_life(
    system: PoolingSystem, overflow: Any
) -> None:
    system.configure(reuse="next_update")
    prefab = Prefab(Bat, name="bat", settings=PoolSettings(limit=2, overflow=overflow))
    pool = system.pool(prefab)
    first = system.spawn_many(prefab, [(0, 0)] * 2)
    system.despawn_all(prefab)
    second = system.spawn_many(prefab, [(0, 0)] * 2)
    assert not set(map(id, first)) & set(map(id, second))
    assert pool.capacity == 4
    system.update(0)
    assert (pool.capacity, pool.active_count) == (4, 2)  # spares, as many as a frame needed
    system.despawn_all(prefab)
    third = system.spawn_many(prefab, [(0, 0)] * 2)
    assert set(map(id, third)) == set(map(id, first))
    assert pool.stats.created == 4
    if isinstance(overflow, Refuse):
        assert system.try_spawn(prefab) is None
    assert pool.stats.refused == isinstance(overflow, Refuse)


def _held_by(thing: Any) -> int:
    """Return how much its containers hold, two levels deep."""
    values = [getattr(thing, name) for name in type(thing).__slots__]
    values += [getattr(thing._births, name) for name in type(thing._births).__slots__]
    sizes = [
        len(value)
        for value in values
        if isinstance(value, list | dict) or hasattr(value, "popleft")
    ]
    return sum(sizes)


def test_bad_input_a_policy_that_chooses_the_parent_is_told_before_anything_ends(
    system: PoolingSystem,
) -> None:
    class Eldest:
        offered: tuple[Any, ...] = ()

        def choose_victim(self, pool: Any) -> Any:
            self.offered = pool.reclaimable
            return next(iter(pool.active))

    eldest = Eldest()
    bat = prefab_of(eldest, limit=2)
    parent, other = system.spawn_many(bat, [(0, 0)] * 2)
    pool = system.pool(bat)
    with pytest.raises(PoolError, match=r"bat #0001, which is what .*from pool\.reclaimable"):
        system.spawn(bat, parent=parent)
    assert eldest.offered == (other,)
    assert pool.reclaimable == (parent, other)
    assert pool.stats.recycled == 0
    assert system.is_spawned(parent)


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth)])
def test_p03_a_spawn_never_recycles_its_own_parent_nor_what_that_hangs_under(
    system: PoolingSystem, policy: Any
) -> None:
    orc = prefab_of(policy)
    grandparent = system.spawn(orc)
    parent = system.spawn(orc, parent=grandparent)
    other = system.spawn(orc)
    child = system.spawn(orc, parent=parent)
    assert child is other
    assert system.is_spawned(grandparent)
    assert system.is_spawned(parent)


def test_g05_an_equal_keeps_its_age_when_it_is_told_again(system: PoolingSystem) -> None:
    bat = prefab_of(RecycleLowest(worth))
    first, second, third = (system.spawn(bat) for _ in range(3))
    pool = system.pool(bat)
    pool.update_priority(first)
    assert pool.lowest() is first
    second.worth = -1
    pool.update_priority(second)
    assert pool.lowest() is second
    second.worth = 0
    pool.update_priority(second)
    assert [system.spawn(bat) for _ in range(3)] == [first, second, third]
