"""What pymunk's solver keeps to itself about bodies and joints, and how to clear it."""

from __future__ import annotations

import functools
from math import isnan
from typing import TYPE_CHECKING

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clear_joints", "set_pose", "stop"]

# Chipmunk's own functions: pymunk checks the name of every attribute that is set on a body, and
# builds a vector for each that is read, which takes three times as long.
_set_position = lib.cpBodySetPosition
_set_angle = lib.cpBodySetAngle
_set_velocity = lib.cpBodySetVelocity
_set_angular_velocity = lib.cpBodySetAngularVelocity
_set_force = lib.cpBodySetForce
_set_torque = lib.cpBodySetTorque
_update_position = lib.cpBodyUpdatePosition

_kept = ffi.new("cpVect *", (0.0, 0.0))  # what it points to lives as long
_NO_VECTOR = _kept[0]


def set_pose(body: pymunk.Body, x: float, y: float, angle: float) -> None:
    """Place `body`, which is out of any space, at ``(x, y)`` pixels and an angle in radians."""
    cdata = body._body
    # The angle first: a body turns around its centre of gravity, which moves its position.
    _set_angle(cdata, angle)
    _set_position(cdata, (x, y))


def stop(body: pymunk.Body) -> None:
    """Bring `body`, which is out of any space, to rest.

    Velocities, forces, and the bias velocities by which the solver pushes overlapping bodies
    apart: these would still move it in the first step after it is added again.
    """
    cdata = body._body
    _set_velocity(cdata, _NO_VECTOR)
    _set_angular_velocity(cdata, 0.0)
    # The bias velocities have no setter; moving on by no time at all clears them.
    _update_position(cdata, 0.0)
    _set_force(cdata, _NO_VECTOR)
    _set_torque(cdata, 0.0)


def clear_joints(joints: Iterable[pymunk.Constraint]) -> bool:
    """Let joints, which are out of any space, forget the impulses of the last step.

    The solver would start their next step from them. There is no setter: one step with no force
    allowed, in a space of their own, clears them. What it changes of the bodies is put back.

    Returns:
        Whether they did. An impulse that has become no number is one for ever in some joints.
    """
    space = _scratch_space()
    are_clear = True
    for joint in joints:
        bodies = (joint.a, joint.b)
        motion = [(body.velocity, body.angular_velocity) for body in bodies]
        out = [body for body in bodies if body.space is None]
        poses = [(body.position, body.angle) for body in out]
        for body in bodies:
            body.velocity, body.angular_velocity = (0.0, 0.0), 0.0
        for body in out:  # they may have been driven to where there are no numbers any more
            _update_position(body._body, 0.0)
            set_pose(body, 0.0, 0.0, 0.0)
        # Out of a space, those that have their mass from their shapes have none: with that, the
        # solver would leave something that is no number.
        light = [body for body in bodies if not (body.mass and body.moment)]
        masses = [(body.mass, body.moment) for body in light]
        for body in light:
            body.mass = body.moment = 1.0
        kept = joint.max_force, joint.pre_solve, joint.post_solve
        notch = joint.angle if isinstance(joint, pymunk.RatchetJoint) else 0.0
        joint.max_force, joint.pre_solve, joint.post_solve = 0.0, None, None
        space.add(joint)
        space.step(1 / 60)
        space.remove(joint)
        are_clear = are_clear and not isnan(joint.impulse)
        joint.max_force, joint.pre_solve, joint.post_solve = kept
        if isinstance(joint, pymunk.RatchetJoint):
            joint.angle = notch
        for body, (mass, moment) in zip(light, masses, strict=True):
            body.mass, body.moment = mass, moment
        for body, (velocity, angular_velocity) in zip(bodies, motion, strict=True):
            body.velocity = velocity
            body.angular_velocity = angular_velocity
        for body, (position, angle) in zip(out, poses, strict=True):
            set_pose(body, *position, angle)
    return are_clear


@functools.cache
def _scratch_space() -> pymunk.Space:
    return pymunk.Space()
