"""Brings a sprite's bodies to rest between two lives.

A `despawned` hook would run too early, and not always: inside a step the solver moves bodies on
after it, and a life that ends during its own `spawned` hooks skips it. So each body is reset when
it leaves the space, before the instance can be reused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.errors import PrefabError
from poolkit.physics.chipmunk import stop
from poolkit.sprites.components import CompanionComponent

if TYPE_CHECKING:
    import pymunk


class ResetPooledBodyComponent(CompanionComponent):
    """Resets the motion of its sprite's bodies when they leave the space.

    Because it does so then, and not in `spawned`, any component's `spawned` may set a starting
    velocity, whatever the order of hooks. Put one on each sprite whose bodies move.

    Raises:
        PrefabError: Its sprite has no `RigidBody` when it is made.
    """

    __slots__ = ("sprite",)

    def check_company(self) -> None:
        """Check that there is something to reset."""
        if self.sprite._staged:  # by rigid bodies: there are no others
            return
        message = (
            f"{self.sprite!r} has a ResetPooledBodyComponent but no RigidBody to reset: "
            "add one first, or leave it out"
        )
        raise PrefabError(message)

    def reset(self, body: pymunk.Body) -> None:
        """Bring `body`, which has left the space, to rest. Override it to reset more.

        This clears velocities, forces, and what the solver keeps to itself: without that, a body
        that was being pushed out of another would still move in the first step of its next life.
        """
        stop(body)
