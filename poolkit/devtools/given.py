"""Checks what tools are given: a system, a prefab, spawn data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.prefab import Prefab
from poolkit.core.system import PoolingSystem

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.system import AnyPrefab

S = TypeVar("S")
SpawnData = Mapping[str, Any] | None


def checked_system(system: S, tool: str, *others: type) -> S:
    """Return `system` if it is one, or one of `others`; the message names the `tool`."""
    kinds = (PoolingSystem, *others)
    if not isinstance(system, kinds):
        names = " or an ".join(kind.__name__ for kind in kinds)
        message = f"{tool} takes a {names}, not {system!r}"
        raise TypeError(message)
    return system


def meant_prefab(prefab: AnyPrefab, system: PoolingSystem) -> Prefab[Any]:
    """Return the prefab for a tool to try; a class or function is wrapped for it alone."""
    recipe: Any = system.pool(prefab).prefab if isinstance(prefab, str) else prefab
    return recipe if isinstance(recipe, Prefab) else Prefab(recipe)


def spawn_data(data: SpawnData | Callable[[], SpawnData]) -> dict[str, Any]:
    """Return spawn data as a dict; a function is called for it."""
    values = data() if callable(data) else data
    if not isinstance(values, Mapping | None):
        message = f"spawn data must be a mapping such as {{'velocity': (3, 0)}}, not {values!r}"
        raise TypeError(message)
    return dict(values or {})
