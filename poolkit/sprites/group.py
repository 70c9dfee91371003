"""A group that draws with one call, follows a camera, and skips the dead."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.record import PoolablePrefabData
from poolkit.sprites.kept_pairs import KeptPairs
from poolkit.sprites.links import follow_all, roots

if TYPE_CHECKING:
    from collections.abc import Callable

    _Group = pygame.sprite.Group[Any]
else:
    _Group = pygame.sprite.Group

__all__ = ["PooledGroup"]

_record_of = attrgetter("_pool_data")
_life_of = attrgetter("generation")


class PooledGroup(_Group):
    """A `pygame.sprite.Group` for pooled sprites, and for any others.

    What `image` and `rect` are at the moment of drawing is drawn, also when they were replaced.
    Unlike pygame's, it draws nothing for a sprite that has no image or no rect (yet).
    """

    def __init__(self, *sprites: Any) -> None:
        """Begin with `sprites`, which may be sprites, groups or iterables of them."""
        self._is_cleared = False
        self._kept_pairs = KeptPairs()
        self._offset: tuple[float, float] = (0, 0)
        super().__init__(*sprites)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Update every sprite that was in the group at the call and whose life still lasts.

        pygame's own group also updates those that were killed earlier in the pass; and an
        instance that was reused meanwhile would be updated in its new life.
        """
        members = self.spritedict
        sprites = list(members)
        try:
            records: Any = list(map(_record_of, sprites))
            lives = list(map(_life_of, records))
        except AttributeError:  # others than pooled sprites are in it
            records = list(map(_record_or_none, sprites))
            lives = list(map(_life_of, records))
        for sprite, record, life in zip(sprites, records, lives, strict=True):
            if sprite in members and record.generation == life:
                sprite.update(*args, **kwargs)
        if roots:
            follow_all()

    def draw(  # type: ignore[override]  # pygame's second parameter is unused there
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] | None = (0, 0),
        special_flags: int = 0,
    ) -> list[pygame.Rect | pygame.FRect]:
        """Draw all sprites, in the order in which they joined.

        Args:
            surface: What to draw on.
            offset: Added to every position, in pixels: the negative of where a camera looks.
                `None` is none, for it is the place of a parameter of pygame's that nothing uses.
            special_flags: As for `pygame.Surface.blit`.

        Returns:
            An empty list, as pygame's own group, which keeps no list of dirty rectangles either.
        """
        if roots:
            follow_all()
        shown: Any = self._kept_pairs.of(self.spritedict)
        self._offset = offset or (0, 0)
        dx, dy = self._offset
        if dx or dy:
            shown = [(image, rect.move(dx, dy)) for image, rect in shown]
        if self._is_cleared:
            self._draw_and_note(surface, shown, special_flags)
        else:
            surface.fblits(shown, special_flags)
        self.lostsprites = []
        return []

    def _draw_and_note(self, surface: pygame.Surface, shown: Any, special_flags: int) -> None:
        """Draw as pygame does, which tells what was drawn over: `clear` needs it, fblits can't."""
        pairs: Any = [(image, rect, None, special_flags) for image, rect in shown]
        drawn = iter(surface.blits(pairs) or ())
        for sprite in self.spritedict:
            is_shown = sprite.image is not None and sprite.rect is not None
            self.spritedict[sprite] = next(drawn) if is_shown else None

    def clear(
        self,
        surface: pygame.Surface,
        bgd: pygame.Surface | Callable[[pygame.Surface, Any], object],
    ) -> None:
        """Erase what the last `draw` drew, as pygame's group does.

        From its first use on, `draw` keeps the rectangles that this needs. The first time, where
        the sprites are now is taken for where they were drawn.
        """
        if not self._is_cleared:
            self._is_cleared = True
            for sprite in self.spritedict:
                if sprite.image is not None and sprite.rect is not None:
                    place = pygame.Rect(sprite.rect.move(self._offset))
                    self.spritedict[sprite] = sprite.image.get_rect(topleft=place.topleft)
        super().clear(surface, bgd)


class _NoRecord:
    """Stands for the record of a sprite that no pool manages: one life without end."""

    generation = 0


def _record_or_none(sprite: Any) -> PoolablePrefabData[Any] | type[_NoRecord]:
    record = getattr(sprite, "_pool_data", None)
    return record if isinstance(record, PoolablePrefabData) else _NoRecord
