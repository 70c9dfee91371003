"""Draws what the physics sees: the outline of every shape, and where bodies are headed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
import pymunk

from shared.pixel_font import draw_text

if TYPE_CHECKING:
    from poolkit.physics import PhysicsWorld

__all__ = ["draw_shapes"]

SOLID, BODY, MOTION = (120, 150, 190), (120, 255, 170), (255, 240, 120)


def draw_shapes(surface: pygame.Surface, world: PhysicsWorld) -> None:
    """Draw all shapes of the world; those of monsters with their names and numbers."""
    for shape in world.space.shapes:
        body = shape.body
        if body is None or not isinstance(shape, pymunk.Poly):
            continue
        sprite = world.sprite_of(shape)
        corners = [body.local_to_world(corner) for corner in shape.get_vertices()]
        pygame.draw.polygon(surface, BODY if sprite else SOLID, corners, 2)
        if sprite and sprite.prefab:
            start = body.position
            pygame.draw.line(surface, MOTION, start, start + body.velocity * 0.12, 2)
            place = int(sprite.rect.centerx), int(sprite.rect.bottom) + 4
            draw_text(surface, sprite.prefab.name, place, BODY, align=0.5)
