"""Turns images, always from the upright one, once for all sprites that show the same.

Turned images take much memory, so the process has one bounded cache for them. Upright images that
look the same share their turned ones, so that instances may each draw their own.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Hashable

    from poolkit.sprites.sprite import PooledSprite


class _TurnedImages:
    """The turned images of all upright images that look the same."""

    __slots__ = ("images", "is_stale", "look", "rate", "steps", "users")

    def __init__(self, look: Hashable, steps: int | None) -> None:
        self.images: dict[float, pygame.Surface] = {}  # by step, without step 0
        self.is_stale = False  # an upright image was drawn into, so don't use these any more
        self.look = look  # what it is found by
        self.rate = (steps or 0) / 360  # steps that make a degree
        self.steps = steps  # of a full turn; `None`: turned exactly, and not shared
        self.users = 0  # how many upright images share it


class ImageCache:
    """Keeps images up to a limit; the least recently used go first.

    Attributes:
        limit: How many bytes of pixels it may hold, checked when it makes an image. 0: none.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes_held = 0  # of pixels
        # With the dict that holds each, and its key there.
        self._recent: OrderedDict[pygame.Surface, tuple[dict[Any, Any], Any]] = OrderedDict()

    def __repr__(self) -> str:
        """Return ``<RotationCache(num_images=90, bytes_held=81920)>``."""
        counts = f"num_images={len(self._recent)}, bytes_held={self.bytes_held}"
        return f"<{type(self).__name__}({counts})>"

    def _find(self, images: dict[Any, pygame.Surface], key: Hashable) -> pygame.Surface | None:
        image = images.get(key)
        if image is not None:
            self._recent.move_to_end(image)
        return image

    def _keep(self, images: dict[Any, Any], key: Hashable, image: pygame.Surface) -> pygame.Surface:
        images[key] = image
        self._recent[image] = images, key
        self.bytes_held += _bytes_of(image)
        while self._recent and self.bytes_held > self.limit:
            self._drop(next(iter(self._recent)))
        return image

    def _drop(self, image: pygame.Surface) -> None:
        images, key = self._recent.pop(image)
        del images[key]
        self.bytes_held -= _bytes_of(image)


class RotationCache(ImageCache):
    """Keeps turned images up to a limit; the least recently used go first.

    It drops them, too, when the last upright image that they were made from is gone. A sprite keeps
    the image that it shows.

    Attributes:
        limit: How many bytes of pixels it may hold, checked when it turns an image; 64 MiB at
            first. 0: it keeps nothing.
    """

    def __init__(self) -> None:
        super().__init__(limit=64 * 1024 * 1024)
        # By id and steps, for a game's own kind of surface may have no hash.
        self._uprights: dict[Any, tuple[weakref.ref[Any], _TurnedImages]] = {}
        self._sets: dict[Hashable, _TurnedImages] = {}

    # -- for games and tools ------------------------------------------------------------------

    def forget(self, image: pygame.Surface) -> None:
        """Drop what was turned from an upright image that you have drawn into.

        Sprites that show it are turned again when you next assign their `rotation`, even the same
        one, or when their body next moves them.

        Raises:
            TypeError: It isn't a surface.
        """
        if not isinstance(image, pygame.Surface):
            message = f"forget takes the upright image that was drawn into, not {image!r}"
            raise TypeError(message)
        for reference, turned in list(self._uprights.values()):
            if reference() is image:
                self._empty(turned)

    # -- for sprites --------------------------------------------------------------

    def find(self, image: pygame.Surface, steps: int | None) -> _TurnedImages:
        """Return the turned images of an upright one."""
        key = id(image), steps
        if key not in self._uprights or self._uprights[key][1].is_stale:
            look = key if steps is None else (steps, *_look_of(image))
            turned = self._sets.setdefault(look, _TurnedImages(look, steps))
            turned.users += 1
            self._uprights[key] = weakref.ref(image, partial(self._gone, key)), turned
        return self._uprights[key][1]

    def turn(self, image: pygame.Surface, turned: _TurnedImages, step: float) -> pygame.Surface:
        """Return an upright image turned by so many steps."""
        if not step:
            return image
        if turned.steps is None:
            return pygame.transform.rotate(image, step)
        shared = self._find(turned.images, step)
        if shared is None:
            shared = pygame.transform.rotate(image, step * 360 / turned.steps)
            if shared is image:  # it has no pixels
                return image
            self._keep(turned.images, step, shared)
        return shared

    # -- inside -------------------------------------------------------------------------------

    def _gone(self, key: object, _: object) -> None:
        turned = self._uprights.pop(key)[1]
        turned.users -= 1
        if not turned.users:
            self._empty(turned)

    def _empty(self, turned: _TurnedImages) -> None:
        """Drop all images of a set."""
        turned.is_stale = True
        if self._sets.get(turned.look) is turned:
            del self._sets[turned.look]
        for image in list(turned.images.values()):
            self._drop(image)


def _bytes_of(image: pygame.Surface) -> int:
    return image.get_pitch() * image.get_height()


def _look_of(image: pygame.Surface) -> tuple[Hashable, ...]:
    """Return a key that is equal for two images only if they look the same when turned."""
    return (
        image.get_size(),
        image.get_bitsize(),
        image.get_masks(),
        image.get_flags() & (pygame.SRCALPHA | pygame.SRCCOLORKEY),
        image.get_colorkey(),
        image.get_alpha(),
        hash(pygame.image.tobytes(image, "RGBA")),  # 64 bits with a secret key
    )


rotation_cache = RotationCache()
"""The cache of the process."""


class RotationState:
    """How far a sprite is turned, and from which image."""

    __slots__ = ("_set", "_step", "degrees", "turned", "upright")

    exists = False  # whether any sprite was ever turned

    def __init__(self) -> None:
        RotationState.exists = True
        self.reset()

    def reset(self) -> None:
        """Forget the life before; the record restores the upright image."""
        self.degrees = 0.0
        self.upright: Any = None
        self._set: Any = None  # of turned images of `upright`
        self.turned: pygame.Surface | None = None
        self._step: float | None = None  # at which `turned` shows `upright`, if known

    def turn(self, sprite: PooledSprite, degrees: float) -> tuple[int, int] | None:
        """Turn the image of `sprite`; return its size if it is another one now.

        An image that the game has assigned since the last turn is the new upright one.
        """
        if type(degrees) is not float or not isfinite(degrees):
            degrees = _checked(sprite, degrees)
        image = sprite.image
        known = self._set
        if image is None or image is not self.turned:
            self._step = None  # also if an image that was hidden comes back
            if image is None or (self.turned is None and degrees == self.degrees == 0):
                self.degrees = degrees
                return None
            self.upright = image
            known = self._set = rotation_cache.find(image, sprite.rotation_steps)
        elif known.is_stale:
            self._step = None
            known = self._set = rotation_cache.find(self.upright, known.steps)
        elif degrees == self.degrees and self._step is not None:
            return None
        step: float
        if known.steps is None:
            step = degrees % 360 % 360  # -1e-20 % 360 is 360.0
        else:
            step = round(degrees % 360 * known.rate) % known.steps
        if step == self._step:  # it shows that, even if the cache has dropped it
            self.degrees = degrees
            return None
        turned = rotation_cache.turn(self.upright, known, step)
        self.degrees = degrees
        self._step = step
        self.turned = sprite.image = turned
        size: tuple[int, int] = turned.get_size()
        return size


def _checked(sprite: PooledSprite, degrees: object) -> float:
    # float() would take a text, too. Numbers of all kinds, such as numpy's, have this method.
    if not hasattr(degrees, "__float__"):
        message = f"the rotation of {sprite!r} must be a number of degrees, not {degrees!r}"
        raise TypeError(message)
    number = float(degrees)
    if not isfinite(number):
        message = f"the rotation of {sprite!r} must be finite, not {number}"
        raise ValueError(message)
    return number
