"""What the dragon shoots: coroutines of its life, which wait by yielding seconds."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import numpy as np

from barrage.pictures import CYAN, GOLD, GREEN, ORBS, PEARLS, ROSE, VIOLET, WHITE
from barrage.stage import AREA
from poolkit.swarms import ring, spread

if TYPE_CHECKING:
    from barrage.boss import Boss

Pattern = Callable[["Boss"], Generator[float]]


def rings(boss: Boss) -> Generator[float]:
    """Rings, every other one between the gaps of the last."""
    for turn in range(99):
        count = boss.many(34)
        boss.shoot(ring(count, 120, turn * 180 / count), ROSE, ORBS)
        boss.shoot(ring(count, 170, (turn + 1) * 180 / count), WHITE, PEARLS)
        yield 0.55


def twin_spirals(boss: Boss) -> Generator[float]:
    """Two spirals that turn against each other."""
    for turn in range(999):
        boss.shoot(ring(boss.many(6), 135, turn * 7.3), CYAN, PEARLS)
        boss.shoot(ring(boss.many(5), 110, -turn * 5.9), VIOLET, PEARLS)
        yield 0.07


def flowers(boss: Boss) -> Generator[float]:
    """Blossoms, whose petals are of faster bullets."""
    for turn in range(99):
        count = boss.many(70)
        angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
        speeds = 105 + 45 * np.abs(np.sin(angles * 2.5))
        velocity = ring(count, 1, turn * 13) * speeds[:, None]
        boss.shoot(velocity, (ROSE, GOLD, VIOLET)[turn % 3], PEARLS)
        yield 0.6


def streams(boss: Boss) -> Generator[float]:
    """Bursts of darts, aimed at the ship, in a fan."""
    for _ in range(99):
        angle = boss.aim()
        for number in range(7):
            velocity = spread(boss.many(7), angle, 70, 150 + 20 * number)
            boss.shoot(velocity, GOLD, darts=True)
            yield 0.06
        yield 0.35


def walls(boss: Boss) -> Generator[float]:
    """Walls from edge to edge, each with a door somewhere else, that opens as it comes."""
    for _ in range(99):
        count = boss.many(46)
        y = np.linspace(-10, AREA.height + 10, count)
        door = boss.stage.dice.uniform(120, AREA.height - 120)
        y = y[np.abs(y - door) > 52]
        velocity = np.zeros((len(y), 2))
        velocity[:, 0] = -150
        velocity[:, 1] = np.sign(y - door) * 9
        places = np.stack([np.full(len(y), AREA.right + 20.0), y], axis=1)
        boss.shoot(velocity, GREEN, ORBS, position=places)
        yield 1.15
        boss.shoot(ring(boss.many(12), 120, boss.aim()), WHITE, PEARLS)
        yield 0.45


def pinwheel(boss: Boss) -> Generator[float]:
    """Arms that bend as they fly."""
    for turn in range(999):
        way = 1 if turn // 40 % 2 else -1
        boss.shoot(ring(boss.many(8), 165, turn * 9), VIOLET, darts=True, turn=30.0 * way)
        yield 0.09


def fireworks(boss: Boss) -> Generator[float]:
    """A few large ones that burst into rings."""
    for turn in range(99):
        fuse = boss.stage.dice.uniform(0.8, 1.7, boss.many(7))
        velocity = spread(boss.many(7), 180 + 25 * np.sin(turn), 110, 260)
        color = (ROSE, CYAN, GOLD, GREEN)[turn % 4]
        boss.shoot(velocity, color, ORBS, gain=-0.5, fuse=fuse)
        yield 0.95


def rain(boss: Boss) -> Generator[float]:
    """Rain from above, and now and then a ring."""
    dice = boss.stage.dice
    for turn in range(999):
        count = boss.many(6)
        places = np.stack([dice.uniform(0, AREA.width, count), np.full(count, -20.0)], axis=1)
        velocity = np.stack([dice.normal(-40, 18, count), dice.uniform(110, 210, count)], axis=1)
        boss.shoot(velocity, CYAN, darts=True, position=places)
        if turn % 16 == 0:
            boss.shoot(ring(boss.many(24), 140, turn), ROSE, PEARLS)
        yield 0.09


def comets(boss: Boss) -> Generator[float]:
    """Slow at first, then faster and faster."""
    for turn in range(99):
        for number in range(6):
            count = boss.many(15)
            velocity = spread(count, boss.aim() + 8 * np.sin(turn + number), 140, 40 + 9 * number)
            boss.shoot(velocity, GOLD if number % 2 else ROSE, PEARLS, gain=0.55)
            yield 0.11
        yield 0.2


def breath(boss: Boss) -> Generator[float]:
    """A breath of fire that sweeps, and embers in it."""
    dice = boss.stage.dice
    for turn in range(999):
        sweep = 180 + 38 * np.sin(turn * 0.045)
        count = boss.many(5)
        angles = np.radians(dice.normal(sweep, 7, count))
        speeds = dice.uniform(220, 380, count)
        velocity = np.stack([np.cos(angles), -np.sin(angles)], axis=1) * speeds[:, None]
        boss.shoot(velocity, GOLD if turn % 3 else ROSE, PEARLS if turn % 2 else ORBS)
        boss.sparks.burst(boss.many(2), boss.mouth, 300)
        if turn % 30 == 0:
            boss.shoot(ring(boss.many(28), 115, turn), WHITE, PEARLS)
        yield 0.05


PATTERNS: dict[str, Pattern] = {
    "Rings of rose": rings,
    "Twin spirals": twin_spirals,
    "The gatekeeper": walls,
    "Blossoms": flowers,
    "Arrows of gold": streams,
    "Pinwheel": pinwheel,
    "Fireworks": fireworks,
    "Meteor rain": rain,
    "Comets": comets,
    "Breath of fire": breath,
}
