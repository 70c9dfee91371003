"""What level editors place becomes sprites: by name or class, properties as spawn data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.content.schema import Field, own_data_fns
from poolkit.core.errors import ErrorCollector

if TYPE_CHECKING:
    from poolkit.content.prefab_file import PrefabFile
    from poolkit.core.prefab import Prefab

# What pytmx puts among the properties of a tile, and so of the objects that show it.
_OF_TILES = {"class", "colliders", "frames", "height", "id", "probability", "source", "terrain"}
_OF_TILES |= {"trans", "type", "width", "x", "y"}
_OPTIONS = ("parent", "persistent", "reclaimable")
_PARAMETERS = {"groups", "position", "prefab", "rotation", "self"}  # of `spawn`, so never data
_PLAIN = {int, float, str, bool}
_UNIT = pygame.FRect(0, 0, 1, 1)
_NOTHING: Mapping[str, Any] = {}

NameFn = Callable[[Any], str | None]


class _SpawnedObjects(list[Any]):
    """What `spawn_objects` spawned, in order.

    Attributes:
        left: The objects that name no prefab.
    """

    def __init__(self, left: Iterable[Any]) -> None:
        super().__init__()
        self.left = list(left)


# -- objects of any loader --------------------------------------------------------------------


class LevelObject(NamedTuple):
    """An object of a level, from any loader.

    Its own corner, or point, lies at `x` and `y`; `top` is how far above that it begins: an object
    that shows a tile has its origin at the bottom. `degrees` turn clockwise about the origin.
    """

    source: Any  # the object as its loader has it
    name: str
    kind: str
    x: float
    y: float
    width: float
    height: float
    top: float
    degrees: float
    properties: Mapping[str, Any]

    @property
    def label(self) -> str:
        """How messages name it."""
        get, file = _getter(self.source), self._file
        words = "" if file is None else f"{Path(file).name}: "
        if get("__identifier") is not None:  # its number is very long: say what a designer sees
            number = f"{self.kind} at {', '.join(map(str, get('px')))}"
        else:
            number = get("id")
        words += "object " if number is None else f"object {number} "
        return words + repr(self.name or self.kind)

    @property
    def folder(self) -> Path | None:
        """Where its map is, if the loader says so."""
        return None if self._file is None else Path(self._file).parent

    @property
    def _file(self) -> str | None:
        return getattr(_getter(self.source)("parent"), "filename", None)

    @property
    def image(self) -> Any:
        """The picture of the tile that it shows, if its loader has one."""
        return _getter(self.source)("image")

    def place(self, across: float, down: float) -> tuple[float, float]:
        """Return where a point of it is; 1 across is its right side, 1 down its bottom."""
        x, y = across * self.width, down * self.height - self.top
        if self.degrees:
            turn = math.radians(self.degrees)
            cos, sin = math.cos(turn), math.sin(turn)
            x, y = x * cos - y * sin, x * sin + y * cos
        return self.x + x, self.y + y


_ODD = (TypeError, ValueError, LookupError, AttributeError)  # what reading no object raises


def level_object(source: Any) -> LevelObject:
    """Return an object of pytmx, pytiled_parser, LDtk or Tiled's JSON, or a plain one, as ours."""
    return _read_fn(source)(source)


def _misfit(source: Any, error: Exception) -> str:
    return misfit(source, "an object of a level, with x and y", str(error))


def _read_fn(source: Any) -> Callable[[Any], LevelObject]:
    """Return the function that reads objects of this class."""
    if isinstance(source, dict):
        return _read_table
    attributes = getattr(source, "__dict__", {})
    if "coordinates" in attributes:
        return _read_of_parser
    if "tile_properties" in getattr(attributes.get("parent"), "__dict__", {}):
        return _read_of_pytmx
    return _read_any


def _getter(source: Any) -> Callable[[str], Any]:
    """Return a function that gets what an object itself has: no property by an attribute's name."""
    if isinstance(source, dict):
        return source.get
    properties = getattr(source, "properties", None) or _NOTHING

    def get(name: str) -> Any:
        try:
            return object.__getattribute__(source, name)
        except AttributeError:  # pytmx answers with properties here
            return None if name in properties else getattr(source, name, None)

    return get


def _read_any(source: Any) -> LevelObject:
    get = _getter(source)
    return _object(source, get, get("x"), get("y"), get("width"), get("height"))


def _read_table(source: dict[str, Any]) -> LevelObject:
    get = source.get
    if "__identifier" in source:
        return _read_of_ldtk(source)
    return _object(source, get, get("x"), get("y"), get("width"), get("height"))


def _read_of_parser(source: Any) -> LevelObject:
    get = vars(source).get
    return _object(source, get, *source.coordinates, *source.size)


def _read_of_pytmx(source: Any) -> LevelObject:
    get, level = vars(source).get, vars(source.parent)
    gid = get("gid")
    one = _object(source, get, get("x"), get("y"), get("width"), get("height"))
    if gid:
        tile = level["tile_properties"].get(gid) or _NOTHING
        kind = one.kind or str(tile.get("type") or tile.get("class") or "")
        y = one.y + one.height if level.get("invert_y") else one.y  # pytmx lifted it to its top
        properties = _without_entries(one.properties, tile)
        one = one._replace(kind=kind, y=y, properties=properties)
    return one


def _without_entries(properties: Mapping[str, Any], tile: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object's properties without what is the tile's own; it comes after them."""
    kept, first, is_tiles = {}, next(iter(tile), None), False
    for name, value in properties.items():
        is_tiles = is_tiles or name == first
        if not (is_tiles and name in _OF_TILES and tile.get(name, tile) is value):
            kept[name] = value
    return kept


def _read_of_ldtk(source: Mapping[str, Any]) -> LevelObject:
    width, height = float(source.get("width", 0)), float(source.get("height", 0))
    across, down = source.get("__pivot", (0, 0))
    x, y = source["px"]
    entries = source.get("fieldInstances", ())
    fields = {entry["__identifier"]: entry["__value"] for entry in entries}
    name = str(fields.pop("name", None) or source.get("iid", ""))
    kind, x, y = source["__identifier"], x - across * width, y - down * height
    properties = {key: value for key, value in fields.items() if value is not None}
    return LevelObject(source, name, kind, x, y, width, height, 0.0, 0.0, properties)


def _object(  # noqa: PLR0913, PLR0917 - what differs from loader to loader
    source: Any, get: Callable[[str], Any], x: Any, y: Any, width: Any, height: Any
) -> LevelObject:
    """Return an object whose loader uses the words of Tiled."""
    corners = get("points") or get("polygon")
    if (get("polyline") if corners is None else corners).__class__ in {list, tuple}:
        width = height = 0  # it lies around its origin, on any side
    height = float(height or 0)
    properties = get("properties")
    if properties.__class__ is not dict:
        properties = _properties(properties or {})
    kind = get("class") or get("class_") or get("type")
    return LevelObject(
        source,
        str(get("name") or ""),
        kind if isinstance(kind, str) else "",
        float(x),
        float(y),
        float(width or 0),
        height,
        height if get("gid") else 0.0,
        float(get("rotation") or 0),
        properties,
    )


def _properties(properties: Any) -> Mapping[str, Any]:
    if isinstance(properties, Mapping):
        return properties
    return {entry["name"]: entry["value"] for entry in properties}  # of Tiled's JSON


def _plain(value: Any) -> Any:
    """Return the value of a property as a file of prefabs would say it."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if type(value).__name__ == "TiledClassType":  # of pytmx
        return {name: _plain(inner) for name, inner in vars(value).items() if name != "name"}
    return value


# -- what is spawned for them -----------------------------------------------------------------


class _Form(NamedTuple):
    """How the objects of a prefab that have the same properties become spawn data."""

    data: dict[str, Any]  # what the game hands over
    properties: tuple[tuple[str, type | None, Field | None], ...]  # those of a type stay as is
    own: tuple[tuple[str, Callable[[LevelObject, float], Any]], ...]  # what the objects are
    options: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    required: frozenset[str]


class _PrefabPlan:
    """How the objects of one prefab are spawned: worked out once for each set of properties."""

    def __init__(self, plan: Plan, name: str, book: PrefabFile) -> None:
        self.prefab, self._recipe = book[name], book._recipes[name]
        self.across, self.down = getattr(_UNIT, self._recipe.anchor)
        self._plan = plan
        self._forms: dict[tuple[str, ...], _Form] = {}

    def options(self, one: LevelObject) -> dict[str, Any]:
        """Return the options of the spawn of an object, and tell the plan what is wrong."""
        properties = one.properties
        names = tuple(properties)
        form = self._forms.get(names) or self._forms.setdefault(names, self._form_of(names))
        options = form.data.copy()
        for name, exact, field in form.properties:
            value = properties[name]
            if value.__class__ is not exact or value != value:  # noqa: PLR0124 - not a number
                value = self._plan.value(one, name, field, value)
            options[name] = value
        if form.own or form.options or form.faults:
            self._add_rest(one, form, options)
        return options

    def _add_rest(self, one: LevelObject, form: _Form, options: dict[str, Any]) -> None:
        plan = self._plan
        for name, why in form.faults:
            plan.fault(one, name, why)
        for name, own_fn in form.own:
            value = own_fn(one, plan.scale)
            if value is not None:
                options[name] = value
            elif name in form.required:
                plan.fault(one, name, f"{self.prefab.name} requires it: give it a property")
        for name in form.options:
            options[name] = value = one.properties[name]
            if name == "parent":
                plan.check_parent(one, value)
            elif not isinstance(value, bool):
                plan.fault(one, name, misfit(value, "true or false"))

    def _form_of(self, names: tuple[str, ...]) -> _Form:
        plan, data, prefab = self._plan, self._plan.data or _NOTHING, self.prefab
        wanted = [name for name in names if name not in _OPTIONS]
        faults = []
        try:
            fields, takes_any = self._recipe.wants(set(wanted) - plan.ignored)
        except Exception as error:  # of the game's constructors
            why = f"{prefab.name} can't be built: {type(error).__name__}: {error}"
            return _Form({}, (), (), (), (("class", why),), frozenset())
        properties = []
        for name in wanted:
            field = None if name in _PARAMETERS else fields.get(name)
            if field is not None:
                properties.append((name, field.kind and field.kind.exact, field))
            elif name in plan.ignored:
                continue
            elif takes_any and name not in _PARAMETERS:
                properties.append((name, None, None))
            else:
                words = f"the properties {prefab.name} takes"
                faults.append((name, unknown(str(name), fields, words)))
        known = {*data, *wanted, *(prefab.data or ())}
        own = own_data_fns({name: field for name, field in fields.items() if name not in known})
        if plan.data is not None:
            required = {name for name, field in fields.items() if not field.is_optional}
        else:
            required = set()  # nobody knows what the game hands over
        for name in sorted(required - known - own.keys()):
            faults.append((name, f"{prefab.name} requires it: give it a property"))
        return _Form(
            {name: data[name] for name in fields if name in data},
            tuple(properties),
            tuple(own.items()),
            tuple(name for name in names if name in _OPTIONS),
            tuple(faults),
            frozenset(required),
        )


_Life = tuple[Any, str, "Prefab[Any]", tuple[float, float], float, dict[str, Any]]
"""What is to be spawned: the object, its name, prefab, position, rotation, options."""


class Plan:
    """What is to be spawned for each object; all that is wrong is found before anything is.

    Where `data` is `None`, nobody knows what the game hands over: nothing is missing then.
    """

    def __init__(  # noqa: PLR0913 - as `spawn_objects`
        self,
        objects: Iterable[Any],
        book: PrefabFile,
        data: Mapping[str, Any] | None,
        *,
        offset: tuple[float, float] = (0, 0),
        scale: float = 1.0,
        name: NameFn | None = None,
        ignore: Iterable[str] = (),
    ) -> None:
        if isinstance(ignore, str):
            message = f"ignore is a list of names, as [{ignore!r}]"
            raise TypeError(message)
        self.left: list[Any] = []
        self.lives: list[_Life] = []
        self.faults: list[str] = []
        self.data, self.scale, self.ignored = data, scale, frozenset(ignore)
        self._take = book._value_reader()
        self._names: set[str] = set()  # of the objects so far
        plans: dict[str, _PrefabPlan] = {}
        for one, prefab_name in named_objects(objects, book, name, self.faults):
            if prefab_name is None:
                self.left.append(one.source)
                continue
            plan = plans.get(prefab_name)
            if plan is None:
                plan = plans[prefab_name] = _PrefabPlan(self, prefab_name, book)
            options = plan.options(one)
            x, y = one.place(plan.across, plan.down)
            place = x * scale + offset[0], y * scale + offset[1]
            life = one.source, one.name, plan.prefab, place, -one.degrees, options
            self.lives.append(life)
            self._names.add(one.name)

    def value(self, one: LevelObject, name: str, field: Field | None, value: Any) -> Any:
        """Return the value of a property as a hook wants it."""
        try:
            return self._take(one.folder, field, _plain(value))
        except ValueError as error:
            self.fault(one, name, str(error))

    def check_parent(self, one: LevelObject, name: Any) -> None:
        """See to it that an object before this one has that name."""
        if not isinstance(name, str) or name not in self._names:
            known = unknown(str(name), self._names, "the objects placed before it")
            self.fault(one, "parent", known)

    def fault(self, one: LevelObject, name: str, why: str) -> None:
        """Keep what is wrong with a property of an object."""
        self.faults.append(f"{one.label}: {name}: {why}")


def named_objects(
    objects: Iterable[Any], book: PrefabFile, name_fn: NameFn | None, faults: list[str]
) -> Iterator[tuple[LevelObject, str | None]]:
    """Yield objects, each with the name of its prefab: its class if that is one, else its name.

    What `name_fn` returns decides, if there is one; that no prefab has that name is a fault.
    """
    prefabs = book._prefabs
    read_fns: dict[type, Callable[[Any], LevelObject]] = {}  # by classes of loaders
    name: str | None
    for source in objects:
        read = read_fns.get(source.__class__)
        if read is None:
            read = read_fns[source.__class__] = _read_fn(source)
        try:
            one = read(source)
        except _ODD as error:
            raise ContentError([_misfit(source, error)]) from None
        if name_fn is None:
            name = one.kind if one.kind in prefabs else one.name
            name = name if name in prefabs else None
        else:
            name = name_fn(source)
            if name is not None and not (isinstance(name, str) and name in prefabs):
                known = unknown(str(name), prefabs, "the prefabs of the file")
                faults.append(f"{one.label}: name: {known}")
                continue
        yield one, name


def count_objects(
    objects: Iterable[Any], book: PrefabFile, name_fn: NameFn | None
) -> dict[Prefab[Any], int]:
    """Return how many of each prefab there are among objects."""
    faults: list[str] = []
    counts = Counter(name for _, name in named_objects(objects, book, name_fn, faults))
    if faults:
        raise ContentError(faults)
    return {book[name]: count for name, count in counts.items() if name is not None}


def spawn_objects(  # noqa: PLR0913 - all but two by name
    objects: Iterable[Any],
    book: PrefabFile,
    *,
    offset: tuple[float, float] = (0, 0),
    scale: float = 1.0,
    name: NameFn | None = None,
    ignore: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
) -> _SpawnedObjects:
    """Spawn what the objects of a level name: the prefab of their class, or else of their name.

    Objects are those of pytmx, pytiled_parser, LDtk and Tiled's JSON files, or anything with ``x``,
    ``y``, a ``name`` or ``class``, and ``properties``. Their properties are spawn data;
    ``parent`` is the name of an object placed earlier, ``persistent`` and ``reclaimable`` are those
    of `PoolingSystem.spawn`. A hook may also name ``obj`` (the object as its loader has it),
    ``size`` (its width and height in pixels) and ``image`` (of an object that shows a tile); a
    property, `data` or the file's data of that name comes first.

    Args:
        objects: The objects, as of a layer.
        book: The prefabs.
        offset: Is added to all places, in pixels.
        scale: How many pixels one of the map is; places and sizes are multiplied by it.
        name: A function that returns the name of an object's prefab, or `None` for no prefab;
            default: its class or its name, whichever is a prefab's.
        ignore: Names of properties that no hook needs to name.
        data: Spawn data for those whose hooks name it, unless their properties do.

    Returns:
        What was spawned, in the objects' order, with ``.left``: the objects that name no prefab.

    Raises:
        ContentError: Properties don't fit what the hooks name. Nothing was spawned then.
        TypeError: `ignore` is a text, not a list of names.
        BaseException: What a spawn raised. What was spawned before has been despawned.

    Examples:
        >>> import pathlib, tempfile
        >>> from poolkit import PoolingSystem
        >>> from poolkit.content import PrefabFile, spawn_objects
        >>> path = pathlib.Path(tempfile.mkdtemp(), "monsters.toml")
        >>> _ = path.write_text("[orc]")
        >>> book = PrefabFile(path, system=PoolingSystem())
        >>> orc = {"name": "orc", "x": 10, "y": 20, "width": 8, "height": 8}
        >>> placed = spawn_objects([orc, {"name": "hill", "x": 3, "y": 4}], book, scale=2)
        >>> placed[0].position, len(placed.left)
        (Position(28.0, 48.0), 1)
    """
    plan = Plan(
        objects, book, data or {}, offset=offset, scale=scale, name=name, ignore=ignore
    )
    if plan.faults:
        raise ContentError(plan.faults)
    placed = _SpawnedObjects(plan.left)
    spawn, append = book._system.spawn, placed.append
    by_name: dict[str, Any] = {}
    try:
        for life in plan.lives:
            source, label, prefab, position, rotation, options = life
            if "parent" in options:
                options["parent"] = by_name[options["parent"]]
            by_name[label] = instance = spawn(prefab, position, rotation, **options)
            append(instance)
    except BaseException as error:
        error.add_note(f"spawning {level_object(source).label}")
        errors = ErrorCollector(error)
        for instance in reversed(placed):
            errors.call(book._system.despawn, instance)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now("spawning the objects of a level")
    return placed
