"""The bosses: sprites with parts. Nothing hurts a boss until both of its ears are off."""

import random
from collections.abc import Generator
from typing import ClassVar

import pygame

from poolkit import pools
from rabbits.effects import burst, shout
from rabbits.enemies import CROUCH, FALL, SIT, Enemy, Small, bolt, prefab, throw
from rabbits.sound import play
from rabbits.stage import camera, enemies, phones
from rabbits.words import teach


class Ear(Enemy):
    """A part of a boss: it has no pool and no body, and is spawned and despawned with the boss.

    An ear that is killed stays hidden until the boss's next life.
    """

    art, poses, circles, hit_points, points = "ear", 2, (), 5, 500
    tufts, cry, is_rabbit = 8, "split", False

    def update(self, dt: float) -> None:
        """Check for phones: without a body, it gets no contacts."""
        super().update(dt)
        phone = pygame.sprite.spritecollideany(self, phones)
        if phone:
            self.hit(phone.position)
            phone.break_up()


class Dish(Ear):
    """The ear of a machine."""

    art, fur = "dish", 5


class Boss(Small):
    """Hops like the others, only higher. When it lands, small ones come to help."""

    art, poses, circles = "boss", 5, ((32, 17), (26, -16))
    hit_points, points, tufts, cry = 20, 2000, 24, "explode"
    pause, across, up = 1.7, 140, 400
    ear: ClassVar[type[Ear]] = Ear
    ears_at: ClassVar[tuple[tuple[float, float], ...]] = (12, -58), (34, -56)  # looking right
    helper, most_helpers = "small", 2

    def __init__(self) -> None:
        """Build the ears as children."""
        super().__init__()
        self.ears = [self.add_child(self.ear(), offset) for offset in self.ears_at]
        for ear in self.ears:
            ear.add(enemies)  # parts aren't in their parent's groups

    @property
    def share_left(self) -> float:
        """The share of hit points that is left, ears included."""
        parts = [self, *self.ears]
        return sum(part.left for part in parts) / sum(part.hit_points for part in parts)

    def update(self, dt: float) -> None:
        """Land heavily, and move the ears along."""
        before = self.pose
        super().update(dt)
        if (before, self.pose) == (FALL, SIT):
            self.land()
        for ear, (x, y) in zip(self.ears, self.ears_at, strict=True):
            if ear.active:
                ear.facing, ear.pose = self.facing, int(ear.left < 3)
                ear.position = self.at(x, y + 6 * (self.pose == CROUCH))

    def land(self) -> None:
        """Shake the ground, and call for help."""
        camera.shake(9)
        play("land")
        for side in (-1, 1):
            burst(self.at(40 * side, 42))
            if sum(enemy.is_rabbit for enemy in enemies) <= self.most_helpers:
                pools.try_spawn(self.helper, self.at(40 * side, 30), velocity=(150 * side, -260))

    def hit(self, source: tuple[float, float]) -> None:
        """Take a hit, unless an ear is left."""
        if any(ear.active for ear in self.ears):
            play("clonk")
            shout("clonk", self.position)
            teach("ears")
        else:
            super().hit(source)


class King(Boss):
    """Half a machine: shoots bolts between its hops, more of them with each ear that it loses."""

    art, circles = "king", ((34, 15), (24, -20))
    hit_points, points, fur, pause = 30, 5000, 5, 1.1
    ear, most_helpers = Dish, 3
    ears_at = (-2, -58), (30, -56)

    def behave(self) -> Generator[float | None]:
        """Hop, and shoot."""
        while True:
            yield self.rest(self.pause)
            yield from self.hop()
            yield 1.2
            for _ in range(3 - sum(ear.active for ear in self.ears)):
                self.face_dinosaur()
                throw(bolt, self.at(46, -4), random.uniform(0.7, 1.2))
                yield 0.22


boss, king = prefab(Boss, 1), prefab(King, 1)
