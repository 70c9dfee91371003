"""What level editors place becomes sprites: by name or class, properties as spawn data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.content.schema import Field, OwnFn, own_data_fns
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
_SEQUENCES = {list, tuple}
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


_Fields = tuple[Any, str, str, float, float, float, float, float, float, Mapping[str, Any]]
"""Those of a `LevelObject`, which costs five times as much to make."""
_ODD = (TypeError, ValueError, LookupError, AttributeError)  # what reading no object raises


def level_object(source: Any) -> LevelObject:
    """Return an object of pytmx, pytiled_parser, LDtk or Tiled's JSON, or a plain one, as ours."""
    return LevelObject(*_read_fn(source)(source))


def _misfit(source: Any, error: Exception) -> ContentError:
    return ContentError([misfit(source, "an object of a level, with x and y", str(error))])


def _read_fn(source: Any) -> Callable[[Any], _Fields]:
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


def _read_any(source: Any) -> _Fields:
    get = _getter(source)
    x, y, corners = get("x"), get("y"), get("points") or get("polygon") or get("polyline")
    if x is None or y is None:
        message = "it has no place"
        raise ValueError(message)
    kind = get("class") or get("class_") or get("type")
    return _fields(source, get, x, y, get("width"), get("height"), corners, kind)


def _read_table(source: dict[str, Any]) -> _Fields:
    if "__identifier" in source:
        return _read_of_ldtk(source)
    get = source.get
    corners = get("polygon")
    if corners is None:
        corners = get("polyline")
    kind = get("class") or get("type")
    return _fields(
        source, get, source["x"], source["y"], get("width"), get("height"), corners, kind
    )


def _read_of_parser(source: Any) -> _Fields:
    get = vars(source).get
    (x, y), (width, height) = source.coordinates, source.size
    return _fields(source, get, x, y, width, height, get("points"), get("class_"))


def _read_of_pytmx(source: Any) -> _Fields:
    get, level = vars(source).get, vars(source.parent)
    gid, y, height = get("gid"), source.y, source.height
    kind, properties = get("type") or get("class"), source.properties
    if gid:
        tile = level["tile_properties"].get(gid) or _NOTHING
        kind = kind or tile.get("type") or tile.get("class")
        y += height if level.get("invert_y") else 0  # pytmx lifted it to its top
        properties = _without_entries(properties, tile)
    return _fields(source, get, source.x, y, source.width, height, get("points"), kind, properties)


def _without_entries(properties: Mapping[str, Any], tile: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object's properties without what is the tile's own; it comes after them."""
    kept, first, is_tiles = {}, next(iter(tile), None), False
    for name, value in properties.items():
        is_tiles = is_tiles or name == first
        if not (is_tiles and name in _OF_TILES and tile.get(name, tile) is value):
            kept[name] = value
    return kept


def _read_of_ldtk(source: Mapping[str, Any]) -> _Fields:
    width, height = float(source.get("width", 0)), float(source.get("height", 0))
    across, down = source.get("__pivot", (0, 0))
    x, y = source["px"]
    entries = source.get("fieldInstances", ())
    fields = {entry["__identifier"]: entry["__value"] for entry in entries}
    name = str(fields.pop("name", None) or source.get("iid", ""))
    kind, x, y = source["__identifier"], x - across * width, y - down * height
    properties = {key: value for key, value in fields.items() if value is not None}
    return source, name, kind, x, y, width, height, 0.0, 0.0, properties


def _fields(
    source: Any,
    get: Callable[[str], Any],
    x: Any,
    y: Any,
    width: Any,
    height: Any,
    corners: Any,
    kind: Any,
    properties: Any = None,
) -> _Fields:
    """Return those of an object whose loader uses the words of Tiled."""
    if corners.__class__ in _SEQUENCES:
        width = height = 0  # it lies around its origin, on any side
    name, properties = get("name") or "", properties or get("properties")
    if properties.__class__ is not dict:
        properties = _properties(properties or {})
    return (
        source,
        name if name.__class__ is str else str(name),
        kind if kind.__class__ is str else "",
        x,
        y,
        width or 0,
        height or 0,
        (height or 0) if get("gid") else 0,
        get("rotation") or 0,
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
    """How objects of a prefab with properties of certain names and types become spawn data."""

    is_whole: bool  # the properties are the data, but for floats that are not a number
    floats: tuple[str, ...]
    exact: tuple[str, ...]  # properties that hooks want as they are
    converted: tuple[tuple[str, Field | None], ...]
    data: tuple[str, ...]  # what the game hands over
    own: tuple[tuple[str, OwnFn], ...]  # what hooks want of the objects themselves
    options: tuple[str, ...]  # of the spawn
    faults: tuple[tuple[str, str], ...]
    required: set[str]


class _PrefabPlan:
    """How the objects of one prefab are spawned: worked out once for each form of properties."""

    def __init__(self, plan: Plan, name: str, book: PrefabFile) -> None:
        self.prefab, self._recipe = book[name], book._entries[name].recipe
        self.across, self.down = getattr(_UNIT, self._recipe.anchor)
        self._plan = plan
        # They go with the recipe: a level that is read again finds them.
        self.forms: dict[tuple[Any, ...], _Form] = self._recipe.forms.setdefault(plan.key, {})

    def options(self, fields: _Fields, form: _Form | None) -> Mapping[str, Any]:
        """Return the options of the spawn of an object; tell the plan what is wrong."""
        one = LevelObject(*fields)
        properties = one.properties
        if form is None:
            form = self._form_of(properties)
            self.forms[*properties, *map(type, properties.values())] = form
        for name in form.floats:
            if math.isnan(properties[name]):
                self._plan.fault(one, name, misfit(properties[name], "a number"))
        return properties if form.is_whole else self._merged(one, form)

    def _merged(self, one: LevelObject, form: _Form) -> dict[str, Any]:
        plan, properties = self._plan, one.properties
        handed = plan.data or _NOTHING
        options = {name: handed[name] for name in form.data}
        for name, why in form.faults:
            plan.fault(one, name, why)
        for name in form.exact:
            options[name] = properties[name]
        for name, field in form.converted:
            options[name] = plan.value(one, name, field)
        for name, own_fn in form.own:
            value = own_fn(one, plan.scale)
            if value is not None:
                options[name] = value
            elif name in form.required:
                plan.fault(one, name, self._wanting)
        for name in form.options:
            options[name] = properties[name]
            plan.check_option(one, name, properties[name])
        return options

    @property
    def _wanting(self) -> str:
        return f"{self.prefab.name} requires it: give it a property"

    def _form_of(self, properties: Mapping[str, Any]) -> _Form:
        plan, prefab = self._plan, self.prefab
        wanted = [name for name in properties if name not in _OPTIONS]
        taken, faults = dict[str, Field | None](), list[tuple[str, str]]()
        try:
            fields, takes_any = self._recipe.wants(set(wanted) - plan.ignored)
        except Exception as error:  # of the game's constructors
            fields, takes_any = {}, True
            faults.append(("class", f"it can't be built: {type(error).__name__}: {error}"))
        for name in wanted:
            if name in fields and name not in _PARAMETERS:
                taken[name] = fields[name]
            elif name in plan.ignored:
                continue
            elif takes_any and name not in _PARAMETERS:
                taken[name] = None
            else:
                words = f"the properties {prefab.name} takes"
                faults.append((name, unknown(str(name), fields, words)))
        handed = plan.data or _NOTHING
        known = {*handed, *wanted, *(prefab.data or ())}
        own = own_data_fns({name: field for name, field in fields.items() if name not in known})
        required = {name for name, field in fields.items() if not field.is_optional}
        if plan.data is None:  # nobody knows what the game hands over
            required.clear()
        faults += [(name, self._wanting) for name in required - known - own.keys()]
        exact = [name for name, field in taken.items() if _is_exact(field, properties[name])]
        data = tuple([name for name in fields if name in handed])
        return _Form(
            is_whole=len(exact) == len(properties) and not (data or own or faults),
            floats=tuple([name for name in exact if properties[name].__class__ is float]),
            exact=tuple(exact),
            converted=tuple([item for item in taken.items() if item[0] not in exact]),
            data=data,
            own=tuple(own.items()),
            options=tuple([name for name in properties if name in _OPTIONS]),
            faults=tuple(faults),
            required=required,
        )


def _is_exact(field: Field | None, value: Any) -> bool:
    """Return whether a hook wants values of this type as they are."""
    return field is not None and field.kind is not None and field.kind.exact is value.__class__


_Life = tuple[Any, str, "Prefab[Any]", tuple[float, float], float, Mapping[str, Any]]
"""What is to be spawned: the object, its name, prefab, position, rotation, options."""


class Plan:
    """What is to be spawned for each object; all that is wrong is found before anything is.

    Where `data` is `None`, nobody knows what the game hands over: nothing is missing then.
    """

    def __init__(
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
        self.key = None if data is None else frozenset(data), self.ignored  # what forms depend on
        self._take = book._value_reader()
        self.has_parents = False
        self._names: set[str] = set()  # of so many of the lives, as parents
        self._num_named = 0
        left, top = offset
        plans: dict[str, _PrefabPlan] = {}
        add = self.lives.append
        for fields, prefab_name in named_objects(objects, book, name, self.faults):
            source, own_name, _, x, y, width, height, above, degrees, properties = fields
            if prefab_name is None:
                self.left.append(source)
                continue
            plan = plans.get(prefab_name)
            if plan is None:
                plan = plans[prefab_name] = _PrefabPlan(self, prefab_name, book)
            try:
                if degrees:
                    x, y = LevelObject(*fields).place(plan.across, plan.down)
                else:
                    x, y = x + plan.across * width, y - above + plan.down * height
            except TypeError as error:
                raise _misfit(source, error) from None
            form = plan.forms.get((*properties, *map(type, properties.values())))
            options = properties
            if form is None or not form.is_whole:
                options = plan.options(fields, form)
            else:
                for float_name in form.floats:
                    value = properties[float_name]
                    if value != value:  # noqa: PLR0124 - only "not a number" differs
                        plan.options(fields, form)
            place = x * scale + left, y * scale + top
            add((source, own_name, plan.prefab, place, -degrees, options))

    def value(self, one: LevelObject, name: str, field: Field | None) -> Any:
        """Return a property as a hook wants it."""
        try:
            return self._take(one.folder, field, _plain(one.properties[name]))
        except ValueError as error:
            self.fault(one, name, str(error))

    def check_option(self, one: LevelObject, name: str, value: Any) -> None:
        """See to it that an option of the spawn is one, and a parent an object before this one."""
        if name == "parent":
            self.has_parents = True
            self._names.update(life[1] for life in self.lives[self._num_named :])
            self._num_named = len(self.lives)
            if not isinstance(value, str) or value not in self._names:
                known = unknown(str(value), self._names, "the objects placed before it")
                self.fault(one, name, known)
        elif not isinstance(value, bool):
            self.fault(one, name, misfit(value, "true or false"))

    def fault(self, one: LevelObject, name: str, why: str) -> None:
        """Keep what is wrong with a property of an object."""
        self.faults.append(f"{one.label}: {name}: {why}")


def named_objects(
    objects: Iterable[Any], book: PrefabFile, name_fn: NameFn | None, faults: list[str]
) -> Iterator[tuple[_Fields, str | None]]:
    """Yield objects, each with the name of its prefab: its class if that is one, else its name.

    What `name_fn` returns decides, if there is one; that no prefab has that name is a fault.
    """
    prefabs = book._prefabs
    read_fns: dict[type, Callable[[Any], _Fields]] = {}  # by classes of loaders
    for source in objects:
        read = read_fns.get(source.__class__)
        if read is None:
            read = read_fns[source.__class__] = _read_fn(source)
        try:
            fields = read(source)
        except _ODD as error:
            raise _misfit(source, error) from None
        name: Any = fields[2]
        if name_fn is None:
            if name not in prefabs:
                name = fields[1] if fields[1] in prefabs else None
        else:
            name = name_fn(source)
            if name is not None and not (isinstance(name, str) and name in prefabs):
                known = unknown(str(name), prefabs, "the prefabs of the file")
                faults.append(f"{LevelObject(*fields).label}: name: {known}")
                continue
        yield fields, name


def count_objects(
    objects: Iterable[Any], book: PrefabFile, name_fn: NameFn | None
) -> dict[Prefab[Any], int]:
    """Return how many of each prefab there are among objects."""
    faults: list[str] = []
    counts = Counter(name for _, name in named_objects(objects, book, name_fn, faults))
    if faults:
        raise ContentError(faults)
    return {book[name]: count for name, count in counts.items() if name is not None}


def spawn_objects(
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
    plan = Plan(objects, book, data or {}, offset=offset, scale=scale, name=name, ignore=ignore)
    if plan.faults:
        raise ContentError(plan.faults)
    placed = _SpawnedObjects(plan.left)
    spawn, append = book._system.spawn, placed.append
    by_name: dict[str, Any] | None = {} if plan.has_parents else None
    try:
        for life in plan.lives:
            source, own_name, prefab, position, rotation, options = life
            if by_name is None:
                append(spawn(prefab, position, rotation, **options))
                continue
            if "parent" in options:
                options = {**options, "parent": by_name[options["parent"]]}
            by_name[own_name] = instance = spawn(prefab, position, rotation, **options)
            append(instance)
    except BaseException as error:
        error.add_note(f"spawning {level_object(source).label}")
        errors = ErrorCollector(error)
        for instance in reversed(placed):
            errors.call(book._system.despawn, instance)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now("spawning the objects of a level")
    return placed
