"""The reader of pymunk's objects, for games that use pymunk: others never load it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolkit.devtools.audit.reading import Reader, Reading
    from poolkit.physics.world import PhysicsWorld

__all__ = ["body_reader", "physics_worlds"]


def body_reader() -> tuple[Reader, ...]:
    """Return the reader of bodies, shapes and joints; none where there is no physics."""
    if "poolkit.physics" not in sys.modules:
        return ()
    from poolkit.devtools.audit.body_readers import (  # noqa: PLC0415 - it imports pymunk
        read_body,
    )

    return (read_body,)


def physics_worlds() -> list[PhysicsWorld]:
    """Return every physics world there is."""
    if "poolkit.physics" not in sys.modules:
        return []
    from poolkit.core.context import step_guards  # noqa: PLC0415 - beside the next one
    from poolkit.physics.world import PhysicsWorld  # noqa: PLC0415 - it imports pymunk

    return [guard for guard in step_guards if isinstance(guard, PhysicsWorld)]


def reading_of_callbacks(worlds: list[PhysicsWorld]) -> dict[str, Reading]:
    """Read the collision callbacks of some worlds, by what is added to an instance's path."""
    if not worlds:
        return {}
    from poolkit.devtools.audit.body_readers import (  # noqa: PLC0415 - it imports pymunk
        read_callbacks,
    )

    return {".collisions": read_callbacks(worlds)}
