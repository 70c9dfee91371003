"""The simplest pooled sprites: puffs, sparks, shards and words, which are gone in a moment.

A class says what an instance is; a prefab how many of them there may be, and where they are seen.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from poolkit import PooledSprite, PoolSettings, Prefab, RecycleOldest, pools
from rabbits.art import frames, written
from rabbits.stage import effects

if TYPE_CHECKING:
    from collections.abc import Generator

    import pygame


class Burst(PooledSprite):
    """Plays its frames once, and is gone."""

    def __init__(self, name: str, count: int, seconds: float) -> None:
        """Take so many frames of a picture, and how long all of them last."""
        self.frames = frames(name, count)
        self.seconds = seconds
        super().__init__(self.frames[0])

    def spawned(self) -> None:
        """Begin. What a scope starts ends with the life, whatever ends that."""
        self.scope.start(self.play())

    def play(self) -> Generator[float]:
        """Show frame after frame: a coroutine, which yields the seconds it wants to wait."""
        for frame in self.frames:
            self.image = frame
            yield self.seconds / len(self.frames)
        self.kill()


def make_puff() -> Burst:
    """Build a cloud of dust."""
    return Burst("puff", 6, 0.4)


def make_spark() -> Burst:
    """Build a star, where one thing hits another."""
    return Burst("spark", 4, 0.2)


class Shard(PooledSprite):
    """A piece of a phone, or a tuft of fur, that flies off."""

    rotation_steps = 16  # turned images are made once each, and shared: a few are enough

    def spawned(self, image: pygame.Surface, velocity: tuple[float, float]) -> None:
        """Fly, at so many pixels a second. What differs from life to life is spawn data."""
        self.image = image
        self.velocity = velocity
        self.spin = random.uniform(-500, 500)  # degrees a second
        self.scope.after(random.uniform(0.4, 0.8), self.kill)

    def update(self, dt: float) -> None:
        """Fall, and turn."""
        dx, dy = self.velocity
        self.velocity = dx, dy + 500 * dt
        self.position += (dx * dt, dy * dt)
        self.rotation += self.spin * dt


class Words(PooledSprite):
    """Points or praise that rise from where they were earned."""

    def spawned(self, text: str, color: str) -> None:
        """Appear."""
        self.image = written(text, color)
        self.rect = self.image.get_frect(center=self.rect.center)
        self.scope.after(0.8, self.kill)

    def update(self, dt: float) -> None:
        """Rise."""
        self.rect.y -= 26 * dt


# The end of an old effect does no harm: at the limit it makes room for a new one.
few = PoolSettings(limit=40, overflow=RecycleOldest())
many = PoolSettings(limit=250, overflow=RecycleOldest())
puff = Prefab(make_puff, name="puff", groups=[effects], settings=few)
spark = Prefab(make_spark, name="spark", groups=[effects], settings=few)
shard = Prefab(Shard, name="shard", groups=[effects], settings=many)
words = Prefab(Words, name="words", groups=[effects], settings=few)


def scatter(images: tuple[pygame.Surface, ...], position: tuple[float, float], count: int) -> None:
    """Let `count` pieces fly off in all directions."""
    for number in range(count):
        velocity = random.uniform(-130, 130), random.uniform(-220, 10)
        pools.spawn(shard, position, image=images[number % len(images)], velocity=velocity)


def shout(text: str, position: tuple[float, float], color: str = "white") -> None:
    """Let words rise from a place, or beside it: there may be others."""
    x, y = position
    pools.spawn(words, (x + random.uniform(-9, 9), y), text=text, color=color)
