"""Power-ups: bubbles with something good in them, if one is quick enough."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import frames
from rabbits.effects import puff
from rabbits.stage import BUBBLE, embody, powerups

if TYPE_CHECKING:
    from collections.abc import Generator

POWERS = {"fast": 9.0, "triple": 9.0, "shield": 14.0, "heart": 0.0}  # seconds
CHANCES = 8, 8, 5, 1


class PowerUp(PooledSprite):
    """Bounces about for a while, blinks, and bursts."""

    def __init__(self) -> None:
        """Build the body; its infinite moment keeps it from turning over."""
        self.bubbles = dict(zip(POWERS, frames("powerup", len(POWERS)), strict=True))
        super().__init__(self.bubbles["fast"])
        shape = pymunk.Circle(pymunk.Body(1, float("inf")), 9)
        self.body = embody(self, BUBBLE, shape, bounce=0.9)

    def spawned(self, kind: str) -> None:
        """Hop up, and begin to wait."""
        self.kind = kind
        self.body.velocity = random.uniform(-40, 40), -200
        self.scope.start(self.wait())

    def wait(self) -> Generator[float]:
        """Be seen for seven seconds, and blink for three."""
        self.image = self.bubbles[self.kind]
        yield 7
        for _ in range(15):
            self.image = None  # nothing is drawn
            yield 0.1
            self.image = self.bubbles[self.kind]
            yield 0.1
        pools.spawn(puff, self.position)
        self.kill()


settings = PoolSettings(limit=6)
sample = {"kind": "shield"}
powerup = Prefab(PowerUp, name="powerup", groups=[powerups], settings=settings, sample_data=sample)


def drop(position: tuple[float, float]) -> None:
    """Leave one at a place. Six are enough: then `try_spawn` spawns none."""
    pools.try_spawn(powerup, position, kind=random.choices(list(POWERS), CHANCES)[0])
