"""What a full pool does, and which settings it has: policies, budgets, settings presets."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from poolkit import (
    EXCEED,
    DespawnReason,
    IPoolableComponent,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
    SettingsPresets,
)
from recorder import Orc, Recorder, raising
from reference_model import play

REFUSE = Refuse()


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


def prefab_of(overflow: Any = REFUSE, limit: int | None = 3, **settings: Any) -> Prefab[Bat]:
    return Prefab(Bat, settings=PoolSettings(limit=limit, overflow=overflow, **settings))


def test_a_recycled_life_ends_in_full(system: PoolingSystem) -> None:
    bat = prefab_of(RecycleOldest(), limit=1)
    first = system.spawn(bat)
    handle = system.handle(first)
    calls: list[str] = []
    system.scope(first).after(5.0, lambda: calls.append("late"))
    system.despawn_after(first, 5.0)
    with pytest.raises(TypeError, match="did you mean 'worth'"):
        system.spawn(bat, wort=3)
    assert handle  # what the victim does not accept costs it nothing
    assert system.spawn(bat, worth=7) is first
    assert first.reasons == [DespawnReason.RECYCLED]
    assert first.worth == 7
    assert not handle
    system.update(10.0)
    assert calls == []
    assert system.is_spawned(first)


def test_a_game_writes_its_own_policy_which_may_exceed_the_limit(system: PoolingSystem) -> None:
    class RecycleFarthest:
        def choose_victim(self, pool: Any) -> Any:
            if pool.capacity < 5:
                return EXCEED
            return max(pool.reclaimable, key=worth, default=None)

    bat = prefab_of(RecycleFarthest())
    bats = [system.spawn(bat, worth=number % 4) for number in range(5)]
    assert system.spawn(bat) is bats[3]
    system.spawn_many(bat, [(0, 0)] * 5, reclaimable=False)
    with pytest.raises(PoolExhaustedError):
        system.spawn(bat)


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(id)])
def test_a_life_whose_hooks_are_running_is_never_a_victim(
    system: PoolingSystem, policy: Any
) -> None:
    greedy = Prefab(Recorder, settings=PoolSettings(prespawn=1, limit=1, overflow=policy))
    [record] = system.pool(greedy).inactive

    def spawn_again() -> None:
        with pytest.raises(PoolExhaustedError):
            system.spawn(greedy)

    record.instance.acts["spawned"] = spawn_again
    only = system.spawn(greedy)
    assert system.is_spawned(only)
    only.acts.clear()
    assert system.spawn(greedy) is only


def test_a_key_that_asks_for_the_lowest_itself_meets_all_lives(system: PoolingSystem) -> None:
    found: list[Any] = []

    def key(bat: Bat) -> int:
        if not found:
            found.append(bat)
            found.append(system.pool(bats).lowest())
        return id(bat)

    bats = Prefab(Bat, settings=PoolSettings(limit=3, overflow=RecycleLowest(key)))
    lives = system.spawn_many(bats, [(0, 0)] * 3)
    system.spawn(bats)
    assert found[1] is min((bat for bat in lives if bat is not found[0]), key=id)


@pytest.mark.parametrize("policy", [RecycleOldest(), RecycleLowest(worth)])
def test_lives_that_come_and_go_pile_nothing_up_and_none_is_kept_alive(
    system: PoolingSystem, policy: Any
) -> None:
    bat = prefab_of(policy)
    pool = system.pool(bat)
    oldest = system.spawn(bat)
    ghosts: list[weakref.ref[Bat]] = []

    def live(lives: int) -> None:
        for number in range(lives):
            life = system.spawn(bat, reclaimable=number % 2 == 0)
            assert policy.choose_victim(pool) is oldest
            if number % 100 == 0:
                ghosts.append(weakref.ref(life))
                system.detach(life)
            else:
                system.despawn(life)
            if number % 100 == 50:
                ghosts.append(weakref.ref(life))
                pool.decrease_capacity(1)  # the next one has a record of its own

    live(500)
    gc.collect()
    blocks = sys.getallocatedblocks()
    live(1500)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 300
    assert [ghost() for ghost in ghosts if ghost() is not None] == []


class ModelledVictims(RuleBasedStateMachine):
    """A pool that recycles beside a list in birth order, where each life is looked at."""

    @initialize(by_age=st.booleans())
    def begin(self, *, by_age: bool) -> None:
        self.system = PoolingSystem()
        policy: Any = RecycleOldest() if by_age else RecycleLowest(worth)
        self.by_age = by_age
        self.bat = prefab_of(policy, limit=5)
        self.lives: dict[Bat, tuple[Bat | None, bool]] = {}  # parents; which are reclaimable

    def line_of(self, bat: Bat | None) -> list[Bat]:
        """Return an instance and all that it hangs under."""
        return [bat, *self.line_of(self.lives[bat][0])] if bat is not None else []

    def victim(self, parent: Bat | None = None) -> Bat | None:
        spared = self.line_of(parent)
        free = [bat for bat in self.lives if self.lives[bat][1] and bat not in spared]
        if self.by_age:
            return free[0] if free else None
        return min(free, key=worth, default=None)

    def end(self, bat: Bat) -> None:
        """End a life, and those that hang under it."""
        for each in [each for each in self.lives if bat in self.line_of(each)]:
            del self.lives[each]

    @rule(worth=st.integers(0, 2), reclaimable=st.booleans(), data=st.data())
    def spawn(self, worth: int, data: st.DataObject, *, reclaimable: bool) -> None:
        parent = data.draw(st.sampled_from([None, None, *self.lives]))
        full = len(self.lives) == 5
        victim = self.victim(parent) if full else None
        new = self.system.try_spawn(self.bat, worth=worth, reclaimable=reclaimable, parent=parent)
        if victim is not None:
            self.end(victim)
        if new is not None:
            self.lives[new] = parent, reclaimable
        assert (new is None) == (full and victim is None)

    @precondition(lambda self: self.lives)
    @rule(data=st.data())
    def despawn(self, data: st.DataObject) -> None:
        bat = data.draw(st.sampled_from([*self.lives]))
        self.system.despawn(bat)
        self.end(bat)

    @precondition(lambda self: self.lives and not self.by_age)
    @rule(data=st.data(), value=st.integers(0, 2))
    def reprice(self, data: st.DataObject, value: int) -> None:
        bat = data.draw(st.sampled_from([*self.lives]))
        bat.worth = value
        self.system.pool(self.bat).update_priority(bat)

    @rule()
    def look(self) -> None:
        pool = self.system.pool(self.bat)
        assert (pool.oldest() if self.by_age else pool.lowest()) is self.victim()

    @invariant()
    def active_ones_stand_in_birth_order(self) -> None:
        assert list(self.system.pool(self.bat).active) == [*self.lives]


def test_victims_are_what_a_list_says() -> None:
    play(ModelledVictims, 100, 30)


@pytest.mark.parametrize(
    "kind", ["a stranger", "dead", "another pool's", "not reclaimable", "its parent"]
)
def test_bad_input_a_policy_that_chooses_what_it_may_not_is_told_before_anything_ends(
    system: PoolingSystem, kind: str
) -> None:
    class Wrong:
        def choose_victim(self, pool: Any) -> Any:
            offered.extend(pool.reclaimable)
            return victim

    offered: list[Any] = []
    bat = prefab_of(Wrong(), limit=3)
    parent, free = system.spawn_many(bat, [(0, 0)] * 2)
    kept, victim = system.spawn(bat, reclaimable=False), system.spawn(Bat)
    if kind == "dead":
        system.despawn(victim)
    victim = {"a stranger": Bat(), "not reclaimable": kept, "its parent": parent}.get(kind, victim)
    pool = system.pool(bat)
    with pytest.raises(PoolError, match=r"Wrong object.* chose .*choose from pool\.reclaimable"):
        system.spawn(bat, parent=parent)
    assert offered == [free]
    assert pool.reclaimable == (parent, free)
    assert list(pool.active) == [parent, free, kept]


def test_max_idle_is_no_limit_of_lives_and_holds_between_frames(system: PoolingSystem) -> None:
    system.configure(reuse="next_update")
    prefab = prefab_of(limit=4, max_idle=2)
    system.spawn_many(prefab, [(0, 0)] * 4)
    assert system.try_spawn(prefab) is None
    system.despawn_all(prefab)
    assert system.pool(prefab).inactive_count == 2
    system.update(0.1)
    assert system.pool(prefab).inactive_count == 2
    system.pool(prefab).settings = PoolSettings(max_idle=0)
    assert system.pool(prefab).capacity == 0


orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=1))
elf = Prefab(Bat, name="elf")


def test_a_plan_gives_each_pool_its_settings_and_back_what_others_gave(
    system: PoolingSystem,
) -> None:
    def build() -> Bat:
        return Bat()

    low = {Bat: PoolSettings(limit=1), build: PoolSettings(limit=2), "orc": PoolSettings(limit=3)}
    high = {orc: PoolSettings(limit=9), elf: PoolSettings(limit=8)}
    presets = SettingsPresets(low=low, high=high, none={})

    def limits() -> list[int | None]:
        return [system.pool(prefab).settings.limit for prefab in (Bat, build, "orc", elf)]

    presets.apply("low", system)  # "orc" is known by the prefab that another preset gives
    assert limits() == [1, 2, 3, None]
    presets.apply("high", system)
    assert limits() == [None, None, 9, 8]
    presets.apply("none", system)
    assert limits() == [None] * 4
    assert system.pool(orc).settings == orc.settings


def test_every_pool_gets_its_settings_though_some_raise_as_they_shrink(
    system: PoolingSystem,
) -> None:
    def build() -> Recorder:
        bomb = Recorder()
        bomb.acts["destroyed"] = raising(ValueError("boom"))
        return bomb

    bombs = [Prefab(build, settings=PoolSettings(prespawn=2)) for _ in range(2)]
    tight = SettingsPresets(low=dict.fromkeys((*bombs, orc), PoolSettings(max_idle=1)))
    for prefab in (*bombs, orc):
        system.prespawn(prefab)
    with pytest.raises(ExceptionGroup, match="settings preset 'low' is in force") as caught:
        tight.apply("low", system)
    assert [str(error) for error in caught.value.exceptions] == ["boom"] * 2
    assert [system.pool(prefab).settings.max_idle for prefab in (*bombs, orc)] == [1] * 3
    assert [system.pool(prefab).capacity for prefab in (*bombs, orc)] == [1] * 3
