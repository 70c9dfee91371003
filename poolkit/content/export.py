"""What the shell tells of a book of prefabs: faults in levels, a schema, Tiled's types."""

from __future__ import annotations

import enum
import json
import xml.etree.ElementTree as ET
from dataclasses import fields as dataclass_fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.content.faults import ContentError
from poolkit.content.objects import Plan, level_object
from poolkit.content.schema import ANYTHING, BUDGETS, Field, fields_of, own_data_fns, spawn_fields
from poolkit.core.prefab import Prefab
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from poolkit.content.prefab_file import PrefabFile

Table = dict[str, Any]
_NUMBERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "object": int,
    "float": float,
    "bool": lambda text: text == "true",
}
# What files that are no levels raise, and templates of themselves.
_UNREADABLE: tuple[type[Exception], ...] = (OSError, ValueError, ET.ParseError, LookupError)
_UNREADABLE += (TypeError, AttributeError, RecursionError)
_GID = 0x0FFFFFFF  # the other bits say how a tile is turned
_Tiles = dict[int, Table]  # by their numbers in a level

# -- levels, as far as objects go -----------------------------------------------------------------


def check_level(path: Path, book: PrefabFile) -> tuple[list[str], list[str]]:
    """Return what is wrong with the objects of a level file, and the names of those left over."""
    plan = Plan(read_level(path), book, None)
    left = (level_object(each) for each in plan.left)
    return plan.faults, sorted({each.kind or each.name or "no name" for each in left})


def read_level(path: Path) -> list[Table]:
    """Return the objects of a file of Tiled or LDtk.

    Raises:
        ContentError: It can't be read.
    """
    try:
        if path.suffix == ".tmx":
            level = _parsed(path)
            found = list(_of_tmx(level, path.parent, _tiles_of(level, path.parent)))
        else:
            world = json.loads(path.read_text("utf-8"))
            if "levels" in world:
                found = list(_of_ldtk(world, path.parent))
            else:
                found = list(_of_json(world, path.parent, _tiles_of(world, path.parent)))
    except _UNREADABLE as error:
        message = f"{path.name}: it can't be read as a level: {type(error).__name__}: {error}"
        raise ContentError([message]) from None
    source = SimpleNamespace(filename=str(path))
    return [{**each, "parent": source} for each in found]


def _parsed(path: Path) -> ET.Element:
    return ET.parse(path).getroot()  # noqa: S314 - the game's own


def _of_tmx(layers: ET.Element, folder: Path, tiles: _Tiles) -> Iterator[Table]:
    for layer in layers:
        if layer.tag == "group":
            yield from _of_tmx(layer, folder, tiles)
        elif layer.tag == "objectgroup":
            yield from (_of_node(node, folder, tiles) for node in layer.iter("object"))


def _of_node(node: ET.Element, folder: Path, tiles: _Tiles) -> Table:
    base: Table = {}
    if template := node.get("template"):
        place = folder / template
        whole = _parsed(place)
        inner = whole.find("object")
        base = (
            {} if inner is None else _of_node(inner, place.parent, _tiles_of(whole, place.parent))
        )
    text = {"name", "type", "class", "template"}
    found: Table = {key: each if key in text else _number(each) for key, each in node.items()}
    found |= {each.tag: [] for each in node if each.tag in {"polygon", "polyline"}}
    return _over(base, found | {"properties": _properties(node)}, tiles)


def _over(base: Table, own: Table, tiles: _Tiles) -> Table:
    """Return an object over its template, and over the tile that it shows."""
    tile = tiles.get(own.get("gid", 0) & _GID, {})
    kinds = (each.get("type") or each.get("class") for each in (own, base, tile))
    properties = [_by_name(each.get("properties", ())) for each in (tile, base, own)]
    return {
        **base,
        **own,
        "type": next(filter(None, kinds), ""),
        "properties": {name: each for some in properties for name, each in some.items()},
    }


def _by_name(properties: Any) -> Table:
    if isinstance(properties, dict):
        return properties
    return {each["name"]: each["value"] for each in properties}


def _tiles_of(level: Any, folder: Path) -> _Tiles:
    """Return the tiles of a level's tilesets that have a class or properties, by their numbers."""
    is_node = isinstance(level, ET.Element)
    found: _Tiles = {}
    for each in level.findall("tileset") if is_node else level.get("tilesets", ()):
        whole: Any = each
        if source := each.get("source"):
            place = folder / source
            is_json = place.suffix in {".json", ".tsj"}
            whole = json.loads(place.read_text("utf-8")) if is_json else _parsed(place)
        tiles: Iterable[Table] = ()
        if isinstance(whole, ET.Element):
            nodes = whole.findall("tile")
            tiles = [{**dict(node.items()), "properties": _properties(node)} for node in nodes]
        else:
            tiles = whole.get("tiles", ())
        first = int(each.get("firstgid", 1))
        found |= {first + int(tile["id"]): tile for tile in tiles}
    return found


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


def _properties(node: ET.Element) -> Table:
    found: Table = {}
    for each in node.findall("properties/property"):
        kind, text = each.get("type", "string"), each.get("value", each.text or "")
        inner = _properties(each) if kind == "class" else None
        found[each.get("name", "")] = _NUMBERS.get(kind, str)(text) if inner is None else inner
    return found


def _of_json(layers: Table, folder: Path, tiles: _Tiles) -> Iterator[Table]:
    for layer in layers.get("layers", ()):
        yield from _of_json(layer, folder, tiles)
        for given in layer.get("objects", ()):
            base: Table = {}
            if template := given.get("template"):
                place = folder / template
                whole = json.loads(place.read_text("utf-8"))
                inner = {"tilesets": [whole["tileset"]] if "tileset" in whole else []}
                base = _over({}, whole["object"], _tiles_of(inner, place.parent))
            yield _over(base, given, tiles)


def _of_ldtk(world: Table, folder: Path) -> Iterator[Table]:
    for level in world["levels"]:
        whole = level
        if level.get("externalRelPath"):
            whole = json.loads((folder / level["externalRelPath"]).read_text("utf-8"))
        for layer in whole.get("layerInstances") or ():
            yield from layer.get("entityInstances", ())


# -- JSON schema ----------------------------------------------------------------------------------


def json_schema(book: PrefabFile) -> Table:
    """Return the JSON schema of the files of a book, for editors that complete and check them."""
    classes = book._classes
    data = {name: spawn_fields([each]) for name, each in classes.items() if isinstance(each, type)}
    names = {name for fields, _ in data.values() for name in fields}
    names |= {name for prefab in book.values() for name in prefab.data or {}}
    known = {} if any(takes_any for _, takes_any in data.values()) else {"enum": sorted(names)}
    cases = [
        {
            "if": {"properties": {"class": {"const": name}}, "required": ["class"]},
            "then": {
                "properties": {
                    "build": _object(*fields_of(maker)),
                    "data": {"properties": _object(*data.get(name, ({}, True)))["properties"]},
                }
            },
        }
        for name, maker in classes.items()
    ]
    components = {name: _object(*fields_of(maker)) for name, maker in classes.items()}
    settings: Table = {field.name: {} for field in dataclass_fields(PoolSettings)}
    settings["budget"] = {"type": "string"}
    switch = {"type": "boolean"}
    prefab = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "class": {"enum": sorted(classes)},
            "variant_of": {"type": "string"},
            "groups": {"type": "array", "items": {"enum": sorted(book._groups)}},
            "build": {"type": "object"},
            "components": _closed(components),
            "data": {"type": "object", "propertyNames": known},
            "pool": _closed(settings),
            "persistent": switch,
            "awake_on_first_spawn": switch,
        },
        "allOf": cases,
    }
    dialect = "https://json-schema.org/draft/2020-12/schema"
    limits = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    return {
        "$schema": dialect,
        "type": "object",
        "properties": {BUDGETS: limits},
        "additionalProperties": prefab,
    }


def _closed(properties: Table) -> Table:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _object(fields: Mapping[str, Field], takes_any: bool) -> Table:  # noqa: FBT001 - a pair
    properties = {name: _property(field) for name, field in fields.items()}
    return {"type": "object", "properties": properties, "additionalProperties": takes_any}


def _property(field: Field) -> Table | bool:
    if field.kind is None:
        return False
    said = {**field.kind.schema, "description": field.kind.words}
    default = _said(field.default)
    return said if default is None else {**said, "default": default}


def _said(value: Any) -> Any:
    """Return a value as a file says it; `None` where it can't."""
    if isinstance(value, pygame.Color):
        return f"#{value.a:02x}{value.r:02x}{value.g:02x}{value.b:02x}"
    if isinstance(value, enum.Enum | Prefab):
        return value.name
    return value if isinstance(value, bool | int | float | str) else None


# -- Tiled ----------------------------------------------------------------------------------------


def tiled_types(book: PrefabFile) -> list[Table]:
    """Return Tiled's custom types: a class for each prefab, its data as members with defaults."""
    found = []
    for number, (name, prefab) in enumerate(book.items(), start=1):
        data = prefab.data or {}
        fields, _ = book._entries[name].recipe.wants(data)
        found.append(
            {
                "id": number,
                "name": name,
                "type": "class",
                "useAs": ["object", "property", "tile"],
                "color": "#ffa0a0a4",
                "drawFill": True,
                "members": list(_members(fields, data)),
            }
        )
    return found


def _members(fields: Mapping[str, Field], data: Mapping[str, Any]) -> Iterator[Table]:
    empty: Table = {"bool": False, "int": 0, "float": 0.0}
    own = own_data_fns(fields).keys() - data.keys()  # what an object has without a property
    for field in fields.values():
        kind = field.kind
        if (
            field.name in own
            or kind is None
            or kind is ANYTHING
            or kind.schema.get("type") in {"array", "object"}
        ):
            continue  # Tiled has nothing for it
        value = _said(data.get(field.name, field.default))
        value = empty.get(kind.tiled, "") if value is None else value
        yield {"name": field.name, "type": kind.tiled, "value": value}
