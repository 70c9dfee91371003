"""Which rabbits come when: a coroutine, in an object that is pooled though it is no sprite."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolkit import IPoolableComponent, PoolSettings, Prefab, pools
from rabbits.backdrop import HOLES
from rabbits.boss import boss
from rabbits.effects import puff
from rabbits.sound import play, play_music
from rabbits.stage import GROUND, LENGTH, dinosaurs, enemies

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


@dataclass(frozen=True)
class Level:
    """A place, and who comes there."""

    title: str
    place: str  # the name of its pictures
    ledges: tuple[tuple[int, int], ...]
    pause: float  # seconds from one rabbit to the next
    waves: tuple[Mapping[str, int], ...]  # how many of each
    has_boss: bool = False


LEVELS = (
    Level(
        title="Carrot Meadow",
        place="meadow",
        ledges=((200, 166), (400, 128), (600, 166)),
        pause=0.7,
        waves=({"small": 6}, {"medium": 4}, {"small": 6, "medium": 4}, {"big": 3, "small": 6}),
    ),
    Level(
        title="Toxic Garden",
        place="garden",
        ledges=((130, 160), (310, 120), (490, 120), (670, 160)),
        pause=0.6,
        waves=(
            {"flyer": 4, "small": 5},
            {"medium": 5, "flyer": 4},
            {"big": 4, "flyer": 4},
            {"big": 3, "medium": 5, "flyer": 6},
        ),
    ),
    Level(
        title="Radio Hill",
        place="hill",
        ledges=((160, 160), (640, 160)),
        pause=0.5,
        waves=(
            {"medium": 6, "flyer": 4},
            {"big": 5, "flyer": 5},
            {"big": 4, "medium": 4, "small": 10},
        ),
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
            for kind in kinds:
                yield self.level.pause * random.uniform(0.3, 1.7)
                yield from self.let_out(kind)
            while len(enemies) > 3:
                yield 0.2
        while enemies:
            yield 0.2
        if self.level.has_boss:
            self.announce("here it comes!")
            play_music("boss")
            play("roar")
            yield 1.5
            pools.spawn(boss, (LENGTH / 2 + random.choice((-220, 220)), -60))
            while enemies:
                yield 0.2
        self.announce("all clear!")
        play("win")
        yield 2.5
        self.is_done = True

    def let_out(self, kind: str) -> Generator[float]:
        """Let a rabbit out of a hole that is not right below the dinosaur."""
        far = [x for x in HOLES if all(abs(each.position.x - x) > 90 for each in dinosaurs)]
        x = random.choice(far or HOLES)
        pools.spawn(puff, (x, GROUND - 2))
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


settings, sample = PoolSettings(limit=1), {"level": LEVELS[0]}
director = Prefab(Director, name="director", settings=settings, sample_data=sample)
