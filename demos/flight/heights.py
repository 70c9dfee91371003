"""High above the clouds: the scene that dragons fly in."""

from collections.abc import Mapping
from typing import Any

import pygame

from flight.balloon import Balloon, balloon, balloons, board, call_dragon, dismiss_dragon
from flight.dragon import dragon, dragons
from flight.news import latest
from flight.riders import KINDS, riders
from poolkit import pools
from shared.effects import effects, puff, spark
from shared.pictures import picture
from shared.scene_demo import SIZE, DemoScene


class Heights(DemoScene):
    """Dragons above the clouds, at night or at dawn."""

    def __init__(self, mood: str) -> None:
        """Choose ``"night"`` or ``"dawn"``."""
        self.mood = mood
        self.name, self.backdrop = f"{mood} flight", f"air_{mood}"
        self.seconds = 0.0

    def prewarm(self) -> Mapping[Any, int]:
        """Have enough of each ready."""
        flying = {prefab: prefab.settings.prespawn for prefab in (dragon, *KINDS, puff, spark)}
        return flying | {balloon: 1}

    def enter(self) -> None:
        """Let the balloon come, if it has not been here in the scene before, and three dragons."""
        latest.clear()
        if not balloons:
            pools.spawn(balloon)
        for _ in range(3):
            call_dragon()
        for _ in range(4):
            board()

    @property
    def balloon(self) -> Balloon:
        """The spawner."""
        found: Balloon = balloons.sprites()[0]
        return found

    def handle_event(self, event: pygame.Event) -> None:
        """Pause the spawner, let a dragon come, or one go."""
        if event.type != pygame.KEYDOWN:
            return
        if event.key == pygame.K_SPACE:
            self.balloon.pause_or_go_on()
        elif event.key == pygame.K_d:
            call_dragon()
        elif event.key == pygame.K_k:
            dismiss_dragon()

    def update(self, dt: float) -> None:
        """Let everybody fly on. What was spawned under a parent follows it by itself."""
        self.seconds += dt
        for group in (balloons, dragons, riders, effects):
            group.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the sky, what scrolls past, and who flies there."""
        surface.blit(picture(self.backdrop), (0, 0))
        self.draw_strip(surface, "peaks", SIZE[1] - 62, 16)
        balloons.draw(surface)
        dragons.draw(surface)
        riders.draw(surface)
        effects.draw(surface)
        self.draw_strip(surface, "sea", SIZE[1] + 28, 70)

    def draw_strip(self, surface: pygame.Surface, name: str, bottom: int, speed: float) -> None:
        """Draw a picture that joins on to itself, moved by `speed` pixels per second."""
        strip = picture(f"{name}_{self.mood}")
        left = -int(self.seconds * speed) % strip.get_width() - strip.get_width()
        for x in (left, left + strip.get_width()):
            surface.blit(strip, (x, bottom - strip.get_height()))
