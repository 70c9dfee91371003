"""Two swarms and a pool that share a budget, beside a list of who lives, the oldest first."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pygame
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from poolkit import (
    Budget,
    Exceed,
    PooledSprite,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    Refuse,
)
from poolkit.swarms import Swarm
from recorder import assert_counts, demand
from reference_model import play

OWNERS = "bats", "sparks", "flakes"


class Life(NamedTuple):
    """Who it belongs to, and the handle to it."""

    owner: str
    handle: Any


owners = st.sampled_from(OWNERS)
policies = st.sampled_from([Refuse(), *[RecycleOldest()] * 4, Exceed()])


class SharedBudget(RuleBasedStateMachine):
    """A game that spawns and despawns in all three."""

    @initialize(
        budget=st.integers(0, 7),
        how=st.fixed_dictionaries(
            {name: st.tuples(st.sampled_from([*[None] * 4, 5, 2, 0]), policies) for name in OWNERS}
        ),
    )
    def begin(self, budget: int, how: dict[str, Any]) -> None:
        self.system, self.budget, self.how = PoolingSystem(), Budget(budget), how
        self.system.configure(reuse="next_update")
        settings = {
            name: PoolSettings(limit=limit, overflow=overflow, budget=self.budget)
            for name, (limit, overflow) in how.items()
        }
        self.prefab = Prefab(PooledSprite, name="bats", settings=settings["bats"])
        self.pool = self.system.pool(self.prefab)
        image = pygame.Surface((2, 2))
        self.swarms = {
            name: Swarm(
                image,
                limit=settings[name].limit,
                overflow=settings[name].overflow,
                budget=self.budget,
                name=name,
                system=self.system,
            )
            for name in OWNERS[1:]
        }
        self.recycled = Counter[str]()
        self.living: list[Life] = []
        self.over: list[Life] = []

    def victims(self, owner: str, count: int) -> list[Life] | None:
        """Return whose life ends for `count` new ones; `None`: it is refused."""
        limit, overflow = self.how[owner]
        own = [life for life in self.living if life.owner == owner]
        # Where there are too many, one goes for one.
        short = 0 if limit is None else max(0, count - max(0, limit - len(own)))
        shared = max(0, count - short - max(0, self.budget.limit - len(self.living)))
        if not (short or shared) or isinstance(overflow, Exceed):
            return []
        if isinstance(overflow, Refuse) or short > len(own) or short + shared > len(self.living):
            return None
        gone = own[:short]
        return gone + [life for life in self.living if life not in gone][:shared]

    @rule(owner=owners, count=st.integers(1, 5), singly=st.booleans())
    def spawn(self, owner: str, count: int, singly: bool) -> None:  # noqa: FBT001
        if singly:
            count = 1
        gone = self.victims(owner, count)
        try:
            new = self.begun(owner, count, singly=singly)
        except PoolExhaustedError:
            demand(gone is None, (owner, count))
            return
        demand(gone is not None, (owner, count))
        for life in gone or ():
            self.living.remove(life)
            self.over.append(life)
            self.recycled[life.owner] += 1
        self.living += [Life(owner, handle) for handle in new]

    @rule(owners=st.lists(st.sampled_from(OWNERS[1:]), min_size=3, max_size=9))
    def spawn_in_turn(self, owners: list[str]) -> None:
        """Mix the lives of both swarms, and begin several at once, for which the oldest end."""
        for owner in owners:
            self.spawn(owner, 1, singly=True)
        self.spawn(owners[0], len(owners) // 2, singly=False)

    def begun(self, owner: str, count: int, *, singly: bool) -> list[Any]:
        if owner == "bats":
            sprites = self.system.spawn_many(self.prefab, [(0, 0)] * count)
            return [sprite.handle() for sprite in sprites]
        swarm = self.swarms[owner]
        if singly:
            return [swarm.spawn((0, 0))]
        return [swarm.handle(row) for row in swarm.spawn_many(count, position=(0, 0))]

    @rule(number=st.integers(0, 20))
    def despawn(self, number: int) -> None:
        if self.living:
            life = self.living.pop(number % len(self.living))
            demand(life.handle.despawn(), life)
            self.over.append(life)

    @rule()
    def update(self) -> None:
        self.system.update(0.1)
        for swarm in self.swarms.values():
            swarm.update(0.1)

    @rule(number=st.integers(0, 5))
    def reset(self, number: int) -> None:
        if number:  # seldom: it would teach little
            return
        self.system.reset()
        self.over += self.living
        self.living.clear()
        self.recycled.clear()

    @rule(name=st.sampled_from(OWNERS[1:]))
    def let_go(self, name: str) -> None:
        """Hold a swarm no longer: its lives count no more, if no handle holds it either."""
        if any(life.owner == name for life in (*self.living, *self.over)):
            return
        how = {"limit": self.how[name][0], "overflow": self.how[name][1], "budget": self.budget}
        self.recycled[name] = 0
        self.swarms[name] = Swarm(1, name=name, system=self.system, **how)

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "living"):
            return
        demand(all(life.handle for life in self.living), self.living)
        demand(not any(life.handle for life in self.over), self.over)
        counts = [self.pool.active_count, *map(len, self.swarms.values())]
        expected = [sum(life.owner == name for life in self.living) for name in OWNERS]
        demand(counts == expected, (counts, expected))
        sharing: list[Any] = [self.pool, *self.swarms.values()]
        recycled = [one.stats.recycled for one in sharing]
        demand(recycled == [self.recycled[name] for name in OWNERS], (recycled, self.recycled))
        demand(repr(self.budget) == f"<Budget({len(self.living)} of {self.budget.limit})>")
        demand(self.pool.has_available == (self.victims("bats", 1) is not None), "has_available")
        demand(self.budget._count >= 0, self.budget)
        assert_counts(self.system)


def test_whoever_spawns_the_oldest_of_all_ends_or_none() -> None:
    play(SharedBudget, 150, 40)


def test_a_swarm_begins_nothing_where_what_ended_for_it_was_replaced_for_good() -> None:
    system, budget = PoolingSystem(), Budget(1)

    class Bat(PooledSprite):
        def despawned(self) -> None:
            system.spawn(prefab, reclaimable=False)

    prefab = Prefab(Bat, settings=PoolSettings(budget=budget))
    system.spawn(prefab)
    sparks = Swarm(
        [pygame.Surface((2, 2))], limit=9, budget=budget, overflow=RecycleOldest(), system=system
    )
    assert sparks.try_spawn((0, 0)) is None
    assert (len(sparks), sparks.stats.refused, system.pool(prefab).active_count) == (0, 1, 1)
