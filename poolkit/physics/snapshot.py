"""How bodies, shapes and joints were built, so that each of their lives begins like that again.

The parts of a rigid body are watched: their classes report a change before it happens. Only then
are their settings noted, so a life that changes nothing costs nothing here.
"""

from __future__ import annotations

import functools
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.seams import extended, swap
from poolkit.physics.chipmunk import inside_is_known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.physics.rigid_body import BodyHandler

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # how to read, and write
    _Mass = tuple[float, float, tuple[float, float]]  # mass, moment, centre of gravity

# An attribute of each part, because every collision callback asks for it. pymunk copies no
# attribute that begins with an underscore.
OWNER = "_poolkit_owner"

_MOTION = {"position", "angle", "velocity", "angular_velocity", "force", "torque"}
_FORMS: dict[str, Callable[[Any], Any]] = {  # methods of shapes, and what they were given
    "unsafe_set_radius": lambda shape: (shape.radius,),
    "unsafe_set_offset": lambda circle: (circle.offset,),
    "unsafe_set_endpoints": attrgetter("a", "b"),
    "unsafe_set_vertices": lambda poly: (poly.get_vertices(),),
}
# Settings that depend on each other: restored last, or with the shapes that a body carries.
_WEIGHT = {"body", "density", "mass", "moment", "center_of_gravity"}


def owner_of(part: Any) -> BodyHandler | None:
    """Return the handler of the rigid body that a part belongs to, or `None`."""
    return None if part is None else part.__dict__.get(OWNER)


class BodySnapshot:
    """The settings of all parts of a rigid body; `is_changed` says whether they differ now."""

    __slots__ = ("_carried", "_settings", "is_changed")

    def __init__(self, handler: BodyHandler) -> None:
        self.is_changed = True
        self._carried = [(body, tuple(body.shapes)) for body in handler.bodies]
        self._settings = [
            (part, read(part), read, write)
            for part in handler.parts
            for read, write in _settings_of(next(filter(_is_pymunks, type(part).__mro__)))
        ]

    def restore(self) -> None:
        """Restore the parts, which are in no space."""
        for part, was, read, write in self._settings:
            if read(part) != was:  # not `is`: each access makes a new bound method
                write(part, was)
        moved = [(body, was) for body, was in self._carried if tuple(body.shapes) != was]
        # Take all off before putting any back: one may have moved from one body to another.
        off: list[Any] = [(shape, None) for body, was in moved for shape in (*body.shapes, *was)]
        for shape, body in (*off, *((shape, body) for body, was in moved for shape in was)):
            if shape.space is None:
                shape.body = body
        self.is_changed = any(tuple(body.shapes) != was for body, was in moved)


def watch(parts: Iterable[Any], handler: BodyHandler) -> None:
    """Let the parts of a rigid body report every change of a setting before it happens."""
    kinds = _watched_kinds()
    for part in parts:
        kind = kinds.get(type(part))
        if kind is None:
            handler.all_watched = False
        else:
            swap(part, kind)
        part.__dict__[OWNER] = handler


def unwatch(parts: Iterable[Any]) -> None:
    """Undo `watch`."""
    for part in parts:
        swap(part, part.__class__)
        part.__dict__[OWNER] = None


@functools.cache
def _watched_kinds() -> dict[Any, Any]:
    """Return the classes that report changes, by the classes of pymunk that they extend."""
    kinds: set[Any] = {pymunk.Body, pymunk.Circle, pymunk.Segment, pymunk.Poly}
    # A ratchet turns by itself, and a class of the game's may call pymunk's own setters.
    kinds |= {each for each in pymunk.Constraint.__subclasses__() if _is_pymunks(each)}
    kinds.discard(pymunk.RatchetJoint)
    return {kind: extended(kind, _watched) for kind in kinds if inside_is_known()}


def _watched(kind: Any) -> dict[str, Any]:
    """Return the setters and methods of a class of parts, extended to report the change first."""

    def reported(change: Any) -> Any:
        @functools.wraps(change)
        def report_and_change(part: Any, *given: Any, **named: Any) -> object:
            owner = owner_of(part)
            if owner is not None:
                owner.about_to_change()
            return change(part, *given, **named)

        return report_and_change

    own = {name: reported(getattr(kind, name)) for name in _FORMS if hasattr(kind, name)}
    own |= {name: each.setter(reported(each.fset)) for name, each in _settable(kind).items()}
    if issubclass(kind, pymunk.Body):  # pymunk changes its shapes by this attribute
        own["_shapes"] = property(reported(lambda body: vars(body)["_shapes"]))
        own["shapes"] = property(lambda body: vars(body)["_shapes"].keys())
    return own


def _settable(kind: Any) -> dict[str, Any]:
    """Return the properties of a class that can be set, without motion."""
    motion = _MOTION if issubclass(kind, pymunk.Body) else set[str]()
    names = [name for name in dir(kind) if not name.startswith("_") and name not in motion]
    found = {name: getattr(kind, name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, property) and each.fset}


@functools.cache
def _settings_of(kind: Any) -> tuple[_Setting, ...]:
    """Return how to read and write the settings of one of pymunk's own classes."""
    own = {name: each for name, each in _settable(kind).items() if name not in _WEIGHT}
    settings: list[_Setting] = [(each.fget, each.fset) for each in own.values()]
    for name, read in _FORMS.items():
        if hasattr(kind, name):  # pymunk's own: the game's may take something else
            settings.append((read, _with_many(getattr(kind, name))))
    if issubclass(kind, pymunk.Shape):
        settings.append((kind.mass.fget, kind.mass.fset))  # after the form, which changes it
    elif issubclass(kind, pymunk.Body):
        settings.append((_mass_of, _set_mass))
    return tuple(settings)


def _with_many(method: Any) -> Callable[[Any, Any], object]:
    return lambda part, given: method(part, *given)


def _is_pymunks(kind: type) -> bool:
    return kind.__module__.startswith("pymunk.")


def _mass_of(body: pymunk.Body) -> _Mass | None:
    """Return mass, moment and centre of gravity; `None` where shapes give the body its mass."""
    # Shapes that were added in this life don't count.
    if any(shape.mass for shape in body.shapes if OWNER in shape.__dict__):
        return None
    return body.mass, body.moment, body.center_of_gravity


def _set_mass(body: pymunk.Body, mass: _Mass | None) -> None:
    if mass is not None:
        if mass[0] < inf:  # otherwise the body is not dynamic, and it can't be set
            body.mass, body.moment = mass[:2]
        body.center_of_gravity = mass[2]
