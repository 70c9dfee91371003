"""`Trial`, a prefab that a tool plays with; and checks of what tools are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.prefab import Prefab
from poolkit.core.seams import context_of, lives_of
from poolkit.core.settings import PoolSettings
from poolkit.core.system import PoolingSystem

if TYPE_CHECKING:
    from poolkit.core.errors import ErrorCollector
    from poolkit.core.record import Record
    from poolkit.core.system import AnyPrefab

S = TypeVar("S")
SpawnData = Mapping[str, Any] | None | Callable[[], Mapping[str, Any] | None]
_MOST_ROUNDS = 8  # of lives that begin as others end


def checked_system(system: S, tool: str, *others: type) -> S:
    """Return `system` if it is one, or one of `others`; the message names the `tool`."""
    kinds = (PoolingSystem, *others)
    if not isinstance(system, kinds):
        names = " or an ".join(kind.__name__ for kind in kinds)
        message = f"{tool} takes a {names}, not {system!r}"
        raise TypeError(message)
    return system


class Trial:
    """A variant of a prefab in a pool of its own, in systems that are left as they were.

    Attributes:
        name: The prefab's name.
        prefab: The variant. It has none of the settings but the order: nothing is built beforehand,
            and no limit or budget is shared.
        sample_data: What the prefab says that tools spawn it with.
        data: What its spawns are given.
        foreign_lives: What lived before.
    """

    def __init__(self, prefab: AnyPrefab, *systems: PoolingSystem) -> None:
        """Try a prefab in the first of some systems; its hooks may use the others too."""
        self.systems = systems
        recipe: Any = systems[0].pool(prefab).prefab if isinstance(prefab, str) else prefab
        recipe = recipe if isinstance(recipe, Prefab) else Prefab(recipe)
        self.name: str = recipe.name
        self.sample_data: Any = recipe.sample_data
        settings = PoolSettings(order=recipe.settings.order)
        self.prefab: Prefab[Any] = recipe.variant(settings=settings, persistent=False, pooling=True)
        self.data: dict[str, Any] = {}
        self.foreign_lives: set[Record[Any]] = self._lives()
        self._kept_lives = self.foreign_lives
        self._foreign_pools = {pool for system in systems for pool in system.all_pools()}

    def ask_for_data(self, *sources: SpawnData) -> None:
        """Ask for the data of its spawns; lives that begin in this last until the end."""
        for source in sources:
            data = source() if callable(source) else source
            if not isinstance(data, Mapping | None):
                example = "{'velocity': (3, 0)}"
                message = f"spawn data must be a mapping such as {example}, not {data!r}"
                raise TypeError(message)
            self.data |= data or {}
        self._kept_lives = self._lives()

    def _lives(self) -> set[Record[Any]]:
        pools = (pool for system in self.systems for pool in system.all_pools())
        return {record for pool in pools for record in lives_of(pool)}

    def find_record(self, thing: object) -> Record[Any] | None:
        """Return the record of an instance, if it is one of any of the systems."""
        records = (context_of(system).find(thing) for system in self.systems)
        return next((record for record in records if record is not None), None)

    def end_lives(self, num_rounds: int = _MOST_ROUNDS) -> None:
        """End all lives but those that were there, and those that the data of the spawns began."""
        kept = self._kept_lives
        for system in self.systems * num_rounds:
            system.despawn_where(lambda instance: self.find_record(instance) not in kept)

    def close(self, errors: ErrorCollector) -> None:
        """End all lives that were not there before, and forget the pools that were made."""
        self._kept_lives = self.foreign_lives
        errors.call(self.end_lives)
        for system in self.systems:
            pools = [pool for pool in system.all_pools() if pool not in self._foreign_pools]
            for pool in pools:
                errors.call(pool.clear)
            for pool in pools:
                context_of(system).registry.forget(pool)
