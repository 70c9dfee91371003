"""A dragon: it sways, flies loops, and carries up to three riders wherever it goes."""

import math
import random
from collections.abc import Generator

import pygame

from flight.news import tell
from poolkit import DespawnReason, PooledGroup, PooledSprite, PoolSettings, Prefab
from shared.effects import puff, show
from shared.pictures import frames

SEATS = ((-25, -17), (-7, -22), (11, -18))  # pixels from the middle of an upright dragon
FLAP = (0, 1, 2, 1)  # the pictures of a wingbeat
# Where a dragon may fly: each has a place of its own, and room for a loop above it.
PLACES = (
    (330, 250),
    (560, 215),
    (800, 260),
    (220, 400),
    (450, 385),
    (680, 395),
    (370, 500),
    (830, 480),
)
LOOP = 84  # pixels: the radius of a loop
LOOPING = 1.8  # seconds

dragons = PooledGroup()


class Dragon(PooledSprite):
    """Moves itself alone: its riders follow because they were spawned with ``parent=``."""

    clock: float = 0.0
    loop: float = 0.0  # degrees

    def __init__(self) -> None:
        self.pictures = frames("dragon", 4)
        super().__init__(self.pictures[0])

    def spawned(self, position: tuple[float, float]) -> None:
        """Come in from the left, to fly around `position` from then on."""
        self.middle = position
        self.phase = random.uniform(0, math.tau)
        self.scope.start(self.stunts())
        self.fly()

    def despawned(self, reason: DespawnReason) -> None:
        """Vanish in a puff. The riders' lives end next, and they go back to their own pools."""
        if reason is not DespawnReason.RESET:
            show(puff, self.position, drift=(-60, 0))
            tell(f"a dragon left, riders: {len(self.children)}", (236, 86, 74))

    def stunts(self) -> Generator[float | None]:
        """Fly a loop every few seconds, until the life ends."""
        while True:
            yield random.uniform(2, 7)
            began = self.clock
            while self.clock - began < LOOPING:
                part = (self.clock - began) / LOOPING
                self.loop = 360 * part * part * (3 - 2 * part)
                yield None  # until the next frame
            self.loop = 0.0

    def update(self, dt: float) -> None:
        """Beat the wings, and fly on."""
        self.clock += dt
        self.fly()

    def fly(self) -> None:
        """Be where it is at this time, nose along its way."""
        self.image = self.pictures[FLAP[int(self.clock * 7 + self.phase) % 4]]
        swing = self.clock * 1.1 + self.phase
        x = self.middle[0] + 46 * math.sin(swing * 0.6)
        x -= 1000 * max(0.0, 1 - self.clock / 2) ** 3
        y = self.middle[1] + 30 * math.sin(swing)
        turn = math.radians(self.loop)
        x += LOOP * math.sin(turn)
        y -= LOOP * (1 - math.cos(turn))
        self.rotation = self.loop - 16 * math.cos(swing)
        self.position = x, y

    def free_seats(self) -> list[int]:
        """Return the numbers of the seats that nobody sits on."""
        taken = {getattr(child, "seat", None) for child in self.children}
        return [number for number in range(len(SEATS)) if number not in taken]

    def seat(self, number: int) -> tuple[float, float]:
        """Return where a seat is now, in the scene."""
        # pygame's vectors turn clockwise on the screen, sprites the other way.
        place = pygame.Vector2(SEATS[number]).rotate(-self.rotation) + self.position
        return place.x, place.y


settings = PoolSettings(prespawn=len(PLACES), limit=len(PLACES))
dragon = Prefab(Dragon, name="dragon", groups=[dragons], settings=settings)
