"""The `(image, rect)` pairs of a group's sprites, kept from one drawing to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["KeptPairs"]


class KeptPairs:
    """What is to be drawn of some sprites, as `pygame.Surface.fblits` takes it.

    A rect that is moved in place leaves its pair right, so most frames build none. Building them
    anew, some thousand tuples a frame, would call Python's collector in every single one.
    """

    __slots__ = ("_moved", "_pairs", "_shown")  # `_shown` is `_pairs` where all are drawn

    def __init__(self) -> None:
        """Begin with nothing."""
        self._moved: list[tuple[Any, pygame.FRect]] = []
        self._pairs: list[tuple[Any, Any]] = []
        self._shown: list[tuple[Any, Any]] | None = None

    def of(self, members: Collection[Any]) -> list[tuple[Any, Any]]:
        """Return the pairs of `members`, less those without an image or a rect."""
        pairs = self._pairs
        if len(members) != len(pairs):
            pairs = self._pairs = [(sprite.image, sprite.rect) for sprite in members]
            self._shown = None
        else:
            # Who is drawn where does not matter, so no sprite is kept: only what is drawn.
            place = 0
            for sprite, (image, rect) in zip(members, pairs, strict=True):
                if sprite.image is not image or sprite.rect is not rect:
                    pair = pairs[place] = sprite.image, sprite.rect
                    if self._shown is not pairs or pair[0] is None or pair[1] is None:
                        self._shown = None
                place += 1  # noqa: SIM113 - enumerate would build a tuple a sprite
        if self._shown is None:
            # fblits draws up to the first pair that it can't draw, so none may be among them.
            shown = [pair for pair in pairs if pair[0] is not None and pair[1] is not None]
            self._shown = pairs if len(shown) == len(pairs) else shown
        return self._shown

    def moved(self, members: Collection[Any], dx: float, dy: float) -> list[tuple[Any, Any]]:
        """Return the same with every rect moved by ``(dx, dy)`` pixels; the sprites stay."""
        shown, moved = self.of(members), self._moved
        if len(shown) != len(moved):
            moved = self._moved = [(image, pygame.FRect()) for image, _ in shown]
        place = 0
        for (image, rect), (former, kept) in zip(shown, moved, strict=True):
            kept.update(rect.move(dx, dy))
            if image is not former:
                moved[place] = image, kept
            place += 1  # noqa: SIM113 - enumerate would build a tuple a sprite
        return moved
