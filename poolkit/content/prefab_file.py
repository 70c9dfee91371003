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

    # -- for the reader and the tools -------------------------------------------------------------

    @property
    def classes(self) -> Mapping[str, Callable[..., Any]]:
        """The classes and functions that files may name."""
        return self._classes


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the files that paths mean: themselves, or what lies in them."""
    return [each for path in paths for each in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]


def stamp_of(path: Path) -> _Stamp:
    """Return what tells one state of a file from another."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class _Reader:
    """Reads all files of a book once, and gathers every fault."""

    def __init__(self, book: PrefabFile) -> None:
        self._book = book
        self.faults: list[str] = []
        self.stamps: dict[Path, _Stamp] = {}
        self.pictures: dict[Path, tuple[_Stamp, pygame.Surface]] = {}
        self._used: dict[Path, _Stamp] = {}  # the pictures of the prefab that is read
        self._texts: dict[str, _Text] = {}  # by the names of prefabs
        self._made: dict[str, Prefab[Any]] = {}
        self._file = Path()  # whose values are read

    # -- files ----------------------------------------------------------------------------------

    def prefabs(self) -> dict[str, tuple[Prefab[Any], tuple[Table, dict[Path, _Stamp]]]]:
        """Return the prefabs of all files, each with what it was made of."""
        for path in files_of(self._book._paths):
            self._read(path)
        # Names first: one prefab may have another one in its data.
        for name in self._texts:
            self._made[name] = self._book.get(name) or Prefab(PooledSprite, name=name)
        found = {}
        for name in self._texts:
            definition = self._definition(name)
            if definition is not None:
                self._used = {}
                prefab = self._prefab(definition)
                found[name] = prefab, (definition.table, self._used)
        return found

    def _read(self, path: Path) -> None:
        self.stamps[path] = stamp_of(path)
        try:
            text = path.read_text("utf-8")
            tables = tomllib.loads(text)
        except OSError as error:
            self.faults.append(f"{path}: it can't be read: {error.strerror}")
        except UnicodeDecodeError:
            self.faults.append(f"{path}: it is no UTF-8 text")
        except tomllib.TOMLDecodeError as error:
            self.faults.append(f"{path.name}: {error}")
        else:
            self._add(_Text(path, tables, lines_of(text)))

    def _add(self, text: _Text) -> None:
        for name, table in text.tables.items():
            place = f"{text.path.name}:{line_of(text.lines, (name,))}: {name}"
            if not isinstance(table, dict):
                expected = f"a table of a prefab, as [{name}]"
                self.faults.append(f"{place}: {misfit(table, expected)}")
            elif name in self._texts:
                other = self._texts[name]
                where = f"{other.path.name}:{line_of(other.lines, (name,))}"
                self.faults.append(f"{place}: {where} defines a prefab of that name as well")
            else:
                self._texts[name] = text

    # -- variants ---------------------------------------------------------------------------------

    def _definition(self, name: str) -> _Definition | None:
        """Return a prefab with all that its bases say; `None` where one of them is at fault."""
        chain = [name]
        while (base := self._texts[chain[-1]].tables[chain[-1]].get("variant_of")) is not None:
            text = self._texts[chain[-1]]
            place = f"{text.path.name}:{line_of(text.lines, (chain[-1], 'variant_of'))}"
            if base in chain:
                why = f"a variant of itself, by {' -> '.join([*chain, base])}"
            elif not isinstance(base, str) or base not in self._texts:
                why = unknown(str(base), self._texts, "the prefabs")
            else:
                chain.append(base)
                continue
            if len(chain) == 1:  # else it is told of the base itself
                self.faults.append(f"{place}: {name}.variant_of: {why}")
            return None
        table: Table = {}
        for each in reversed(chain):
            table = _merged(table, self._texts[each].tables[each])
        table.pop("variant_of", None)
        return _Definition(name, table, tuple(self._texts[each] for each in chain), tuple(chain))

    # -- one prefab -------------------------------------------------------------------------------

    def _prefab(self, definition: _Definition) -> Prefab[Any]:
        table = definition.table
        for key in table.keys() - {*KEYS}:
            self._fault(definition, (key,), unknown(key, KEYS, "the keys of a prefab"))
        tables = {key: self._table(definition, key) for key in _TABLES}
        maker = self._class(definition, ("class",), table.get("class", "PooledSprite"))
        build = self._call(definition, ("build",), maker, tables["build"])
        components = []
        for name, given in tables["components"].items():
            keys = ("components", name)
            if not isinstance(given, dict):
                self._fault(definition, keys, misfit(given, "a table of its arguments"))
                continue
            components.append(self._call(definition, keys, self._class(definition, keys, name), given))
        recipe = _Recipe(definition.name, build, components)
        return Prefab(
            recipe,
            name=definition.name,
            groups=self._groups_of(definition),
            settings=self._settings(definition, tables["pool"]),
            data=self._data(definition, recipe, tables["data"]),
            **self._switches(definition),
        )

    def _table(self, definition: _Definition, key: str) -> Table:
        value = definition.table.get(key, {})
        if isinstance(value, dict):
            return value
        self._fault(definition, (key,), misfit(value, "a table, as { hp = 30 }"))
        return {}

    def _class(self, definition: _Definition, keys: Keys, name: Any) -> Callable[..., Any] | None:
        found = self._book.classes.get(name) if isinstance(name, str) else None
        if found is None:
            known = unknown(str(name), self._book.classes, "the classes handed over")
            self._fault(definition, keys, known)
        return found

    def _call(
        self, definition: _Definition, keys: Keys, function: Callable[..., Any] | None, given: Table
    ) -> _Call:
        if function is None:
            return _Call(PooledSprite, {})
        fields, takes_any = fields_of(function)
        arguments = self._values(definition, keys, given, fields, takes_any=takes_any)
        for field in fields.values():
            if not field.is_optional and field.name not in given:
                expected = field.kind.words if field.kind else "what a file can't hold"
                name = factory_name(function)
                why = f"{name} requires {field.name} = ... here, {expected}"
                self._fault(definition, keys, why)
        return _Call(function, arguments)

    def _values(
        self,
        definition: _Definition,
        keys: Keys,
        given: Table,
        fields: Mapping[str, Field],
        *,
        takes_any: bool,
    ) -> Table:
        """Return the values of a table as the code wants them."""
        taken: Table = {}
        for name, value in given.items():
            field = fields.get(name)
            if field is None and not takes_any:
                self._fault(definition, (*keys, name), unknown(name, fields, "what it takes"))
                continue
            try:
                taken[name] = self.value(definition.texts[0].path, field, value)
            except ValueError as error:
                self._fault(definition, (*keys, name), str(error))
        return taken

    def value(self, file: Path, field: Field | None, value: Any) -> Any:
        """Return a value as a parameter wants it; a `ValueError` says what is wrong with it."""
        if field is None:
            return value
        if field.kind is None:
            message = f"{field.name} can't come from a file: give it in code"
            raise ValueError(message)
        self._file = file
        try:
            return field.kind.take(value, self)
        except ValueError as error:
            raise ValueError(misfit(value, field.kind.words, str(error))) from None

    def _groups_of(self, definition: _Definition) -> list[Any]:
        names = definition.table.get("groups", [])
        if not isinstance(names, list):
            self._fault(definition, ("groups",), misfit(names, "a list of the names of groups"))
            return []
        groups = self._book._groups
        for name in names:
            if name not in groups:
                known = unknown(str(name), groups, "the groups handed over")
                self._fault(definition, ("groups",), known)
        return [groups[name] for name in names if name in groups]

    def _settings(self, definition: _Definition, given: Table) -> PoolSettings:
        settings = dict(given)
        for name in given.keys() - _SETTINGS:
            self._fault(definition, ("pool", name), unknown(name, _SETTINGS, "the settings"))
            del settings[name]
        overflow = settings.get("overflow")
        try:
            if overflow is not None:
                settings["overflow"] = _policy(overflow)
            return PoolSettings(**settings)
        except (TypeError, ValueError) as error:
            named = next((name for name in settings if str(error).startswith(name)), None)
            self._fault(definition, ("pool", *([named] if named else [])), str(error))
            return PoolSettings()

    def _data(self, definition: _Definition, recipe: _Recipe, given: Table) -> Table:
        fields, takes_any = spawn_fields(recipe.kinds())
        if not takes_any and given.keys() - fields.keys() and not self.faults:
            # Components that its constructor adds may name them: only building one tells.
            fields, takes_any = spawn_fields(recipe.kinds(built=True))
        return self._values(definition, ("data",), given, fields, takes_any=takes_any)

    def _switches(self, definition: _Definition) -> dict[str, bool]:
        found = {key: definition.table[key] for key in _SWITCHES if key in definition.table}
        for key, value in found.items():
            if not isinstance(value, bool):
                self._fault(definition, (key,), misfit(value, "true or false"))
        return {key: value for key, value in found.items() if isinstance(value, bool)}

    def _fault(self, definition: _Definition, keys: Keys, why: str) -> None:
        path = ".".join((definition.name, *keys))
        self.faults.append(f"{definition.place(keys)}: {path}: {why}")

    # -- what values refer to ---------------------------------------------------------------------

    def prefab(self, name: str) -> Prefab[Any]:
        """Return the prefab of that name, in whichever file it is."""
        if name not in self._made:
            raise ValueError(unknown(name, self._made, "the prefabs"))
        return self._made[name]

    def picture(self, path: str) -> pygame.Surface:
        """Return a picture, loaded once."""
        folder = self._file.parent.resolve()
        root = self._book._root or folder
        place = (folder / path).resolve()
        if not place.is_relative_to(root):
            message = f"it lies outside {root.name or root}: hand over root=... to allow that"
            raise ValueError(message)
        stamp = self._used[place] = self.stamps[place] = stamp_of(place)
        known = self.pictures.get(place) or self._book.pictures.get(place)
        if known is None or known[0] != stamp:
            known = stamp, _loaded(place)
        self.pictures[place] = known
        return known[1]


def _loaded(path: Path) -> pygame.Surface:
    if not path.is_file():
        message = "there is no such file"
        raise ValueError(message)
    try:
        image = pygame.image.load(path)
    except pygame.error as error:
        message = f"it can't be loaded: {error}"
        raise ValueError(message) from None
    return image.convert_alpha() if pygame.display.get_surface() else image


def _merged(base: Table, own: Table) -> Table:
    """Return a table with another one over it: tables merge, other values replace."""
    merged = dict(base)
    for key, value in own.items():
        is_table = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merged(base[key], value) if is_table else value
    return merged


def _policy(words: Any) -> Any:
    if isinstance(words, dict) and [*words] == ["recycle_lowest"]:
        return RecycleLowest(attrgetter(str(words["recycle_lowest"])))
    if not isinstance(words, str) or words not in POLICIES:
        known = [*map(repr, POLICIES), '{ recycle_lowest = "an attribute" }']
        message = f"overflow must be one of {', '.join(known)}, not {words!r}"
        raise ValueError(message)
    return POLICIES[words]()
