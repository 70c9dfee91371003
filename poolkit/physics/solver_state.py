"""What pymunk's solver keeps to itself about bodies and joints, and how to clear it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pymunk

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clear_joints", "set_pose", "stop"]

# By way of a setter itself: pymunk checks the name of every attribute that is set on a body, which
# takes as long again.
_set_position = pymunk.Body.position.fset  # type: ignore[attr-defined]  # a property
_set_angle = pymunk.Body.angle.fset  # type: ignore[attr-defined]
_set_velocity = pymunk.Body.velocity.fset  # type: ignore[attr-defined]
_set_angular_velocity = pymunk.Body.angular_velocity.fset  # type: ignore[attr-defined]
_set_force = pymunk.Body.force.fset  # type: ignore[attr-defined]
_set_torque = pymunk.Body.torque.fset  # type: ignore[attr-defined]
_update_position = pymunk.Body.update_position

_NO_VECTOR = (0.0, 0.0)


def set_pose(body: pymunk.Body, x: float, y: float, angle: float) -> None:
    """Place `body`, which is out of any space, at ``(x, y)`` pixels and an angle in radians."""
    _set_position(body, (x, y))
    _set_angle(body, angle)


def stop(body: pymunk.Body) -> None:
    """Bring `body`, which is out of any space, to rest.

    Velocities, forces, and the bias velocities by which the solver pushes overlapping bodies
    apart: these would still move it in the first step after it is added again.
    """
    # The bias velocities have no setter; moving on by no time at all clears them.
    _update_position(body, 0.0)
    _set_velocity(body, _NO_VECTOR)
    _set_angular_velocity(body, 0.0)
    _set_force(body, _NO_VECTOR)
    _set_torque(body, 0.0)


def clear_joints(joints: Iterable[pymunk.Constraint]) -> None:
    """Let joints, which are out of any space, forget the impulses of the last step.

    The solver would start their next step from them. There is no setter: one step with no force
    allowed, in a space of their own, clears them. The velocities it changes are put back.
    """
    space = _scratch_space()
    for joint in joints:
        bodies = (joint.a, joint.b)
        motion = [(body.velocity, body.angular_velocity) for body in bodies]
        kept = joint.max_force, joint.pre_solve, joint.post_solve
        joint.max_force, joint.pre_solve, joint.post_solve = 0.0, None, None
        space.add(joint)
        space.step(1 / 60)
        space.remove(joint)
        joint.max_force, joint.pre_solve, joint.post_solve = kept
        for body, (velocity, angular_velocity) in zip(bodies, motion, strict=True):
            body.velocity = velocity
            body.angular_velocity = angular_velocity


@functools.cache
def _scratch_space() -> pymunk.Space:
    return pymunk.Space()
