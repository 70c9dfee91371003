"""Components that take part in entering and leaving play, not only in the hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.component import IPoolableComponent

if TYPE_CHECKING:
    from poolkit.core.record import PoolablePrefabData

__all__ = ["StagedComponent"]


class StagedComponent(IPoolableComponent):
    """A component that is placed with its sprite and leaves play with it, as a physics body does.

    Its stages run before the first `spawned` and after the last `despawned` hook, whatever the
    `execution_order`.
    """

    __slots__ = ()

    def settle(self, data: PoolablePrefabData[Any]) -> None:
        """Remember how it is: what built it is done, or its `awake`. Be out of play, as `leave`."""

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Enter play at a position in pixels and a rotation in degrees."""

    def stay(self) -> None:
        """Be in play where the sprite is: it was adopted, so nothing moves."""

    def components_changed(self) -> None:
        """Take note that components were attached to its sprite, or taken off."""

    def leave(self, data: PoolablePrefabData[Any] | None) -> None:
        """Leave play. May hold `data` (``data.holds += 1``) until it is safe to reuse it."""

    def dismantle(self) -> None:
        """Cut the ties to what outlives the sprite, which is destroyed."""
