"""Without pooling a program runs the same: what only counts does so as the real pool would."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import (
    Exceed,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    Refuse,
)
from recorder import Orc, assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable


def settings_of(given: dict[str, Any]) -> PoolSettings:
    """Return settings in which nothing contradicts the rest."""
    most = [given[name] for name in ("limit", "max_idle") if given.get(name) is not None]
    return PoolSettings(**given | {"prespawn": min([given["prespawn"], *most])})


few = st.none() | st.integers(0, 4)
sizes = st.builds(
    settings_of,
    st.fixed_dictionaries(
        {
            "prespawn": st.integers(0, 4),
            "limit": few,
            "max_idle": few,
            "grow_by": st.integers(1, 3),
            "overflow": st.sampled_from([Refuse(), Exceed(), RecycleOldest()]),
            "prespawn_delay": st.sampled_from([0.0, 1.0]),
            "prespawn_per_update": st.sampled_from([None, 0.5, 1, 2]),
            "trim_after": st.sampled_from([None, 1.0]),
        }
    ),
)


class Game:
    """A program that plays with one pool; its lives go by their places in it."""

    def __init__(self, settings: PoolSettings, reuse: Any, **pooling: bool) -> None:
        self.system = PoolingSystem()
        self.system.configure(reuse=reuse, pooling=pooling.get("system"))
        self.prefab = Prefab(Orc, settings=settings, pooling=pooling.get("prefab", True))
        self.pool = self.system.pool(self.prefab)

    def do(self, verb: str, number: int) -> object:
        system, pool, prefab = self.system, self.pool, self.prefab
        acts: dict[str, Callable[[], object]] = {
            "spawn": lambda: system.try_spawn(prefab) is not None,
            "spawn unreclaimable": lambda: bool(system.try_spawn(prefab, reclaimable=False)),
            "spawn many": lambda: len(system.spawn_many(prefab, [(0, 0)] * number)),
            "adopt": lambda: system.adopt(prefab, Orc()),
            "prespawn": lambda: pool.prespawn(number or None),
            "increase": lambda: pool.increase_capacity(number),
            "decrease": lambda: pool.decrease_capacity(number),
            "decrease more": lambda: pool.decrease_capacity(number, include_active=True),
            "prewarm": lambda: [*system.prewarm({prefab: number}, budget_ms=1e9)],
            "trim": lambda: pool.trim(number),
            "clear": pool.clear,
            "update": lambda: system.update(number / 4),
            "reset": lambda: system.reset().seconds,
        }
        if verb in acts:
            return acts[verb]()
        return [getattr(system, verb)(one) for one in islice(pool.active, number, number + 1)]

    def play(self, verb: str, number: int) -> tuple[object, ...]:
        """Do something, and return all that a program can see of it."""
        try:
            outcome = self.do(verb, number)
        except PoolExhaustedError as error:
            outcome = str(error)
        assert_counts(self.system)
        pool = self.pool
        counts = pool.capacity, pool.active_count, pool.inactive_count, pool.has_available
        return outcome, counts, pool.stats.refused, pool.stats.recycled


verbs = ["spawn unreclaimable", "spawn many", "despawn", "discard", "detach", "adopt", "prespawn"]
verbs += ["increase", "decrease", "decrease more", "prewarm", "trim", "clear", "update", "reset"]
steps = st.tuples(st.sampled_from(["spawn", "spawn", "despawn", *verbs]), st.integers(0, 3))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    sizes=sizes,
    reuse=st.sampled_from(["at_once", "next_update"]),
    switch=st.sampled_from(["system", "prefab"]),
    steps=st.lists(steps, min_size=10, max_size=30),
)
def test_a_program_that_runs_without_pooling_counts_as_with_it(
    sizes: PoolSettings, reuse: str, switch: str, steps: list[tuple[str, int]]
) -> None:
    real, fake = Game(sizes, reuse), Game(sizes, reuse, **{switch: False})
    for step in steps:
        assert real.play(*step) == fake.play(*step), step


def test_a_pool_that_a_reset_forgot_follows_the_switch_as_well(system: PoolingSystem) -> None:
    pool = system.pool(Prefab(Orc))
    system.reset()
    system.configure(pooling=False)
    assert pool.increase_capacity(3) == 3
    assert pool.stats.created == 0  # they are only counted
