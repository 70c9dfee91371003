"""The hero: runs, jumps and throws as it is told, and is lost without its powers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from rabbits.art import both_ways, white
from rabbits.boss import aimed
from rabbits.effects import burst, puff, scatter, shout
from rabbits.phones import phone
from rabbits.sound import play
from rabbits.stage import (
    DINOSAUR,
    GROUND,
    RABBIT,
    SOLID,
    THING,
    WIDTH,
    camera,
    collides,
    dinosaurs,
    rabbits,
    world,
)
from rabbits.tally import tally

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["REACH", "START", "Commands", "Dinosaur", "dinosaur"]

SPEED, JUMP = 165, 325  # pixels a second
THROW = 460
REACH = THROW**2 / 640  # pixels: how far a phone flies at most
SECONDS = {"fast": 9.0, "triple": 9.0, "shield": 14.0}

STAND, RUN, AIR, SWING, THROWN, HURT = 0, 3, 7, 8, 9, 10  # the frames of the picture


@dataclass
class Commands:
    """What the player wants now, whatever it is said with."""

    run: float = 0.0  # from -1, left, to 1, right
    jump: bool = False
    throw: bool = False
    aim: tuple[float, float] | None = None  # a place in the level; none: whatever is nearest


class Dinosaur(PooledSprite):
    """Small arms, a large heart, and an endless supply of phones."""

    def __init__(self) -> None:
        """Build an upright body, with a round foot."""
        self.looks = both_ways("dinosaur", 11)
        super().__init__(self.looks[1][STAND])
        self.body = pymunk.Body(6, float("inf"))
        foot = pymunk.Circle(self.body, 8, (0, 9))
        head = pymunk.Circle(self.body, 7, (0, -6))
        for shape in (foot, head):
            shape.filter = collides(DINOSAUR, SOLID, RABBIT, THING)
        self.add_component(RigidBody(world, self.body, foot, head))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        """Be ready, with no power yet."""
        self.commands = Commands()
        self.facing = 1
        self.clock = 0.0
        self.stride = 0.0  # pixels run
        self.grounded_at = self.thrown_at = self.hurt_at = -9.0
        self.is_immune = False
        self.has_jumped = False
        self.powers: dict[str, float] = {}  # until when, by its clock
        self.ends: dict[str, Callable[[], Any]] = {}  # what takes a timer off
        self.become_immune(1.5)

    # -- what it does -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Do as it is told."""
        self.clock += dt
        told = self.commands
        speed, falls = self.body.velocity
        if stands(self.body):
            self.grounded_at = self.clock
        # Off the edge of a ledge there is a moment left in which one may still jump.
        if told.jump and not self.has_jumped and self.clock - self.grounded_at < 0.1:
            falls = -JUMP
            self.has_jumped = True
            burst(puff, self.rect.midbottom)
            play("jump")
        elif not told.jump:
            self.has_jumped = False
            if falls < -120:  # let go early: a small jump
                falls += 1400 * dt
        if self.clock - self.hurt_at > 0.35:
            speed += (SPEED * told.run - speed) * min(1.0, 14 * dt)
            if told.run:
                self.facing = 1 if told.run > 0 else -1
        self.body.velocity = speed, falls
        self.stride += abs(speed) * dt
        if told.throw and self.clock - self.thrown_at > (0.15 if "fast" in self.powers else 0.32):
            self.throw()
        self.image = self.look(speed)

    def throw(self) -> None:
        """Throw a phone, or three."""
        self.thrown_at = self.clock
        x, y = self.aim()
        if abs(x) > 40:
            self.facing = 1 if x > 0 else -1
        for turn in (-0.16, 0, 0.16) if "triple" in self.powers else (0,):
            velocity = pymunk.Vec2d(x, y).rotated(turn)
            pools.spawn(phone, self.hand, velocity=velocity)
        play("throw")

    @property
    def hand(self) -> tuple[float, float]:
        """Where phones leave it."""
        x, y = self.position
        return x + 10 * self.facing, y - 8

    def aim(self) -> tuple[float, float]:
        """Return the velocity of a throw: at what is pointed at, or else at the nearest rabbit."""
        hand = self.hand
        told = self.commands.aim
        if told is not None:
            way = pymunk.Vec2d(told[0] - hand[0], told[1] - hand[1])
            return way.normalized() * THROW
        ahead = [
            each.position
            for each in rabbits
            if (each.position.x - self.position.x) * self.facing > -10
        ]
        if not ahead:
            return THROW * self.facing * 0.95, -THROW * 0.3
        return aimed(hand, min(ahead, key=lambda place: math.dist(place, hand)), THROW)

    def look(self, speed: float) -> Any:
        """Return the picture of what it is doing."""
        since = self.clock - self.thrown_at
        if self.clock - self.hurt_at < 0.35:
            frame = HURT
        elif since < 0.2:
            frame = SWING if since < 0.05 else THROWN
        elif self.clock - self.grounded_at > 0.08:
            frame = AIR
        elif abs(speed) > 25:
            frame = RUN + int(self.stride / 13) % 4
        else:
            frame = STAND + (int(self.clock * 2.5) % 2 if self.clock % 4 < 3.8 else 2)
        image = self.looks[self.facing][frame]
        return white(image) if self.is_immune and self.clock * 12 % 2 < 1 else image

    # -- what is done to it -------------------------------------------------------------------

    def bounce(self) -> None:
        """Jump off somebody's head."""
        self.body.velocity = self.body.velocity.x, -JUMP * 0.8

    def hit(self, side: float) -> None:
        """Be thrown to a side, and lose a life, unless something keeps it from that."""
        if self.is_immune:
            return
        self.body.velocity = math.copysign(170, side), -200
        self.hurt_at = self.clock
        self.become_immune(2.0)
        camera.shake(8)
        if "shield" in self.powers:
            self.lose("shield")
            shout("phew!", self.rect.midtop, "#b0e0ff")
            play("clonk")
            return
        play("hurt")
        tally.lives -= 1
        if not tally.lives:
            scatter(self.looks[1][HURT:], self.position, 1)
            burst(puff, self.position)
            self.kill()

    def become_immune(self, seconds: float) -> None:
        """Be unhurt by anything, for a while. A timer of the scope ends with the life."""
        self.is_immune = True
        self.scope.after(seconds, self.become_mortal)

    def become_mortal(self) -> None:
        """Be vulnerable again, also by who is still there."""
        self.is_immune = False
        near = pygame.sprite.collide_rect_ratio(0.5)
        other = pygame.sprite.spritecollideany(self, rabbits, near)
        if other is not None:
            self.hit(self.position.x - other.position.x)

    def gain(self, power: str) -> None:
        """Take what was in a bubble."""
        play("power")
        shout(power + "!", self.rect.midtop, "#ffe890")
        if power == "heart":
            tally.gain_life()
            return
        if power in self.ends:
            self.ends[power]()  # the old timer: the time begins anew
        self.powers[power] = self.clock + SECONDS[power]
        self.ends[power] = self.scope.after(SECONDS[power], partial(self.lose, power))

    def lose(self, power: str) -> None:
        """Have a power no longer."""
        del self.powers[power]
        self.ends.pop(power)()

    def left_of(self, power: str) -> float:
        """Return how much of a power's time is left, from 0 to 1."""
        return max(0.0, (self.powers[power] - self.clock) / SECONDS[power])


def stands(body: pymunk.Body) -> bool:
    """Tell whether there is something solid right below the dinosaur's foot."""
    x, y = body.position
    below = world.space.segment_query_first(
        (x, y + 9), (x, y + 20), 5, pymunk.ShapeFilter(mask=SOLID)
    )
    return below is not None and body.velocity.y > -20


dinosaur = Prefab(
    Dinosaur, name="dinosaur", groups=[dinosaurs], settings=PoolSettings(prespawn=1, limit=1)
)
START = WIDTH / 2, GROUND - 18
