"""A group that draws with one call, in layers and for a camera, and skips the dead."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.errors import PoolError
from poolkit.core.record import PoolablePrefabData
from poolkit.sprites.kept_pairs import KeptPairs
from poolkit.sprites.layers import Layers
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

    Args:
        *sprites: Sprites, groups or iterables of them, to begin with.
        layers: In which order sprites are drawn. `False`: as they joined. `True`: by their
            `layer`, the lowest first, 0 for those without one. A function: by what it returns for
            a sprite, as ``lambda sprite: sprite.rect.bottom`` where what is nearer stands lower
            on the screen. Within a layer, as they joined. A change counts from the next `draw`.

    Raises:
        TypeError: `layers` is neither a `bool` nor a function.
    """

    def __init__(self, *sprites: Any, layers: bool | Callable[[Any], Any] = False) -> None:
        """Begin with `sprites`."""
        if not (isinstance(layers, bool) or callable(layers)):
            message = f"layers must be True, False or a function of a sprite, not {layers!r}"
            raise TypeError(message)
        self._layers = Layers(layers if callable(layers) else None) if layers else None
        self._is_cleared = False
        self._kept_pairs = KeptPairs()
        self._offset: tuple[float, float] = (0, 0)
        super().__init__(*sprites)

    def copy(self) -> Self:
        """Return another group of the same sprites, which draws them in the same order."""
        group: Self = super().copy()
        group._layers = None if self._layers is None else self._layers.like()
        return group

    def change_layer(self, sprite: Any, layer: int) -> None:
        """Set the layer of a sprite that is in this group: it is drawn there from now on.

        Raises:
            LookupError: It is not in this group.
            PoolError: This group has no layers.
        """
        if self._layers is None:
            message = f"{self!r} draws sprites as they joined: make it with layers=True"
            raise PoolError(message)
        if sprite not in self.spritedict:
            message = f"{sprite!r} is not in {self!r}"
            raise LookupError(message)
        sprite._layer = layer

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
        """Draw all sprites, in the order in which they joined, or by layer.

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
        members: Any = self.spritedict
        if self._layers is not None:
            members = self._layers.sort(members)
        self._offset = dx, dy = offset or (0, 0)
        pairs = self._kept_pairs
        shown = pairs.moved(members, dx, dy) if dx or dy else pairs.of(members)
        if self._is_cleared:
            self._draw_and_note(surface, members, shown, special_flags)
        else:
            surface.fblits(shown, special_flags)
        self.lostsprites = []
        return []

    def _draw_and_note(
        self,
        surface: pygame.Surface,
        members: Any,
        shown: list[tuple[Any, Any]],
        special_flags: int,
    ) -> None:
        """Draw as pygame does, which tells what was drawn over: `clear` needs it, fblits can't."""
        pairs: Any = [(image, rect, None, special_flags) for image, rect in shown]
        drawn = iter(surface.blits(pairs) or ())
        for sprite in members:
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
