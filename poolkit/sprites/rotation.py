"""Turning a sprite's image, always from the upright one so that it never blurs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["Turning"]


class Turning:
    """How far a sprite is turned, and from which image.

    Attributes:
        degrees: Counter-clockwise on screen, as `pygame.transform.rotate`.
    """

    __slots__ = ("_turned", "_upright", "degrees")

    def __init__(self) -> None:
        """Begin upright."""
        self.degrees = 0.0
        self._upright: pygame.Surface | None = None
        self._turned: pygame.Surface | None = None

    def turn(self, sprite: PooledSprite, degrees: float) -> None:
        """Turn `sprite` to `degrees`; an image the game put in meanwhile is the new upright one."""
        image = sprite.image
        if image is None or (degrees == self.degrees and image is self._turned):
            self.degrees = degrees
            return
        if image is not self._turned or self._upright is None:
            self._upright = image
        self.degrees = degrees
        upright = self._upright
        turned = pygame.transform.rotate(upright, degrees) if degrees % 360 else upright
        self._turned = sprite.image = turned
        rect: pygame.FRect | None = sprite.rect
        if rect is not None and rect.size != turned.get_size():
            position = sprite.position
            rect.size = turned.get_size()
            setattr(rect, sprite.anchor, position)

    def upright_of(self, sprite: PooledSprite) -> pygame.Surface | None:
        """Return the image that `sprite` was turned from; `None` where it shows another."""
        return self._upright if sprite.image is self._turned else None

    def reset(self) -> None:
        """Forget the life before; the sprite's upright image is restored by its record."""
        self.degrees = 0.0
        self._upright = self._turned = None
