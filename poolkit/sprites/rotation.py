"""Rotates images, always from the upright one, once for all sprites that show it.

Rotated images take much memory, so the process has one bounded cache for them.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.saving import never_saved

if TYPE_CHECKING:
    from collections.abc import Hashable

    from poolkit.sprites.sprite import PooledSprite


@never_saved
class RotatedImages:
    """The rotated images of one upright image."""

    __slots__ = ("images", "is_stale", "rate", "steps")

    def __init__(self, steps: int | None) -> None:
        self.images: dict[float, pygame.Surface] = {}  # by step, without step 0
        self.is_stale: bool = False  # the upright image was drawn into, so don't use these any more
        self.rate: float = (steps or 0) / 360  # steps that make a degree
        self.steps: int | None = steps  # of a full turn; `None`: rotated exactly, and not kept


@never_saved
class ImageCache:
    """Keeps images up to a limit; the least recently used go first.

    Attributes:
        limit: How many bytes of pixels it may hold, checked when it makes an image. 0: none.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes_held: int = 0  # of pixels
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
    """Keeps rotated images up to a limit; the least recently used go first.

    It drops them, too, when the upright image that they were made from is gone. A sprite keeps the
    image that it shows.

    Attributes:
        limit: How many bytes of pixels it may hold, checked when it rotates an image; 64 MiB at
            first. 0: it keeps nothing.
    """

    def __init__(self) -> None:
        super().__init__(limit=64 * 1024 * 1024)
        # By the id of the upright image and the steps: a game's kind of surface may have no hash.
        self._uprights: dict[Any, tuple[weakref.ref[pygame.Surface], RotatedImages]] = {}

    def forget(self, image: pygame.Surface) -> None:
        """Drop what was rotated from an upright image that you have drawn into.

        Sprites that show it are rotated again when you next assign their `rotation`, even the same
        one, or when their body next moves them.

        Raises:
            TypeError: It isn't a surface.
        """
        if not isinstance(image, pygame.Surface):
            message = f"forget takes the upright image that was drawn into, not {image!r}"
            raise TypeError(message)
        for key in [key for key in self._uprights if key[0] == id(image)]:
            self._remove(key)

    def of(self, image: pygame.Surface, steps: int | None) -> RotatedImages:
        """Return the rotated images of an upright one."""
        key = id(image), steps
        if key not in self._uprights:
            reference = weakref.ref(image, partial(self._remove, key))
            self._uprights[key] = reference, RotatedImages(steps)
        return self._uprights[key][1]

    def rotate(self, image: pygame.Surface, rotated: RotatedImages, step: float) -> pygame.Surface:
        """Return an upright image rotated by so many steps."""
        if not step:
            return image
        if rotated.steps is None:
            return pygame.transform.rotate(image, step)
        shared = self._find(rotated.images, step)
        if shared is None:
            shared = pygame.transform.rotate(image, step * 360 / rotated.steps)
            if shared is image:  # it has no pixels
                return image
            self._keep(rotated.images, step, shared)
        return shared

    def _remove(self, key: tuple[int, int | None], _: object = None) -> None:
        """Drop all that was rotated from an upright image: it is gone, or was drawn into."""
        rotated = self._uprights.pop(key)[1]
        rotated.is_stale = True
        for image in list(rotated.images.values()):
            self._drop(image)


def _bytes_of(image: pygame.Surface) -> int:
    return image.get_pitch() * image.get_height()


rotation_cache: RotationCache = RotationCache()
"""The cache of the process."""


class RotationState:
    """How far a sprite is rotated, and from which image."""

    __slots__ = ("_images", "_step", "degrees", "rotated", "upright")

    exists: bool = False  # whether any sprite was ever rotated

    def __init__(self) -> None:
        RotationState.exists = True
        self.reset()

    def reset(self) -> None:
        """Forget the life before; the record restores the upright image."""
        self.degrees: float = 0.0
        self.upright: Any = None
        self._images: Any = None  # the rotated images of `upright`
        self.rotated: pygame.Surface | None = None
        self._step: float | None = None  # at which `rotated` shows `upright`, if known

    def rotate(self, sprite: PooledSprite, degrees: float) -> tuple[int, int] | None:
        """Rotate the image of `sprite`; return its size if it is another one now.

        An image that the game has assigned since the last call is the new upright one.
        """
        if type(degrees) is not float or not isfinite(degrees):
            degrees = _checked(sprite, degrees)
        image = sprite.image
        images = self._images
        if image is None or image is not self.rotated:
            self._step = None  # also if an image that was hidden comes back
            if image is None or (self.rotated is None and degrees == self.degrees == 0):
                self.degrees = degrees
                return None
            self.upright = image
            images = self._images = rotation_cache.of(image, sprite.rotation_steps)
        elif images.is_stale:
            self._step = None
            images = self._images = rotation_cache.of(self.upright, images.steps)
        elif degrees == self.degrees and self._step is not None:
            return None
        self.degrees = degrees
        step: float
        if images.steps is None:
            step = degrees % 360 % 360  # -1e-20 % 360 is 360.0
        else:
            step = round(degrees % 360 * images.rate) % images.steps
        if step == self._step:  # it shows that, even if the cache has dropped it
            return None
        rotated = rotation_cache.rotate(self.upright, images, step)
        self._step = step
        self.rotated = sprite.image = rotated
        size: tuple[int, int] = rotated.get_size()
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
