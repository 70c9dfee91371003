"""The seam through which tools see lives begin and end, and time pass. Costs nothing unused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkit.core.prefab_pool import PrefabPool
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.statistics import SceneReport

__all__ = ["LifeWatcher", "TimeWatcher"]


class LifeWatcher:
    """Sees the lives of a system. While there is one, its pools take no quick path.

    Override what is needed.
    """

    def called(self, what: str, name: str) -> None:
        """Learn that `what` is about to be done to `name`, as a spawn to a pool, or a reset to all.

        Nothing has happened yet. What this raises reaches the caller.
        """

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life begins: the instance is put into play next.

        What this raises is treated as if a hook had raised it.
        """

    def ended(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life is over: the hooks have run, groups and physics are left.

        What this raises is treated as if a hook had raised it.
        """

    def ended_again(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life was to be ended that is over already.

        What this raises reaches the caller.
        """

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that an instance is no longer its pool's: it is being destroyed, or detached."""


class TimeWatcher:
    """Sees a system's frames and scenes. Override what is needed."""

    def updating(self, dt: float) -> None:
        """Learn that `dt` seconds are about to pass; what this raises reaches the caller."""

    def scene_ended(self, report: SceneReport) -> None:
        """Learn the figures of a scene that a reset or dispose has just ended."""

    def scene_beginning(self, name: str) -> Mapping[Any, int]:
        """Learn that a scene manager begins a scene, before anything is made for it.

        Returns:
            Which prefabs' instances, and how many, shall wait besides what the scene asks for.
        """
        del name
        return {}

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Learn that a prefab is used for the first time: its pool has made nothing yet."""
