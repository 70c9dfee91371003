"""The gem: a pooled sprite. Its picture and its numbers are in prefabs.toml."""

import pygame
from poolkit import PooledGroup

from sprites import Animated

GROUND = 322  # pixels from the top
gems = PooledGroup["Gem"]()


class Gem(Animated):
    """Falls, bounces, and is gone after some seconds."""

    # Fields: each life begins with them as good as new, or with what its spawn or the file gives.
    velocity: pygame.Vector2 = pygame.Vector2()  # pixels a second
    points: int = 1
    seconds: float = 5.0

    def spawned(self) -> None:
        """Begin a life: do here what takes more than a value."""
        self.scope.after(self.seconds, self.kill)  # kill puts the gem back into its pool

    def update(self, dt: float) -> None:
        self.velocity.y += 400 * dt
        self.position += self.velocity * dt
        if self.rect.bottom > GROUND:
            self.rect.bottom = GROUND
            self.velocity.y *= -0.7


def move(dt: float) -> None:
    gems.update(dt)
