"""Spawns prefabs for the objects of a level file. An object's properties become spawn data."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.content.faults import ContentError, misfit, unknown
from poolkit.content.schema import ANYTHING, Accepted, Parameter
from poolkit.core.errors import ErrorCollector
from poolkit.core.seams import context_of

if TYPE_CHECKING:
    from poolkit.content.prefab_file import PrefabFile, Recipe, Source
    from poolkit.core.prefab import Prefab

# What pytmx puts among the properties of a tile, and so of the objects that show it.
_OF_TILES = {"class", "colliders", "frames", "height", "id", "probability", "source", "terrain"}
_OF_TILES |= {"trans", "type", "width", "x", "y"}
_NEVER_DATA = {"groups", "position", "prefab", "rotation", "self"}  # parameters of `spawn`
_SIMPLE = {int, float, str, bool}
_EMPTY: Mapping[str, Any] = {}

NameFn = Callable[[Any], str | None]


class _SpawnedObjects(list[Any]):
    """What `spawn_objects` spawned, in order.

    Attributes:
        left: The objects that name no prefab.
    """

    def __init__(self, left: Iterable[Any]) -> None:
        super().__init__()
        self.left: list[Any] = list(left)


# -- objects of any loader --------------------------------------------------------------------

LevelObject = tuple[
    Any, str, str, str | None, float, float, float, float, float, float, dict[str, Any]
]
"""What is read of an object: a plain tuple, which takes a fifth of the time of a named one.

The object as its loader has it, its name, its class, the name of its prefab, if it has one. Where
its own corner, or point, lies (x, y), its width and height, how far above that place it begins (an
object that shows a tile has its origin at the bottom), by how many degrees it is turned clockwise
about that place. Its properties.
"""
_GetFn = Callable[[str], Any]
_Read = tuple[_GetFn, Any, Any, Any, Any, Any, Any]
"""A function that gets what an object itself has; x, y, width, height, class, properties."""
_ODD = (TypeError, ValueError, LookupError, AttributeError)  # what reading no object raises


def read_objects(
    objects: Iterable[Any],
    prefabs: Mapping[str, Any] = _EMPTY,
    name_fn: NameFn | None = None,
    faults: Any = None,
) -> Iterator[LevelObject]:
    """Yield what objects of pytmx, pytiled_parser, LDtk, Tiled's JSON, or plain ones have.

    The prefab of an object is that of its class, else that of its name. If there is a `name_fn`,
    it decides; if no prefab has that name, that is a fault.
    """
    read_fns: dict[type, Callable[[Any], _Read]] = {}  # by classes of loaders
    for source in objects:
        read = read_fns.get(source.__class__)
        if read is None:
            read = read_fns[source.__class__] = _read_fn(source)
        try:
            get, x, y, width, height, kind, properties = read(source)
            if properties.__class__ is not dict:
                properties = _properties(properties or {})
        except _ODD as error:
            raise _misfit(source, error) from None
        name = get("name") or ""
        if name.__class__ is not str:
            name = str(name)
        if kind.__class__ is not str:
            kind = ""
        if name_fn is not None:
            prefab_name = _name_of_prefab(source, name_fn, prefabs, faults)
        else:
            prefab_name = kind if kind in prefabs else name if name in prefabs else None
        width, height, degrees = width or 0, height or 0, get("rotation") or 0
        top = height if get("gid") else 0
        yield source, name, kind, prefab_name, x, y, width, height, top, degrees, properties


def _name_of_prefab(
    source: Any, name_fn: NameFn, prefabs: Mapping[str, Any], faults: list[str]
) -> str | None:
    """Return what the game's function says; a name of no prefab is a fault."""
    name = name_fn(source)
    if name is None or (isinstance(name, str) and name in prefabs):
        return name
    why = unknown(str(name), prefabs, "the prefabs of the file")
    faults.append(f"{_label_of(source)}: name: {why}")
    return None


def _misfit(source: Any, error: Exception) -> ContentError:
    return ContentError([misfit(source, "an object of a level, with x and y", str(error))])


def _read_fn(source: Any) -> Callable[[Any], _Read]:
    """Return the function that reads objects of this class."""
    if isinstance(source, dict):
        return _read_table
    attributes = getattr(source, "__dict__", {})
    if "coordinates" in attributes:
        return _read_of_parser
    if "tile_properties" in getattr(attributes.get("parent"), "__dict__", {}):
        return _read_of_pytmx
    return _read_any


def _attribute_of(source: Any, name: str) -> Any:
    """Return what an object itself has, if it has it: no property by an attribute's name."""
    if isinstance(source, dict):
        return source.get(name)
    attributes = getattr(source, "__dict__", _EMPTY)
    if name in attributes:
        return attributes[name]
    if name in (getattr(source, "properties", None) or _EMPTY) and not hasattr(type(source), name):
        return None  # pytmx answers with properties where it has no attribute
    return getattr(source, name, None)


def _read_any(source: Any) -> _Read:
    get = partial(_attribute_of, source)
    x, y, width, height = get("x"), get("y"), get("width"), get("height")
    if x is None or y is None:
        message = "it has no place"
        raise ValueError(message)
    if isinstance(get("points") or get("polygon") or get("polyline"), list | tuple):
        width = height = 0  # it lies around its origin, on any side
    kind = get("class") or get("class_") or get("type")
    return get, x, y, width, height, kind, get("properties")


def _read_table(source: dict[str, Any]) -> _Read:
    get = source.get
    if "__identifier" in source:
        return _read_of_ldtk(source)
    x, y, width, height = source["x"], source["y"], get("width"), get("height")
    if get("polygon") or get("polyline"):
        width = height = 0
    return get, x, y, width, height, get("class") or get("type"), get("properties")


def _read_of_parser(source: Any) -> _Read:
    get = vars(source).get
    (x, y), (width, height) = source.coordinates, source.size
    if get("points"):
        width = height = 0
    return get, x, y, width, height, get("class_"), source.properties


def _read_of_pytmx(source: Any) -> _Read:
    attributes = vars(source)
    get, level = attributes.get, vars(attributes["parent"])
    y, width, height = attributes["y"], attributes["width"], attributes["height"]
    kind, properties = get("type") or get("class"), attributes["properties"]
    if gid := get("gid"):
        tile = level["tile_properties"].get(gid) or _EMPTY
        kind = kind or tile.get("type") or tile.get("class")
        y += height if level.get("invert_y") else 0  # pytmx lifted it to its top
        properties = _without_entries(properties, tile)
    if get("points"):
        width = height = 0
    return get, attributes["x"], y, width, height, kind, properties


def _without_entries(properties: dict[str, Any], tile: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object's properties without what is the tile's own; it comes after them."""
    kept, first = dict(properties), next(iter(tile), None)
    for name in reversed(properties):
        if name in _OF_TILES and tile.get(name, tile) is properties[name]:
            del kept[name]
        if name == first:
            break
    return kept


def _read_of_ldtk(source: Mapping[str, Any]) -> _Read:
    width, height = float(source.get("width", 0)), float(source.get("height", 0))
    across, down = source.get("__pivot", (0, 0))
    x, y = source["px"]
    entries = source.get("fieldInstances", ())
    fields = {entry["__identifier"]: entry["__value"] for entry in entries}
    names = {"name": fields.pop("name", None) or source.get("iid", "")}
    properties = {key: value for key, value in fields.items() if value is not None}
    x, y = x - across * width, y - down * height
    return names.get, x, y, width, height, source["__identifier"], properties


def _properties(properties: Any) -> dict[str, Any]:
    if isinstance(properties, Mapping):
        return dict(properties)
    return {entry["name"]: entry["value"] for entry in properties}  # of Tiled's JSON


def _label_of(source: Any) -> str:
    """Return how messages name an object."""
    _, name, kind, *_ = next(read_objects([source]))
    get, file = partial(_attribute_of, source), _file_of(source)
    words = f"{file.name}: object " if file else "object "
    if get("__identifier") is not None:  # its number is very long: say what a designer sees
        words += f"{kind} at {', '.join(map(str, get('px')))} "
    elif get("id") is not None:
        words += f"{get('id')} "
    return words + repr(name or kind)


def _file_of(source: Any) -> Path | None:
    """Return the map that an object is of, if its loader says so."""
    file = getattr(_attribute_of(source, "parent"), "filename", None)
    return None if file is None else Path(file)


def _simplified(value: Any) -> Any:
    """Return the value of a property as a file of prefabs would say it."""
    if value.__class__ in _SIMPLE:
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _simplified(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_simplified(inner) for inner in value]
    if type(value).__name__ == "TiledClassType":  # of pytmx
        return {name: _simplified(inner) for name, inner in vars(value).items() if name != "name"}
    return value


# -- what is spawned for them -----------------------------------------------------------------

_ABSENT: Any = object()
_Size = tuple[float, float]
_ValueFn = Callable[["SpawnPlan", Any, Any, _Size], Any]
"""Returns spawn data for a plan, an object, its property of that name, its size in pixels.

Or `_ABSENT`, if there is none. A `ValueError` says what is wrong with it.
"""


def object_data_fns(parameters: Mapping[str, Parameter]) -> dict[str, Callable[..., Any]]:
    """Return how hooks get what they name of an object itself: `obj`, `size`, `image`.

    The functions take why there must be a value, or an empty text, then what a `_ValueFn` takes.
    Annotated as something else, such a name is data like any other.
    """
    fns: dict[str, Callable[..., Any]] = {}
    for name in parameters.keys() & {"obj", "size", "image"}:
        value_type = parameters[name].type or ANYTHING  # a type that no file knows may be this
        if name == "image" and (value_type is ANYTHING or value_type.tiled == "file"):
            fns[name] = _image
        elif name == "obj" and value_type is ANYTHING:
            fns[name] = lambda _, __, source, *___: source
        elif name == "size" and value_type is ANYTHING:
            fns[name] = lambda _, __, ___, ____, size: size
        elif name == "size" and value_type.schema.get("type") == "array":
            fns[name] = partial(_size_as, value_type)
    return fns


def _image(why: str, _: SpawnPlan, source: Any, *__: Any) -> Any:
    image = _attribute_of(source, "image")
    return _absent(why) if image is None else image


def _size_as(value_type: Any, why: str, _: SpawnPlan, __: Any, ___: Any, size: _Size) -> Any:
    for number in (float, round):
        with contextlib.suppress(ValueError):
            return value_type.convert([*map(number, size)], None)
    return _absent(why)


def _absent(why: str) -> Any:
    return _refuse(why) if why else _ABSENT


def _handed_over(name: str, plan: SpawnPlan, *_: Any) -> Any:
    return plan.data[name]


def _refuse(why: str, *_: Any) -> Any:
    raise ValueError(why)


def _convert(
    parameter: Parameter | None, plan: SpawnPlan, source: Any, value: Any, _: _Size
) -> Any:
    plan.object = source
    value = _simplified(value)
    return value if parameter is None else parameter.convert(value, plan.source)


def _parent(plan: SpawnPlan, _: Any, value: Any, __: _Size) -> str:
    plan.has_parents = True
    names = plan.names
    if not isinstance(value, str) or value not in names:
        raise ValueError(unknown(str(value), names, "the objects placed before it"))
    return value


def _switch(_: SpawnPlan, __: Any, value: Any, ___: _Size) -> bool:
    if not isinstance(value, bool):
        raise ValueError(misfit(value, "true or false"))  # noqa: TRY004 - of a file's value
    return value


_OPTIONS: dict[str, _ValueFn] = {"parent": _parent, "persistent": _switch, "reclaimable": _switch}


class _Form(NamedTuple):
    """How objects of a prefab with properties of certain names and types become spawn data."""

    types: tuple[tuple[str, type], ...]  # of the properties
    is_whole: bool  # the properties are the data
    exact: tuple[str, ...]  # properties that hooks want as they are
    floats: tuple[str, ...]  # those of them that must be numbers
    value_fns: tuple[tuple[str, _ValueFn], ...]  # what else is data


_NO_FORM = _Form((), is_whole=False, exact=(), floats=(), value_fns=())


_LIFE = 7
"""How many items of `SpawnPlan.lives` are about one life."""


class SpawnPlan:
    """What is to be spawned for each object; all that is wrong is found before anything is.

    Where `data` is `None`, nobody knows what the game hands over: nothing is missing then.

    Attributes:
        lives: Of each life the object, its name, prefab, x, y, rotation, options, all in one list:
            a tuple for each life would have Python's collector run.
        left: The objects that name no prefab.
        faults: What is wrong.
        prefabs: Those of the lives.
        has_parents: Whether an object names its parent.
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
        self.left: list[Any] = []
        self.lives: list[Any] = []
        self.faults: list[str] = []
        self.data: Mapping[str, Any] = data or {}
        self.has_parents = False
        self._names: set[str] = set()
        self._num_named = 0  # so many items of `lives` have been looked at for names
        self._ignored = frozenset(ignore)
        self._is_checked = data is None
        self.object: Any = None  # whose property is converted
        self.source: Source = book._source(self._find_folder)
        forms_key = self._is_checked, self._ignored, frozenset(self.data)
        plans: dict[str, tuple[Any, ...]] = {}  # by the names of prefabs
        add, (left, above) = self.lives.extend, offset
        for fields in read_objects(objects, book._prefabs, name, self.faults):
            source, label, _, prefab_name, x, y, width, height, top, degrees, properties = fields
            if prefab_name is None:
                self.left.append(source)
                continue
            plan = plans.get(prefab_name)
            if plan is None:
                recipe = book._recipes[prefab_name]
                # The forms go with the recipe: a level that is read again finds them.
                forms = recipe.forms.setdefault(forms_key, {})
                plan = plans[prefab_name] = book[prefab_name], recipe, forms, *recipe.anchor
            prefab, _, forms, across, down = plan
            try:
                dx, dy = across * width, down * height - top
                if degrees:
                    dx, dy = pygame.Vector2(dx, dy).rotate(degrees)
                x, y = (x + dx) * scale + left, (y + dy) * scale + above
            except (TypeError, OverflowError) as error:
                raise _misfit(source, error) from None
            form = forms.get(names := tuple(properties), _NO_FORM)
            for key, value_type in form.types:
                value = properties[key]
                # Only "not a number" differs from itself.
                if value.__class__ is not value_type or (value_type is float and value != value):  # noqa: PLR0124
                    form = _NO_FORM
                    break
            if form is _NO_FORM:
                form = forms[names] = self._form_for(source, plan, properties)
            options = properties
            if not form.is_whole:
                size = width * scale, height * scale
                options = self._options(form, source, properties, size)
            add((source, label, prefab, x, y, -degrees, options))
        self.prefabs: list[Any] = [plan[0] for plan in plans.values()]

    @property
    def names(self) -> set[str]:
        """The names of the objects of `lives`; collected when an object names its parent."""
        self._names.update(self.lives[self._num_named + 1 :: _LIFE])
        self._num_named = len(self.lives)
        return self._names

    def _options(
        self, form: _Form, source: Any, properties: Mapping[str, Any], size: tuple[float, float]
    ) -> dict[str, Any]:
        """Return the options of the spawn of an object."""
        options = {name: properties[name] for name in form.exact}
        for name, value_fn in form.value_fns:
            try:
                value = value_fn(self, source, properties.get(name), size)
            except ValueError as error:
                self._add_fault(source, name, str(error))
            else:
                if value is not _ABSENT:
                    options[name] = value
        return options

    def _form_for(self, source: Any, plan: tuple[Any, ...], properties: Mapping[str, Any]) -> _Form:
        """Return the form of an object whose properties have other types than those before it."""
        prefab, recipe, forms, *_ = plan
        key = *properties, *map(type, properties.values())
        form: _Form | None = forms.get(key)
        if form is None:
            form = forms[key] = self._form_of(prefab, recipe, properties)
        for name in form.floats:
            value = properties[name]
            if value != value:  # noqa: PLR0124 - only "not a number" differs
                self._add_fault(source, name, misfit(value, "a number"))
        return form

    def _form_of(self, prefab: Prefab[Any], recipe: Recipe, properties: Mapping[str, Any]) -> _Form:
        """Return the form of objects of a prefab with such properties."""
        names = [name for name in properties if name not in _OPTIONS]
        fns: list[tuple[str, _ValueFn]] = []
        try:
            accepted = recipe.accepted_data(set(names) - self._ignored)
        except Exception as error:  # of the game's constructors
            accepted = Accepted({}, takes_any=True)
            fns.append(
                ("class", partial(_refuse, f"it can't be built: {type(error).__name__}: {error}"))
            )
        parameters = accepted.parameters
        shared = [name for name in parameters if name in self.data and name not in names]
        fns += [(name, partial(_handed_over, name)) for name in shared]
        exact = [name for name in names if self._is_exact(name, accepted, properties[name])]
        for name in names:
            if name not in exact and (fn := self._value_fn(name, accepted, prefab)):
                fns.append((name, fn))
        fns += self._missing(prefab, parameters, {*self.data, *names, *(prefab.data or ())})
        fns += [(name, _OPTIONS[name]) for name in properties if name in _OPTIONS]
        typed = (name for name in exact if name in parameters)
        floats = [
            name
            for name in typed
            if parameters[name].type is not ANYTHING and properties[name].__class__ is float
        ]
        is_whole = len(exact) == len(properties) and not fns
        types = tuple([(name, type(value)) for name, value in properties.items()])
        return _Form(types, is_whole, tuple(exact), tuple(floats), tuple(fns))

    def _is_data(self, name: Any, accepted: Accepted) -> bool:
        """Return whether a property of that name becomes spawn data."""
        if not isinstance(name, str) or name in _NEVER_DATA:
            return False
        return name in accepted.parameters or (accepted.takes_any and name not in self._ignored)

    def _is_exact(self, name: Any, accepted: Accepted, value: Any) -> bool:
        """Return whether a hook wants values of this type as they are."""
        if not self._is_data(name, accepted):
            return False
        parameter = accepted.parameters.get(name)
        if parameter is None or parameter.type is ANYTHING:
            return value.__class__ in _SIMPLE
        return parameter.type is not None and parameter.type.exact is value.__class__

    def _value_fn(self, name: Any, accepted: Accepted, prefab: Prefab[Any]) -> _ValueFn | None:
        """Return how a property becomes spawn data; `None` if it is ignored."""
        parameters = accepted.parameters
        if self._is_data(name, accepted):
            return partial(_convert, parameters.get(name))
        if name in self._ignored:
            return None
        why = unknown(str(name), parameters, f"the properties {prefab.name} takes")
        return partial(_refuse, why)

    def _missing(
        self, prefab: Prefab[Any], parameters: Mapping[str, Parameter], known_names: set[str]
    ) -> Iterator[tuple[str, _ValueFn]]:
        """Yield what hooks get of objects themselves, and a fault for what they lack."""
        missing = {name: parameters[name] for name in parameters if name not in known_names}
        object_fns = object_data_fns(missing)
        for name, parameter in missing.items():
            is_required = not (parameter.is_optional or self._is_checked)
            why = f"{prefab.name} requires it: give it a property" if is_required else ""
            if name in object_fns:
                yield name, partial(object_fns[name], why)
            elif why:
                yield name, partial(_refuse, why)

    def _add_fault(self, source: Any, name: str, why: str) -> None:
        self.faults.append(f"{_label_of(source)}: {name}: {why}")

    def _find_folder(self) -> Path | None:
        file = _file_of(self.object)
        return None if file is None else file.parent


def count_objects(
    objects: Iterable[Any], book: PrefabFile, name_fn: NameFn | None
) -> dict[Prefab[Any], int]:
    """Return how many of each prefab there are among objects."""
    faults: list[str] = []
    names = [fields[3] for fields in read_objects(objects, book._prefabs, name_fn, faults)]
    if faults:
        raise ContentError(faults)
    return {book[name]: count for name, count in Counter(names).items() if name is not None}


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
    if isinstance(ignore, str):
        message = f"ignore is a list of names, as [{ignore!r}]"
        raise TypeError(message)
    plan = SpawnPlan(
        objects, book, data or {}, offset=offset, scale=scale, name=name, ignore=ignore
    )
    if plan.faults:
        raise ContentError(plan.faults)
    placed = _SpawnedObjects(plan.left)
    # What `PoolingSystem.spawn` does with a prefab that it knows. It takes the options as they are:
    # a call with `**options` would copy each object's, which costs a tenth of the spawn.
    pool_of = context_of(book._system).registry.pool_of
    spawn_fns = {prefab: pool_of(prefab)._spawn for prefab in plan.prefabs}
    by_name: dict[str, Any] = {}
    source, has_parents = None, plan.has_parents  # the one that fails is named
    items = iter(plan.lives)
    try:
        for source, label, prefab, x, y, rotation, options in zip(*[items] * _LIFE, strict=True):  # noqa: B007
            if has_parents and "parent" in options:
                options = {**options, "parent": by_name[options["parent"]]}  # noqa: PLW2901
            instance = spawn_fns[prefab]((x, y), rotation, options)
            placed.append(instance)
            if has_parents:
                by_name[label] = instance
    except BaseException as error:
        error.add_note(f"spawning {_label_of(source)}")
        errors = ErrorCollector(error)
        for instance in reversed(placed):
            errors.call(book._system.despawn, instance)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now("spawning the objects of a level")
    return placed
