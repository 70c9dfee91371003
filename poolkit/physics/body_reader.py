"""Reads where all bodies of a space are in one call, not in two for each body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from pymunk import batch
except ImportError:  # pragma: no cover - pymunk calls the module experimental
    batch = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pymunk

    from poolkit.physics.rigid_body import RigidBody

__all__ = ["BodyReader"]

_FEW = 16  # bodies that are read as quickly one by one


class BodyReader:
    """Reads positions and angles of many bodies of one space.

    Attributes:
        order: The rigid bodies in the order last read; set it to `None` when one is added or
            removed, so that those that are gone are not kept alive.
    """

    __slots__ = ("_buffer", "_ids", "_space", "order")

    def __init__(self, space: pymunk.Space) -> None:
        """Begin with nothing read."""
        self._space = space
        self._buffer: Any = None if batch is None else batch.Buffer()  # a new one each time leaks
        self._ids = b""
        self.order: list[RigidBody | None] | None = None

    def pays_for(self, count: int) -> bool:
        """Tell whether reading the whole space is quicker than reading `count` of its bodies."""
        return batch is not None and count >= _FEW and count * 4 >= len(self._space.bodies)

    def read(
        self,
        rigids: Mapping[int, RigidBody],
    ) -> Iterator[tuple[RigidBody | None, float, float, float]]:
        """Return ``(rigid body, x, y, angle in radians)`` for each body in the space.

        Args:
            rigids: Rigid bodies by the `id` of their first body; `None` stands for other bodies.
        """
        buffer, fields = self._buffer, batch.BodyFields
        buffer.clear()
        batch.get_space_bodies(
            self._space,
            fields.BODY_ID | fields.POSITION | fields.ANGLE,
            buffer,
        )
        # Bodies come in an order of their own, which stays while none enters and none leaves.
        ids = bytes(buffer.int_buf())
        order = self.order
        if order is None or ids != self._ids:
            order = self.order = [rigids.get(number) for number in memoryview(ids).cast("P")]
            self._ids = ids
        numbers = memoryview(buffer.float_buf()).cast("d").tolist()
        return zip(order, numbers[0::3], numbers[1::3], numbers[2::3], strict=True)
