"""Draws what the physics sees: the outline of every shape, and where bodies are headed."""

import pygame
import pymunk

from poolkit.physics import PhysicsWorld

SOLID, BODY, MOTION = (120, 150, 190), (120, 255, 170), (255, 240, 120)


def draw_shapes(surface: pygame.Surface, world: PhysicsWorld) -> None:
    """Draw all shapes of the world; of those that move, also where to."""
    for shape in world.space.shapes:
        body = shape.body
        if body is None or not isinstance(shape, pymunk.Poly):
            continue
        sprite = world.sprite_of(shape)
        corners = [body.local_to_world(corner) for corner in shape.get_vertices()]
        pygame.draw.polygon(surface, BODY if sprite else SOLID, corners, 2)
        if sprite:
            start = body.position
            pygame.draw.circle(surface, MOTION, start, 3)
            pygame.draw.line(surface, MOTION, start, start + body.velocity * 0.12, 2)
