"""Phones: sprites with bodies. They bounce, and break after a few knocks."""

from __future__ import annotations

import random

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, RecycleOldest
from rabbits.art import frames
from rabbits.effects import scatter
from rabbits.sound import play
from rabbits.stage import PHONE, embody, phones

SIZE = 11, 7
KNOCKS = 3  # of which the last one is too much


class Phone(PooledSprite):
    """Flies, turns over, bounces, cracks, and goes to pieces."""

    rotation_steps = 32

    def __init__(self) -> None:
        """Build what is built once: all lives of the instance share it."""
        self.cracks = frames("phone", KNOCKS)
        super().__init__(self.cracks[0])
        body = pymunk.Body(1, pymunk.moment_for_box(1, SIZE))
        self.body = embody(self, PHONE, pymunk.Poly.create_box(body, SIZE), bounce=0.9)

    def spawned(self, velocity: tuple[float, float]) -> None:
        """Fly. What a life changes, it sets anew when it begins."""
        self.body.velocity = velocity
        self.body.angular_velocity = random.uniform(6, 14) * (1 if velocity[0] > 0 else -1)
        self.knocks = 0
        self.victims = 0
        self.scope.after(3.5, self.break_up)  # if it is not broken before: then this is off

    def knock(self) -> None:
        """Bump into something: crack, or break."""
        self.knocks += 1
        if self.knocks == KNOCKS:
            self.break_up()
        else:
            self.image = self.cracks[self.knocks]
            play("bounce")

    def break_up(self) -> None:
        """Go to pieces."""
        scatter(frames("shard", 5), self.position, 5)
        play("break")
        self.kill()  # last: what comes after it belongs to nobody's life


settings = PoolSettings(limit=60, overflow=RecycleOldest())
sample = {"velocity": (200, -100)}  # for tools that spawn one by themselves, such as the audit
phone = Prefab(Phone, name="phone", groups=[phones], settings=settings, sample_data=sample)
