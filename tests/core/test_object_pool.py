"""ObjectPool: any type, every policy, against a naive model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from poolkit import (
    Exceed,
    NotManagedError,
    ObjectPool,
    PoolError,
    PoolExhaustedError,
    PoolSettings,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from reference_model import play


class Bat:
    """A thing with a worth, which notes what was done with it."""

    def __init__(self) -> None:
        self.worth = 0
        self.calls: list[str] = []


class Noting:
    """Notes a call, and is false: as a signal may be that nobody listens to."""

    def __init__(self, call: str) -> None:
        self.call = call

    def __call__(self, bat: Bat) -> None:
        bat.calls.append(self.call)

    def __bool__(self) -> bool:
        return False


def recording(**more: Any) -> ObjectPool[Bat]:
    more |= {call: Noting(call) for call in ("activate", "deactivate", "destroy")}
    return ObjectPool(Bat, **more)


def test_a_fixed_pool_is_full_at_construction_and_gives_the_last_in_first() -> None:
    pool = ObjectPool(Bat, settings=PoolSettings(prespawn=3, limit=3, order="lifo"))
    assert (pool.capacity, pool.inactive_count, pool.has_available) == (3, 3, True)
    bats = [pool.get() for _ in range(3)]
    assert not pool.has_available
    with pytest.raises(PoolExhaustedError, match="Bat is at its limit of 3"):
        pool.get()
    assert pool.try_get() is None
    pool.release(bats[0])
    pool.release(bats[1])
    assert pool.get() is bats[1]


def test_a_loan_that_ends_inside_its_own_activate_is_deactivated_once() -> None:
    calls: list[str] = []

    def activate(bat: Bat) -> None:
        calls.append("activate")
        pool.release(bat)

    pool = ObjectPool(Bat, activate=activate, deactivate=lambda _: calls.append("deactivate"))
    pool.prespawn(1)
    assert calls == ["deactivate"]  # it never rests active
    pool.get()
    assert calls == ["deactivate", "activate", "deactivate"]
    assert (pool.active_count, len(pool.inactive)) == (0, 1)


@pytest.mark.parametrize("use", ["get", "prespawn"])
def test_a_pool_that_is_closed_as_it_makes_something_destroys_that_and_makes_no_more(
    use: str,
) -> None:
    made: list[Bat] = []

    def create() -> Bat:
        made.append(Bat())
        pool.close()
        return made[-1]

    pool = ObjectPool(create, destroy=Noting("destroy"), settings=PoolSettings(grow_by=3))
    if use == "get":
        with pytest.raises(PoolError, match="closed"):
            pool.get()
    else:
        assert pool.prespawn(5) == 0
    assert [bat.calls for bat in made] == [["destroy"]]
    assert (pool.capacity, pool.active_count) == (0, 0)


def test_what_is_discarded_is_destroyed_and_what_is_detached_is_its_borrowers() -> None:
    pool = recording(settings=PoolSettings(prespawn=1))
    bat, kept = pool.get(), pool.get()
    assert pool.discard(bat)
    assert not pool.discard(bat)
    assert bat.calls[-2:] == ["deactivate", "destroy"]
    pool.detach(kept)
    assert kept.calls[-1] == "activate"
    for call in (pool.release, pool.discard, pool.detach):
        with pytest.raises(NotManagedError):
            call(kept)
    assert (pool.capacity, pool.stats.created, pool.stats.destroyed) == (0, 2, 2)
    resting = pool.get()
    pool.release(resting)
    assert not pool.discard(resting)
    assert pool.get() is resting


def test_one_interface_tells_and_changes_how_much_there_is_and_by_how_many() -> None:
    pool = ObjectPool(Bat, settings=PoolSettings(limit=2, max_idle=5))
    assert [pool.prespawn(3), pool.prespawn(3), pool.prespawn(9)] == [3, 0, 2]
    assert pool.increase_capacity(2) == 0
    bat = pool.get()
    assert (pool.capacity, pool.inactive_count, pool.has_available) == (5, 4, True)
    assert [pool.trim(2), pool.decrease_capacity(9)] == [2, 2]
    assert pool.decrease_capacity(2, include_active=True) == 1
    with pytest.raises(NotManagedError):
        pool.release(bat)
    assert [pool.increase_capacity(9), pool.clear(), pool.clear()] == [5, 5, 0]


def test_strangers_and_what_was_released_already_are_rejected() -> None:
    pool = ObjectPool(Bat)
    with pool.borrow() as bat:
        assert bat in pool.active
    assert pool.get() is bat
    with pytest.raises(NotManagedError, match="not of the pool of Bat"):
        pool.release(Bat())
    pool.release(bat)
    with pytest.raises(NotManagedError, match="released already"):
        pool.release(bat)
    pool.clear()
    with pytest.raises(NotManagedError):
        pool.release(bat)
    assert pool.stats.despawned == 2


def test_unhashable_and_equal_objects_are_told_apart() -> None:
    pool: ObjectPool[list[int]] = ObjectPool(list)
    one, other = pool.get(), pool.get()
    assert one == other
    pool.release(other)
    assert pool.get() is other
    assert [id(each) for each in pool.active] == [id(one), id(other)]
    assert one in pool.active


def worth_of(bat: Bat) -> int:
    return bat.worth


POLICIES: dict[str, Any] = {
    "refuse": Refuse(),
    "exceed": Exceed(),
    "oldest": RecycleOldest(),
    "lowest": RecycleLowest(worth_of),
}


class ModelledPool(RuleBasedStateMachine):
    """An ObjectPool beside lists, where everything is found by looking at each."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = "refuse"
        self.order = "fifo"
        self.limit = 4
        self.max_idle: int | None = None
        self.pool = self._made(self._settings())
        self.active: list[Bat] = []  # the oldest life first
        self.resting: list[Bat] = []  # the longest at rest first
        self.recycled: set[Bat] = set()  # since their last loan
        self.created = 0

    @staticmethod
    def _made(settings: PoolSettings) -> ObjectPool[Bat]:
        return recording(reactivate=Noting("reactivate"), settings=settings)

    @staticmethod
    def _was_told(bat: Bat, *calls: str) -> None:
        assert bat.calls[-len(calls) :] == [*calls]

    def _settings(self) -> PoolSettings:
        order: Any = self.order
        overflow = POLICIES[self.policy]
        return PoolSettings(
            limit=self.limit, overflow=overflow, order=order, max_idle=self.max_idle
        )

    @rule(
        policy=st.sampled_from(sorted(POLICIES)),
        order=st.sampled_from(["fifo", "lifo"]),
        limit=st.integers(1, 6),
        max_idle=st.none() | st.integers(0, 4),
    )
    def change_settings(self, policy: str, order: str, limit: int, max_idle: int | None) -> None:
        self.policy, self.order, self.limit, self.max_idle = policy, order, limit, max_idle
        self.pool.settings = self._settings()
        if max_idle is not None:  # what rests beyond it goes at once, the longest at rest first
            del self.resting[: max(0, len(self.resting) - max_idle)]

    @rule(worth=st.integers(0, 5))
    def get(self, worth: int) -> None:
        is_full = len(self.active) >= self.limit
        if is_full and self.policy == "refuse":
            with pytest.raises(PoolExhaustedError):
                self.pool.get()
            refused = self.pool.try_get()
            assert refused is None
            return
        if is_full and self.policy != "exceed":
            lowest = min(self.active, key=worth_of)
            victim = self.active[0] if self.policy == "oldest" else lowest
            self.active.remove(victim)
            self.resting.append(victim)
            self.recycled.add(victim)
        expected = None
        if self.resting:
            expected = self.resting.pop(0 if self.order == "fifo" else -1)
        bat = self.pool.get()
        self._was_told(bat, "reactivate" if bat in self.recycled else "activate")
        self.recycled.discard(bat)
        if expected is None:
            self.created += 1
            assert all(bat is not other for other in self.active)
        else:
            assert bat is expected
        self.active.append(bat)
        bat.worth = worth
        if self.policy == "lowest":
            self.pool.update_priority(bat)

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        if self.active:
            bat = data.draw(st.sampled_from(self.active))
            self.pool.release(bat)
            self._model_release(bat)

    def _model_release(self, bat: Bat) -> None:
        self.active.remove(bat)
        if self.max_idle is None or len(self.resting) < self.max_idle:
            self.resting.append(bat)
            self._was_told(bat, "deactivate")
        else:
            self._was_told(bat, "deactivate", "destroy")

    @rule(n=st.integers(0, 3))
    def release_lowest(self, n: int) -> None:
        if self.policy == "lowest":
            lowest = sorted(self.active, key=worth_of)[:n]
            released = self.pool.release_lowest(n)
            assert released == len(lowest)
            for bat in lowest:
                self._model_release(bat)

    @rule(data=st.data(), worth=st.integers(0, 5))
    def change_worth(self, data: st.DataObject, worth: int) -> None:
        if self.active and self.policy == "lowest":
            bat = data.draw(st.sampled_from(self.active))
            bat.worth = worth
            self.pool.update_priority(bat)

    @rule(threshold=st.integers(0, 5))
    def release_where(self, threshold: int) -> None:
        chosen = [bat for bat in self.active if bat.worth < threshold]
        released = self.pool.release_where(lambda bat: bat.worth < threshold)
        assert released == len(chosen)
        for bat in chosen:
            self._model_release(bat)

    @rule(n=st.integers(0, 4), include_active=st.booleans())
    def decrease(self, n: int, *, include_active: bool) -> None:
        expected = min(n, len(self.resting) + (len(self.active) if include_active else 0))
        first = list(self.active)
        if self.policy == "lowest":
            first.sort(key=worth_of)
        destroyed = self.pool.decrease_capacity(n, include_active=include_active)
        assert destroyed == expected
        rest = n - len(self.resting)
        del self.resting[:n]
        if include_active and rest > 0:
            for bat in first[:rest]:
                self.active.remove(bat)

    @invariant()
    def the_pool_is_as_the_model_says(self) -> None:
        assert sorted(map(id, self.pool.active)) == sorted(map(id, self.active))
        stats = self.pool.stats
        assert stats.active == self.pool.active_count == len(self.active)
        assert stats.inactive == self.pool.inactive_count == len(self.resting)
        assert stats.created == self.created
        assert stats.created - stats.destroyed == stats.active + stats.inactive
        assert self.pool.capacity == len(self.active) + len(self.resting)


class UnmanagedPool(ModelledPool):
    """One whose objects nothing is called with."""

    @staticmethod
    def _made(settings: PoolSettings) -> ObjectPool[Bat]:
        return ObjectPool(Bat, settings=settings)

    @staticmethod
    def _was_told(bat: Bat, *_: str) -> None:
        assert bat.calls == []


@pytest.mark.parametrize("kind", [ModelledPool, UnmanagedPool])
def test_a_pool_is_what_lists_say_under_every_policy(kind: type[ModelledPool]) -> None:
    play(kind, 120, 40)


def test_an_object_pool_shrinks_as_it_is_updated() -> None:
    pool = ObjectPool(Bat, settings=PoolSettings(trim_after=1.0))
    for _ in range(9):
        pool.get()
    pool.release_all()
    for _ in range(40):
        pool.update(0.25)
    assert pool.capacity == 0
    assert pool.stats.idle_seconds > 1
