"""The pooling system: lives ended, instances made beforehand, taken over, and asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from poolkit.core.ending import end_where
from poolkit.core.errors import NotManagedError, PoolError
from poolkit.core.handle import Handle
from poolkit.core.prewarm import Progress, prewarming
from poolkit.core.settings import checked_count
from poolkit.core.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from poolkit.core.catalogue import AnyPrefab
    from poolkit.core.pool import Pool
    from poolkit.core.prefab import Prefab
    from poolkit.core.prefab_pool import PrefabPool
    from poolkit.core.scope import Scope

__all__ = ["PoolingSystem", "PrefabPoolingSystem", "pools"]

T = TypeVar("T")


class PoolingSystem(Timeline):
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

    # -- lives --------------------------------------------------------------------------------

    def despawn(self, instance: object) -> bool:
        """End the life of `instance`: back to its pool. `False` if it is over already.

        Raises:
            NotManagedError: This system never managed it.
            BaseException: What its hooks raised, after all of them ran; it is destroyed then.
        """
        try:
            data = instance._pool_data  # type: ignore[attr-defined]
            known = data.instance is instance and data._context is self._context
        except AttributeError:
            known = False
        if known:
            return data.pool.end(data)  # type: ignore[no-any-return]
        return self._despawn_plainly(instance)

    def _despawn_plainly(self, instance: object) -> bool:
        if self._context.closed:
            return False
        if self._context.is_over(instance):
            self._context.tell_over_already(instance)
            return False
        data = self._context.require(instance)
        return data.pool.end(data)

    def despawn_from(self, pool: PrefabPool[Any], instance: object) -> bool:
        """End the life of an instance of one pool alone; see `PrefabPool.despawn`."""
        if not self._context.is_over(instance) and not self._context.closed:
            data = self._context.require(instance)
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
        data = self._context.require(instance)
        self._context.tell_called("despawn_after()", data.label)
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
        return end_where(pools, predicate)

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
        *,
        delay_frames: int = 0,
        frames_between: int | None = None,
    ) -> Generator[Progress, None, None]:
        """Prespawn over several frames, as from a loading screen.

        Args:
            counts: How many inactive instances there shall be of each prefab.
            budget_ms: Milliseconds a frame to spend, at least one instance being made in each.
            delay_frames: Frames to wait before the first instance is made.
            frames_between: Frames to wait after each instance, instead of spending the budget.

        Returns:
            An iterator to advance once a frame; it yields the `Progress`. Closing it cancels.

        Raises:
            ValueError: A count, the budget, or a number of frames is negative.
        """
        wanted: dict[Pool[Any], int] = {}
        for prefab, count in counts.items():
            pool = self._pool_of(prefab)  # a name and its prefab are one pool
            least = wanted.get(pool, 0)
            wanted[pool] = max(least, checked_count(count, "a count to prewarm"))
        if not budget_ms >= 0:
            message = f"budget_ms must be 0 or more milliseconds, not {budget_ms!r}"
            raise ValueError(message)
        checked_count(delay_frames, "delay_frames")
        if frames_between is not None:
            checked_count(frames_between, "frames_between")
        return prewarming(wanted, budget_ms, delay_frames, frames_between)

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
        data = self._context.require(instance)
        if not data.active:
            message = f"{data.label} is not active: only what is in play can be detached"
            raise PoolError(message)
        data.pool.let_go(data)

    # -- looking up ---------------------------------------------------------------------------

    def is_spawned(self, instance: object) -> bool:
        """Return whether `instance` is alive in this system now. Any object may be asked about."""
        data = self._context.find(instance)
        return data is not None and data.active and data.instance is instance

    def handle(self, instance: T) -> Handle[T]:
        """Return a weak handle to the present life of `instance`: false already if it is over.

        Raises:
            NotManagedError: This system does not manage it.
        """
        data = self._context.require(instance)
        return Handle(data, data.generation)

    def scope(self, instance: object) -> Scope:
        """Return the `Scope` of the present life of `instance`.

        Raises:
            NotManagedError: This system does not manage it.
            PoolError: It is not alive.
        """
        return self._context.require(instance).scope

    def __repr__(self) -> str:
        """Return ``<PoolingSystem(num_pools=4, num_active=12)>``."""
        active = sum(pool.active_count for pool in self._all.values())
        return f"<{type(self).__name__}(num_pools={len(self._all)}, num_active={active})>"

    # -- inside -------------------------------------------------------------------------------

    def _known(self, prefab: AnyPrefab) -> tuple[PrefabPool[Any], ...]:
        pool = self._all.get(self._catalogue.resolve(prefab))
        return (pool,) if pool is not None else ()


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
