"""Which rabbits come when: a coroutine that waits for time to pass and for rabbits to die."""

import random
from collections.abc import Generator
from dataclasses import dataclass, replace

from poolkit import pools
from rabbits.effects import burst
from rabbits.powerups import powerup
from rabbits.scenery import HOLES
from rabbits.sound import play, play_music, stop_music
from rabbits.stage import GROUND, LENGTH, dinosaurs, enemies
from rabbits.words import announce, teach

# A letter for each kind of rabbit, and how many small rabbits it is worth.
KINDS = {"s": "small", "m": "medium", "b": "big", "f": "flyer", "d": "digger", "l": "slider"}
KINDS |= {"p": "pelter", "t": "tin", "o": "drone", "B": "boss", "K": "king"}
WORTH = {"s": 1, "m": 3, "b": 7, "f": 2, "d": 3, "l": 3, "p": 3, "t": 4, "o": 3}
BOSSES = "BK"


@dataclass(frozen=True)
class Level:
    """A place, and the rabbits that come there."""

    title: str
    place: str  # the name of its pictures, and of its music
    waves: str  # a letter for each rabbit, and a space between two waves
    ledges: tuple[tuple[int, int], ...]  # those of the left half: the right half mirrors it
    grip: float = 14.0  # of the dinosaur's feet: less on ice


LEVELS = (
    Level("Carrot Meadow", "meadow", "sss mmss ddss mmmdd bbdd", ((200, 166), (400, 128))),
    Level("Toxic Garden", "garden", "fffss mmddf bffff mmffddd bbffdd", ((130, 160), (310, 120))),
    Level("Radio Hill", "hill", "mmsss bddm mmfff B", ((160, 160),)),
    Level("Frozen Lake", "frost", "ppss llmm ppffd pplldd bbppll", ((110, 150), (310, 166)), 3.0),
    Level("Phone Factory", "factory", "ttss ooffd tttddm oooffm bbttoof", ((140, 166), (300, 128))),
    Level("The Server", "server", "ooll ttpl bff K", ((200, 166),)),
)


def level(number: int) -> Level:
    """Return a level of the story, or one of the endless mode, each with more rabbits."""
    if number < len(LEVELS):
        return LEVELS[number]
    more = number - len(LEVELS)
    place = LEVELS[more % len(LEVELS)]
    waves = " ".join(crowd(12 + 4 * more + 3 * wave) for wave in range(4))
    return replace(place, title=f"{place.title} +{more + 1}", waves=waves)


def crowd(worth: int) -> str:
    """Return a random wave that is worth so many small rabbits."""
    letters = ""
    while worth > 0:
        letters += random.choice([letter for letter in WORTH if WORTH[letter] <= worth])
        worth -= WORTH[letters[-1]]
    return letters


class Director:
    """Lets the waves of a level come, one after the other."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.waves = level.waves.split()
        self.wave = 0
        self.is_done = False

    def run(self) -> Generator[float]:
        """Let all waves come, until no rabbit is left: a coroutine for the scope of the scene."""
        yield 0.5
        announce(self.level.title)
        yield 1.8
        for name in ("run", "throw", "stomp") if self.level is LEVELS[0] else ():
            if teach(name):  # only in the first game
                yield 4.0
        for kinds in self.waves:
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
            is_late = self.wave >= len(self.waves) - 1
            while sum(enemy.is_rabbit for enemy in enemies) > (0 if is_late else 2):
                yield 0.2
        announce("all clear!")
        if self.waves[-1] in BOSSES:
            stop_music()
            play("fanfare")
        else:
            play("win")
        yield 2.5
        self.is_done = True

    def let_out(self, kind: str) -> Generator[float]:
        """Let a rabbit come out of a hole that isn't right below the dinosaur."""
        far = [x for x in HOLES if all(abs(dinosaur.position.x - x) > 90 for dinosaur in dinosaurs)]
        x = random.choice(far or HOLES)
        burst((x, GROUND - 2))
        play("dig")
        yield 0.35
        velocity = random.uniform(-60, 60), random.uniform(-300, -200)
        pools.try_spawn(kind, (x, GROUND - 26), velocity=velocity)
