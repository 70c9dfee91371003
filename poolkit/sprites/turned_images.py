"""Turned images, made once and shared by all sprites that show the same upright image.

They live here, one cache for the process, and not in pools: what is scarce is memory, whoever asks
for it, and an image outlives resets and serves several systems. Upright images that look the same
count as one, so that a prefab whose instances each draw their own has one set as well.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.settings import checked_count
from poolkit.sprites.shared_image import SharedImage

if TYPE_CHECKING:
    from collections.abc import Hashable

    from poolkit.core.prefab_pool import PrefabPool

__all__ = ["RotationCache", "UprightImage", "rotation_cache"]

_LIMIT = 64 * 1024 * 1024


class _TurnedImages:
    """The turned images of all upright images that look the same.

    Attributes:
        images: By step of a full turn, from 1: at 0 each upright image is its own.
        look: What it is found by.
        users: How many upright images share it.
    """

    __slots__ = ("images", "look", "users")

    def __init__(self, look: Hashable) -> None:
        self.images: dict[int, pygame.Surface] = {}
        self.look = look
        self.users = 0

    def bytes_held(self) -> int:
        return sum(map(_bytes_of, self.images.values()))


class UprightImage:
    """What the cache knows of one upright image, turned in a number of steps. Keeps no image alive.

    Attributes:
        images: The turned images, by step; another dict once the image was drawn into.
        steps: How many make a full turn.
        steps_per_degree: The same for a degree.
    """

    __slots__ = ("_reference", "images", "steps", "steps_per_degree", "turned")

    def __init__(self, reference: weakref.ref[pygame.Surface], steps: int) -> None:
        """Begin without a set of turned images."""
        self._reference = reference
        self.steps = steps
        self.steps_per_degree = steps / 360

    def share(self, turned: _TurnedImages) -> None:
        """Use a set of turned images from now on."""
        turned.users += 1
        self.turned = turned
        self.images = turned.images


class RotationCache:
    """Keeps turned images, up to a limit; those that were not shown for the longest time go first.

    A turned image is dropped also when the last upright image that it was made from is. A sprite
    keeps the one it shows, whatever the cache does.

    >>> from poolkit import PooledSprite
    >>> arrow = pygame.Surface((8, 2))
    >>> one, two = PooledSprite(arrow), PooledSprite(arrow)
    >>> one.rotation, two.rotation = 90.2, 90
    >>> one.image is two.image
    True
    >>> rotation_cache.forget(arrow)  # after drawing into it
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._limit = _LIMIT
        self._held = 0
        self._uprights: dict[int, dict[int, UprightImage]] = {}
        self._sets: dict[Hashable, _TurnedImages] = {}
        self._recent: OrderedDict[pygame.Surface, tuple[_TurnedImages, int]] = OrderedDict()
        self.touch = self._recent.move_to_end
        """Note that a turned image is shown, which keeps it longer."""

    # -- for games and tools ------------------------------------------------------------------

    @property
    def bytes_held(self) -> int:
        """How many bytes of pixels it holds."""
        return self._held

    @property
    def limit(self) -> int:
        """How many bytes of pixels it may hold; 64 MiB unless assigned. 0: it keeps nothing.

        Raises:
            TypeError: It is assigned something that is no whole number.
            ValueError: It is assigned something negative.
        """
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        checked_count(limit, "limit")
        self._limit = limit
        self._shrink()

    def bytes_of(self, pool: PrefabPool[Any]) -> int:
        """Return how many of these bytes serve the instances of `pool`, their parts included.

        What other prefabs' instances share is counted as well. Takes longer the larger the pool.
        """
        sets = set()
        for data in pool.records:
            for home in getattr(data, "_homes", ()):
                for image in home.uprights():
                    upright = self._uprights.get(id(image), {}).get(home.sprite.rotation_steps)
                    if upright is not None:
                        sets.add(upright.turned)
        return sum(each.bytes_held() for each in sets)

    def forget(self, image: pygame.Surface) -> None:
        """Learn that an upright image was drawn into: it is turned anew from now on.

        Each sprite that shows it takes the new one when its `rotation` is next assigned, be it the
        same as before, or when its body next moves it.

        Raises:
            TypeError: It is no surface.
            ValueError: It is a turned image, which sprites share.
        """
        if not isinstance(image, pygame.Surface):
            message = f"forget takes the upright image that was drawn into, not {image!r}"
            raise TypeError(message)
        if isinstance(image, SharedImage) and image.is_shared:
            message = (
                f"{image!r} is a turned image, which sprites share: draw into the upright one, "
                "or into a copy"
            )
            raise ValueError(message)
        for upright in self._uprights.get(id(image), {}).values():
            # Turned since it was drawn into, perhaps: no image that looks like it may find these.
            self._empty(upright.turned)
            self._leave(upright.turned)
            upright.share(self._set_for(image, upright.steps))

    def __repr__(self) -> str:
        """Return ``<RotationCache(num_images=90, bytes_held=81920)>``."""
        return f"<RotationCache(num_images={len(self._recent)}, bytes_held={self._held})>"

    # -- for sprites --------------------------------------------------------------------------

    def upright(self, image: pygame.Surface, steps: int) -> UprightImage:
        """Return what is known of an upright image."""
        known = self._uprights.get(id(image))
        if known is not None and (found := known.get(steps)) is not None:
            return found
        # By id: a game's own kind of surface may have no hash. It is known no longer than it lives.
        reference = weakref.ref(image, partial(self._gone, id(image), steps))
        upright = UprightImage(reference, steps)
        upright.share(self._set_for(image, steps))
        self._uprights.setdefault(id(image), {})[steps] = upright
        return upright

    def turn(self, image: pygame.Surface, upright: UprightImage, step: int) -> pygame.Surface:
        """Turn an upright image, for all sprites that will show it so."""
        turned = SharedImage.like(pygame.transform.rotate(image, step * 360 / upright.steps))
        upright.images[step] = turned
        self._recent[turned] = upright.turned, step
        self._held += _bytes_of(turned)
        if self._held > self._limit:
            self._shrink()
        return turned

    # -- inside -------------------------------------------------------------------------------

    def _set_for(self, image: pygame.Surface, steps: int) -> _TurnedImages:
        look = steps, *_look_of(image)
        turned = self._sets.get(look)
        if turned is None:
            turned = self._sets[look] = _TurnedImages(look)
        return turned

    def _gone(self, number: int, steps: int, reference: object) -> None:
        del reference
        known = self._uprights[number]
        upright = known.pop(steps)
        if not known:
            del self._uprights[number]
        self._leave(upright.turned)

    def _leave(self, turned: _TurnedImages) -> None:
        turned.users -= 1
        if not turned.users:
            self._empty(turned)

    def _empty(self, turned: _TurnedImages) -> None:
        """Drop all of a set; who uses it may fill it again, but nobody else finds it."""
        if self._sets.get(turned.look) is turned:
            del self._sets[turned.look]
        for image in turned.images.values():
            del self._recent[image]
            self._held -= _bytes_of(image)
        turned.images.clear()

    def _shrink(self) -> None:
        while self._held > self._limit:
            image, (turned, step) = self._recent.popitem(last=False)
            del turned.images[step]
            self._held -= _bytes_of(image)


def _bytes_of(image: pygame.Surface) -> int:
    return image.get_pitch() * image.get_height()


def _look_of(image: pygame.Surface) -> tuple[Hashable, ...]:
    """Return what is equal for two images only if turning them gives the same."""
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
