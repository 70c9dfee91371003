"""Tells at a glance whether a body or shape has the settings that it was built with."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pymunk
from pymunk._chipmunk_cffi import ffi

from poolkit.physics.letting_go import cut_cycle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Fingerprint", "fingerprint_of"]

# Chipmunk keeps settings side by side in memory, apart from what changes in every step. Comparing
# that memory takes a tenth of the time of asking for one setting after the other, and this is done
# at the end of every life. Where they lie is pymunk's own affair, so it is tried out before it is
# relied on: bytes from and to, in each body and in each shape.
_Places = tuple[tuple[int, int], ...]
_IN_A_BODY: _Places = ((0, 64),)  # functions, mass, moment, centre of gravity
_IN_A_SHAPE: _Places = ((16, 64), (96, 168))  # body, mass, area and its centre; how it collides

_WORD = 8  # bytes, of a pointer and of a number, where they lie there

Fingerprint = tuple[tuple["Callable[[], bytes]", bytes], ...]
"""What reads pieces of memory, and what they are to hold."""


def fingerprint_of(part: pymunk.Body | pymunk.Shape) -> Fingerprint | None:
    """Return the settings of a body or shape as they lie in memory; `None` if that is unknown.

    `part` must be kept for as long as this is looked at.
    """
    return _taken_of(part) if _is_known() else None


def _taken_of(part: Any) -> Fingerprint:
    if isinstance(part, pymunk.Body):
        pointer, places = part._body, _IN_A_BODY
    else:
        pointer, places = part._shape, _IN_A_SHAPE
    start = ffi.cast("char *", pointer)
    pieces = [memoryview(ffi.buffer(start + begin, end - begin)) for begin, end in places]
    return tuple((piece.tobytes, piece.tobytes()) for piece in pieces)


@functools.cache
def _is_known() -> bool:
    """Try out whether every setting shows there, and nothing else does."""
    if {ffi.sizeof("void *"), ffi.sizeof("cpFloat")} != {_WORD}:
        return False
    return all(_shows(part, change) == shows for part, change, shows in _trials())


def _shows(part: Any, change: Callable[[Any], object]) -> bool:
    fingerprint = _taken_of(part)
    change(part)
    return any(read() != was for read, was in fingerprint)


def _trials() -> Iterator[tuple[Any, Callable[[Any], object], bool]]:
    """Yield things to do to bodies and shapes, and whether each is a change of settings."""
    for is_setting, changes in ((True, _BODY_SETTINGS), (False, _MOTION)):
        for name, value in changes.items():
            body = pymunk.Body(3, 5)
            yield body, _setting(name, value), is_setting
            cut_cycle(body)
    changes_of_shape = [_setting(name, value) for name, value in _SHAPE_SETTINGS.items()]
    changes_of_shape.append(lambda shape: shape.unsafe_set_radius(7))
    changes_of_shape.append(lambda shape: shape.unsafe_set_offset((1, 0)))
    for is_setting, acts in ((True, changes_of_shape), (False, [_step])):
        for change in acts:
            body = pymunk.Body(3, 5)  # kept here, for a shape holds it weakly
            circle = pymunk.Circle(body, 2)
            yield circle, change, is_setting
            cut_cycle(circle)
            cut_cycle(body)


def _setting(name: str, value: object) -> Callable[[Any], object]:
    return lambda part: setattr(part, name, value)


def _step(shape: pymunk.Shape) -> None:
    space, body = pymunk.Space(), shape.body
    if body is None:
        return
    space.gravity = (1, 2)
    space.add(body, shape)
    space.step(1)
    space.remove(shape, body)


_BODY_SETTINGS: dict[str, Any] = {
    "mass": 4,
    "moment": 6,
    "center_of_gravity": (1, 0),
    "velocity_func": lambda *_: None,
    "position_func": lambda *_: None,
    "body_type": pymunk.Body.STATIC,
}
_SHAPE_SETTINGS: dict[str, Any] = {
    "sensor": True,
    "collision_type": 9,
    "filter": pymunk.ShapeFilter(group=1),
    "elasticity": 0.5,
    "friction": 0.5,
    "surface_velocity": (0, 1),
    "mass": 4,
    "body": None,
}
_MOTION: dict[str, Any] = {
    "position": (1, 2),
    "angle": 3,
    "velocity": (4, 5),
    "angular_velocity": 6,
    "force": (7, 8),
    "torque": 9,
}
