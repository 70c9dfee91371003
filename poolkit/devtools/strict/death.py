"""How a life ended, and how strict mode says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import UseAfterDespawnError
from poolkit.core.hooks import DespawnReason
from poolkit.devtools.places import place_of_caller

if TYPE_CHECKING:
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.places import Place

__all__ = ["Death"]

_HOW = {
    DespawnReason.DESPAWNED: "despawned at {}",
    DespawnReason.RECYCLED: "recycled, to make room for what was spawned at {}",
    DespawnReason.PARENT: "despawned with what it was spawned under, at {}",
    DespawnReason.RESET: "despawned by the reset at {}",
    DespawnReason.DISPOSED: "despawned when its pool or system was disposed of, or cleared, at {}",
    DespawnReason.FAILED: "taken back at {}, where its spawn failed",
}


@dataclass(frozen=True, slots=True)
class Death:
    """The end of one life.

    Attributes:
        frame: How many updates strict mode had seen by then.
        generation: Which life of the instance it was.
        place: The line that ended it; `None` where none of the game's did.
        reason: Why it ended; `None` where it ended before strict mode was on.
    """

    frame: int
    generation: int
    place: Place | None
    reason: DespawnReason | None

    def __str__(self) -> str:
        """Return ``despawned at monsters.py:41 in Orc.hit``."""
        if self.reason is None:
            return "despawned before strict mode was on"
        return _HOW[self.reason].format(self.place or "no line of the game's own")

    def again(self, data: PoolablePrefabData[Any]) -> UseAfterDespawnError:
        """Return the error that says that the instance is despawned once more, in a later frame."""
        message = (
            f"{data.label} was despawned again, at {place_of_caller()}, in a later frame than the "
            f"one in which it was {self}. What may be over by now is despawned by its handle: "
            "handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)
