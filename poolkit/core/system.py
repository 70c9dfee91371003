"""The pooling system: two maps, from prefab to pool and from instance to record, and the calls."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, overload
from weakref import WeakValueDictionary

from poolkit.core.building import Progress, prewarming
from poolkit.core.context import SystemContext
from poolkit.core.ending import Handle, detach, discard, end, end_everything, end_where
from poolkit.core.errors import ErrorCollector, PoolExhaustedError, PrefabError
from poolkit.core.hooks import DespawnReason, listen
from poolkit.core.pool import ORIGIN, PrefabPool
from poolkit.core.prefab import resolved
from poolkit.core.saving import never_saved
from poolkit.core.seams import worlds
from poolkit.core.settings import checked_count
from poolkit.core.statistics import SceneReport

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from typing_extensions import TypeVar

    from poolkit.core.context import Reuse
    from poolkit.core.pool import Pool
    from poolkit.core.prefab import Prefab
    from poolkit.core.record import Record
    from poolkit.core.scope import Scope

    T = TypeVar("T", default=Any)  # what a name makes is unknown
    # What names a prefab: itself, a class or function (each wrapped once), or a registered name.
    AnyPrefab = Prefab[T] | Callable[[], T] | str


class PrefabRegistry:
    """Finds the pool of a prefab, by whatever names it.

    Attributes:
        pools: The pools by prefab, and by the classes, functions and names that stand for one.
        prefabs: The prefabs by name and by factory, as long as anybody holds them.
    """

    def __init__(self, system: PoolingSystem, context: SystemContext) -> None:
        self.pools: dict[object, PrefabPool[Any]] = {}
        self.prefabs: WeakValueDictionary[object, Prefab[Any]] = WeakValueDictionary()
        # Pools that a reset forgot, by their prefabs' id: they are still valid.
        self._former: WeakValueDictionary[int, PrefabPool[Any]] = WeakValueDictionary()
        self._system = system
        self._context = context

    def pool_of(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        """Return the pool of a prefab, made at its first use."""
        found = resolved(prefab, self.prefabs)
        pool = self.pools.get(found)
        if pool is None:
            pool = self._former.get(id(found)) or PrefabPool(found, self._system)
            if self._context.closed:  # nothing knows it, and it refuses
                return pool
            self.add_pool(pool)
            for watcher in self._context.time_watchers:
                watcher.on_pool_added(pool)
        if prefab is not found:
            self.pools[prefab] = pool
        return pool

    def make_known(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        """Return the pool of a prefab, which is known by its name again if that was withdrawn."""
        pool = self.pool_of(prefab)
        if pool.prefab.is_named and pool.prefab.name not in self.prefabs:
            self.add_pool(pool)
        return pool

    def holder_of_name(self, prefab: Prefab[Any]) -> PrefabPool[Any] | None:
        """Return the pool of another prefab of that name; refuse if something of it lives."""
        other = self.prefabs.get(prefab.name) if prefab.is_named else None
        theirs = None if other is prefab else self.pools.get(other)
        if theirs is None:
            return None
        if not theirs.active_count:  # a watcher may keep what is over from rest
            self._context.notify_call("clear()", theirs.name)
        num_in_use = theirs.capacity - theirs._num_inactive  # alive, or still in a step
        if num_in_use or theirs in self._context.pools_running_hooks():
            message = (
                f"there is another prefab named {prefab.name!r} in this system, with "
                f"{num_in_use} instances in use: give one of them another name, make it once and "
                "share it, or despawn these first"
            )
            raise PrefabError(message)
        return theirs

    def withdraw_name(self, prefab: Prefab[Any]) -> None:
        """Forget the name of a prefab, which its file no longer defines."""
        if self.prefabs.get(prefab.name) is prefab:
            del self.prefabs[prefab.name]
            self.pools.pop(prefab.name, None)

    def add_pool(self, pool: PrefabPool[Any]) -> None:
        """Add a pool, and the name of its prefab, which may have been one of which nothing lives.

        What rests of that one is destroyed.
        """
        prefab = pool.prefab
        theirs = self.holder_of_name(prefab)
        if theirs is not None:
            theirs.clear()
            self.forget(theirs)
        if prefab.is_named:
            self.prefabs[prefab.name] = prefab
        self.pools[prefab] = pool
        self._context.pools[pool] = None
        pool._on_change()  # switches and listeners may have changed while it was forgotten

    def forget(self, *pools: PrefabPool[Any]) -> None:
        """Forget empty pools; what nobody else holds is freed."""
        gone = set(pools)
        for key in [key for key, pool in self.pools.items() if pool in gone]:
            del self.pools[key]
        for pool in pools:
            pool._unregister()
            self._former[id(pool.prefab)] = pool


@never_saved
class PoolingSystem:
    """Spawns instances of prefabs and takes them back.

    A game has one already: `PrefabPoolingSystem`, or `pools` for short. Make others for tests,
    servers, and several worlds in one process.

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
        context = self._context = SystemContext()
        registry = self._registry = context.registry = PrefabRegistry(self, context)
        self._pools: dict[object, PrefabPool[Any]] = registry.pools  # by prefab
        self._records: dict[int, Record[Any]] = context.records  # by the `id` of the instance
        self._reset_hooks: dict[object, Callable[..., object]] = {}
        self._past: list[SceneReport] | None = None  # the scenes to report at exit
        self._scene_began = 0.0

    # -- lives --------------------------------------------------------------------------------

    if TYPE_CHECKING:  # what the options are

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
        # Gathered, because filling in the defaults of named options would slow down every call.
        **options: Any,
    ) -> Any:
        """Begin a life: put the first inactive instance of the prefab, or a new one, into play.

        Args:
            prefab: A `Prefab`, a class or function, or a registered name.
            position: Where, in pixels, as ``(x, y)``: the place of a sprite's `anchor`.
            rotation: In degrees, counter-clockwise on screen.
            **options: ``parent``: an active instance to move with (unless by a body) and to die
                with. ``groups``: groups to join for this life, besides the prefab's.
                ``persistent``: whether this life survives a reset (default: as the prefab says).
                ``reclaimable``: whether a full pool may end this life to make room.
                Anything else is data for the `spawned` hooks that name it.

        Returns:
            The instance; it is inactive if its own `spawned` hooks ended its life.

        Raises:
            PrefabError: `prefab` isn't one, or its factory fails to build a new instance.
            PoolExhaustedError: The pool is at its limit and its policy refuses.
            PoolError: The parent's life is over, or the system was disposed of.
            NotManagedError: This system doesn't manage the parent.
            TypeError: No hook names some of the data, or a hook requires data that is missing, or
                the position isn't a pair of numbers.
            ValueError: The position or rotation isn't finite.
        """
        try:
            pool = self._pools[prefab]
        except (KeyError, TypeError):
            pool = self._registry.pool_of(prefab)
        return pool._spawn(position, rotation, options)

    def try_spawn(
        self,
        prefab: AnyPrefab[T],
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> T | None:
        """Begin a life as `spawn` does, or return `None` if the pool's policy refuses."""
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

        All or none: if the pool refuses, it spawns nothing; if a hook raises, those already
        spawned are despawned.
        """
        return self._registry.pool_of(prefab)._spawn_many(positions, rotation, options)

    def despawn(self, instance: object) -> bool:
        """End the life of `instance`, which goes back to its pool; `False` if it is over already.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them have run; it is destroyed then.
        """
        try:
            record = instance._pool_record  # type: ignore[attr-defined]
            is_ours = record.instance is instance and record.pool._context is self._context
        except AttributeError:
            is_ours = False
        if not is_ours:
            context = self._context
            record = None if context.closed else context.require_or_none(instance)
            if record is None:
                return False
        return end(record)

    def discard(self, instance: object) -> bool:
        """End the life of `instance` and destroy it; `False` if it is over already.

        Its own hooks may call this too: it is destroyed after they have run.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them have run.
        """
        return not self._context.closed and discard(self._context, instance)

    def despawn_after(self, instance: object, seconds: float) -> Callable[[], object]:
        """End the present life of `instance`, but not a later one, after `seconds` of `update`.

        Returns:
            A function that cancels it.

        Raises:
            NotManagedError: This system doesn't manage it.
            PoolError: It isn't alive.
            ValueError: `seconds` is negative or not finite.
        """
        record = self._context.require(instance)
        self._context.notify_call("despawn_after()", record.label)
        return record.open_scope().after(seconds, lambda: end(record))

    def despawn_where(
        self, predicate: Callable[[Any], object], prefab: AnyPrefab | None = None
    ) -> int:
        """End every life, of `prefab` or of all, whose instance meets `predicate`.

        The predicate is asked about each present life once, before any ends, and never about a
        later life.

        Returns:
            How many of these lives have ended, by their parents and hooks too.

        Raises:
            BaseException: What `predicate` raised, with nothing ended; or what hooks raised, after
                everything is done.
        """
        if prefab is None:
            return end_where(self.all_pools(), predicate)
        pool = self._pools.get(resolved(prefab, self._registry.prefabs))
        return 0 if pool is None else end_where((pool,), predicate)

    def despawn_all(self, prefab: AnyPrefab | None = None) -> int:
        """End every life, of `prefab` or of all, persistent ones too; return how many."""
        return self.despawn_where(lambda _: True, prefab)

    # -- making beforehand, adopting, detaching -----------------------------------------------

    def prespawn(self, prefab: AnyPrefab, count: int | None = None) -> int:
        """Make the pool hold at least `count` inactive instances; return how many were made.

        The default is the `prespawn` of its settings.

        Raises:
            ValueError: `count` is negative.
        """
        return self._registry.pool_of(prefab).prespawn(count)

    def prewarm(
        self, counts: Mapping[Any, int], budget_ms: float = 4.0
    ) -> Generator[Progress, None, None]:
        """Prespawn over several frames, as behind a loading screen.

        Args:
            counts: How many inactive instances of each prefab there should be.
            budget_ms: Milliseconds to spend in each frame; it makes at least one instance.

        Returns:
            An iterator to advance once a frame. It yields `Progress`; closing it cancels.

        Raises:
            TypeError: `counts` doesn't map prefabs to whole numbers.
            ValueError: A count or the budget is negative.
        """
        if not isinstance(counts, Mapping):
            message = f"prewarm() takes a mapping such as {{orc: 20}}, not {counts!r}"
            raise TypeError(message)
        wanted: dict[Pool[Any], int] = {}
        for prefab, count in counts.items():
            pool = self._registry.pool_of(prefab)  # a name and its prefab have one pool
            wanted[pool] = max(wanted.get(pool, 0), checked_count(count, "a count to prewarm"))
        if not budget_ms >= 0:
            message = f"budget_ms must be 0 or more milliseconds, not {budget_ms!r}"
            raise ValueError(message)
        return prewarming(wanted, budget_ms)

    def adopt(self, prefab: AnyPrefab[T], instance: T) -> None:
        """Manage an instance that the game built: active from now on, as if spawned.

        Its `awake` and `spawned` hooks run, and nothing moves. It leaves the groups that it is in
        at its despawn, and joins them again at its next spawn.

        Raises:
            PrefabError: It is managed already.
        """
        self.pool(prefab)._adopt(instance)

    def detach(self, instance: object) -> None:
        """Take an active instance out of pooling for good, alive.

        Its scope ends and its handles become false, but no hook runs, and it keeps its groups and
        its body. Its children live on without it.

        Raises:
            NotManagedError: This system doesn't manage it.
            PoolError: It isn't active.
        """
        record = self._context.require(instance)
        self._context.notify_call("detach()", record.label)
        detach(self._context.require_active(instance))

    # -- looking up ---------------------------------------------------------------------------

    def is_spawned(self, instance: object) -> bool:
        """Return whether `instance`, which may be any object, is alive in this system."""
        record = self._context.find(instance)
        return record is not None and record.active and record.instance is instance

    def handle(self, instance: T) -> Handle[T]:
        """Return a handle to the present life of `instance`; it is false if that is over.

        Raises:
            NotManagedError: This system doesn't manage it.
        """
        record = self._context.require(instance)
        return Handle(record, record.life)

    def scope(self, instance: object) -> Scope:
        """Return the `Scope` of the present life of `instance`.

        Raises:
            NotManagedError: This system doesn't manage it.
            PoolError: It isn't alive.
        """
        return self._context.require(instance).open_scope()

    def register(self, prefab: Prefab[T]) -> Prefab[T]:
        """Make a prefab known by its name, and prespawn what its settings say; return it.

        Raises:
            PrefabError: Something of another prefab of its name lives.
        """
        pool = self._registry.make_known(prefab)
        pool._ensure_prespawned()
        return pool.prefab

    def pool(self, prefab: AnyPrefab[T]) -> PrefabPool[T]:
        """Return the pool of a prefab, made at its first use.

        Raises:
            PrefabError: `prefab` isn't one.
        """
        pool = self._registry.pool_of(prefab)
        pool._ensure_prespawned()
        return pool

    def all_pools(self) -> tuple[PrefabPool[Any], ...]:
        """Return all pools, in order of first use."""
        return tuple(self._context.pools)  # type: ignore[arg-type]  # only an `ObjectPool` has others

    # -- frames -------------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass, for timers, delayed despawns and trimming. Call it once a frame.

        Instances that were despawned before may be reused from now on.

        Raises:
            ValueError: `dt` is negative, not finite, or more than a day.
            BaseException: What timers raised, after everything that was due.
        """
        self._context.update(dt)

    def report(self) -> SceneReport:
        """Return the figures since the last reset."""
        self._context.clock.warn_of_timers()
        return self._report()

    def _report(self) -> SceneReport:
        seconds = self._context.clock.total - self._scene_began
        reports = [pool._report() for pool in self.all_pools()]
        reports += [swarm._report() for swarm in self._context.swarms.values()]
        return SceneReport(seconds, tuple(reports), self._context.scene)

    def configure(
        self,
        *,
        pooling: bool | None = None,
        reuse: Reuse | None = None,
        report_at_exit: bool | None = None,
    ) -> None:
        """Change switches; what isn't given stays as it is.

        Args:
            pooling: `False` builds and destroys an instance for each life, to compare. Instances
                at rest are destroyed, and the capacity calls make nothing.
            reuse: ``"next_update"`` reuses an instance only after the next `update`; this is the
                default of a system that is updated. ``"at_once"`` lets the very next spawn have
                it; this is the default of a system that is never updated.
            report_at_exit: Whether to print the reports of all scenes from now on when the process
                ends.

        Raises:
            ValueError: `reuse` is neither of the two.
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
        context.notify_pools()
        if reuse == "at_once":
            context.tick_dirty_pools()  # nothing needs to wait any longer
        for pool in self.all_pools() if pooling is False else ():
            pool._destroy_inactive(errors)
        errors.raise_all("destroying what was at rest")

    # -- scenes -------------------------------------------------------------------------------

    def reset(self) -> SceneReport:
        """End every life that isn't persistent, and destroy all instances at rest.

        Hooks run. The system forgets pools that are empty then: prefabs that you don't hold are
        freed. A `Prefab` or `PrefabPool` that you hold
        stays valid, with its assigned settings. Persistent prefabs keep their inactive instances.
        You can call this twice.

        Returns:
            The figures of the scene that has ended.

        Raises:
            PoolError: It is called inside a hook or a physics step, or hooks keep spawning.
            BaseException: What hooks raised, after the reset is complete.
        """
        return self._end_scene("reset()", DespawnReason.RESET, keep_persistent=True)

    def dispose(self) -> SceneReport:
        """Reset, including persistent instances, for good.

        Everything is forgotten. A later spawn is refused, a later despawn ignored.

        Raises:
            PoolError: It is called inside a hook or a physics step, or hooks keep spawning.
            BaseException: What hooks raised, after everything is done.
        """
        return self._end_scene("dispose()", DespawnReason.DISPOSED, keep_persistent=False)

    def on_spawn(self, fn: Callable[[Any], object]) -> Callable[[], None]:
        """Call `fn` with each instance of any pool after its `spawned` hooks.

        Returns:
            A function that removes it again.

        Raises:
            TypeError: `fn` can't be called.
        """
        return listen(self._context.on_spawn, fn, self._context.notify_pools)

    def on_despawn(self, fn: Callable[[Any], object]) -> Callable[[], None]:
        """Call `fn` with each instance of any pool before its `despawned` hooks.

        Returns:
            A function that removes it again.

        Raises:
            TypeError: `fn` can't be called.
        """
        return listen(self._context.on_despawn, fn, self._context.notify_pools)

    def on_reset(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` at the end of each reset; return a function that removes it again.

        Raises:
            TypeError: `fn` can't be called.
        """
        return listen(self._reset_hooks, fn)

    def _end_scene(self, what: str, reason: DespawnReason, *, keep_persistent: bool) -> SceneReport:
        context, errors = self._context, ErrorCollector()
        context.refuse_if_busy(what)
        report = self._report()
        context.resetting = True
        try:
            end_everything(self.all_pools, reason, errors, keep_persistent=keep_persistent)
            context.closed |= not keep_persistent
            context.num_resets += 1
            for swarm in context.swarms.values():
                errors.call(swarm._end_scene)
            context.restart_clock()
            for pool in self.all_pools():
                pool._begin_scene()
            for world in list(worlds):
                errors.call(world._begin_scene)
            gone = [pool for pool in self.all_pools() if context.closed or not pool.capacity]
            self._registry.forget(*gone)
            if context.closed:
                self._registry.prefabs.clear()
            context.plans.clear()  # they hold hooks of classes that may be gone
            self._scene_began = context.clock.total
            if self._past is not None:
                self._past.append(report)
            for watcher in list(context.time_watchers):
                errors.call(watcher.on_scene_ended, report)
            for hook in list(self._reset_hooks.values()):
                errors.call(hook)
        finally:
            context.resetting = False
        errors.raise_all(f"{what} is complete, but hooks raised")
        return report

    def _print_reports(self) -> None:
        for report in (*(self._past or ()), self.report()):
            if report.pools:
                print(report)  # noqa: T201 - asked for by configure(report_at_exit=True)

    def __repr__(self) -> str:
        """Return ``<PoolingSystem(num_pools=4, num_active=12)>``."""
        pools = self.all_pools()
        active = sum(pool.active_count for pool in pools)
        return f"<{type(self).__name__}(num_pools={len(pools)}, num_active={active})>"


PrefabPoolingSystem: Final = PoolingSystem()
"""The default pooling system of the process; `pools` for short."""

pools: Final = PrefabPoolingSystem
