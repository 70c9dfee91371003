"""From what a game says it wants to the pool that has it, and to a life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from poolkit.core.catalogue import AnyPrefab, Catalogue
from poolkit.core.context import SystemContext
from poolkit.core.errors import PoolExhaustedError
from poolkit.core.options import ORIGIN
from poolkit.core.prefab_pool import PrefabPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.prefab import Prefab
    from poolkit.core.settings import PoolSettings
    from poolkit.core.system import PoolingSystem

__all__ = ["Spawner"]

T = TypeVar("T")


class Spawner:
    """The half of a pooling system that begins lives: maps from prefabs to pools, and `spawn`."""

    def __init__(self) -> None:
        """Begin with no pools."""
        self._context = SystemContext()
        self._catalogue = Catalogue()
        # Prefabs, and the classes, functions and names that stand for one, to their pool.
        self._pools: dict[object, PrefabPool[Any]] = {}
        self._all: dict[Prefab[Any], PrefabPool[Any]] = {}

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
            if error.is_passed_on:
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

    # -- pools --------------------------------------------------------------------------------

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

    def assign_settings(self, prefab: AnyPrefab, settings: PoolSettings) -> None:
        """Give a prefab's pool new settings, before anything is prespawned by its old ones."""
        self._pool_of(prefab).settings = settings

    def all_pools(self) -> tuple[PrefabPool[Any], ...]:
        """Return all pools, in order of first use."""
        return tuple(self._all.values())

    def _first_use(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        pool = self._pool_of(prefab)
        self._pools[prefab] = pool  # what stands for a prefab stands for its pool from now on
        return pool

    def _pool_of(self, prefab: AnyPrefab) -> PrefabPool[Any]:
        found = self._catalogue.resolve(prefab)
        pool = self._all.get(found)
        if pool is None:
            pool = self._all[found] = PrefabPool(found, cast("PoolingSystem", self))
            for watcher in self._context.time_watchers:
                watcher.pool_begun(pool)
        return pool
