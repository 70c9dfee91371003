"""The ship: a prefab that the player steers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from barrage.boss import clear
from barrage.pictures import ship_picture
from barrage.stage import AREA
from barrage.swarms import Shots, sample
from poolkit import PooledGroup, PooledSprite, Prefab

if TYPE_CHECKING:
    from barrage.controls import Wish
    from barrage.stage import Stage
    from barrage.swarms import Bullets, Sparks

ships: PooledGroup[Ship] = PooledGroup()
CORE, NEAR = 4.0, 34.0  # pixels around its middle that can be hit, or be grazed
BULLET = 5.0  # pixels: the part of a bullet that hits
FAST, FOCUSED = 430.0, 170.0  # pixels a second
SAFE = 2.5  # seconds without danger after a hit
RELOAD = 0.055  # seconds


class Ship(PooledSprite):
    """Flies, shoots, grazes and is hit."""

    safe: float = SAFE  # for a moment
    reload: float = 0.0
    is_focused: bool = False
    grazed: float = 0.0  # seconds since

    def __init__(self) -> None:
        super().__init__(ship_picture())

    def spawned(self, stage: Stage, bullets: Bullets, shots: Shots, sparks: Sparks) -> None:
        """Come in."""
        self.stage, self.bullets, self.shots, self.sparks = stage, bullets, shots, sparks

    def steer(self, wish: Wish, dt: float) -> None:
        """Do what the player wants."""
        self.is_focused = wish.focus
        speed = FOCUSED if wish.focus else FAST
        way = pygame.Vector2(wish.way)
        if wish.pointer is not None:
            way = (pygame.Vector2(wish.pointer) - self.position) / (speed * dt)
        if way.length() > 1:
            way.scale_to_length(1)
        x, y = self.position + way * (speed * dt)
        room = AREA.inflate(-40, -40)
        self.position = (
            min(max(x, room.left), room.right),
            min(max(y, room.top), room.bottom),
        )
        self.reload -= dt
        if wish.shoot and self.reload <= 0:
            self.reload = RELOAD
            spread = 3 if self.is_focused else 26
            for lane in (-1, 0, 1):
                place = self.position.x + 18, self.position.y + lane * 7
                self.shots.spawn(place, velocity=(900, lane * spread))

    def update(self, dt: float) -> None:
        """Graze, or be hit."""
        self.safe = max(0.0, self.safe - dt)
        self.grazed += dt
        if self.stage.is_show:
            return
        at = tuple(self.position)
        near = self.bullets.hits((at, NEAR))  # by their images, which are light for the most part
        distance = np.hypot(*(self.bullets.position[near] - at).T)
        new = near[(distance < NEAR) & ~np.asarray(self.bullets.is_grazed)[near]]
        if len(new):
            np.asarray(self.bullets.is_grazed)[new] = True
            self.stage.graze += len(new)
            self.stage.score += 10 * len(new)
            self.sparks.burst(4 * len(new), self.bullets.position[new], 160)
            self.grazed = 0.0
        if not self.safe and (distance < CORE + BULLET).any():
            self.be_hit(at)

    def be_hit(self, at: Any) -> None:
        """Lose a life; everything around bursts into sparks."""
        self.stage.lives -= 1
        self.safe = SAFE
        self.sparks.burst(400, at, 420)
        clear(self.bullets, self.sparks, self.bullets.hits((at, 330)))
        if self.stage.is_over:
            self.kill()

    def draw_core(self, surface: pygame.Surface) -> None:
        """Show where it can be hit, while the player focuses."""
        if self.is_focused and not self.stage.is_show:
            pulse = 2 * math.sin(self.stage.seconds * 9)
            pygame.draw.circle(surface, (255, 90, 130), self.position, NEAR + pulse, 1)
            pygame.draw.circle(surface, (255, 255, 255), self.position, CORE + 2)
            pygame.draw.circle(surface, (255, 60, 100), self.position, CORE)


ship = Prefab(Ship, name="ship", groups=[ships], sample_data=lambda: {**sample(), "shots": Shots()})
