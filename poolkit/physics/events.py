"""Collisions, contacts and separations, for sprites whose lives end at any time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import ErrorCollector, collected
from poolkit.core.hooks import listen
from poolkit.core.saving import never_saved
from poolkit.physics.chipmunk import insertion_id, wildcard_begin
from poolkit.physics.snapshot import LEAVING, owner_of

if TYPE_CHECKING:
    from poolkit.core.errors import Errors
    from poolkit.sprites.sprite import PooledSprite

    _CollisionTypes = tuple[int | None, int | None]

Callback = Callable[[Any, pymunk.Space, Any], None]


@never_saved
class Separation:
    """Two shapes that parted during a step: what a `separate` callback gets as its arbiter.

    Attributes:
        shapes: The two shapes, in the order of the pair's other callbacks.
        bodies: Their bodies.
        is_removal: Whether they parted because one left the space.
        is_first_contact: `False`.
    """

    __slots__ = ("bodies", "is_first_contact", "is_removal", "shapes")

    def __init__(self, arbiter: pymunk.Arbiter, types: _CollisionTypes) -> None:
        self.shapes: Any = arbiter.shapes
        # pymunk swaps them if one was removed.
        if any(
            type_ is not None and shape.collision_type != type_
            for type_, shape in zip(types, self.shapes, strict=True)
        ):
            self.shapes = self.shapes[::-1]
        self.bodies: tuple[Any, ...] = tuple([shape.body for shape in self.shapes])
        self.is_removal: bool = arbiter.is_removal
        self.is_first_contact: bool = False

    def __repr__(self) -> str:
        return f"<Separation({', '.join(type(shape).__name__ for shape in self.shapes)})>"


MOMENTS = ("begin", "pre_solve", "post_solve", "separate")
_NO_CALLBACK = (None, pymunk.empty_callback)  # what pymunk takes for none


class Events:
    """The collision callbacks of one world. They aren't called for lives that have ended."""

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        # Called when any two shapes begin to touch; the game's own callback comes first.
        self._begin_callbacks: dict[object, Callable[..., object]] = {}
        # The callbacks that the space has now, by their types and moments.
        self._current: dict[tuple[_CollisionTypes, str], Any] = {}
        # The `separate` callbacks still to make, each with the ids of its shapes.
        self.separations: list[tuple[tuple[int, ...], Callable[[], None]]] = []
        # What callbacks raised, until the step can raise it.
        self.errors: ErrorCollector = ErrorCollector()

    def listen(
        self, types: _CollisionTypes, callbacks: dict[str, Any], data: Any
    ) -> Callable[[], None]:
        """Set wrapped callbacks of collisions; return what takes off those that are still set."""
        wrapped: dict[str, Any] = {
            moment: self._deferred(callback, types) if moment == "separate" else _guarded(callback)
            for moment, callback in callbacks.items()
            if callback not in _NO_CALLBACK
        }
        space, current = self._space, self._current
        space.on_collision(*types, **(callbacks | wrapped), data=data)

        def take_off() -> None:
            still_set = [name for name in wrapped if current.get((types, name)) is wrapped[name]]
            if still_set:
                nothing: dict[str, Any] = dict.fromkeys(still_set, pymunk.empty_callback)
                space.on_collision(*types, **nothing)

        return take_off

    def on_callbacks_set(self, arguments: dict[str, Any]) -> None:
        """Remember which callbacks `space.on_collision` sets; let `begin` call contacts, too."""
        types = arguments.get("collision_type_a"), arguments.get("collision_type_b")
        callbacks = {name: arguments[name] for name in MOMENTS if arguments.get(name) is not None}
        self._current |= {(types, moment): callback for moment, callback in callbacks.items()}
        if types[0] is None and "begin" in callbacks:
            arguments["begin"] = self._begin_with_contacts(callbacks["begin"])

    def _deferred(self, callback: Any, types: _CollisionTypes) -> Any:
        """Wrap a `separate` callback, to call it after the step or the removal.

        Chipmunk's order is that of addresses, which differ from run to run. So they are called in
        the order in which the shapes entered the space.
        """

        def deferred(arbiter: pymunk.Arbiter, _: pymunk.Space, data: Any) -> None:
            separation = Separation(arbiter, types)
            ids = tuple(sorted(map(insertion_id, separation.shapes)))
            self.separations.append((ids, partial(callback, separation, self._space, data)))

        return deferred

    def add_contact(
        self, first: type[Any], second: type[Any], function: Callable[..., object]
    ) -> Callable[[], None]:
        """Call a function when sprites of two classes touch; return what removes it."""
        if not self._begin_callbacks:
            # Keep calling what the game had set before the space had a world.
            self._space.on_collision(**wildcard_begin(self._space))

        def begin(arbiter: pymunk.Arbiter, *_: object) -> None:
            one, two = map(living_sprite_of, arbiter.shapes)
            for sprites in (one, two), (two, one):
                if isinstance(sprites[0], first) and isinstance(sprites[1], second):
                    if function(*sprites, arbiter) is False:
                        arbiter.process_collision = False
                    return

        return listen(self._begin_callbacks, begin)

    def _begin_with_contacts(self, begin: Callback) -> Callback:
        """Return a `begin` callback that calls the game's `begin`, then those of `add_contact`."""
        callbacks = self._begin_callbacks
        callbacks[None] = begin

        def begin_all(*arguments: Any) -> None:  # no method: copies of the space would copy `self`
            errors: Errors = None
            for key, callback in list(callbacks.items()):
                if key in callbacks:  # not if an earlier one has removed it
                    try:
                        callback(*arguments)
                    except BaseException as error:
                        errors = collected(errors, error)
            if errors is not None:
                errors.raise_now("callbacks of a contact raised")

        return begin_all


def _guarded(callback: Any) -> Any:
    """Wrap a `begin`, `pre_solve` or `post_solve` callback: it isn't called for ended lives."""

    def guarded(arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
        for shape in arbiter.shapes:
            owner = owner_of(shape.body)
            if owner is not None and owner.state == LEAVING:
                return
        callback(arbiter, space, data)

    return guarded


def living_sprite_of(shape: pymunk.Shape) -> PooledSprite | None:
    """Return the living sprite that a shape belongs to, or `None`."""
    owner = owner_of(shape.body)
    if owner is None or owner.state == LEAVING:
        return None
    sprite: PooledSprite | None = owner.sprite
    if sprite is None or sprite._pool_record is None:  # a detached sprite lives on
        return sprite
    return sprite if sprite.active else None
