"""The dragon: a prefab whose patterns are coroutines that end with its life."""

from __future__ import annotations

import math
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from barrage.patterns import PATTERNS
from barrage.pictures import GRAINS, SEEDS, dart, dragon_pictures
from barrage.stage import FACTORS
from barrage.swarms import sample
from poolkit import PooledGroup, PooledSprite, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from barrage.patterns import Pattern
    from barrage.ship import Ship
    from barrage.stage import Stage
    from barrage.swarms import Bullets, Sparks
    from poolkit import Handle

bosses: PooledGroup[Boss] = PooledGroup()
HEALTH = 420  # shots that end a pattern
PATIENCE = 20.0  # seconds that a pattern takes at most
FLAP = (0, 1, 2, 1)


class Boss(PooledSprite):
    """Hovers on the right and goes through its patterns over and over."""

    name: str = ""  # of the pattern
    health: int = HEALTH
    until: float = 1.5  # when the pattern is over
    clock: float = 0.0
    flash: float = 0.0  # seconds
    is_spitting: bool = False
    target: Handle[Ship] | None = None

    def __init__(self) -> None:
        super().__init__(dragon_pictures()[0])

    def spawned(self, stage: Stage, bullets: Bullets, sparks: Sparks, first: int = 0) -> None:
        """Come in from the right."""
        self.stage, self.bullets, self.sparks = stage, bullets, sparks
        self.left = islice(cycle(PATTERNS.items()), first, None)
        self.stop: Callable[[], object] = float  # of the pattern: nothing yet
        self.position = (1500, 330)

    def next_pattern(self) -> None:
        """Begin the next pattern; bullets of the last one become sparks."""
        self.stop()
        if self.name:
            clear(self.bullets, self.sparks)
            self.stage.score += 1000
        self.name, pattern = next(self.left)
        self.health, self.until = HEALTH, self.clock + PATIENCE
        self.stage.say(self.name)
        self.stop = self.scope.start(self.play(pattern))

    def play(self, pattern: Pattern) -> Generator[float]:
        """Play a pattern after a short pause."""
        yield 0.9
        self.is_spitting = True
        yield from pattern(self)

    def update(self, dt: float) -> None:
        """Beat the wings, hover, and change the pattern when it is time."""
        self.clock += dt
        self.flash = max(0.0, self.flash - dt)
        beat = FLAP[int(self.clock * 6) % 4]
        self.image = dragon_pictures()[3 if self.is_spitting and beat == 1 else beat]
        x = 1060 + 40 * math.sin(self.clock * 0.7) + 460 * max(0.0, 1 - self.clock / 1.5) ** 2
        self.position = x, 350 + 120 * math.sin(self.clock * 0.9)
        if self.clock >= self.until or self.health <= 0:
            self.is_spitting = False
            self.next_pattern()

    def hurt(self, shots: int) -> None:
        """Take some shots."""
        self.health -= shots
        self.flash = 0.05

    @property
    def mouth(self) -> tuple[float, float]:
        """Where its bullets come from."""
        return self.position.x - 84, self.position.y - 6

    def aim(self) -> float:
        """Return the angle towards the ship, in degrees."""
        ship = self.target.get() if self.target else None
        if ship is None:
            return 180.0
        x, y = ship.position - self.mouth
        return math.degrees(math.atan2(-y, x))

    def many(self, count: int) -> int:
        """Return how many bullets to shoot where a pattern says `count`."""
        return count * self.stage.factor

    def shoot(
        self,
        velocity: Any,
        color: int,
        shape: int = 0,
        *,
        darts: bool = False,
        position: Any = None,
        **columns: Any,
    ) -> None:
        """Shoot a bullet for each velocity: one call, for five or for five thousand."""
        frame = dart(color, velocity) if darts else shape + color
        if self.stage.is_show:  # the more there are, the smaller they are
            frame = (GRAINS if self.stage.factor == FACTORS[-1] else SEEDS) + color
        position = self.mouth if position is None else position
        self.bullets.spawn_many(
            len(velocity), position=position, velocity=velocity, frame=frame, color=color, **columns
        )


def clear(bullets: Bullets, sparks: Sparks, rows: Any = None) -> int:
    """Turn all bullets, or those of some rows, into sparks; return how many."""
    rows = np.arange(len(bullets.alive)) if rows is None else rows
    if len(rows):
        places = bullets.position[rows]
        sparks.burst(min(3 * len(rows), 3000), places, 120)
    return bullets.despawn(rows)


boss = Prefab(Boss, name="dragon", groups=[bosses], sample_data=sample)
