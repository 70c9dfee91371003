"""Which rabbits come when: a coroutine, in an object that is pooled though it is no sprite."""

import random
from collections.abc import Generator
from dataclasses import dataclass

from poolkit import IPoolableComponent, Prefab, pools
from rabbits.effects import burst, shout
from rabbits.scenery import HOLES
from rabbits.sound import play, play_music
from rabbits.stage import GROUND, WIDE, camera, dinosaurs, enemies

KINDS = {"s": "small", "m": "medium", "b": "big", "f": "flyer", "B": "boss"}


@dataclass(frozen=True)
class Level:
    """A place, and who comes there."""

    title: str
    place: str  # the name of its pictures
    ledges: tuple[tuple[int, int], ...]
    waves: tuple[str, ...]  # a letter for each rabbit


LEVELS = (
    Level(
        title="Carrot Meadow",
        place="meadow",
        ledges=((200, 166), (400, 128), (600, 166)),
        waves=("ssssss", "mmmm", "ssssssmmmm", "bbbssssss"),
    ),
    Level(
        title="Toxic Garden",
        place="garden",
        ledges=((130, 160), (310, 120), (490, 120), (670, 160)),
        waves=("ffffsssss", "mmmmmffff", "bbbbffff", "bbbmmmmmffffff"),
    ),
    Level(
        title="Radio Hill",
        place="hill",
        ledges=((160, 160), (640, 160)),
        waves=("mmmmmmffff", "bbbbbfffff", "bbbbmmmmssssssssss", "B"),
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
        self.is_done = False
        self.scope.start(self.run())

    def run(self) -> Generator[float]:
        """Let all waves come; be done when nobody is left."""
        yield 0.5
        announce(self.level.title)
        yield 1.5
        for kinds in self.level.waves:
            self.wave += 1
            announce("shoot its ears!" if kinds == "B" else f"wave {self.wave}")
            if kinds == "B":
                play_music("boss")
                play("roar")
            for letter in random.sample(kinds, len(kinds)):
                yield random.uniform(0.2, 1.0)
                # Out of a hole that is not right below the dinosaur.
                far = [x for x in HOLES if all(abs(each.position.x - x) > 90 for each in dinosaurs)]
                x = random.choice(far or HOLES)
                burst((x, GROUND - 2))
                play("dig")
                yield 0.35
                velocity = random.uniform(-60, 60), random.uniform(-300, -200)
                pools.try_spawn(KINDS[letter], (x, GROUND - 26), velocity=velocity)
            is_late = self.wave >= len(self.level.waves) - 1
            while len(enemies) > (0 if is_late else 3):
                yield 0.2
        announce("all clear!")
        play("win")
        yield 2.5
        self.is_done = True


def announce(text: str) -> None:
    """Show a text, large, in the middle."""
    shout(text, (camera.left + WIDE / 2, 90), scale=3)


director = Prefab(Director, name="director", sample_data={"level": LEVELS[0]})
