"""How bodies, shapes and joints were built, and how each of their lives begins like that again.

What a life may change is looked at only where it is changed: the parts of a rigid body are of kinds
that tell it beforehand.
"""

from __future__ import annotations

import functools
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.subclass import extended, swap
from poolkit.physics.chipmunk import inside_is_known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.physics.rigid_body import RigidBody

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # how to read, and write
    _Mass = tuple[float, float, tuple[float, float]]  # mass, moment, centre of gravity

# An attribute of each part, not a map beside it: asked in every collision callback, and gone with
# the part. pymunk copies no attribute that begins with an underscore.
OWNER = "_poolkit_owner"

_MOTION = {"position", "angle", "velocity", "angular_velocity", "force", "torque"}
_FORMS: dict[str, Callable[[Any], Any]] = {  # methods of shapes, and what they were given
    "unsafe_set_radius": lambda shape: (shape.radius,),
    "unsafe_set_offset": lambda circle: (circle.offset,),
    "unsafe_set_endpoints": attrgetter("a", "b"),
    "unsafe_set_vertices": lambda poly: (poly.get_vertices(),),
}
# Settings that hang together: restored after all others, or with the shapes that a body carries.
_WEIGHT = {"body", "density", "mass", "moment", "center_of_gravity"}


class BodySnapshot:
    """How the parts of a rigid body were built; `RigidBody` says what that is.

    Made when the first of that is about to change.

    Attributes:
        is_changed: Whether it has changed since.
    """

    __slots__ = ("_carried", "_settings", "is_changed")

    def __init__(self, rigid: RigidBody) -> None:
        self.is_changed = True
        self._carried = [(body, tuple(body.shapes)) for body in rigid.bodies]
        self._settings = [
            (part, read(part), read, write)
            for part in rigid.parts
            for read, write in _settings_of(next(filter(_is_pymunks, type(part).__mro__)))
        ]

    def restore(self) -> None:
        """Let the parts, which are out of any space, be like that again."""
        for part, was, read, write in self._settings:
            if read(part) != was:  # equality: a method is another object each time
                write(part, was)
        moved = [(body, was) for body, was in self._carried if tuple(body.shapes) != was]
        # All are taken off before any is put back: one may have gone from one body to another.
        hung: list[Any] = [(shape, None) for body, was in moved for shape in (*body.shapes, *was)]
        for shape, body in (*hung, *((shape, body) for body, was in moved for shape in was)):
            if shape.space is None:
                shape.body = body
        self.is_changed = any(tuple(body.shapes) != was for body, was in moved)


def tell(parts: Iterable[Any], rigid: RigidBody) -> None:
    """Tell a rigid body from now on before a setting of one of its parts is changed."""
    kinds = _telling_kinds()
    for part in parts:
        kind = kinds.get(part.__class__)
        if kind is None:
            rigid._tells = False
        else:
            swap(part, kind)
        part.__dict__[OWNER] = rigid


def tell_no_more(parts: Iterable[Any]) -> None:
    """End what `tell` began."""
    for part in parts:
        swap(part, part.__class__)
        part.__dict__[OWNER] = None


@functools.cache
def _telling_kinds() -> dict[Any, Any]:
    """Return, by classes of pymunk's, those that tell of all changes."""
    kinds: set[Any] = {pymunk.Body, pymunk.Circle, pymunk.Segment, pymunk.Poly}
    # A ratchet turns by itself, and a class of the game's may call pymunk's own setters.
    kinds |= {each for each in pymunk.Constraint.__subclasses__() if _is_pymunks(each)}
    kinds.discard(pymunk.RatchetJoint)
    return {kind: extended(kind, _telling) for kind in kinds if inside_is_known()}


def _telling(kind: Any) -> dict[str, Any]:
    """Return by what a kind of body, shape or joint tells its rigid body of changes."""

    def told(change: Any) -> Any:
        @functools.wraps(change)
        def tell_and_change(part: Any, *given: Any, **named: Any) -> object:
            rigid = part.__dict__.get(OWNER)
            if rigid is not None:
                rigid.note()
            return change(part, *given, **named)

        return tell_and_change

    own = {name: told(getattr(kind, name)) for name in _FORMS if hasattr(kind, name)}
    own |= {name: each.setter(told(each.fset)) for name, each in _settable(kind).items()}
    if issubclass(kind, pymunk.Body):  # pymunk changes its shapes by this attribute
        own["_shapes"] = property(told(lambda body: vars(body)["_shapes"]))
        own["shapes"] = property(lambda body: vars(body)["_shapes"].keys())
    return own


def _settable(kind: Any) -> dict[str, Any]:
    """Return all properties of a class that can be set, but for motion."""
    motion = _MOTION if issubclass(kind, pymunk.Body) else set[str]()
    names = [name for name in dir(kind) if not name.startswith("_") and name not in motion]
    found = {name: getattr(kind, name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, property) and each.fset}


@functools.cache
def _settings_of(kind: Any) -> tuple[_Setting, ...]:
    """Return pymunk's own settings: those that a game's class adds are the game's to restore."""
    own = {name: each for name, each in _settable(kind).items() if name not in _WEIGHT}
    settings: list[_Setting] = [(each.fget, each.fset) for each in own.values()]
    for method, read in _FORMS.items():
        if hasattr(kind, method):  # pymunk's own: the game's may take something else
            settings.append((read, functools.partial(_call, getattr(kind, method))))
    if issubclass(kind, pymunk.Shape):
        settings.append((kind.mass.fget, kind.mass.fset))  # worked out anew from the form
    elif issubclass(kind, pymunk.Body):
        settings.append((_mass_of, _set_mass))
    return tuple(settings)


def _call(method: Callable[..., object], part: object, given: Iterable[object]) -> None:
    method(part, *given)


def _is_pymunks(kind: type) -> bool:
    return kind.__module__.startswith("pymunk.")


def _mass_of(body: pymunk.Body) -> _Mass | None:
    """Return what a body weighs; `None` where that is worked out from shapes."""
    if any(shape.mass for shape in body.shapes if OWNER in shape.__dict__):  # else one of a life's
        return None
    return body.mass, body.moment, body.center_of_gravity


def _set_mass(body: pymunk.Body, mass: _Mass | None) -> None:
    if mass is not None:
        if mass[0] < inf:  # which of others than dynamic ones can't be set
            body.mass, body.moment = mass[:2]
        body.center_of_gravity = mass[2]
