"""Prefabs in text files: read whole or not at all, and read again while the game runs."""

from __future__ import annotations

import dataclasses
import functools
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pygame

from poolkit.content.faults import ContentError, misfit, place_in_words, unknown
from poolkit.content.objects import NameFn, count_objects
from poolkit.content.places import line_of, lines_of, tables_of
from poolkit.content.schema import (
    BUDGETS,
    Field,
    Priority,
    attributes_of,
    class_made_by,
    fields_of,
    spawn_fields,
)
from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.fields import copy_for_life
from poolkit.core.plan import BUILT_IN_DATA, OPTIONS
from poolkit.core.prefab import Prefab, factory_name
from poolkit.core.seams import context_of
from poolkit.core.settings import Budget, Exceed, PoolSettings, RecycleLowest, RecycleOldest, Refuse
from poolkit.core.system import PoolingSystem, pools
from poolkit.sprites.sprite import PooledSprite

_log = logging.getLogger("poolkit")

Table = dict[str, Any]
Keys = tuple[str, ...]
_Stamp = tuple[int, ...] | None  # of one state of a file; `None`: it is gone

_TABLES = ("build", "components", "data", "pool")
_SWITCHES = ("awake_on_first_spawn", "persistent")
KEYS = ("class", "groups", "variant_of", *_TABLES, *_SWITCHES)
_SETTINGS = {each.name for each in dataclasses.fields(PoolSettings)}
_PLAIN = PoolSettings()
_SPAWNS_OWN = OPTIONS | {*BUILT_IN_DATA}
POLICIES = {"refuse": Refuse, "exceed": Exceed, "recycle_oldest": RecycleOldest}


class _Text:
    """One file as it was read."""

    def __init__(self, path: Path, text: str, stamp: _Stamp, former: _Text | None) -> None:
        self.path, self._text, self.stamp = path, text, stamp
        was = (former._text, former.tables) if former else ()
        self.tables: Table = tables_of(text, *was)

    @functools.cached_property
    def _lines(self) -> dict[Keys, int]:
        return lines_of(self._text)

    def says(self, keys: Keys) -> bool:
        """Return whether it has a key."""
        found: Any = self.tables
        for key in keys:
            if not (isinstance(found, dict) and key in found):
                return False
            found = found[key]
        return True

    def place(self, keys: Keys) -> str:
        """Return its name and the line of a key, or of the nearest above it."""
        return f"{self.path.name}:{line_of(self._lines, keys)}"


class _Definition(NamedTuple):
    """What files define for one prefab, its bases included."""

    name: str
    table: Table
    texts: dict[str, _Text]  # of itself and its bases, by their names, the nearest first

    def source(self, keys: Keys) -> tuple[_Text, Keys]:
        """Return the nearest file that defines a key, and the path of the key there."""
        for name, text in self.texts.items():
            if text.says((name, *keys)):
                return text, (name, *keys)
        return self.texts[self.name], (self.name, *keys)


class _Entry(NamedTuple):
    """What a prefab was made of, so that one that did not change isn't read again."""

    chain: tuple[tuple[str, Path, Table], ...]  # its own table, and those of its bases
    table: Table  # of them all
    pictures: dict[Path, _Stamp]
    budget: int | None  # the limit of its budget
    recipe: _Recipe

    @property
    def said(self) -> tuple[Any, ...]:
        """What counts: a prefab of which it differs has changed."""
        return self.table, self.pictures, self.budget


class _Recipe:
    """Builds the instances of one prefab: its class or factory, then further components."""

    def __init__(self, name: str, build: _Call, components: list[_Call]) -> None:
        self.__name__ = name
        self.build = build
        self.components = components
        self.forms: dict[Any, Any] = {}  # how objects of levels are read, see `objects`

    def __call__(self) -> Any:
        instance = self.build()
        for make in self.components:
            instance.add_component(make())
        return instance

    def wants(self, names: Iterable[str]) -> tuple[dict[str, Field], bool]:
        """Return what its hooks take, and whether they take any name."""
        fields, takes_any = self._said
        if takes_any or fields.keys() >= set(names):
            return fields, takes_any
        # Components that its constructor adds may name them: only building one tells.
        return spawn_fields(map(type, self._built[1]))

    @functools.cached_property
    def _said(self) -> tuple[dict[str, Field], bool]:
        return spawn_fields(filter(None, map(class_made_by, self._makers)))

    @property
    def _makers(self) -> list[Callable[..., Any]]:
        return [self.build.function, *(call.function for call in self.components)]

    @functools.cached_property
    def _built(self) -> tuple[Any, list[Any]]:
        """An instance, and its components, itself among them."""
        system = PoolingSystem()
        try:
            system.prespawn(Prefab(self, name=self.__name__), 1)
            records = list(context_of(system).records.values())
            hosts = [component for record in records for component in record.components]
            return records[0].instance, hosts
        finally:
            system.dispose()

    @functools.cached_property
    def anchor(self) -> str:
        """The point of an instance that its position means."""
        kind = class_made_by(self.build.function) or type(self._built[0])
        return str(getattr(kind, "anchor", "center"))

    def lack(self, path: str) -> str:
        """Return why nothing of its instances can be called that; empty: something can."""
        first, *inner = path.split(".")
        known = attributes_of(filter(None, map(class_made_by, self._makers)))
        if inner or first not in known | self._said[0].keys():
            instance, hosts = self._built
            known |= attributes_of(map(type, hosts)) | spawn_fields(map(type, hosts))[0].keys()
            known |= {name for host in (instance, *hosts) for name in dir(host)}
            if first not in known:
                return unknown(first, known, "the attributes")
            value = next(
                (getattr(one, first) for one in (instance, *hosts) if hasattr(one, first)), None
            )
            for name in inner if value is not None else ():
                if not hasattr(value, name):
                    return unknown(name, dir(value), f"the attributes of {first}")
                value = getattr(value, name)
        return ""


class _Call(NamedTuple):
    """A class or function with its arguments from a file."""

    function: Callable[..., Any]
    arguments: Table

    def __call__(self) -> Any:
        return self.function(
            **{name: copy_for_life(value) for name, value in self.arguments.items()}
        )


class PrefabFile(Mapping[str, "Prefab[Any]"]):
    r"""Prefabs by name, as text files define them; the system knows them by name at once.

    Args:
        *paths: Files, or folders of which every ``.toml`` file counts.
        classes: The classes and functions that files may name: sprites, components, factories.
        groups: The groups that files may name, or functions that return some at each spawn.
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
        >>> _ = path.write_text('[captain]\nclass = "Orc"\ndata = { hp = 90 }')
        >>> system = PoolingSystem()
        >>> book = PrefabFile(path, classes=[Orc], system=system)
        >>> system.spawn("captain").hp
        90
        >>> _ = path.write_text('[captain]\nclass = "Orc"\ndata = { hp = 120 }')
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
        for each in classes:
            if self._classes.setdefault(factory_name(each), each) is not each:
                message = f"two of classes=[...] are named {factory_name(each)}: files know one"
                raise PrefabError(message)
        self._groups = dict(groups or {})
        self._system = system
        self._root = None if root is None else Path(root).resolve()
        self._prefabs: dict[str, Prefab[Any]] = {}
        self._all: dict[str, Prefab[Any]] = {}  # those that vanished, too: they may come back
        self._entries: dict[str, _Entry] = {}
        self._texts: dict[Path, _Text] = {}
        self._budgets: dict[str, Budget] = {}
        self._stamps: dict[Path, _Stamp] = {}  # of all files and pictures, when last looked at
        self._pictures: dict[Path, tuple[_Stamp, pygame.Surface]] = {}
        try:
            self._take(_Reader(self))
        except BaseException:
            for prefab in self._prefabs.values():  # nobody has the book, so nobody has these
                context_of(system).registry.withdraw_name(prefab)
            raise

    # -- a mapping --------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Prefab[Any]:
        """Return the prefab of that name.

        Raises:
            KeyError: No prefab has it.
        """
        try:
            return self._prefabs[name]
        except KeyError:
            raise KeyError(unknown(str(name), self._prefabs, "the prefabs of the file")) from None

    def __contains__(self, name: object) -> bool:
        return name in self._prefabs  # without looking for the nearest one, as a KeyError does

    def __iter__(self) -> Iterator[str]:
        return iter(self._prefabs)

    def __len__(self) -> int:
        return len(self._prefabs)

    def __repr__(self) -> str:
        """Return ``<PrefabFile(num_prefabs=4)>``."""
        return f"<{type(self).__name__}(num_prefabs={len(self)})>"

    # -- read again -------------------------------------------------------------------------------

    def reload(self, *, respawn: bool = False) -> dict[str, str]:
        """Take what has changed since the files were last read.

        Each `Prefab` stays the same object. Lives that begin later are built and spawned by the new
        file; those alive end as they are. What rests of a prefab that changed is destroyed, and
        prespawned a few an update. One that vanished can't be spawned any more.

        Args:
            respawn: End what is alive of prefabs that changed, and spawn it in its place, with the
                data of the file: what else their spawns were given isn't known any more. Where a
                limit was lowered, as many as fit begin again, and the log says how many did not.

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
        """Put what was read in force, unless something is wrong with it."""
        made, registry = reader.prefabs(), context_of(self._system).registry
        for name in made.keys() - self._prefabs.keys():
            try:
                registry.holder_of_name(reader.made[name])
            except PrefabError as error:
                reader.faults.append(f"{reader.place(name)}: {name}: {error}")
        if reader.faults:
            self._stamps |= reader.stamps
            raise ContentError(sorted(reader.faults, key=place_in_words))
        self._pictures, self._stamps, self._all = reader.pictures, reader.stamps, reader.made
        self._texts, self._budgets = reader.files, reader.budgets
        for name, limit in reader.limits.items():
            self._budgets[name].limit = limit
        errors = ErrorCollector()
        changes = self._change(made, reader.made, errors, respawn=respawn)
        for name in [name for name in self._prefabs if name not in made]:
            changes[name] = "removed"
            prefab = self._prefabs.pop(name)
            registry.withdraw_name(prefab)
            errors.call(prefab._replace_with, _vanished(name, self._paths))
        self._entries = {name: entry for name, (_, entry) in made.items()}
        errors.raise_all("the files were read, but hooks raised")
        return changes

    def _change(
        self,
        made: Mapping[str, tuple[Prefab[Any] | None, _Entry]],
        prefabs: Mapping[str, Prefab[Any]],
        errors: ErrorCollector,
        *,
        respawn: bool,
    ) -> dict[str, str]:
        """Let prefabs become what was read; return which are new, and which have changed."""
        changes: dict[str, str] = {}
        for name, (said, entry) in made.items():
            prefab, former = prefabs[name], self._entries.get(name)
            if name not in self._prefabs:
                changes[name] = "added"
            elif former is None or (entry is not former and entry.said != former.said):
                changes[name] = "changed"
            if name in changes and said is not None:
                with errors:
                    prefab._replace_with(said, respawn=respawn)
            if name not in self._prefabs:
                self._prefabs[name] = prefab
                context_of(self._system).registry.make_known(prefab)
        return changes

    # -- the objects of levels --------------------------------------------------------------------

    def counts(
        self, objects: Iterable[Any], *, name: NameFn | None = None
    ) -> dict[Prefab[Any], int]:
        """Return how many of each prefab the objects of a level name, for `prewarm`.

        Args:
            objects: The objects, as of a layer.
            name: As that of `spawn_objects`.

        Raises:
            ContentError: `name` returns what is no prefab of the file.
        """
        return count_objects(objects, self, name)

    def _value_reader(self) -> Callable[[Path | None, Field | None, Any], Any]:
        """Return a function that makes the property of an object what a hook wants."""
        reader = _Reader(self)
        reader.pictures = self._pictures
        first = next(iter(self._paths), Path())
        folder = first if first.is_dir() else first.parent
        return lambda near, field, value: reader.value(near or folder, field, value)


def _vanished(name: str, paths: Iterable[Path]) -> Prefab[Any]:
    """Return what a prefab becomes when no file defines it any more: it can't be spawned."""
    files = ", ".join(path.name for path in paths)

    def refuse() -> NoReturn:
        message = f"{name} can't be spawned: {files} does not define it any more"
        raise PrefabError(message)

    return Prefab(refuse, name=name)


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the files that paths mean: themselves, or what lies in them."""
    return [
        each
        for path in paths
        for each in (sorted(path.glob("*.toml")) if path.is_dir() else [path])
    ]


def stamp_of(path: Path) -> _Stamp:
    """Return what tells one state of a file from another."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class _Reader:
    """Reads all files of a book once, and gathers every fault."""

    def __init__(self, book: PrefabFile) -> None:
        self._book = book
        self.faults: list[str] = []
        self._told: set[tuple[Any, ...]] = set()
        self._is_sound = True  # the prefab that is read: it has no fault so far
        self.stamps: dict[Path, _Stamp] = {}
        self.pictures: dict[Path, tuple[_Stamp, pygame.Surface]] = {}
        self._used: dict[Path, _Stamp] = {}  # the pictures of the prefab that is read
        self._texts: dict[str, _Text] = {}  # by the names of prefabs
        self.files: dict[Path, _Text] = {}
        self.budgets: dict[str, Budget] = {}
        self.limits: dict[str, int] = {}  # of the budgets, which they get if there is no fault
        self.made = dict(book._all)
        self._folder = Path()  # whose values are read

    # -- files ----------------------------------------------------------------------------------

    def prefabs(self) -> dict[str, tuple[Prefab[Any] | None, _Entry]]:
        """Return the prefabs of all files, `None` for what did not change, with their entries."""
        book = self._book
        for path in files_of(book._paths):
            self._read(path)
        # Names first: one prefab may have another one in its data.
        for name in self._texts:
            if name not in self.made:
                self.made[name] = Prefab(PooledSprite, name=name, settings=_PLAIN)
        # One that vanished may be named by any other.
        can_be_same = book._entries.keys() <= self._texts.keys()
        found: dict[str, tuple[Prefab[Any] | None, _Entry]] = {}
        for name in self._texts:
            former = book._entries.get(name)
            if can_be_same and former is not None and self._is_same(former):
                found[name] = None, former
                continue
            definition = self._definition(name)
            if definition is not None:
                self._used = {}
                prefab, recipe = self._prefab(definition)
                texts, table = definition.texts.items(), definition.table
                chain = tuple((base, text.path, text.tables[base]) for base, text in texts)
                entry = _Entry(chain, table, self._used, self._limit_of(table), recipe)
                found[name] = prefab, entry
        return found

    def _is_same(self, entry: _Entry) -> bool:
        """Return whether a prefab is as it was read last; its pictures stay in use then."""
        for name, path, table in entry.chain:
            text = self._texts.get(name)
            if text is None or text.path != path:
                return False
            now = text.tables[name]
            if now is not table and now != table:
                return False
        for path, stamp in entry.pictures.items():
            if self._stamp(path) != stamp:
                return False
            self.pictures[path] = self._book._pictures[path]
        return entry.budget == self._limit_of(entry.table)

    def _stamp(self, path: Path) -> _Stamp:
        """Return the stamp of a file, looked up once."""
        if path not in self.stamps:
            self.stamps[path] = stamp_of(path)
        return self.stamps[path]

    def _read(self, path: Path) -> None:
        stamp, text = self._stamp(path), ""
        former = self._book._texts.get(path)
        try:
            if former is None or former.stamp != stamp:
                text = path.read_text("utf-8-sig")
                former = _Text(path, text, stamp, former)
            self.files[path] = former
            self._add(former)
        except OSError as error:
            self.faults.append(f"{path}: it can't be read: {error.strerror}")
        except UnicodeDecodeError:
            self.faults.append(f"{path}: it isn't UTF-8 text")
        except (ValueError, RecursionError) as error:  # tomllib's own is one of the former
            found = re.search(r"at line (\d+)", str(error))
            line = found[1] if found else text.count("\n") + 1  # as it says: at the end
            self.faults.append(f"{path.name}:{line}: {error}")

    def _add(self, text: _Text) -> None:
        for name, table in text.tables.items():
            if name == BUDGETS:
                self._add_budgets(text, table)
                continue
            if not name.strip():
                why = "a prefab needs a name"
            elif not isinstance(table, dict):
                why = misfit(table, f"a table of a prefab, as [{name}]")
            elif name in self._texts:
                why = f"{self.place(name)} defines a prefab of that name as well"
            else:
                self._texts[name] = text
                continue
            self.faults.append(f"{text.place((name,))}: {name}: {why}")

    def _add_budgets(self, text: _Text, table: Any) -> None:
        expected = "a table of limits, as { effects = 300 }"
        if not isinstance(table, dict):
            self.faults.append(f"{text.place((BUDGETS,))}: {BUDGETS}: {misfit(table, expected)}")
            return
        for name, limit in table.items():
            why = "another of the files has a budget of that name"
            if name not in self.budgets:
                try:
                    self.budgets[name] = self._book._budgets.get(name) or Budget(limit)
                    self.limits[name] = Budget(limit).limit
                    continue
                except (TypeError, ValueError) as error:
                    why = misfit(limit, "the most lives at once", str(error))
            self.faults.append(f"{text.place((BUDGETS, name))}: {BUDGETS}.{name}: {why}")

    def _limit_of(self, table: Table) -> int | None:
        """Return the limit of the budget that a prefab's table names."""
        settings = table.get("pool")
        name = settings.get("budget") if isinstance(settings, dict) else None
        return self.limits.get(name) if isinstance(name, str) else None

    # -- variants ---------------------------------------------------------------------------------

    def _definition(self, name: str) -> _Definition | None:
        """Return a prefab with all that its bases say; `None` where one of them is at fault."""
        chain = [name]
        while (base := self._texts[chain[-1]].tables[chain[-1]].get("variant_of")) is not None:
            if isinstance(base, str) and base in self._texts and base not in chain:
                chain.append(base)
                continue
            place = self.place(name, "variant_of")
            if base == name:
                why = f"it is a variant of itself: {' -> '.join([*chain, base])}"
                self.faults.append(f"{place}: {name}.variant_of: {why}")
            elif len(chain) == 1:  # else that is the fault of a base, which is looked at, too
                why = unknown(str(base), self._texts, "the prefabs of the files")
                self.faults.append(f"{place}: {name}.variant_of: {why}")
            return None
        table: Table = {}
        for each in reversed(chain):
            table = _merged(table, self._texts[each].tables[each])
        table.pop("variant_of", None)
        return _Definition(name, table, {each: self._texts[each] for each in chain})

    def place(self, name: str, *keys: str) -> str:
        """Return the file and line of a key of a prefab, as it stands in its own table."""
        return self._texts[name].place((name, *keys))

    # -- one prefab -------------------------------------------------------------------------------

    def _prefab(self, definition: _Definition) -> tuple[Prefab[Any], _Recipe]:
        table, self._is_sound = definition.table, True
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
            components.append(
                self._call(definition, keys, self._class(definition, keys, name), given)
            )
        recipe = _Recipe(definition.name, build, components)
        data = self._data(definition, recipe, tables["data"])
        settings = self._settings(definition, tables["pool"])
        self._check_priority(definition, recipe, settings.overflow)
        prefab = Prefab(
            recipe,
            name=definition.name,
            groups=self._groups_of(definition),
            settings=settings,
            data=data,
            **self._switches(definition),
        )
        return prefab, recipe

    def _table(self, definition: _Definition, key: str) -> Table:
        value = definition.table.get(key, {})
        if isinstance(value, dict):
            return value
        self._fault(definition, (key,), misfit(value, "a table, as { hp = 30 }"))
        return {}

    def _class(self, definition: _Definition, keys: Keys, name: Any) -> Callable[..., Any] | None:
        found = self._book._classes.get(name) if isinstance(name, str) else None
        if found is None:
            known = unknown(str(name), self._book._classes, "the classes handed over")
            self._fault(definition, keys, known)
        return found

    def _call(
        self, definition: _Definition, keys: Keys, function: Callable[..., Any] | None, given: Table
    ) -> _Call:
        if function is None:  # which is told already
            return _Call(PooledSprite, {})
        fields, takes_any = fields_of(function)
        arguments = self._values(definition, keys, given, fields, takes_any=takes_any)
        for field in fields.values():
            if field.is_optional or field.name in given:
                continue
            if field.default is None:
                arguments[field.name] = None
            else:
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
                self._fault(definition, (*keys, name), unknown(name, fields, "the names it takes"))
                continue
            try:
                text, _ = definition.source((*keys, name))
                taken[name] = self.value(text.path.parent, field, value)
            except ValueError as error:
                self._fault(definition, (*keys, name), str(error))
        return taken

    def value(self, folder: Path, field: Field | None, value: Any) -> Any:
        """Return a value as a parameter wants it; a `ValueError` says what is wrong with it."""
        if field is None:
            return value
        if field.kind is None:
            message = f"{field.name} can't come from a file: give it in code"
            raise ValueError(message)
        self._folder = folder
        try:
            return field.kind.take(value, self)
        except (ValueError, TypeError, OverflowError) as error:  # the latter two are Python's
            raise ValueError(misfit(value, field.kind.words, str(error))) from None

    def _groups_of(self, definition: _Definition) -> Any:
        names = definition.table.get("groups", [])
        if not isinstance(names, list):
            self._fault(definition, ("groups",), misfit(names, "a list of the names of groups"))
            return []
        groups = self._book._groups
        found = []
        for name in names:
            if isinstance(name, str) and name in groups:
                found.append(groups[name])
            else:
                known = unknown(str(name), groups, "the groups handed over")
                self._fault(definition, ("groups",), known)
        if not any(map(callable, found)):
            return found
        return lambda: [group() if callable(group) else group for group in found]

    def _settings(self, definition: _Definition, given: Table) -> PoolSettings:
        if not given:
            return _PLAIN
        settings = dict(given)
        for name in given.keys() - _SETTINGS:
            self._fault(definition, ("pool", name), unknown(name, _SETTINGS, "the settings"))
            del settings[name]
        if "budget" in settings:
            budget = settings["budget"]
            settings["budget"] = self.budgets.get(budget) if isinstance(budget, str) else None
            if settings["budget"] is None:
                known = unknown(str(budget), self.limits, "the budgets of the files")
                self._fault(definition, ("pool", "budget"), known)
        while True:  # it refuses one at a time
            try:
                said = {key: _policy(settings[key]) for key in ("overflow",) if key in settings}
                return PoolSettings(**settings | said)
            except (TypeError, ValueError) as error:
                named = next((name for name in settings if str(error).startswith(name)), None)
                self._fault(definition, ("pool", *([named] if named else [])), str(error))
                if named is None:
                    return _PLAIN
                del settings[named]

    def _check_priority(self, definition: _Definition, recipe: _Recipe, overflow: Any) -> None:
        key = getattr(overflow, "key", None)
        if self._is_sound and isinstance(key, Priority) and (why := recipe.lack(key.path)):
            self._fault(definition, ("pool", "overflow"), f"recycle_lowest: {why}")

    def _data(self, definition: _Definition, recipe: _Recipe, given: Table) -> Table:
        own = {name: value for name, value in given.items() if name not in _SPAWNS_OWN}
        can_be_built = self._is_sound
        for name in given.keys() - own.keys():
            self._fault(definition, ("data", name), "this is said by each spawn, not by a prefab")
        try:
            fields, takes_any = recipe.wants(own if can_be_built else ())
        except Exception as error:  # of the game's constructors
            said = f"{type(error).__name__}: {error}"
            self._fault(definition, ("build",), f"it can't be built with these values: {said}")
            return {}
        # What the constructor adds is unknown if the prefab can't be built.
        takes_any |= not can_be_built
        return self._values(definition, ("data",), own, fields, takes_any=takes_any)

    def _switches(self, definition: _Definition) -> dict[str, Any]:
        found = {key: definition.table[key] for key in _SWITCHES if key in definition.table}
        for key, value in found.items():
            if not isinstance(value, bool):
                self._fault(definition, (key,), misfit(value, "true or false"))
        return {key: value for key, value in found.items() if isinstance(value, bool)}

    def _fault(self, definition: _Definition, keys: Keys, why: str) -> None:
        self._is_sound = False
        text, path = definition.source(keys)
        if (text, path, why) not in self._told:  # of a base whose variant this is
            self._told.add((text, path, why))
            self.faults.append(f"{text.place(path)}: {'.'.join((definition.name, *keys))}: {why}")

    # -- what values refer to ---------------------------------------------------------------------

    def prefab(self, name: str) -> Prefab[Any]:
        """Return the prefab of that name, from any of the files."""
        known = self._texts or self._book  # while it reads files, and later
        if name not in known:
            raise ValueError(unknown(name, known, "the prefabs of the files"))
        return self.made[name]

    def picture(self, path: str) -> pygame.Surface:
        """Return a picture, loaded once."""
        folder = self._folder.resolve()
        root = self._book._root or folder
        try:
            place = (folder / path).resolve()
        except (OSError, RuntimeError) as error:  # links in a circle
            raise ValueError(str(error)) from None
        if not place.is_relative_to(root):
            message = f"it lies outside {root.name or root}: hand over root=... to allow that"
            raise ValueError(message)
        stamp = self._used[place] = self._stamp(place)
        known = self.pictures.get(place) or self._book._pictures.get(place)
        if known is None or known[0] != stamp:
            known = stamp, _loaded(place)
        self.pictures[place] = known
        return known[1]


def _loaded(path: Path) -> pygame.Surface:
    try:
        image = pygame.image.load(path)
    except (OSError, pygame.error) as error:
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
    lowest = words.get("recycle_lowest") if isinstance(words, dict) and len(words) == 1 else None
    if isinstance(lowest, str) and all(map(str.isidentifier, lowest.split("."))):
        return RecycleLowest(Priority(lowest))
    if not isinstance(words, str) or words not in POLICIES:
        known = [*map(repr, POLICIES), '{ recycle_lowest = "an attribute" }']
        message = f"overflow must be one of {', '.join(known)}, not {words!r}"
        raise ValueError(message)
    return POLICIES[words]()
