"""The ball: a pooled sprite. Its numbers are in prefabs.toml."""

from pathlib import Path

import pygame
from poolkit import PooledGroup, PooledSprite
from poolkit.content import PrefabFile

balls: PooledGroup["Ball"] = PooledGroup()


class Ball(PooledSprite):
    """Flies, falls, and is gone after some seconds."""

    # Fields: each life begins with them as good as new, or with what its spawn or the file gives.
    velocity: pygame.Vector2 = pygame.Vector2()  # pixels a second
    seconds: float = 3.0

    def __init__(self, color: pygame.Color, radius: int = 8) -> None:
        """Build what every life keeps: this runs once for an instance."""
        image = pygame.Surface((2 * radius, 2 * radius), pygame.SRCALPHA)
        pygame.draw.circle(image, color, (radius, radius), radius)
        super().__init__(image)

    def spawned(self) -> None:
        """Begin a life: do here what takes more than a value."""
        self.scope.after(self.seconds, self.kill)  # kill puts the ball back into its pool

    def update(self, dt: float) -> None:
        """Fall."""
        self.velocity.y += 400 * dt
        self.position += self.velocity * dt


book = PrefabFile(Path(__file__).with_name("prefabs.toml"), classes=[Ball], groups={"balls": balls})


def move(dt: float) -> None:
    balls.update(dt)
