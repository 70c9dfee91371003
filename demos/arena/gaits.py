"""Gaits: an orc hops, a troll strides, an ogre waddles, a dragon flies."""

import random
from collections.abc import Generator
from typing import Literal

import pymunk

from arena.stage import monsters
from poolkit import Handle, IPoolableComponent, PooledSprite, pools
from shared.effects import puff, show, spark


class Gait(IPoolableComponent):
    """What all gaits share: a direction, and turning round at walls."""

    facing: int = 0  # right (1), left (-1), or where chance says (0)
    speed: float = 100.0  # pixels a second
    jump: float = 0.0
    pause: float = 1.0  # seconds

    def spawned(self) -> None:
        """Head somewhere, and not all in step."""
        self.facing = self.facing or random.choice((-1, 1))
        self.clock = random.uniform(0, 0.5)  # seconds
        self.sprite.show(0)

    def update(self, dt: float) -> None:
        """Move, unless dazed by a hit."""
        if self.sprite.dazed:
            return
        on_ground, wall = feel(self.sprite.physics.body)
        if wall == self.facing:
            self.facing = -wall
        self.clock += dt
        self.sprite.show(self.move(on_ground=on_ground))

    def move(self, *, on_ground: bool) -> int:
        """Move on, and return the frame that shows it."""
        raise NotImplementedError

    def push(self, vx: float, vy: float | None = None) -> None:
        """Go at `vx` pixels per second the way it faces, and at `vy` downwards if given."""
        body = self.sprite.physics.body
        body.velocity = (vx * self.facing, body.velocity.y if vy is None else vy)


class Hop(Gait):
    """Crouches a moment, then leaps."""

    def move(self, *, on_ground: bool) -> int:
        """Leap when the moment is over; swing the club on the way down."""
        if not on_ground:
            return 1 if self.sprite.physics.body.velocity.y < 60 else 2
        if self.clock > self.pause:
            self.clock = random.uniform(-0.1, 0.1)
            self.push(self.speed * random.uniform(0.7, 1.3), -self.jump * random.uniform(0.8, 1.2))
            return 1
        self.push(0)
        return 0


class Stride(Gait):
    """Takes long steps, after somebody."""

    prey: Handle[PooledSprite] | None = None

    def move(self, *, on_ground: bool) -> int:
        """Step out for half a second, stand for a little less."""
        step = self.clock % (0.55 + self.pause)
        if not on_ground or step > 0.55:
            return 0
        if step < 0.02:
            self.hunt()
        self.push(self.speed * (1 - step / 0.6))
        return 2 if step < 0.3 else 1

    def hunt(self) -> None:
        """Turn to its prey; choose another if that one's life is over."""
        prey = self.prey.get() if self.prey else None
        if prey is None:
            prey = random.choice(monsters.sprites())
            self.prey = pools.handle(prey)
        distance = prey.rect.centerx - self.sprite.rect.centerx
        if abs(distance) > 40:
            self.facing = 1 if distance > 0 else -1


class Waddle(Gait):
    """Shifts its weight from foot to foot, and stamps now and then."""

    was_on_ground: bool = False  # it comes from above

    def move(self, *, on_ground: bool) -> int:
        """Sway: quick in the middle of a step, all but still when the foot comes down."""
        has_landed = on_ground and not self.was_on_ground
        self.was_on_ground = on_ground
        if not on_ground:
            return 2
        if has_landed:
            x, y = self.sprite.rect.midbottom
            show(puff, (x, y - 10), drift=(-20 * self.facing, 0))
        if self.clock > self.pause:
            self.clock = 0
            self.push(60, -self.jump)
            return 2
        sway = self.clock * 2.4 % 2
        self.push(self.speed * (1 - abs(sway % 1 - 0.5) * 1.8))
        return int(sway)


class Flap(Gait):
    """Falls between two beats of its wings, and breathes fire at times."""

    is_breathing_fire: bool = False

    def spawned(self) -> None:
        """Choose a height to fly at, in pixels from the top, and grow angry in time."""
        super().spawned()
        self.height = random.uniform(110, 320)
        self.scope.start(self.rage())

    def rage(self) -> Generator[float]:
        """Breathe fire every few seconds, until the life ends."""
        while True:
            yield self.pause * random.uniform(0.6, 1.4)
            self.is_breathing_fire = True
            for _ in range(6):
                self.spit()
                yield 0.08
            self.is_breathing_fire = False

    def spit(self) -> None:
        """Send a spark ahead, and hurt whoever is in front of its mouth."""
        x, y = self.sprite.position
        drift = (self.facing * random.uniform(160, 260), random.uniform(-30, 60))
        show(spark, (x + 52 * self.facing, y - 8), drift=drift)
        for other in monsters.sprites():
            if other is not self.sprite and other.rect.collidepoint(x + 62 * self.facing, y):
                other.hit(7)

    def move(self, *, on_ground: bool) -> int:
        """Beat the wings when it has sunk below its height and the last beat is spent."""
        body = self.sprite.physics.body
        self.push(self.speed)
        if on_ground or (self.clock > 0.4 and body.position.y > self.height):
            self.clock = 0
            self.push(self.speed, -self.jump)
        if self.is_breathing_fire:
            return 3
        return 2 if self.clock < 0.16 else 1 if self.clock < 0.28 else 0


GAITS = {"hop": Hop, "stride": Stride, "waddle": Waddle, "flap": Flap}


def gait(kind: Literal["hop", "stride", "waddle", "flap"]) -> Gait:
    """Return a new gait of a kind."""
    return GAITS[kind]()


def feel(body: pymunk.Body) -> tuple[bool, int]:
    """Return whether `body` stands on something, and on which side it is against something.

    The side is -1 (left), 1 (right) or 0 (neither).
    """
    on_ground, wall = False, 0

    def touch(arbiter: pymunk.Arbiter) -> None:
        nonlocal on_ground, wall
        normal = arbiter.normal  # away from `body`
        if normal.y > 0.5:
            on_ground = True
        elif abs(normal.x) > 0.8:
            wall = 1 if normal.x > 0 else -1

    body.each_arbiter(touch)
    return on_ground, wall
