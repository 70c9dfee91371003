"""What is kept between games, in a file: options, keys, the best games, lessons."""

import contextlib
import json
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import pygame

T = TypeVar("T")
PLACES = 10  # in the table of the best games


@dataclass
class Options:
    """What a player can set."""

    music: int = 7  # of ten
    sound: int = 7
    mute: bool = False
    full: bool = False  # the whole screen
    shake: bool = True
    flash: bool = True
    difficulty: int = 1


@dataclass
class Entry:
    """A game in the table."""

    score: int
    level: str
    difficulty: str
    seconds: int


def checked(kind: type[T], values: dict[str, Any]) -> T:
    """Make a dataclass of values. One of the wrong type is a `TypeError`."""
    made = kind(**values)
    for field in fields(made):  # type: ignore[arg-type]  # T is one of the two above
        if type(getattr(made, field.name)) is not field.type:
            raise TypeError(field.name)
    return made


class Kept:
    """What is in the file."""

    def __init__(self) -> None:
        self.options = Options()
        self.keys: dict[str, int] = {}  # that the player chose for actions
        self.table: list[Entry] = []  # the best first
        self.lessons: list[str] = []  # that the player had
        self.farthest = 0  # level
        self.file: Path | None = None  # `None`: nothing is kept, as when a bot plays

    @property
    def best(self) -> int:
        """The best score."""
        return self.table[0].score if self.table else 0

    def open_file(self, file: Path | None = None) -> None:
        """Read the file. A missing or damaged one changes nothing."""
        try:
            self.file = file or Path(pygame.system.get_pref_path("poolkit", "rabbits"), "kept.json")
        except pygame.error as error:  # no home, or a read-only one
            self.give_up(error)
            return
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            found = json.loads(self.file.read_text("utf-8"))
            options = checked(Options, found["options"])
            table = [checked(Entry, row) for row in found["table"]]
            keys = {str(action): int(key) for action, key in found["keys"].items()}
            self.lessons, self.farthest = list(found["lessons"]), int(found["farthest"])
            self.options, self.table, self.keys = options, table[:PLACES], keys

    def enter(self, entry: Entry, former: Entry | None) -> None:
        """Put a game into the table, in place of its former entry, and save."""
        entries = [kept for kept in self.table if kept is not former]
        self.table = sorted([*entries, entry], key=lambda kept: -kept.score)[:PLACES]
        self.save()

    def save(self) -> None:
        """Write the file."""
        if self.file is None:
            return
        words = {name: value for name, value in vars(self).items() if name != "file"}
        words |= {"options": asdict(self.options), "table": [*map(asdict, self.table)]}
        new = self.file.with_suffix(".new")
        try:
            new.write_text(json.dumps(words, indent=1), "utf-8")
            new.replace(self.file)  # whole: even after a crash, one of the two is there
        except OSError as error:
            self.give_up(error)

    def save_picture(self, picture: pygame.Surface, name: str) -> str:
        """Save a picture next to the file, or in this folder; say where, or what went wrong."""
        file = (self.file.parent if self.file else Path.cwd()) / f"{name}.png"
        try:
            pygame.image.save(pygame.transform.scale_by(picture, 3), file)
        except (OSError, pygame.error) as error:
            return f"it can't be saved: {error}"
        return f"saved as {file}"

    def give_up(self, error: Exception) -> None:
        """Say once that nothing will be kept."""
        print(f"the best scores can't be kept: {error}", file=sys.stderr)
        self.file = None


kept = Kept()
