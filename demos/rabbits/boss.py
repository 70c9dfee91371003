"""The boss: a sprite with parts. Nothing hurts it before both of its ears are off."""

import pygame

from poolkit import Prefab, pools
from rabbits.effects import burst, shout
from rabbits.enemies import CROUCH, FALL, SIT, Enemy, Small
from rabbits.sound import play
from rabbits.stage import camera, enemies, phones

EARS = (12, -58), (34, -56)  # from its middle, where it looks right


class Ear(Enemy):
    """A part: it has no pool and no body of its own, but is spawned and despawned with the boss.

    One that is killed is hidden until its parent's next life.
    """

    art, poses, circles, hit_points, points = "ear", 2, (), 7, 500
    tufts, cry = 8, "split"

    def update(self, dt: float) -> None:
        """Be hit by phones: there is no body for them to bounce off."""
        super().update(dt)
        phone = pygame.sprite.spritecollideany(self, phones)
        if phone:
            phone.break_up()
            self.hit()


class Boss(Small):
    """Hops like the others, only higher; where it lands, small ones come to help it."""

    art, poses, circles = "boss", 5, ((32, 17), (26, -16))
    hit_points, points, tufts, cry = 40, 2000, 24, "explode"
    rest, across, up = 1.2, 160, 420

    def __init__(self) -> None:
        """Build the ears as children."""
        super().__init__()
        self.ears = [self.add_child(Ear(), offset) for offset in EARS]
        for ear in self.ears:
            ear.add(enemies)  # a part is in no group but its own: these are enemies as well

    def at(self, ahead: float, below: float) -> tuple[float, float]:
        """Return the place of something on it, in pixels from its middle."""
        return self.position.x + ahead * self.facing, self.position.y + below

    def update(self, dt: float) -> None:
        """Land heavily, and hold the ears on."""
        before = self.pose
        super().update(dt)
        if (before, self.pose) == (FALL, SIT):
            camera.shake(9)
            play("land")
            for side in (-1, 1):
                burst(self.at(40 * side, 42))
                pools.try_spawn("small", self.at(40 * side, 30), velocity=(150 * side, -260))
        for ear, (x, y) in zip(self.ears, EARS, strict=True):
            if ear.active:
                ear.facing, ear.pose = self.facing, int(ear.left < 4)
                ear.position = self.at(x, y + 6 * (self.pose == CROUCH))

    def hit(self) -> None:
        """Be hurt, if there are no ears any more."""
        if any(ear.active for ear in self.ears):
            play("clonk")
            shout("clonk", self.position)
        else:
            super().hit()


boss = Prefab(Boss, name="boss", groups=[enemies])
