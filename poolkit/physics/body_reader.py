"""Reads where all bodies of a space are in one call, not in two for each body."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import pymunk

try:
    from pymunk import batch
except ImportError:  # pragma: no cover - pymunk calls the module experimental
    batch = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from poolkit.physics.rigid_body import RigidBody

__all__ = ["BodyReader", "Columns", "Pose"]

Pose = tuple["RigidBody | None", float, float, float]
"""``(rigid body, x, y, angle)`` in pixels and radians; `None` stands for another body."""

Columns = tuple["list[RigidBody | None]", list[float], list[float], list[float]]
"""The same of many, each kind of number in a list of its own."""

_FEW = 16  # bodies that are read as quickly one by one
_NUMBERS = 3 * 8  # bytes of a body's x, y and angle
_ID = 8


class BodyReader:
    """Reads positions and angles of many bodies of one space.

    Attributes:
        order: The rigid bodies in the order last read, `None` standing for other bodies. Set it
            to `None` when one is added or removed, so that those that are gone are not kept alive.
        has_rested: Whether the bodies at rest were passed over by the last reading.
    """

    __slots__ = (
        "_awake",
        "_buffer",
        "_ids",
        "_moving",
        "_resting_at",
        "_resting_ids",
        "_space",
        "has_rested",
        "order",
    )

    def __init__(self, space: pymunk.Space, moving: Mapping[int, RigidBody]) -> None:
        """Read the rigid bodies in `moving`, a live map by the `id` of their first body."""
        self._space = space
        self._moving = moving
        self._buffer: Any = None if batch is None else batch.Buffer()  # a new one each time leaks
        self._ids = b""
        self._awake = 0
        self._resting_ids = self._resting_at = b""
        self.has_rested = False
        self.order: list[RigidBody | None] | None = None

    def poses(self, *, all_of_them: bool) -> Iterable[Pose]:
        """Return where bodies are, one by one; see `columns`."""
        return zip(*self.columns(all_of_them=all_of_them), strict=False)

    def columns(self, *, all_of_them: bool) -> Columns:
        """Return where bodies are; unless `all_of_them`, without those at rest that have not moved.

        At rest are static and sleeping bodies, which only the game moves. The last of the rigid
        bodies have no numbers then.
        """
        count = len(self._moving)
        # Reading the whole space for a few of its bodies does not pay.
        if batch is None or count < _FEW or count * 8 < len(self._space.bodies):
            self.has_rested = False
            return self._one_by_one()
        return self._all_at_once(all_of_them=all_of_them)

    def _one_by_one(self) -> Columns:
        rigids: list[RigidBody | None] = list(self._moving.values())
        bodies = [rigid.body for rigid in self._moving.values()]
        places: list[tuple[float, float]] = [body.position for body in bodies]
        xs, ys = [x for x, _ in places], [y for _, y in places]
        return rigids, xs, ys, [body.angle for body in bodies]

    def _all_at_once(self, *, all_of_them: bool) -> Columns:
        buffer, fields = self._buffer, batch.BodyFields
        buffer.clear()
        batch.get_space_bodies(
            self._space,
            fields.BODY_ID | fields.POSITION | fields.ANGLE,
            buffer,
        )
        # Bodies come in an order of their own, which stays while none enters, leaves, falls
        # asleep or wakes up: those at rest are the last.
        ids = bytes(buffer.int_buf())
        order = self.order
        if order is None or ids != self._ids:
            order = self.order = [self._moving.get(id_) for id_ in memoryview(ids).cast("P")]
            self._ids = ids
            self._awake = _count_awake(order)
            if ids[self._awake * _ID :] != self._resting_ids:
                self._resting_ids = ids[self._awake * _ID :]
                self._resting_at = b""
        awake = self._awake
        read = memoryview(buffer.float_buf())
        resting_at = bytes(read[awake * _NUMBERS :])
        self.has_rested = resting_at == self._resting_at
        self._resting_at = resting_at
        if all_of_them or not self.has_rested:
            awake = len(order)
        numbers: list[float] = read[: awake * _NUMBERS].cast("d").tolist()  # type: ignore[assignment]
        return order, numbers[0::3], numbers[1::3], numbers[2::3]

    def look_again(self) -> None:
        """Let the next reading pass over none: a sprite has not been where its body is."""
        self.order = None
        self._resting_ids = b""


def _count_awake(order: list[RigidBody | None]) -> int:
    """Return how many bodies come before the first that is known to be at rest."""
    known = [place for place, rigid in enumerate(order) if rigid is not None]

    def rests(place: int) -> int:
        rigid = order[place]
        if rigid is None:
            return 0
        return rigid.body.is_sleeping or rigid.body.body_type == pymunk.Body.STATIC

    first = bisect_left(known, 1, key=rests)
    return known[first] if first < len(known) else len(order)
