"""Puffs of dust and sparks: sprites of a quarter of a second, for which pools were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, pools
from shared.pictures import frames

if TYPE_CHECKING:
    from collections.abc import Generator

    import pygame


effects = PooledGroup()


class Effect(PooledSprite):
    """Plays its frames once while it drifts, and is gone."""

    def __init__(self, images: tuple[pygame.Surface, ...], seconds: float) -> None:
        """Take the frames, and how long all of them last."""
        super().__init__(images[0])
        self.images = images
        self.seconds_a_frame = seconds / len(images)

    def spawned(self, drift: tuple[float, float] = (0, 0)) -> None:
        """Begin to play, moving by `drift` pixels per second."""
        self.drift = drift
        self.scope.start(self.play())

    def play(self) -> Generator[float]:
        """Show frame after frame. A despawn meanwhile ends this coroutine as well."""
        for image in self.images:
            self.image = image
            yield self.seconds_a_frame
        self.kill()

    def update(self, dt: float) -> None:
        """Drift."""
        dx, dy = self.drift
        self.rect.move_ip(dx * dt, dy * dt)


def make_puff() -> Effect:
    """Build a puff of dust."""
    return Effect(frames("puff", 6), 0.45)


def make_spark() -> Effect:
    """Build a spark, as of two heads that meet."""
    return Effect(frames("spark", 4), 0.3)


def make_ember() -> Effect:
    """Build a glowing speck that the heat carries up."""
    return Effect(frames("spark", 4)[3:] * 2, 2.5)


# Functions as factories: pictures can be loaded only once the screen is open.
puff = Prefab(make_puff, name="puff", groups=[effects], settings=PoolSettings(16, limit=16))
spark = Prefab(make_spark, name="spark", groups=[effects], settings=PoolSettings(24, limit=32))
ember = Prefab(make_ember, name="ember", groups=[effects], settings=PoolSettings(24, limit=32))


def show(
    effect: Prefab[Effect],
    position: tuple[float, float],
    drift: tuple[float, float] = (0, 0),
) -> None:
    """Show an effect, or none where there are enough already."""
    pools.try_spawn(effect, position, drift=drift)
