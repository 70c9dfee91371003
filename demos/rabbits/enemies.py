"""Mutant rabbits: each kind is a class of a few lines that say how it differs."""

import math
import random
from collections.abc import Generator
from typing import Any, ClassVar, TypeVar

import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import flashing
from rabbits.effects import burst, scatter, shout
from rabbits.powerups import powerup
from rabbits.scenery import Solid
from rabbits.sound import play
from rabbits.stage import ENEMY, GROUND, LENGTH, camera, dinosaurs, embody, enemies, lob, world
from rabbits.tally import tally
from rabbits.words import teach
from shared.pictures import both_ways, frames

LUCK = 0.16  # how likely a dead rabbit leaves a power-up
E = TypeVar("E", bound="Enemy")
SIT, CROUCH, LEAP, FALL = range(4)  # the poses of a rabbit that hops


class Enemy(PooledSprite):
    """What phones hit, and what bites the dinosaur."""

    art, poses = "small", 4  # its picture, and how many poses are on it
    circles: ClassVar[tuple[tuple[float, float], ...]] = ((8, 4),)  # radius, how far down
    hit_points, points = 1, 100
    fur, tufts, cry = 0, 4, "pop"  # what flies off when it dies, how many, and the sound
    halves = ""  # the prefab that it splits into
    is_rabbit = True  # and no missile
    # Fields, as they have types: each life begins with them as good as new.
    clock: float = 0.0  # seconds
    hit_at: float = -9.0
    pose: int = SIT
    is_buried: bool = False  # and can't be touched

    def __init__(self) -> None:
        self.looks = both_ways(f"rabbits/{self.art}", self.poses)
        super().__init__(self.looks[1][0])
        if self.circles:
            self.body = pymunk.Body(3, math.inf)  # an infinite moment: it never falls over
            circles = [pymunk.Circle(self.body, radius, (0, down)) for radius, down in self.circles]
            embody(self, self.body, ENEMY, *circles)

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        """Come out of a hole or of a larger rabbit."""
        self.left = self.hit_points
        self.face_dinosaur()
        if self.circles:
            self.body.velocity = velocity
        self.scope.start(self.behave())

    def behave(self) -> Generator[float | None]:
        """Do what it does: a coroutine, which ends with the life."""
        yield from ()

    def face_dinosaur(self) -> float:
        """Turn to the dinosaur, or anywhere without one; return how far ahead it is."""
        self.facing = random.choice((1, -1))
        ahead = 0.0
        for dinosaur in dinosaurs:
            ahead = abs(dinosaur.position.x - self.position.x)
            self.facing = 1 if dinosaur.position.x > self.position.x else -1
        return ahead

    def at(self, ahead: float, below: float) -> tuple[float, float]:
        """Return a place that many pixels from its middle."""
        return self.position.x + ahead * self.facing, self.position.y + below

    def rest(self, seconds: float) -> float:
        """Return how long a pause is: random, and shorter in harder games."""
        return random.uniform(0.5, 1.2) * seconds / tally.rules.pace

    @property
    def frame(self) -> int:
        """Which picture it shows."""
        return self.pose

    def update(self, dt: float) -> None:
        """Show how it looks now, brighter for a moment after a hit."""
        self.clock += dt
        image = self.looks[self.facing][self.frame]
        self.image = flashing(image) if self.clock - self.hit_at < 0.08 else image

    def hit(self, _source: tuple[float, float]) -> None:
        """Lose a hit point, and die without any; both give points."""
        play("hit")
        self.left -= 1
        self.hit_at = self.clock
        points = 10 if self.left else self.points
        tally.add(points)
        shout(f"{points}", self.position)
        if not self.left:
            self.die()

    def die(self) -> None:
        """Explode, and leave what was in it."""
        play(self.cry)
        camera.shake(self.tufts / 2)
        for _ in range(self.tufts // 4):
            x = random.uniform(self.rect.left, self.rect.right)
            burst((x, random.uniform(self.rect.top, self.rect.bottom)))
        scatter([frames("rabbits/fluff", 6)[self.fur]], self.position, self.tufts)
        tally.rabbits += self.is_rabbit
        self.kill()
        if self.halves:
            for side in (-1, 1):  # never this instance, and none beyond the limit
                pools.try_spawn(self.halves, self.position, velocity=(100 * side, -230))
        elif self.is_rabbit and random.random() < LUCK:
            pools.try_spawn(powerup, self.position)


class Small(Enemy):
    """Nearly cute. Rests, crouches, and leaps towards the dinosaur."""

    fur = 2
    pause, across, up = 0.6, 185, 280  # of its hops: seconds, pixels a second
    sky = LENGTH  # below this height, in pixels, it can hop in mid-air

    def behave(self) -> Generator[float | None]:
        """Hop, over and over."""
        while True:
            yield self.rest(self.pause)
            yield from self.hop()

    def hop(self) -> Generator[float | None]:
        """Crouch and leap towards the dinosaur, if there is ground to leap from."""
        if self.pose == SIT or self.position.y > self.sky:
            self.face_dinosaur()
            self.pose = CROUCH
            yield 0.2
            self.leap(random.uniform(0.6, 1) * self.across, random.uniform(0.7, 1) * self.up)

    def leap(self, across: float, up: float) -> None:
        """Leap the way it faces."""
        self.pose = LEAP
        self.body.velocity = across * self.facing, -up
        play("hop")

    def run(self, speed: float, seconds: float) -> Generator[None]:
        """Run the way it faces, and keep its pose."""
        until, pose = self.clock + seconds, self.pose
        while self.clock < until:
            self.pose = pose
            self.body.velocity = speed * self.facing * tally.rules.pace, self.body.velocity.y
            yield  # until the next frame

    def update(self, dt: float) -> None:
        """Take the pose of its movement."""
        falls = self.body.velocity.y
        if abs(falls) > 20:
            self.pose = FALL if falls > 0 else LEAP
        elif self.pose != CROUCH:
            self.pose = SIT
        super().update(dt)


class Medium(Small):
    """Has one eye, and splits into small ones."""

    art, circles, fur, cry, halves = "medium", ((12, 5),), 1, "split", "small"
    hit_points, points = 2, 80
    pause, across, up = 0.9, 165, 310


class Big(Small):
    """Has three eyes, and splits into medium ones."""

    art, circles, fur, cry, halves = "big", ((17, 6),), 0, "split", "medium"
    hit_points, points = 3, 50
    pause, across, up = 1.2, 140, 340


class Flyer(Small):
    """Hops in mid-air as well, unless it's already high."""

    art, circles, fur, points = "flyer", ((9, 7),), 3, 150
    pause, across, up = 0.3, 130, 380
    sky = 110

    @property
    def frame(self) -> int:
        """Beat the wings."""
        return int(self.clock * 12) % 4


class Digger(Small):
    """Digs its way under the dinosaur, and leaps out there."""

    art, poses, fur, points = "digger", 6, 4, 150  # the last two poses: earth that moves
    circles = ((9, 6),)
    hit_points, up = 2, 330

    def behave(self) -> Generator[float | None]:
        """Hop twice, go on until it sits on the ground, as ledges are too thin, and dig."""
        hops = 0
        while True:
            yield self.rest(self.pause)
            if hops < 2 or self.pose != SIT or self.position.y < GROUND - 40:
                hops += 1
                yield from self.hop()
            else:
                hops = 0
                yield from self.dig()

    def dig(self) -> Generator[float | None]:
        """Move underground to the dinosaur, wait for a moment, and leap out."""
        burst(self.rect.midbottom)
        play("dig")
        teach("digger")
        self.is_buried = True
        until = self.clock + 5
        while self.face_dinosaur() > 14 and self.clock < until:
            self.body.velocity = 125 * self.facing * tally.rules.pace, 0
            yield None  # until the next frame
        self.body.velocity = 0, 0
        yield 0.45
        self.is_buried = False
        burst(self.rect.midbottom)
        self.leap(20, self.up)

    @property
    def frame(self) -> int:
        """Look like moving earth while it digs."""
        return 4 + int(self.clock * 10) % 2 if self.is_buried else self.pose


class Slider(Small):
    """Lies down on its belly and slides across the level."""

    art, fur, hit_points, points = "slider", 2, 2, 200
    circles = ((9, 5),)

    def behave(self) -> Generator[float | None]:
        """Crouch for long enough to be seen, slide, and hop."""
        while True:
            yield self.rest(0.8)
            self.face_dinosaur()
            self.pose = CROUCH
            teach("slider")
            yield 0.6
            play("slide")
            yield from self.run(250, 1.5)
            self.pose = SIT
            yield from self.hop()


class Snowball(Enemy):
    """What a rabbit throws: it hurts, breaks, and can be shot or stepped on."""

    art, circles, fur, points, cry = "snowball", ((4, 0),), 2, 20, "break"
    rotation_steps = 16
    is_rabbit = False

    def update(self, dt: float) -> None:
        """Turn over."""
        super().update(dt)
        self.rotation -= 500 * dt * self.facing

    def break_up(self) -> None:
        """Hit something solid."""
        burst(self.position, "spark", 4)
        self.kill()


class Bolt(Snowball):
    """What machines throw."""

    art, fur = "bolt", 5


class Pelter(Small):
    """Throws snowballs from afar, in an arc that ends where the dinosaur is now."""

    art, fur, points, hit_points = "pelter", 2, 200, 2
    circles = ((10, 6),)
    pause = 1.3

    def behave(self) -> Generator[float | None]:
        """Throw; now and then, hop."""
        while True:
            yield self.rest(self.pause)
            if random.random() < 0.35:
                yield from self.hop()
                continue
            self.face_dinosaur()
            self.pose = CROUCH
            teach("pelter")
            yield 0.4
            self.pose = SIT
            throw(snowball, self.at(8, -12), random.uniform(0.85, 1.1))


class Tin(Small):
    """Walks, and wears a breastplate: phones from ahead bounce off."""

    art, fur, points, hit_points, cry = "tin", 5, 250, 2, "split"
    circles = ((11, 6),)

    def behave(self) -> Generator[float | None]:
        """Walk towards the dinosaur, and turn around only now and then."""
        while True:
            self.face_dinosaur()
            yield from self.run(70, 1.6)
            self.body.velocity = 0, self.body.velocity.y
            yield self.rest(0.5)

    def hit(self, source: tuple[float, float]) -> None:
        """Be hurt from behind or from above."""
        is_ahead = (source[0] - self.position.x) * self.facing > 0
        if is_ahead and source[1] > self.rect.top + 4:
            play("clonk")
            shout("clonk", self.position)
            teach("tin")
        else:
            super().hit(source)

    @property
    def frame(self) -> int:
        """Set one foot before the other."""
        return int(self.position.x / 8) % 2 if self.pose == SIT else self.pose


class Drone(Flyer):
    """Hovers above, and drops bolts."""

    art, fur, points, circles = "drone", 5, 200, ((9, 4),)
    height = 78  # pixels from the top

    def behave(self) -> Generator[float | None]:
        """Drop a bolt now and then, if the dinosaur is near."""
        while True:
            yield self.rest(2.2)
            if self.face_dinosaur() < 150:
                play("throw")
                teach("drone")
                pools.try_spawn(bolt, self.at(0, 12), velocity=(0, 40))

    def update(self, dt: float) -> None:
        """Follow the dinosaur from above, swaying."""
        super().update(dt)
        sway = 40 * math.sin(self.clock * 1.7)
        ahead = (self.face_dinosaur() - 20) * self.facing + sway
        rise = self.height + 10 * math.sin(self.clock * 2.3) - self.position.y
        wanted = pymunk.Vec2d(max(-75.0, min(ahead * 2, 75.0)), max(-90.0, min(rise * 3, 90.0)))
        self.body.velocity += (wanted - self.body.velocity) * min(1.0, 5 * dt)


def throw(kind: Prefab[Any], start: tuple[float, float], aim: float = 1.0) -> None:
    """Let a missile fly to the dinosaur, or that much farther."""
    for dinosaur in dinosaurs:
        x, y = dinosaur.position
        end = start[0] + (x - start[0]) * aim, y
        pools.try_spawn(kind, start, velocity=lob(start, end, 230))
        play("throw")


def prefab(kind: type[E], limit: int) -> Prefab[E]:
    """Return the prefab of a kind, with at most `limit` alive."""
    settings = PoolSettings(limit=limit)
    return Prefab(kind, name=kind.__name__.lower(), groups=[enemies], settings=settings)


small, medium, big = prefab(Small, 40), prefab(Medium, 20), prefab(Big, 10)
flyer, digger, slider = prefab(Flyer, 12), prefab(Digger, 8), prefab(Slider, 8)
pelter, tin, drone = prefab(Pelter, 8), prefab(Tin, 8), prefab(Drone, 8)
snowball, bolt = prefab(Snowball, 20), prefab(Bolt, 30)
KINDS = small, medium, big, flyer, digger, slider, pelter, tin, drone, snowball, bolt

world.on_contact(Snowball, Solid, lambda missile, _solid, _arbiter: missile.break_up())
