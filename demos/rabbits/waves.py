"""Which rabbits come when: a coroutine, in an object that is pooled though it is no sprite."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkit import IPoolableComponent, PoolSettings, Prefab, pools
from rabbits.backdrop import HOLES
from rabbits.boss import boss
from rabbits.effects import burst, puff
from rabbits.sound import play, play_music
from rabbits.stage import GROUND, WIDTH, dinosaurs, rabbits

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

__all__ = ["LEVELS", "Director", "Level", "director"]


@dataclass(frozen=True)
class Level:
    """A place, and who comes there: how many of each in each wave."""

    title: str
    place: str
    pause: float  # seconds from one rabbit to the next, at first
    waves: tuple[Mapping[str, int], ...]
    has_boss: bool = False


LEVELS = (
    Level(
        "Carrot Meadow",
        "meadow",
        1.3,
        ({"small": 5}, {"medium": 3}, {"small": 4, "medium": 3}, {"big": 2, "small": 4}),
    ),
    Level(
        "Toxic Garden",
        "garden",
        1.2,
        (
            {"flyer": 3, "small": 3},
            {"medium": 4, "flyer": 2},
            {"big": 2, "flyer": 3},
            {"big": 2, "medium": 3, "flyer": 4},
        ),
    ),
    Level(
        "Radio Hill",
        "hill",
        1.0,
        ({"medium": 4, "flyer": 2}, {"big": 3, "flyer": 4}, {"big": 3, "small": 8}),
        has_boss=True,
    ),
)


class Director(IPoolableComponent):
    """Lets the waves of a level come, one after the other.

    Its coroutine belongs to its life: a level that ends takes it along, wherever it has got to.
    """

    def spawned(self, level: Level) -> None:
        """Begin."""
        self.level = level
        self.wave = 0
        self.banner = level.title
        self.is_done = False
        self.scope.start(self.run())

    def run(self) -> Generator[float]:
        """Let all waves come, and the boss; be done when nobody is left."""
        yield 2.0
        for counts in self.level.waves:
            self.wave += 1
            self.announce(f"wave {self.wave}")
            kinds = [kind for kind, count in counts.items() for _ in range(count)]
            random.shuffle(kinds)
            for number, kind in enumerate(kinds):
                yield self.level.pause * (0.6 if number % 3 else 1.4)
                yield from self.let_out(kind)
            while len(rabbits) > 2:
                yield 0.2
        while rabbits:
            yield 0.2
        if self.level.has_boss:
            self.announce("here it comes!")
            play_music("boss")
            play("roar")
            yield 1.5
            pools.spawn(boss, (WIDTH / 2 + random.choice((-220, 220)), -60))
            while rabbits:
                yield 0.2
        self.announce("all clear!")
        play("win")
        yield 2.5
        self.is_done = True

    def let_out(self, kind: str) -> Generator[float]:
        """Let a rabbit out of a hole that is not right below the dinosaur."""
        far = [x for x in HOLES if all(abs(each.position.x - x) > 90 for each in dinosaurs)]
        x = random.choice(far or HOLES)
        burst(puff, (x, GROUND - 2))
        play("dig")
        yield 0.35
        velocity = random.uniform(-60, 60), random.uniform(-300, -200)
        pools.try_spawn(kind, (x, GROUND - 26), velocity=velocity)

    def announce(self, text: str) -> None:
        """Show a text, large, for a moment."""
        self.banner = text
        self.scope.after(1.8, self.show_nothing)

    def show_nothing(self) -> None:
        """Let the text go."""
        self.banner = ""


director = Prefab(
    Director, name="director", settings=PoolSettings(limit=1), sample_data={"level": LEVELS[0]}
)
