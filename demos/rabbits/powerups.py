"""Power-ups: bubbles with something good in them, if one is quick enough."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from rabbits.art import frames
from rabbits.effects import burst, puff
from rabbits.stage import DINOSAUR, SOLID, THING, collides, powerups, world

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["KINDS", "PowerUp", "drop", "powerup"]

KINDS = "fast", "triple", "shield", "heart"
CHANCES = 5, 5, 3, 1


class PowerUp(PooledSprite):
    """Bounces about for a while, blinks, and bursts."""

    def __init__(self) -> None:
        """Build the body."""
        self.bubbles = dict(zip(KINDS, frames("powerup", len(KINDS)), strict=True))
        super().__init__(self.bubbles["fast"])
        self.body = pymunk.Body(1, float("inf"))  # an infinite moment: it never turns over
        shape = pymunk.Circle(self.body, 9)
        shape.elasticity = 0.6
        shape.friction = 0.9
        shape.filter = collides(THING, SOLID, DINOSAUR)
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, kind: str) -> None:
        """Hop up, and begin to wait."""
        self.kind = kind
        self.body.velocity = random.uniform(-40, 40), -200
        self.scope.start(self.wait())

    def wait(self) -> Generator[float]:
        """Be seen for seven seconds, and blink for three."""
        bubble = self.bubbles[self.kind]
        self.image = bubble
        yield 7
        for _ in range(15):
            self.image = None  # nothing is drawn
            yield 0.1
            self.image = bubble
            yield 0.1
        burst(puff, self.position)
        self.kill()


powerup = Prefab(
    PowerUp,
    name="powerup",
    groups=[powerups],
    settings=PoolSettings(limit=6),
    sample_data={"kind": "shield"},
)


def drop(position: tuple[float, float]) -> None:
    """Leave one at a place. Where there are six, that is enough: `try_spawn` returns `None`."""
    pools.try_spawn(powerup, position, kind=random.choices(KINDS, CHANCES)[0])
