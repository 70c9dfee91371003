"""Which rigid body component a pymunk body belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pymunk

    from poolkit.physics.rigid_body import RigidBody

__all__ = ["disown", "own", "owner_of"]

# An attribute of the body, not a map beside it: asked in every collision callback, and gone with
# the body. pymunk copies no attribute that begins with an underscore.
_OWNER = "_poolkit_owner"


def own(body: pymunk.Body, owner: RigidBody) -> None:
    """Note that `body` is `owner`'s."""
    body.__dict__[_OWNER] = owner


def owner_of(body: pymunk.Body | None) -> RigidBody | None:
    """Return the rigid body component that `body` is part of, or `None`."""
    if body is None:
        return None
    owner: RigidBody | None = body.__dict__.get(_OWNER)
    return owner


def disown(body: pymunk.Body) -> None:
    """Note that `body` is nobody's."""
    body.__dict__.pop(_OWNER, None)
