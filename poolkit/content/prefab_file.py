"""Prefabs in text files: read whole or not at all, and read again while the game runs."""

from __future__ import annotations

import dataclasses
import logging
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.content.places import line_of, lines_of
from poolkit.content.schema import Field, fields_of, spawn_fields
from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.prefab import Prefab, factory_name
from poolkit.core.settings import Exceed, PoolSettings, RecycleLowest, RecycleOldest, Refuse
from poolkit.core.system import PoolingSystem, pools
from poolkit.sprites.sprite import PooledSprite

_log = logging.getLogger("poolkit")

Table = dict[str, Any]
Keys = tuple[str, ...]
_Stamp = tuple[int, int] | None  # when a file was last written, and its size; `None`: it is gone

_TABLES = ("build", "components", "data", "pool")
_SWITCHES = ("awake_on_first_spawn", "persistent")
KEYS = ("class", "groups", "variant_of", *_TABLES, *_SWITCHES)
_SETTINGS = {each.name for each in dataclasses.fields(PoolSettings)} - {"budget"}
POLICIES = {"refuse": Refuse, "exceed": Exceed, "recycle_oldest": RecycleOldest}


class _Text(NamedTuple):
    """One file as it was read."""

    path: Path
    tables: Table
    lines: dict[Keys, int]


class _Definition(NamedTuple):
    """What files say of one prefab, its bases included."""

    name: str
    table: Table
    texts: tuple[_Text, ...]  # its own file, then those of its bases
    names: tuple[str, ...]  # its own name in its file, then those of its bases in theirs

    def place(self, keys: Keys) -> str:
        """Return the file and line of a key, in the nearest table that has it."""
        for name, text in zip(self.names, self.texts, strict=True):
            if (name, *keys) in text.lines:
                return f"{text.path.name}:{text.lines[(name, *keys)]}"
        return f"{self.texts[0].path.name}:{line_of(self.texts[0].lines, (self.name, *keys))}"


class _Recipe:
    """Builds the instances of one prefab: its class or factory, then further components."""

    def __init__(self, name: str, build: _Call, components: list[_Call]) -> None:
        self.__name__ = name
        self.build = build
        self.components = components

    def __call__(self) -> Any:
        instance = self.build()
        for make in self.components:
            instance.add_component(make())
        return instance


class _Call(NamedTuple):
    """A class or function with its arguments from a file."""

    function: Callable[..., Any]
    arguments: Table

    def __call__(self) -> Any:
        return self.function(**{name: fresh(value) for name, value in self.arguments.items()})


def fresh(value: Any) -> Any:
    """Return a value that nobody else holds: instances share no list, and no color."""
    if isinstance(value, dict):
        return {key: fresh(each) for key, each in value.items()}
    if isinstance(value, list | set | tuple):
        return type(value)(fresh(each) for each in value)
    return value.copy() if isinstance(value, pygame.Vector2) else _copied_color(value)


def _copied_color(value: Any) -> Any:
    return pygame.Color(value) if isinstance(value, pygame.Color) else value


class PrefabFile(Mapping[str, "Prefab[Any]"]):
    """Prefabs by name, as text files define them; the system knows them by name at once.

    Args:
        *paths: Files, or folders of which every ``.toml`` file counts.
        classes: The classes and functions that files may name: sprites, components, factories.
        groups: The groups that files may name.
        system: The system that knows the prefabs.
        root: The folder that pictures must lie in; default: that of each file.

    Raises:
        ContentError: Something is wrong with a file. Its message has a line for every fault.

    Examples:
        >>> import pathlib, tempfile
        >>> class Orc(PooledSprite):
        ...     def spawned(self, hp: int = 30):
        ...         self.hp = hp
        >>> path = pathlib.Path(tempfile.mkdtemp(), "monsters.toml")
        >>> _ = path.write_text('[captain]\\nclass = "Orc"\\ndata = { hp = 90 }')
        >>> system = PoolingSystem()
        >>> book = PrefabFile(path, classes=[Orc], system=system)
        >>> system.spawn("captain").hp
        90
        >>> _ = path.write_text('[captain]\\nclass = "Orc"\\ndata = { hp = 120 }')
        >>> book.reload()
        {'captain': 'changed'}
        >>> system.spawn("captain").hp
        120
    """

    def __init__(
        self,
        *paths: str | Path,
        classes: Iterable[Callable[..., Any]] = (),
        groups: Mapping[str, Any] | None = None,
        system: PoolingSystem = pools,
        root: str | Path | None = None,
    ) -> None:
        self._paths = [Path(path) for path in paths]
        self._classes: dict[str, Callable[..., Any]] = {"PooledSprite": PooledSprite}
        self._classes |= {factory_name(each): each for each in classes}
        self._groups = dict(groups or {})
        self._system = system
        self._root = None if root is None else Path(root).resolve()
        self._prefabs: dict[str, Prefab[Any]] = {}
        self._read: dict[str, tuple[Table, dict[Path, _Stamp]]] = {}  # what each was made of
        self._stamps: dict[Path, _Stamp] = {}  # of all files and pictures, when last looked at
        self.pictures: dict[Path, tuple[_Stamp, pygame.Surface]] = {}
        self._take(_Reader(self))

    # -- a mapping --------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Prefab[Any]:
        """Return the prefab of that name.

        Raises:
            KeyError: There is none.
        """
        try:
            return self._prefabs[name]
        except KeyError:
            raise KeyError(unknown(name, self._prefabs, "the prefabs of the file")) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._prefabs)

    def __len__(self) -> int:
        return len(self._prefabs)

    # -- read again -------------------------------------------------------------------------------

    def reload(self, *, respawn: bool = False) -> dict[str, str]:
        """Take what has changed since the files were last read.

        Each `Prefab` stays the same object. Lives that begin later are built and spawned by the new
        file; those alive end as they are. What rests of a prefab that changed is destroyed, and
        prespawned a few an update. One that vanished can't be spawned any more.

        Args:
            respawn: End what is alive of prefabs that changed, and spawn it in its place.

        Returns:
            The names of the prefabs that are ``"added"``, ``"changed"`` or ``"removed"``; empty
            where nothing was written since.

        Raises:
            ContentError: Something is wrong with a file: nothing has changed. It is raised, and
                written to the log, once for each change of the files.
        """
        stamps = {path: stamp_of(path) for path in self._stamps}
        if stamps == self._stamps and set(files_of(self._paths)) <= self._stamps.keys():
            return {}
        self._stamps = stamps | {path: stamp_of(path) for path in files_of(self._paths)}
        try:
            return self._take(_Reader(self), respawn=respawn)
        except ContentError as error:
            _log.error("the prefabs stay as they are:\n%s", error)
            raise

    def _take(self, reader: _Reader, *, respawn: bool = False) -> dict[str, str]:
        """Put in force what was read, if there is no fault in it."""
        made = reader.prefabs()
        if reader.faults:
            self._stamps |= reader.stamps
            raise ContentError(reader.faults)
        self.pictures = reader.pictures
        self._stamps = reader.stamps
        changes = {name: "added" for name in made.keys() - self._prefabs.keys()}
        errors = ErrorCollector()
        for name, (prefab, read) in made.items():
            former = self._prefabs.get(name)
            if former is None:
                self._prefabs[name] = prefab
                errors.call(self._system.register, prefab)
            elif read != self._read[name]:
                changes[name] = "changed"
                errors.call(self._system.replace_recipe, former, prefab, respawn)
        for name in [name for name in self._prefabs if name not in made]:
            changes[name] = "removed"
            errors.call(self._system.withdraw_recipe, self._prefabs.pop(name))
        self._read = {name: read for name, (_, read) in made.items()}
        errors.raise_all("the files were read, but prefabs raised")
        return changes
