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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.physics.rigid_body import RigidBody

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # how to read, and write
    _Mass = tuple[float, float, tuple[float, float]]  # mass, moment, centre of gravity
    Carried = tuple[tuple[pymunk.Shape, ...], ...]  # the shapes on each body

# An attribute of each part, not a map beside it: asked in every collision callback, and gone with
# the part. pymunk copies no attribute that begins with an underscore.
OWNER = "_poolkit_owner"

_UNTOLD = "_poolkit_changes_untold"  # of classes: whether their parts may change without a word
_changes_untold = attrgetter(_UNTOLD)

_MOTION = {"position", "angle", "velocity", "angular_velocity", "force", "torque"}
_FORMS: dict[str, Callable[[Any], Any]] = {  # methods of shapes, and what they were given
    "unsafe_set_radius": lambda shape: (shape.radius,),
    "unsafe_set_offset": lambda circle: (circle.offset,),
    "unsafe_set_endpoints": attrgetter("a", "b"),
    "unsafe_set_vertices": lambda poly: (poly.get_vertices(),),
}


class BodySnapshot:
    """How the parts of a rigid body were built; `RigidBody` says what that is."""

    __slots__ = ("_carried", "_is_changed", "_is_untold", "_masses", "_settings")

    def __init__(self, rigid: RigidBody, carried: Carried) -> None:
        # `None`: all shapes are the only body's, as nearly always; what is alike is in memory once.
        self._carried = None if carried == (rigid.shapes,) else carried
        # Shapes that the game adds change the masses without a word.
        self._masses = tuple(map(_mass_of, rigid.bodies))
        self._settings: tuple[tuple[Any, tuple[_Setting, ...], tuple[Any, ...]], ...] = ()
        self._is_changed = False
        self._is_untold = any(map(_changes_untold, rigid.parts))
        if self._is_untold:
            self.remember(rigid)

    def remember(self, rigid: RigidBody) -> None:
        """Note all settings, one of which is about to be changed."""
        self._is_changed = True
        if not self._settings:
            self._settings = tuple(
                (part, settings, tuple([read(part) for read, _ in settings]))
                for part, settings in zip(rigid.parts, map(_settings_of, rigid.parts), strict=True)
            )

    def restore(self, rigid: RigidBody, carried: Carried) -> None:
        """Let its parts be like that again. Its bodies, out of any space, have these shapes."""
        if (
            self._is_changed
            or carried != (self._carried or (rigid.shapes,))
            or not all(map(_weighs, rigid.bodies, self._masses))
        ):
            self._restore(rigid, carried)

    def _restore(self, rigid: RigidBody, carried: Carried) -> None:
        for part, settings, built in self._settings:
            for (read, write), was in zip(settings, built, strict=True):
                if read(part) != was:  # equality: a method is another object each time
                    write(part, was)
        for body, mass in zip(rigid.bodies, self._masses, strict=True):
            if mass is not None and _mass_of(body) != mass:
                if mass[0] < inf:  # which of others than dynamic ones can't be set
                    body.mass, body.moment = mass[:2]
                body.center_of_gravity = mass[2]
        # All are taken off before any is put back: one may have gone from one body to another.
        triples = zip(rigid.bodies, carried, self._carried or (rigid.shapes,), strict=True)
        moved = [(body, now, was) for body, now, was in triples if now != was]
        hung: list[Any] = [(shape, None) for _, now, was in moved for shape in (*now, *was)]
        for shape, body in (*hung, *((shape, body) for body, _, was in moved for shape in was)):
            if shape.space is None:
                shape.body = body
        self._is_changed = self._is_untold


def tell(parts: Iterable[Any], rigid: RigidBody | None) -> None:
    """Tell a rigid body from now on before a setting of one of its parts is changed."""
    for part in parts:
        kind = part.__class__
        swap(part, kind if rigid is None else extended(kind, _telling))
        part.__dict__[OWNER] = rigid


def _telling(kind: Any) -> dict[str, Any]:
    """Return by what a kind of body, shape or joint tells its rigid body of changes."""

    def told(change: Any) -> Any:
        @functools.wraps(change)
        def tell_and_change(part: Any, *given: Any, **named: Any) -> object:
            rigid = part.__dict__.get(OWNER)
            if rigid is not None and rigid._snapshot is not None:
                rigid._snapshot.remember(rigid)
            return change(part, *given, **named)

        return tell_and_change

    own = {name: told(getattr(kind, name)) for name in _FORMS if hasattr(kind, name)}
    # A ratchet turns by itself, and a class of the game's may call pymunk's own setters.
    own[_UNTOLD] = issubclass(kind, pymunk.RatchetJoint) or not _is_pymunks(kind)
    for name in _settable(kind):
        of = getattr(kind, name)
        own[name] = of.setter(told(of.fset))
    return own


def _settable(kind: Any) -> list[str]:
    """Return the names of all properties of a class that can be set, but for motion."""
    found = ((name, getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    settable = [name for name, each in found if isinstance(each, property) and each.fset]
    return [name for name in settable if not (issubclass(kind, pymunk.Body) and name in _MOTION)]


def _settings_of(part: Any) -> tuple[_Setting, ...]:
    """Return pymunk's own settings: those that a game's class adds are the game's to restore."""
    return _settings_of_pymunks(next(filter(_is_pymunks, type(part).__mro__)))


@functools.cache
def _settings_of_pymunks(kind: Any) -> tuple[_Setting, ...]:
    if issubclass(kind, pymunk.Body):
        return _named("body_type", "velocity_func", "position_func")
    if not issubclass(kind, pymunk.Shape):
        return _named(*_settable(kind))
    names = (name for name in _settable(kind) if name not in {"body", "density", "mass"})
    forms = ((getattr(kind, name, None), read) for name, read in _FORMS.items())
    reshape = ((read, functools.partial(_call, method)) for method, read in forms if method)
    return (*_named(*names), *reshape, *_named("mass"))  # which is worked out anew from the form


def _named(*names: str) -> tuple[_Setting, ...]:
    return tuple((attrgetter(name), functools.partial(_set, name)) for name in names)


def _set(name: str, part: object, value: object) -> None:
    setattr(part, name, value)


def _call(method: Callable[..., object], part: object, given: Iterable[object]) -> None:
    method(part, *given)  # pymunk's own: the game's may take something else


def _is_pymunks(kind: type) -> bool:
    return kind.__module__.startswith("pymunk.")


def _weighs(body: pymunk.Body, mass: _Mass | None) -> bool:
    return mass is None or (body.mass == mass[0] and body.moment == mass[1])


def _mass_of(body: pymunk.Body) -> _Mass | None:
    """Return what a body weighs; `None` where that is worked out from shapes."""
    if any(shape.mass for shape in body.shapes):
        return None
    return _shared(body.mass, body.moment, body.center_of_gravity)


@functools.lru_cache(maxsize=256)
def _shared(mass: float, moment: float, center: tuple[float, float]) -> _Mass:
    return mass, moment, center  # one tuple for all that are alike
