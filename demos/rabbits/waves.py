"""Which rabbits come when: a coroutine, in an object that is pooled though it is no sprite."""

import random
from collections.abc import Generator
from dataclasses import dataclass, replace

from poolkit import IPoolableComponent, Prefab, pools
from rabbits.effects import burst
from rabbits.powerups import powerup
from rabbits.scenery import HOLES
from rabbits.sound import play, play_music, stop_music
from rabbits.stage import GROUND, LENGTH, dinosaurs, enemies
from rabbits.words import announce, teach

# A letter for each kind of rabbit, and how many small ones it is worth.
KINDS = {"s": "small", "m": "medium", "b": "big", "f": "flyer", "d": "digger", "l": "slider"}
KINDS |= {"p": "pelter", "t": "tin", "o": "drone", "B": "boss", "K": "king"}
WORTH = {"s": 1, "m": 3, "b": 7, "f": 2, "d": 3, "l": 3, "p": 3, "t": 4, "o": 3}
BOSSES = "BK"


@dataclass(frozen=True)
class Level:
    """A place, and who comes there."""

    title: str
    place: str  # the name of its pictures, and of its music
    ledges: tuple[tuple[int, int], ...]
    waves: tuple[str, ...]  # a letter for each rabbit
    grip: float = 14.0  # how firmly one stands: on ice, less


LEVELS = (
    Level(
        title="Carrot Meadow",
        place="meadow",
        ledges=((200, 166), (400, 128), (600, 166)),
        waves=("sss", "mmss", "dddss", "mmmddd", "bbbdddd"),
    ),
    Level(
        title="Toxic Garden",
        place="garden",
        ledges=((130, 160), (310, 120), (490, 120), (670, 160)),
        waves=("fffss", "mmdd", "bffff", "mmffdd", "bbffd"),
    ),
    Level(
        title="Radio Hill",
        place="hill",
        ledges=((160, 160), (640, 160)),
        waves=("mmss", "bdd", "mmff", "B"),
    ),
    Level(
        title="Frozen Lake",
        place="frost",
        ledges=((110, 150), (310, 166), (490, 166), (690, 150)),
        waves=("ppss", "llmm", "ppffd", "pplld", "bppll"),
        grip=3.0,
    ),
    Level(
        title="Phone Factory",
        place="factory",
        ledges=((140, 166), (300, 128), (500, 128), (660, 166)),
        waves=("ttss", "ooff", "ttdd", "ooffm", "bttoo"),
    ),
    Level(
        title="The Server",
        place="server",
        ledges=((200, 166), (600, 166)),
        waves=("ooll", "ttpl", "bff", "K"),
    ),
)


def level(number: int) -> Level:
    """Return a level of the story, or what comes after it: more and more, without an end."""
    if number < len(LEVELS):
        return LEVELS[number]
    more = number - len(LEVELS)
    place = LEVELS[more % len(LEVELS)]
    waves = [crowd(12 + 4 * more + 3 * wave) for wave in range(4)]
    return replace(place, title=f"{place.title} +{more + 1}", waves=tuple(waves))


def crowd(worth: int) -> str:
    """Return a wave of rabbits that are together worth so many small ones."""
    letters = ""
    while worth > 0:
        letters += random.choice([letter for letter in WORTH if WORTH[letter] <= worth])
        worth -= WORTH[letters[-1]]
    return letters


class Director(IPoolableComponent):
    """Lets the waves of a level come, one after the other.

    Its coroutine belongs to its life, so it ends with the level.
    """

    def spawned(self, level: Level) -> None:
        """Begin."""
        self.level = level
        self.wave = 0
        self.is_done = False
        self.scope.start(self.run())

    def run(self) -> Generator[float]:
        """Let all waves come; it is done when no rabbit is left."""
        yield 0.5
        announce(self.level.title)
        yield 1.8
        for name in ("run", "throw", "stomp") if self.level is LEVELS[0] else ():
            if teach(name):  # for the first time
                yield 4.0
        for kinds in self.level.waves:
            self.wave += 1
            if kinds in BOSSES:
                announce("shoot its ears!")
                play_music(KINDS[kinds])
                play("roar")
                pools.try_spawn(powerup, (LENGTH / 2, 100), kind="heart")
            else:
                announce(f"wave {self.wave}")
            for letter in random.sample(kinds, len(kinds)):
                yield random.uniform(0.3, 1.1)
                yield from self.let_out(KINDS[letter])
            is_late = self.wave >= len(self.level.waves) - 1
            while sum(enemy.is_rabbit for enemy in enemies) > (0 if is_late else 2):
                yield 0.2
        announce("all clear!")
        if self.level.waves[-1] in BOSSES:
            stop_music()
            play("fanfare")
        else:
            play("win")
        yield 2.5
        self.is_done = True

    def let_out(self, kind: str) -> Generator[float]:
        """Let a rabbit come out of a hole that is not right below the dinosaur."""
        far = [x for x in HOLES if all(abs(each.position.x - x) > 90 for each in dinosaurs)]
        x = random.choice(far or HOLES)
        burst((x, GROUND - 2))
        play("dig")
        yield 0.35
        velocity = random.uniform(-60, 60), random.uniform(-300, -200)
        pools.try_spawn(kind, (x, GROUND - 26), velocity=velocity)


director = Prefab(Director, name="director", sample_data={"level": LEVELS[0]})
