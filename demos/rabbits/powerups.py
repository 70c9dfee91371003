"""Power-ups: bubbles with something good in them, for players who are quick enough."""

import math
import random
from collections.abc import Generator

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab
from rabbits.effects import burst
from rabbits.stage import BUBBLE, embody, powerups
from shared.pictures import frames

POWERS = {"fast": 9.0, "triple": 9.0, "shield": 14.0, "heart": 0.0}  # seconds
CHANCES = 8, 8, 5, 1


class PowerUp(PooledSprite):
    """Bounces about for a while, blinks, and bursts."""

    def __init__(self) -> None:
        self.bubbles = dict(zip(POWERS, frames("rabbits/powerup", len(POWERS)), strict=True))
        super().__init__(self.bubbles["fast"])
        self.body = pymunk.Body(1, math.inf)  # an infinite moment: it never turns over
        embody(self, self.body, BUBBLE, pymunk.Circle(self.body, 9), bounce=0.9)

    def spawned(self, kind: str = "") -> None:
        """Hop up with a power, a random one unless `kind` says which."""
        self.kind = kind or random.choices(list(POWERS), CHANCES)[0]
        self.image = self.bubbles[self.kind]
        self.body.velocity = random.uniform(-40, 40), -200
        self.scope.start(self.wait())

    def wait(self) -> Generator[float]:
        """Stay for seven seconds, blink for three, and burst."""
        yield 7.0
        for blink in range(30):
            self.image = self.bubbles[self.kind] if blink % 2 else None  # nothing is drawn
            yield 0.1
        burst(self.position)
        self.kill()


powerup = Prefab(PowerUp, name="powerup", groups=[powerups], settings=PoolSettings(limit=6))
