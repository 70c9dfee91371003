"""Collisions, contacts and separations, for sprites whose lives end at any time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import ErrorCollector
from poolkit.core.hooks import listen
from poolkit.physics.chipmunk import begin_of_all, number_of
from poolkit.physics.snapshot import owner_of

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

Callback = Callable[[Any, pymunk.Space, Any], None]


class Separation:
    """Two shapes that parted during a step: what a `separate` callback gets as its arbiter.

    Attributes:
        shapes: The two shapes, in the order of the pair's other callbacks.
        bodies: Their bodies.
        is_removal: Whether they parted because one left the space.
        is_first_contact: `False`.
    """

    __slots__ = ("bodies", "is_first_contact", "is_removal", "shapes")

    def __init__(self, arbiter: pymunk.Arbiter, kinds: tuple[int | None, int | None]) -> None:
        self.shapes = arbiter.shapes
        # pymunk swaps them if one was removed.
        if any(
            kind is not None and shape.collision_type != kind
            for kind, shape in zip(kinds, self.shapes, strict=True)
        ):
            self.shapes = self.shapes[::-1]
        self.bodies = tuple(shape.body for shape in self.shapes)
        self.is_removal: bool = arbiter.is_removal
        self.is_first_contact = False

    def __repr__(self) -> str:
        return f"<Separation({', '.join(type(shape).__name__ for shape in self.shapes)})>"


MOMENTS = ("begin", "pre_solve", "post_solve", "separate")
_NONE = (None, pymunk.empty_callback)  # for pymunk, no callback


class Events:
    """The collision callbacks of one world. They aren't called for lives that have ended."""

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        # Called when any two shapes begin to touch; the game's own callback comes first.
        self._begins: dict[object, Callable[..., object]] = {}
        # The callbacks of the space, by their types and names.
        self._present: dict[tuple[tuple[int | None, int | None], str], Any] = {}
        # The `separate` callbacks to make, each with its place among them.
        self.separated: list[tuple[tuple[int, ...], Callable[[], None]]] = []
        self.errors = ErrorCollector()  # what callbacks raised, until the step can raise it

    def listen(
        self, kinds: tuple[int | None, int | None], callbacks: dict[str, Any], data: Any
    ) -> Callable[[], None]:
        """Set wrapped callbacks of collisions; return what takes off those that are still set."""
        wrapped: dict[str, Any] = {
            name: self.deferred(callback, kinds) if name == "separate" else self.guarded(callback)
            for name, callback in callbacks.items()
        }
        space, present = self._space, self._present
        space.on_collision(*kinds, **wrapped, data=data)

        def take_off() -> None:
            names = [
                name
                for name, callback in wrapped.items()
                if callback not in _NONE and present.get((kinds, name)) is callback
            ]
            if names:
                nothing: dict[str, Any] = dict.fromkeys(names, pymunk.empty_callback)
                space.on_collision(*kinds, **nothing)

        return take_off

    def note_callbacks(
        self, kinds: tuple[int | None, int | None], callbacks: dict[str, Any]
    ) -> None:
        """Note which callbacks the space has now, whoever set them."""
        self._present |= {
            (kinds, name): callback for name, callback in callbacks.items() if callback is not None
        }

    def guarded(self, callback: Any) -> Any:
        """Wrap a `begin`, `pre_solve` or `post_solve` callback."""

        def guarded(arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
            for shape in arbiter.shapes:
                owner = owner_of(shape.body)
                if owner is not None and owner.is_leaving:
                    return
            callback(arbiter, space, data)

        return callback if callback in _NONE else guarded

    def deferred(self, callback: Any, kinds: tuple[int | None, int | None]) -> Any:
        """Wrap a `separate` callback, to call it after the step or the removal."""

        def deferred(arbiter: pymunk.Arbiter, _: pymunk.Space, data: Any) -> None:
            separation = Separation(arbiter, kinds)
            place = tuple(sorted(map(number_of, separation.shapes)))
            self.separated.append((place, partial(callback, separation, self._space, data)))

        return callback if callback in _NONE else deferred

    def deliver(self) -> None:
        """Make the `separate` callbacks, in the order in which the shapes entered the space.

        Chipmunk's order is that of addresses, which differ from run to run.
        """
        self.separated.sort(key=itemgetter(0))
        drain(self.separated, lambda waiting: waiting[1](), self.errors)

    def add_contact(
        self, first: type[Any], second: type[Any], function: Callable[..., object]
    ) -> Callable[[], None]:
        """Call a function when sprites of two classes touch; return what removes it."""
        if not self._begins:
            # Keep calling what the game had set before the space had a world.
            self._space.on_collision(**begin_of_all(self._space))

        def begin(arbiter: pymunk.Arbiter, *_: object) -> None:
            one, two = map(living, arbiter.shapes)
            for sprites in (one, two), (two, one):
                if isinstance(sprites[0], first) and isinstance(sprites[1], second):
                    if function(*sprites, arbiter) is False:
                        arbiter.process_collision = False
                    return

        return listen(self._begins, begin)

    def with_contacts(self, begin: Callback) -> Callback:
        """Return a `begin` callback that calls the game's `begin`, then those of `add_contact`."""
        begins = self._begins
        begins[None] = begin

        def begun(*given: Any) -> None:  # not a method: a copy of the space would copy its object
            errors = ErrorCollector()
            for key, call in list(begins.items()):
                if key in begins:  # not if an earlier one has removed it
                    errors.call(call, *given)
            errors.raise_all("callbacks of a contact raised")

        return begun


def drain(waiting: list[Any], do: Callable[[Any], object], errors: ErrorCollector) -> None:
    """Call `do` with everything in a list, remove it from there, and gather what that raises.

    What is added in between stays for the next time, and so does what Ctrl-C left undone.
    """
    begun = 0
    try:
        for each in list(waiting):
            begun += 1
            errors.call(do, each)
    finally:
        del waiting[:begun]


def living(shape: pymunk.Shape) -> PooledSprite | None:
    """Return the living sprite that a shape belongs to, or `None`."""
    owner = owner_of(shape.body)
    if owner is None or owner.is_leaving:
        return None
    sprite: PooledSprite | None = owner.sprite
    if sprite is None or sprite._pool_record is None:  # a detached sprite lives on
        return sprite
    return sprite if sprite.active else None
