"""Pools with limits of their own and shared budgets, against a model: who lives, and who had to go.

Hooks and factories spawn, settings change, priorities too. Nothing rests in the model: where the
game's factories do something, its prefabs do not pool.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st

from poolkit import (
    Budget,
    DespawnReason,
    Exceed,
    IPoolableComponent,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from recorder import assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAMES = ("rock", "spark", "smoke")
POLICIES = ("refuse", "exceed", "oldest", "lowest")


class Act(NamedTuple):
    """What a game does, from outside or in a hook."""

    verb: str
    name: str
    number: int
    worth: int


class Rules(NamedTuple):
    """The settings of one pool; its budget is the number of one, or `None`."""

    limit: int | None
    budget: int | None
    policy: str


Game = dict[str, Any]
Step = Act | tuple[str, Rules] | tuple[str, str, list[Any]]

VERBS = ["spawn", "spawn", "spawn", "spawn unreclaimable", "spawn many", "adopt"]
VERBS += ["despawn", "detach", "reprice"]
RANKING = ["spawn", "spawn", "spawn many", "reprice", "reprice"]
names = st.sampled_from(NAMES)
few_acts = st.sampled_from(["decrease", "decrease", "update"])
limited = st.builds(Act, st.just("limit"), names, st.integers(0, 1), st.integers(0, 7))
hooks = st.sampled_from(["make", "awake", "spawned", "despawned"])


def games_of(
    verbs: Sequence[str], limits: Sequence[int | None], policies: Sequence[str]
) -> st.SearchStrategy[Game]:
    """Return games in which each act, limit and policy is one of these."""
    acts = st.builds(Act, st.sampled_from(verbs), names, st.integers(0, 6), st.integers(0, 3))
    budgets = [None, 0, 0, 0, 1]
    rules = st.builds(
        Rules, st.sampled_from(limits), st.sampled_from(budgets), st.sampled_from(policies)
    )
    assigned = st.tuples(names, rules)
    planned = st.tuples(
        hooks, names, st.lists(acts | acts | assigned | limited, min_size=1, max_size=2)
    )
    others = st.builds(Act, few_acts, names, st.integers(0, 3), st.just(0))
    return st.fixed_dictionaries(
        {
            "pooling": st.booleans(),
            "reuse": st.sampled_from(["at_once", "next_update"]),
            "budgets": st.tuples(st.integers(1, 7), st.integers(0, 3)),
            "rules": st.tuples(rules, rules, rules),
            "steps": st.lists(
                st.one_of(*[acts] * 6, others, assigned, limited, planned), min_size=15, max_size=50
            ),
        }
    )


games = games_of(VERBS, [None, None, 0, 1, 2, 3], POLICIES)
games |= games_of(RANKING, [2, 3, 3], ["lowest"])


class World:
    """A game in progress: what is planned for its hooks, and what is seen of it."""

    budgets: Sequence[Any]

    def __init__(self) -> None:
        self.plans: dict[tuple[str, str], list[list[Any]]] = {}
        self.log: list[object] = []
        self.lives = 0

    def on_hook(self, hook: str, name: str) -> None:
        plan = self.plans.get((hook, name))
        for step in plan.pop(0) if plan else ():
            self.take(step)

    def take(self, step: Step) -> None:
        """Do something, or plan it, and note what came of it."""
        if not isinstance(step, Act):
            if isinstance(step[1], Rules):
                self.take_rules(step[0], step[1])
            else:
                self.plans.setdefault(step[:2], []).append(step[2])
        elif step.verb == "decrease":
            self.decrease(step.name, step.number)
        elif step.verb == "update":
            self.update()
        elif step.verb == "limit":
            self.budgets[step.number].limit = step.worth
        else:
            self.log.append((step, self.do(step)))

    def born(self, name: str) -> int:
        self.lives += 1
        self.log.append((self.lives, name))
        return self.lives

    def do(self, act: Act) -> object:
        """Do something; return what came of it."""
        numbers = sorted(self.alive())
        chosen = numbers[act.number % len(numbers)] if numbers else None
        if act.verb in {"despawn", "detach", "reprice"}:
            return chosen if chosen is None else self.treat(act, chosen)
        try:
            return self.begin(act)
        except PoolExhaustedError:
            return "refused"

    def alive(self) -> list[int]:
        raise NotImplementedError

    def treat(self, act: Act, chosen: int) -> object:
        raise NotImplementedError

    def begin(self, act: Act) -> object:
        raise NotImplementedError

    def take_rules(self, name: str, its: Rules) -> None:
        raise NotImplementedError

    def decrease(self, name: str, number: int) -> None:
        raise NotImplementedError

    def update(self) -> None:
        pass


@dataclass(eq=False)
class Life:
    """A life in the model."""

    number: int
    pool: NaivePool
    worth: int
    reclaimable: bool
    is_begun: bool = False


@dataclass(eq=False)
class NaiveBudget:
    """So many places, and who has them."""

    limit: int
    lives: list[Life] = field(default_factory=list)


@dataclass(eq=False)
class NaivePool:
    """A pool without instances but those that were made for a life that is about to begin."""

    name: str
    rules: Rules
    budget: NaiveBudget | None
    lives: list[Life] = field(default_factory=list)
    num_ready: int = 0
    protected: list[Life] = field(default_factory=list)
    refused: int = 0
    recycled: int = 0

    def limits(self) -> list[tuple[list[Life], int]]:
        """Return what is limited, and how many more lives may begin: its own first."""
        own, budget = self.rules.limit, self.budget
        shared = (self.lives, 99) if budget is None else (budget.lives, budget.limit)
        limits = (self.lives, 99 if own is None else own), shared
        return [(lives, limit - len(lives)) for lives, limit in limits]

    @property
    def num_free(self) -> int:
        return min(free for _, free in self.limits())

    def full(self) -> list[Life] | None:
        """Return the lives of which one must go."""
        return next((lives for lives, free in self.limits() if free <= 0), None)

    def endable(self, lives: list[Life]) -> list[Life]:
        return [
            life
            for life in lives
            if life.is_begun and life.reclaimable and life not in self.protected
        ]

    def choose(self, lives: list[Life]) -> Life | str | None:
        policy = self.rules.policy
        free = self.endable(lives)
        if policy == "exceed":
            return "exceed"
        if policy == "refuse" or not free:
            return None
        return free[0] if policy == "oldest" else min(free, key=lambda life: life.worth)

    @property
    def has_available(self) -> bool:
        full = self.full()
        return full is None or self.choose(full) is not None

    def take_rules(self, rules: Rules, budget: NaiveBudget | None) -> None:
        self.rules = rules
        if budget is not self.budget:
            if self.budget is not None:
                self.budget.lives[:] = [life for life in self.budget.lives if life.pool is not self]
            if budget is not None:
                budget.lives += self.lives
        self.budget = budget


class NaiveWorld(World):
    def __init__(self, game: dict[str, Any]) -> None:
        super().__init__()
        self.pooling = game["pooling"]
        self.budgets = [NaiveBudget(limit) for limit in game["budgets"]]
        self.pools = {
            name: NaivePool(name, its, None if its.budget is None else self.budgets[its.budget])
            for name, its in zip(NAMES, game["rules"], strict=True)
        }

    def alive(self) -> list[int]:
        return [life.number for pool in self.pools.values() for life in pool.lives]

    def take_rules(self, name: str, its: Rules) -> None:
        self.pools[name].take_rules(its, None if its.budget is None else self.budgets[its.budget])

    def find(self, number: int) -> Life:
        [found] = [
            life for pool in self.pools.values() for life in pool.lives if life.number == number
        ]
        return found

    def treat(self, act: Act, chosen: int) -> object:
        life = self.find(chosen)
        if act.verb == "reprice":
            life.worth = act.worth
        elif act.verb == "detach":
            self.leave(life)
        else:
            self.end(life, "DESPAWNED")
        return chosen

    def leave(self, life: Life) -> None:
        life.is_begun = False
        life.pool.lives.remove(life)
        if life.pool.budget is not None:
            life.pool.budget.lives.remove(life)

    def end(self, life: Life, reason: str) -> None:
        self.leave(life)
        self.log.append((life.number, reason))
        self.on_hook("despawned", life.pool.name)

    def begin(self, act: Act) -> object:
        pool, many = self.pools[act.name], act.verb == "spawn many"
        number = act.number % 3 + 1 if many else 1
        if many and number > 1:
            self.check_room(pool, number)
        begun: list[Life] = []
        try:
            for _ in range(number):
                self.make_way(pool, begun, is_built=act.verb == "adopt")
                begun.append(self.begin_life(pool, act))
        except PoolExhaustedError:
            for life in begun:
                if life in life.pool.lives:
                    self.end(life, "FAILED")
            raise
        return number

    @staticmethod
    def check_room(pool: NaivePool, number: int) -> None:
        for lives, free in pool.limits():
            short = number - max(0, free)
            possible = pool.endable(lives)
            refuses = pool.rules.policy == "refuse" or len(possible) < short
            if short > 0 and refuses and pool.rules.policy != "exceed":
                pool.refused += 1
                raise PoolExhaustedError

    def make_way(self, pool: NaivePool, begun: list[Life], *, is_built: bool) -> None:
        """Make room, and an instance if the game sees that; both may take the other away."""
        is_made, allowed = False, 0
        pool.protected, others = [*pool.protected, *begun], pool.protected
        try:
            while True:
                allowed = self.make_room(pool, allowed)
                if self.pooling or (is_made and is_built) or pool.num_ready:
                    break
                if not is_built:
                    self.on_hook("make", pool.name)
                    self.on_hook("awake", pool.name)
                    pool.num_ready += 1
                else:
                    self.on_hook("awake", pool.name)
                is_made = True
        except PoolExhaustedError:
            pool.num_ready -= is_made and pool.num_ready > 0
            raise
        finally:
            pool.protected = others
        pool.num_ready -= pool.num_ready > 0 and not is_built

    def make_room(self, pool: NaivePool, allowed: int) -> int:
        """End lives until one may begin; return how many the pool may have in any case."""
        while (lives := pool.full()) is not None and len(pool.lives) >= allowed:
            victim, before = pool.choose(lives), [free for _, free in pool.limits()]
            if isinstance(victim, Life):
                victim.pool.recycled += 1
                self.end(victim, "RECYCLED")
            elif victim is None:
                pool.refused += 1
                raise PoolExhaustedError
            frees = zip(before, [free for _, free in pool.limits()], strict=True)
            # Beyond a limit that was lowered, one goes for one, but no other limit is exceeded.
            is_room = min(before) < 0 and all(after > min(free, 0) for free, after in frees)
            if victim == "exceed" or is_room:
                allowed = len(pool.lives) + 1
        return allowed

    def begin_life(self, pool: NaivePool, act: Act) -> Life:
        worth = 0 if act.verb == "adopt" else act.worth
        life = Life(self.born(pool.name), pool, worth, act.verb != "spawn unreclaimable")
        pool.lives.append(life)
        if pool.budget is not None:
            pool.budget.lives.append(life)
        self.on_hook("spawned", pool.name)
        life.is_begun = life in pool.lives
        return life

    def decrease(self, name: str, number: int) -> None:
        pool = self.pools[name]
        lives = list(pool.lives)
        if pool.rules.policy == "lowest":
            lives.sort(key=lambda life: life.worth)
        for life in lives[:number]:
            if life in pool.lives:
                self.end(life, "DISPOSED")

    def seen(self) -> list[object]:
        """Return all that can be seen between two calls."""
        return [
            *(
                ([life.number for life in pool.lives], pool.refused, pool.recycled)
                for pool in self.pools.values()
            ),
            *([life.number for life in budget.lives] for budget in self.budgets),
            *(pool.has_available for pool in self.pools.values()),
        ]


class Thing(IPoolableComponent):
    """An instance; it knows the number of its life."""

    number = worth = 0

    def __init__(self, world: RealWorld, name: str) -> None:
        self.world = world
        self.name = name

    def awake(self) -> None:
        if not self.world.pooling:
            self.world.on_hook("awake", self.name)

    def spawned(self, worth: int = 0) -> None:
        self.number = self.world.born(self.name)
        self.worth = worth
        self.world.on_hook("spawned", self.name)

    def despawned(self, reason: DespawnReason) -> None:
        self.world.log.append((self.number, reason.name))
        self.world.on_hook("despawned", self.name)


def worth_of(thing: Thing) -> int:
    return thing.worth


class RealWorld(World):
    def __init__(self, game: dict[str, Any]) -> None:
        super().__init__()
        self.system = PoolingSystem()
        self.system.configure(reuse=game["reuse"])
        self.pooling = game["pooling"]
        self.budgets = [Budget(limit) for limit in game["budgets"]]
        self.prefabs = {
            name: Prefab(
                self.factory_of(name),
                name=name,
                settings=self.settings_of(its),
                pooling=self.pooling,
            )
            for name, its in zip(NAMES, game["rules"], strict=True)
        }
        self.pools = {name: self.system.pool(prefab) for name, prefab in self.prefabs.items()}

    def update(self) -> None:
        self.system.update(0.1)

    def factory_of(self, name: str) -> Callable[[], Thing]:
        def make() -> Thing:
            if not self.pooling:
                self.on_hook("make", name)
            return Thing(self, name)

        return make

    def settings_of(self, its: Rules) -> PoolSettings:
        policies: dict[str, Any] = {
            "refuse": Refuse(),
            "exceed": Exceed(),
            "oldest": RecycleOldest(),
            "lowest": RecycleLowest(worth_of),
        }
        budget = None if its.budget is None else self.budgets[its.budget]
        return PoolSettings(limit=its.limit, budget=budget, overflow=policies[its.policy])

    def take_rules(self, name: str, its: Rules) -> None:
        self.pools[name].settings = self.settings_of(its)

    def things(self) -> dict[int, Thing]:
        return {one.number: one for pool in self.pools.values() for one in pool.active}

    def alive(self) -> list[int]:
        return [*self.things()]

    def treat(self, act: Act, chosen: int) -> object:
        thing = self.things()[chosen]
        if act.verb == "reprice":
            thing.worth = act.worth
            pool = self.pools[thing.name]
            budget = pool.settings.budget
            sharing = [
                each
                for each in self.pools.values()
                if each is pool or (budget is not None and each.settings.budget is budget)
            ]
            if any(isinstance(each.settings.overflow, RecycleLowest) for each in sharing):
                pool.update_priority(thing)
        else:
            getattr(self.system, act.verb)(thing)
        return chosen

    def begin(self, act: Act) -> object:
        prefab, system = self.prefabs[act.name], self.system
        if act.verb == "adopt":
            system.adopt(prefab, Thing(self, act.name))
            return 1
        given: dict[str, Any] = {"worth": act.worth}
        if act.verb == "spawn unreclaimable":
            given["reclaimable"] = False
        number = act.number % 3 + 1 if act.verb == "spawn many" else 1
        if number == 1:
            system.spawn(prefab, **given)
        else:
            system.spawn_many(prefab, [(0, 0)] * number, **given)
        return number

    def decrease(self, name: str, number: int) -> None:
        pool = self.pools[name]
        pool.decrease_capacity(pool.inactive_count + number, include_active=True)

    def seen(self) -> list[object]:
        assert_counts(self.system)
        return [
            *(
                ([one.number for one in pool.active], pool.stats.refused, pool.stats.recycled)
                for pool in self.pools.values()
            ),
            *([record.instance.number for record in one._records()] for one in self.budgets),
            *(pool.has_available for pool in self.pools.values()),
        ]


OWN, SHARED = Rules(2, 1, "lowest"), Rules(2, 0, "lowest")
REPRICED: Game = {  # a priority that changes where a pool ranks its own lives and its budget's
    "pooling": False,
    "reuse": "at_once",
    "budgets": (2, 0),
    "rules": (OWN, Rules(2, None, "lowest"), Rules(2, None, "lowest")),
    "steps": [
        *[Act("spawn", "rock", 0, 0)] * 7,
        ("rock", SHARED),
        *(Act("spawn", name, 0, 0) for name in ("rock", "spark", "spark")),
        Act("spawn many", "rock", 1, 1),
        Act("reprice", "rock", 3, 0),
        Act("spawn", "rock", 0, 0),
    ],
}


@settings(max_examples=500, deadline=None, derandomize=True)
@given(game=games)
@example(game=REPRICED)
def test_lives_victims_and_refusals_are_as_the_model_has_them(game: Game) -> None:
    naive, real = NaiveWorld(game), RealWorld(game)
    for step in game["steps"]:
        naive.take(step)
        real.take(step)
        assert real.log == naive.log, step
        assert real.seen() == naive.seen(), step


def test_a_life_in_anothers_place_leaves_no_room_that_pools_were_lent_before(
    system: PoolingSystem,
) -> None:
    budget = Budget(4)
    settings = PoolSettings(budget=budget, overflow=RecycleOldest())
    bats, rats = (Prefab(object, name=name, settings=settings) for name in ("bat", "rat"))
    for prefab in (rats, rats, bats):
        last = system.spawn(prefab)
    budget.limit = 2
    system.spawn(bats)  # in the place of a rat: one for one
    [rat] = system.pool(rats).active
    system.despawn(rat)
    system.spawn(rats)
    assert not system.is_spawned(last)
    assert system.pool(bats).active_count + system.pool(rats).active_count == 2


def test_what_a_pool_was_lent_is_taken_back_when_another_needs_it(system: PoolingSystem) -> None:
    budget = Budget(6)
    settings = PoolSettings(budget=budget)
    prefabs = [Prefab(object, name=f"kind {number}", settings=settings) for number in range(3)]
    for prefab in prefabs:
        for _ in range(2):
            full = [system.spawn(prefab) for _ in range(6)]
            assert system.try_spawn(prefabs[0]) is None
            system.despawn(full[0])
            system.spawn(prefabs[1])
            assert system.try_spawn(prefab) is None
            system.despawn_all()
