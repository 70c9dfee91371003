"""What a pool's instances look like, in a small picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from poolkit.core.pool import PrefabPool

__all__ = ["thumbnail"]

_LARGEST = 1024  # pixels a side: of a larger picture, the transparent rim is not looked for


def thumbnail(pool: PrefabPool[Any], side: int) -> pygame.Surface | None:
    """Return a picture of an active instance that fits a square of `side` screen pixels.

    `None` if none is alive, or it has no image. Instances at rest are not looked at: in strict
    mode, they refuse.
    """
    data = next(iter(pool._active), None)
    try:
        image = getattr(data.instance, "image", None) if data is not None else None
    except Exception:
        return None  # an image that the game computes: it may fail, the overlay may not
    if not isinstance(image, pygame.Surface) or not all(image.get_size()):
        return None
    area = image.get_rect()
    if max(area.size) <= _LARGEST:
        area = image.get_bounding_rect() or area
    # A copy of one known format: an image may have a palette, a colour key, or no alpha.
    copy = pygame.Surface(area.size, pygame.SRCALPHA, 32)
    copy.blit(image, (0, 0), area)
    if max(area.size) > side:
        ratio = side / max(area.size)
        size = max(1, round(area.width * ratio)), max(1, round(area.height * ratio))
        return pygame.transform.smoothscale(copy, size)
    return pygame.transform.scale_by(copy, max(1, min(3, side // max(area.size))))
