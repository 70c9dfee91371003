"""A component: what several kinds of sprites have in common is an object that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit import IPoolableComponent
from rabbits.art import white

if TYPE_CHECKING:
    import pygame

__all__ = ["Health"]


class Health(IPoolableComponent):
    """Hit points: as many as there are at every spawn. A hit shows as a flash."""

    def __init__(self, maximum: int) -> None:
        """Take the hit points of a healthy one."""
        self.maximum = maximum

    def spawned(self) -> None:
        """Be healthy, whatever the life before came to."""
        self.left = self.maximum
        self.is_flashing = False

    def hurt(self, damage: int = 1) -> bool:
        """Lose hit points; tell whether none is left."""
        self.left -= damage
        self.is_flashing = True
        self.scope.after(0.08, self.stop_flashing)
        return self.left <= 0

    def stop_flashing(self) -> None:
        """Look as always again."""
        self.is_flashing = False

    def shown(self, image: pygame.Surface) -> pygame.Surface:
        """Return how a picture of its sprite looks now."""
        return white(image) if self.is_flashing else image
