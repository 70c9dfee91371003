"""Brings a sprite's bodies to rest between two lives: `RigidBody.has_left` calls its `reset`.

A `despawned` hook would run too early, and not always: inside a step the solver moves bodies on
after it, and a life that ends in the midst of its `spawned` hooks skips it. So each body is reset
as it leaves the space, before the instance is reusable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.errors import PrefabError
from poolkit.physics.chipmunk import stop
from poolkit.sprites.components import CompanionComponent

if TYPE_CHECKING:
    import pymunk


class ResetPooledBodyComponent(CompanionComponent):
    """Resets the motion of its sprite's bodies as they leave the space.

    At that moment, not in `spawned`: so any other component's `spawned` may set a starting
    velocity, whatever the order of hooks. Put one on each sprite whose bodies move.

    Raises:
        PrefabError: Its sprite has no `RigidBody` when it is made.
    """

    __slots__ = ("sprite",)

    def check_company(self) -> None:
        """See that there is something to reset."""
        if self.sprite._staged:  # rigid bodies are the only ones
            return
        message = (
            f"{self.sprite!r} has a ResetPooledBodyComponent but no RigidBody to reset: "
            "add one first, or leave it out"
        )
        raise PrefabError(message)

    def reset(self, body: pymunk.Body) -> None:
        """Bring `body`, which is out of the space, to rest. Override it to reset more.

        Velocities, forces, and what the solver keeps to itself: an overlap that was being pushed
        apart would otherwise still move the body in the first step of its next life.
        """
        stop(body)
