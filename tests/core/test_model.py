"""Random sequences, re-entrant and failing hooks among them, against a naive model.

Every step is done in three worlds: by the naive model, by a pooling system on its quick paths, and
by one that is kept off them. Hooks, answers, errors, counts and the order of reuse must agree.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from poolkit import Handle, IPoolableComponent, PoolingSystem, PoolSettings, Prefab, PrefabPool
from poolkit.core.record import TRANSITIONS
from recorder import assert_counts
from reference_model import Key, NaiveSystem, Pool, leaves, traced_states

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import DespawnReason


class Spec(NamedTuple):
    """A prefab of the game that is played."""

    name: str
    limit: int | None = None
    prespawn: int = 0
    grow_by: int = 1
    lifo: bool = False
    pooling: bool = True
    persistent: bool = False
    awake_on_first_spawn: bool = False


SPECS = (
    Spec("orc", limit=4, grow_by=3),
    Spec("imp", grow_by=2),
    Spec("fake", pooling=False, limit=3),
    Spec("hero", persistent=True, prespawn=2, lifo=True, awake_on_first_spawn=True),
)
FIGURES = ["created", "destroyed", "spawned", "despawned", "reused", "late", "refused"]
FIGURES += ["peak_active"]
HOOKS = ("awake", "spawned", "despawned", "destroyed")

names = st.sampled_from([spec.name for spec in SPECS])


class Act(NamedTuple):
    """What a hook is to do the next time it runs, once."""

    verb: str
    name: str


VERBS = ["raise", "end itself", "end another", "end all", "spawn", "spawn child"]
VERBS += ["spawn many", "adopt", "detach", "discard", "clear", "shrink", "prespawn", "reset"]
VERBS += ["use scope"]

acts = st.builds(Act, st.sampled_from(VERBS), names)

Plan = tuple[str, str, Act]
plans = st.tuples(st.sampled_from(HOOKS), names, acts)


def _despawn(key: Key, world: World) -> object:
    return world.system.despawn(key)


class World:
    """One of the three: what was planned for its hooks, and what they have noted."""

    def __init__(self) -> None:
        self.trace: list[tuple[str, Key]] = []
        self.reasons: list[tuple[Key, str]] = []
        self.plans: dict[tuple[str, str], list[Act]] = {}
        self.handles: list[Any] = []
        self.system: Any = None

    def on_hook(self, hook: str, key: Key) -> None:
        self.trace.append((hook, key))
        plan = self.plans.get((hook, key[0]))
        if plan:
            self.act(plan.pop(0), hook, key)

    def on_reason(self, key: Key, reason: str) -> None:
        self.reasons.append((key, reason))

    def on_undo(self, key: Key, text: str) -> None:
        self.trace.append((text, key))

    def act(self, act: Act, hook: str, key: Key) -> None:
        system, name = self.system, act.name
        if act.verb == "raise":
            message = f"{hook} of {key}"
            raise RuntimeError(message)
        acts: dict[str, Callable[[], object]] = {
            "end itself": lambda: system.despawn(key),
            "end another": lambda: system.despawn(next(iter(self.active(name)), key)),
            "end all": lambda: system.despawn_where(lambda _: True, name),
            "spawn": lambda: system.spawn(name, None, persistent=None),
            "spawn child": lambda: system.spawn(name, key, persistent=None),
            "spawn many": lambda: system.spawn_many(name, 2, None),
            "adopt": lambda: system.adopt(name),
            "detach": lambda: system.detach(key),
            "discard": lambda: system.discard(key),
            "clear": lambda: system.clear(name),
            "shrink": lambda: system.decrease(name, 2, include_active=True),
            "prespawn": lambda: system.prespawn(name, 2),
            "reset": system.reset,
            "use scope": lambda: system.callback(key, f"undone in {hook}"),
        }
        acts[act.verb]()

    def active(self, name: str) -> list[Key]:
        raise NotImplementedError


class NaiveWorld(World):
    def __init__(self) -> None:
        super().__init__()
        self.system: NaiveSystem = NaiveSystem(
            [Pool(**spec._asdict()) for spec in SPECS], self.on_hook
        )
        self.system.on_undo = self.on_undo
        self.system.on_reason = self.on_reason

    def active(self, name: str) -> list[Key]:
        return [one.key for one in self.system.pools[name].active]

    def state(self) -> dict[str, object]:
        return {
            pool.name: (
                self.active(pool.name),
                [one.key for one in pool.inactive],
                len(pool.active) + self.system.inactive_count(pool),
                [pool.figures.get(figure, 0) for figure in FIGURES],
            )
            for pool in self.system.pools.values()
        }

    def is_spawned(self, key: Key) -> bool:
        return self.system.instances[key].alive

    def take_handle(self, key: Key) -> None:
        self.handles.append((key, self.system.managed(key).life))

    def handle_lasts(self, number: int) -> bool:
        key, life = self.handles[number]
        one = self.system.instances[key]
        return one.alive and one.life == life

    def despawn_by_handle(self, number: int) -> bool:
        return self.handle_lasts(number) and self.system.despawn(self.handles[number][0])


class Actor(IPoolableComponent):
    """Tells its world of its hooks."""

    def __init__(self, world: World, key: Key) -> None:
        self.world = world
        self.key = key

    def awake(self) -> None:
        self.world.on_hook("awake", self.key)

    def spawned(self) -> None:
        self.world.on_hook("spawned", self.key)

    def despawned(self) -> None:
        self.world.on_hook("despawned", self.key)

    def destroyed(self) -> None:
        self.world.on_hook("destroyed", self.key)


class PlainActor(Actor):
    """Names built-in data in its hooks, so that neither end of its life takes a quick path."""

    def spawned(self, position: object) -> None:  # type: ignore[override]
        assert position == (0, 0)
        super().spawned()

    def despawned(self, reason: DespawnReason) -> None:  # type: ignore[override]
        self.world.on_reason(self.key, reason.name)
        super().despawned()


class Adapter:
    """Lets a real pooling system be called as the naive one is, with keys for instances."""

    def __init__(self, world: World, kind: type[Actor]) -> None:
        self.real = PoolingSystem()
        self.real.configure(reuse="at_once")  # as the naive one begins
        self.world = world
        self.kind = kind
        self.instances: dict[Key, Actor] = {}
        self.built: Counter[str] = Counter()
        self.prefabs: dict[str, Prefab[Actor]] = {}
        self.pools: dict[str, PrefabPool[Actor]] = {}
        for spec in SPECS:
            pool_settings = PoolSettings(
                limit=spec.limit,
                prespawn=spec.prespawn,
                grow_by=spec.grow_by,
                order="lifo" if spec.lifo else "fifo",
            )
            prefab = self.prefabs[spec.name] = Prefab(
                self.factory(spec.name),
                name=spec.name,
                settings=pool_settings,
                pooling=spec.pooling,
                persistent=spec.persistent,
                awake_on_first_spawn=spec.awake_on_first_spawn,
                groups=() if kind is Actor else tuple,  # asked at each spawn: never quick
            )
            pool = self.pools[spec.name] = self.real.pool(prefab)
            if kind is not Actor:
                pool.on_despawn(lambda _: None)  # told of each end: never fast

    def factory(self, name: str) -> Callable[[], Actor]:
        def build() -> Actor:
            self.built[name] += 1
            key = name, self.built[name]
            one = self.instances[key] = self.kind(self.world, key)
            return one

        return build

    def spawn(self, name: str, parent: Key | None, *, persistent: bool | None) -> Key:
        above = None if parent is None else self.instances[parent]
        if above is None and persistent is None:
            return self.real.spawn(self.prefabs[name]).key
        return self.real.spawn(self.prefabs[name], parent=above, persistent=persistent).key

    def spawn_many(self, name: str, count: int, parent: Key | None) -> list[Key]:
        above = None if parent is None else self.instances[parent]
        made = self.real.spawn_many(self.prefabs[name], [(0, 0)] * count, parent=above)
        return [one.key for one in made]

    def despawn(self, key: Key) -> bool:
        return self.real.despawn(self.instances[key])

    def despawn_where(self, predicate: Callable[[Key], bool], name: str | None) -> int:
        return self.real.despawn_where(lambda one: predicate(one.key), name)

    def despawn_after(self, key: Key, seconds: int) -> None:
        self.real.despawn_after(self.instances[key], seconds)

    def detach(self, key: Key) -> None:
        self.real.detach(self.instances[key])

    def discard(self, key: Key) -> bool:
        return self.real.discard(self.instances[key])

    def adopt(self, name: str) -> Key:
        self.real.pool(self.prefabs[name])
        one = self.factory(name)()
        self.real.adopt(self.prefabs[name], one)
        return one.key

    def decrease(self, name: str, count: int, *, include_active: bool) -> int:
        return self.pools[name].decrease_capacity(count, include_active=include_active)

    def trim(self, name: str, keep: int) -> int:
        return self.pools[name].trim(keep)

    def clear(self, name: str) -> int:
        return self.pools[name].clear()

    def prespawn(self, name: str, count: int) -> int:
        return self.real.prespawn(self.prefabs[name], count)

    def callback(self, key: Key, text: str) -> None:
        scope = self.real.scope(self.instances[key])
        scope.callback(lambda: self.world.on_undo(key, text))

    def reset(self) -> None:
        self.real.reset()

    def configure_pooling(self, *, pooling: bool) -> None:
        self.real.configure(pooling=pooling)

    def update(self, dt: int) -> None:
        self.real.update(dt)


class RealWorld(World):
    def __init__(self, kind: type[Actor]) -> None:
        super().__init__()
        self.system: Adapter = Adapter(self, kind)

    def active(self, name: str) -> list[Key]:
        return [one.key for one in self.system.pools[name].active]

    def state(self) -> dict[str, object]:
        return {
            name: (
                self.active(name),
                [data.instance.key for data in pool._inactive],
                pool.capacity,
                [getattr(pool.stats, figure) for figure in FIGURES],
            )
            for name, pool in self.system.pools.items()
        }

    def is_spawned(self, key: Key) -> bool:
        return self.system.real.is_spawned(self.system.instances[key])

    def take_handle(self, key: Key) -> None:
        handle: Handle[Actor] = self.system.real.handle(self.system.instances[key])
        self.handles.append(handle)

    def handle_lasts(self, number: int) -> bool:
        handle: Handle[Actor] = self.handles[number]
        assert (handle.get() is not None) == bool(handle)
        return bool(handle)

    def despawn_by_handle(self, number: int) -> bool:
        handle: Handle[Actor] = self.handles[number]
        return handle.despawn()


class PoolingGame(RuleBasedStateMachine):
    """Plays the same game in the three worlds."""

    def __init__(self) -> None:
        super().__init__()
        self.naive = NaiveWorld()
        self.quick = RealWorld(Actor)
        self.plain = RealWorld(PlainActor)
        self.worlds: tuple[World, ...] = (self.naive, self.quick, self.plain)
        self.hooks: Counter[tuple[str, Key]] = Counter()

    def step(self, do: Callable[[Any], object]) -> None:
        """Do something in each world; compare what it answered or raised, and the hooks it ran."""
        outcomes = []
        for world in self.worlds:
            try:
                outcome: object = do(world)
            except Exception as error:  # noqa: BLE001 - whatever it is, all worlds must agree
                outcome = sorted(leaves(error))
            outcomes.append(outcome)
        assert outcomes[0] == outcomes[1] == outcomes[2]
        assert self.naive.trace == self.quick.trace == self.plain.trace
        assert self.naive.reasons == self.plain.reasons
        self.hooks.update(self.naive.trace)
        for world in self.worlds:
            world.trace.clear()
            world.reasons.clear()

    def lived(self) -> list[Key]:
        return [key for key, one in self.naive.system.instances.items() if one.life]

    def a_life(self, data: st.DataObject) -> Key:
        return data.draw(st.sampled_from(self.lived()), label="instance")

    def a_parent(self, data: st.DataObject) -> Key | None:
        lived = self.lived()
        if not lived or data.draw(st.booleans(), label="at the root"):
            return None
        alive = [key for key in lived if self.naive.is_spawned(key)]
        if alive and data.draw(st.sampled_from([True, True, True, False]), label="alive"):
            lived = alive
        return data.draw(st.sampled_from(lived), label="parent")

    @initialize(
        counts=st.lists(st.integers(0, 4), min_size=4, max_size=4),
        plans=st.lists(plans, min_size=10, max_size=30),
        ends=st.integers(0, 6),
    )
    def populate(self, counts: list[int], plans: list[Plan], ends: int) -> None:
        """Begin with some alive and some at rest, or hardly any game would get far."""
        for spec, count in zip(SPECS, counts, strict=True):
            self.spawn_plainly_many(spec.name, min(count, spec.limit or count))
        for key in self.lived()[::2][:ends]:
            self.step(functools.partial(_despawn, key))
        self.plan(plans)

    def spawn_plainly_many(self, name: str, count: int) -> None:
        for _ in range(count):
            self.step(lambda world: world.system.spawn(name, None, persistent=None))

    @rule(plans=st.lists(plans, min_size=1, max_size=6))
    def plan(self, plans: list[Plan]) -> None:
        """Have the next hooks of some prefabs do something."""
        for hook, owner, act in plans:
            if act.verb not in {"use scope", "discard"} or hook in {"spawned", "despawned"}:
                for world in self.worlds:
                    world.plans.setdefault((hook, owner), []).append(act)

    @rule(name=names, data=st.data(), persistent=st.sampled_from([None, None, True, False]))
    def spawn(self, name: str, data: st.DataObject, persistent: bool | None) -> None:  # noqa: FBT001 - Hypothesis passes it
        parent = self.a_parent(data)
        self.step(lambda world: world.system.spawn(name, parent, persistent=persistent))

    @rule(name=names)
    def spawn_plainly(self, name: str) -> None:
        self.step(lambda world: world.system.spawn(name, None, persistent=None))

    @rule(name=names, count=st.integers(0, 5), data=st.data())
    def spawn_many(self, name: str, count: int, data: st.DataObject) -> None:
        parent = self.a_parent(data)
        self.step(lambda world: world.system.spawn_many(name, count, parent))

    @precondition(lambda self: self.lived())
    @rule(data=st.data())
    def despawn(self, data: st.DataObject) -> None:
        key = self.a_life(data)
        self.step(lambda world: world.system.despawn(key))

    @precondition(lambda self: self.lived())
    @rule(data=st.data(), seconds=st.integers(0, 3))
    def despawn_after(self, data: st.DataObject, seconds: int) -> None:
        key = self.a_life(data)
        self.step(lambda world: world.system.despawn_after(key, seconds))

    @rule(name=st.none() | names, divisor=st.integers(1, 3), meddles=st.booleans())
    def despawn_where(self, name: str | None, divisor: int, *, meddles: bool) -> None:
        def chosen(world: Any, key: Key) -> bool:
            if meddles and world.is_spawned(key):  # a later life is never touched
                world.system.despawn(key)
                world.system.spawn(key[0], None, persistent=None)
            return key[1] % divisor == 0

        self.step(lambda w: w.system.despawn_where(functools.partial(chosen, w), name))

    @precondition(lambda self: self.lived())
    @rule(data=st.data())
    def take_handle(self, data: st.DataObject) -> None:
        key = self.a_life(data)
        self.step(lambda world: world.take_handle(key))

    @precondition(lambda self: self.naive.handles)
    @rule(data=st.data())
    def despawn_by_handle(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, len(self.naive.handles) - 1), label="handle")
        self.step(lambda world: world.despawn_by_handle(number))

    @rule(name=names, count=st.integers(0, 4))
    def prespawn(self, name: str, count: int) -> None:
        self.step(lambda world: world.system.prespawn(name, count))

    @rule(name=names)
    def adopt(self, name: str) -> None:
        self.step(lambda world: world.system.adopt(name))

    @precondition(lambda self: self.lived())
    @rule(data=st.data())
    def detach(self, data: st.DataObject) -> None:
        key = self.a_life(data)
        self.step(lambda world: world.system.detach(key))

    @precondition(lambda self: self.lived())
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        key = self.a_life(data)
        self.step(lambda world: world.system.discard(key))

    @precondition(lambda self: any(map(self.naive.is_spawned, self.lived())))
    @rule(data=st.data())
    def use_scope(self, data: st.DataObject) -> None:
        alive = [key for key in self.lived() if self.naive.is_spawned(key)]
        key = data.draw(st.sampled_from(alive), label="instance")
        self.step(lambda world: world.system.callback(key, "undone"))

    @rule(name=names, count=st.integers(0, 3), include_active=st.booleans())
    def decrease(self, name: str, count: int, *, include_active: bool) -> None:
        self.step(lambda w: w.system.decrease(name, count, include_active=include_active))

    @rule(name=names, keep=st.integers(0, 2))
    def trim(self, name: str, keep: int) -> None:
        self.step(lambda world: world.system.trim(name, keep))

    @rule(name=names)
    def clear(self, name: str) -> None:
        self.step(lambda world: world.system.clear(name))

    @rule()
    def reset(self) -> None:
        self.step(lambda world: world.system.reset())

    @rule(pooling=st.booleans())
    def configure_pooling(self, *, pooling: bool) -> None:
        self.step(lambda world: world.system.configure_pooling(pooling=pooling))

    @rule(late=st.booleans())
    def configure_reuse(self, *, late: bool) -> None:
        self.naive.system.next_update = late
        if not late:
            self.naive.system.release([])
        for world in (self.quick, self.plain):
            world.system.real.configure(reuse="next_update" if late else "at_once")

    @rule(dt=st.integers(0, 2))
    def update(self, dt: int) -> None:
        self.step(lambda world: world.system.update(dt))

    @invariant()
    def worlds_agree(self) -> None:
        state = self.naive.state()
        assert state == self.quick.state()
        assert state == self.plain.state()
        for key, one in self.naive.system.instances.items():
            alive = one.alive
            assert self.quick.is_spawned(key) == self.plain.is_spawned(key) == alive
            lives = self.hooks["spawned", key] - self.hooks["despawned", key]
            assert lives == alive or (one.detached and lives == 1)
            assert self.hooks["awake", key] <= 1 + one.detached
            assert self.hooks["destroyed", key] <= self.hooks["awake", key]
        for number in range(len(self.naive.handles)):
            lasts = self.naive.handle_lasts(number)
            assert self.quick.handle_lasts(number) == self.plain.handle_lasts(number) == lasts

    @invariant()
    def counts_are_right(self) -> None:
        for world in (self.quick, self.plain):
            assert_counts(world.system.real)
            for pool in world.system.pools.values():
                active = list(map(id, pool.active))
                assert len(set(active)) == len(active)


def test_f06_f08_f10_g03_p16_any_game_is_played_as_by_the_naive_model_on_both_paths() -> None:
    with traced_states() as seen:
        run_state_machine_as_test(
            PoolingGame,
            settings=settings(
                max_examples=90,
                stateful_step_count=30,
                derandomize=True,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    assert {(before, after) for before in TRANSITIONS for after in TRANSITIONS[before]} <= seen


def test_the_worlds_of_the_model_take_different_paths() -> None:
    quick, plain = RealWorld(Actor).system, RealWorld(PlainActor).system
    assert quick.pools["orc"]._is_fast
    assert quick.pools["orc"]._ends_fast
    for pool in plain.pools.values():
        assert not pool._is_fast
        assert not pool._ends_fast
