"""The pooling system: two maps, from prefab to pool and from instance to record, and the calls."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, overload
from weakref import WeakValueDictionary

from poolkit.core.building import Progress, prewarming
from poolkit.core.context import SystemContext
from poolkit.core.ending import end, end_everything, end_where, let_go
from poolkit.core.errors import ErrorCollector, PoolError, PoolExhaustedError, PrefabError
from poolkit.core.handle import Handle
from poolkit.core.hooks import DespawnReason, listen
from poolkit.core.pool import ORIGIN, PrefabPool, pools_at_work
from poolkit.core.prefab import resolved
from poolkit.core.record import DETACHED, Record
from poolkit.core.seams import step_guards
from poolkit.core.settings import checked_count
from poolkit.core.statistics import SceneReport

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from typing_extensions import TypeVar

    from poolkit.core.context import Reuse
    from poolkit.core.pool import Pool
    from poolkit.core.prefab import Prefab
    from poolkit.core.scope import Scope

    T = TypeVar("T", default=Any)  # the default: what a name makes is anybody's guess
    # What names a prefab: itself, a class or function (each wrapped once), or a registered name.
    AnyPrefab = Prefab[T] | Callable[[], T] | str


class PoolingSystem:
    """Spawns instances of prefabs and takes them back; finds the pool of either in O(1).

    A game needs one, and has it: `PrefabPoolingSystem`, or `pools` for short. Make others for
    tests, servers, and several worlds in one process.

    Examples:
        >>> class Spark: ...
        >>> system = PoolingSystem()
        >>> spark = system.spawn(Spark)
        >>> system.despawn(spark), system.despawn(spark)
        (True, False)
        >>> system.spawn(Spark) is spark
        True
    """

    def __init__(self) -> None:
        # The two maps. Prefabs, and the classes, functions and names that stand for one, to their
        # pool; and instances, by id for they need not be hashable, to their record.
        self._pools: dict[object, PrefabPool[Any]] = {}
        self._records: dict[int, Record[Any]] = {}
        self._context = SystemContext(self._records)
        # Prefabs by name and by factory; and pools that a reset forgot, by their prefabs' id. Only
        # as long as somebody holds them: they are still valid.
        self._prefabs: WeakValueDictionary[object, Prefab[Any]] = WeakValueDictionary()
        self._former: WeakValueDictionary[int, PrefabPool[Any]] = WeakValueDictionary()
        self._reset_hooks: dict[object, Callable[..., object]] = {}
        self._past: list[SceneReport] | None = None  # the scenes that are reported at exit
        self._scene_began = 0.0
        self._resetting = False

    # -- lives --------------------------------------------------------------------------------

    if TYPE_CHECKING:  # what the options are, for checkers and editors

        @overload
        def spawn(
            self,
            prefab: str,
            position: Iterable[float] = ORIGIN,
            rotation: float = 0.0,
            **options: Any,
        ) -> Any: ...
        @overload
        def spawn(
            self,
            prefab: Prefab[T] | Callable[[], T],
            position: Iterable[float] = ORIGIN,
            rotation: float = 0.0,
            *,
            parent: Any = None,
            groups: Iterable[Any] = (),
            persistent: bool | None = None,
            reclaimable: bool = True,
            **data: Any,
        ) -> T: ...

    def spawn(
        self,
        prefab: Any,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        # Named options would be filled in at every call: gathered, the everyday call is quick.
        **options: Any,
    ) -> Any:
        """Begin a life: the first inactive instance of the prefab, or a new one, put into play.

        Args:
            prefab: A `Prefab`, a class or function, or a registered name.
            position: Where, in pixels, as ``(x, y)``: of a sprite's `anchor`.
            rotation: In degrees, counter-clockwise on screen.
            **options: ``parent``: an active instance to move with (unless by a body), and die with.
                ``groups``: groups to join for this life, besides those of the prefab.
                ``persistent``: whether this life survives a reset (default: the prefab's say).
                ``reclaimable``: whether a full pool may end this life to make room.
                All else is data for the `spawned` hooks that name it.

        Returns:
            The instance. Where its own `spawned` hooks ended its life at once, it is inactive.

        Raises:
            PrefabError: `prefab` is none, or its factory fails to build a new instance.
            PoolExhaustedError: The pool is at its limit and its policy refuses.
            PoolError: The parent's life is over, or the system was disposed of.
            NotManagedError: The parent is managed by no pool of this system.
            TypeError: No hook names some of the data, or one requires what is missing; the
                position is no pair of numbers.
            ValueError: The position or rotation is not finite.
        """
        try:
            pool = self._pools[prefab]
        except (KeyError, TypeError):
            pool = self._pool_of(prefab)
        return pool._begin(position, rotation, options)

    def try_spawn(
        self,
        prefab: AnyPrefab[T],
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> T | None:
        """Begin a life as `spawn` does, or return `None` where the pool's policy refuses."""
        try:
            return self.spawn(prefab, position, rotation, **options)
        except PoolExhaustedError as error:
            if error.is_passed_on:
                raise
            return None

    def spawn_many(
        self,
        prefab: AnyPrefab[T],
        positions: Iterable[Iterable[float]],
        rotation: float = 0.0,
        **options: Any,
    ) -> list[T]:
        """Begin a life at each position, in order; see `spawn` for the options.

        All or none: where the pool refuses, nothing was spawned; where a hook raises, those
        already spawned are despawned.
        """
        return self._pool_of(prefab)._begin_fully(positions, rotation, options)

    def despawn(self, instance: object) -> bool:
        """End the life of `instance`: back to its pool. `False` if it is over already.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them ran; it is destroyed then.
        """
        try:
            record = instance._pool_record  # type: ignore[attr-defined]
            is_ours = record.instance is instance and record.pool._context is self._context
        except AttributeError:
            is_ours = False
        if not is_ours:
            context = self._context
            record = None if context.closed else context.require_unless_gone(instance)
            if record is None:
                return False
        return end(record)

    def discard(self, instance: object) -> bool:
        """End the life of `instance` and destroy it, instead of reusing it. `False` if it is over.

        May be called from inside its own hooks, too: it is destroyed when they have run.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them ran.
        """
        context = self._context
        record = None if context.closed else context.require_unless_gone(instance)
        if record is None:
            return False
        record.doom_if_alive()
        return end(record)

    def despawn_after(self, instance: object, seconds: float) -> Callable[[], object]:
        """End the present life of `instance` in `seconds` of `update`, and never a later one.

        Returns:
            A function that calls it off.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not alive.
            ValueError: `seconds` is negative or not finite.
        """
        record = self._context.require(instance)
        self._context.tell_called("despawn_after()", record.label)
        return record.open_scope().after(seconds, lambda: end(record))

    def despawn_where(
        self, predicate: Callable[[Any], object], prefab: AnyPrefab | None = None
    ) -> int:
        """End every life, of `prefab` or at all, whose instance meets `predicate`.

        Each life that was active at the call is considered once, before any is ended; a later
        life never.

        Returns:
            How many it ended, those that their parents or hooks took along included.

        Raises:
            BaseException: What `predicate` raised, with nothing ended; what hooks raised, when all
                is done.
        """
        if prefab is None:
            return end_where(self.all_pools(), predicate)
        pool = self._pools.get(resolved(prefab, self._prefabs))
        return 0 if pool is None else end_where((pool,), predicate)

    def despawn_all(self, prefab: AnyPrefab | None = None) -> int:
        """End every life, of `prefab` or at all, persistent ones too; return how many."""
        return self.despawn_where(lambda _: True, prefab)

    # -- making beforehand, and taking over ---------------------------------------------------

    def prespawn(self, prefab: AnyPrefab, count: int | None = None) -> int:
        """Make the pool hold at least `count` inactive instances; return how many were made.

        Args:
            prefab: What to make.
            count: How many; default: the `prespawn` of its settings.

        Raises:
            ValueError: `count` is negative.
        """
        return self._pool_of(prefab).prespawn(count)

    def prewarm(
        self, counts: Mapping[Any, int], budget_ms: float = 4.0
    ) -> Generator[Progress, None, None]:
        """Prespawn over several frames, as from a loading screen.

        Args:
            counts: How many inactive instances there shall be of each prefab.
            budget_ms: Milliseconds a frame to spend, at least one instance being made in each.

        Returns:
            An iterator to advance once a frame; it yields the `Progress`. Closing it cancels.

        Raises:
            TypeError: `counts` does not map prefabs to whole numbers.
            ValueError: A count or the budget is negative.
        """
        if not isinstance(counts, Mapping):
            message = f"prewarm() takes a mapping such as {{orc: 20}}, not {counts!r}"
            raise TypeError(message)
        wanted: dict[Pool[Any], int] = {}
        for prefab, count in counts.items():
            pool = self._pool_of(prefab)  # a name and its prefab are one pool
            wanted[pool] = max(wanted.get(pool, 0), checked_count(count, "a count to prewarm"))
        if not budget_ms >= 0:
            message = f"budget_ms must be 0 or more milliseconds, not {budget_ms!r}"
            raise ValueError(message)
        return prewarming(wanted, budget_ms)

    def adopt(self, prefab: AnyPrefab[T], instance: T) -> None:
        """Manage an instance that the game built itself: active from now on, as if spawned.

        Its `awake` and `spawned` hooks run; nothing moves; the groups it is in become its home
        groups, which it leaves at despawn and rejoins at its next spawn.

        Raises:
            PrefabError: It is managed already.
        """
        self.pool(prefab)._take_in(instance)

    def detach(self, instance: object) -> None:
        """Take an active instance out of pooling for good, alive.

        Its scope ends and its handles go false; no hook runs; its groups and its body stay.
        What was spawned under it lives on without it.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not active.
        """
        record = self._context.require(instance)
        self._context.tell_called("detach()", record.label)
        let_go(self._context.require_active(instance))

    # -- looking up ---------------------------------------------------------------------------

    def is_spawned(self, instance: object) -> bool:
        """Return whether `instance` is alive in this system now. Any object may be asked about."""
        record = self._context.find(instance)
        return record is not None and record.active and record.instance is instance

    def handle(self, instance: T) -> Handle[T]:
        """Return a weak handle to the present life of `instance`: false already if it is over.

        Raises:
            NotManagedError: This system does not manage it.
        """
        record = self._context.require(instance)
        return Handle(record, record.generation)

    def scope(self, instance: object) -> Scope:
        """Return the `Scope` of the present life of `instance`.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not alive.
        """
        return self._context.require(instance).open_scope()

    def register(self, prefab: Prefab[T]) -> Prefab[T]:
        """Make a prefab known, by its name too, and prespawn what its settings say; return it.

        Raises:
            PrefabError: Another prefab has its name.
        """
        pool = self.pool(prefab)
        if prefab.is_named and prefab.name not in self._prefabs:  # it was withdrawn
            self._admit(pool)
        return pool.prefab

    def pool(self, prefab: AnyPrefab[T]) -> PrefabPool[T]:
        """Return the pool of a prefab, made at its first use.

        Raises:
            PrefabError: `prefab` is none.
        """
        pool = self._pool_of(prefab)
        pool._ensure_prespawned()
        return pool

    def all_pools(self) -> tuple[PrefabPool[Any], ...]:
        """Return all pools, in order of first use."""
        return tuple(self._context.pools)  # type: ignore[arg-type]  # of prefabs, all of them

    # -- frames -------------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: timers, delayed despawns, trimming. Call it once a frame.

        What was despawned before it may be handed out again from now on.

        Raises:
            ValueError: `dt` is negative or not finite.
            BaseException: What timers raised, after all that was due was done.
        """
        self._context.update(dt)

    def report(self) -> SceneReport:
        """Return the figures since the last reset."""
        self._context.clock.tell_of_timers()
        return self._report()

    def _report(self) -> SceneReport:
        seconds = self._context.clock.now - self._scene_began
        reports = [pool._report() for pool in self.all_pools()]
        reports += [crowd._report() for crowd in self._context.crowds.values()]
        return SceneReport(seconds, tuple(reports), self._context.scene)

    def configure(
        self,
        *,
        pooling: bool | None = None,
        reuse: Reuse | None = None,
        report_at_exit: bool | None = None,
    ) -> None:
        """Change switches; what is not named stays as it is.

        Args:
            pooling: `False` builds and destroys an instance for each life, to compare; what is at
                rest is destroyed. The capacity calls only count then.
            reuse: ``"next_update"`` keeps what is despawned in a frame from being handed out
                before the next `update`; the default once a system is updated. ``"at_once"`` lets
                the very next spawn have it; the default of a system that is never updated.
            report_at_exit: Whether the reports of all scenes from now on are printed when the
                process ends.

        Raises:
            ValueError: `reuse` is none of the two.
        """
        if reuse not in {None, "at_once", "next_update"}:
            message = f"reuse must be 'at_once' or 'next_update', not {reuse!r}"
            raise ValueError(message)
        context, errors = self._context, ErrorCollector()
        if reuse is not None:
            context.reuse = reuse
        if report_at_exit is not None:
            atexit.unregister(self._print_reports)
            self._past = (self._past or []) if report_at_exit else None
            if report_at_exit:
                atexit.register(self._print_reports)
        if pooling is not None:
            context.pooling = bool(pooling)
        context.retune()
        if reuse == "at_once":  # what waited need not wait any longer
            context.pass_frame()
        for pool in () if pooling is None else self.all_pools():
            if not context.pooling:
                pool._destroy_resting(errors)
            elif pool._is_pooling:
                pool._phantoms = pool._phantoms_waiting = 0  # no more to be compared with
        errors.raise_all("destroying what was at rest")

    # -- scenes -------------------------------------------------------------------------------

    def reset(self) -> SceneReport:
        """End every life that is not persistent, and destroy what is pooled: the scene is over.

        Hooks run. What is empty afterwards is forgotten: a prefab that nothing else holds is freed
        with its scene, and its name may be taken by another. For whoever still holds a `Prefab` or
        a `PrefabPool` it stays valid, with the settings that were assigned. Of persistent prefabs
        what rests stays, too. Safe to call twice.

        Returns:
            The figures of the scene, as it ended.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when the reset is complete.
        """
        return self._end_scene("reset()", DespawnReason.RESET, keep_persistent=True)

    def dispose(self) -> SceneReport:
        """Reset, persistent instances included, for good: a later spawn is refused.

        Everything is forgotten. A later despawn is ignored.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when all is done.
        """
        return self._end_scene("dispose()", DespawnReason.DISPOSED, keep_persistent=False)

    def on_spawn(self, fn: Callable[[Any], object]) -> Callable[[], None]:
        """Call `fn` with each instance of any pool after its `spawned` hooks, as a pool's own does.

        Returns:
            A function that takes it off again.

        Raises:
            TypeError: It can't be called.
        """
        return listen(self._context.on_spawn, fn, self._context.retune)

    def on_despawn(self, fn: Callable[[Any], object]) -> Callable[[], None]:
        """Call `fn` with each instance of any pool before its `despawned` hooks.

        Returns:
            A function that takes it off again.

        Raises:
            TypeError: It can't be called.
        """
        return listen(self._context.on_despawn, fn, self._context.retune)

    def on_reset(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` whenever a reset is done; the function returned removes it.

        Raises:
            TypeError: It can't be called.
        """
        return listen(self._reset_hooks, fn)

    def _refuse_if_busy(self, what: str) -> None:
        """Refuse what can't be done inside a hook or a physics step."""
        self._context.tell_called(what, "the pools")
        inside = ""
        if any(guard.is_stepping for guard in step_guards):
            inside = "a physics step"
        elif self._resetting:
            inside = "a reset"
        elif any(pool._context is self._context for pool in pools_at_work()) or any(
            crowd._is_busy for crowd in self._context.crowds.values()
        ):
            inside = "a hook"
        if inside:
            message = (
                f"{what} was called inside {inside}: note the wish, "
                "and do it in your game loop, between two frames"
            )
            raise PoolError(message)

    def _end_scene(self, what: str, reason: DespawnReason, *, keep_persistent: bool) -> SceneReport:
        self._refuse_if_busy(what)
        report = self._report()
        context, errors = self._context, ErrorCollector()
        self._resetting = True
        try:
            self._repair(errors)
            end_everything(self.all_pools, reason, errors, keep_persistent=keep_persistent)
            context.closed |= not keep_persistent
            for crowd in context.crowds.values():
                errors.call(crowd._end_scene)
            for pool in self.all_pools():
                pool._begin_scene()
            gone = [pool for pool in self.all_pools() if context.closed or not pool.capacity]
            self._forget(*gone)
            if context.closed:
                self._prefabs.clear()
            context.plans.clear()  # they hold the hooks of classes that may be gone
            self._scene_began = context.clock.now
            if self._past is not None:
                self._past.append(report)
            for watcher in list(context.time_watchers):
                errors.call(watcher.scene_ended, report)
            for hook in list(self._reset_hooks.values()):
                errors.call(hook)
        finally:
            self._resetting = False
        errors.raise_all(f"{what} is complete, but hooks raised")
        return report

    def _repair(self, errors: ErrorCollector) -> None:
        """Make right what an interrupt, as by Ctrl-C, has left undone."""
        for pool in self.all_pools():
            pool._repair(errors)
        for key, record in list(self._records.items()):
            if record not in record.pool._records:  # it was being made, or given up
                del self._records[key]
                if record.state is DETACHED and record.instance is not None:
                    record.close_scope(errors)
                    errors.call(record.unparent)
                    errors.call(record.let_go)

    def _print_reports(self) -> None:
        for report in (*(self._past or ()), self.report()):
            if report.pools:
                print(report)  # noqa: T201 - asked for by configure(report_at_exit=True)

    def __repr__(self) -> str:
        """Return ``<PoolingSystem(num_pools=4, num_active=12)>``."""
        pools = self.all_pools()
        active = sum(pool.active_count for pool in pools)
        return f"<{type(self).__name__}(num_pools={len(pools)}, num_active={active})>"

    # -- from what is said to the pool that has it --------------------------------------------

    def _pool_of(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        found = resolved(prefab, self._prefabs)
        pool = self._pools.get(found)
        if pool is None:
            pool = self._former.get(id(found)) or PrefabPool(found, self)
            if self._context.closed:  # it is known to nobody, and refuses
                return pool
            self._admit(pool)
            for watcher in self._context.time_watchers:
                watcher.pool_begun(pool)
        if prefab is not found:
            self._pools[prefab] = pool  # what stands for a prefab stands for its pool from now on
        return pool

    def _holder_of_name(self, prefab: Prefab[Any]) -> PrefabPool[Any] | None:
        """Return the pool of another prefab of that name, which lies idle."""
        other = self._prefabs.get(prefab.name) if prefab.is_named else None
        theirs = None if other is prefab else self._pools.get(other)
        if theirs is not None and (theirs.capacity or theirs in pools_at_work()):
            message = (
                f"there is another prefab named {prefab.name!r} in this system, with "
                f"{theirs.capacity} instances: give one of them another name, or make it "
                "once and share it"
            )
            raise PrefabError(message)
        return theirs

    def _withdraw_name(self, prefab: Prefab[Any]) -> None:
        """Let a prefab be known by its name no longer: a file that defined it does not any more."""
        if self._prefabs.get(prefab.name) is prefab:
            del self._prefabs[prefab.name]
            self._pools.pop(prefab.name, None)

    def _admit(self, pool: PrefabPool[Any]) -> None:
        """Let a pool be known, and its prefab by a name: it takes over one that lies idle."""
        prefab = pool.prefab
        theirs = self._holder_of_name(prefab)
        if theirs is not None:
            self._forget(theirs)
        if prefab.is_named:
            self._prefabs[prefab.name] = prefab
        self._pools[prefab] = pool
        self._context.pools[pool] = None

    def _forget(self, *pools: PrefabPool[Any]) -> None:
        """Let go of empty pools: what nobody else holds is freed."""
        gone = set(pools)
        self._pools = {key: pool for key, pool in self._pools.items() if pool not in gone}
        for pool in pools:
            pool._use_later()
            pool._builder.number = 0  # else it would tell whether the collector had freed the pool
            context = self._context
            for those in (context.pools, context.trimming, context.growing):
                those.pop(pool, None)
            if pool._is_stirred:
                context.stirred.remove(pool)
                while pool._pass_frame():  # until it is still
                    pass
            self._former[id(pool.prefab)] = pool


PrefabPoolingSystem: Final = PoolingSystem()
"""The process's default pooling system, reachable from anywhere; `pools` for short."""

pools: Final = PrefabPoolingSystem
