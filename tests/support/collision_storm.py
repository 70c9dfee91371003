"""A seeded storm of spawns and despawns in every callback; prints a trace of what happened."""

from __future__ import annotations

import hashlib
import os
import random
import sys

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

from typing import Any

from physics_kit import STEP, balls
from poolkit import PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld


class Storm:
    """A few hundred balls in a box, which live and die by collision."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - a game's dice
        self.system = PoolingSystem()
        self.world = PhysicsWorld(gravity=(0, 200))
        self.kinds = [
            Prefab(
                balls(self.world, kind=kind, radius=3 + kind),
                name=f"ball {kind}",
                settings=PoolSettings(prespawn=40),
            )
            for kind in (1, 2)
        ]
        self.trace: list[object] = []
        self.world.on_collision(1, 1, begin=self.meet, separate=self.part)
        self.world.on_collision(1, 2, pre_solve=self.meet, separate=self.part)
        self.world.on_collision(2, 2, post_solve=self.meet, separate=self.part)
        for _ in range(150):
            self.spawn()

    def spawn(self) -> None:
        """Let a ball be born somewhere."""
        dice = self.dice
        if sum(pool.active_count for pool in self.system.all_pools()) > 260:
            return
        place = (dice.uniform(0, 200), dice.uniform(0, 200))
        ball = self.system.spawn(dice.choice(self.kinds), place, dice.uniform(0, 360))
        ball.body.velocity = (dice.uniform(-90, 90), dice.uniform(-90, 90))
        self.trace.append(("born", repr(ball)))

    def meet(self, arbiter: Any, *_: object) -> None:
        """Kill or bear, or neither, by the dice."""
        first, second = (self.world.sprite_of(shape) for shape in arbiter.shapes)
        self.trace.append(("meet", repr(first), repr(second)))
        fate = self.dice.random()
        if fate < 0.04 and first is not None:
            first.kill()
        elif fate < 0.06 and second is not None:
            second.kill()
            self.spawn()
        elif fate < 0.09:
            self.spawn()

    def part(self, separation: Any, *_: object) -> None:
        """Take note, and sometimes kill."""
        self.trace.append(("part", *(repr(self.world.sprite_of(s)) for s in separation.shapes)))
        if self.dice.random() < 0.02:
            self.meet(separation)

    def run(self, steps: int) -> str:
        """Let it rage; return a digest of everything that happened."""
        for number in range(steps):
            self.world.step(STEP)
            for pool in self.system.all_pools():
                self.trace += [(repr(b), b.body.position, b.rotation) for b in pool.active]
                if number % 7 == 0 and pool.active_count:
                    self.dice.choice(list(pool.active)).kill()
            self.spawn()
        self.check()
        return hashlib.sha256(repr(self.trace).encode()).hexdigest()

    def check(self) -> None:
        """Raise unless the space holds the bodies of the living, and no others."""
        alive = {id(ball.body) for pool in self.system.all_pools() for ball in pool.active}
        if {id(body) for body in self.world.space.bodies} != alive:
            raise RuntimeError(len(alive))
        for pool in self.system.all_pools():
            stats = pool.stats
            if stats.created - stats.destroyed != stats.active + stats.inactive:
                raise RuntimeError(stats)


if __name__ == "__main__":
    storm = Storm(int(sys.argv[1]))
    print(storm.run(int(sys.argv[2])), len(storm.trace))  # noqa: T201 - its whole purpose
