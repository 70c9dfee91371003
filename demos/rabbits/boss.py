"""The boss: a sprite with parts. Nothing hurts it before both of its ears are off."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from rabbits.art import both_ways, frames
from rabbits.effects import burst, puff, scatter, shout, spark
from rabbits.health import Health
from rabbits.sound import play
from rabbits.stage import (
    DINOSAUR,
    GROUND,
    PHONE,
    RABBIT,
    SOLID,
    THING,
    camera,
    collides,
    dinosaurs,
    phones,
    powerups,
    rabbits,
    towards,
    world,
)
from rabbits.tally import tally

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Boss", "Carrot", "aimed", "boss", "carrot"]

SIT, CROUCH, LEAP, ROAR, HURT = range(5)
EARS = (12, -58), (34, -56)  # from the boss's middle, when it looks right


def aimed(
    start: tuple[float, float], end: tuple[float, float], speed: float
) -> tuple[float, float]:
    """Return the velocity at which something thrown from `start` comes down at `end`.

    That is the flatter of the two arcs; where `end` is too far away, it is that of 45 degrees.
    """
    across, rise = end[0] - start[0], start[1] - end[1]
    side, far, gravity = math.copysign(1, across), max(1.0, abs(across)), world.space.gravity.y
    root = speed**4 - gravity * (gravity * far**2 + 2 * rise * speed**2)
    angle = math.atan2(speed**2 - math.sqrt(root), gravity * far) if root > 0 else math.pi / 4
    return side * speed * math.cos(angle), -speed * math.sin(angle)


class Carrot(PooledSprite):
    """What the boss throws: it flies point first, and bursts on the ground."""

    rotation_steps = 64

    def __init__(self) -> None:
        """Build the body."""
        super().__init__(frames("carrot", 1)[0])
        self.body = pymunk.Body(1, float("inf"))
        shape = pymunk.Circle(self.body, 5)
        shape.filter = collides(THING, SOLID, DINOSAUR, PHONE)
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float]) -> None:
        """Fly."""
        self.body.velocity = velocity

    def update(self, dt: float) -> None:
        """Turn to where it flies: the leaves are behind."""
        del dt
        x, y = self.body.velocity
        self.rotation = math.degrees(math.atan2(y, -x))

    def burst(self) -> None:
        """Be gone."""
        burst(puff, self.position)
        self.kill()


class Ear(PooledSprite):
    """A part: it has no pool of its own, but is spawned and despawned with the boss."""

    def __init__(self) -> None:
        """Be on the boss's head, as long as the hit points last."""
        self.looks = both_ways("ear", 2)
        super().__init__(self.looks[1][0])
        self.health = self.add_component(Health(4))

    def show(self, facing: int) -> None:
        """Look as hurt as it is."""
        self.image = self.health.shown(self.looks[facing][self.health.left <= 2])

    def hit(self) -> None:
        """Come off, if that was one too many."""
        burst(spark, self.position)
        play("hit")
        if self.health.hurt():
            scatter(frames("fluff", 4)[:1], self.position, 8)
            burst(puff, self.position)
            shout("ear off!", self.position, "#d0f030")
            tally.score += 500
            camera.shake(6)
            play("split")
            self.kill()  # a part is hidden so, until its parent's next life


class Boss(PooledSprite):
    """Leaps, throws carrots, and roars for others to come."""

    def __init__(self) -> None:
        """Build the body, and the ears as children."""
        self.looks = both_ways("boss", 5)
        super().__init__(self.looks[-1][SIT])
        self.health = self.add_component(Health(24))
        self.ears = [self.add_child(Ear(), offset) for offset in EARS]
        self.body = pymunk.Body(40, float("inf"))
        belly = pymunk.Circle(self.body, 32, (0, 17))
        head = pymunk.Circle(self.body, 26, (0, -16))
        for shape in (belly, head):
            shape.friction = 1
            shape.filter = collides(RABBIT, SOLID, DINOSAUR, PHONE)
        self.add_component(RigidBody(world, self.body, belly, head))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        """Come down."""
        self.facing = -1
        self.pose = LEAP
        self.is_in_the_air = True
        self.scope.start(self.fight())

    @property
    def armour(self) -> int:
        """How many ears are on."""
        return sum(ear.active for ear in self.ears)

    def at(self, ahead: float, below: float) -> tuple[float, float]:
        """Return the place of something on it, in pixels from its middle."""
        return self.position.x + ahead * self.facing, self.position.y + below

    def fight(self) -> Generator[float | None]:
        """Attack in one way or another, the more often the worse it is hurt."""
        while True:
            yield 0.6 + 0.5 * self.armour + self.health.left / self.health.maximum
            yield from random.choice((self.leap, self.leap, self.throw, self.throw, self.roar))()

    def leap(self) -> Generator[float | None]:
        """Leap at the dinosaur."""
        self.pose = CROUCH
        yield 0.5
        self.pose = LEAP
        self.body.velocity = 130 * self.facing, -random.uniform(280, 400)
        self.is_in_the_air = True
        play("hop")
        while self.is_in_the_air:
            yield None  # until the next frame

    def throw(self) -> Generator[float | None]:
        """Throw a few carrots."""
        for _ in range(5 - self.armour):
            self.pose = CROUCH
            yield 0.25
            self.pose = ROAR
            for dinosaur in dinosaurs:
                hand = self.at(34, -20)
                pools.try_spawn(carrot, hand, velocity=aimed(hand, dinosaur.position, 420))
                play("throw")
            yield 0.25
        self.pose = SIT

    def roar(self) -> Generator[float | None]:
        """Call two small ones."""
        self.pose = ROAR
        camera.shake(4)
        play("roar")
        yield 0.4
        for side in (-1, 1):
            pools.try_spawn("small", self.position, velocity=(150 * side, -260))
        yield 0.5
        self.pose = SIT

    def update(self, dt: float) -> None:
        """Land, lose ears to phones, and look as it is."""
        del dt
        if self.is_in_the_air and self.body.velocity.y >= 0 and self.rect.bottom > GROUND - 3:
            self.is_in_the_air = False
            self.pose = SIT
            camera.shake(9)
            play("land")
            for x in (-40, 0, 40):
                burst(puff, (self.position.x + x, GROUND - 8))
        if not self.is_in_the_air:
            self.facing = towards(self)
        self.image = self.health.shown(self.looks[self.facing][self.pose])
        for ear, (x, y) in zip(self.ears, EARS, strict=True):
            if not ear.active:
                continue
            ear.show(self.facing)
            ear.position = self.at(x, y + 6 * (self.pose == CROUCH))
            for phone in pygame.sprite.spritecollide(ear, phones, dokill=False):
                phone.break_up()
                if ear.active:
                    ear.hit()

    def hit(self) -> int:
        """Be hit by something; return the points that it brings."""
        if self.armour:
            play("clonk")
            return 0
        play("hit")
        if not self.health.hurt():
            return 20
        self.explode()
        return 2000

    def explode(self) -> None:
        """End the nightmare."""
        camera.shake(14)
        play("explode")
        for _ in range(8):
            burst(puff, self.at(random.uniform(-40, 40), random.uniform(-40, 40)))
        scatter(frames("fluff", 4), self.position, 24)
        self.kill()


carrot = Prefab(
    Carrot,
    name="carrot",
    groups=[powerups],
    settings=PoolSettings(limit=12),
    sample_data={"velocity": (200, -100)},
)
boss = Prefab(Boss, name="boss", groups=[rabbits], settings=PoolSettings(limit=1))
