"""Mutant rabbits: three sizes that hop and split into the next, and one with wings."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, ClassVar

import pymunk

from poolkit import IPoolableComponent, PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import both_ways, frames, white
from rabbits.effects import puff, scatter
from rabbits.powerups import drop
from rabbits.sound import play
from rabbits.stage import ENEMY, dinosaurs, embody, enemies, towards

if TYPE_CHECKING:
    from collections.abc import Generator

    import pygame

LUCK = 0.13  # that a rabbit leaves a power-up
SIT, CROUCH, LEAP, FALL = range(4)  # the frames of a rabbit that hops


class Health(IPoolableComponent):
    """Hit points, and a flash at a hit: what several kinds of sprites have is a component."""

    execution_order = -1  # before the sprite's own `spawned`, which may ask how healthy it is

    def __init__(self, maximum: int) -> None:
        """Take the hit points of a healthy one."""
        self.maximum = maximum

    def spawned(self) -> None:
        """Be healthy, whatever the life before came to."""
        self.left = self.maximum
        self.is_flashing = False

    def hurt(self) -> bool:
        """Lose a hit point; tell whether none is left."""
        self.left -= 1
        self.is_flashing = True
        self.scope.after(0.08, self.stop_flashing)
        return self.left <= 0

    def stop_flashing(self) -> None:
        """Look as always again."""
        self.is_flashing = False

    def shown(self, image: pygame.Surface) -> pygame.Surface:
        """Return how a picture of its sprite looks now."""
        return white(image) if self.is_flashing else image


class Enemy(PooledSprite):
    """What phones hit, and what bites the dinosaur."""

    has_soft_head = False  # for the dinosaur to jump on

    @property
    def weak_spot(self) -> tuple[float, float]:
        """Where to aim at."""
        return self.position

    def hit(self) -> int:
        """Be hit; return the points that it brings."""
        raise NotImplementedError


class Rabbit(Enemy):
    """What all rabbits are; each kind says below how it differs."""

    has_soft_head = True
    art: ClassVar[str]
    hit_points: ClassVar[int]
    radius: ClassVar[float]
    points: ClassVar[int]
    fur: ClassVar[int]  # which of the tufts
    halves: ClassVar[str] = ""  # the name of the prefab that it splits into

    def __init__(self) -> None:
        """Build a round body, at the foot of the picture."""
        self.looks = both_ways(self.art, 4)
        super().__init__(self.looks[1][SIT])
        self.health = self.add_component(Health(self.hit_points))
        foot = 0, self.rect.height / 2 - self.radius - 1
        body = pymunk.Body(self.radius / 4, float("inf"))
        self.body = embody(self, ENEMY, pymunk.Circle(body, self.radius, foot))

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        """Come out of a hole, or of a larger rabbit."""
        self.facing = towards(self)
        self.pose = FALL
        self.body.velocity = velocity
        self.scope.start(self.behave())

    def behave(self) -> Generator[float]:
        """Do what it does, for as long as it lives."""
        raise NotImplementedError

    def update(self, dt: float) -> None:
        """Look as it is."""
        del dt
        self.image = self.health.shown(self.looks[self.facing][self.pose])

    def hit(self) -> int:
        """Be hurt, and split if that was too much."""
        play("hit")
        if not self.health.hurt():
            return 10
        place = self.position
        scatter(frames("fluff", 4)[self.fur : self.fur + 1], place, 4)
        pools.spawn(puff, place)
        self.kill()
        if self.halves:
            play("split")
            for side in (-1, 1):  # never this very instance; fewer, if there are too many
                pools.try_spawn(self.halves, place, velocity=(100 * side, -230))
        else:
            play("pop")
            if random.random() < LUCK:
                drop(place)
        return self.points


class Hopper(Rabbit):
    """Rests, crouches, and leaps towards the dinosaur."""

    rest: ClassVar[float]  # seconds, about
    leap: ClassVar[tuple[float, float]]  # pixels a second, at most: across and up

    def behave(self) -> Generator[float]:
        """Hop, over and over."""
        while True:
            yield random.uniform(0.5, 1.2) * self.rest
            if abs(self.body.velocity.y) > 20:  # not landed yet
                continue
            self.facing = towards(self)
            self.pose = CROUCH
            yield 0.2
            across, up = self.leap
            speed = random.uniform(0.6, 1) * across * self.facing
            self.body.velocity = speed, -random.uniform(0.7, 1) * up
            self.pose = LEAP
            play("hop")

    def update(self, dt: float) -> None:
        """Look as it moves."""
        falls = self.body.velocity.y
        if falls > 20:
            self.pose = FALL
        elif self.pose == FALL and falls > -20:
            self.pose = SIT
        super().update(dt)


class Big(Hopper):
    """Three eyes, and a heart of two."""

    art, hit_points, radius, points, fur, halves = "big", 3, 17, 50, 0, "medium"
    rest, leap = 1.2, (140, 340)


class Medium(Hopper):
    """One eye, which sees all."""

    art, hit_points, radius, points, fur, halves = "medium", 2, 12, 80, 1, "small"
    rest, leap = 0.9, (165, 310)


class Small(Hopper):
    """Nearly cute."""

    art, hit_points, radius, points, fur = "small", 1, 8, 100, 2
    rest, leap = 0.6, (185, 280)


class Flyer(Rabbit):
    """Flutters above, and swoops."""

    art, hit_points, radius, points, fur = "flyer", 1, 9, 150, 3

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        """Rise."""
        self.clock = random.uniform(0, 9)
        self.course = 0.0, -120.0
        super().spawned(velocity)

    def behave(self) -> Generator[float]:
        """Rise, flutter to above the dinosaur, swoop."""
        while True:
            height = random.uniform(50, 110)
            while self.position.y > height:
                self.course = 60.0 * self.facing, -130.0
                yield 0.1
            for _ in range(random.randint(8, 20)):
                self.facing = towards(self)
                self.course = 70.0 * self.facing, 40 * math.sin(self.clock * 5)
                yield 0.12
            for dinosaur in dinosaurs:
                play("swoop")
                self.course = pymunk.Vec2d(*dinosaur.position - self.position).scale_to_length(230)
                yield 0.9

    def update(self, dt: float) -> None:
        """Beat the wings, and stay on course, gravity or not."""
        self.clock += dt
        self.pose = int(self.clock * 12) % 4
        self.body.velocity = self.course
        super().update(dt)


big = Prefab(Big, name="big", groups=[enemies], settings=PoolSettings(limit=10))
medium = Prefab(Medium, name="medium", groups=[enemies], settings=PoolSettings(limit=20))
small = Prefab(Small, name="small", groups=[enemies], settings=PoolSettings(limit=40))
flyer = Prefab(Flyer, name="flyer", groups=[enemies], settings=PoolSettings(limit=12))
