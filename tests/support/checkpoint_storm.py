"""Checkpoints of the storms' own games, at any moment: what follows is what followed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from level_storm import Game
from poolkit import PoolError, PoolingSystem
from poolkit.checkpoints import Checkpoint, CheckpointError
from recorder import assert_counts, demand

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

FRAMES = 12


def told_of(system: PoolingSystem) -> list[object]:
    """Return what a game can see of all lives, and how much there is of everything."""
    told: list[object] = []
    for pool in system.all_pools():
        for sprite, data in pool.active.items():
            bodies = [body for one in sprite._play_handlers for body in one.bodies]
            motion = [(*body.position, body.angle, *body.velocity) for body in bodies]
            pose = tuple(sprite.position), sprite.rotation, len(sprite.children)
            told.append((data.number, data.generation, pose, motion))
        told.append(([data.number for data in pool.inactive], pool.stats))
    return told


class Level(Game):
    """A level of the level storm in one system, without coroutines, which would begin again."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.systems = PoolingSystem(), PoolingSystem()
        self.dice.seed(number)
        self.world.space.gravity = (0, self.dice.choice([0, 300, 900]))
        self.world.space.sleep_time_threshold = self.dice.choice([0.2, float("inf")])
        self.kills = self.dice.choice([0, 0.05, 0.5])
        self.kinds = self.dice.sample([0, 1, 2, 3, 5], 3)
        self.world.on_collision(0, 0, separate=self.part)
        self.seconds, self.hail = self.dice.choice([1 / 60, 1 / 32]), self.dice.choice([0, 1, 6])
        for _ in range(self.dice.choice([3, 20, 50])):
            self.spawn(self.kinds)

    @property
    def system(self) -> PoolingSystem:
        """The one that everything lives in."""
        return self.systems[0]

    def spawn(self, kinds: list[int], near: Any = (200, 50), **data: Any) -> Any:
        place = near[0] + self.dice.uniform(-150, 150), near[1] + self.dice.uniform(-150, 150)
        prefab = self.pieces[self.dice.choice(kinds)]
        return self.system.spawn(prefab, place, self.dice.uniform(0, 360), **data)

    def turn(self) -> None:
        """Play a frame."""
        self.frame(self.seconds, self.hail, self.kinds)


def play(game: Any, turn: Callable[[], object], count: int) -> list[object]:
    """Play some frames, and tell of each."""
    told: list[object] = []
    for _ in range(count):
        turn()
        told.append(told_of(game.system))
    return told


def check(game: Any, turn: Callable[[], object], dice: random.Random) -> object:
    """Take checkpoints at any time, play on, put them back, and play on again."""
    checkpoints: list[tuple[Checkpoint, list[object]]] = []
    told: list[object] = []
    for _ in range(6):
        play(game, turn, dice.randrange(20))
        with contextlib.suppress(CheckpointError):
            checkpoint = Checkpoint(game.system, worlds=[game.world], keep=[game])
            checkpoints.append((checkpoint, play(game, turn, FRAMES)))
        if not checkpoints:
            continue
        checkpoint, followed = dice.choice(checkpoints)
        before = told_of(game.system)
        try:
            checkpoint.restore()
        except PoolError:
            demand(told_of(game.system) == before, "a refused restore has changed something")
            told.append("refused")
        else:
            assert_counts(game.system)
            demand(play(game, turn, FRAMES) == followed, "what follows isn't what followed")
            told.append(followed[-1])
    return told


def storm(dice: random.Random) -> object:
    """Play levels with bodies, and put them back to any moment."""
    told: list[object] = []
    for _ in range(3):
        level = Level(dice.randrange(10**6))
        told.append(check(level, level.turn, dice))
    return told
