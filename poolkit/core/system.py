"""The pooling system: from prefabs and instances to their pools."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from poolkit.core.catalogue import AnyPrefab, Catalogue
from poolkit.core.component import DespawnReason
from poolkit.core.ending import end_everything, no_life
from poolkit.core.errors import NotManagedError, PoolError, PoolExhaustedError, raise_all
from poolkit.core.frame import frame_callbacks
from poolkit.core.handle import Handle
from poolkit.core.home import PoolHome, step_guards
from poolkit.core.pool import ORIGIN, Pool
from poolkit.core.prefab_pool import PrefabPool
from poolkit.core.prewarm import Progress, prewarming
from poolkit.core.settings import checked_count
from poolkit.core.statistics import PoolReport, SceneReport
from poolkit.core.timers import checked_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from poolkit.core.prefab import Prefab
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.scope import Scope

__all__ = ["PoolingSystem", "PrefabPoolingSystem", "pools"]

T = TypeVar("T")

_SAMPLE_SECONDS = 0.25  # idle time and trimming need not be looked at more often


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
        """Begin with no pools."""
        self.home = PoolHome()
        self._catalogue = Catalogue()
        # Prefabs, and the classes, functions and names that stand for one, to their pool.
        self._pools: dict[object, PrefabPool[Any]] = {}
        self._all: dict[Prefab[Any], PrefabPool[Any]] = {}
        self._reset_hooks: dict[object, Callable[[], object]] = {}
        self._scene_began = 0.0
        self._sampled = 0.0
        self._resetting = False

    # -- lives --------------------------------------------------------------------------------

    if TYPE_CHECKING:

        @overload
        def spawn(
            self,
            prefab: str,
            position: tuple[float, float] = ...,
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> Any: ...
        @overload
        def spawn(
            self,
            prefab: Prefab[T] | Callable[[], T],
            position: tuple[float, float] = ...,
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> T: ...

    def spawn(
        self,
        prefab: Any,
        position: tuple[float, float] = ORIGIN,
        rotation: float = 0.0,
        # Named options would be filled in at every call: gathered, the everyday call is quick.
        **options: Any,
    ) -> Any:
        """Begin a life: the first inactive instance of the prefab, or a new one, put into play.

        Args:
            prefab: A `Prefab`, a class or function, or a registered name.
            position: Where, in pixels, as ``(x, y)``: of a sprite's `anchor`.
            rotation: In degrees, counter-clockwise on screen.
            **options: ``parent``: an active instance to move with, and to die with.
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
            pool = self._first_use(prefab)
        return pool.begin(position, rotation, options)

    if TYPE_CHECKING:

        @overload
        def try_spawn(
            self,
            prefab: str,
            position: tuple[float, float] = ...,
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> Any | None: ...
        @overload
        def try_spawn(
            self,
            prefab: Prefab[T] | Callable[[], T],
            position: tuple[float, float] = ...,
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> T | None: ...

    def try_spawn(
        self,
        prefab: Any,
        position: tuple[float, float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> Any:
        """Begin a life as `spawn` does, or return `None` where the pool's policy refuses."""
        try:
            return self.spawn(prefab, position, rotation, **options)
        except PoolExhaustedError as error:
            # One that a hook or a factory ran into, spawning something else, carries their note.
            if getattr(error, "__notes__", None):
                raise
            return None

    if TYPE_CHECKING:

        @overload
        def spawn_many(
            self,
            prefab: str,
            positions: Iterable[tuple[float, float]],
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> list[Any]: ...
        @overload
        def spawn_many(
            self,
            prefab: Prefab[T] | Callable[[], T],
            positions: Iterable[tuple[float, float]],
            rotation: float = ...,
            *,
            parent: Any = ...,
            groups: Iterable[Any] = ...,
            persistent: bool | None = ...,
            reclaimable: bool = ...,
            **data: Any,
        ) -> list[T]: ...

    def spawn_many(
        self,
        prefab: Any,
        positions: Iterable[tuple[float, float]],
        rotation: float = 0.0,
        **options: Any,
    ) -> list[Any]:
        """Begin a life at each position, in order; see `spawn` for the options.

        All or none: where the pool refuses, nothing was spawned; where a hook raises, those
        already spawned are despawned.
        """
        return self._pool_of(prefab).begin_many(positions, rotation, options)

    def despawn(self, instance: object) -> bool:
        """End the life of `instance`: back to its pool. `False` if it is over already.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them ran; it is destroyed then.
        """
        try:
            data = instance._pool_data  # type: ignore[attr-defined]
            known = data.instance is instance and data.home is self.home
        except AttributeError:
            known = False
        if known:
            return data.pool.end(data)  # type: ignore[no-any-return]
        return self._despawn_plainly(instance)

    def _despawn_plainly(self, instance: object) -> bool:
        if self.home.closed or self.home.is_over(instance):
            return False
        data = self.home.require(instance)
        return data.pool.end(data)

    def despawn_from(self, pool: PrefabPool[Any], instance: object) -> bool:
        """End the life of an instance of one pool alone; see `PrefabPool.despawn`."""
        if not self.home.is_over(instance) and not self.home.closed:
            data = self.home.require(instance)
            if data.pool is not pool:
                message = (
                    f"{data.label} is of another pool than {pool.name}: use its own, "
                    "or the system's despawn()"
                )
                raise NotManagedError(message)
        return self.despawn(instance)

    def despawn_after(self, instance: object, seconds: float) -> Callable[[], object]:
        """End the present life of `instance` in `seconds` of `update`, and never a later one.

        Returns:
            A function that calls it off.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not alive.
            ValueError: `seconds` is negative or not finite.
        """
        data = self.home.require(instance)
        return data.scope.after(seconds, lambda: data.pool.end(data))

    def despawn_where(
        self,
        predicate: Callable[[Any], object],
        prefab: AnyPrefab | None = None,
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
        pools = self._all.values() if prefab is None else self._known(prefab)
        lives: list[Handle[Any]] = [
            Handle(data, data.generation) for pool in pools for data in pool.active_records
        ]
        considered = [(life, predicate(life.get())) for life in lives if life]
        chosen = [life for life, meets in considered if meets and life]
        errors: list[BaseException] = []
        for life in chosen:
            try:
                life.despawn()
            except BaseException as error:
                errors.append(error)
        raise_all("despawning several", errors)
        return len(chosen)

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
        self,
        counts: Mapping[Any, int],
        budget_ms: float = 4.0,
    ) -> Generator[Progress, None, None]:
        """Prespawn over several frames, as from a loading screen.

        Args:
            counts: How many inactive instances there shall be of each prefab.
            budget_ms: Milliseconds a frame to spend, at least one instance being made in each.

        Returns:
            An iterator to advance once a frame; it yields the `Progress`. Closing it cancels.

        Raises:
            ValueError: A count or the budget is negative.
        """
        wanted: dict[Pool[Any], int] = {}
        for prefab, count in counts.items():
            pool = self._pool_of(prefab)  # a name and its prefab are one pool
            least = wanted.get(pool, 0)
            wanted[pool] = max(least, checked_count(count, "a count to prewarm"))
        if not budget_ms >= 0:
            message = f"budget_ms must be 0 or more milliseconds, not {budget_ms!r}"
            raise ValueError(message)
        return prewarming(wanted, budget_ms)

    def adopt(self, prefab: Prefab[T] | Callable[[], T] | str, instance: T) -> None:
        """Manage an instance that the game built itself: active from now on, as if spawned.

        Its `awake` and `spawned` hooks run; nothing moves; the groups it is in become its home
        groups, which it leaves at despawn and rejoins at its next spawn.

        Raises:
            PrefabError: It is managed already.
        """
        self.pool(prefab).take_in(instance)

    def detach(self, instance: object) -> None:
        """Take an active instance out of pooling for good, alive.

        Its scope ends and its handles go false; no hook runs; its groups and its body stay.
        What was spawned under it lives on without it.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not active.
        """
        data = self.home.require(instance)
        if not data.active:
            message = f"{data.label} is not active: only what is in play can be detached"
            raise PoolError(message)
        data.pool.let_go(data)

    # -- looking up ---------------------------------------------------------------------------

    def register(self, prefab: Prefab[T]) -> Prefab[T]:
        """Make a prefab known, by its name too, and prespawn what its settings say; return it.

        Raises:
            PrefabError: Another prefab has its name.
        """
        self.pool(prefab)
        return self._catalogue.resolve(prefab)

    if TYPE_CHECKING:

        @overload
        def pool(self, prefab: str) -> PrefabPool[Any]: ...
        @overload
        def pool(self, prefab: Prefab[T] | Callable[[], T]) -> PrefabPool[T]: ...

    def pool(self, prefab: Any) -> PrefabPool[Any]:
        """Return the pool of a prefab, made at its first use.

        Raises:
            PrefabError: `prefab` is none.
        """
        pool = self._pool_of(prefab)
        pool.ensure_prespawned()
        return pool

    def all_pools(self) -> tuple[PrefabPool[Any], ...]:
        """Return all pools, in order of first use."""
        return tuple(self._all.values())

    def is_spawned(self, instance: object) -> bool:
        """Return whether `instance` is alive in this system now. Any object may be asked about."""
        data = self.home.find(instance)
        return data is not None and data.active and data.instance is instance

    def handle(self, instance: T) -> Handle[T]:
        """Return a weak handle to the present life of `instance`: false already if it is over.

        Raises:
            NotManagedError: This system does not manage it.
        """
        data = self.home.require(instance)
        return Handle(data, data.generation)

    def scope(self, instance: object) -> Scope:
        """Return the `Scope` of the present life of `instance`.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not alive.
        """
        return self.home.require(instance).scope

    # -- as time passes, and scenes -----------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: timers, delayed despawns, trimming. Call it once a frame.

        Raises:
            ValueError: `dt` is negative or not finite.
            BaseException: What timers raised, after all that was due was done.
        """
        checked_seconds(dt, "update()")
        home = self.home
        before = home.timers.now
        errors: list[BaseException] = []
        if home.cooling:
            home.release_cooling(errors)
        try:
            home.timers.advance(dt)
        except BaseException as error:
            errors.append(error)
        self._sampled += dt
        if self._sampled >= _SAMPLE_SECONDS:
            self._sampled = 0.0
            for pool in self.all_pools():
                try:
                    pool.pass_time(before)
                except BaseException as error:
                    errors.append(error)
        for callback in frame_callbacks:
            callback()
        raise_all("update() is complete, but calls raised", errors)

    def reset(self) -> SceneReport:
        """End every life that is not persistent, and destroy what is pooled: the scene is over.

        Hooks run. Prefabs, names, settings and `PrefabPool`s stay. Safe to call twice.

        Returns:
            The figures of the scene, as it ended.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when the reset is complete.
        """
        return self._end_scene("reset()", DespawnReason.RESET, keep_persistent=True)

    def dispose(self) -> SceneReport:
        """Reset, persistent instances included, for good: a later spawn is refused.

        A later despawn is ignored.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when all is done.
        """
        return self._end_scene("dispose()", DespawnReason.DISPOSED, keep_persistent=False)

    def refuse_if_busy(self, what: str) -> None:
        """Refuse what can't be done inside a hook or a physics step.

        Raises:
            PoolError: It is called from inside one.
        """
        inside = ""
        if any(guard.is_stepping for guard in step_guards):
            inside = "a physics step"
        elif self._resetting:
            inside = "a reset"
        elif any(pool.has_hooks_running for pool in self._all.values()):
            inside = "a hook"
        if inside:
            message = (
                f"{what} was called inside {inside}: note the wish, "
                "and do it in your game loop, between two frames"
            )
            raise PoolError(message)

    def on_reset(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` whenever a reset is done; the function returned removes it."""
        key = object()
        self._reset_hooks[key] = fn

        def remove() -> None:
            self._reset_hooks.pop(key, None)

        return remove

    def report(self) -> SceneReport:
        """Return the figures since the last reset."""
        self.home.timers.warn_if_forgotten()
        seconds = self.home.timers.now - self._scene_began
        return SceneReport(
            seconds,
            tuple(PoolReport(pool.name, pool.stats, seconds) for pool in self._all.values()),
        )

    def configure(
        self,
        *,
        pooling: bool | None = None,
        reuse: Literal["at_once", "next_update"] | None = None,
        report_at_exit: bool | None = None,
    ) -> None:
        """Change switches; what is not named stays as it is.

        Args:
            pooling: `False` builds and destroys an instance for each life, to compare; what is at
                rest is destroyed.
            reuse: ``"next_update"`` keeps what is despawned in a frame from being handed out
                before the next `update`.
            report_at_exit: Whether the report is printed when the process ends.

        Raises:
            ValueError: `reuse` is none of the two.
        """
        if reuse not in {None, "at_once", "next_update"}:
            message = f"reuse must be 'at_once' or 'next_update', not {reuse!r}"
            raise ValueError(message)
        if reuse is not None:
            self.home.reuse = reuse
        if report_at_exit is not None:
            atexit.unregister(self._print_report)
            if report_at_exit:
                atexit.register(self._print_report)
        if pooling is not None:
            self.home.pooling = bool(pooling)
        errors: list[BaseException] = []
        for pool in self._all.values():
            pool.retune()
            if pooling is False:
                pool.destroy_resting(errors)
        raise_all("destroying what was at rest", errors)

    def __repr__(self) -> str:
        """Return ``<PoolingSystem(num_pools=4, num_active=12)>``."""
        active = sum(pool.active_count for pool in self._all.values())
        return f"<{type(self).__name__}(num_pools={len(self._all)}, num_active={active})>"

    # -- inside -------------------------------------------------------------------------------

    def _first_use(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        pool = self._pool_of(prefab)
        self._pools[prefab] = pool  # what stands for a prefab stands for its pool from now on
        return pool

    def _pool_of(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        found = self._catalogue.resolve(prefab)
        pool = self._all.get(found)
        if pool is None:
            pool = self._all[found] = PrefabPool(found, self)
        return pool

    def _known(self, prefab: AnyPrefab) -> tuple[PrefabPool[Any], ...]:
        pool = self._all.get(self._catalogue.resolve(prefab))
        return (pool,) if pool is not None else ()

    def _end_scene(self, what: str, reason: DespawnReason, *, keep_persistent: bool) -> SceneReport:
        self.refuse_if_busy(what)
        report = self.report()
        errors: list[BaseException] = []
        self._resetting = True
        try:
            spare = _is_persistent if keep_persistent else no_life
            end_everything(self.all_pools, reason, errors, spare=spare)
            self.home.closed |= not keep_persistent
            for pool in self.all_pools():
                pool.begin_scene()
            self._scene_began = self.home.timers.now
            for hook in list(self._reset_hooks.values()):
                try:
                    hook()
                except BaseException as error:
                    errors.append(error)
        finally:
            self._resetting = False
        raise_all(f"{what} is complete, but hooks raised", errors)
        return report

    def _print_report(self) -> None:
        print(self.report())  # noqa: T201 - asked for by configure(report_at_exit=True)


def _is_persistent(data: PoolablePrefabData[Any]) -> bool:
    return data.is_persistent


class _StaticPoolingSystem(PoolingSystem):
    """The process's default system, of which there is one."""

    def __call__(self) -> PoolingSystem:
        """Refuse: it is never instantiated.

        Raises:
            TypeError: Always.
        """
        message = (
            "PrefabPoolingSystem is static: call PrefabPoolingSystem.spawn(...) directly, "
            "or make a system of your own with PoolingSystem()"
        )
        raise TypeError(message)

    def __repr__(self) -> str:
        """Return ``<PrefabPoolingSystem(num_pools=4, num_active=12)>``."""
        return super().__repr__().replace(type(self).__name__, "PrefabPoolingSystem")


PrefabPoolingSystem: Final = _StaticPoolingSystem()
"""The process's default pooling system, reachable from anywhere; `pools` for short."""

pools: Final = PrefabPoolingSystem
