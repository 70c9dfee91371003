"""Objects of level files become sprites: which, where, with what, whoever loaded the file."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pytest
import pytiled_parser
import pytmx

from poolkit import IPoolableComponent, PooledSprite, PoolExhaustedError, PoolingSystem
from poolkit.content import ContentError, PrefabFile, spawn_objects

if TYPE_CHECKING:
    from collections.abc import Callable

MAPS = Path(__file__).parent / "maps"


class Orc(PooledSprite):
    def spawned(  # noqa: PLR0913, PLR0917 - a kind of property each
        self,
        hp: int = 30,
        speed: float = 60.0,
        title: str = "",
        tint: pygame.Color | None = None,
        portrait: pygame.Surface | None = None,
        stats: dict[str, int] | None = None,
        *,
        is_boss: bool = False,
        arena: Any = None,
    ) -> None:
        self.got = {name: value for name, value in locals().items() if name != "self"}


class Standing(Orc):
    anchor = "midbottom"


class Needy(PooledSprite):
    def spawned(self, hp: int, arena: Any) -> None:
        self.got = {"hp": hp, "arena": arena}


class Rider(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.add_component(Horse())


class Horse(IPoolableComponent):
    def spawned(self, legs: int = 4) -> None:
        self.legs = legs


def make_standing() -> Standing:
    return Standing()


def by_pytmx(name: str) -> list[Any]:
    # Else it refuses properties that are called as attributes of its own: `parent`, say.
    return list(pytmx.TiledMap(str(MAPS / f"{name}.tmx"), allow_duplicate_names=True).objects)


def by_parser(name: str, suffix: str = "tmx") -> list[Any]:
    layers = pytiled_parser.parse_map(MAPS / f"{name}.{suffix}").layers
    found: list[Any] = []
    for layer in layers:
        for each in getattr(layer, "layers", None) or [layer]:
            found += getattr(each, "tiled_objects", [])
    return found


def by_parser_of_json(name: str) -> list[Any]:
    return by_parser(name, "tmj")


def by_json(name: str) -> list[Any]:
    (layer,) = json.loads((MAPS / f"{name}.tmj").read_text())["layers"][1:]
    found: list[Any] = layer["objects"]
    return found


LOADERS: list[Callable[[str], list[Any]]] = [by_pytmx, by_parser, by_parser_of_json, by_json]
each_loader = pytest.mark.parametrize("load", LOADERS)


@pytest.fixture
def write(tmp_path: Path, system: PoolingSystem) -> Callable[[str], PrefabFile]:
    def book(text: str) -> PrefabFile:
        path = tmp_path / "book.toml"
        path.write_text(text)
        classes: list[Any] = [Orc, Standing, Needy, Rider, make_standing]
        return PrefabFile(path, classes=classes, system=system, root=Path("/"))

    return book


PLACES = {  # by class: of the point, the rectangle, the ellipse, ..., in the order of the level
    "Orc": [(10, 20), (120, 60), (220, 60), (308, 64), (90, 220), (316, 208), (400, 50)],
    "Standing": [(10, 20), (120, 70), (220, 70), (308, 80), (80, 220), (300, 208), (400, 50)],
}
PLACES["make_standing"] = PLACES["Standing"]


@each_loader
@pytest.mark.parametrize("kind", PLACES)
def test_each_object_is_where_the_editor_shows_it(
    write: Callable[[str], PrefabFile], load: Callable[[str], list[Any]], kind: str
) -> None:
    book = write(f"[orc]\nclass = '{kind}'")
    objects = _without_pictures(load("level"))
    placed = spawn_objects(objects, book, offset=(1000, 2000))
    places = [(round(x - 1000, 6), round(y - 2000, 6)) for x, y in (s.position for s in placed)]
    assert places[:7] == PLACES[kind]
    assert [each.rotation % 360 for each in placed[:7]] == [0, 0, 0, 0, 270, 270, 0]
    assert [getattr(each, "name", None) or each["name"] for each in placed.left] == ["hill"]
    assert book.counts(objects) == {book["orc"]: 8}


def _without_pictures(objects: list[Any]) -> list[Any]:
    for each in objects:
        properties = each.get("properties", {}) if isinstance(each, dict) else each.properties
        if isinstance(properties, list):
            properties[:] = [one for one in properties if one["name"] != "portrait"]
        else:
            properties.pop("portrait", None)
    return objects


@each_loader
def test_properties_are_spawn_data_as_the_hook_wants_them(
    write: Callable[[str], PrefabFile], load: Callable[[str], list[Any]], tmp_path: Path
) -> None:
    pygame.image.save(pygame.Surface((16, 32)), tmp_path / "orc.png")  # if no loader says where
    book = write("[orc]\nclass = 'Orc'\ndata = { hp = 31, speed = 4 }")
    arena = object()
    placed = spawn_objects(load("level"), book, data={"arena": arena, "others": 3, "speed": 8})
    first, second = placed[:2]
    assert first.got["portrait"].get_size() == (16, 32)
    del first.got["portrait"]
    assert first.got == {
        "hp": 5,
        "speed": 2.5,
        "tint": pygame.Color(255, 0, 1, 128),
        "title": "the first",
        "stats": None,
        "is_boss": True,
        "arena": arena,
    }
    assert (second.got["hp"], second.got["speed"], second.got["arena"]) == (31, 8, arena)


@each_loader
def test_spawn_options_are_properties_too(
    write: Callable[[str], PrefabFile],
    load: Callable[[str], list[Any]],
    system: PoolingSystem,
) -> None:
    placed = spawn_objects(_without_pictures(load("level")), write("[orc]\nclass = 'Orc'"))
    rect, guard = placed[1], placed[7]
    system.despawn(rect)
    assert not guard.active


def test_a_tile_object_has_the_properties_of_its_tile_where_the_loader_gives_them(
    write: Callable[[str], PrefabFile],
) -> None:
    placed = spawn_objects(_without_pictures(by_pytmx("level")), write("[orc]\nclass = 'Orc'"))
    assert [each.got["hp"] for each in placed] == [5, 30, 30, 44, 30, 44, 30, 30]


def test_templates_and_infinite_maps(write: Callable[[str], PrefabFile]) -> None:
    placed = spawn_objects(by_parser("infinite"), write("[orc]\nclass = 'Orc'"))
    assert [(each.position, each.got["hp"], each.got["speed"]) for each in placed] == [
        ((-30, -3), 7, 3.0),
        ((-10, 13), 77, 3.0),
    ]


def test_class_properties_are_tables(write: Callable[[str], PrefabFile]) -> None:
    level = pytmx.TiledMap()
    level.parse_json(json.loads((MAPS / "types.json").read_text()))
    level.parse_xml(ET.parse(MAPS / "classes.tmx").getroot())  # noqa: S314 - our own
    book = write("[orc]\nclass = 'Orc'")
    assert spawn_objects(level.objects, book)[0].got["stats"] == {"strength": 9, "wit": 2}
    plain = {"name": "orc", "x": 0, "y": 0, "properties": {"stats": {"strength": 9}}}
    assert spawn_objects([plain], book)[0].got["stats"] == {"strength": 9}


def test_entities_of_ldtk(write: Callable[[str], PrefabFile]) -> None:
    level = json.loads((MAPS / "level.ldtk").read_text())["levels"][0]
    entities = level["layerInstances"][0]["entityInstances"]
    placed = spawn_objects(entities, write("[orc]\nclass = 'Standing'"))
    assert (placed[0].position, placed[0].got["hp"]) == ((32, 64), 12)
    assert placed[0].got["tint"] == pygame.Color(255, 0, 1)
    assert placed.left == entities[1:]


def test_the_class_counts_before_the_name(write: Callable[[str], PrefabFile]) -> None:
    book = write("[orc]\n[imp]")
    objects = [{"name": "orc", "type": "imp", "x": 0, "y": 0}, {"name": "imp", "x": 0, "y": 0}]
    objects += [{"name": "imp", "class": "door", "x": 0, "y": 0}, {"x": 0, "y": 0}]
    placed = spawn_objects(objects, book)
    assert [each.prefab.name for each in placed] == ["imp", "imp", "imp"]
    assert placed.left == objects[3:]


def test_components_that_a_constructor_adds_take_properties(
    write: Callable[[str], PrefabFile],
) -> None:
    rider = {"name": "rider", "x": 0, "y": 0, "properties": {"legs": 3}}
    placed = spawn_objects([rider], write("[rider]\nclass = 'Rider'"))
    assert placed[0].get_component(Horse).legs == 3


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"hpp": 3}, r"object 7 'orc': hpp: 'hpp' is not known: did you mean 'hp'"),
    ({"hp": 3.5}, r"object 7 'orc': hp: expected a whole number, not 3\.5"),
    ({"position": [1, 2]}, r"object 7 'orc': position: 'position' is not known"),
    ({"groups": ["x"]}, r"object 7 'orc': groups: 'groups' is not known"),
    ({"persistent": "yes"}, r"object 7 'orc': persistent: expected true or false, not 'yes'"),
    ({"parent": "hil"}, r"object 7 'orc': parent: 'hil' is not known: did you mean 'hill'"),
    ({"parent": 3}, r"object 7 'orc': parent: '3' is not known"),
    ({"parent": "orc"}, r"object 7 'orc': parent: 'orc' is not known"),
    ({"portrait": "no.png"}, r"object 7 'orc': portrait: expected the path of a picture"),
]


@pytest.mark.parametrize(("properties", "said"), FAULTS)
def test_a_property_that_does_not_fit_is_told_before_anything_is_spawned(
    write: Callable[[str], PrefabFile],
    system: PoolingSystem,
    properties: dict[str, Any],
    said: str,
) -> None:
    book = write("[orc]\nclass = 'Orc'\n[hill]\n[needy]\nclass = 'Needy'")
    hill = {"name": "hill", "x": 0, "y": 0}
    bad = {"id": 7, "name": "orc", "x": 0, "y": 0, "properties": properties}
    needy = {"name": "needy", "x": 0, "y": 0}
    with pytest.raises(ContentError, match=said) as caught:
        spawn_objects([hill, bad, needy], book, data={"arena": 3})
    assert caught.value.faults[1:] == ("object 'needy': hp: needy requires it: give it a property",)
    assert not any(pool.capacity for pool in system.all_pools())


def test_a_map_is_named_in_a_fault(write: Callable[[str], PrefabFile]) -> None:
    with pytest.raises(ContentError, match=r"level\.tmx: object 1 'orc': hp: 'hp' is not known"):
        spawn_objects(by_pytmx("level"), write("[orc]"))


ORC = {"name": "orc", "x": 1, "y": 2}
ODD = [{"name": "orc"}, 3, None, {**ORC, "x": "a", "y": None}, {**ORC, "width": "a"}]
ODD += [{**ORC, "rotation": "b"}, {**ORC, "properties": 5}, {"__identifier": "orc"}]
ODD += [{"__identifier": "orc", "px": [1, 2], "fieldInstances": [{"x": 1}]}]


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_object_is_refused(write: Callable[[str], PrefabFile], odd: Any) -> None:
    with pytest.raises(ContentError, match="expected an object of a level, with x and y, not "):
        spawn_objects([odd], write("[orc]"))


def test_all_are_spawned_or_none(write: Callable[[str], PrefabFile], system: PoolingSystem) -> None:
    book = write("[orc]\npool.limit = 2")
    with pytest.raises(PoolExhaustedError) as caught:
        spawn_objects([{"name": "orc", "x": 0, "y": 0}] * 3, book)
    assert system.pool("orc").active_count == 0
    assert caught.value.__notes__[-1:] == ["spawning object 'orc'"]


def test_a_book_of_an_empty_folder_leaves_all_objects(tmp_path: Path) -> None:
    hill = {"name": "hill", "x": 0, "y": 0}
    for paths in ([tmp_path], []):
        assert spawn_objects([hill], PrefabFile(*paths, system=PoolingSystem())).left == [hill]
