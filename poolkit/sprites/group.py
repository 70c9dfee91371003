"""A group that draws with one call, follows a camera, and skips the dead."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.sprites.links import follow_all, roots

if TYPE_CHECKING:
    from collections.abc import Callable

    _Group = pygame.sprite.Group[Any]
else:
    _Group = pygame.sprite.Group

__all__ = ["PooledGroup"]

_life_of = attrgetter("life")


class PooledGroup(_Group):
    """A `pygame.sprite.Group` for pooled sprites, and for any others.

    What `image` and `rect` are at the moment of drawing is drawn, also when they were replaced.
    Unlike pygame's, it draws nothing for a sprite that has no image or no rect (yet).
    """

    def __init__(self, *sprites: Any) -> None:
        """Begin with `sprites`, which may be sprites, groups or iterables of them."""
        super().__init__(*sprites)
        self._is_cleared = False

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Update every sprite that was in the group at the call and whose life still lasts.

        pygame's own group also updates those that were killed earlier in the pass; and an
        instance that was reused meanwhile would be updated in its new life.
        """
        members = self.spritedict
        sprites = list(members)
        try:
            lives: Any = list(map(_life_of, sprites))
        except AttributeError:  # others than pooled sprites are in it
            lives = [getattr(sprite, "life", None) for sprite in sprites]
        for sprite, life in zip(sprites, lives, strict=True):
            if sprite in members and (life is None or sprite.life == life):
                sprite.update(*args, **kwargs)
        if roots:
            follow_all()

    def draw(  # type: ignore[override]  # pygame's second parameter is unused there
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] = (0, 0),
        special_flags: int = 0,
    ) -> list[pygame.Rect | pygame.FRect]:
        """Draw all sprites, in the order in which they joined.

        Args:
            surface: What to draw on.
            offset: Added to every position, in pixels: the negative of where a camera looks.
            special_flags: As for `pygame.Surface.blit`.

        Returns:
            An empty list, for nothing here keeps track of dirty rectangles; pygame's own list
            once `clear` has been used.
        """
        if roots:
            follow_all()
        dx, dy = offset
        if self._is_cleared and not (dx or dy):
            dirty: list[pygame.Rect | pygame.FRect] = super().draw(surface, None, special_flags)
            return dirty
        # fblits draws up to the first pair that it can't draw, so none may be among them.
        shown: Any = [
            (image, rect)
            for sprite in self.spritedict
            if (image := sprite.image) is not None and (rect := sprite.rect) is not None
        ]
        if dx or dy:
            shown = [(image, rect.move(dx, dy)) for image, rect in shown]
        surface.fblits(shown, special_flags)
        self.lostsprites = []
        return []

    def clear(
        self,
        surface: pygame.Surface,
        bgd: pygame.Surface | Callable[[pygame.Surface, Any], object],
    ) -> None:
        """Erase what the last `draw` drew, as pygame's group does.

        From its first use on, `draw` keeps the rectangles that this needs.
        """
        self._is_cleared = True
        super().clear(surface, bgd)
