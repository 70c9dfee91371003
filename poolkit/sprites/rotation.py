"""Turning a sprite's image, always from the upright one so that it never blurs."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import pygame

from poolkit.sprites.turned_images import UprightImage, rotation_cache

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["Turning"]

_touch = rotation_cache.touch


class Turning:
    """How far a sprite is turned, and from which image.

    Attributes:
        degrees: Counter-clockwise on screen, as `pygame.transform.rotate`.
        made: How many there have ever been: as long as that stays, no further sprite was turned.
    """

    __slots__ = ("_images", "_is_shown", "_known", "_step", "_turned", "_upright", "degrees")

    _upright: Any  # a surface wherever something is turned; asked too often to be asserted

    made: ClassVar[int] = 0

    def __init__(self) -> None:
        """Begin upright."""
        Turning.made += 1
        self.reset()

    def reset(self) -> None:
        """Forget the life before; the sprite's upright image is restored by its record."""
        self.degrees = 0.0
        self._upright = None
        self._turned: pygame.Surface | None = None
        self._known: UprightImage | None = None
        self._is_shown = False  # `_turned` shows `degrees`
        # Of an image with steps: where `_turned` was found.
        self._images: dict[int, pygame.Surface] | None = None
        self._step = 0

    def turn(self, sprite: PooledSprite, degrees: float) -> tuple[int, int] | None:
        """Turn the image of `sprite`; one that the game put in meanwhile is the new upright one.

        The rect is left to the caller, who knows where it belongs.

        Returns:
            The size of the image, if it was turned.

        Raises:
            ValueError: `degrees` is not finite.
        """
        image = sprite.image
        if image is None or image is not self._turned:
            if image is None or (self._turned is None and degrees == self.degrees == 0):
                self.degrees = degrees
                self._images = None
                self._is_shown = False  # where an image that was hidden comes back
                return None
            self._take(image, sprite.rotation_steps)
        known = self._known
        if known is None:
            if degrees == self.degrees and self._is_shown:
                return None
            turned = self._exactly(sprite, degrees)
        else:
            images = known.images
            is_same = images is self._images
            if is_same and degrees == self.degrees:
                return None
            try:
                step = round(degrees * known.steps_per_degree) % known.steps
            except (OverflowError, ValueError):
                raise _not_finite(sprite, degrees) from None
            if is_same and step == self._step:  # its own, also where the cache has dropped it
                self.degrees = degrees
                return None
            found = images.get(step)
            if found is not None:
                turned = found
                _touch(turned)
            else:
                turned = self._upright
                if step:
                    turned = rotation_cache.turn(turned, known, step)
            self._images = images
            self._step = step
        self.degrees = degrees
        self._is_shown = True
        self._turned = sprite.image = turned
        return turned.get_size()

    def _take(self, image: pygame.Surface, steps: int | None) -> None:
        """Begin with an upright image."""
        self._upright = image
        self._turned = self._images = None
        self._is_shown = False
        self._known = None if steps is None else rotation_cache.upright(image, steps)

    def _exactly(self, sprite: PooledSprite, degrees: float) -> pygame.Surface:
        if not isfinite(degrees):
            raise _not_finite(sprite, degrees)
        upright: pygame.Surface = self._upright
        return pygame.transform.rotate(upright, degrees) if degrees % 360 else upright

    @property
    def upright(self) -> pygame.Surface | None:
        """The image that its sprite was last turned from."""
        upright: pygame.Surface | None = self._upright
        return upright

    def upright_of(self, sprite: PooledSprite) -> pygame.Surface | None:
        """Return the image that `sprite` was turned from; `None` where it shows another."""
        return self._upright if sprite.image is self._turned else None


def _not_finite(sprite: PooledSprite, degrees: float) -> ValueError:
    return ValueError(f"the rotation of {sprite!r} must be finite, not {degrees}")
