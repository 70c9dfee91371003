"""How many bytes of pixels a pool's instances show, for reports."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.statistics import surface_meters
from poolkit.sprites.records import PooledSpriteData
from poolkit.sprites.rotation import rotation_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.record import PoolablePrefabData


def bytes_shown(pool: Any) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a cut-out of a sheet as the whole sheet; images that the rotation cache keeps
    turned for them come on top, those that other prefabs' instances share included.
    """
    sizes: dict[int, int] = {}
    for record in pool._records:
        for image, steps in _images_of(record):
            # A turned one counts with its set; what the cache has dropped, like any other.
            if not isinstance(image, pygame.Surface) or rotation_cache.holds(image):
                continue
            with contextlib.suppress(pygame.error):  # the screen of a display that was closed
                sheet = image.get_abs_parent()
                sizes[id(sheet)] = sheet.get_pitch() * sheet.get_height()
            for turned in rotation_cache.sets_of(image):
                if turned.steps == steps:
                    sizes[id(turned)] = turned.bytes_held()
    return sum(sizes.values())


def _images_of(record: PoolablePrefabData[Any]) -> Iterator[tuple[object, int | None]]:
    """Yield what the sprites of a record show, or are turned from, and in how many steps."""
    if isinstance(record, PooledSpriteData):
        for snapshot in record._snapshots:
            sprite, turning = snapshot.sprite, snapshot.sprite._turning
            upright = None if turning is None else turning.upright
            for image in (sprite.image, snapshot.image, upright):
                yield image, sprite.rotation_steps
    elif isinstance(record.instance, pygame.sprite.Sprite):
        yield getattr(record.instance, "image", None), None


surface_meters.append(bytes_shown)
