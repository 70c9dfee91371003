"""Exports for the command line: level checks, a JSON schema, and Tiled's custom types."""

from __future__ import annotations

import enum
import json
import xml.etree.ElementTree as ET
from dataclasses import fields as dataclass_fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.content.faults import ContentError
from poolkit.content.objects import SpawnPlan, object_data_fns, read_objects
from poolkit.content.schema import (
    ANYTHING,
    BUDGETS,
    Accepted,
    Parameter,
    accepted_by,
    accepted_data,
)
from poolkit.core.prefab import Prefab
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from poolkit.content.prefab_file import PrefabFile
    from poolkit.content.toml_file import Table

# What files that are no levels raise, and templates of themselves.
_UNREADABLE = (
    *(OSError, ValueError, ET.ParseError, LookupError, TypeError, AttributeError, RecursionError),
)

# -- levels, as far as objects go -----------------------------------------------------------------


def check_level(path: Path, book: PrefabFile) -> tuple[list[str], list[str]]:
    """Return what is wrong with the objects of a level file, and the names of those left over."""
    plan = SpawnPlan(read_level(path), book, None)
    left = {kind or name or "no name" for _, name, kind, *_ in read_objects(plan.left)}
    return plan.faults, sorted(left)


def read_level(path: Path) -> list[Table]:
    """Return the objects of a file of Tiled or LDtk.

    Raises:
        ContentError: It can't be read.
    """
    try:
        level = _loaded(path)
        of_level = _objects_of_ldtk if "levels" in level else _objects_of
        objects = list(of_level(level, path.parent, _tiles_of(level, path.parent)))
    except _UNREADABLE as error:
        message = f"{path.name}: it can't be read as a level: {type(error).__name__}: {error}"
        raise ContentError([message]) from None
    source = SimpleNamespace(filename=str(path))
    return [{**table, "parent": source} for table in objects]


def _loaded(path: Path) -> Table:
    """Return what is in a file of Tiled or LDtk, in the form that Tiled has as JSON."""
    if path.suffix in {".tmx", ".tsx"} or path.read_bytes().lstrip()[:1] == b"<":
        return _table_of(ET.parse(path).getroot())  # noqa: S314 - the game's own
    table: Table = json.loads(path.read_text("utf-8"))
    return table


_LISTS = {"group": "layers", "objectgroup": "layers", "object": "objects", "tile": "tiles"}
_LISTS |= {"tileset": "tilesets", "polygon": "polygon", "polyline": "polyline"}
_NUMBERS = {"firstgid", "gid", "height", "id", "rotation", "width", "x", "y"}


def _table_of(node: ET.Element) -> Table:
    table: Table = dict(node.items())
    table |= {name: _number(table[name]) for name in _NUMBERS & table.keys()}
    for inner in node:
        if inner.tag in _LISTS:
            table.setdefault(_LISTS[inner.tag], []).append(_table_of(inner))
    return table | {"properties": _properties_of(node)}


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


_VALUE_FNS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "object": int,
    "float": float,
    "bool": lambda text: text == "true",
}


def _properties_of(node: ET.Element) -> Table:
    properties: Table = {}
    for inner in node.findall("properties/property"):
        kind, text = inner.get("type", "string"), inner.get("value", inner.text or "")
        value_fn = _VALUE_FNS.get(kind, str)
        value = _properties_of(inner) if kind == "class" else value_fn(text)
        properties[inner.get("name", "")] = value
    return properties


_Tiles = dict[int, "Table"]  # by their numbers in a level
_GID = 0x0FFFFFFF  # the other bits of a number say how the tile is turned


def _tiles_of(level: Table, folder: Path) -> _Tiles:
    """Return the tiles of a level's tilesets that have a class or properties."""
    tiles: _Tiles = {}
    for tileset in level.get("tilesets", ()):
        source, first = tileset.get("source"), tileset.get("firstgid", 1)
        whole = _loaded(folder / source) if source else tileset
        tiles |= {first + int(tile["id"]): tile for tile in whole.get("tiles", ())}
    return tiles


def _objects_of(level: Table, folder: Path, tiles: _Tiles) -> Iterator[Table]:
    for layer in level.get("layers", ()):
        yield from _objects_of(layer, folder, tiles)
    for table in level.get("objects", ()):
        yield _completed(table, folder, tiles)


def _completed(table: Table, folder: Path, tiles: _Tiles) -> Table:
    """Return an object over its template, and over the tile that it shows."""
    base: Table = {}
    if path := table.get("template"):
        template, inner_folder = _loaded(folder / path), (folder / path).parent
        if "tileset" in template:  # as JSON has it
            template = {
                "tilesets": [template["tileset"]],
                "objects": [template["object"]],
                **template,
            }
        first = (template.get("objects") or [template["object"]])[0]
        base = _completed(first, inner_folder, _tiles_of(template, inner_folder))
    tile = tiles.get(table.get("gid", 0) & _GID, {})
    layers = tile, base, table  # what an object says comes before its template, then its tile
    kinds = (layer.get("type") or layer.get("class") for layer in reversed(layers))
    properties: Table = {}
    for layer in layers:
        properties |= _by_name(layer.get("properties", ()))
    return {**base, **table, "type": next(filter(None, kinds), ""), "properties": properties}


def _by_name(properties: Any) -> Table:
    if isinstance(properties, dict):
        return properties
    return {entry["name"]: entry["value"] for entry in properties}


def _objects_of_ldtk(world: Table, folder: Path, _: _Tiles) -> Iterator[Table]:
    for level in world["levels"]:
        path = level.get("externalRelPath")
        whole = _loaded(folder / path) if path else level
        for layer in whole.get("layerInstances") or ():
            yield from layer.get("entityInstances", ())


# -- JSON schema ----------------------------------------------------------------------------------


def json_schema(book: PrefabFile) -> Table:
    """Return the JSON schema of the files of a book, for editors that complete and check them."""
    classes = book._classes
    data = {name: accepted_data([cls]) for name, cls in classes.items() if isinstance(cls, type)}
    takes_any = any(accepted.takes_any for accepted in data.values())
    names = {name for accepted in data.values() for name in accepted.parameters}
    names |= {name for prefab in book.values() for name in prefab.data or {}}
    arguments = {name: _object_of(accepted_by(maker)) for name, maker in classes.items()}
    any_data = Accepted({}, takes_any=True)
    cases = [_case(name, arguments[name], data.get(name, any_data)) for name in classes]
    settings: Table = {setting.name: {} for setting in dataclass_fields(PoolSettings)}
    settings["budget"] = {"type": "string"}
    prefab = {
        **_closed(
            {
                "class": {"enum": sorted(classes)},
                "variant_of": {"type": "string"},
                "groups": {"type": "array", "items": {"enum": sorted(book._groups)}},
                "build": {"type": "object"},
                "components": _closed(arguments),
                "data": {
                    "type": "object",
                    "propertyNames": {} if takes_any else {"enum": sorted(names)},
                },
                "pool": _closed(settings),
                "persistent": {"type": "boolean"},
                "awake_on_first_spawn": {"type": "boolean"},
            }
        ),
        "allOf": cases,
    }
    limits = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {BUDGETS: limits},
        "additionalProperties": prefab,
    }


def _case(cls: str, build: Table, data: Accepted) -> Table:
    """Return the schema of prefabs of one class."""
    # Of data only the types are said: further components may name other data.
    then = {"build": build, "data": {"properties": _object_of(data)["properties"]}}
    condition = {"properties": {"class": {"const": cls}}, "required": ["class"]}
    return {"if": condition, "then": {"properties": then}}


def _closed(properties: Table) -> Table:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _object_of(accepted: Accepted) -> Table:
    parameters = accepted.parameters.items()
    properties = {name: _property_of(parameter) for name, parameter in parameters}
    return _closed(properties) | {"additionalProperties": accepted.takes_any}


def _property_of(parameter: Parameter) -> Table | bool:
    if parameter.type is None:
        return False
    default = _in_file(parameter.default)
    schema = {**parameter.type.schema, "description": parameter.type.words}
    return schema if default is None else {**schema, "default": default}


def _in_file(value: Any) -> Any:
    """Return a value as a file says it; `None` where it can't."""
    if isinstance(value, pygame.Color):
        return f"#{value.a:02x}{value.r:02x}{value.g:02x}{value.b:02x}"
    if isinstance(value, enum.Enum | Prefab):
        return value.name
    return value if isinstance(value, bool | int | float | str) else None


# -- Tiled ----------------------------------------------------------------------------------------


def tiled_types(book: PrefabFile) -> list[Table]:
    """Return Tiled's custom types: a class for each prefab, its data as members with defaults."""
    types = []
    for number, (name, prefab) in enumerate(book.items(), start=1):
        data = prefab.data or {}
        accepted = book._recipes[name].accepted_data(data)
        types.append(
            {
                "id": number,
                "name": name,
                "type": "class",
                "useAs": ["object", "property", "tile"],
                "color": "#ffa0a0a4",
                "drawFill": True,
                "members": list(_members(accepted, data)),
            }
        )
    return types


def _members(accepted: Accepted, data: Mapping[str, Any]) -> Iterator[Table]:
    empty: Table = {"bool": False, "int": 0, "float": 0.0}
    of_objects = object_data_fns(accepted.parameters).keys() - data.keys()
    for name, parameter in accepted.parameters.items():
        value_type = parameter.type
        if name in of_objects or value_type is None or value_type is ANYTHING:
            continue  # an object has it without a property, or Tiled has nothing for it
        if value_type.schema.get("type") not in {"array", "object"}:
            value = _in_file(data.get(name, parameter.default))
            value = empty.get(value_type.tiled, "") if value is None else value
            yield {"name": name, "type": value_type.tiled, "value": value}
