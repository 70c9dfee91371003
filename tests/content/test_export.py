"""The shell: faults of files and levels, a JSON schema, Tiled's types."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from poolkit.content import ContentError
from poolkit.content.export import read_level
from poolkit.devtools.shell import main

MAPS = Path(__file__).parent / "maps"
GAME = """
import pathlib
from typing import Literal
import pygame
from poolkit import IPoolableComponent, PooledSprite, PoolingSystem
from poolkit.content import PrefabFile

class Health(IPoolableComponent):
    def __init__(self, maximum: int = 3):
        self.maximum = maximum
    def spawned(self, shield: int = 1):
        pass

class Orc(PooledSprite):
    hp: int = 30
    route: list[int] = []
    _anger: float = 0.0

    def spawned(self, speed: float = 2.0, title: str = "", is_boss: bool = False,
                tint: pygame.Color | None = None, portrait: pygame.Surface | None = None,
                size: Literal["small", "big"] = "small", loot: tuple[str, ...] = (),
                target: PooledSprite | None = None, image: pygame.Surface | None = None,
                obj: object = None):
        pass

def book():
    folder = pathlib.Path(__file__).parent
    return PrefabFile(folder / "monsters.toml", classes=[Orc, Health],
                      groups={"monsters": pygame.sprite.Group()}, system=PoolingSystem())
"""
GOOD = """
[budgets]
fx = 40

[orc]
class = "Orc"
groups = ["monsters"]
build = { image = "orc.png" }
pool = { limit = 4, budget = "fx", overflow = "recycle_oldest" }
data = { hp = 31, speed = 3, tint = "#80ff0001", loot = ["axe"] }
persistent = true
components.Health.maximum = 4

[captain]
variant_of = "orc"
data = { size = "big", shield = 2 }
"""
BAD = [
    'class = "Ork"',
    "clas = 'Orc'",
    "groups = ['others']",
    "pool = { limits = 3 }",
    "pool.budget = 3",
    "[budgets]\nfx = -1",
    "persistent = 1",
    "components.Helth = {}",
    "components.Health.maximum = 'x'",
    "class = 'Orc'\ndata.hp = 'x'",
    "class = 'Orc'\ndata.hp = 3.5",
    "class = 'Orc'\ndata.route = ['x']",
    "class = 'Orc'\ndata._anger = 1.0",
    "class = 'Orc'\ndata.size = 'huge'",
    "class = 'Orc'\ndata.loot = [3]",
    "class = 'Orc'\ndata.target = 'x'",
    "data.hpp = 3",
    "class = 'Orc'\nbuild.images = 'orc.png'",
]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the target of a game of a file of its own."""
    shutil.copytree(MAPS, tmp_path, dirs_exist_ok=True)
    name = f"game_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(GAME)
    (tmp_path / "monsters.toml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return f"{name}:book"


def test_check_tells_that_all_is_well(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    levels = ["level.tmx", "level.tmj", "infinite.tmx", "level.ldtk"]
    assert main(["content", "check", game, *levels]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "level.tmx: no prefab: hill",
        "level.tmj: no prefab: hill",
        "level.ldtk: no prefab: Hill",
        f"{game}: 2 prefabs, no fault",
    ]


def test_check_tells_faults_of_files_and_of_levels(
    game: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    level = tmp_path / "level.tmx"
    level.write_text(level.read_text().replace('name="hp" type="int" value="5"', 'name="hpp"'))
    assert main(["content", "check", game, "level.tmx"]) == 1
    assert (
        "poolkit content: level.tmx: object 1 'orc': hpp: 'hpp' is not known: did you mean 'hp'"
        in (capsys.readouterr().err)
    )
    (tmp_path / "monsters.toml").write_text("[orc]\ndata.hp = 3\npool.limits = 3")
    assert main(["content", "check", game]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("poolkit content: monsters.toml:2: orc.data.hp: ")
    assert second.startswith("poolkit content: monsters.toml:3: orc.pool.limits: ")


TSX = """<tileset name="tiles" tilewidth="8" tileheight="8" tilecount="2" columns="2">
  <tile id="1" type="orc"><properties><property name="hp" type="int" value="9"/></properties>
  <objectgroup><object id="1" name="its shape" x="0" y="0"/></objectgroup></tile></tileset>"""
TSJ = {"tiles": [{"id": 1, "type": "orc", "properties": [{"name": "hp", "value": 9}]}]}
TEMPLATE = """<template><tileset firstgid="4" source="{}"/>
  <object name="one" gid="5" width="8" height="8"/></template>"""
FLIPPED = 0x80000000 + 12
OBJECTS: list[dict[str, Any]] = [
    {"id": 1, "x": 8, "y": 8, "gid": 12},
    {"id": 2, "x": 8, "y": 8, "gid": FLIPPED},
    {"id": 3, "x": 8, "y": 8, "gid": 12, "type": "captain"},
    {"id": 4, "x": 8, "y": 8, "gid": 11},
    {"id": 5, "x": 8, "y": 8, "template": "one.tx"},
]


@pytest.mark.parametrize("source", ["", "tiles.tsx", "tiles.tsj"])
@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_an_object_that_shows_a_tile_has_the_class_and_the_properties_of_the_tile(
    tmp_path: Path, source: str, suffix: str
) -> None:
    (tmp_path / "tiles.tsx").write_text(TSX)
    (tmp_path / "tiles.tsj").write_text(json.dumps(TSJ))
    level, template = tmp_path / f"level.{suffix}", tmp_path / "one.tx"
    if suffix == "tmx":
        template.write_text(TEMPLATE.format(source or "tiles.tsx"))
        said = [[f'{key}="{value}"' for key, value in each.items()] for each in OBJECTS]
        given = "".join(f"<object {' '.join(each)}/>" for each in said)
        inner = TSX.replace("<tileset", '<tileset firstgid="11"')
        tiles = f'<tileset firstgid="11" source="{source}"/>' if source else inner
        level.write_text(f"<map>{tiles}<objectgroup>{given}</objectgroup></map>")
    else:
        one = {"name": "one", "gid": 5, "width": 8, "height": 8}
        tileset = {"firstgid": 4, "source": source or "tiles.tsj"}
        template.write_text(json.dumps({"tileset": tileset, "object": one}))
        own = {"firstgid": 11, **({"source": source} if source else TSJ)}
        level.write_text(json.dumps({"tilesets": [own], "layers": [{"objects": OBJECTS}]}))
    orc = "orc", {"hp": 9}
    found = [(each["type"], each["properties"]) for each in read_level(level)]
    assert found == [orc, orc, ("captain", {"hp": 9}), ("", {}), orc]


@pytest.mark.parametrize("content", ["", "<map", "{}", "[]", '{"levels": [3]}', "\x00"])
@pytest.mark.parametrize("suffix", ["tmx", "tmj", "ldtk"])
def test_a_file_that_is_no_level_is_a_fault(tmp_path: Path, content: str, suffix: str) -> None:
    path = tmp_path / f"level.{suffix}"
    path.write_text(content)
    try:
        assert read_level(path) == []
    except ContentError as error:
        assert f"level.{suffix}: it can't be read as a level" in str(error)  # noqa: PT017


@pytest.mark.parametrize("target", ["book", "{module}:Orc", "{module}:boook", "nothing:book"])
def test_what_is_no_book_can_not_be_checked(
    game: str, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module, _ = game.split(":")
    assert main(["content", "check", target.format(module=module)]) == 2
    assert capsys.readouterr().err.startswith("poolkit content: ")


def test_the_schema_takes_good_files_and_refuses_bad_ones(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["content", "schema", game]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(GOOD), schema)
    for text in BAD:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(f"[orc]\n{text}"), schema)
    hp = schema["additionalProperties"]["allOf"][1]["then"]["properties"]["data"]["properties"][
        "hp"
    ]
    assert hp == {"type": "integer", "description": "a whole number", "default": 30}


def test_tiled_gets_a_class_for_each_prefab(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["content", "tiled", game]) == 0
    orc, captain = json.loads(capsys.readouterr().out)
    assert (orc["id"], orc["name"], orc["type"], captain["name"]) == (1, "orc", "class", "captain")
    assert set(orc["useAs"]) == {"object", "property", "tile"}
    members = [tuple(each[key] for key in ("name", "type", "value")) for each in orc["members"]]
    assert members == [
        ("speed", "float", 3.0),
        ("title", "string", ""),
        ("is_boss", "bool", False),
        ("tint", "color", "#80ff0001"),
        ("portrait", "file", ""),
        ("size", "string", "small"),
        ("hp", "int", 31),
        ("shield", "int", 1),
    ]
    by_name = {each["name"]: each["value"] for each in captain["members"]}
    assert (by_name["size"], by_name["shield"]) == ("big", 2)
