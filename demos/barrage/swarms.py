"""The swarms: bullets, shots, sparks, trails and stars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pygame

from barrage.pictures import COLORS, CYAN, DIM, PEARLS, bullet_pictures, glow
from barrage.stage import AREA, MOST_BULLETS, Stage
from poolkit import RecycleOldest
from poolkit.swarms import Swarm, Vec2, ring

FADING = ["white", (255, 230, 140), (255, 150, 60), (220, 60, 40), (120, 24, 40), (48, 14, 34)]
PETALS = 24  # bullets that one with a fuse bursts into


class Bullets(Swarm):
    """The dragon's bullets: they turn, change their speed, burst, and are grazed."""

    velocity: Vec2
    color: int = 0
    turn: float = 0.0  # degrees a second
    gain: float = 0.0  # of its speed, a second
    fuse: float = math.inf  # seconds after which it bursts
    is_grazed: bool = False

    def __init__(self) -> None:
        area, limit = AREA.inflate(160, 160), MOST_BULLETS
        images = bullet_pictures()
        super().__init__(
            images, limit=limit, overflow=RecycleOldest(), lifetime=30, area=area, name="bullets"
        )

    def update(self, dt: float) -> None:
        """Turn, speed up, and end those whose fuse has burned down."""
        self.bend(np.asarray(self.turn).nonzero()[0], dt)
        gaining = np.asarray(self.gain).nonzero()[0]
        if len(gaining):
            self.velocity[gaining] *= (1 + np.asarray(self.gain)[gaining] * dt)[:, None]
        self.despawn(self.age >= np.asarray(self.fuse))
        super().update(dt)

    def bend(self, rows: Any, dt: float) -> None:
        """Turn the velocities of rows."""
        if len(rows):
            angle = np.radians(np.asarray(self.turn)[rows] * -dt)
            cos, sin, (vx, vy) = np.cos(angle), np.sin(angle), self.velocity[rows].T
            self.velocity[rows] = np.stack([vx * cos - vy * sin, vx * sin + vy * cos], axis=1)

    def ended(self, rows: Any) -> None:
        """Burst those whose fuse has burned down."""
        rows = rows[self.age[rows] >= np.asarray(self.fuse)[rows]]
        if len(rows):
            sources = np.repeat(rows, PETALS)
            color = np.asarray(self.color)[sources]
            self.spawn_many(
                len(sources),
                position=self.position[sources],
                velocity=np.tile(ring(PETALS, 120), (len(rows), 1)),
                color=color,
                frame=np.maximum(self.frame[sources], PEARLS + color),  # as small as it was
                gain=0.15,
            )


class Shots(Swarm):
    """The ship's shots, which fly straight on."""

    velocity: Vec2

    def __init__(self) -> None:
        image = glow(20, COLORS[CYAN], core=0.3, length=3.2)
        super().__init__(image, limit=400, overflow=RecycleOldest(), area=AREA, name="shots")


class Sparks(Swarm):
    """Dots that fly off, slow down and fade, from white to red."""

    velocity: Vec2

    def __init__(self, stage: Stage) -> None:
        super().__init__(
            2, colors=FADING, lifetime=0.8, limit=20_000, overflow=RecycleOldest(), name="sparks"
        )
        self.dice = stage.dice

    def update(self, dt: float) -> None:
        """Slow down."""
        self.velocity *= 1 - 1.8 * dt
        super().update(dt)

    def burst(self, count: int, position: Any, speed: float = 260.0) -> None:
        """Let `count` sparks fly off from one or several positions."""
        places = np.resize(np.asarray(position, dtype=float).reshape(-1, 2), (count, 2))
        velocity = self.dice.normal(0, speed / 2, (count, 2))
        self.spawn_many(
            count, position=places, velocity=velocity, age=self.dice.uniform(0, 0.4, count)
        )


class Trails(Swarm):
    """Dots that bullets leave behind, in their color."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(
            (2, DIM), lifetime=0.35, limit=30_000, overflow=RecycleOldest(), name="trails"
        )
        self.dice = stage.dice

    def follow(self, bullets: Bullets) -> None:
        """Leave dots behind a random part of the bullets, up to 900 a frame."""
        share = min(0.4, 900 / (len(bullets) + 1))
        rows = (self.dice.random(len(bullets.alive)) < share).nonzero()[0]
        places = bullets.position[rows] + self.dice.normal(0, 2.0, (len(rows), 2))
        color = np.asarray(bullets.color)[rows]
        age = self.dice.uniform(0, 0.2, len(rows))
        self.spawn_many(len(rows), position=places, frame=color, age=age)


class Stars(Swarm):
    """They drift by and come in again on the right; bright ones are faster."""

    velocity: Vec2

    def __init__(self, stage: Stage) -> None:
        shades = [(70, 74, 110), (120, 124, 160), (196, 200, 230)]
        super().__init__((1, shades), limit=260, name="stars")
        frame = stage.dice.integers(0, 3, 260)
        speed = np.stack([-14.0 * (frame + 1) ** 2, np.zeros(260)], axis=1)
        places = stage.dice.uniform((0, 0), AREA.size, (260, 2))
        self.spawn_many(260, position=places, velocity=speed, frame=frame)

    def update(self, dt: float) -> None:
        """Drift."""
        super().update(dt)
        self.position[:, 0] %= AREA.width


def draw_light(swarm: Swarm, surface: pygame.Surface) -> None:
    """Draw what glows, adding light to light."""
    swarm.draw(surface, special_flags=pygame.BLEND_ADD)


def sample() -> dict[str, Any]:
    """Return what tools give to a dragon or a ship that they spawn by themselves."""
    stage = Stage(np.random.default_rng(1))
    return {"stage": stage, "bullets": Bullets(), "sparks": Sparks(stage)}
