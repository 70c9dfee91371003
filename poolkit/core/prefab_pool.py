"""The pool of one prefab in one pooling system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.options import ORIGIN
from poolkit.core.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.prefab import Prefab
    from poolkit.core.system import PoolingSystem

__all__ = ["PrefabPool"]

T = TypeVar("T")


class PrefabPool(Pool[T]):
    """Keeps the instances of one prefab: a dict of active ones, a queue of inactive ones.

    Made by a pooling system; look one up with `PoolingSystem.pool`. It stays valid over resets.

    Attributes:
        prefab: What it makes.
        system: The pooling system it belongs to.
    """

    __slots__ = ("_ask_groups", "prefab", "system")

    def __init__(self, prefab: Prefab[T], system: PoolingSystem) -> None:
        """Begin an empty pool for `prefab` in `system`."""
        self.prefab = prefab
        self.system = system
        groups = prefab.groups
        self._ask_groups: Callable[[], Iterable[Any]] | None = groups if callable(groups) else None
        super().__init__(
            prefab.factory,
            system._context,
            name=prefab.name,
            settings=prefab.settings,
            persistent=prefab.persistent,
            awake_on_first_spawn=prefab.awake_on_first_spawn,
            pooling=prefab.pooling,
        )
        if not callable(groups):
            self.groups = tuple(groups)

    def retune(self) -> None:
        """Leave the quick path as well where groups must be asked for at each spawn."""
        super().retune()
        if self._ask_groups is not None:
            self.quick = False

    def groups_now(self) -> tuple[Any, ...]:
        """Ask the prefab's function for the groups of the life that begins, if it has one."""
        if self._ask_groups is None:
            return super().groups_now()
        groups = self._ask_groups()
        if not isinstance(groups, Iterable):
            message = f"the groups function of {self.name} returned {groups!r}, which are no groups"
            raise TypeError(message)
        return (groups,) if hasattr(groups, "add_internal") else tuple(groups)

    def spawn(
        self,
        position: tuple[float, float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn`."""
        return self.begin(position, rotation, options)

    def despawn(self, instance: T) -> bool:
        """End the life of one of this pool's instances; see `PoolingSystem.despawn`.

        Raises:
            NotManagedError: It is another pool's, or nobody's.
        """
        return self.system.despawn_from(self, instance)
