"""Mutant rabbits: three sizes that hop and split into the next, and one with wings."""

import math
import random
from collections.abc import Generator

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import white
from rabbits.effects import burst, scatter, shout
from rabbits.powerups import powerup
from rabbits.sound import play
from rabbits.stage import ENEMY, LENGTH, camera, dinosaurs, embody, enemies
from rabbits.tally import tally
from shared.pictures import both_ways, frames

LUCK = 0.13  # that a small one leaves a power-up
SIT, CROUCH, LEAP, FALL = range(4)  # the poses of a rabbit that hops


class Enemy(PooledSprite):
    """What phones hit, and what bites the dinosaur; each kind says below how it differs."""

    art, poses = "small", 4  # its picture, and how many poses stand on it side by side
    circles: tuple[tuple[float, float], ...] = ((8, 4),)  # of its body: radius, how far down
    hit_points, points = 1, 100
    fur, tufts, cry = 0, 4, "pop"  # what flies off in the end, how many, and how that sounds
    halves = ""  # the name of the prefab that it splits into

    def __init__(self) -> None:
        self.looks = both_ways(f"rabbits/{self.art}", self.poses)
        super().__init__(self.looks[1][0])
        if self.circles:
            self.body = pymunk.Body(3, math.inf)  # an infinite moment: it never falls over
            circles = [pymunk.Circle(self.body, radius, (0, down)) for radius, down in self.circles]
            embody(self, self.body, ENEMY, *circles)

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        """Come out of a hole, or of a larger one. All that a life changes is set here anew."""
        self.left = self.hit_points
        self.clock, self.hit_at = 0.0, -9.0  # seconds
        self.pose = SIT
        self.face_dinosaur()
        if self.circles:
            self.body.velocity = velocity
        self.scope.start(self.behave())

    def behave(self) -> Generator[float | None]:
        """Do what it does, for as long as it lives: a coroutine, which ends with the life."""
        yield from ()

    def face_dinosaur(self) -> None:
        """Turn to the dinosaur, or anywhere, if there is none."""
        self.facing = random.choice((1, -1))
        for dinosaur in dinosaurs:
            self.facing = 1 if dinosaur.position.x > self.position.x else -1

    def update(self, dt: float) -> None:
        """Look as it is."""
        self.clock += dt
        image = self.looks[self.facing][self.pose]
        self.image = white(image) if self.clock - self.hit_at < 0.08 else image

    def hit(self) -> None:
        """Be hurt, and die of it if that was too much: both bring points."""
        play("hit")
        self.left -= 1
        self.hit_at = self.clock
        points = 10 if self.left else self.points
        tally.add(points)
        shout(f"{points}", self.position)
        if not self.left:
            self.die()

    def die(self) -> None:
        """Explode, and let out what was in it."""
        play(self.cry)
        camera.shake(self.tufts / 2)
        for _ in range(self.tufts // 4):
            x = random.uniform(self.rect.left, self.rect.right)
            burst((x, random.uniform(self.rect.top, self.rect.bottom)))
        scatter([frames("rabbits/fluff", 4)[self.fur]], self.position, self.tufts)
        self.kill()
        if self.halves:
            for side in (-1, 1):  # never this very instance; and none, where there are too many
                pools.try_spawn(self.halves, self.position, velocity=(100 * side, -230))
        elif random.random() < LUCK:
            pools.try_spawn(powerup, self.position)  # six are enough: then this spawns none


class Small(Enemy):
    """Nearly cute. Rests, crouches, and leaps towards the dinosaur."""

    fur = 2
    rest, across, up = 0.6, 185, 280  # how it hops: seconds, pixels a second
    sky = LENGTH  # pixels from above: what is lower than that is as good as ground

    def behave(self) -> Generator[float | None]:
        """Hop, over and over."""
        while True:
            yield random.uniform(0.5, 1.2) * self.rest
            if self.pose == SIT or self.position.y > self.sky:
                self.face_dinosaur()
                self.pose = CROUCH
                yield 0.2
                self.pose = LEAP
                speed = random.uniform(0.6, 1) * self.across * self.facing
                self.body.velocity = speed, -random.uniform(0.7, 1) * self.up
                play("hop")

    def update(self, dt: float) -> None:
        """Look as it moves."""
        falls = self.body.velocity.y
        if abs(falls) > 20:
            self.pose = FALL if falls > 0 else LEAP
        elif self.pose != CROUCH:
            self.pose = SIT
        super().update(dt)


class Medium(Small):
    """One eye, which sees all."""

    art, circles, fur, cry, halves = "medium", ((12, 5),), 1, "split", "small"
    hit_points, points = 2, 80
    rest, across, up = 0.9, 165, 310


class Big(Small):
    """Three eyes, and a heart of two."""

    art, circles, fur, cry, halves = "big", ((17, 6),), 0, "split", "medium"
    hit_points, points = 3, 50
    rest, across, up = 1.2, 140, 340


class Flyer(Small):
    """Hops on the air, too, as long as it is not high above."""

    art, circles, fur, points = "flyer", ((9, 7),), 3, 150
    rest, across, up = 0.3, 130, 380
    sky = 110

    def update(self, dt: float) -> None:
        """Beat the wings."""
        super().update(dt)
        self.image = self.looks[self.facing][int(self.clock * 12) % 4]


small = Prefab(Small, name="small", groups=[enemies], settings=PoolSettings(limit=40))
medium = Prefab(Medium, name="medium", groups=[enemies], settings=PoolSettings(limit=20))
big = Prefab(Big, name="big", groups=[enemies], settings=PoolSettings(limit=10))
flyer = Prefab(Flyer, name="flyer", groups=[enemies], settings=PoolSettings(limit=12))
