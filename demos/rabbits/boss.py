"""The boss: a sprite with parts. Nothing hurts it before both of its ears are off."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import PoolSettings, Prefab, pools
from rabbits.art import both_ways, frames, picture
from rabbits.effects import puff, scatter, shout, spark
from rabbits.enemies import Enemy, Health
from rabbits.sound import play
from rabbits.stage import ENEMY, camera, dinosaurs, embody, enemies, phones, towards, world
from rabbits.tally import tally

if TYPE_CHECKING:
    from collections.abc import Generator

SIT, CROUCH, LEAP, ROAR, HURT = range(5)  # the frames of its picture
EARS = (12, -58), (34, -56)  # from its middle, where it looks right


def aimed(
    start: tuple[float, float], end: tuple[float, float], speed: float
) -> tuple[float, float]:
    """Return the velocity at which something thrown from `start` comes down at `end`.

    That is the flatter of the two arcs; where `end` is too far away, it is that of 45 degrees.
    """
    across, rise = end[0] - start[0], start[1] - end[1]
    far, gravity = max(1.0, abs(across)), world.space.gravity.y
    root = speed**4 - gravity * (gravity * far**2 + 2 * rise * speed**2)
    angle = math.atan2(speed**2 - math.sqrt(root), gravity * far) if root > 0 else math.pi / 4
    return math.copysign(speed, across) * math.cos(angle), -speed * math.sin(angle)


class Carrot(Enemy):
    """What the boss throws: it flies point first, and bursts on the ground."""

    rotation_steps = 64

    def __init__(self) -> None:
        """Build the body."""
        super().__init__(picture("carrot"))
        self.body = embody(self, ENEMY, pymunk.Circle(pymunk.Body(1, float("inf")), 5))

    def spawned(self, velocity: tuple[float, float]) -> None:
        """Fly."""
        self.body.velocity = velocity

    def update(self, dt: float) -> None:
        """Turn to where it flies: the leaves are behind."""
        del dt
        x, y = self.body.velocity
        self.rotation = math.degrees(math.atan2(y, -x))

    def hit(self) -> int:
        """Burst."""
        pools.spawn(puff, self.position)
        self.kill()
        return 25


class Ear(Enemy):
    """A part: it has no pool of its own, but is spawned and despawned with the boss."""

    def __init__(self) -> None:
        """Be on the boss's head, as long as the hit points last."""
        self.looks = both_ways("ear", 2)
        super().__init__(self.looks[1][0])
        self.health = self.add_component(Health(7))

    def hit(self) -> int:
        """Be hurt, and come off if that was too much."""
        pools.spawn(spark, self.position)
        play("hit")
        if self.health.hurt():
            scatter(frames("fluff", 4)[:1], self.position, 8)
            shout("ear off!", self.position, "#d0f030")
            play("split")
            camera.shake(6)
            self.kill()  # a part is hidden by that, until its parent's next life
            return 500
        return 10


class Boss(Enemy):
    """Leaps, throws carrots, and roars for others to come."""

    def __init__(self) -> None:
        """Build the body, and the ears as children."""
        self.looks = both_ways("boss", 5)
        super().__init__(self.looks[-1][SIT])
        self.health = self.add_component(Health(40))
        self.ears = [self.add_child(Ear(), offset) for offset in EARS]
        body = pymunk.Body(40, float("inf"))
        belly, head = pymunk.Circle(body, 32, (0, 17)), pymunk.Circle(body, 26, (0, -16))
        self.body = embody(self, ENEMY, belly, head)

    def spawned(self) -> None:
        """Come down."""
        self.facing = -1
        self.pose = LEAP
        self.fall = 0.0  # pixels a second
        self.scope.start(self.fight())

    @property
    def armour(self) -> int:
        """How many ears are on."""
        return sum(ear.active for ear in self.ears)

    @property
    def weak_spot(self) -> tuple[float, float]:
        """Where to aim at: an ear, as long as there is one."""
        return next((ear.position for ear in self.ears if ear.active), self.position)

    def at(self, ahead: float, below: float) -> tuple[float, float]:
        """Return the place of something on it, in pixels from its middle."""
        return self.position.x + ahead * self.facing, self.position.y + below

    def fight(self) -> Generator[float | None]:
        """Attack in one way or another, the more often the worse it is hurt."""
        while True:
            while self.pose == LEAP:
                yield None  # until the next frame
            yield 0.2 + 0.2 * self.armour + self.health.left / self.health.maximum
            self.facing = towards(self)
            self.pose = CROUCH
            yield 0.4
            yield from random.choice((self.leap, self.leap, self.throw, self.throw, self.roar))()

    def leap(self) -> Generator[float]:
        """Leap at the dinosaur."""
        self.pose = LEAP
        self.body.velocity = 130 * self.facing, -random.uniform(280, 400)
        play("jump")
        yield 0.1

    def throw(self) -> Generator[float]:
        """Throw a few carrots."""
        for dinosaur in dinosaurs:
            for _ in range(5 - self.armour):
                self.pose = ROAR
                hand = self.at(34, -20)
                pools.try_spawn(carrot, hand, velocity=aimed(hand, dinosaur.position, 420))
                play("throw")
                yield 0.2
                self.pose = CROUCH
                yield 0.2
        self.pose = SIT

    def roar(self) -> Generator[float]:
        """Call for small ones."""
        self.pose = ROAR
        camera.shake(4)
        play("roar")
        for side in (-1, 0, 1):
            pools.try_spawn("small", self.position, velocity=(150 * side, -260))
            yield 0.3
        self.pose = SIT

    def update(self, dt: float) -> None:
        """Land, lose ears to phones, and look as it is."""
        del dt
        falling, self.fall = self.fall, self.body.velocity.y
        if self.pose == LEAP and falling > 60 and self.fall < 20:
            self.pose = SIT
            camera.shake(9)
            play("land")
            pools.spawn_many(puff, [self.at(x, 42) for x in (-40, 0, 40)])
        pose = HURT if self.health.is_flashing else self.pose
        self.image = self.health.shown(self.looks[self.facing][pose])
        for ear, (x, y) in zip(self.ears, EARS, strict=True):
            if ear.active:
                ear.position = self.at(x, y + 6 * (self.pose == CROUCH))
                ear.image = ear.health.shown(ear.looks[self.facing][ear.health.left < 4])
                for phone in pygame.sprite.spritecollide(ear, phones, dokill=False)[:1]:
                    phone.break_up()
                    tally.score += ear.hit()

    def hit(self) -> int:
        """Be hurt, if there are no ears any more, and explode if that was too much."""
        play("clonk" if self.armour else "hit")
        if self.armour:
            return 0
        if not self.health.hurt():
            return 20
        camera.shake(14)
        play("explode")
        for _ in range(8):
            pools.spawn(puff, self.at(random.uniform(-40, 40), random.uniform(-40, 40)))
        scatter(frames("fluff", 4), self.position, 24)
        self.kill()
        return 2000


sample = {"velocity": (200, -100)}
settings = PoolSettings(limit=12)
carrot = Prefab(Carrot, name="carrot", groups=[enemies], settings=settings, sample_data=sample)
boss = Prefab(Boss, name="boss", groups=[enemies], settings=PoolSettings(limit=1))
