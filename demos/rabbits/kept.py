"""What is kept between games, in a file: options, keys, the best games, lessons."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import pygame

PLACES = 10  # in the table of the best games
KEY_CODES = range(-(2**31), 2**31)


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
    others: dict[str, Any] = field(default_factory=dict)  # of a newer version: they stay


@dataclass
class Entry:
    """A game in the table."""

    score: int
    level: str
    difficulty: str
    seconds: int
    others: dict[str, Any] = field(default_factory=dict, compare=False)


def words_of(thing: Options | Entry) -> dict[str, Any]:
    """Return what the file says of options, or of a game in the table."""
    words = asdict(thing)
    others: dict[str, Any] = words.pop("others")
    return others | words


class Reader:
    """Takes values of a file one by one, and remembers those that it can't take."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words
        self.faults: list[str] = []

    def take(self, name: str, kind: type, is_good: Callable[[Any], bool] | None = None) -> Any:
        """Return a value of that type; an empty one if there is none, or a wrong one."""
        value = self.words.get(name, kind())
        if type(value) is not kind or not (is_good is None or is_good(value)):
            self.faults.append(name)
            return kind()
        return value

    def take_fields(self, kind: type, values: Any, name: str) -> dict[str, Any]:
        """Return arguments for a dataclass; what is wrong is left out, what is unknown stays."""
        if not isinstance(values, dict):
            self.faults.append(name)
            return {}
        types = {one.name: one.type for one in fields(kind) if one.name != "others"}
        wrong = {
            name for name in types.keys() & values.keys() if type(values[name]) is not types[name]
        }
        self.faults += sorted(wrong)
        taken: dict[str, Any] = {
            name: values[name] for name in types.keys() & (values.keys() - wrong)
        }
        others = {name: value for name, value in values.items() if name not in types}
        return taken | {"others": others}


_NAMES = "options", "keys", "table", "lessons", "farthest"


class Kept:
    """What is in the file."""

    def __init__(self) -> None:
        self.options = Options()
        self.keys: dict[str, int] = {}  # that the player chose for actions
        self.table: list[Entry] = []  # the best first
        self.lessons: list[str] = []  # that the player had
        self.farthest = 0  # level
        self.others: dict[str, Any] = {}  # of a newer version: they stay
        self.file: Path | None = None  # `None`: nothing is kept, as when a bot plays

    @property
    def best(self) -> int:
        """The best score."""
        return self.table[0].score if self.table else 0

    def open_file(self, file: Path | None = None) -> None:
        """Read the file. What is damaged in it is left out, and the file kept beside."""
        try:
            self.file = file or Path(pygame.system.get_pref_path("poolkit", "rabbits"), "kept.json")
        except pygame.error as error:  # no home, or a read-only one
            self.give_up(error)
            return
        try:
            words = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError):
            words = None
        reader = Reader(words if isinstance(words, dict) else {})
        if reader.words:
            self._take(reader)
        elif words != {}:
            reader.faults.append("all of it")
        if reader.faults:
            self._keep_beside(self.file, reader.faults)

    def _take(self, reader: Reader) -> None:
        """Take what a file says, value by value: one that is wrong costs no other."""
        options = reader.take("options", dict)
        self.options = Options(**reader.take_fields(Options, options, "options"))
        rows = [reader.take_fields(Entry, row, "table") for row in reader.take("table", list)]
        whole = [row for row in rows if {one.name for one in fields(Entry)} <= row.keys()]
        if len(whole) < len(rows) and "table" not in reader.faults:
            reader.faults.append("table")
        self.table = sorted((Entry(**row) for row in whole), key=lambda kept: -kept.score)[:PLACES]
        keys = reader.take("keys", dict)
        self.keys = {
            action: key for action, key in keys.items() if type(key) is int and key in KEY_CODES
        }
        if len(self.keys) < len(keys):
            reader.faults.append("keys")
        lessons = reader.take("lessons", list)
        self.lessons = [lesson for lesson in lessons if isinstance(lesson, str)]
        self.farthest = reader.take("farthest", int, lambda level: level >= 0)
        self.others = {name: value for name, value in reader.words.items() if name not in _NAMES}

    def _keep_beside(self, file: Path, faults: list[str]) -> None:
        """Keep a file with faults, as the next save would overwrite it, and say so."""
        beside = file.with_suffix(".bad.json")
        try:
            shutil.copyfile(file, beside)
        except OSError as error:
            self.give_up(error)  # rather than overwrite it
        else:
            what = ", ".join(dict.fromkeys(faults))
            print(f"{file}: {what} can't be read; it is kept as {beside}", file=sys.stderr)

    def enter(self, entry: Entry, former: Entry | None) -> None:
        """Put a game into the table, in place of its former entry, and save."""
        entries = [kept for kept in self.table if kept is not former]
        self.table = sorted([*entries, entry], key=lambda kept: -kept.score)[:PLACES]
        self.save()

    def save(self) -> None:
        """Write the file."""
        if self.file is None:
            return
        words = self.others | {name: vars(self)[name] for name in _NAMES}
        words |= {"options": words_of(self.options), "table": [*map(words_of, self.table)]}
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
