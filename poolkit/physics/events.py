"""What happens between bodies, told with lives in mind: collisions, contacts, separations.

None is told of the dead; separations are told when the step is over, in a fixed order; and what a
callback raises is kept until it can be raised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import ErrorCollector
from poolkit.physics.chipmunk import number_of, tell_contacts
from poolkit.physics.rigid_body import owner_of

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

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


@dataclass(eq=False, frozen=True)  # the same function may be there twice
class Contact:
    """What is to be called when sprites of two classes begin to touch."""

    first: type[Any]
    second: type[Any]
    function: Callable[[Any, Any, pymunk.Arbiter], object]


class Events:
    """The collision callbacks of one world.

    Attributes:
        contacts: What is called at the beginning of contacts between classes of sprites.
        errors: What callbacks raised, to be raised again from `step`.
        separated: The separations that wait to be delivered, each with its place among them.
        announce: Called when one begins to wait.
    """

    __slots__ = (
        "_is_told",
        "_space",
        "announce",
        "contacts",
        "errors",
        "separated",
    )

    def __init__(self, space: pymunk.Space) -> None:
        self._space = space
        self.announce: Callable[[], object] = int
        self.contacts: dict[Contact, None] = {}
        self._is_told = False
        self.separated: list[tuple[tuple[int, int], Callable[[], None]]] = []
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

    # -- contacts -----------------------------------------------------------------------------

    def add_contact(self, contact: Contact) -> Callable[[], None]:
        """Call it from now on; return what takes it off."""
        if not self._is_told:
            self._is_told = True
            tell_contacts(self._space, self._begin)
        self.contacts[contact] = None

        def remove() -> None:
            self.contacts.pop(contact, None)

        return remove

    def _begin(self, arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
        del space, data
        if not self.contacts:
            return
        one, two = (_living(shape) for shape in arbiter.shapes)
        if one is None or two is None:
            return
        errors = ErrorCollector()
        for contact in list(self.contacts):
            if _is_over(one) or _is_over(two):
                break
            if contact not in self.contacts:  # another one has taken it off
                continue
            for sprites in (one, two), (two, one):
                if isinstance(sprites[0], contact.first) and isinstance(sprites[1], contact.second):
                    with errors:
                        if contact.function(*sprites, arbiter) is False:
                            arbiter.process_collision = False
                    break
        errors.raise_all("callbacks of a contact raised")

    # -- separations --------------------------------------------------------------------------

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
            one, other = sorted(map(number_of, separation.shapes))
            call = partial(callback, separation, self._space, data)
            self.separated.append(((one, other), call))
            self.announce()

        return deferred

    def deliver(self) -> None:
        """Call what was deferred, in the order of the shapes' entering the space.

        Chipmunk itself goes by addresses, which differ from run to run.
        """
        self.separated.sort(key=itemgetter(0))
        drain(self.separated, lambda waiting: waiting[1](), self.errors)

    def report(self) -> None:
        """Hand the errors to `sys.unraisablehook`, where there is no `step` to raise them from."""
        while self.errors:
            _ErrorAfterStep(self.errors.pop(0))


def drain(waiting: list[Any], do: Callable[[Any], object], errors: list[BaseException]) -> None:
    """Do something with all that waits now, whatever that raises; what comes meanwhile stays.

    Where it is interrupted from the keyboard, what was not begun stays as well.
    """
    begun = 0
    try:
        for each in list(waiting):
            begun += 1
            try:
                do(each)
            except BaseException as error:
                errors.append(error)
    finally:
        del waiting[:begun]


class _ErrorAfterStep:
    """Has Python report an error that can't be raised, as it does for callbacks of C libraries.

    The hook can't be called for that: its argument has a type that nobody else may build.
    """

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __del__(self) -> None:
        """Raise it where Python passes it on to `sys.unraisablehook`."""
        raise self._error


def _living(shape: pymunk.Shape) -> PooledSprite | None:
    """Return the sprite that a shape belongs to, if its life lasts."""
    owner = owner_of(shape.body)
    if owner is None or owner.is_leaving:
        return None
    sprite: PooledSprite | None = getattr(owner, "sprite", None)
    return None if sprite is None or _is_over(sprite) else sprite


def _is_over(sprite: PooledSprite) -> bool:
    return sprite._pool_data is not None and not sprite.active  # one that was detached lives on
