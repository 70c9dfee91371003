"""Collision callbacks that know about lives: none for the dead, separations in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.physics.ownership import owner_of

if TYPE_CHECKING:
    from poolkit.physics.gate import Gate

__all__ = ["Collisions", "Separation"]

Callback = Callable[[Any, pymunk.Space, Any], None]


class Separation:
    """Two shapes that parted during a step: what a `separate` callback is given as its arbiter.

    pymunk's own arbiter is gone by the time the step is over, when these are delivered.

    Attributes:
        shapes: The two shapes, as in the other callbacks of the pair.
        bodies: Their bodies.
        is_removal: Whether they parted because one of them left the space.
        is_first_contact: `False`.
    """

    __slots__ = ("bodies", "is_first_contact", "is_removal", "shapes")

    def __init__(self, arbiter: pymunk.Arbiter, kinds: tuple[int | None, int | None]) -> None:
        """Keep what outlives the callback, which is registered for `kinds` of shapes."""
        one, other = arbiter.shapes
        # pymunk gives them the other way round where one was removed.
        is_turned = any(
            kind is not None and shape.collision_type != kind
            for kind, shape in zip(kinds, (one, other), strict=True)
        )
        self.shapes = (other, one) if is_turned else (one, other)
        self.bodies = tuple(shape.body for shape in self.shapes)
        self.is_removal: bool = arbiter.is_removal
        self.is_first_contact = False

    def __repr__(self) -> str:
        """Return ``<Separation(Circle, Poly)>``."""
        return f"<Separation({', '.join(type(shape).__name__ for shape in self.shapes)})>"


class Collisions:
    """The collision callbacks of one world.

    Attributes:
        errors: What callbacks raised, to be raised again from `step`.
        gate: Told of separations that wait; set before there are callbacks.
        separated: The separations that wait to be delivered.
    """

    __slots__ = ("_space", "errors", "gate", "separated")

    gate: Gate

    def __init__(self, space: pymunk.Space) -> None:
        """Begin with no callbacks in `space`."""
        self._space = space
        self.separated: list[tuple[tuple[int, int], Callback, Separation, Any]] = []
        self.errors: list[BaseException] = []

    def guarded(self, callback: Callback | None) -> Callback | None:
        """Wrap a `begin`, `pre_solve` or `post_solve` callback."""
        if callback is None or callback is pymunk.empty_callback:
            return callback

        def guarded(arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
            for shape in arbiter.shapes:
                owner = owner_of(shape.body)
                if owner is not None and owner.is_leaving:
                    return
            callback(arbiter, space, data)

        return guarded

    def deferred(
        self,
        callback: Callback | None,
        kinds: tuple[int | None, int | None],
    ) -> Callback | None:
        """Wrap a `separate` callback: called when the step is over, or the removal done."""
        if callback is None or callback is pymunk.empty_callback:
            return callback

        def deferred(arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
            del space
            separation = Separation(arbiter, kinds)
            self.separated.append((_place_of(arbiter), callback, separation, data))
            self.gate.flush_later(is_removal=separation.is_removal)

        return deferred

    def deliver(self) -> None:
        """Call what was deferred, in the order of the shapes' entering the space.

        Chipmunk itself goes by addresses, which differ from run to run.
        """
        separated, self.separated = self.separated, []
        separated.sort(key=_first)
        for _, callback, separation, data in separated:
            try:
                callback(separation, self._space, data)
            except BaseException as error:
                self.errors.append(error)

    def report(self) -> None:
        """Hand the errors to `sys.unraisablehook`, where there is no `step` to raise them from."""
        errors = list(self.errors)
        self.errors.clear()
        for error in errors:
            _ErrorAfterStep(error)


class _ErrorAfterStep:
    """Has Python report an error that can't be raised, as it does for callbacks of C libraries.

    The hook can't be called for that: its argument has a type that nobody else may build.
    """

    def __init__(self, error: BaseException) -> None:
        """Take the error; it is reported as soon as this object is dropped."""
        self._error = error

    def __del__(self) -> None:
        """Raise it where Python passes it on to `sys.unraisablehook`."""
        raise self._error


def _first(entry: tuple[tuple[int, int], Any, Any, Any]) -> tuple[int, int]:
    return entry[0]


def _place_of(arbiter: pymunk.Arbiter) -> tuple[int, int]:
    # Chipmunk numbers shapes as they enter a space; pymunk shows the number for pickling only.
    one, other = (shape._hashid for shape in arbiter.shapes)
    return (one, other) if one < other else (other, one)
