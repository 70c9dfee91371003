"""Phones: they fly, bounce, hurt enemies, and break after a few knocks."""

import random

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, RecycleOldest
from rabbits.effects import burst, scatter
from rabbits.enemies import Enemy
from rabbits.scenery import Solid
from rabbits.sound import play
from rabbits.stage import PHONE, embody, phones, world
from rabbits.tally import tally
from shared.pictures import frames


class Phone(PooledSprite):
    """Flies, spins, bounces, cracks, and breaks."""

    rotation_steps = 32
    knocks: int = 0  # a field, as the next one: each life begins with it as good as new
    has_hit: bool = False

    def __init__(self) -> None:
        """Build what all lives of the instance share."""
        self.cracks = frames("rabbits/phone", 3)
        super().__init__(self.cracks[0])
        size = 11, 7
        self.body = pymunk.Body(1, pymunk.moment_for_box(1, size))
        embody(self, self.body, PHONE, pymunk.Poly.create_box(self.body, size), bounce=0.9)

    def spawned(self, velocity: tuple[float, float]) -> None:
        """Fly."""
        self.body.velocity = velocity
        self.body.angular_velocity = random.uniform(6, 14) * (1 if velocity[0] > 0 else -1)
        self.scope.after(3.5, self.break_up)  # unless it breaks earlier

    def knock(self) -> None:
        """Bump into something: crack, or break."""
        self.knocks += 1
        if self.knocks == len(self.cracks):
            self.break_up()
        else:
            self.image = self.cracks[self.knocks]
            play("bounce")

    def strike(self, enemy: Enemy, _arbiter: pymunk.Arbiter) -> bool:
        """Hurt an enemy, and bounce. Anything may be killed, even inside a physics step."""
        if enemy.is_buried:
            return False  # they pass through each other
        burst(self.position, "spark", 4)
        enemy.hit(self.position)
        tally.hits += not self.has_hit
        self.has_hit = True
        self.knock()
        return True

    def break_up(self) -> None:
        """Break into pieces."""
        scatter(frames("rabbits/shard", 5), self.position, 5)
        play("break")
        self.kill()  # last: after it, this life is over


settings = PoolSettings(limit=60, overflow=RecycleOldest())
sample = {"velocity": (200, -100)}  # for tools that spawn one by themselves, such as the audit
phone = Prefab(Phone, name="phone", groups=[phones], settings=settings, sample_data=sample)

# Called at the beginning of each contact between sprites of the classes, and of their subclasses.
world.on_contact(Phone, Solid, lambda phone, _solid, _arbiter: phone.knock())
world.on_contact(Phone, Enemy, Phone.strike)
