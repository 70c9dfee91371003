"""What level editors place becomes sprites: by name or class, properties as spawn data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.core.errors import ErrorCollector

if TYPE_CHECKING:
    from poolkit.content.prefab_file import PrefabFile
    from poolkit.core.prefab import Prefab

# What pytmx puts among the properties of objects that show a tile.
_OF_TILES = {"frames", "height", "id", "path", "source", "trans", "type", "width"}
_OPTIONS = ("parent", "persistent", "reclaimable")
_PLAIN = {int, float, str, bool}
_SEQUENCES = list, tuple
_CORNERS = "points", "polygon", "polyline"
_UNIT = pygame.FRect(0, 0, 1, 1)


class _SpawnedObjects(list[Any]):
    """What `spawn_objects` spawned, in order.

    Attributes:
        left: The objects that name no prefab.
    """

    def __init__(self, left: Iterable[Any]) -> None:
        super().__init__()
        self.left = list(left)


class LevelObject(NamedTuple):
    """An object of a level, from any loader.

    Its own corner, or point, lies at `origin`; `top` is how far above that it begins: an object
    that shows a tile has its origin at the bottom. `degrees` turn clockwise about the origin.
    """

    name: str
    kind: str
    number: Any  # its id in the map, if it has one
    origin: tuple[float, float]
    size: tuple[float, float]
    top: float
    degrees: float
    properties: Mapping[str, Any]
    file: str | None  # of its map, if the loader says so

    @property
    def label(self) -> str:
        """How messages name it."""
        words = "" if self.file is None else f"{Path(self.file).name}: "
        words += "object " if self.number is None else f"object {self.number} "
        return words + repr(self.name or self.kind)

    @property
    def folder(self) -> Path | None:
        """Where its map is."""
        return None if self.file is None else Path(self.file).parent

    def place(self, anchor: str) -> tuple[float, float]:
        """Return where that point of it is."""
        across, down = getattr(_UNIT, anchor)
        x, y = across * self.size[0], down * self.size[1] - self.top
        if self.degrees:
            turn = math.radians(self.degrees)
            cos, sin = math.cos(turn), math.sin(turn)
            x, y = x * cos - y * sin, x * sin + y * cos
        return self.origin[0] + x, self.origin[1] + y


def level_object(given: Any) -> LevelObject:
    """Return an object of pytmx, pytiled_parser, LDtk or Tiled's JSON, or a plain one, as ours.

    Raises:
        ContentError: It is nothing of the kind.
    """
    try:
        return _read(given)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        why = misfit(given, "an object of a level, with x and y", str(error))
        raise ContentError([why]) from None


def _read(given: Any) -> LevelObject:
    is_table = isinstance(given, dict)
    if is_table and "__identifier" in given:
        return _of_ldtk(given)
    get: Any = given.get if is_table else lambda name: getattr(given, name, None)
    x, y = get("coordinates") or (get("x"), get("y"))
    width, height = get("size") or (get("width") or 0, get("height") or 0)
    if any(isinstance(get(key), _SEQUENCES) for key in _CORNERS):
        width = height = 0  # it lies around its origin, on any side
    has_tile = bool(get("gid"))
    level = get("parent")
    is_lifted = has_tile and getattr(level, "invert_y", False) is True  # by pytmx, to its top
    properties = _properties(get("properties") or {})
    kind = get("class") or get("class_") or get("type")
    if is_lifted:
        kind = kind or properties.get("type")
        properties = {key: each for key, each in properties.items() if key not in _OF_TILES}
    return LevelObject(
        name=str(get("name") or ""),
        kind=kind if isinstance(kind, str) else "",
        number=get("id"),
        origin=(float(x), float(y) + (height if is_lifted else 0)),
        size=(float(width), float(height)),
        top=float(height) if has_tile else 0.0,
        degrees=float(get("rotation") or 0),
        properties=properties,
        file=getattr(level, "filename", None),
    )


def _of_ldtk(given: Mapping[str, Any]) -> LevelObject:
    name = given["__identifier"]
    width, height = float(given.get("width", 0)), float(given.get("height", 0))
    across, down = given.get("__pivot", (0, 0))
    x, y = given["px"]
    fields = {each["__identifier"]: each["__value"] for each in given.get("fieldInstances", ())}
    return LevelObject(
        name=str(fields.pop("name", None) or given.get("iid", "")),
        kind=name,
        number=f"{name} at {x}, {y}",  # what its designer sees: it has a very long one
        origin=(x - across * width, y - down * height),
        size=(width, height),
        top=0.0,
        degrees=0.0,
        properties={key: each for key, each in fields.items() if each is not None},
        file=getattr(given.get("parent"), "filename", None),
    )


def _properties(given: Any) -> dict[str, Any]:
    """Return properties by name, as a file of prefabs would say them."""
    if isinstance(given, list):  # of Tiled's JSON
        given = {each["name"]: each["value"] for each in given}
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if type(value).__name__ == "TiledClassType":  # of pytmx
        return {name: _plain(each) for name, each in vars(value).items() if name != "name"}
    return value


def prefab_name(one: LevelObject, book: Mapping[str, Any]) -> str | None:
    """Return which prefab an object means: its class if that names one, else its name."""
    return next((each for each in (one.kind, one.name) if each in book), None)


def count_objects(objects: Iterable[Any], book: PrefabFile) -> dict[Prefab[Any], int]:
    """Return how many of each prefab there are among objects."""
    names = (prefab_name(level_object(each), book) for each in objects)
    return {book[name]: count for name, count in Counter(filter(None, names)).items()}


class Plan:
    """What is to be spawned for each object; all that is wrong is found before anything is.

    Where `data` is `None`, nobody knows what the game hands over: nothing is missing then.
    """

    def __init__(
        self, objects: Iterable[Any], book: PrefabFile, data: Mapping[str, Any] | None
    ) -> None:
        self.left: list[Any] = []
        self.lives: list[tuple[LevelObject, Prefab[Any], dict[str, Any]]] = []
        self._names: set[str] = set()  # of those placed so far
        self._book, self._data = book, data
        self._value = book._value_reader()
        self.faults: list[str] = []
        for each in objects:
            one = level_object(each)
            name = prefab_name(one, book)
            if name is None:
                self.left.append(each)
            else:
                self.lives.append((one, book[name], self._options(one, name)))
                self._names.add(one.name)

    def _options(self, one: LevelObject, prefab: str) -> dict[str, Any]:
        own = {key: value for key, value in one.properties.items() if key not in _OPTIONS}
        fields, takes_any = self._book._recipes[prefab].wants(own)
        data = self._data or {}
        options: dict[str, Any] = {key: data[key] for key in fields if key in data}
        for key, value in own.items():
            if not (key in fields or takes_any):
                self._fault(one, key, unknown(key, fields, f"the properties {prefab} takes"))
                continue
            try:
                options[key] = self._value(one.folder, fields.get(key), value)
            except ValueError as error:
                self._fault(one, key, str(error))
        known = {*options, *own, *(self._book[prefab].data or {})}
        for field in fields.values() if self._data is not None else ():
            if not field.is_optional and field.name not in known:
                self._fault(one, field.name, f"{prefab} requires it: give it a property")
        return options | self._spawn_options(one)

    def _spawn_options(self, one: LevelObject) -> dict[str, Any]:
        options = {key: one.properties[key] for key in _OPTIONS if key in one.properties}
        for key, value in options.items():
            if key == "parent":
                if not isinstance(value, str) or value not in self._names:
                    known = unknown(str(value), self._names, "the objects placed before it")
                    self._fault(one, key, known)
            elif not isinstance(value, bool):
                self._fault(one, key, misfit(value, "true or false"))
        return options

    def _fault(self, one: LevelObject, key: str, why: str) -> None:
        self.faults.append(f"{one.label}: {key}: {why}")


def spawn_objects(
    objects: Iterable[Any],
    book: PrefabFile,
    *,
    offset: tuple[float, float] = (0, 0),
    data: Mapping[str, Any] | None = None,
) -> _SpawnedObjects:
    """Spawn what the objects of a level name: the prefab of their class, or else of their name.

    Objects are those of pytmx, pytiled_parser, LDtk and Tiled's JSON files, or anything with ``x``,
    ``y``, a ``name`` or ``class``, and ``properties``. Their properties are spawn data;
    ``parent`` is the name of an object placed earlier, ``persistent`` and ``reclaimable`` are those
    of `PoolingSystem.spawn`.

    Args:
        objects: The objects, as of a layer.
        book: The prefabs.
        offset: Is added to all places.
        data: Spawn data for those whose hooks name it, unless their properties do.

    Returns:
        What was spawned, in order, with ``.left``: the objects that name no prefab.

    Raises:
        ContentError: Properties don't fit what the hooks name. Nothing was spawned then.
        BaseException: What a spawn raised. What was spawned before has been despawned.

    Examples:
        >>> import pathlib, tempfile
        >>> from poolkit import PoolingSystem
        >>> from poolkit.content import PrefabFile, spawn_objects
        >>> path = pathlib.Path(tempfile.mkdtemp(), "monsters.toml")
        >>> _ = path.write_text("[orc]")
        >>> book = PrefabFile(path, system=PoolingSystem())
        >>> orc = {"name": "orc", "x": 10, "y": 20, "width": 8, "height": 8}
        >>> placed = spawn_objects([orc, {"name": "hill", "x": 3, "y": 4}], book)
        >>> placed[0].position, len(placed.left)
        (Position(14.0, 24.0), 1)
    """
    plan = Plan(objects, book, data or {})
    if plan.faults:
        raise ContentError(plan.faults)
    placed = _SpawnedObjects(plan.left)
    by_name: dict[str, Any] = {}
    system = book._system
    try:
        for one, prefab, options in plan.lives:
            x, y = one.place(book._recipes[prefab.name].anchor)
            if "parent" in options:
                options["parent"] = by_name[options["parent"]]
            position = x + offset[0], y + offset[1]
            instance = system.spawn(prefab, position, -one.degrees, **options)
            by_name[one.name] = instance
            placed.append(instance)
    except BaseException as error:
        error.add_note(f"spawning {one.label}")
        errors = ErrorCollector(error)
        for instance in reversed(placed):
            errors.call(system.despawn, instance)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now("spawning the objects of a level")
    return placed
