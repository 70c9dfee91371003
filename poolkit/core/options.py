"""What a spawn is told, checked: where, and how."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import PoolablePrefabData

__all__ = ["NO_OPTIONS", "ORIGIN", "LifeOptions", "checked_pose"]

ORIGIN = (0.0, 0.0)


class LifeOptions:
    """What a spawn says beyond where: checked once, shared by the lives of a `spawn_many`."""

    __slots__ = ("data", "groups", "parent", "parent_data", "persistent", "reclaimable")

    def __init__(
        self,
        *,
        parent: Any = None,
        groups: Iterable[Any] = (),
        persistent: bool | None = None,
        reclaimable: bool = True,
        **data: Any,
    ) -> None:
        """Take the keyword arguments of `spawn`; whatever it does not name is spawn data."""
        self.parent = parent
        self.parent_data: PoolablePrefabData[Any] | None = None
        self.groups = (groups,) if hasattr(groups, "add_internal") else tuple(groups)
        self.persistent = persistent
        self.reclaimable = reclaimable
        self.data = data

    @property
    def spared(self) -> tuple[PoolablePrefabData[Any], ...]:
        """Whose life must not make room for the one that begins: its parent's."""
        return () if self.parent_data is None else (self.parent_data,)

    def apply(self, data: PoolablePrefabData[Any]) -> None:
        """Tell the record of a life that begins what is unlike the everyday case."""
        if self.persistent is not None or not self.reclaimable or self.parent is not None:
            data.persistent = self.persistent
            data.reclaimable = self.reclaimable
            data.rare = True


NO_OPTIONS = LifeOptions()


def checked_pose(position: Any, rotation: Any) -> tuple[float, float, float]:
    """Return ``(x, y, rotation)`` of a position and a rotation that can be used.

    Raises:
        TypeError: They are no numbers, or the position is no pair.
        ValueError: They are not finite, or the position has not two numbers.
    """
    try:
        x, y = position
        good = math.isfinite(x) and math.isfinite(y) and math.isfinite(rotation)
    except ValueError:
        message = f"a position is two numbers (x, y), not {position!r}"
        raise ValueError(message) from None
    except (TypeError, OverflowError):
        message = (
            f"a position is two numbers (x, y) and a rotation one, in degrees; "
            f"not {position!r} and {rotation!r}"
        )
        raise TypeError(message) from None
    if not good:
        message = (
            f"a position and a rotation must be finite, not {position!r} and {rotation!r}: "
            "look for a division by zero where they are computed"
        )
        raise ValueError(message)
    return x, y, rotation
