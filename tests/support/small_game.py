"""A small game to record: bats fly about, and faults that can be planted in it.

Run as a file, it plays alone: ``small_game.py FILE FRAMES [FAULT]``, and records itself.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

import pygame

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, Prefab, pools
from poolkit.devtools import record

IMAGE = pygame.Surface((4, 4))


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 9


class Bat(PooledSprite):
    def __init__(self) -> None:
        super().__init__(IMAGE)
        self.health = self.add_component(Health())

    def spawned(self) -> None:
        self.speed = random.uniform(-50, 50)  # noqa: S311 - a game's dice
        self.mood = "calm"


class SmallGame:
    """Bats that fly, fall ill and die; keys and mouse have a say in it."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.bats: PooledGroup[Bat] = PooledGroup()
        self.prefab = Prefab(Bat, name="bat", groups=[self.bats])
        self.frames = 0
        for _ in range(6):
            self.spawn()

    def spawn(self) -> None:
        pools.spawn(self.prefab, (random.random() * 300, 20))  # noqa: S311 - a game's dice

    def step(self, events: list[pygame.Event], dt: float) -> None:
        pools.update(dt)
        for event in events:
            if event.type == pygame.KEYDOWN:
                self.spawn()
            elif event.type == pygame.MOUSEBUTTONDOWN:
                self.bats.sprites()[0].position = event.pos
        if pygame.key.get_pressed()[pygame.K_SPACE]:
            self.bats.sprites()[0].mood = "angry"
        for bat in self.bats:
            bat.rect.x += bat.speed * dt
        self.bats.sprites()[-1].rect.y += pygame.mouse.get_pos()[1]
        if self.frames % 10 == 9:
            random.choice(self.bats.sprites()).health.current -= 1  # noqa: S311 - a game's dice
            self.bats.sprites()[0].kill()
            self.spawn()
        if self.frames == 20:
            self.misbehave()
        self.frames += 1

    def misbehave(self) -> None:
        bats: list[Any] = self.bats.sprites()
        dice = random.Random()  # noqa: S311 - unseeded, and that is the fault
        if self.fault == "unseeded dice":
            bats[2].health.current = dice.randrange(1 << 30)
        elif self.fault == "the wall clock":
            bats[2].rect.x += time.perf_counter() % 1
        elif self.fault == "order by id":
            for place, bat in enumerate(sorted(bats, key=lambda _: dice.random())):
                bat.rank = place
        elif self.fault == "one too many" and dice.random() < 2:
            for _ in range(dice.randrange(1, 4) if dice.random() else 0):
                self.spawn()
        elif self.fault == "crash":
            message = "the game crashed"
            raise RuntimeError(message)


def main(path: str, frames: int, fault: str = "") -> None:
    """Play so many frames, slowly enough to be killed in one."""
    pygame.display.init()
    with record(path, seed=3) as tape:
        game = SmallGame(fault)
        for number in range(frames):
            key = pygame.Event(pygame.KEYDOWN, key=pygame.K_a, unicode="a")
            events, dt = tape.frame([key] if number % 7 == 0 else [], (16 + number % 2) / 1000)
            if any(event.type == pygame.QUIT for event in events):
                return
            game.step(events, dt)


def again() -> None:
    """Play what a replay hands out, by the loop that records."""
    main("unused", sys.maxsize)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
