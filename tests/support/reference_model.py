"""What pooling means, in lists and flags and with no thought of speed: the model of the tests."""

from __future__ import annotations

import contextlib
import operator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from measuring import MOST, few_measured
from poolkit import NotManagedError, PoolError, PoolExhaustedError
from poolkit.core.record import Record
from poolkit.core.states import TRANSITIONS, State
from recorder import demand, raising

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

LISTENERS = ("pool.on_spawn", "system.on_spawn", "pool.on_despawn", "system.on_despawn")
"""Who is told of lives in all systems that are to listen, in this order."""

Key = tuple[str, int]
"""A prefab's name and the number of an instance of it, in the order they were built."""


def do_all(acts: Iterable[Callable[[], object]]) -> None:
    """Do one after the other, and raise together what they raise."""
    errors: list[Exception] = []
    for act in acts:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - hooks raise what they like
            errors.append(error)
    if errors:
        message = "together"
        raise ExceptionGroup(message, errors)


@dataclass(eq=False)
class Instance:
    key: Key
    pool: Pool
    life: int = 0
    alive: bool = False
    beginning: bool = False
    announced: int = 0  # to so many listeners
    has_scope: bool = False
    awoken: bool = False
    new: bool = False
    doomed: bool = False
    destroyed: bool = False
    detached: bool = False
    lives_left: int = 0  # that it was taken out of pooling in
    holds: int = 0
    persistent: bool | None = None
    parent: Instance | None = None
    children: list[Instance] = field(default_factory=list)
    undo: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Pool:
    name: str
    limit: int | None = None
    prespawn: int = 0
    grow_by: int = 1
    max_idle: int | None = None
    lifo: bool = False
    pooling: bool = True
    persistent: bool = False
    awake_on_first_spawn: bool = False
    prespawned: bool = False
    built: int = 0
    everything: list[Instance] = field(default_factory=list)
    active: list[Instance] = field(default_factory=list)
    inactive: list[Instance] = field(default_factory=list)
    awaiting: list[Instance] = field(default_factory=list)
    figures: dict[str, int] = field(default_factory=dict)

    def count(self, what: str, by: int = 1) -> None:
        self.figures[what] = self.figures.get(what, 0) + by

    @property
    def capacity(self) -> int:
        return len(self.everything)

    @property
    def may_rest_more(self) -> bool:
        """Whether another one may rest."""
        resting = len(self.inactive) + len(self.awaiting)
        return self.max_idle is None or resting < self.max_idle

    def demand_room(self, for_lives: int = 1) -> None:
        if self.limit is not None and len(self.active) + for_lives > self.limit:
            self.count("refused")
            raise PoolExhaustedError

    @property
    def surplus(self) -> int:
        """How many too many there are, among those that are not alive."""
        idle = self.capacity - len(self.active)
        return 0 if self.max_idle is None else max(0, idle - self.max_idle)


class NaiveHandle(NamedTuple):
    """One life of an instance."""

    system: NaiveSystem
    one: Instance
    life: int

    def __bool__(self) -> bool:
        return self.one.alive and self.one.life == self.life

    def despawn(self, reason: str = "DESPAWNED") -> bool:
        return bool(self) and self.system.end(self.one, reason)


class NaiveSystem:
    """A pooling system whose prefabs are names, and whose instances are keys."""

    def __init__(self, pools: Iterable[Pool], world: Any) -> None:
        self.pools = {pool.name: pool for pool in pools}
        self.known: list[Pool] = []  # in order of first use: a reset forgets those that are empty
        self.instances: dict[Key, Instance] = {}
        self.handles: list[NaiveHandle] = []
        self.world = world
        self.listens = False
        self.pooling = True
        self.next_update = False
        self.hooks_running = 0
        self.resetting = False
        self.now = 0
        self.timers: list[tuple[int, NaiveHandle]] = []
        for pool in self.pools.values():
            self.first_use(pool)

    # -- what can be asked --

    def active(self, name: str) -> list[Key]:
        return [one.key for one in self.pools[name].active]

    def state(self, figures: Iterable[str]) -> dict[str, object]:
        return {
            pool.name: (
                self.active(pool.name),
                [one.key for one in pool.inactive],
                pool.capacity,
                [pool.figures.get(figure, 0) for figure in figures],
            )
            for pool in self.pools.values()
        }

    def is_spawned(self, key: Key) -> bool:
        return self.instances[key].alive

    def handle(self, key: Key) -> NaiveHandle:
        return self.handle_of(self.managed(key))

    def handle_of(self, one: Instance) -> NaiveHandle:
        return NaiveHandle(self, one, one.life)

    # -- making and destroying --

    def pooled(self, pool: Pool) -> bool:
        return self.pooling and pool.pooling

    def run(self, hook: str, one: Instance) -> None:
        self.hooks_running += 1
        try:
            self.world.on_hook(hook, one.key)
        finally:
            self.hooks_running -= 1

    def know(self, name: str) -> Pool:
        pool = self.pools[name]
        if pool not in self.known:
            self.known.append(pool)
        return pool

    def first_use(self, pool: Pool) -> None:
        if not pool.prespawned:
            self.prespawn(pool.name, 0)

    def prespawn(self, name: str, count: int) -> int:
        pool = self.know(name)
        if not pool.prespawned:
            pool.prespawned = True
            try:
                return self.increase(pool, max(count, pool.prespawn) - self.inactive_count(pool))
            except Exception:
                pool.prespawned = False  # the next use tries again
                raise
        return self.increase(pool, count - self.inactive_count(pool))

    def inactive_count(self, pool: Pool) -> int:
        return pool.capacity - len(pool.active)

    def increase(self, pool: Pool, count: int) -> int:
        made = 0
        while made < count and self.pooled(pool) and pool.may_rest_more:
            one = self.make(pool, wake=not pool.awake_on_first_spawn)
            if not pool.may_rest_more:
                self.destroy(one)
                break
            pool.inactive.append(one)
            made += 1
        return made

    def build(self, pool: Pool) -> Instance:
        pool.built += 1
        one = Instance((pool.name, pool.built), pool)
        self.instances[one.key] = one
        return one

    def make(self, pool: Pool, *, wake: bool, built: Instance | None = None) -> Instance:
        one = built or self.build(pool)
        if wake:
            self.wake(one)
        pool.everything.append(one)
        pool.count("created")
        return one

    def wake(self, one: Instance) -> None:
        if not one.awoken:
            try:
                self.run("awake", one)
            except BaseException:
                one.destroyed = True
                raise
            one.awoken = True

    def destroy(self, one: Instance) -> None:
        one.destroyed = True
        one.pool.everything.remove(one)
        one.pool.count("destroyed")
        if one.awoken:
            self.run("destroyed", one)

    def ends_of_resting(self, pool: Pool) -> Iterator[Callable[[], object]]:
        for _ in range(len(pool.inactive) + len(pool.awaiting)):
            queue = pool.inactive or pool.awaiting
            if queue:
                yield partial(self.destroy, queue.pop(0))
        queued = {id(one) for one in (*pool.inactive, *pool.awaiting)}  # hooks have brought them
        for one in pool.everything:
            one.doomed |= not (one.alive or id(one) in queued)

    def may_rest(self, one: Instance) -> bool:
        return not one.doomed and not one.pool.surplus

    def rest(self, one: Instance) -> None:
        if one.holds or one.destroyed or one.detached:
            return
        if not (self.may_rest(one) and self.pooled(one.pool)):
            self.destroy(one)
        else:
            (one.pool.awaiting if self.next_update else one.pool.inactive).append(one)

    def releases(self) -> Iterator[Callable[[], object]]:
        for pool in self.known:
            waiting, pool.awaiting = pool.awaiting, []
            for one in waiting:
                yield partial(self.destroy if one.doomed else pool.inactive.append, one)

    def put_back(self, one: Instance) -> None:
        """Return one whose life did not begin."""
        if self.may_rest(one) and self.pooled(one.pool) and one.awoken:
            one.new = False
            one.pool.inactive.insert(len(one.pool.inactive) if one.pool.lifo else 0, one)
        else:
            with contextlib.suppress(Exception):
                self.destroy(one)

    # -- a life begins --

    def spawn(self, name: str, parent: Key | None = None, *, persistent: bool | None = None) -> Key:
        pool = self.know(name)
        above = None if parent is None else self.living(parent)
        self.first_use(pool)
        one = self.take_or_make(pool)
        self.begin(one, above, persistent)
        return one.key

    def spawn_many(
        self, name: str, positions: Collection[object], *, parent: Key | None = None
    ) -> list[Key]:
        pool = self.know(name)
        if parent is not None:
            self.living(parent)
        if positions:
            self.first_use(pool)
            pool.demand_room(len(positions))
        begun: list[NaiveHandle] = []
        try:
            for _ in positions:
                one = self.instances[self.spawn(name, parent)]
                begun.append(self.handle_of(one))
        except Exception as error:  # noqa: BLE001 - raised again below, with what follows
            do_all([raising(error), *(partial(handle.despawn, "FAILED") for handle in begun)])
        return [handle.one.key for handle in begun]

    def living(self, key: Key) -> Instance:
        one = self.managed(key)
        if not one.alive:
            raise PoolError
        return one

    def managed(self, key: Key) -> Instance:
        one = self.instances[key]
        if one.destroyed or one.detached:
            raise NotManagedError
        return one

    def take_or_make(self, pool: Pool) -> Instance:
        """Return an instance for a new life. Hooks may take the room, or what was made for it."""
        made: Instance | None = None
        while True:
            try:
                pool.demand_room()
            except PoolExhaustedError:
                if made is not None and made in pool.inactive:
                    pool.inactive.remove(made)
                    self.put_back(made)
                raise
            if pool.inactive:
                break
            made = self.make_late(pool)
        one = pool.inactive.pop(-1 if pool.lifo else 0)
        try:
            if not one.awoken:
                self.wake(one)
                pool.demand_room()
        except Exception:
            self.put_back(one)
            raise
        return one

    def make_late(self, pool: Pool) -> Instance:
        one = self.make(pool, wake=True)
        one.new = True
        pool.count("late")
        try:
            pool.count("late", self.increase(pool, pool.grow_by - 1))
        except Exception:
            self.put_back(one)
            raise
        pool.inactive.insert(len(pool.inactive) if pool.lifo else 0, one)
        return one

    def begin(self, one: Instance, above: Instance | None, persistent: bool | None) -> None:  # noqa: FBT001 - as it is handed on
        pool = one.pool
        if above is not None and not above.alive:
            self.put_back(one)
            raise NotManagedError if above.destroyed or above.detached else PoolError
        pool.count("spawned")
        pool.count("reused", not one.new)
        one.new = False
        one.life += 1
        one.alive = one.beginning = one.has_scope = True
        one.persistent = persistent
        pool.active.append(one)
        pool.figures["peak_active"] = max(pool.figures.get("peak_active", 0), len(pool.active))
        if above is not None:
            one.parent = above
            above.children.append(one)
        try:
            self.run("spawned", one)
            for listener in LISTENERS[:2] if self.listens else ():
                if one.alive:
                    one.announced += 1
                    self.run(listener, one)
        except Exception as error:  # noqa: BLE001 - hooks raise what they like
            one.doomed = True
            is_over = not (one.beginning and one.alive)
            one.holds -= is_over
            one.beginning = False
            after = partial(self.rest, one) if is_over else partial(self.end, one, "FAILED")
            do_all([raising(error), after])
        one.beginning = False
        if not one.alive:
            one.holds -= 1
            self.rest(one)

    # -- a life ends --

    def end(self, one: Instance, reason: str = "DESPAWNED") -> bool:
        if not one.alive:
            return False
        told = LISTENERS[2 : 2 + one.announced]
        self.leave(one)
        one.holds += 1
        one.pool.count("despawned")

        failed: list[str] = []

        def hook(name: str) -> None:
            try:
                self.run(name, one)
            except Exception:
                failed.append(name)
                raise

        def last_hook() -> None:
            self.world.on_reason(one.key, reason)
            try:
                hook("despawned")
            finally:
                one.doomed |= bool(failed)

        def rest() -> None:
            one.holds -= 1
            self.rest(one)

        heard = [partial(hook, listener) for listener in told]
        do_all([*heard, last_hook, partial(self.forget_life, one, children_end=True), rest])
        return True

    def leave(self, one: Instance) -> None:
        one.alive = False
        one.holds += one.beginning
        one.beginning = False
        one.announced = 0
        one.pool.active.remove(one)

    def forget_life(self, one: Instance, *, children_end: bool) -> None:
        while one.undo:
            self.world.on_undo(one.key, one.undo.pop())
        one.has_scope = False
        children = [child for child in reversed(one.children) if child.parent is one]
        if not children_end:
            for child in children:
                child.parent = None
        try:
            do_all(partial(self.end, child, "PARENT") for child in children if child.parent is one)
        finally:
            one.children.clear()
            one.persistent = None
            if one.parent is not None:
                if one in one.parent.children:
                    one.parent.children.remove(one)
                one.parent = None

    def despawn(self, key: Key) -> bool:
        return not self.instances[key].destroyed and self.end(self.managed(key))

    def discard(self, key: Key) -> bool:
        one = self.instances[key]
        one.doomed |= one.alive or one.holds > 0  # alive, or its hooks are running
        return self.despawn(key)

    def despawn_where(self, predicate: Callable[[Key], bool], name: str | None) -> int:
        pools = self.known if name is None else [self.pools[name]]
        lives = [self.handle_of(one) for pool in pools for one in pool.active]
        considered = [each for each in lives if each and predicate(each.one.key)]
        chosen = [each for each in considered if each]
        do_all(each.despawn for each in chosen)
        return len(chosen)

    def detach(self, key: Key) -> None:
        one = self.living(key)
        self.leave(one)
        one.detached = True
        one.lives_left += 1
        one.pool.everything.remove(one)
        one.pool.count("destroyed")
        self.forget_life(one, children_end=False)

    def adopt(self, name: str) -> Key:
        self.first_use(self.know(name))
        return self.take_in(self.build(self.pools[name]))

    def promote(self, key: Key, name: str) -> Key:
        self.detach(key)
        pool = self.pools[name]
        self.first_use(pool)
        return self.take_in(Instance(key, pool, lives_left=self.instances[key].lives_left))

    def take_in(self, one: Instance) -> Key:
        pool = one.pool
        pool.demand_room()
        self.instances[one.key] = one
        self.wake(one)
        try:
            pool.demand_room()
        except PoolExhaustedError as error:
            one.destroyed = True
            do_all([raising(error), partial(self.run, "destroyed", one)])
        self.make(pool, wake=False, built=one)
        one.new = True
        self.begin(one, None, None)
        self.decrease(pool.name, pool.surplus, include_active=False)
        return one.key

    def decrease(self, name: str, count: int, *, include_active: bool) -> int:
        pool = self.pools[name]
        done = 0

        def ends() -> Iterator[Callable[[], object]]:
            nonlocal done
            while done < count and (queue := pool.inactive or pool.awaiting):
                done += 1
                yield partial(self.destroy, queue.pop(0))
            left = [one for one in pool.everything if not (one.alive or one.doomed)]
            chosen = left[: count - done]
            if include_active:
                chosen += pool.active[: count - done - len(chosen)]
            done += len(chosen)
            for one in chosen:
                one.doomed = True
            for one in chosen:
                yield partial(self.end, one, "DISPOSED")

        do_all(ends())
        return done

    def clear(self, name: str) -> int:
        pool = self.pools[name]
        before = pool.figures.get("destroyed", 0)
        do_all(self.ends_of_everything([pool], "DISPOSED"))
        return pool.figures.get("destroyed", 0) - before

    def trim(self, name: str, keep: int) -> int:
        pool = self.pools[name]
        surplus = max(0, self.inactive_count(pool) - keep)
        return self.decrease(name, surplus, include_active=False)

    def in_scope(self, key: Key) -> Instance:
        one = self.managed(key)
        if not one.has_scope:
            raise PoolError
        return one

    def callback(self, key: Key, text: str) -> None:
        self.in_scope(key).undo.append(text)

    # -- scenes and time --

    def is_persistent(self, one: Instance) -> bool:
        if one.parent is not None:
            return self.is_persistent(one.parent)
        return one.pool.persistent if one.persistent is None else one.persistent

    def ends_of_everything(
        self, pools: Collection[Pool], reason: str
    ) -> Iterator[Callable[[], object]]:
        is_reset = reason == "RESET"

        def lives() -> list[Instance]:
            everyone = [one for pool in pools for one in pool.active]
            return [one for one in everyone if not (is_reset and self.is_persistent(one))]

        for _ in range(8):
            emptied = [pool for pool in pools if not (is_reset and pool.persistent)]
            for one in sorted(lives(), key=lambda one: one.parent is not None):  # roots first
                yield partial(self.end, one, reason)
            for pool in emptied:
                yield from self.ends_of_resting(pool)
            emptied = [pool for pool in pools if not (is_reset and pool.persistent)]
            resting = any(pool.inactive or pool.awaiting for pool in emptied)
            if not lives() and not resting:
                return
        yield raising(PoolError())

    def reset(self) -> None:
        if self.hooks_running or self.resetting:
            raise PoolError
        self.resetting = True
        try:
            do_all(self.ends_of_everything(self.known, "RESET"))
        finally:
            self.resetting = False
            for pool in self.known:
                pool.figures = {"created": len(pool.everything), "peak_active": len(pool.active)}
                pool.prespawned = False
            self.known = [pool for pool in self.known if pool.capacity]

    def configure(self, *, pooling: bool | None = None, reuse: str | None = None) -> None:
        if reuse is not None:
            self.next_update = reuse == "next_update"
            if not self.next_update:
                do_all(self.releases())
        if pooling is not None:
            self.pooling = pooling
            emptied = () if pooling else list(self.known)
            do_all(end for pool in emptied for end in self.ends_of_resting(pool))

    def despawn_after(self, key: Key, seconds: int) -> None:
        self.timers.append((self.now + seconds, self.handle_of(self.in_scope(key))))

    def update(self, dt: int) -> None:
        def ends() -> Iterator[Callable[[], object]]:
            yield from self.releases()
            self.now += dt
            while due := [timer for timer in self.timers if timer[0] <= self.now]:
                first = min(due, key=operator.itemgetter(0))
                self.timers.remove(first)
                yield first[1].despawn

        do_all(ends())


def play(machine: type[RuleBasedStateMachine], examples: int, steps: int, **options: Any) -> None:
    """Play a model's game, of so many steps, so many times."""
    options |= {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
    chosen = settings(max_examples=min(examples, MOST), stateful_step_count=steps, **options)
    with few_measured() as begin:

        class Measured(machine):  # type: ignore[misc, valid-type]
            def __init__(self) -> None:
                begin()
                super().__init__()

        run_state_machine_as_test(Measured, settings=chosen)


def errors_in(error: BaseException) -> Iterator[BaseException]:
    """Yield what went wrong, whatever the nesting of groups."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from errors_in(one)
    else:
        yield error


def leaves(error: BaseException) -> Iterator[str]:
    """Yield what went wrong, one text for each error, whatever the nesting."""
    for one in errors_in(error):
        yield str(one) if isinstance(one, RuntimeError) else type(one).__name__


@contextlib.contextmanager
def traced_states() -> Iterator[set[tuple[State | None, State]]]:
    """Yield the transitions of states inside the block; raise at the end if one is wrong."""
    slots: Any = Record
    slot = slots.state
    seen: set[tuple[State | None, State]] = set()

    def write(record: Any, after: State) -> None:
        try:
            before = slot.__get__(record)
        except AttributeError:  # it is new
            before = None
        seen.add((before, after))
        slot.__set__(record, after)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "state", property(slot.__get__, write))
        yield seen
    for before, after in seen:
        allowed = {State.INACTIVE} if before is None else TRANSITIONS[before]
        demand(after in allowed, f"{before and before.name} to {after.name}")
