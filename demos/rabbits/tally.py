"""What is counted in a game, and how hard it is."""

from dataclasses import dataclass

from rabbits.kept import Entry, kept

MOST_LIVES = 5


@dataclass(frozen=True)
class Rules:
    """How hard a game is."""

    name: str
    lives: int
    pace: float  # of the rabbits
    charge: float  # phones a second, while throwing


RULES = (
    Rules("easy", lives=5, pace=0.85, charge=1.4),
    Rules("normal", lives=3, pace=1.0, charge=1.0),
    Rules("hard", lives=2, pace=1.15, charge=0.8),
)


class Tally:
    """What is counted from the first level of a game to its end."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Count from the beginning."""
        self.rules = RULES[kept.options.difficulty % len(RULES)]
        self.lives = self.rules.lives
        self.score = self.thrown = self.hits = self.rabbits = self.retries = 0
        self.seconds = 0.0
        self.level = ""
        self.entry: Entry | None = None  # in the table

    def add(self, points: int) -> None:
        """Count points. A new best score is kept at once, however the game ends."""
        is_first = self.score <= kept.best < self.score + points
        self.score += points
        if is_first:
            self.keep()

    def keep(self) -> None:
        """Put the game, as far as it got, into the table."""
        if self.score:
            former, level = self.entry, self.level
            self.entry = Entry(self.score, level, self.rules.name, int(self.seconds))
            kept.enter(self.entry, former)


tally = Tally()
