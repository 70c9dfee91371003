"""The hero: it runs, jumps, throws and uses power-ups."""

import math
from dataclasses import dataclass

import pygame
import pymunk

from poolkit import PooledSprite, Prefab, pools
from rabbits.art import flashing
from rabbits.effects import burst, fall, shout
from rabbits.enemies import Enemy
from rabbits.phones import phone
from rabbits.powerups import POWERS, PowerUp
from rabbits.sound import play
from rabbits.stage import DINOSAUR, SOLID, camera, dinosaurs, embody, enemies, lob, world
from rabbits.tally import MOST_LIVES, tally
from rabbits.words import teach
from shared.pictures import both_ways

SPEED, JUMP, FLIGHT = 165, 325, 460  # pixels a second
CHARGED = 6  # phones, when all are; a throw takes one
STAND, RUN, AIR, THROW, HURT = 0, 3, 7, 8, 10  # its poses

solid = pymunk.ShapeFilter(mask=SOLID)
touches = pygame.sprite.collide_rect_ratio(0.55)  # the edges of a picture do no harm


def bites(dinosaur: "Dinosaur", enemy: Enemy) -> bool:
    """Return whether the two touch, both above the ground."""
    return not enemy.is_buried and touches(dinosaur, enemy)


@dataclass
class Commands:
    """What the player wants now."""

    run: float = 0.0  # from -1, left, to 1, right
    jump: bool = False  # the key is down: the longer, the higher
    leap: bool = False  # it was pressed since the last frame
    throw: bool = False
    steep: bool = False  # throw steeply, without an aim
    aim: tuple[float, float] | None = None  # a place in the level; `None`: straight ahead


class Dinosaur(PooledSprite):
    """Small arms, a large heart, and phones that have to be charged."""

    grip: float = 14.0  # of its feet: less on ice
    facing: int = 1
    clock: float = 0.0  # seconds; the next five are times by it
    stood_at: float = -9.0
    thrown_at: float = -9.0
    hurt_at: float = -9.0
    asked_at: float = -9.0
    safe_until: float = 1.5
    charge: float = CHARGED
    powers: dict[str, float] = {}  # noqa: RUF012 - until when; each life has its own

    def __init__(self) -> None:
        """Build an upright body, with a round foot that slides."""
        self.looks = both_ways("rabbits/dinosaur", 11)
        super().__init__(self.looks[1][STAND])
        self.body = pymunk.Body(6, math.inf)
        foot, head = pymunk.Circle(self.body, 8, (0, 9)), pymunk.Circle(self.body, 7, (0, -6))
        embody(self, self.body, DINOSAUR, foot, head)
        foot.friction = 0

    def spawned(self) -> None:
        """Begin without commands: an object that isn't copied for each life, as a dict is."""
        self.commands = Commands()

    # -- what it does -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Do what the commands say, and check for enemies."""
        self.clock += dt
        self.move(dt)
        self.recharge(dt)
        rest = 0.15 if self.has("fast") else 0.28
        if self.commands.throw and self.clock - self.thrown_at > rest:
            if self.charge >= 1:
                self.throw()
            else:
                teach("charge")
        image = self.looks[self.facing][self.pose]
        is_safe = self.clock < self.safe_until  # and blinks
        self.image = flashing(image) if is_safe and self.clock * 12 % 2 < 1 else image
        enemy = pygame.sprite.spritecollideany(self, enemies, bites)
        if enemy and not is_safe:
            self.meet(enemy)

    def move(self, dt: float) -> None:
        """Run and jump."""
        told = self.commands
        speed, falls = self.body.velocity
        x, y = self.rect.midbottom
        below = world.space.segment_query_first((x, y - 8), (x, y + 2), 5, solid)
        if below and falls > -20:
            self.stood_at = self.clock
        if told.leap:
            self.asked_at = self.clock
        # A jump also counts a moment before landing, and a moment after leaving an edge.
        if max(self.clock - self.asked_at, self.clock - self.stood_at) < 0.1:
            self.asked_at = self.stood_at = -9.0
            falls = -JUMP
            burst(self.rect.midbottom)
            play("jump")
        elif not told.jump and falls < -120:
            falls += 1400 * dt  # the key was released early: a small jump
        if self.clock - self.hurt_at > 0.35:
            speed += (SPEED * told.run - speed) * min(1.0, self.grip * dt)
            if told.run:
                self.facing = 1 if told.run > 0 else -1
        self.body.velocity = speed, falls

    def recharge(self, dt: float) -> None:
        """Charge the phones: slowly between throws, quickly after a moment without one."""
        rests = self.clock - self.thrown_at > 0.6
        speed = tally.rules.charge * (5.0 if rests else 1.2) * (2 if self.has("fast") else 1)
        self.charge = min(self.charge + speed * dt, CHARGED)

    def throw(self) -> None:
        """Throw a phone, or three, at the aim, or straight ahead."""
        self.thrown_at = self.clock
        self.charge -= 1
        tally.thrown += 1
        x, y = self.position
        hand = x + 10 * self.facing, y - 8
        ahead, above = (70, 110) if self.commands.steep else (170, 0)
        aim = self.commands.aim or (x + ahead * self.facing, y - above)
        velocity = lob(hand, aim, FLIGHT)
        if abs(velocity.x) > 40:
            self.facing = 1 if velocity.x > 0 else -1
        for turn in (-0.16, 0, 0.16) if self.has("triple") else (0,):
            pools.spawn(phone, hand, velocity=velocity.rotated(turn))
        play("throw")

    @property
    def pose(self) -> int:
        """Which picture it shows."""
        if self.clock - self.hurt_at < 0.35:
            return HURT
        if self.clock - self.thrown_at < 0.2:
            return THROW if self.clock - self.thrown_at < 0.05 else THROW + 1
        if self.clock - self.stood_at > 0.08:
            return AIR
        is_running = abs(self.body.velocity.x) > 25
        return RUN + int(self.clock * 12) % 4 if is_running else STAND + int(self.clock * 2.5) % 2

    # -- what is done to it -------------------------------------------------------------------

    def meet(self, enemy: Enemy) -> None:
        """Jump on its head; or be thrown back, and lose a life or the shield."""
        speed, falls = self.body.velocity
        if falls > 60 and self.rect.bottom < enemy.rect.centery + 6:
            self.body.velocity = speed, -JUMP * 0.8
            self.safe_until = self.clock + 0.4
            camera.shake(3)
            camera.hold(0.05)
            enemy.hit((self.position.x, self.rect.bottom - 20))
            return
        self.body.velocity = 170 if self.position.x > enemy.position.x else -170, -200
        self.hurt_at = self.clock
        self.safe_until = self.clock + 2
        camera.shake(8)
        play("hurt")
        if self.has("shield"):
            del self.powers["shield"]
        else:
            tally.lives -= 1
        camera.hold(0.08)  # for a moment everything stands still
        if not tally.lives:
            camera.hold(0.5)
            fall(self.looks[self.facing][HURT], self.position)
            burst(self.position)
            self.kill()

    def take(self, bubble: PowerUp, _arbiter: pymunk.Arbiter) -> bool:
        """Take its power. Returning False lets the two pass through each other."""
        play("power")
        teach(bubble.kind)
        shout(bubble.kind + "!", self.rect.midtop, "#ffe890")
        if bubble.kind == "heart":
            tally.lives = min(tally.lives + 1, MOST_LIVES)
        else:
            self.powers[bubble.kind] = self.clock + POWERS[bubble.kind]
        bubble.kill()
        return False

    def has(self, power: str) -> bool:
        """Return whether a power still lasts."""
        return self.powers.get(power, 0.0) > self.clock


dinosaur = Prefab(Dinosaur, name="dinosaur", groups=[dinosaurs])
world.on_contact(Dinosaur, PowerUp, Dinosaur.take)
