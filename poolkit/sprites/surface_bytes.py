"""How many bytes of pixels a pool's instances show, for reports."""

from __future__ import annotations

import contextlib
from typing import Any

import pygame

from poolkit.core.statistics import surface_meters


def bytes_shown(pool: Any) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a cut-out of a sheet as the whole sheet; what they show upright, or were
    turned from, counts as well.
    """
    sizes: dict[int, int] = {}
    for record in pool._records:
        for snapshot in getattr(record, "snapshots", ()):  # others are no sprites
            sprite = snapshot.sprite
            upright = getattr(getattr(sprite, "_turning", None), "upright", None)
            for image in getattr(sprite, "image", None), getattr(snapshot, "image", None), upright:
                if isinstance(image, pygame.Surface):
                    with contextlib.suppress(pygame.error):  # the screen of a display now closed
                        sheet = image.get_abs_parent()
                        sizes[id(sheet)] = sheet.get_pitch() * sheet.get_height()
    return sum(sizes.values())


surface_meters.append(bytes_shown)
