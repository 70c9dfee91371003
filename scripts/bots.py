#!/usr/bin/env python3
"""Let bots of several skills play "Phones and Rabbits", without drawing, and count who wins.

``python scripts/bots.py --games 20 human best``
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "demos"))


from poolkit import pools
from poolkit.devtools import record_profile
from poolkit.scenes import Scene, manager
from rabbits.controls import Player
from rabbits.dinosaur import FLIGHT, JUMP, SPEED, Commands, Dinosaur
from rabbits.game import PREFABS, PROFILE
from rabbits.kept import kept
from rabbits.scenes import Ending, Game, Play
from rabbits.stage import GROUND, HIGH, LENGTH, STEP, WIDE, dinosaurs, enemies, powerups
from rabbits.tally import RULES, tally
from rabbits.window import Window
from rabbits.words import LESSONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


GRAVITY = 640.0
FRAMES = 60 * 60 * 20  # a game that lasts longer than twenty minutes counts as lost


class Headless(Player):
    """A player without a window. Subclasses say what it wants."""

    patience = float("inf")

    def commands(self) -> Commands:
        """Do nothing."""
        [hero] = dinosaurs
        return self.decide(hero)

    def decide(self, hero: Dinosaur) -> Commands:
        """Return what it wants now."""
        raise NotImplementedError


class Corner(Headless):
    """Stands in the left corner and always throws ahead."""

    def decide(self, hero: Dinosaur) -> Commands:
        """Go there; look to the right; throw."""
        is_there = hero.position.x < 30
        return Commands(0.05 if is_there else -1.0, throw=True)


class Centre(Headless):
    """Stands in the middle, turns to the nearest rabbit, and always throws."""

    def decide(self, hero: Dinosaur) -> Commands:
        """Turn; throw."""
        gap = min((enemy.position.x - hero.position.x for enemy in enemies), key=abs, default=1)
        return Commands(0.05 if gap > 0 else -0.05, throw=True)


@dataclass
class Seen:
    """A rabbit or a missile, as a bot sees it."""

    x: float
    y: float
    vx: float
    vy: float
    radius: float
    falls: bool = True
    is_target: bool = True

    def after(self, seconds: float) -> tuple[float, float]:
        """Return where it will be if it goes on as it does now."""
        if not self.falls:
            return self.x + self.vx * seconds, self.y + self.vy * seconds
        floor = GROUND - self.radius
        y = self.y + self.vy * seconds + GRAVITY * seconds * seconds / 2
        if y > floor:  # it lands, and stays there
            speed = (self.vy**2 + 2 * GRAVITY * max(0.0, floor - self.y)) ** 0.5
            seconds = min(seconds, (speed - self.vy) / GRAVITY) if abs(self.vy) > 20 else seconds
            y = floor
        return self.x + self.vx * seconds, y


def look() -> Iterator[Seen]:
    """Yield all that is dangerous."""
    for enemy in enemies:
        (x, y), kind = enemy.position, type(enemy).__name__
        if enemy.parent is not None:
            continue
        vx, vy = enemy.body.velocity
        radius = enemy.rect.width * 0.36
        if kind == "Slider" and enemy.pose == 1:
            vx = 250.0 * enemy.facing
        if enemy.is_buried:
            yield Seen(x, GROUND - 25, vx, 0, 22, falls=False, is_target=False)
            continue
        flies = kind in {"Drone", "Flyer"}
        ears = [ear for ear in getattr(enemy, "ears", ()) if ear.active]
        for ear in ears:
            yield Seen(ear.position.x, ear.position.y, vx, vy, 8, falls=not flies)
        sides = kind == "Tin"
        [hero] = dinosaurs
        is_armoured = sides and (hero.position.x - x) * enemy.facing > 0
        yield Seen(x, y, vx, vy, radius, falls=not flies, is_target=not (ears or is_armoured))


class Careful(Headless):
    """Keeps away, jumps on heads, and aims. Subclasses say how well."""

    reaction = 0  # frames until it knows what it sees
    thinks_every = 2  # frames
    aim_error = 0.0, 0.0  # pixels; and of the distance
    slips = 0.0  # how often it does something at random
    far = 330.0  # pixels: beyond them it doesn't throw

    def __init__(self) -> None:
        super().__init__()
        self.seen: deque[list[Seen]] = deque(maxlen=self.reaction + 1)
        self.frame = 0
        self.choice = 0, False
        self.error = 0.0, 0.0
        self.is_charging = False

    def decide(self, hero: Dinosaur) -> Commands:
        """Choose where to go, now and then, and throw at the nearest rabbit."""
        self.frame += 1
        self.seen.append(list(look()))
        foes = self.seen[0]
        known = self.reaction * STEP * 0.6  # it guesses part of what it doesn't know yet
        if self.frame % self.thinks_every == 0:
            choices = [(run, jump) for run in (0, -1, 1) for jump in (False, True)]
            self.choice = max(choices, key=lambda choice: self.worth(hero, foes, known, choice))
            if random.random() < self.slips:
                self.choice = random.choice(choices)
        run, jump = self.choice
        told = Commands(run, jump, jump)
        told.aim = self.aim(hero, foes, known)
        # Phones charge faster between throws, so it throws several and waits.
        self.is_charging = hero.charge < (3 if self.is_charging else 1)
        told.throw = told.aim is not None and not self.is_charging
        return told

    def worth(
        self, hero: Dinosaur, foes: Sequence[Seen], known: float, choice: tuple[int, bool]
    ) -> float:
        """Return how good a choice seems, from what would happen in the next moment."""
        (x, y), (vx, vy), (run, jump) = hero.position, hero.body.velocity, choice
        stands = hero.clock - hero.stood_at < 0.1
        if jump and stands:
            vy = -JUMP
        floor = y if stands else GROUND - 18
        step, good = 0.06, 0.0
        for number in range(1, 13):
            vx += (SPEED * run - vx) * min(1, hero.grip * step)
            x = min(max(x + vx * step, 12), LENGTH - 12)
            vy += GRAVITY * step
            y = min(y + vy * step, floor)
            if y == floor and not (jump and number < 3):
                vy = 0.0
            for foe in foes:
                fx, fy = foe.after(known + number * step)
                room = max(abs(fx - x) - 10, abs(fy - y) - 14) - foe.radius
                if room < 12:
                    stomps = vy > 60 and y < fy - foe.radius * 0.6 and foe.is_target
                    good += (3 if stomps else -(12 - room)) / number
        good -= abs(x - LENGTH / 2) / 300
        nearest = min((abs(foe.x - x) for foe in foes), default=150.0)
        good -= max(0.0, 110 - nearest) / 30
        for bubble in powerups:
            good += max(0.0, 160 - abs(bubble.position.x - x)) / 60
        return good - 0.3 * jump

    def aim(self, hero: Dinosaur, foes: Sequence[Seen], known: float) -> tuple[float, float] | None:
        """Return where to throw, with an error."""
        x, y = hero.position

        def distance(foe: Seen) -> float:
            return abs(foe.x - x) + abs(foe.y - y) * 0.7

        foe = min((foe for foe in foes if foe.is_target), key=distance, default=None)
        if foe is None or distance(foe) > self.far:
            return None
        if self.frame % 20 == 0:
            pixels = self.aim_error[0] + self.aim_error[1] * distance(foe)
            self.error = random.gauss(0, pixels), random.gauss(0, pixels)
        fx, fy = foe.x, foe.y
        for _ in range(2):
            fx, fy = foe.after(known + max(40, ((fx - x) ** 2 + (fy - y) ** 2) ** 0.5) / FLIGHT)
        return fx + self.error[0], fy + self.error[1]


class Human(Careful):
    """Sees everything a quarter of a second late, and aims as one does with a mouse."""

    reaction, thinks_every, aim_error, slips = 15, 8, (14.0, 0.1), 0.15


class Best(Careful):
    """As good as it gets."""


BOTS = {"corner": Corner, "centre": Centre, "human": Human, "best": Best}


@dataclass
class Result:
    """How a game went."""

    level: int  # in which it ended
    has_won: bool
    score: int
    seconds: float


def play(make: Callable[[], Headless], seed: int, levels: int = 6, first: int = 0) -> Result:
    """Play a game, or some of its levels, and return how it went."""
    random.seed(seed)
    kept.lessons = list(LESSONS)  # else the first game begins with lessons
    for prefab in PREFABS:
        pools.register(prefab)
    game = Game(make())
    game.begin(first)
    reached, frames = first, 0
    while frames < FRAMES:
        game.update(STEP)
        frames += 1
        scene = game.scenes.scene
        if isinstance(scene, Play):
            reached = scene.number
        if isinstance(scene, Ending) or reached >= levels:
            break
    has_won = reached >= levels or (frames < FRAMES and tally.lives > 0)
    game.scenes.load(Scene())  # ends the level with its timers, and resets the pools
    return Result(reached, has_won, tally.score, frames * STEP)


def main(arguments: Sequence[str] | None = None) -> int:
    """Let each bot play, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bots", nargs="*", metavar="BOT", help=", ".join(BOTS))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    names = [rules.name for rules in RULES]
    parser.add_argument("--difficulty", choices=names, default="normal")
    parser.add_argument("--first", type=int, default=0, help="level, counted from 0")
    parser.add_argument("--levels", type=int, default=6, help="how many, from the first of all")
    parser.add_argument("--record", action="store_true", help="add what they need to the profile")
    options = parser.parse_args(arguments)
    kept.options.difficulty = names.index(options.difficulty)
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    Window("bots", (WIDE, HIGH), headless=True)
    recorder = record_profile(PROFILE) if options.record else None
    with mock.patch.object(manager, "settle"):
        for name in options.bots or BOTS:
            seeds = range(options.seed, options.seed + options.games)
            results = [play(BOTS[name], seed, options.levels, options.first) for seed in seeds]
            wins = sum(result.has_won for result in results)
            past = sum(result.level > 0 for result in results)
            reached = [sum(r.level >= n for r in results) for n in range(1, 6)]
            seconds = sum(result.seconds for result in results) / len(results)
            print(
                f"{name:7} won {wins} of {len(results)}, past the first level {past}, "
                f"at the others {reached}, {seconds:.0f} s a game",
                flush=True,
            )
    if recorder:
        recorder.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
