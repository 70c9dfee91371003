"""How many bytes of pixels a pool's instances show, for reports."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.prefab_pool import PrefabPool
from poolkit.core.statistics import surface_meters
from poolkit.sprites.data import PooledSpriteData
from poolkit.sprites.shared_image import SharedImage
from poolkit.sprites.turned_images import rotation_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.stock import Stock

__all__ = ["bytes_shown"]


def bytes_shown(pool: Stock[Any]) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a cut-out of a sheet as the whole sheet; images that the rotation cache keeps
    turned for them come on top.
    """
    sheets: dict[int, int] = {}
    for data in pool.records:
        for image in _images_of(data):
            if not isinstance(image, pygame.Surface) or _is_turned(image):
                continue
            with contextlib.suppress(pygame.error):  # the screen of a display that was closed
                sheet = image.get_abs_parent()
                sheets[id(sheet)] = sheet.get_pitch() * sheet.get_height()
    turned = rotation_cache.bytes_of(pool) if isinstance(pool, PrefabPool) else 0
    return sum(sheets.values()) + turned


def _images_of(data: PoolablePrefabData[Any]) -> Iterator[object]:
    if isinstance(data, PooledSpriteData):
        for home in data._homes:
            yield home.sprite.image
            yield from home.uprights()
    elif isinstance(data.instance, pygame.sprite.Sprite):
        yield getattr(data.instance, "image", None)


def _is_turned(image: pygame.Surface) -> bool:
    # One that a sprite shows although the cache has dropped it counts like any other.
    return isinstance(image, SharedImage) and image in rotation_cache._recent


surface_meters.append(bytes_shown)
