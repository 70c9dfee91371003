"""Sprites: what all of them are, the wizard, and the sparks of what he catches."""

import pygame
from poolkit import Animation, PooledSprite


class Animated(PooledSprite):
    """Shows frames, which stand side by side in a picture."""

    def __init__(
        self, sheet: pygame.Surface, frames: int, fps: float, *, once: bool = False
    ) -> None:
        """Build what every life keeps: this runs once for an instance."""
        width, height = sheet.get_width() // frames, sheet.get_height()
        images = [sheet.subsurface((width * n, 0, width, height)) for n in range(frames)]
        super().__init__(images[0])
        self.add_component(Animation(images, fps=fps, then="kill" if once else None))


class Wizard(Animated):
    """Goes where he is led."""

    goal: float = 320.0  # a field: each life begins with it as good as new; pixels from the left

    def update(self, dt: float) -> None:
        self.position = self.position.move_towards((self.goal, self.position.y), 420 * dt)


class Spark(Animated):
    """Flies until its frames are over."""

    velocity: pygame.Vector2 = pygame.Vector2()  # its spawn gives it; pixels a second

    def update(self, dt: float) -> None:
        self.position += self.velocity * dt
