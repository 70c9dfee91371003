"""Reads pymunk's bodies, shapes and joints by their public fields, and collision callbacks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.devtools.audit.plain_readers import attributes_beside, read_callable
from poolkit.devtools.audit.reading import Described, Reading, Surroundings, opaque
from poolkit.physics.rigid_body import RigidBody
from poolkit.physics.world import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["begin_anew", "callbacks_in", "read_body", "read_callbacks", "unwrapped"]

# What a body is part of, what a step has computed, and what follows from other fields.
_LEFT_OUT = frozenset(
    {
        "a",
        "area",
        "b",
        "bb",
        "body",
        "constraints",
        "id",
        "impulse",
        "is_sleeping",
        "kinetic_energy",
        "rotation_vector",
        "shapes",
        "space",
    },
)
_SETTINGS = (
    "gravity",
    "damping",
    "iterations",
    "idle_speed_threshold",
    "sleep_time_threshold",
    "collision_slop",
    "collision_bias",
    "collision_persistence",
)
_MOMENTS = ("begin", "pre_solve", "post_solve", "separate")


def read_body(value: Any, _: Surroundings) -> Reading | None:
    """Read a rigid body component, or something of pymunk's."""
    if isinstance(value, RigidBody):
        return _read_rigid_body(value)
    if isinstance(value, pymunk.Vec2d | pymunk.BB | pymunk.Transform | pymunk.ShapeFilter):
        return Reading(type(value).__name__, tuple(value), value)
    if isinstance(value, pymunk.Body | pymunk.Shape | pymunk.Constraint):
        return _read_fields(value)
    return None


def _read_rigid_body(rigid: RigidBody) -> Reading:
    parts: list[tuple[str, object]] = [(".body", rigid.body)]
    for name, objects in (
        ("bodies", rigid.bodies),
        ("shapes", rigid.shapes),
        ("joints", rigid.joints),
    ):
        parts += [(f".{name}[{place}]", each) for place, each in enumerate(objects)]
    parts += attributes_beside(rigid)  # a subclass of the game's own has some
    return Reading(
        "RigidBody",
        shown=Described(repr(rigid)),
        parts=tuple(parts),
        is_mutable=True,
        has_attributes=True,
    )


def _read_fields(value: pymunk.Body | pymunk.Shape | pymunk.Constraint) -> Reading:
    kind: type = type(value)
    parts: list[tuple[str, object]] = [
        (f".{name}", getattr(value, name)) for name in _fields_of(kind)
    ]
    if isinstance(value, pymunk.Segment):
        parts += [(".a", value.a), (".b", value.b)]
    if isinstance(value, pymunk.Poly):
        parts.append((".vertices", tuple(value.get_vertices())))
    if isinstance(value, pymunk.Body):
        for name, objects in (("shapes", value.shapes), ("constraints", value.constraints)):
            count = Reading("number", len(objects), len(objects))
            parts.append((f".{name}", count))
    parts += [(f".{name}", own) for name, own in vars(value).items() if not name.startswith("_")]
    return Reading(
        f"pymunk {kind.__name__}",
        shown=Described(f"<{kind.__name__}>"),
        parts=tuple(parts),
        is_mutable=True,
        has_attributes=True,
    )


@functools.cache
def _fields_of(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for name in dir(kind)
        if not name.startswith("_")
        and name not in _LEFT_OUT
        and isinstance(getattr(kind, name), property)
    )


def callbacks_in(worlds: Iterable[PhysicsWorld]) -> dict[str, Any]:
    """Return the collision callbacks of some worlds, by what is added to a path."""
    found: dict[str, Any] = {}
    for world in worlds:
        for kinds, handler in world.space._handlers.items():
            for moment in _MOMENTS:
                callback = getattr(handler, moment)
                if callback is not None:
                    edge = name = f"[{kinds[0]}, {kinds[1]}].{moment}"
                    number = 1
                    while edge in found:  # of another world
                        number += 1
                        edge = f"{name}#{number}"
                    found[edge] = unwrapped(callback)
    return found


def read_callbacks(worlds: Iterable[PhysicsWorld]) -> Reading:
    """Read which functions are registered for collisions; what they hold is not the instance's."""
    parts = []
    for edge, callback in callbacks_in(worlds).items():
        reading = read_callable(callback) or opaque(callback)
        parts.append((edge, reading._replace(parts=())))
    return Reading("callbacks", parts=tuple(parts))


def unwrapped(callback: Any) -> Any:
    """Return the game's own callback inside the one that a world has registered for it."""
    code = getattr(callback, "__code__", None)
    for name, cell in zip(
        getattr(code, "co_freevars", ()), getattr(callback, "__closure__", None) or (), strict=False
    ):
        if name == "callback":
            return cell.cell_contents
    return callback


def begin_anew(world: PhysicsWorld) -> None:
    """Give a world an empty space like its own, with the same callbacks."""
    real = world.space
    space = pymunk.Space()
    for name in _SETTINGS:
        setattr(space, name, getattr(real, name))
    timestep = world.timestep
    PhysicsWorld.__init__(world, space, timestep=timestep)
    for kinds, handler in real._handlers.items():
        for moment in _MOMENTS:
            callback = getattr(handler, moment)
            if callback is not None:
                given: Any = {moment: unwrapped(callback), "data": handler.data.get(moment)}
                world.on_collision(*kinds, **given)
