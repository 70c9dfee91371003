"""The bosses: sprites with parts. Nothing hurts one before both of its ears are off."""

import random
from collections.abc import Generator

import pygame

from poolkit import Prefab, pools
from rabbits.effects import burst, shout
from rabbits.enemies import CROUCH, FALL, SIT, Enemy, Small, bolt, throw
from rabbits.sound import play
from rabbits.stage import camera, enemies, phones
from rabbits.words import teach


class Ear(Enemy):
    """A part: it has no pool and no body of its own, but is spawned and despawned with the boss.

    One that is killed is hidden until its parent's next life.
    """

    art, poses, circles, hit_points, points = "ear", 2, (), 5, 500
    tufts, cry, is_rabbit = 8, "split", False

    def update(self, dt: float) -> None:
        """Be hit by phones: there is no body for them to bounce off."""
        super().update(dt)
        phone = pygame.sprite.spritecollideany(self, phones)
        if phone:
            self.hit(phone.position)
            phone.break_up()


class Dish(Ear):
    """The ear of a machine."""

    art, fur = "dish", 5


class Boss(Small):
    """Hops like the others, only higher; where it lands, small ones come to help it."""

    art, poses, circles = "boss", 5, ((32, 17), (26, -16))
    hit_points, points, tufts, cry = 20, 2000, 24, "explode"
    pause, across, up = 1.7, 140, 400
    ear: type[Ear] = Ear
    ears_at: tuple[tuple[float, float], ...] = (12, -58), (34, -56)  # where it looks right
    helper, most_helpers = "small", 2

    def __init__(self) -> None:
        """Build the ears as children."""
        super().__init__()
        self.ears = [self.add_child(self.ear(), offset) for offset in self.ears_at]
        for ear in self.ears:
            ear.add(enemies)  # a part is in no group but its own: these are enemies as well

    @property
    def share_left(self) -> float:
        """How much of it is left, ears included."""
        parts = [self, *self.ears]
        return sum(part.left for part in parts) / sum(part.hit_points for part in parts)

    def update(self, dt: float) -> None:
        """Land heavily, and hold the ears on."""
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
        """Be hurt, if there are no ears any more."""
        if any(ear.active for ear in self.ears):
            play("clonk")
            shout("clonk", self.position)
            teach("ears")
        else:
            super().hit(source)


class King(Boss):
    """Half a machine: hops, and shoots bolts between the hops; the fewer ears, the more often."""

    art, circles = "king", ((34, 15), (24, -20))
    hit_points, points, fur = 20, 5000, 5
    pause, across, up = 1.4, 140, 400
    ear = Dish
    ears_at = (-2, -58), (30, -56)
    most_helpers = 2

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


def make_prefab(kind: type[Boss]) -> Prefab[Boss]:
    """Return the prefab of a boss."""
    return Prefab(kind, name=kind.__name__.lower(), groups=[enemies])


boss, king = make_prefab(Boss), make_prefab(King)
