"""What prefabs in files cost: a life of one, the objects of a level, and a book of many."""

from __future__ import annotations

import itertools
import statistics
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.kinds import AT_REST, Healthy
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, repeated
from benchmarks.report import hold
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab
from poolkit.content import PrefabFile, spawn_objects

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_CODE, PARSED = "in code", "parsed by tomllib alone"
A_FRAME, PLACE = 50, (320.0, 40.0)  # lives a frame, and where they begin
PREFABS, KINDS, OBJECTS, MANY = 100, 20, 500, 1_000
LEVEL_BAR = 1.5  # of what a loop by hand takes for the objects of a level
DATA = {"hp": 30, "speed": 60.0}
PREFAB = """
[{name}]
class = "Grunt"
groups = ["grunts"]
pool = {{ prespawn = {count}, limit = {count} }}
data = {{ hp = 30, speed = 60.0 }}
"""


class Grunt(Healthy):
    """A sprite with a component, and with what its file says."""

    def spawned(self, hp: int = 10, speed: float = 30.0) -> None:
        """Keep both."""
        self.hp, self.speed = hp, speed


def _text(names: list[str], count: int) -> str:
    return "".join(PREFAB.format(name=name, count=count) for name in names)


def _book(text: str, system: PoolingSystem) -> PrefabFile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "grunts.toml")
        path.write_text(text, "utf-8")
        groups = {"grunts": PooledGroup()}
        return PrefabFile(path, classes=[Grunt], groups=groups, system=system)


def from_a_file() -> Contest:
    """Return lives of a prefab from a file, beside those of the same prefab in code."""
    systems = PoolingSystem(), PoolingSystem()
    book = _book(_text(["grunt"], AT_REST), systems[0])
    settings = PoolSettings(prespawn=AT_REST, limit=AT_REST)
    coded = Prefab(Grunt, groups=[PooledGroup()], settings=settings, data=DATA)
    ways = {}
    for way, prefab, system in zip(
        (POOLKIT, IN_CODE), (book["grunt"], coded), systems, strict=True
    ):
        system.register(prefab)
        names = {"spawn": system.spawn, "prefab": prefab, "P": PLACE, "update": system.update}
        line = f"for _ in range({A_FRAME}): spawn(prefab, P).kill()"
        ways[way] = repeated(names, line, "update(0.1)", at_once=A_FRAME)
    return Contest("a prefab from a file", ways, 21, pieces=2_000, most=1.1, to=IN_CODE)


def _level() -> Contest:
    """Return the objects of a level, spawned by their names, and by spawns in a loop."""
    system = PoolingSystem()
    book = _book(_text([f"grunt{n}" for n in range(KINDS)], OBJECTS // KINDS), system)
    objects: list[dict[str, Any]] = [
        {"class": f"grunt{n % KINDS}", "name": f"object {n}", "x": n, "y": n}
        | {"width": 16, "height": 16, "properties": {"hp": n, "speed": 30.5}}
        for n in range(OBJECTS)
    ]
    for prefab, count in book.counts(objects).items():
        system.prespawn(prefab, count)

    def by_hand(_: int) -> None:
        for placed in objects:
            x, y = placed["x"] + placed["width"] / 2, placed["y"] + placed["height"] / 2
            given = placed["properties"]
            system.spawn(book[placed["class"]], (x, y), hp=given["hp"], speed=given["speed"])

    def clear(_: str) -> None:
        system.despawn_all()
        system.update(0.1)

    ways = {POOLKIT: lambda _: spawn_objects(objects, book), BY_HAND: by_hand}
    name = f"{OBJECTS} objects of {KINDS} prefabs are spawned, an object"
    return Contest(name, ways, 41, pieces=OBJECTS, most=LEVEL_BAR, between=clear)


def _reload() -> Contest:
    """Return a book of a thousand prefabs, read again after one number has changed."""
    folder = tempfile.TemporaryDirectory()
    path, numbers = Path(folder.name, "grunts.toml"), itertools.count()
    text = _text([f"grunt{number}" for number in range(MANY)], 0)
    path.write_text(text, "utf-8")
    groups = {"grunts": PooledGroup()}
    book = PrefabFile(path, classes=[Grunt], groups=groups, system=PoolingSystem())

    def change(_: str) -> None:
        start, name, rest = text.partition(f"[grunt{MANY // 2}]")
        path.write_text(start + name + rest.replace("30", f"{next(numbers) + 100}", 1), "utf-8")

    def reload(_: int) -> None:
        if not book.reload():
            raise RuntimeError(folder)  # which lives as long as this does

    change("")
    ways = {POOLKIT: reload, PARSED: lambda _: tomllib.loads(text)}
    return Contest(f"a book of {MANY} prefabs, one has changed", ways, 21, between=change)


def content(_: Size) -> Iterator[Contest]:
    """Measure a level and a book."""
    yield (level := _level())
    milliseconds = statistics.median(level.times(POOLKIT)) * OBJECTS / 1000
    hold(f"milliseconds for {OBJECTS} objects of {KINDS} prefabs", milliseconds, 20)
    text = _text([f"grunt{number}" for number in range(PREFABS)], 20)
    ways = {POOLKIT: lambda _: _book(text, PoolingSystem()), PARSED: lambda _: tomllib.loads(text)}
    yield (changed := _reload())
    milliseconds = statistics.median(changed.times(POOLKIT)) / 1000
    hold(f"milliseconds to read one changed number among {MANY} prefabs", milliseconds, 10)
    yield (book := Contest(f"a book of {PREFABS} prefabs", ways, 21))
    milliseconds = statistics.median(book.times(POOLKIT)) / 1000
    hold(f"milliseconds to read a book of {PREFABS} prefabs", milliseconds, 50)
