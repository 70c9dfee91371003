"""The running totals from which a pool's figures are told."""

from __future__ import annotations

__all__ = ["Totals"]


class Totals:
    """Running totals of a pool's whole time."""

    __slots__ = (
        "adopted",
        "carried",
        "created",
        "destroyed",
        "detached",
        "existing",
        "fresh",
        "idle",
        "kept",
        "late",
        "lives",
        "recycled",
        "refused",
        "unpooled",
    )

    def __init__(self) -> None:
        """Begin at nothing."""
        self.created = self.destroyed = self.detached = self.carried = self.kept = 0
        self.lives = self.fresh = self.late = self.recycled = self.refused = 0
        self.adopted = self.unpooled = 0
        self.idle = self.existing = 0.0

    def ended(self, active: int) -> int:
        """Return how many lives a despawn has ended, where `active` are still lived."""
        return self.lives - active - self.detached

    def copy(self) -> Totals:
        """Return them as they are now."""
        other = Totals()
        for field in self.__slots__:
            setattr(other, field, getattr(self, field))
        return other
