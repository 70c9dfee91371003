"""Prefabs in text files: read whole or not at all, and read again while the game runs."""

from __future__ import annotations

import dataclasses
import functools
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from weakref import WeakValueDictionary

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.content.objects import NameFn, count_objects
from poolkit.content.schema import (
    ANYTHING,
    BUDGETS,
    LIST,
    SWITCH,
    TABLE,
    Accepted,
    Parameter,
    Priority,
    accepted_by,
    accepted_data,
    attributes_of,
    class_made_by,
)
from poolkit.content.toml_file import Keys, Stamp, Table, TomlFile, stamp_of
from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.fields import copy_for_life
from poolkit.core.plan import BUILT_IN_DATA, OPTIONS
from poolkit.core.prefab import Prefab, factory_name
from poolkit.core.seams import context_of
from poolkit.core.settings import Budget, Exceed, PoolSettings, RecycleLowest, RecycleOldest, Refuse
from poolkit.core.system import PoolingSystem, pools
from poolkit.sprites.sprite import PooledSprite

_log = logging.getLogger("poolkit")

_SWITCHES = ("awake_on_first_spawn", "persistent")
_TABLE = replace(TABLE, words="a table, as { hp = 30 }")
_KEYS = {"class": ANYTHING, "variant_of": ANYTHING}
_KEYS |= {"groups": replace(LIST, words="a list of the names of groups")}
_KEYS |= dict.fromkeys(("build", "components", "data", "pool"), _TABLE)
_KEYS |= dict.fromkeys(_SWITCHES, SWITCH)
_OF_PREFABS = Accepted({key: Parameter(key, value_type) for key, value_type in _KEYS.items()})
_SETTINGS = {setting.name for setting in dataclasses.fields(PoolSettings)}
_SPAWN_PARAMETERS = OPTIONS | {*BUILT_IN_DATA}
_POLICIES = {"refuse": Refuse, "exceed": Exceed, "recycle_oldest": RecycleOldest}


class _Call(NamedTuple):
    """A class or function with its arguments from a file."""

    function: Callable[..., Any]
    arguments: Table

    def __call__(self) -> Any:
        arguments = {name: copy_for_life(value) for name, value in self.arguments.items()}
        return self.function(**arguments)


class Recipe:
    """What files define for one prefab, its bases included. A call builds an instance.

    Attributes:
        table: All that they say.
        files: Of itself and its bases, by their names, the nearest first.
        budget: The limit of its budget.
        pictures: What it names, as they were.
        calls: How to build its class or factory, then further components.
        prefab: What it makes.
        forms: How objects of levels are read, see `objects`.
    """

    def __init__(self, table: Table, files: dict[str, TomlFile], budget: int | None) -> None:
        self.__name__: str = next(iter(files))
        self.table: Table = table
        self.files: dict[str, TomlFile] = files
        self.budget: int | None = budget
        self.pictures: dict[Path, Stamp] = {}
        self.calls: list[_Call] = []
        self.prefab: Prefab[Any]
        self.forms: dict[Any, Any] = {}

    def __call__(self) -> Any:
        """Build an instance."""
        build, *components = self.calls
        instance = build()
        for make in components:
            instance.add_component(make())
        return instance

    def source(self, keys: Keys) -> tuple[TomlFile, Keys]:
        """Return the nearest file that defines a key, and the path of the key there."""
        for name, file in self.files.items():
            if file.has_key((name, *keys)):
                return file, (name, *keys)
        return self.files[self.__name__], (self.__name__, *keys)

    @property
    def content(self) -> tuple[Any, ...]:
        """What counts: a prefab of which it differs has changed."""
        return self.table, self.pictures, self.budget

    def accepted_data(self, names: Iterable[str]) -> Accepted:
        """Return what its hooks and fields take, to look up some names."""
        accepted = self._declared_data
        if accepted.takes_any or accepted.parameters.keys() >= set(names):
            return accepted
        # Components that its constructor adds may name them: only building one tells.
        return accepted_data(map(type, self._hosts))

    @functools.cached_property
    def _classes(self) -> list[type]:
        """What is built, as far as annotations say."""
        classes = [class_made_by(call.function) for call in self.calls]
        return [cls for cls in classes if cls is not None]

    @functools.cached_property
    def _declared_data(self) -> Accepted:
        return accepted_data(self._classes)

    @functools.cached_property
    def _hosts(self) -> list[Any]:
        """An instance, and its components."""
        system = PoolingSystem()
        try:
            system.prespawn(Prefab(self, name=self.__name__), 1)
            records = list(context_of(system).records.values())
            components = [component for record in records for component in record.components]
            return [records[0].instance, *components]
        finally:
            system.dispose()

    @functools.cached_property
    def anchor(self) -> tuple[float, float]:
        """The point of an instance that its position means, in a rectangle of size 1."""
        cls = class_made_by(self.calls[0].function) or type(self._hosts[0])
        x, y = getattr(pygame.FRect(0, 0, 1, 1), getattr(cls, "anchor", "center"))
        return x, y

    def why_not(self, path: str) -> str:
        """Return why nothing of its instances can be called that; empty: something can."""
        first, *inner = path.split(".")
        names = attributes_of(self._classes) | self._declared_data.parameters.keys()
        if first in names and not inner:
            return ""
        hosts = self._hosts
        classes = list(map(type, hosts))
        names |= attributes_of(classes) | accepted_data(classes).parameters.keys()
        names.update(name for host in hosts for name in dir(host))
        if first not in names:
            return unknown(first, names, "the attributes")
        value = next((getattr(host, first) for host in hosts if hasattr(host, first)), None)
        for name in inner if value is not None else ():
            if not hasattr(value, name):
                return unknown(name, dir(value), f"the attributes of {first}")
            value = getattr(value, name)
        return ""


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
        for cls in classes:
            if self._classes.setdefault(factory_name(cls), cls) is not cls:
                message = f"two of classes=[...] are named {factory_name(cls)}: files know one"
                raise PrefabError(message)
        self._groups = dict(groups or {})
        self._system = system
        self._root = None if root is None else Path(root).resolve()
        self._prefabs: dict[str, Prefab[Any]] = {}
        self._recipes: dict[str, Recipe] = {}
        self._is_reloading = False
        self._last = Reading(self, None)
        self._stamps: dict[Path, Stamp] = {}  # of all files and pictures, when last looked at
        self._take(Reading(self, self._last))

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
        files = _files_of(self._paths)
        is_same = stamps == self._stamps and self._stamps.keys() >= set(files)
        # Inside a reload, in a hook of a life that begins again, the next call takes it.
        if is_same or self._is_reloading:
            return {}
        self._stamps = stamps | {path: stamp_of(path) for path in files}
        self._is_reloading = True
        try:
            return self._take(Reading(self, self._last), respawn=respawn)
        except ContentError as error:
            _log.error("the prefabs stay as they are:\n%s", error)
            raise
        finally:
            self._is_reloading = False

    def _take(self, reading: Reading, *, respawn: bool = False) -> dict[str, str]:
        """Put what was read in force, unless something is wrong with it."""
        recipes, registry = reading.read(), context_of(self._system).registry
        if reading.faults:
            self._stamps |= reading.stamps
            raise ContentError(reading.sorted_faults())
        for name, limit in reading.limits.items():
            reading.budgets[name].limit = limit
        self._last, self._stamps = reading, reading.stamps
        former, self._recipes = self._recipes, recipes
        changes: dict[str, str] = {}
        errors = ErrorCollector()
        for name, recipe in recipes.items():
            prefab, is_new = reading.prefabs[name], name not in self._prefabs
            if is_new or (recipe is not former[name] and recipe.content != former[name].content):
                changes[name] = "added" if is_new else "changed"
                with errors:
                    prefab._replace_with(recipe.prefab, respawn=respawn)
            if is_new:
                self._prefabs[name] = prefab
                registry.make_known(prefab)
        for name in self._prefabs.keys() - recipes.keys():
            changes[name] = "removed"
            prefab = self._prefabs.pop(name)
            registry.withdraw_name(prefab)
            errors.call(prefab._replace_with, _vanished(name, self._paths))
        errors.raise_all("the files were read, but hooks raised")
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

    def _source(self, folder_fn: Callable[[], Path | None]) -> Source:
        """Return what properties of objects refer to; `folder_fn` returns where their map lies."""
        first = next(iter(self._paths), Path())
        folder = first if first.is_dir() else first.parent
        return Source(self, self._last, lambda: folder_fn() or folder, {})


def _vanished(name: str, paths: Iterable[Path]) -> Prefab[Any]:
    """Return what a prefab becomes when no file defines it any more: it can't be spawned."""
    files = ", ".join(path.name for path in paths)

    def refuse() -> NoReturn:
        message = f"{name} can't be spawned: {files} does not define it any more"
        raise PrefabError(message)

    return Prefab(refuse, name=name)


def _files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the files that paths mean: themselves, or what lies in them."""
    files_of_paths = (sorted(path.glob("*.toml")) if path.is_dir() else [path] for path in paths)
    return [file for files in files_of_paths for file in files]


class Reading:
    """What all files of a book say at one time, and every fault of theirs."""

    def __init__(self, book: PrefabFile, former: Reading | None) -> None:
        self._book = book
        # File, line, and what is wrong, by what it is about: a variant has its base's faults again.
        self.faults: dict[tuple[Any, ...], tuple[str, int, str]] = {}
        self.stamps: dict[Path, Stamp] = {}
        self.files: dict[Path, TomlFile] = {}
        self.file_of: dict[str, TomlFile] = {}  # by the names of prefabs
        self.budgets: dict[str, Budget] = {}
        self.limits: dict[str, int] = {}  # of the budgets, which they get if there is no fault
        # Those that vanished, too: they may come back.
        self.prefabs: dict[str, Prefab[Any]] = dict(former.prefabs) if former else {}

    def read(self) -> dict[str, Recipe]:
        """Return what the files define, by names; what did not change is the former recipe."""
        book = self._book
        for path in _files_of(book._paths):
            self._read_file(path)
        # Names first: one prefab may have another one in its data.
        for name in self.file_of:
            if name not in self.prefabs:
                self.prefabs[name] = Prefab(PooledSprite, name=name)
        # One that vanished may be named by any other.
        can_be_same = book._recipes.keys() <= self.file_of.keys()
        recipes: dict[str, Recipe] = {}
        for name in self.file_of:
            former = book._recipes.get(name)
            if can_be_same and former is not None and self._is_same(former):
                recipes[name] = former
            elif (recipe := self._define(name)) is not None:
                RecipeReader(book, self, recipe).read()
                recipes[name] = recipe
        for name in recipes.keys() - book._prefabs.keys():
            try:
                context_of(book._system).registry.holder_of_name(self.prefabs[name])
            except PrefabError as error:
                self.add_fault(self.file_of[name], (name,), str(error))
        return recipes

    def _read_file(self, path: Path) -> None:
        stamp, text, file = self.stamp(path), "", self._book._last.files.get(path)
        try:
            if file is None or file.stamp != stamp:
                text = path.read_text("utf-8-sig")
                file = TomlFile(path, text, stamp, file)
        except OSError as error:
            self.faults[path,] = str(path), 0, f"it can't be read: {error.strerror}"
        except UnicodeDecodeError:
            self.faults[path,] = str(path), 0, "it isn't UTF-8 text"
        except (ValueError, RecursionError) as error:  # tomllib's own is one of the former
            line = re.search(r"at line (\d+)", str(error))
            # As it says otherwise: at the end.
            number = int(line[1]) if line else text.count("\n") + 1
            self.faults[path,] = path.name, number, str(error)
        else:
            self.files[path] = file
            for name, table in file.tables.items():
                self._add_table(file, name, table)

    def _add_table(self, file: TomlFile, name: str, table: Any) -> None:
        if name == BUDGETS:
            self._add_budgets(file, table)
            return
        if not name.strip():
            why = "a prefab needs a name"
        elif not isinstance(table, dict):
            why = misfit(table, f"a table of a prefab, as [{name}]")
        elif name in self.file_of:
            other = self.file_of[name]
            place = f"{other.path.name}:{other.line_of((name,))}"
            why = f"{place} defines a prefab of that name as well"
        else:
            self.file_of[name] = file
            return
        self.add_fault(file, (name,), why)

    def _add_budgets(self, file: TomlFile, table: Any) -> None:
        if not isinstance(table, dict):
            expected = "a table of limits, as { effects = 300 }"
            self.add_fault(file, (BUDGETS,), misfit(table, expected))
            return
        for name, limit in table.items():
            why = "another of the files has a budget of that name"
            if name not in self.budgets:
                try:
                    self.limits[name] = Budget(limit).limit
                    self.budgets[name] = self._book._last.budgets.get(name) or Budget(limit)
                    continue
                except (TypeError, ValueError) as error:
                    why = misfit(limit, "the most lives at once", str(error))
            self.add_fault(file, (BUDGETS, name), why)

    def _limit_of(self, table: Table) -> int | None:
        """Return the limit of the budget that a prefab's table names."""
        settings = table.get("pool")
        name = settings.get("budget") if isinstance(settings, dict) else None
        return self.limits.get(name) if isinstance(name, str) else None

    def _is_same(self, former: Recipe) -> bool:
        """Return whether a prefab is as it was read last."""
        for name, then in former.files.items():
            now = self.file_of.get(name)
            if now is None or now.path != then.path:
                return False
            if now.tables[name] is not then.tables[name] and now.tables[name] != then.tables[name]:
                return False
        former.files = {name: self.file_of[name] for name in former.files}
        stamps = {path: self.stamp(path) for path in former.pictures}
        return stamps == former.pictures and former.budget == self._limit_of(former.table)

    def _define(self, name: str) -> Recipe | None:
        """Return a prefab with all that its bases say; `None` where one of them is at fault."""
        files = {name: self.file_of[name]}
        tables: list[Table] = [files[name].tables[name]]
        while (base := tables[-1].get("variant_of")) is not None:
            if isinstance(base, str) and base in self.file_of and base not in files:
                files[base] = self.file_of[base]
                tables.append(files[base].tables[base])
                continue
            if base == name:
                why = f"it is a variant of itself: {' -> '.join([*files, base])}"
                self.add_fault(files[name], (name, "variant_of"), why)
            elif len(files) == 1:  # else that is the fault of a base, which is looked at, too
                why = unknown(str(base), self.file_of, "the prefabs of the files")
                self.add_fault(files[name], (name, "variant_of"), why)
            return None
        table: Table = functools.reduce(_merged, reversed(tables), {})
        table.pop("variant_of", None)
        return Recipe(table, files, self._limit_of(table))

    def stamp(self, path: Path) -> Stamp:
        """Return the stamp of a file, looked up once."""
        if path not in self.stamps:
            self.stamps[path] = stamp_of(path)
        return self.stamps[path]

    def add_fault(self, file: TomlFile, keys: Keys, why: str, name: str = "") -> None:
        """Keep what is wrong with a key of a file, for the prefab that has it, or the one named."""
        what = ".".join((name or keys[0], *keys[1:]))
        fault = file.path.name, file.line_of(keys), f"{what}: {why}"
        self.faults.setdefault((file.path, keys, why), fault)

    def sorted_faults(self) -> list[str]:
        """Return what is wrong with the files, in lines, sorted by their places."""
        faults = sorted(self.faults.values(), key=itemgetter(0, 1))
        return [": ".join([f"{file}:{line}" if line else file, why]) for file, line, why in faults]


class Source(NamedTuple):
    """What values refer to: pictures in a folder, and other prefabs.

    A `ValueError` says what is wrong with what they name.
    """

    book: PrefabFile
    reading: Reading
    folder_fn: Callable[[], Path]
    stamps: dict[Path, Stamp]  # of the pictures they have named

    def prefab(self, name: Any) -> Prefab[Any]:
        """Return the prefab of that name, from any of the files."""
        if not isinstance(name, str) or name not in self.reading.file_of:
            raise ValueError(unknown(str(name), self.reading.file_of, "the prefabs of the files"))
        return self.reading.prefabs[name]

    def picture(self, path: Any) -> pygame.Surface:
        """Return a picture, loaded once."""
        if not isinstance(path, str):
            raise ValueError  # noqa: TRY004 - of a file's value
        folder = self.folder_fn().resolve()
        root = self.book._root or folder
        try:
            place = (folder / path).resolve()
        except (OSError, RuntimeError) as error:  # links in a circle
            raise ValueError(str(error)) from None
        if not place.is_relative_to(root):
            message = f"it lies outside {root.name or root}: hand over root=... to allow that"
            raise ValueError(message)
        stamp = self.stamps[place] = self.reading.stamp(place)
        has_display = pygame.display.get_surface() is not None
        picture = _pictures.get(key := (place, stamp, has_display))
        if picture is None:
            try:
                picture = pygame.image.load(place)
            except (OSError, pygame.error) as error:
                message = f"it can't be loaded: {error}"
                raise ValueError(message) from None
            picture = _pictures[key] = picture.convert_alpha() if has_display else picture
        return picture


# By path, stamp, and whether there is a display, as whose surfaces they are drawn fastest.
_pictures: WeakValueDictionary[tuple[Any, ...], pygame.Surface] = WeakValueDictionary()


def _merged(base: Table, variant: Table) -> Table:
    """Return a table with another one over it: tables merge, other values replace."""
    merged = dict(base)
    for key, value in variant.items():
        is_table = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merged(base[key], value) if is_table else value
    return merged


class RecipeReader:
    """Makes calls and a prefab of what files define. All faults go to the reading."""

    def __init__(self, book: PrefabFile, reading: Reading, recipe: Recipe) -> None:
        self._book, self._reading, self._recipe = book, reading, recipe
        self._is_sound = True  # it has no fault so far
        self._folder = Path()  # of the file whose value is read
        self._source = Source(book, reading, lambda: self._folder, recipe.pictures)

    def read(self) -> None:
        """Read it whole."""
        table = self._values((), self._recipe.table, _OF_PREFABS)
        name = table.get("class", "PooledSprite")
        self._add_call(("class",), name, ("build",), table.get("build", {}))
        host = class_made_by(self._recipe.calls[0].function)
        for name, arguments in table.get("components", {}).items():
            keys = "components", name
            if not isinstance(arguments, dict):
                self._fault(keys, misfit(arguments, "a table of its arguments"))
                continue
            self._add_call(keys, name, keys, arguments)
            cls = class_made_by(self._recipe.calls[-1].function)
            if host is not None and not hasattr(host, "add_component"):
                self._fault(keys, f"{host.__name__} takes no components")
            elif cls is not None and issubclass(cls, pygame.sprite.Sprite) and self._is_sound:
                self._fault(
                    keys, f"{name} is a sprite: its parent's constructor adds it as a child"
                )
        data = self._data(table.get("data", {}))
        settings = self._settings(table.get("pool", {}))
        self._check_priority(settings.overflow)
        self._recipe.prefab = Prefab(
            self._recipe,
            name=self._recipe.__name__,
            groups=self._groups(table.get("groups", [])),
            settings=settings,
            data=data,
            **{key: table[key] for key in _SWITCHES if key in table},
        )

    def _fault(self, keys: Keys, why: str) -> None:
        self._is_sound = False
        file, path = self._recipe.source(keys)
        self._reading.add_fault(file, path, why, self._recipe.__name__)

    def _add_call(self, name_keys: Keys, name: Any, keys: Keys, given: Table) -> None:
        makers = self._book._classes
        if not isinstance(name, str) or name not in makers:
            self._fault(name_keys, unknown(str(name), makers, "the classes handed over"))
            self._recipe.calls.append(_Call(PooledSprite, {}))
            return
        accepted = accepted_by(makers[name])
        arguments = self._values(keys, given, accepted)
        for parameter in accepted.parameters.values():
            if parameter.is_optional or parameter.name in given:
                continue
            if parameter.default is None:
                arguments[parameter.name] = None
            else:
                expected = parameter.type.words if parameter.type else "what a file can't hold"
                self._fault(keys, f"{name} requires {parameter.name} = ... here, {expected}")
        self._recipe.calls.append(_Call(makers[name], arguments))

    def _values(self, keys: Keys, given: Table, accepted: Accepted) -> Table:
        """Return the values of a table as the code wants them."""
        values: Table = {}
        for name, value in given.items():
            parameter = accepted.parameters.get(name)
            if parameter is None and (name == "self" or not accepted.takes_any):
                why = unknown(name, accepted.parameters, "the names it takes")
                self._fault((*keys, name), why)
                continue
            self._folder = self._recipe.source((*keys, name))[0].path.parent
            try:
                values[name] = parameter.convert(value, self._source) if parameter else value
            except ValueError as error:
                self._fault((*keys, name), str(error))
        return values

    def _groups(self, names: list[Any]) -> Any:
        groups, known = [], self._book._groups
        for name in names:
            if isinstance(name, str) and name in known:
                groups.append(known[name])
            else:
                self._fault(("groups",), unknown(str(name), known, "the groups handed over"))
        if not any(map(callable, groups)):
            return groups
        return lambda: [group() if callable(group) else group for group in groups]

    def _settings(self, given: Table) -> PoolSettings:
        settings = {}
        for name, value in given.items():
            try:
                settings[name] = self._setting(name, value)
                PoolSettings(**{name: settings[name]})  # together, they are refused one at a time
            except (TypeError, ValueError) as error:
                self._fault(("pool", name), str(error))
        if not self._is_sound:
            return PoolSettings()
        try:
            return PoolSettings(**settings)
        except ValueError as error:
            self._fault(("pool", "prespawn"), str(error))  # more than limits allow
            return PoolSettings()

    def _setting(self, name: str, value: Any) -> Any:
        if name not in _SETTINGS:
            raise ValueError(unknown(name, _SETTINGS, "the settings"))
        if name == "overflow":
            return _policy(value)
        if name != "budget":
            return value
        budgets = self._reading.budgets
        if not isinstance(value, str) or value not in budgets:
            raise ValueError(unknown(str(value), budgets, "the budgets of the files"))
        return budgets[value]

    def _check_priority(self, overflow: Any) -> None:
        key = getattr(overflow, "key", None)
        if self._is_sound and isinstance(key, Priority) and (why := self._recipe.why_not(key.path)):
            self._fault(("pool", "overflow"), f"recycle_lowest: {why}")

    def _data(self, given: Table) -> Table:
        data, can_be_built = dict(given), self._is_sound
        for name in given.keys() & _SPAWN_PARAMETERS:
            self._fault(("data", name), "this is said by each spawn, not by a prefab")
            del data[name]
        try:
            accepted = self._recipe.accepted_data(data if can_be_built else ())
        except Exception as error:  # of the game's constructors
            why = f"it can't be built with these values: {type(error).__name__}: {error}"
            self._fault(("build",), why)
            return {}
        if not can_be_built:  # then what its constructor adds is unknown
            accepted = accepted._replace(takes_any=True)
        return self._values(("data",), data, accepted)


def _policy(words: Any) -> Any:
    lowest = words.get("recycle_lowest") if isinstance(words, dict) and len(words) == 1 else None
    if isinstance(lowest, str) and all(map(str.isidentifier, lowest.split("."))):
        return RecycleLowest(Priority(lowest))
    if not isinstance(words, str) or words not in _POLICIES:
        known = [*map(repr, _POLICIES), '{ recycle_lowest = "an attribute" }']
        message = f"overflow must be one of {', '.join(known)}, not {words!r}"
        raise ValueError(message)
    return _POLICIES[words]()
