"""The component that lets a sprite's bodies come to rest between two lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.hooks import IPoolableComponent
from poolkit.physics.solver_state import stop

if TYPE_CHECKING:
    import pymunk

__all__ = ["ResetPooledBodyComponent"]


class ResetPooledBodyComponent(IPoolableComponent):
    """Resets the motion of its sprite's bodies as they leave the space.

    At that moment, not in `spawned`: so any other component's `spawned` may set a starting
    velocity, whatever the order of hooks. Put one on each sprite whose bodies move.

    Its joints begin afresh, too. An instance with a joint that no longer holds numbers, which has
    no way back, is destroyed at the end of that life.
    """

    def reset(self, body: pymunk.Body) -> None:
        """Bring `body`, which is out of the space, to rest. Override it to reset more.

        Velocities, forces, and what the solver keeps to itself: an overlap that was being pushed
        apart would otherwise still move the body in the first step of its next life.
        """
        stop(body)
