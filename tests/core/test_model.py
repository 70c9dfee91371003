"""Random sequences, re-entrant and failing hooks among them, against a naive model.

Every call is made in three worlds: to the naive model, to a pooling system that nobody observes,
and to one with listeners and a watcher. Hooks, answers, errors, counts and the order of reuse
agree.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from poolkit import (
    Handle,
    IPoolableComponent,
    PoolingSystem,
    PoolSettings,
    Prefab,
)
from poolkit.core.seams import LifeWatcher
from poolkit.core.states import TRANSITIONS
from recorder import HOOKS, Noted, assert_counts
from reference_model import LISTENERS, Key, NaiveSystem, Pool, leaves, play, traced_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit import DespawnReason, PrefabPool


def specs() -> list[Pool]:
    """Return the prefabs of the game that is played, as the naive model has them."""
    return [
        Pool("orc", limit=4, grow_by=3),
        Pool("imp", grow_by=2, max_idle=3),
        Pool("fake", pooling=False, limit=3, prespawn=1),
        Pool("hero", limit=5, persistent=True, prespawn=2, lifo=True, awake_on_first_spawn=True),
    ]


FIGURES = ["created", "destroyed", "spawned", "despawned", "reused", "late", "refused"]
FIGURES += ["peak_active"]


names = st.sampled_from([spec.name for spec in specs()])


class Call(NamedTuple):
    """A call that a game makes, from outside or in a hook; `key` is an instance's."""

    verb: str
    name: str
    number: int
    key: Key = ("", 0)

    def make(self, system: Any) -> object:
        return CALLS[self.verb](system, self)


CALLS: dict[str, Callable[[Any, Call], object]] = {
    "spawn": lambda system, call: system.spawn(call.name),
    "spawn child": lambda system, call: system.spawn(call.name, parent=call.key),
    "spawn persistent": lambda system, call: system.spawn(
        call.name, persistent=bool(call.number % 2)
    ),
    "spawn many": lambda system, call: system.spawn_many(
        call.name, [(0, 0)] * call.number, **({"parent": call.key} if call.number % 2 else {})
    ),
    "despawn": lambda system, call: system.despawn(call.key),
    "despawn another": lambda system, call: system.despawn(
        next(iter(system.active(call.name)), call.key)
    ),
    "despawn later": lambda system, call: system.despawn_after(call.key, call.number % 4),
    "despawn some": lambda system, call: system.despawn_where(chooser(system, call), call.name),
    "despawn some of all": lambda system, call: system.despawn_where(chooser(system, call), None),
    "discard": lambda system, call: system.discard(call.key),
    "detach": lambda system, call: system.detach(call.key),
    "adopt": lambda system, call: system.adopt(call.name),
    "promote": lambda system, call: system.promote(call.key, call.name),
    "use scope": lambda system, call: system.callback(call.key, f"undone {call.number}"),
    "take handle": lambda system, call: system.handles.append(system.handle(call.key)),
    "use handle": lambda system, call: system.handles[call.number].despawn(),
    "prespawn": lambda system, call: system.prespawn(call.name, call.number),
    "decrease": lambda system, call: system.decrease(
        call.name, call.number // 2, include_active=bool(call.number % 2)
    ),
    "trim": lambda system, call: system.trim(call.name, call.number % 3),
    "clear": lambda system, call: system.clear(call.name),
    "reset": lambda system, _: system.reset(),
    "update": lambda system, call: system.update(call.number % 3),
    "pooling": lambda system, call: system.configure(pooling=bool(call.number % 2)),
    "reuse": lambda system, call: system.configure(
        reuse="next_update" if call.number % 2 else "at_once"
    ),
}


def chooser(system: Any, call: Call) -> Callable[[Key], bool]:
    """Return a predicate of lives, which may meddle: a later life is never touched."""

    def chosen(key: Key) -> bool:
        if call.number > 2 and system.is_spawned(key):
            system.despawn(key)
            system.spawn(key[0])
        return key[1] % (1 + call.number % 3) == 0

    return chosen


often = ["spawn", "spawn many", "despawn"]
calls = st.builds(Call, st.sampled_from([*sorted(CALLS), *often]), names, st.integers(0, 5))
in_hooks = [*["raise"] * 4, *often * 2, *sorted(CALLS.keys() - {"pooling", "reuse", "update"})]
acts = st.builds(Call, st.sampled_from(in_hooks), names, st.integers(0, 5))
Plan = tuple[str, str, list[Call]]
plans = st.tuples(st.sampled_from(HOOKS + LISTENERS), names, st.lists(acts, min_size=1, max_size=2))


class World:
    """A system, what is planned for its hooks, and what they have noted."""

    def __init__(self, kind: type[Actor] | None = None) -> None:
        self.trace: list[tuple[str, Key]] = []
        self.reasons: list[tuple[Key, str]] = []
        self.plans: dict[tuple[str, str], list[list[Call]]] = {}
        self.system: Any = RealSystem(self, kind) if kind else NaiveSystem(specs(), self)

    def listen(self) -> None:
        """Let listeners do as is planned, as hooks do."""
        if isinstance(self.system, NaiveSystem):
            self.system.listens = True
            return
        real = self.system.real
        for listener in LISTENERS:
            whose, event = listener.split(".")
            for each in self.system.pools.values() if whose == "pool" else [real]:
                getattr(each, event)(partial(self._hear, listener))

    def _hear(self, listener: str, one: Actor) -> None:
        self.on_hook(listener, one.key)

    def on_hook(self, hook: str, key: Key) -> None:
        self.trace.append((hook, key))
        plan = self.plans.get((hook, key[0]))
        for call in plan.pop(0) if plan else ():
            if call.verb == "raise":
                message = f"{hook} of {key}"
                raise RuntimeError(message)
            call._replace(key=key).make(self.system)

    def on_reason(self, key: Key, reason: str) -> None:
        self.reasons.append((key, reason))

    def on_undo(self, key: Key, text: str) -> None:
        self.trace.append((text, key))


class Actor(Noted):
    """Tells its world of its hooks."""

    def __init__(self, world: World, key: Key) -> None:
        self.world = world
        self.key = key

    def note(self, hook: str) -> None:
        self.world.on_hook(hook, self.key)


class ObservedActor(Actor):
    """Names built-in data in its hooks; its pool has listeners and watchers."""

    def spawned(self, position: object) -> None:  # type: ignore[override]
        assert position == (0, 0)
        super().spawned()

    def despawned(self, reason: DespawnReason) -> None:  # type: ignore[override]
        self.world.on_reason(self.key, reason.name)
        super().despawned()


class RealSystem:
    """A pooling system that is called as the naive one is: with keys for its instances."""

    def __init__(self, world: World, kind: type[Actor]) -> None:
        self.real = PoolingSystem()
        self.real.configure(reuse="at_once")  # as the naive one begins
        self.world = world
        self.kind = kind
        self.handles: list[Handle[Actor]] = []
        self.instances: dict[Key, Actor] = {}
        self.built: Counter[str] = Counter()
        self.prefabs: dict[str, Prefab[Actor]] = {}
        self.pools: dict[str, PrefabPool[Actor]] = {}
        for spec in specs():
            pool_settings = PoolSettings(
                limit=spec.limit,
                prespawn=spec.prespawn,
                grow_by=spec.grow_by,
                max_idle=spec.max_idle,
                order="lifo" if spec.lifo else "fifo",
            )
            prefab = self.prefabs[spec.name] = Prefab(
                partial(self.build, spec.name),
                name=spec.name,
                settings=pool_settings,
                pooling=spec.pooling,
                persistent=spec.persistent,
                awake_on_first_spawn=spec.awake_on_first_spawn,
                groups=() if kind is Actor else tuple,  # asked at each spawn
            )
            pool = self.pools[spec.name] = self.real.pool(prefab)
            if kind is not Actor:
                pool.on_spawn(lambda _: None)
                pool.on_despawn(lambda _: None)
        if kind is not Actor:
            self.real._context.watch_lives(LifeWatcher())

    def build(self, name: str) -> Actor:
        self.built[name] += 1
        key = name, self.built[name]
        one = self.instances[key] = self.kind(self.world, key)
        return one

    def __getattr__(self, name: str) -> Callable[..., object]:
        """Call the real system, with instances for keys and prefabs for names; answer with keys."""
        call = getattr(self.real, name)

        def real_of(given: Any) -> Any:
            known: dict[Any, Any] = self.instances if isinstance(given, tuple) else self.prefabs
            return given if isinstance(given, list) else known.get(given, given)

        def make(*given: object, **options: object) -> object:
            answer = call(*map(real_of, given), **{n: real_of(v) for n, v in options.items()})
            if isinstance(answer, list):
                return [one.key for one in answer]
            return answer.key if isinstance(answer, Actor) else answer

        return make

    def despawn_where(self, predicate: Callable[[Key], bool], name: str | None) -> int:
        return self.real.despawn_where(lambda one: predicate(one.key), name)

    def despawn_after(self, key: Key, seconds: int) -> None:
        self.real.despawn_after(self.instances[key], seconds)

    def adopt(self, name: str) -> Key:
        self.real.pool(self.prefabs[name])
        one = self.build(name)
        self.real.adopt(self.prefabs[name], one)
        return one.key

    def promote(self, key: Key, name: str) -> Key:
        """Let an instance go on living in the pool of another prefab."""
        self.real.detach(self.instances[key])
        self.real.adopt(self.prefabs[name], self.instances[key])
        return key

    def decrease(self, name: str, count: int, *, include_active: bool) -> int:
        return self.pools[name].decrease_capacity(count, include_active=include_active)

    def trim(self, name: str, keep: int) -> int:
        return self.pools[name].trim(keep)

    def clear(self, name: str) -> int:
        return self.pools[name].clear()

    def callback(self, key: Key, text: str) -> None:
        scope = self.real.scope(self.instances[key])
        scope.callback(lambda: self.world.on_undo(key, text))

    def reset(self) -> None:
        self.real.reset()

    def active(self, name: str) -> list[Key]:
        return [one.key for one in self.pools[name].active]

    def state(self, figures: Iterable[str]) -> dict[str, object]:
        return {
            name: (
                self.active(name),
                [data.instance.key for data in pool.inactive[: len(pool._inactive)]],
                pool.capacity,
                [getattr(pool.stats, figure) for figure in figures],
            )
            for name, pool in self.pools.items()
        }


class PoolingGame(RuleBasedStateMachine):
    """Plays the same game in the three worlds."""

    def __init__(self) -> None:
        super().__init__()
        self.naive, self.bare, self.observed = World(), World(Actor), World(ObservedActor)
        self.worlds = self.naive, self.bare, self.observed
        self.hooks: Counter[tuple[str, Key]] = Counter()

    def make(self, call: Call) -> None:
        """Make a call in each world; compare what it answered or raised, and the hooks it ran."""
        outcomes = []
        for world in self.worlds:
            try:
                outcome: object = call.make(world.system)
            except Exception as error:  # noqa: BLE001 - whatever it is, all worlds must agree
                outcome = sorted(leaves(error))
            # Of handles, whether their lives last.
            outcomes.append((outcome, list(map(bool, world.system.handles))))
        assert outcomes[0] == outcomes[1] == outcomes[2]
        assert self.naive.trace == self.bare.trace == self.observed.trace
        assert self.naive.reasons == self.observed.reasons
        self.hooks.update(self.naive.trace)
        for world in self.worlds:
            world.trace.clear()
            world.reasons.clear()

    @initialize(
        counts=st.lists(st.integers(1, 4), min_size=4, max_size=4),
        plans=st.lists(plans, min_size=8, max_size=20),
        ends=st.integers(0, 6),
        listens=st.sampled_from([False, False, True]),
    )
    def populate(self, counts: list[int], plans: list[Plan], ends: int, *, listens: bool) -> None:
        """Begin with some alive and some at rest, or hardly any game would get far."""
        for world in self.worlds if listens else ():
            world.listen()
        for spec, count in zip(specs(), counts, strict=True):
            for _ in range(min(count, spec.limit or count)):
                self.make(Call("spawn", spec.name, 0))
        for key in self.lived()[::2][:ends]:
            self.make(Call("despawn", "", 0, key))
        self.plan(plans)

    def lived(self) -> list[Key]:
        return [key for key, one in self.naive.system.instances.items() if one.life]

    @rule(plans=st.lists(plans, min_size=1, max_size=4))
    def plan(self, plans: list[Plan]) -> None:
        """Have the next hooks of some prefabs do something."""
        for hook, owner, calls in plans:
            for world in self.worlds:
                world.plans.setdefault((hook, owner), []).append(calls)

    @rule(call=calls, data=st.data(), alive=st.sampled_from([True, True, True, False]))
    def call(self, call: Call, data: st.DataObject, *, alive: bool) -> None:
        keys = self.lived()
        if alive:
            keys = [key for key in keys if self.naive.system.is_spawned(key)] or keys
        self.make(call._replace(key=data.draw(st.sampled_from(keys), label="instance")))

    @invariant()
    def worlds_agree(self) -> None:
        naive, bare, observed = (world.system for world in self.worlds)
        assert naive.state(FIGURES) == bare.state(FIGURES) == observed.state(FIGURES)
        for key, one in naive.instances.items():
            for system in (bare, observed):
                assert system.real.is_spawned(system.instances[key]) == one.alive
            lives = self.hooks["spawned", key] - self.hooks["despawned", key]
            assert lives == one.alive + one.lives_left
            assert self.hooks["awake", key] <= 1 + one.lives_left
            for whose in ("pool", "system"):  # told of both, or of neither
                heard = [
                    self.hooks[f"{whose}.{event}", key] for event in ("on_spawn", "on_despawn")
                ]
                assert 0 <= heard[0] - heard[1] <= one.alive + one.lives_left
            assert self.hooks["destroyed", key] <= self.hooks["awake", key]

    @invariant()
    def counts_are_right(self) -> None:
        for world in (self.bare, self.observed):
            assert_counts(world.system.real)
            context = world.system.real._context
            for pool in context.pools:
                assert context.dirty_pools.count(pool) == pool._is_dirty
                assert pool.settings.limit is None or pool.active_count <= pool.settings.limit


class Fleeting(IPoolableComponent):
    """Ends its life as it begins."""

    def spawned(self, end: Callable[[object], object]) -> None:
        end(self)


def test_what_has_ended_its_life_in_its_hook_is_discarded_there_all_the_same(
    system: PoolingSystem,
) -> None:
    over: list[Any] = [system.despawn, system.discard]
    system.spawn(Fleeting, end=lambda one: over.extend([end(one) for end in over]))
    assert over[2:] == [True, False]
    assert system.pool(Fleeting).capacity == 0


class Unwakable(IPoolableComponent):
    """Fails as it is taken for its first life."""

    def awake(self) -> None:
        message = "it never wakes"
        raise RuntimeError(message)


def test_any_game_is_played_as_by_the_naive_model_observed_or_not() -> None:
    with traced_states() as seen:
        play(PoolingGame, 90, 30)
        for end in ("despawn", "discard", "detach"):  # which hooks do too rarely to rely on
            system = PoolingSystem()
            system.spawn(Fleeting, end=getattr(system, end))
        asleep = Prefab(Unwakable, settings=PoolSettings(prespawn=1), awake_on_first_spawn=True)
        with pytest.raises(RuntimeError, match="never wakes"):
            PoolingSystem().spawn(asleep)
    assert {(before, after) for before in TRANSITIONS for after in TRANSITIONS[before]} <= seen
