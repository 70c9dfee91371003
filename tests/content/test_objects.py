"""Objects of level files become sprites: which, where, with what, whoever loaded the file."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
import pytest
import pytiled_parser
import pytmx
from hypothesis import given
from hypothesis import strategies as st

from poolkit import PooledSprite, PoolExhaustedError, PoolingSystem
from poolkit.content import ContentError, PrefabFile, spawn_objects
from poolkit.content.export import read_level

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


class Imp(PooledSprite):
    hp: int = 30
    speed: float = 60.0
    tint: pygame.Color = pygame.Color("red")
    size: tuple[float, float] = (0, 0)
    loot: list[str] = []  # noqa: RUF012 - each life gets a copy


class Standing(Orc):
    anchor = "midbottom"


class Needy(PooledSprite):
    def spawned(self, hp: int, arena: Any) -> None:
        self.got = {"hp": hp, "arena": arena}


class Seer(PooledSprite):
    def spawned(self, obj: Any, size: tuple[float, float], image: Any = None, hp: int = 1) -> None:
        self.got = {"obj": obj, "size": size, "image": image, "hp": hp}


class Anyhow(PooledSprite):
    def spawned(self, **data: Any) -> None:
        self.got = data


class StandingAnyhow(Anyhow):
    anchor = "midbottom"


def make_nothing() -> Needy:
    message = "no"
    raise RuntimeError(message)


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
        classes: list[Any] = [
            Imp,
            Orc,
            Standing,
            Needy,
            Seer,
            Anyhow,
            make_standing,
            make_nothing,
        ]
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


def test_faults_of_entities_say_where_they_are(write: Callable[[str], PrefabFile]) -> None:
    fields = [{"__identifier": "hpp", "__value": 3}, {"__identifier": "name", "__value": "Bo"}]
    entity = {"__identifier": "orc", "px": [3, 4], "iid": "a-long-number", "fieldInstances": fields}
    with pytest.raises(ContentError, match=r"^object orc at 3, 4 'Bo': hpp: 'hpp' is not known"):
        spawn_objects([entity], write("[orc]\nclass = 'Orc'"))


def test_objects_of_any_class_do(write: Callable[[str], PrefabFile]) -> None:
    book = write("[orc]\nclass = 'Seer'")
    shape = {"name": 5, "class_": "orc", "x": 3, "y": 4, "width": 8, "height": 6}
    rect = SimpleNamespace(**shape, properties={"hp": 3})
    polygon = SimpleNamespace(**shape, points=[(0, 0), (8, 6)], properties=[])
    placed = spawn_objects([rect, polygon], book)
    assert [(sprite.position, sprite.got["size"]) for sprite in placed] == [
        ((7, 7), (8, 6)),
        ((3, 4), (0, 0)),
    ]
    assert [(sprite.got["obj"], sprite.got["hp"]) for sprite in placed] == [(rect, 3), (polygon, 1)]


def test_what_can_not_be_built_is_a_fault(write: Callable[[str], PrefabFile]) -> None:
    objects = [{"name": "any", "x": 0, "y": 0, "properties": {"legs": 3}}]
    with pytest.raises(ContentError, match=r"'any': class: it can't be built: RuntimeError: no"):
        spawn_objects(objects, write("[any]\nclass = 'make_nothing'"))


# A tile with a class, a property, an animation and a shape to collide with, drawn in an editor.
REAL = """<map version="1.10" tiledversion="1.10.2" orientation="orthogonal"
 renderorder="right-down" width="2" height="1" tilewidth="16"
 tileheight="16" infinite="0" nextlayerid="3" nextobjectid="9">
 <tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="2" columns="2">
  <image source="tiles.png" width="32" height="16"/>
  <tile id="0" type="any" probability="0.5">
   <properties><property name="hp" type="int" value="4"/></properties>
   <objectgroup><object id="1" x="2" y="2" width="8" height="8"/></objectgroup>
   <animation><frame tileid="0" duration="9"/><frame tileid="1" duration="9"/></animation>
  </tile>
 </tileset>
 <objectgroup id="2" name="Objects">
  <object id="1" name="orc" type="any" x="10" y="20" width="40" height="20">{plain}</object>
  <object id="2" name="tile" type="any" gid="1" x="30" y="80" width="16" height="16">{tile}</object>
 </objectgroup>
</map>"""


def loaded(loader: str, folder: Path, plain: dict[str, str], tile: dict[str, str]) -> list[Any]:
    """Return the objects of the map, with these properties, as a loader has them."""
    written = []
    for properties in (plain, tile):
        inner = [f'<property name="{name}" value="{value}"/>' for name, value in properties.items()]
        written.append(f"<properties>{''.join(inner)}</properties>")
    pygame.image.save(pygame.Surface((32, 16)), folder / "tiles.png")
    path = folder / "real.tmx"
    path.write_text(REAL.format(plain=written[0], tile=written[1]))
    if loader == "pytmx":
        pygame.display.set_mode((64, 64))
        level = pytmx.load_pygame(str(path), allow_duplicate_names=True)
        return list(level.get_layer_by_name("Objects"))  # the shapes of tiles are in a layer, too
    layer: Any = pytiled_parser.parse_map(path).layers[0]
    return list(layer.tiled_objects)


each_library = pytest.mark.parametrize("loader", ["pytmx", "pytiled_parser"])


@each_library
def test_a_hook_may_have_the_object_its_size_and_its_picture(
    write: Callable[[str], PrefabFile], loader: str, tmp_path: Path
) -> None:
    objects = loaded(loader, tmp_path, {}, {})
    book = write("[any]\nclass = 'Seer'")
    placed = spawn_objects(objects, book, scale=3, offset=(1, 2))
    assert [sprite.got["obj"] for sprite in placed] == objects
    assert [sprite.got["size"] for sprite in placed] == [(120, 60), (48, 48)]
    pictures = [objects[1].image.get_size()] if loader == "pytmx" else []
    images = [sprite.got["image"] for sprite in placed]
    assert [image.get_size() for image in images if image is not None] == pictures
    assert [sprite.position for sprite in placed] == [(91, 92), (115, 218)]
    (other,) = spawn_objects(objects[:1], book, data={"size": (3, 4), "hp": 6})
    assert (other.got["size"], other.got["hp"]) == ((3, 4), 6)  # data of the game comes first


def test_a_function_says_which_prefab_an_object_is(
    write: Callable[[str], PrefabFile], tmp_path: Path
) -> None:
    book = write("[orc]\n[any]\nclass = 'Orc'")
    objects = loaded("pytmx", tmp_path, {}, {})

    def name(obj: Any) -> str | None:
        return None if obj.gid else "orc"

    placed = spawn_objects(objects, book, name=name)
    assert [sprite.prefab.name for sprite in placed] == ["orc"]
    assert placed.left == objects[1:]
    assert book.counts(objects, name=name) == {book["orc"]: 1}
    for call in (spawn_objects, lambda objects, book, name: book.counts(objects, name=name)):
        with pytest.raises(ContentError, match=r"object 1 'orc': name: 'orcs' is not known: did y"):
            call(objects, book, name=lambda _: "orcs")
        odd: Any = lambda _: ["orc"]  # noqa: E731
        with pytest.raises(ContentError, match=r"object 1 'orc': name: .* is not known"):
            call(objects, book, name=odd)


def test_properties_to_ignore_need_no_hook_but_reach_one_that_names_them(
    write: Callable[[str], PrefabFile],
) -> None:
    book = write("[orc]\nclass = 'Orc'\n[seer]\nclass = 'Seer'\n[any]\nclass = 'Anyhow'")
    objects = [
        {"name": name, "x": 0, "y": 0, "properties": {"hp": 5, "speed": 2.0, "sound": "x"}}
        for name in ("orc", "seer", "any")
    ]
    with pytest.raises(ContentError) as caught:
        spawn_objects(objects, book)
    assert len(caught.value.faults) == 3  # of the first, sound; of the second, speed, too
    orc, seer, anyhow = spawn_objects(objects, book, ignore=["speed", "sound", "never there"])
    assert (orc.got["hp"], orc.got["speed"], seer.got["hp"]) == (5, 2.0, 5)
    assert anyhow.got == {"hp": 5}
    with pytest.raises(TypeError, match=r"ignore is a list of names, as \['speed'\]"):
        spawn_objects(objects, book, ignore="speed")


def test_a_name_that_a_hook_means_otherwise_is_data_like_any(
    system: PoolingSystem, tmp_path: Path
) -> None:
    class Sized(PooledSprite):
        def spawned(self, size: str = "small", image: int = 0, obj: str = "", hp: int = 0) -> None:
            self.got = size, image, obj, hp

    path = tmp_path / "sized.toml"
    path.write_text("[any]\nclass = 'Sized'")
    book = PrefabFile(path, classes=[Sized], system=system)
    placed = spawn_objects(loaded("pytmx", tmp_path, {"size": "big"}, {}), book)
    assert [sprite.got for sprite in placed] == [("big", 0, "", 0), ("small", 0, "", 4)]


def test_a_level_that_is_read_again_costs_no_look_at_a_signature(
    write: Callable[[str], PrefabFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    book = write("[orc]\nclass = 'Orc'\n[seer]\nclass = 'Seer'")
    objects = [
        {"name": name, "x": 0, "y": 0, "properties": {"hp": number}}
        for number in range(50)
        for name in ("orc", "seer")
    ]
    spawn_objects(objects, book)
    monkeypatch.setattr("poolkit.content.prefab_file.Recipe.accepted_data", None)
    assert [sprite.got["hp"] for sprite in spawn_objects(objects, book)[::2]] == list(range(50))


FAULTS: list[tuple[dict[Any, Any], str]] = [
    ({"hpp": 3}, r"object 7 'orc': hpp: 'hpp' is not known: did you mean 'hp'"),
    ({"hp": 3.5}, r"object 7 'orc': hp: expected a whole number, not 3\.5"),
    ({"speed": float("nan")}, r"object 7 'orc': speed: expected a number, not nan"),
    ({"prefab": 3}, r"object 7 'orc': prefab: 'prefab' is not known"),
    ({"position": [1, 2]}, r"object 7 'orc': position: 'position' is not known"),
    ({"groups": ["x"]}, r"object 7 'orc': groups: 'groups' is not known"),
    ({"persistent": "yes"}, r"object 7 'orc': persistent: expected true or false, not 'yes'"),
    ({"parent": "hil"}, r"object 7 'orc': parent: 'hil' is not known: did you mean 'hill'"),
    ({3: 4}, r"object 7 'orc': 3: '3' is not known"),
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
    needs = "class = 'Needy'"  # of which one gets it from the file
    book = write(f"[orc]\nclass = 'Orc'\n[hill]\n[needy]\n{needs}\n[fed]\n{needs}\ndata.hp = 3")
    hill, needy, fed = ({"name": name, "x": 0, "y": 0} for name in ("hill", "needy", "fed"))
    bad = {"id": 7, "name": "orc", "x": 0, "y": 0, "properties": properties}
    with pytest.raises(ContentError, match=said) as caught:
        spawn_objects([hill, bad, needy, fed], book, data={"arena": 3})
    assert caught.value.faults[1:] == ("object 'needy': hp: needy requires it: give it a property",)
    assert not any(pool.capacity for pool in system.all_pools())


def test_a_map_is_named_in_a_fault(write: Callable[[str], PrefabFile]) -> None:
    with pytest.raises(ContentError, match=r"level\.tmx: object 1 'orc': hp: 'hp' is not known"):
        spawn_objects(by_pytmx("level"), write("[orc]"))


ORC = {"name": "orc", "x": 1, "y": 2}
ODD = [{"name": "orc"}, 3, None, {**ORC, "x": "a", "y": None}, {**ORC, "width": "a"}]
ODD += [
    {**ORC, "x": 10**400, "width": 1.0},
    {**ORC, "rotation": "b"},
    {**ORC, "properties": 5},
    {"__identifier": "orc"},
]
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


def test_properties_give_fields(write: Callable[[str], PrefabFile]) -> None:
    book = write('[imp]\nclass = "Imp"\ndata.speed = 3')
    goods = {"hp": 4, "tint": "#0000ff", "loot": ["axe"]}
    objects = [{"name": "imp", "x": 1, "y": 2, "width": 8, "height": 6}] * 2
    one, other = spawn_objects([{**objects[0], "properties": goods}, objects[1]], book, scale=2)
    assert (one.hp, one.speed, one.tint, one.size) == (4, 3.0, pygame.Color("blue"), (16, 12))
    assert (one.loot, other.loot, other.hp) == (["axe"], [], 30)
    one.loot.append("gold")
    assert goods["loot"] == ["axe"]
    with pytest.raises(ContentError, match="'imp': hp: expected a whole number, not 'many'"):
        spawn_objects([{**objects[0], "properties": {"hp": "many"}}], book)


# -- any map, whoever reads it ------------------------------------------------------------------

_PROPERTIES = {  # by type in Tiled: what a map may say, and what a hook then gets
    "int": st.integers(-9, 9),
    "float": st.floats(-9, 9).map(lambda number: round(number, 2) + 0.005),
    "bool": st.booleans(),
    "string": st.text("ab <&'\"", max_size=4),
}
# Loaders have attributes that are called like most of them.
_NAMES = ["hp", "size", "path", "id", "x", "points", "name", "gid", "image", "frames", "source"]
_MAP_OBJECTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["any", "any", "standing", "", "hill"]),
        "shape": st.sampled_from(["", "point", "ellipse", "polygon", "polyline", "tile"]),
        "place": st.tuples(st.integers(-50, 50), st.integers(-50, 50)),
        "size": st.tuples(st.integers(1, 40), st.integers(1, 40)),
        "rotation": st.sampled_from([0, 90, -45.5, 180]),
        "properties": st.dictionaries(
            st.sampled_from(_NAMES),
            st.sampled_from(sorted(_PROPERTIES)).flatmap(
                lambda kind: st.tuples(st.just(kind), _PROPERTIES[kind])
            ),
            max_size=3,
        ),
    }
)


def _written(number: int, each: dict[str, Any]) -> str:
    """Return an object as Tiled writes it."""
    (x, y), (width, height), shape = each["place"], each["size"], each["shape"]
    node = ET.Element("object", id=str(number), x=str(x), y=str(y))
    for key in ("type", "rotation"):
        if each[key]:
            node.set(key, str(each[key]))
    if shape not in {"point", "polygon", "polyline"}:
        node.set("width", str(width))
        node.set("height", str(height))
    if shape == "tile":
        node.set("gid", "1")
    elif shape:
        inner = ET.SubElement(node, shape)
        if shape.startswith("poly"):
            inner.set("points", f"0,0 {width},{height} 0,{height}")
    properties = ET.SubElement(node, "properties")
    for name, (kind, value) in each["properties"].items():
        text = str(value).lower() if kind == "bool" else str(value)
        ET.SubElement(properties, "property", name=name, type=kind, value=text)
    return ET.tostring(node, "unicode")


@given(st.lists(_MAP_OBJECTS, max_size=6))
def test_any_map_is_the_same_whoever_reads_it(
    tmp_path_factory: pytest.TempPathFactory, objects: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    path = folder / "random.tmx"
    nodes = "".join(_written(number, each) for number, each in enumerate(objects, start=1))
    head, _, _ = REAL.partition(' <objectgroup id="2"')
    path.write_text(f'{head}<objectgroup id="2" name="Objects">{nodes}</objectgroup></map>')
    pygame.image.save(pygame.Surface((32, 16)), folder / "tiles.png")
    (folder / "random.toml").write_text(
        "[any]\nclass = 'Anyhow'\n[standing]\nclass = 'StandingAnyhow'"
    )
    level: Any = pytmx.TiledMap(str(path), allow_duplicate_names=True)
    layer: Any = pytiled_parser.parse_map(path).layers[0]
    by_loader = [level.get_layer_by_name("Objects"), layer.tiled_objects, read_level(path)]
    placed = []
    for loaded_objects in by_loader:
        system = PoolingSystem()
        classes = [Anyhow, StandingAnyhow]
        book = PrefabFile(folder / "random.toml", classes=classes, system=system)
        sprites = spawn_objects(list(loaded_objects), book, offset=(5, 5), scale=2)
        placed.append(
            [
                (
                    sprite.prefab.name,
                    [round(part, 6) for part in sprite.position],
                    sprite.rotation,
                    # Not every loader gives what the tile says.
                    {name: value for name, value in sprite.got.items() if name != "hp"},
                )
                for sprite in sprites
            ]
        )
        assert len(sprites) + len(sprites.left) == len(objects)
    # A tile object without a class of its own has the tile's, where the loader gives it.
    if not any(each["shape"] == "tile" and not each["type"] for each in objects):
        assert placed[0] == placed[1] == placed[2]
