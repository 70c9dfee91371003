"""The hero: runs, jumps and throws as it is told, and is glad of every power."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import PooledSprite, PoolSettings, Prefab, pools
from rabbits.art import both_ways, white
from rabbits.boss import aimed
from rabbits.effects import puff, scatter, shout
from rabbits.phones import phone
from rabbits.powerups import POWERS
from rabbits.sound import play
from rabbits.stage import DINOSAUR, SOLID, camera, dinosaurs, embody, enemies, world
from rabbits.tally import MOST_LIVES, tally

if TYPE_CHECKING:
    from collections.abc import Callable

SPEED, JUMP, THROW = 165, 325, 460  # pixels a second
STAND, RUN, AIR, SWING, THROWN, HURT = 0, 3, 7, 8, 9, 10  # the frames of its picture


@dataclass
class Commands:
    """What the player wants now, whatever it is said with."""

    run: float = 0.0  # from -1, left, to 1, right
    jump: bool = False
    throw: bool = False
    aim: tuple[float, float] | None = None  # a place in the level; none: whoever is nearest


class Dinosaur(PooledSprite):
    """Small arms, a large heart, and an endless supply of phones."""

    def __init__(self) -> None:
        """Build an upright body, with a round foot."""
        self.looks = both_ways("dinosaur", 11)
        super().__init__(self.looks[1][STAND])
        body = pymunk.Body(6, float("inf"))
        foot, head = pymunk.Circle(body, 8, (0, 9)), pymunk.Circle(body, 7, (0, -6))
        self.body = embody(self, DINOSAUR, foot, head)
        foot.friction = 0

    def spawned(self) -> None:
        """Be ready, with no power yet."""
        self.commands = Commands()
        self.facing = 1
        self.clock = self.steps = 0.0  # seconds, pixels
        self.stood_at = self.thrown_at = self.hurt_at = -9.0
        self.has_jumped = False
        self.powers: dict[str, float] = {}  # until when, by its clock
        self.take_off: dict[str, Callable[[], object]] = {}  # the timers that end them
        self.become_immune(1.5)

    # -- what it does -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Do as it is told."""
        self.clock += dt
        told = self.commands
        speed, falls = self.body.velocity
        if self.stands():
            self.stood_at = self.clock
        # Off the edge of a ledge there is a moment left in which one may still jump.
        if told.jump and not self.has_jumped and self.clock - self.stood_at < 0.1:
            falls = -JUMP
            pools.spawn(puff, self.rect.midbottom)
            play("jump")
        elif not told.jump and falls < -120:
            falls += 1400 * dt  # the key was let go early: a small jump
        self.has_jumped = told.jump
        if self.clock - self.hurt_at > 0.35:
            speed += (SPEED * told.run - speed) * min(1.0, 14 * dt)
            if told.run:
                self.facing = 1 if told.run > 0 else -1
        self.body.velocity = speed, falls
        self.steps += abs(speed) * dt
        if told.throw and self.clock - self.thrown_at > (0.15 if "fast" in self.powers else 0.3):
            self.throw()
        image = self.looks[self.facing][self.frame(speed)]
        self.image = white(image) if self.is_immune and self.clock * 12 % 2 < 1 else image

    def stands(self) -> bool:
        """Tell whether there is something solid right below its foot."""
        (x, y), down = self.body.position, pymunk.ShapeFilter(mask=SOLID)
        below = world.space.segment_query_first((x, y + 9), (x, y + 20), 5, down)
        return below is not None and self.body.velocity.y > -20

    def throw(self) -> None:
        """Throw a phone, or three."""
        self.thrown_at = self.clock
        velocity = pymunk.Vec2d(*self.aim())
        if abs(velocity.x) > 40:
            self.facing = 1 if velocity.x > 0 else -1
        for turn in (-0.16, 0, 0.16) if "triple" in self.powers else (0,):
            pools.spawn(phone, self.hand, velocity=velocity.rotated(turn))
        play("throw")

    @property
    def hand(self) -> tuple[float, float]:
        """Where phones leave it."""
        return self.position.x + 10 * self.facing, self.position.y - 8

    def aim(self) -> tuple[float, float]:
        """Return the velocity of a throw: at what is pointed at, or else at who is nearest."""
        x, y = self.hand
        if self.commands.aim is not None:
            to_x, to_y = self.commands.aim
            return pymunk.Vec2d(to_x - x, to_y - y).scale_to_length(THROW)
        spots = [enemy.weak_spot for enemy in enemies]
        ahead = [spot for spot in spots if (spot[0] - x) * self.facing > -20]
        if not ahead:
            return 0.95 * THROW * self.facing, -0.3 * THROW
        return aimed((x, y), min(ahead, key=lambda spot: math.dist(spot, (x, y))), THROW)

    def frame(self, speed: float) -> int:
        """Return which picture shows what it is doing."""
        if self.clock - self.hurt_at < 0.35:
            return HURT
        if self.clock - self.thrown_at < 0.2:
            return SWING if self.clock - self.thrown_at < 0.05 else THROWN
        if self.clock - self.stood_at > 0.08:
            return AIR
        if abs(speed) > 25:
            return RUN + int(self.steps / 13) % 4
        return STAND + (2 if self.clock % 4 > 3.8 else int(self.clock * 2.5) % 2)

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
            pools.spawn(puff, self.position)
            self.kill()

    def become_immune(self, seconds: float) -> None:
        """Be hurt by nothing for a while."""
        self.is_immune = True
        self.scope.after(seconds, self.become_mortal)

    def become_mortal(self) -> None:
        """Be vulnerable again, by who is still there, too."""
        self.is_immune = False
        near = pygame.sprite.collide_rect_ratio(0.5)
        other = pygame.sprite.spritecollideany(self, enemies, near)
        if other is not None:
            self.hit(self.position.x - other.position.x)

    def gain(self, power: str) -> None:
        """Have what was in a bubble, for its time."""
        play("power")
        shout(power + "!", self.rect.midtop, "#ffe890")
        if power == "heart":
            tally.lives = min(tally.lives + 1, MOST_LIVES)
            return
        if power in self.powers:
            self.lose(power)  # the time begins anew
        self.powers[power] = self.clock + POWERS[power]
        self.take_off[power] = self.scope.after(POWERS[power], partial(self.lose, power))

    def lose(self, power: str) -> None:
        """Have a power no longer."""
        del self.powers[power]
        self.take_off.pop(power)()


settings = PoolSettings(limit=1)
dinosaur = Prefab(Dinosaur, name="dinosaur", groups=[dinosaurs], settings=settings)
