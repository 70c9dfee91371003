"""Prefabs in files: read whole or not at all, with every fault in its place, and read again."""

from __future__ import annotations

import contextlib
import enum
import logging
import os
import re
import tomllib
from collections.abc import Callable, Sequence  # noqa: TC003 - annotations are looked at
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, SupportsAbs

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolError,
    PoolingSystem,
    Prefab,
    PrefabError,
    RecycleLowest,
)
from poolkit.content import ContentError, PrefabFile
from poolkit.content.prefab_file import RecipeReader
from poolkit.content.toml_file import TomlFile
from poolkit.core.seams import context_of

if TYPE_CHECKING:
    NeverImported = int


class Mood(enum.Enum):
    CALM = 1
    ANGRY = 2


class Health(IPoolableComponent):
    def __init__(self, maximum: int = 10) -> None:
        self.maximum = maximum

    def spawned(self, shield: int = 0) -> None:
        self.shield = shield


class Orc(PooledSprite):
    def spawned(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - a kind of value each
        self,
        hp: int = 30,
        speed: float = 60.0,
        loot: tuple[str, ...] = (),
        mood: Mood = Mood.CALM,
        size: Literal["small", "big", 3] = "small",
        tint: pygame.Color | None = None,
        velocity: pygame.Vector2 = pygame.Vector2(),  # noqa: B008 - each life gets a copy
        home: tuple[float, float] = (0, 0),
        portrait: pygame.Surface | None = None,
        minion: Prefab[Any] | None = None,
        amount: int | str = 0,
        flag: Literal[1, True] = 1,
        prices: dict[str, int] | None = None,
        tags: set[str] | None = None,
        route: Sequence[tuple[int, int]] = (),
        *,
        is_boss: bool = False,
        target: PooledSprite | None = None,
        anything=None,  # noqa: ANN001 - without an annotation
        unknown: NeverImported = 0,
        position: Any = None,
    ) -> None:
        self.got = {name: value for name, value in locals().items() if name != "self"}


class Captain(Orc):
    """Inherits its hook."""


class Armoured(PooledSprite):
    def __init__(self, image: Any = None) -> None:
        super().__init__(image)
        self.add_component(Health(5))


class Anyhow(PooledSprite):
    def spawned(self, hp: int = 1, **others: Any) -> None:
        self.got = {"hp": hp, **others}


class Picky(PooledSprite):
    def __init__(self, teeth: int, *, colour: str = "red") -> None:
        super().__init__()
        self.teeth, self.colour = teeth, colour


def make_shield(strength: float = 1.0) -> Health:
    return Health(int(strength))


class Worth(IPoolableComponent):
    def spawned(self, price: int = 0) -> None:
        self.price = price


class Chief(Orc):
    def spawned(  # type: ignore[override]
        self, rage: int = 1, **data: Any
    ) -> None:
        super().spawned(is_boss=True, **data)
        self.rage = self.worth = rage


class Ruler(Chief):
    def __init__(self, crown: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.crown = crown

    def spawned(self, **data: Any) -> None:  # type: ignore[override]
        super().spawned(**data)


class Burns(IPoolableComponent):
    heat: float = 1.0

    def spawned(self, fuel: int = 1) -> None:
        self.fuel = fuel


class Freezes(IPoolableComponent):
    def spawned(self, cold: int = 1) -> None:
        self.chill = cold


class Imp(Burns, Freezes, PooledSprite):
    class Tail(enum.Enum):
        LONG = 1
        SHORT = 2

    hp: int = 30
    speed: float = 60.0
    loot: list[str] = []  # noqa: RUF012 - each life gets a copy
    velocity: pygame.Vector2 = pygame.Vector2(1, 1)
    tail: Tail = Tail.LONG
    teeth: Annotated[int, "pairs"] = 2
    area: pygame.FRect = pygame.FRect(0, 0, 1, 1)
    when_hit: Callable[[int], str] | None = None
    weight: SupportsAbs[int] | None = None
    target: PooledSprite | None = None
    unknown: NeverImported = 0
    kills: ClassVar[int] = 0
    _anger: float = 0.0
    no_default: int

    def spawned(self, hp: int, title: str = "") -> None:  # type: ignore[override]
        self.got = {"hp": hp, "title": title}


class Elder(Imp):
    hp = 50
    heat: int = 2  # narrower than its base's


CLASSES: list[Callable[..., Any]] = [
    *(
        Imp,
        Elder,
        Burns,
        Orc,
        Captain,
        Chief,
        Ruler,
        Worth,
        Health,
        Armoured,
        Anyhow,
        Picky,
        make_shield,
    ),
]


class Kit:
    """A folder of files, a book of them, and a system."""

    def __init__(self, folder: Path, system: PoolingSystem) -> None:
        self.folder, self.system = folder, system
        self.monsters = pygame.sprite.Group[Any]()
        self.files: list[Path] = []
        pygame.image.save(pygame.Surface((4, 6)), self.write("orc.png", ""))
        self.write("broken.png", "no picture")
        self.files.clear()
        self.turn = 0

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        if path not in self.files:
            self.files.append(path)
        else:  # clocks of files are coarse
            self.turn += 1
            os.utime(path, ns=(self.turn * 10**9, self.turn * 10**9))
        return path

    def book(self, *texts: str, **options: Any) -> PrefabFile:
        for text, name in zip(texts, "abc", strict=False):
            self.write(f"{name}.toml", text)
        given: dict[str, Any] = {
            "classes": CLASSES,
            "groups": {"monsters": self.monsters},
            "system": self.system,
        }
        return PrefabFile(*self.files, **given | options)

    def faults(self, *texts: str, **options: Any) -> list[str]:
        known = list(context_of(self.system).registry.prefabs)
        with pytest.raises(ContentError) as caught:
            self.book(*texts, **options)
        assert list(context_of(self.system).registry.prefabs) == known  # nothing of it was taken
        return list(caught.value.faults)


@pytest.fixture
def kit(tmp_path: Path, system: PoolingSystem) -> Kit:
    return Kit(tmp_path, system)


WHOLE = """
[orc]
class = "Orc"
groups = ["monsters"]
build = { image = "orc.png" }
pool = { prespawn = 2, limit = 5, overflow = { recycle_lowest = "rect.x" } }
data = { hp = 31, speed = 80, loot = ["gold", "axe"] }
persistent = true
[orc.components.Health]
maximum = 30

[captain]
variant_of = "orc"
data = { hp = 90, shield = 4 }
components.Health.maximum = 70
"""


def test_a_file_says_class_arguments_components_groups_pool_and_data(kit: Kit) -> None:
    book = kit.book(WHOLE)
    assert list(book) == ["orc", "captain"]
    orc = kit.system.spawn("orc", (5, 6), hp=7)
    assert orc.prefab is book["orc"]
    assert (orc.got["hp"], orc.got["speed"], orc.got["loot"]) == (7, 80.0, ("gold", "axe"))
    assert isinstance(orc.got["speed"], float)
    assert orc.image.get_size() == (4, 6)
    assert orc in kit.monsters
    assert orc.get_component(Health).maximum == 30
    pool = kit.system.pool("orc")
    assert (pool.settings.limit, pool.capacity) == (5, 2)
    assert isinstance(pool.settings.overflow, RecycleLowest)
    assert callable(pool.settings.overflow.key)
    assert pool.settings.overflow.key(orc) == orc.rect.x
    assert book["orc"].persistent
    captain = kit.system.spawn("captain")
    assert (captain.got["hp"], captain.got["speed"]) == (90, 80.0)
    assert captain.get_component(Health).maximum == 70
    assert captain.get_component(Health).shield == 4
    assert captain in kit.monsters
    with pytest.raises(KeyError, match="did you mean 'captain'"):
        book["captian"]


VALUES: list[tuple[str, Any]] = [
    ("hp = 3", 3),
    ("speed = 3", 3.0),
    ("speed = 3.5", 3.5),
    ("speed = inf", float("inf")),
    ('loot = ["a", "b"]', ("a", "b")),
    ('mood = "ANGRY"', Mood.ANGRY),
    ('size = "big"', "big"),
    ("size = 3", 3),
    ("flag = 1", 1),
    ("flag = true", True),
    ('tint = "gold"', pygame.Color("gold")),
    ('tint = "#80ff0001"', pygame.Color(255, 0, 1, 128)),  # as Tiled writes it
    ("tint = [1, 2, 3]", pygame.Color(1, 2, 3)),
    ("velocity = [3, 4.5]", pygame.Vector2(3, 4.5)),
    ("home = [3, 4]", (3.0, 4.0)),
    ("amount = 4", 4),
    ('amount = "all"', "all"),
    ("prices = { axe = 4 }", {"axe": 4}),
    ('tags = ["a", "a"]', {"a"}),
    ("route = [[1, 2], [3, 4]]", [(1, 2), (3, 4)]),
    ("is_boss = true", True),
    ("anything = { a = [1, 2.5, 'x'] }", {"a": [1, 2.5, "x"]}),
    ('unknown = "whatever"', "whatever"),
]


FIELDS: list[tuple[str, Any]] = [
    ("heat = 2", 2.0),
    ('tail = "SHORT"', Imp.Tail.SHORT),
    ("teeth = 4", 4),
    ("area = [1, 2, 3, 4.5]", pygame.FRect(1, 2, 3, 4.5)),
]


@pytest.mark.parametrize(("kind", "hp"), [("Imp", 30), ("Elder", 50)])
def test_a_required_parameter_may_be_a_field_and_mixins_take_data_too(
    kit: Kit, kind: str, hp: int
) -> None:
    kit.book(f'[imp]\nclass = "{kind}"\ndata = {{ fuel = 7, cold = 8, title = "x" }}')
    imp = kit.system.spawn("imp")
    assert (imp.got, imp.fuel, imp.chill) == ({"hp": hp, "title": "x"}, 7, 8)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        *(("Captain", *each) for each in VALUES),  # by the hook of its base
        *(("Imp", *each) for each in FIELDS),
    ],
)
def test_a_value_is_what_the_annotation_says(kit: Kit, kind: str, text: str, value: Any) -> None:
    kit.book(f'[orc]\nclass = "{kind}"\n[orc.data]\n{text}\n')
    orc, name = kit.system.spawn("orc"), text.partition(" ")[0]
    got = getattr(orc, name) if kind == "Imp" else orc.got[name]
    assert got == value
    assert type(got) is type(value)


def test_pictures_and_prefabs_are_named(kit: Kit) -> None:
    first = '[orc]\nclass = "Orc"\ndata = { portrait = "orc.png", minion = "imp" }\n'
    book = kit.book(first + "build.image = 'orc.png'", "[imp]")
    orc = kit.system.spawn("orc")
    assert orc.got["minion"] is book["imp"]
    assert orc.got["portrait"] is orc.image  # loaded once


ONE = '[orc]\nclass = "Orc"\n'
FAULTS: list[tuple[str, str]] = [
    ("[orc]\nclas = 'Orc'", r"a.toml:2: orc.clas: 'clas' is not known: did you mean 'class'"),
    ("orc = 3", r"a.toml:1: orc: expected a table of a prefab, as \[orc\], not 3"),
    ("['']", r"a.toml:1: : a prefab needs a name"),
    ("\n\n[orc", r"a.toml:3: .*end of document"),
    ("x = " + "[" * 5000, r"a.toml:1: .*recursion"),
    ("[orc]\nclass = 'Ork'", r"a.toml:2: orc.class: 'Ork' is not known: did you mean 'Orc'"),
    ("[orc]\nclass = ['Orc']", r"a.toml:2: orc.class: .* is not known"),
    ("[orc]\ngroups = ['monster']", r"a.toml:2: orc.groups: .*did you mean 'monsters'"),
    ("[orc]\ngroups = 'monsters'", r"orc.groups: expected a list of the names of groups"),
    ("[orc]\npersistent = 1", r"a.toml:2: orc.persistent: expected true or false, not 1"),
    ("[orc]\ndata = 3", r"a.toml:2: orc.data: expected a table, as \{ hp = 30 \}, not 3"),
    ("[orc]\nvariant_of = 'ork'", r"a.toml:2: orc.variant_of: .*did you mean 'orc'"),
    ("[orc]\nvariant_of = ['ork']", r"a.toml:2: orc.variant_of: .* is not known"),
    (
        "[a]\nvariant_of = 'b'\n[b]\nvariant_of = 'a'",
        r"a.toml:2: a.variant_of: it is a variant of itself: a -> b -> a",
    ),
    (ONE + "[orc.components]\nHelth = {}", r"a.toml:4: orc.components.Helth: .*mean 'Health'"),
    (ONE + "components.Health = 3", r"orc.components.Health: expected a table of its arguments"),
    (ONE + "[orc.data]\n\nhpp = 3", r"a.toml:5: orc.data.hpp: .*did you mean 'hp'"),
    (ONE + "data.hp = 3.5", r"a.toml:3: orc.data.hp: expected a whole number, not 3.5"),
    (ONE + "data.speed = nan", r"orc.data.speed: expected a number, not nan"),
    (ONE + f"data.speed = 1{'0' * 400}", r"orc.data.speed: expected a number, not .*too large"),
    (ONE + "data.loot = ['a', 3]", r"orc.data.loot: expected a list of a text, not \['a', 3\]"),
    (ONE + "data.mood = 'angry'", r"expected one of 'CALM', 'ANGRY', not 'angry'"),
    (ONE + "data.size = 3.0", r"expected one of 'small', 'big', 3, not 3.0"),
    (ONE + "data.tint = 'no'", r"orc.data.tint: expected a color.*not 'no' \(invalid color name"),
    (ONE + f"data.tint = [1, 2, {10**30}]", r"orc.data.tint: expected a color"),
    (ONE + "data.velocity = [1]", r"expected two numbers, as \[3, 4\], not \[1\]"),
    (ONE + "data.home = [1, nan]", r"orc.data.home: expected a list of 2, each a number"),
    (ONE + "data.amount = []", r"expected a whole number or a text, not \[\]"),
    (ONE + "data.route = [[1, 2, 3]]", r"orc.data.route: expected a list of a list of"),
    (ONE + "data.target = 'orc'", r"orc.data.target: target can't come from a file"),
    (ONE + "data.minion = 'imp'", r"orc.data.minion: .*'imp' is not known"),
    (ONE + "data.minion = 3", r"orc.data.minion: expected the name of a prefab, not 3"),
    (ONE + "data.persistent = true", r"orc.data.persistent: this is said by each spawn"),
    ("[imp]\nclass = 'Imp'\ndata.when_hit = 1", r"when_hit: when_hit can't come from a file"),
    ("[imp]\nclass = 'Imp'\ndata.weight = 1", r"weight: weight can't come from a file"),
    ("[imp]\nclass = 'Imp'\ndata.area = [1, 2]", r"imp.data.area: expected four numbers, as"),
    ("[imp]\nclass = 'Elder'\ndata.heat = 1.5", r"imp.data.heat: expected a whole number"),
    ("[imp]\nclass = 'Imp'\ndata.kills = 1", r"imp.data.kills: 'kills' is not known"),
    ("[imp]\nclass = 'Imp'\ndata._anger = 1", r"imp.data._anger: '_anger' is not known"),
    ("[imp]\nclass = 'Imp'\ndata.no_default = 1", r"data.no_default: 'no_default' is not known"),
    ("[orc]\nclass = 'Anyhow'\ndata.self = 1", r"orc.data.self: 'self' is not known"),
    (
        "[orc]\ncomponents.Orc = {}",
        r"orc.components.Orc: Orc is a sprite: its parent's constructor",
    ),
    ("[a]\nclass = 'Health'\ncomponents.Health = {}", r"a.components.Health: Health takes no c"),
    ("[orc]\nclass = 'Anyhow'\ndata.groups = []", r"orc.data.groups: this is said by each spawn"),
    ("[orc]\nclass = 'Armoured'\ndata.sheild = 2", r"orc.data.sheild: .*did you mean 'shield'"),
    ("[orc]\nclass = 'Picky'", r"a.toml:1: orc.build: Picky requires teeth = \.\.\. here, a whole"),
    ("[orc]\nclass = 'Picky'\nbuild = { teeth = 3, color = 1 }", r"did you mean 'colour'"),
    ("[orc]\nbuild.image = 'no.png'", r"a.toml:2: orc.build.image: expected the path of a picture"),
    ("[orc]\nbuild.image = 'broken.png'", r"orc.build.image: .*it can't be loaded"),
    ("[orc]\nbuild.image = '../orc.png'", r"orc.build.image: .*outside .*root=\.\.\."),
    ('[orc]\nbuild.image = "a\\u0000"', r"orc.build.image: expected the path of a picture"),
    ("[orc]\nbuild.image = 3", r"orc.build.image: expected the path of a picture, not 3"),
    (f"[orc]\nbuild.image = '{'x' * 3000}'", r"orc.build.image: expected the path of a picture"),
    ("[orc]\npool.limit = -1", r"a.toml:2: orc.pool.limit: limit must be 0 or more, not -1"),
    ("[orc]\npool = { limit = 1, prespawn = 2 }", r"orc.pool.prespawn: prespawn=2 is more than"),
    ("[orc]\npool.limits = 1", r"a.toml:2: orc.pool.limits: .*did you mean 'limit'"),
    ("[orc]\npool.overflow = 'recycle'", r"orc.pool.overflow: overflow must be one of 'refuse'"),
    ("[orc]\npool.overflow = { recycle_lowest = 'a b' }", r"overflow must be one of"),
    ("[orc]\npool.overflow = { recycle_lowest = 'wort' }", r"a.toml:2: orc.pool.overflow: recycle"),
    ("[orc]\npool.overflow = { recycle_lowest = 'rect.xx' }", r"recycle_lowest: 'xx' is not known"),
    (
        "budgets = 3",
        r"a.toml:1: budgets: expected a table of limits, as \{ effects = 300 \}, not 3",
    ),
    ("[budgets]\n\nx = -1", r"a.toml:3: budgets.x: expected the most lives at once, not -1"),
    ("[budgets]\nfire = 3\n[a]\npool.budget = 'fir'", r"a.toml:4: a.pool.budget: .*mean 'fire'"),
    ("[a]\nclass = 'Chief'\ndata.hpp = 3", r"a.toml:3: a.data.hpp: .* did you mean 'hp'"),
    ("[a]\nclass = 'Ruler'\nbuild.crown = ''\ndata.hp = 'x'", r"a.data.hp: expected a whole nu"),
    ("[a]\nclass = 'Ruler'\nbuild = { crown = '', imag = 'orc.png' }", r"did you mean 'image'"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_a_fault_is_told_with_its_place(kit: Kit, text: str, said: str) -> None:
    faults = kit.faults(text)
    assert any(re.search(said, fault) for fault in faults), faults


def test_all_faults_of_all_files_are_told_at_once(kit: Kit) -> None:
    faults = kit.faults(
        ONE + "data = { hp = 'a', speed = 'b' }\ngroups = ['x']",
        "[imp]\nvariant_of = 'orc'\n[orc]",
        "\n[troll]\nclass = 'Trol'",
    )
    assert [fault.split(": ")[:2] for fault in faults] == [
        ["a.toml:3", "orc.data.hp"],
        ["a.toml:3", "orc.data.speed"],
        ["a.toml:4", "orc.groups"],
        ["b.toml:3", "orc"],
        ["c.toml:3", "troll.class"],
    ]
    assert "a.toml:1 defines a prefab of that name as well" in faults[3]


def test_two_budgets_of_one_name_are_a_fault(kit: Kit) -> None:
    (fault,) = kit.faults("[budgets]\nfx = 3", "[budgets]\n\nfx = 4")
    assert fault == "b.toml:3: budgets.fx: another of the files has a budget of that name"


def test_a_file_that_is_missing_or_no_text_is_a_fault(kit: Kit) -> None:
    path = kit.write("a.toml", "")
    path.write_bytes(b"\xff\xfe")
    kit.files.append(kit.folder / "gone.toml")
    first, second = kit.faults()
    assert "a.toml: it isn't UTF-8 text" in first
    assert "gone.toml: it can't be read: No such file" in second


def test_a_name_that_another_prefab_has_is_a_fault(kit: Kit) -> None:
    mine = Prefab(Orc, name="orc")
    kit.system.spawn(mine)
    (fault,) = kit.faults(ONE)
    assert fault.startswith("a.toml:1: orc: there is another prefab named 'orc'")
    assert kit.system.spawn("orc").prefab is mine


def test_a_constructor_that_refuses_is_a_fault_where_one_has_to_be_built(kit: Kit) -> None:
    def make_nothing(number: int) -> None:
        raise ValueError(number)

    text = "[orc]\nclass = 'make_nothing'\nbuild.number = 4\ndata.hp = 3"
    (fault,) = kit.faults(text, classes=[make_nothing])
    assert fault == "a.toml:3: orc.build: it can't be built with these values: ValueError: 4"


def test_of_one_that_can_not_be_built_what_its_constructor_adds_is_no_fault(kit: Kit) -> None:
    text = "[a]\nclass = 'Armoured'\nbuild.size = 2\ndata.shield = 2\n[b]\nvariant_of = 'a'\n"
    (fault,) = kit.faults(text + "[c]\nclass = 'Armoured'\ndata = { shield = 2 }")
    assert fault.startswith("a.toml:3: a.build.size: 'size' is not known")


def test_reading_builds_nothing_where_annotations_say_what_is_built(kit: Kit) -> None:
    built: list[Orc] = []

    def make_orc(size: int) -> Orc:
        built.append(Orc(pygame.Surface((size, size))))
        return built[-1]

    text = "[orc]\nclass = 'make_orc'\nbuild.size = 4\ndata.hp = 3\npool.prespawn = 5"
    book = kit.book(text, classes=[make_orc])
    book.counts([{"name": "orc", "x": 1, "y": 2}])
    assert not built
    assert kit.system.spawn("orc").got["hp"] == 3
    assert len(built) == 5


def test_a_book_is_a_mapping_and_says_how_much_it_has(kit: Kit) -> None:
    book: Any = kit.book(WHOLE)
    assert repr(book) == "<PrefabFile(num_prefabs=2)>"
    assert [name in book for name in ("orc", "ork", 5, None)] == [True, False, False, False]
    for name, said in (("ork", "did you mean 'orc'"), (5, "'5' is not known")):
        with pytest.raises(KeyError, match=said):
            book[name]


def test_all_settings_that_are_refused_are_told(kit: Kit) -> None:
    given = "{ limit = -1, prespawn = 'x', overflow = 'recycle_oldest', max_idle = 3 }"
    faults = kit.faults(f"[orc]\npool = {given}")
    told = sorted(fault.split(": ")[1] for fault in faults)
    assert told == ["orc.pool.limit", "orc.pool.prespawn"]


def test_what_may_be_none_may_be_left_out(kit: Kit) -> None:
    class Framed(PooledSprite):
        def __init__(self, image: pygame.Surface | None, title: str) -> None:
            super().__init__(image)
            self.title = title

    kit.book("[orc]\nclass = 'Framed'\nbuild.title = 'chief'", classes=[Framed])
    assert kit.system.spawn("orc").title == "chief"
    (fault,) = kit.faults("[imp]\nclass = 'Framed'", classes=[Framed], system=PoolingSystem())
    assert "Framed requires title = ... here" in fault


def test_two_classes_of_one_name_are_refused(kit: Kit) -> None:
    other = type("Orc", (PooledSprite,), {})
    with pytest.raises(PrefabError, match=r"two of classes=.* are named Orc"):
        kit.book(ONE, classes=[Orc, other])


def test_hooks_of_components_of_all_ways_add_up(kit: Kit) -> None:
    kit.book(
        "[a]\nclass = 'Armoured'\ndata.shield = 2\n"
        "[b]\ncomponents.make_shield.strength = 5\ndata.shield = 3\n"
        "[c]\nclass = 'Anyhow'\ncomponents.Health = {}\ndata = { shield = 4, x = 'y' }\n"
    )
    assert [kit.system.spawn(name).get_component(Health).shield for name in "abc"] == [2, 3, 4]
    assert kit.system.spawn("c").got == {"hp": 1, "shield": 4, "x": "y"}


def test_a_variant_may_lie_in_another_file_or_folder(kit: Kit) -> None:
    kit.write("deep/base.toml", ONE + "build.image = 'imp.png'\ndata.portrait = 'imp.png'")
    pygame.image.save(pygame.Surface((9, 9)), kit.folder / "deep" / "imp.png")
    kit.book("[imp]\nvariant_of = 'orc'\ndata.hp = 3")
    imp = kit.system.spawn("imp")
    assert imp.image.get_size() == (9, 9)  # each picture beside the file that names it
    assert imp.got["hp"] == 3


def test_a_folder_is_all_its_files(kit: Kit) -> None:
    kit.write("a.toml", "[a]")
    kit.write("b.toml", "[b]\nvariant_of = 'a'")
    book = PrefabFile(kit.folder, system=kit.system)
    assert list(book) == ["a", "b"]
    kit.write("c.toml", "[c]")
    assert book.reload() == {"c": "added"}
    assert kit.system.spawn("c").prefab is book["c"]


def test_pictures_stay_inside_the_root_whatever_links_say(kit: Kit) -> None:
    text = "[orc]\nbuild.image = 'link.png'"
    inner = kit.write("inner/a.toml", text)
    link = inner.parent / "link.png"
    link.symlink_to(kit.folder / "orc.png")
    (fault,) = kit.faults()
    assert "it lies outside inner" in fault
    assert list(kit.book(root=kit.folder)) == ["orc"]
    link.unlink()
    link.symlink_to(link)
    (fault,) = kit.faults(root=kit.folder)
    assert "orc.build.image: expected the path of a picture" in fault


# -- read again -------------------------------------------------------------------------------


def test_hooks_take_what_they_hand_on_to_their_bases(kit: Kit) -> None:
    text = "[orc]\nclass = 'Ruler'\nbuild = { crown = 'x', image = 'orc.png' }\n"
    kit.book(text + "data = { rage = 3, speed = 2, tint = 'red' }")
    orc = kit.system.spawn("orc")
    assert (orc.rage, orc.got["speed"], orc.got["tint"]) == (3, 2.0, pygame.Color("red"))
    assert orc.got["is_boss"]
    assert orc.image.get_size() == (4, 6)


@pytest.mark.parametrize(
    ("kind", "name", "data"),
    [("Chief", "worth", "rage"), ("Orc", "components.Worth", "price"), ("Orc", "rect.x", "")],
)
def test_the_lowest_is_recycled_by_what_sprite_or_component_has(
    kit: Kit, kind: str, name: str, data: str
) -> None:
    component = f"{name} = {{}}\n" if name.startswith("comp") else ""
    lowest = data if component else name
    policy = f"pool = {{ limit = 2, overflow = {{ recycle_lowest = '{lowest}' }} }}\n"
    kit.book(f"[orc]\nclass = '{kind}'\n{policy}{component}")
    for worth in (5, 3, 9, 7):
        kit.system.spawn("orc", (worth, 0), **({data: worth} if data else {}))
    assert sorted(sprite.position.x for sprite in kit.system.pool("orc").active) == [7, 9]


def test_groups_may_be_functions_that_say_them_at_each_spawn(kit: Kit) -> None:
    near, far = pygame.sprite.Group[Any](), pygame.sprite.Group[Any]()
    now = [near]
    groups = {"now": lambda: now, "monsters": kit.monsters}
    kit.book("[a]\ngroups = ['now']\n[b]\ngroups = ['monsters', 'now']", groups=groups)
    first = kit.system.spawn("a")
    now[:] = [far]
    second, both = kit.system.spawn("a"), kit.system.spawn("b")
    assert (list(near), list(kit.monsters)) == ([first], [both])
    assert set(far) == {second, both}


def test_prefabs_share_a_budget_of_a_file(kit: Kit) -> None:
    text = "[a]\npool = { budget = 'fx', overflow = 'recycle_oldest' }\n[b]\npool.budget = 'fx'"
    book = kit.book("[budgets]\nfx = 3", text)
    kit.system.spawn("a")
    kit.system.spawn_many("b", [(0, 0)] * 2)
    assert kit.system.try_spawn("b") is None
    kit.system.spawn("a", (5, 5))  # in place of the first
    assert [sprite.position for sprite in kit.system.pool("a").active] == [(5, 5)]
    assert list(book) == ["a", "b"]
    kit.write("a.toml", "[budgets]\nfx = 4")
    assert book.reload() == {"a": "changed", "b": "changed"}
    assert kit.system.spawn("b").active
    assert kit.system.try_spawn("b") is None


def test_a_new_book_takes_over_names_of_which_some_rest(kit: Kit) -> None:
    kit.book("[orc]\nclass = 'Orc'\npool.prespawn = 3")
    kit.system.spawn("orc").kill()
    book = PrefabFile(*kit.files, classes=CLASSES, system=kit.system)
    assert kit.system.spawn("orc").prefab is book["orc"]


@pytest.mark.parametrize("overflow", ["refuse", "recycle_oldest", "exceed"])
def test_as_many_as_fit_begin_again_under_a_lower_limit(
    kit: Kit, overflow: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = ONE + f"pool = {{ limit = 5, overflow = '{overflow}' }}"
    book = kit.book(text)
    former = kit.system.spawn_many("orc", [(x, 0) for x in range(5)])
    kit.write("a.toml", text.replace("5", "2"))
    assert book.reload(respawn=True) == {"orc": "changed"}
    alive = list(kit.system.pool("orc").active)
    is_soft = overflow == "exceed"
    assert [sprite.position.x for sprite in alive] == ([0, 1, 2, 3, 4] if is_soft else [0, 1])
    assert not any(sprite.active for sprite in former)
    assert ("orc: 3 of 5 lives did not begin again" in caplog.text) is not is_soft


def test_a_reload_reads_nothing_of_what_did_not_change(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"orc{number}" for number in range(40)]
    text = "".join(f"[{name}]\nclass = 'Orc'\ndata.hp = 3\n" for name in names)
    book = kit.book(text, "[imp]")
    parsed: list[str] = []
    read: list[str] = []
    loads, read_whole = tomllib.loads, RecipeReader.read

    def parse(text: str) -> Any:
        parsed.append(text)
        return loads(text)

    def read_one(reader: RecipeReader) -> None:
        read.append(reader._recipe.__name__)
        read_whole(reader)

    monkeypatch.setattr(tomllib, "loads", parse)
    monkeypatch.setattr(RecipeReader, "read", read_one)
    kit.write("a.toml", text.replace("[orc20]\nclass = 'Orc'\ndata.hp = 3", "[orc20]\ndata = {}"))
    assert book.reload() == {"orc20": "changed"}
    assert read == ["orc20"]
    assert max(map(len, parsed)) < 100
    assert list(book) == [*names, "imp"]


def test_a_reload_changes_what_changed_and_keeps_who_is_who(kit: Kit) -> None:
    book = kit.book(WHOLE, "[imp]\npool.prespawn = 3")
    orc, captain, imp = (book[name] for name in ("orc", "captain", "imp"))
    alive = kit.system.spawn("captain")
    resting = list(kit.system.pool("imp").inactive)
    kit.write("a.toml", WHOLE.replace("hp = 90", "hp = 120"))
    assert book.reload() == {"captain": "changed"}
    assert book.reload() == {}
    assert (book["orc"], book["captain"], book["imp"]) == (orc, captain, imp)
    assert [each.instance for each in kit.system.pool("imp").inactive] == [
        each.instance for each in resting
    ]
    assert alive.active
    assert alive.got["hp"] == 90
    other = kit.system.spawn(captain)
    assert other is not alive
    assert other.got["hp"] == 120
    kit.system.despawn(alive)
    assert kit.system.spawn_many(captain, [(0, 0)] * 3).count(alive) == 0  # it was destroyed
    kit.write("a.toml", WHOLE.replace("hp = 31", "hp = 32"))
    assert book.reload() == {"orc": "changed", "captain": "changed"}
    assert kit.system.spawn("orc").got["hp"] == 32


def test_what_was_prespawned_comes_back_a_few_an_update(kit: Kit) -> None:
    book = kit.book(ONE + "pool.prespawn = 10")
    pool = kit.system.pool("orc")
    former = {each.instance for each in pool.inactive}
    kit.write("a.toml", ONE + "pool.prespawn = 12\ndata.hp = 3")
    book.reload()
    counts = [pool.inactive_count]
    for _ in range(4):
        kit.system.update(0.1)
        counts.append(pool.inactive_count)
    assert counts == [0, 4, 8, 12, 12]
    assert former.isdisjoint(each.instance for each in pool.inactive)


@pytest.mark.parametrize("above", ["boss", "hand", "hidden hand"])
def test_lives_may_begin_again_in_their_places(kit: Kit, above: str) -> None:
    book = kit.book(ONE, "[imp]")
    boss = kit.system.spawn("imp", (1, 1))
    hand = boss.add_child(PooledSprite(), (2, 2))
    parent = boss if above == "boss" else hand
    orc = kit.system.spawn("orc", (5, 7), 90, parent=parent, persistent=True)
    if above == "hidden hand":
        hand.kill()
        parent = boss
    imp = kit.system.spawn("imp", (3, 3), parent=orc)
    kit.write("a.toml", ONE + "data.hp = 120")
    assert book.reload(respawn=True) == {"orc": "changed"}
    (again,) = kit.system.pool("orc").active
    assert again is not orc
    assert (again.got["hp"], again.position, again.rotation) == (120, (5, 7), 90)
    assert not imp.active  # it was the orc's
    assert again.parent is parent
    kit.system.despawn(boss)
    assert not again.active


@pytest.mark.parametrize("limit", [2, 3])
def test_recycling_hands_out_nothing_of_the_former_file(kit: Kit, limit: int) -> None:
    text = ONE + f"pool = {{ limit = {limit}, overflow = 'recycle_oldest' }}\n"
    book = kit.book(text)
    former = kit.system.spawn_many("orc", [(0, 0)] * 2)
    kit.system.despawn(former[0])
    kit.system.spawn("orc")
    kit.write("a.toml", text + "data.hp = 4")
    book.reload()
    later = [kit.system.spawn("orc") for _ in range(5)]
    assert not set(map(id, former)) & set(map(id, later))
    assert all(each.got["hp"] == 4 for each in later)


def test_groups_settings_and_data_follow_the_file(kit: Kit) -> None:
    book = kit.book("[orc]\nclass = 'Anyhow'\npool.limit = 4")
    kit.system.spawn("orc")
    changed = "[orc]\nclass = 'Anyhow'\npool.limit = 6\ngroups = ['monsters']\ndata.hp = 3"
    kit.write("a.toml", changed)
    book.reload()
    orc = kit.system.spawn("orc")
    assert orc in kit.monsters
    assert orc.got["hp"] == 3
    pool = kit.system.pool("orc")
    assert pool.settings.limit == 6
    mine = pool.settings = type(pool.settings)(limit=9)  # the game's own say
    kit.write("a.toml", "[orc]\nclass = 'Anyhow'")
    book.reload()
    assert pool.settings is mine
    again = kit.system.spawn("orc")
    assert again.got == {"hp": 1}
    assert again not in kit.monsters


def test_a_prefab_that_vanished_is_not_spawned_until_it_comes_back(kit: Kit) -> None:
    book = kit.book(ONE, "[imp]")
    orc = book["orc"]
    alive = kit.system.spawn("orc")
    kit.write("a.toml", "")
    assert book.reload() == {"orc": "removed"}
    assert "orc" not in book
    assert alive.active
    with pytest.raises(PrefabError, match="there is no prefab named 'orc'"):
        kit.system.spawn("orc")
    with pytest.raises(PrefabError, match=r"orc can't be spawned: a\.toml, b\.toml does not"):
        kit.system.spawn(orc)
    kit.write("a.toml", ONE + "data.hp = 5")
    assert book.reload() == {"orc": "added"}
    assert kit.system.spawn("orc").prefab is orc
    assert kit.system.spawn(orc).got["hp"] == 5


def test_a_broken_file_leaves_all_as_it_is_and_says_so_once(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    book = kit.book(ONE, "[imp]")
    prefabs = dict(book)
    kit.write("a.toml", ONE + "data.hpp = 4")
    kit.write("b.toml", "[imp]\n[other]")
    with caplog.at_level(logging.ERROR), pytest.raises(ContentError, match=r"a\.toml:3: orc"):
        book.reload()
    assert "the prefabs stay as they are:\na.toml:3: orc.data.hpp" in caplog.text
    assert dict(book) == prefabs
    assert book.reload() == {}
    kit.system.spawn("orc")
    kit.write("a.toml", ONE + "data.hp = 4")
    assert book.reload() == {"orc": "changed", "other": "added"}
    (kit.folder / "a.toml").unlink()
    with pytest.raises(ContentError, match="it can't be read"):
        book.reload()
    assert kit.system.spawn("orc").got["hp"] == 4


def test_a_hook_that_reloads_during_a_reload_leaves_it_to_the_next(kit: Kit) -> None:
    text = "[a]\nclass = 'Reloading'\ndata.hp = 1\n[b]\nvariant_of = 'a'\n"
    changes = []

    class Reloading(PooledSprite):
        hp: int = 0

        def despawned(self) -> None:
            kit.write("a.toml", text.replace("1", "3"))
            changes.append(book.reload(respawn=True))

    book = kit.book(text, classes=[Reloading])
    kit.system.spawn("a")
    kit.write("a.toml", text.replace("1", "2") + "[c]")
    assert book.reload(respawn=True) == {"a": "changed", "b": "changed", "c": "added"}
    assert changes == [{}]
    assert [kit.system.spawn(name).hp for name in "ab"] == [2, 2]
    assert book.reload() == {"a": "changed", "b": "changed", "c": "removed"}
    assert [kit.system.spawn(name).hp for name in "ab"] == [3, 3]


def test_pictures_are_read_again(kit: Kit) -> None:
    book = kit.book("[orc]\nbuild.image = 'orc.png'\n[imp]")
    image = kit.folder / "orc.png"
    pygame.image.save(pygame.Surface((30, 20)), image)
    assert book.reload() == {"orc": "changed"}
    assert kit.system.spawn("orc").image.get_size() == (30, 20)
    image.write_bytes(b"half")
    with pytest.raises(ContentError, match=r"orc\.build\.image"):
        book.reload()
    assert book.reload() == {}
    image.unlink()
    with pytest.raises(ContentError, match=r"orc\.build\.image"):
        book.reload()
    pygame.image.save(pygame.Surface((3, 2)), image)
    assert book.reload() == {"orc": "changed"}


# -- whatever files say -----------------------------------------------------------------------

_GOOD = st.sampled_from([
    "data.hp = 3", "data.speed = 2", "groups = ['monsters']", "pool.limit = 4",
    "build.image = 'orc.png'", "components.Health.maximum = 4", "persistent = true",
])  # fmt: skip
_ANY = st.sampled_from(["3", "-1", "nan", "'x'", "[]", "{}", "true", "[1, 2]", "{ a = 1 }", "1e9"])
_KEYS = st.sampled_from([
    "class", "groups", "variant_of", "build", "data", "pool", "components", "persistent", "x",
    "data.hp", "data.loot", "data.tint", "build.image", "pool.limit", "pool.overflow",
    "components.Health", "components.Health.maximum", "pool.prespawn_delay", "data.parent",
])  # fmt: skip
_ODD = st.builds("{} = {}".format, _KEYS, _ANY)
_PREFABS = st.dictionaries(
    st.sampled_from("abcd"),
    st.tuples(st.sampled_from(["", *"abcd"]), st.lists(_GOOD | _ODD, max_size=3, unique=True)),
)


def _written(prefabs: dict[str, tuple[str, list[str]]]) -> str:
    lines = []
    for name, (base, keys) in prefabs.items():
        first = f"variant_of = '{base}'" if base else "class = 'Orc'"
        lines += [f"[{name}]", first, *keys]
    return "\n".join(lines)


@given(first=_PREFABS, second=_PREFABS)
def test_books_are_never_half_taken(
    tmp_path_factory: pytest.TempPathFactory, first: Any, second: Any
) -> None:
    kit = Kit(tmp_path_factory.mktemp("book"), PoolingSystem())
    try:
        book = kit.book(_written(first))
    except PoolError:
        assert not list(context_of(kit.system).registry.prefabs)
        return
    assert set(book) == set(first) == set(context_of(kit.system).registry.prefabs)
    before = {name: (each, vars(each).copy()) for name, each in book.items()}
    kit.write("a.toml", _written(second))
    try:
        changes = book.reload(respawn=True)
    except PoolError:
        assert {name: (each, vars(each)) for name, each in book.items()} == before
        return
    assert set(book) == set(second) == set(context_of(kit.system).registry.prefabs)
    assert {name for name, what in changes.items() if what == "removed"} == set(first) - set(second)
    for name in book:
        assert kit.system.spawn(name).prefab is book[name]


_LINES = st.lists(
    st.sampled_from([
        "[a]", "[b]", "[a.c]", "[[d]]", "[a] # x", "x = 1", "x = 2", "y.z = 'q'", "a.x = 3", "",
        "x = [", "['a']", "[1],", "]", "# [b]", 'y = """', '"""', "z = '[b]'", "x = { y = 1 }",
    ]),
    max_size=14,
)  # fmt: skip


@given(first=_LINES, second=_LINES, start=st.integers(0, 9), stop=st.integers(0, 9))
def test_a_text_that_changed_is_as_if_all_of_it_was_parsed(
    first: list[str], second: list[str], start: int, stop: int
) -> None:
    path = Path("any.toml")
    text = "\n".join([*first[:start], *second, *first[start + stop :]])
    try:
        former = TomlFile(path, "\n".join(first), None)
    except ValueError:
        return
    try:
        expected = tomllib.loads(text)
    except ValueError as error:
        with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
            TomlFile(path, text, None, former)
        return
    tables = TomlFile(path, text, None, former).tables
    assert tables == expected
    assert list(tables) == list(expected)


@given(
    st.binary(max_size=60) | st.text(alphabet="[]{}\"'=.#\n\\ab1,-", max_size=60).map(str.encode)
)
def test_any_bytes_are_a_book_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.toml"
    path.write_bytes(content)
    with contextlib.suppress(PoolError):
        PrefabFile(path, system=PoolingSystem())
