"""The level: throws a ball twice a second, and one at each click."""

import random

import pygame
from poolkit import Prefab, pools
from poolkit.scenes import Scene

from ball import Ball, balls, book, move


class Level(Scene):
    """What is on the screen until another scene is loaded."""

    def prewarm(self) -> dict[Prefab[Ball], int]:
        """Say how many balls are built while the level loads."""
        return {book["ball"]: 12}

    def enter(self) -> None:
        self.scope.every(0.5, lambda: self.throw((320, 340)))

    def handle_event(self, event: pygame.Event) -> None:
        """Throw a ball from where the player clicks."""
        if event.type == pygame.MOUSEBUTTONDOWN:
            self.throw(event.pos)

    def throw(self, position: tuple[float, float]) -> None:
        pools.spawn("ball", position, velocity=(random.uniform(-150, 150), -400))

    def update(self, dt: float) -> None:
        pools.update(dt)  # timers, and who may be used again
        move(dt)

    def draw(self, surface: pygame.Surface) -> None:
        surface.fill("midnightblue")
        balls.draw(surface)
