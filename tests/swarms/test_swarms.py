"""What a swarm promises beside what the model plays: classes, frames, limits, systems, cost."""

from __future__ import annotations

import copy
import gc
import logging
import pickle
import subprocess
import sys
import time
import weakref
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pygame
import pytest

from poolkit import (
    Budget,
    Exceed,
    Handle,
    PooledSprite,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.devtools import Inspector, apply_profile, record_profile
from poolkit.swarms import Int, Swarm, Vec2, ring, spread

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = pygame.Surface((4, 4))


class Bullets(Swarm):
    velocity: Vec2
    damage: int = 1


class Sparks(Swarm):
    """Of which some end in `ended`, and begin others."""

    act: ClassVar[Any] = None
    heat: float = 1.0

    def ended(self, rows: Any) -> None:
        self.log.append(self.heat[rows].tolist())  # type: ignore[index]
        if self.act is not None:
            self.act(rows)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.log: list[list[float]] = []


def make(kind: Any = Bullets, *, limit: int | None = None, **options: Any) -> Any:
    options.setdefault("system", PoolingSystem())
    return kind(IMAGE, limit=limit, **options)


# -- classes --------------------------------------------------------------------------------------


def test_annotations_are_columns_also_of_classes_that_add_to_others() -> None:
    class Lit:  # a mixin
        is_lit: bool = False
        damage: int = 5

    class Homing(Lit, Bullets):
        target: int
        frame: int = 0  # type: ignore[assignment]
        speed_of_all: ClassVar[float] = 3.0

    homing = make(Homing)
    homing.spawn((1, 2), velocity=(0, 0), target=7)
    found = {name: getattr(homing, name).tolist() for name in Homing._columns}
    assert found == {
        "position": [[1, 2]],
        "age": [0],
        "frame": [0],
        "velocity": [[0, 0]],
        "damage": [5],
        "target": [7],
        "is_lit": [False],
    }
    assert Homing.speed_of_all == 3.0
    late: Any = type("Late", (Bullets, Lit), {})  # what its first base says goes before the mixin
    assert late._columns["damage"] is Bullets.damage
    assert Bullets._columns.keys() == {"position", "age", "frame", "velocity", "damage"}


@pytest.mark.parametrize("whole", [int, Int, "Int", "swarms.Int"])
def test_annotations_may_be_types_instead_of_texts(whole: Any) -> None:
    names = {"velocity": Vec2, "damage": whole, "__name": ClassVar[int]}
    kind: Any = type("Kind", (Swarm,), {"__annotations__": names, "damage": 2})
    swarm = make(kind)
    swarm.spawn((0, 0), velocity=(1, 1))
    assert swarm.damage.tolist() == [2]


@pytest.mark.parametrize(
    ("annotations", "values", "message"),
    [
        ({"target": "str"}, {}, "target is annotated 'str', which isn't a column"),
        ({"target": "PooledSprite | None"}, {}, "annotate other attributes in __init__"),
        ({"hits": "int"}, {}, "hides a swarm's own hits"),
        ({"update": "float"}, {"update": 0.0}, "hides a swarm's own update"),
        ({"name": "int"}, {}, "hides a swarm's own name"),
        ({"_heat": "float"}, {}, "hides a swarm's own _heat"),
        ({"velocity": "float"}, {}, "velocity is annotated float, but it is a column of Vec2"),
        ({"age": "int"}, {}, "age is annotated int, but it is a column of float"),
        ({"damage": "int"}, {"damage": 1.5}, "damage takes a whole number, not 1.5"),
        ({"velocity": "Vec2"}, {"velocity": 3}, "velocity takes a pair of numbers, not 3"),
        ({}, {"age": 3.0}, "age hides the column age"),
        ({}, {"position": lambda _: 0}, "position hides the column position"),
        ({}, {"spawn": 3}, "spawn hides a swarm's own spawn: give it another name"),
        ({}, {"name": "shots"}, "name hides a swarm's own name"),
        ({}, {"_recount": lambda _: 0}, "_recount hides a swarm's own _recount"),
    ],
)
def test_a_class_that_does_not_fit_is_refused_when_it_is_made(
    annotations: Any, values: Any, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        type("Kind", (Swarm,), {"__annotations__": annotations, **values})


# -- values ---------------------------------------------------------------------------------------


def test_values_become_what_the_column_is() -> None:
    bullets = make()
    velocity = np.array([[1, 2], [3, 4]])
    bullets.spawn_many(2, position=pygame.Vector2(3, 4), velocity=velocity, damage=np.uint8(3))
    bullets.spawn(pygame.Vector2(1, 1), velocity=np.array([0.5, 1]), damage=np.int16(4))
    assert bullets.velocity.dtype == bullets.position.dtype == np.float32
    bullets.position = [(0, 0), (1, 1), (2, 2)]
    bullets.velocity *= np.float64(0.5)
    bullets.damage = 9
    assert bullets.position.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert bullets.velocity.tolist() == [[0.5, 1], [1.5, 2], [0.25, 0.5]]
    assert bullets.velocity.dtype == np.float32
    assert bullets.damage.tolist() == [9, 9, 9]
    byte: Any = np.uint8(250)
    many = make(limit=byte)  # sums of bytes would overflow
    assert many.spawn_many(np.uint8(200), position=(0, 0), velocity=(0, 0)) == range(200)
    assert (many.despawn(np.uint8(199)), many.handle(np.uint8(7)).get(), len(many)) == (1, 7, 199)
    for wrong in ([(0, 0)], 3, "here", [(0, 0), (1, 1), (2, np.nan)], None):
        with pytest.raises((TypeError, ValueError), match="position"):
            bullets.position = wrong
    assert bullets.position.tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (
            TypeError,
            {"velocty": (0, 0)},
            "Bullets has no column 'velocty': did you mean 'velocity'",
        ),
        (TypeError, {"number": 3}, "has no column 'number': it has position, age, frame, velocity"),
        (TypeError, {}, r"velocity has no default, so a spawn must give it: spawn\(..., velocity"),
        (TypeError, {"velocity": (1, 2, 3)}, r"velocity takes a pair of numbers, not \(1, 2, 3\)"),
        (TypeError, {"velocity": ("a", "b")}, "velocity takes a pair of numbers"),
        (TypeError, {"velocity": [(1, 2), (3,)]}, "velocity takes a pair of numbers"),
        (TypeError, {"velocity": (1, 2), "damage": "3"}, "damage takes a whole number, not '3'"),
        (TypeError, {"velocity": (1, 2), "damage": 2**70}, "damage takes a whole number"),
        (TypeError, {"velocity": (1, 2), "age": 1j}, "age takes a number, not 1j"),
        (ValueError, {"velocity": (1, float("inf"))}, r"velocity must be finite, not \(1, inf\)"),
        (ValueError, {"velocity": (1, 1e300)}, "velocity must be finite"),
        (ValueError, {"velocity": (1, 2), "age": float("nan")}, "age must be a number, not nan"),
    ],
)
def test_bad_input_changes_nothing(kind: Any, columns: Any, message: str) -> None:
    bullets = make(limit=1, overflow=RecycleOldest())
    first = bullets.spawn((0, 0), velocity=(0, 0))
    before = bullets.stats
    with pytest.raises(kind, match=message):
        bullets.spawn((1, 2), **columns)
    with pytest.raises(kind, match=message.replace(", not", ".*, not")):
        bullets.spawn_many(1, position=(1, 2), **columns)
    assert first
    assert bullets.stats == before
    bullets.spawn((1, 2), velocity=(0, 0))  # nothing of what was refused is left
    assert bullets.damage[-1] == 1
    assert bullets.age[-1] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": -1}, "limit must be 0 or more"),
        ({"limit": 1.5}, "limit must be a whole number"),
        ({"overflow": RecycleOldest}, "overflow must be a policy"),
        (
            {"overflow": type("Mine", (), {"choose_victim": print})()},
            "a swarm's overflow is Refuse",
        ),
        ({"overflow": RecycleLowest(len)}, "must name a column of numbers of Bullets"),
        ({"overflow": RecycleLowest("damge")}, "must name a column of numbers of Bullets"),
        ({"overflow": RecycleLowest("velocity")}, "must name a column of numbers of Bullets"),
        ({"lifetime": 0}, "lifetime takes 0.001 or more seconds"),
        ({"area": "screen"}, "area is a rect, not 'screen'"),
        ({"area": (0, 0, 0, 9)}, r"area must have a width and a height, not \(0, 0, 0, 9\)"),
        ({"area": (0, np.nan, 9, 9)}, "area must have a width and a height"),
        ({"budget": 30}, "budget must be a Budget"),
        ({"system": None}, "system must be a PoolingSystem"),
        ({"name": 3}, "name must be a text, not 3"),
    ],
)
def test_bad_input_for_swarms(options: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        make(**options)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_bad_input_a_swarm_is_not_copied(copied: Any) -> None:
    with pytest.raises(TypeError, match=r"can't be copied or pickled: make another Bullets"):
        copied(make())


def test_bad_input_for_rows_and_targets() -> None:
    bullets = make()
    bullets.spawn_many(3, position=(0, 0), velocity=(0, 0))
    for rows in (3, -1, [0, 3], np.array([-1]), [True], np.ones(4, bool)):
        with pytest.raises(IndexError, match=r"rows"):
            bullets.despawn(rows)
    for wrong in ("a", 1.5, [0.5], None, True, bullets.handle(0)):
        with pytest.raises(TypeError, match="takes rows of Bullets, or a mask"):
            bullets.despawn(wrong)
    assert bullets.despawn([]) == bullets.despawn(np.array([])) == 0
    with pytest.raises(IndexError):
        bullets.handle(3)
    with pytest.raises(TypeError, match="integer"):
        bullets.handle(0.5)
    for target in ("a", None, (1, 2, 3), ((1, 2), "r"), 3, object()):
        with pytest.raises(TypeError, match="takes a point"):
            bullets.hits(target)
    for target in ((np.nan, 1), ((1, np.inf), 3), ((1, 2), -1)):
        with pytest.raises(ValueError, match="must be finite, and a radius 0 or more"):
            bullets.hits(target)
    for dt in (-1, float("nan"), 1e16, "a"):
        with pytest.raises((TypeError, ValueError), match=r"Bullets\.update\(\) takes"):
            bullets.update(dt)
    assert len(bullets) == 3


# -- frames ---------------------------------------------------------------------------------------


def test_ended_may_begin_and_end_lives_of_its_own_swarm() -> None:
    sparks = make(Sparks)
    rows = range(40)  # more than there was room for: so the arrays grow

    def act(ended: Any) -> None:
        sparks.act = None
        assert not ended.flags.writeable
        assert sparks.heat[ended].tolist() == [0, 1]
        sparks.spawn_many(len(rows), position=sparks.position[ended[0]], heat=[*rows])
        sparks.despawn([0, 2, 5])  # one that had ended, one that had not, and one that is new

    sparks.spawn_many(4, position=(3, 3), heat=range(4))
    last = sparks.handle(3)
    sparks.act = act
    sparks.despawn([0, 1])
    sparks.update(0)
    assert sparks.log == [[0, 1]]
    assert sparks.heat.tolist() == [2, 3, *rows]
    assert sparks.alive.tolist() == [False, True, True, False, *[True] * 38]
    assert last.get() == 1
    sparks.update(0)
    assert sparks.log == [[0, 1], [2, 1]]
    assert sparks.heat.tolist() == [3, 0, *rows[2:]]
    assert last.get() == 0


def test_an_error_in_ended_comes_out_of_update_which_is_complete() -> None:
    sparks = make(Sparks)
    sparks.act = lambda _: 1 / 0
    sparks.spawn_many(2, position=(0, 0), heat=[0, 1])
    sparks.despawn(0)
    with pytest.raises(ZeroDivisionError):
        sparks.update(1.0)
    sparks.update(1.0)
    assert (sparks.log, sparks.heat.tolist()) == ([[0]], [1])


def test_update_and_reset_inside_ended_are_refused() -> None:
    system = PoolingSystem()
    sparks = make(Sparks, system=system)
    for act in (lambda _: sparks.update(0), lambda _: system.reset(), lambda _: system.dispose()):
        sparks.act = act
        sparks.spawn((0, 0))
        sparks.clear()
        with pytest.raises(PoolError, match="inside"):
            sparks.update(0)
    system.reset()


def test_a_reset_within_an_update_of_the_game_leaves_rows_until_its_end() -> None:
    system = PoolingSystem()

    class Fuse(Sparks):
        def update(self, dt: float) -> None:
            rows = self.heat.copy()  # type: ignore[attr-defined]
            system.reset()
            assert self.heat.tolist() == rows.tolist()  # type: ignore[attr-defined]
            super().update(dt)

    fuse = make(Fuse, system=system)
    fuse.spawn_many(3, position=(0, 0))
    fuse.update(0.1)
    assert (len(fuse), fuse.heat.size, fuse.log) == (0, 0, [])


def test_values_may_be_columns_of_the_swarm_itself() -> None:
    bullets = make(limit=20)
    for number in range(60):  # the rows slide to the end of their arrays, and back
        places = [(number, n) for n in range(3)]
        bullets.spawn_many(3, position=places, velocity=(1, number), damage=number)
        columns = {name: getattr(bullets, name) for name in ("position", "velocity", "damage")}
        expected = {name: column.tolist() * 2 for name, column in columns.items()}
        bullets.spawn_many(len(bullets), **columns)
        assert {name: getattr(bullets, name).tolist() for name in columns} == expected
        bullets.despawn(range(len(bullets) - number % 4))
        bullets.update(0)


def test_a_frame_that_is_none_is_told_by_draw_alone() -> None:
    images = [IMAGE, pygame.Surface((9, 2))]
    sparks = Sparks(images, limit=None, area=(0, 0, 9, 9), system=PoolingSystem())
    sparks.spawn_many(3, position=(3, 3), frame=[0, 9, -9])
    sparks.update(0.1)
    assert sparks.hits((3, 3)).tolist() == [0, 1, 2]
    with pytest.raises(IndexError, match="a frame is one of 0 to 1, not -9 to 9"):
        sparks.draw(IMAGE)


# -- limits ---------------------------------------------------------------------------------------


def test_a_limit_of_0_switches_an_effect_off() -> None:
    for overflow in (Refuse(), RecycleOldest(), RecycleLowest("damage")):
        bullets = make(limit=0, overflow=overflow)
        assert bullets.try_spawn((0, 0), velocity=(0, 0)) is None
        with pytest.raises(PoolExhaustedError, match="Bullets is at its limit of 0"):
            bullets.spawn_many(2, position=(0, 0), velocity=(0, 0))
        assert [*bullets.spawn_many(0, position=(0, 0), velocity=(0, 0))] == []
        assert bullets.stats.refused == 2
    beyond = make(limit=0, overflow=Exceed())
    for _ in range(300):
        beyond.spawn((0, 0), velocity=(0, 0))
    assert len(beyond) == 300


def test_a_priority_that_is_not_a_number_is_told() -> None:
    sparks = make(Sparks, limit=2, overflow=RecycleLowest("heat"))
    sparks.spawn_many(2, position=(0, 0))
    sparks.heat[1] = np.nan
    with pytest.raises(PoolError, match="the heat of a life of Sparks is NaN"):
        sparks.spawn((0, 0))
    assert len(sparks) == 2


class Bat(PooledSprite):
    """What shares a budget with bullets."""


def sharing(
    overflow: Any, theirs: Any, limit: int = 6
) -> tuple[PoolingSystem, Budget, Any, Any, Any]:
    system, budget = PoolingSystem(), Budget(limit)
    one, other = (make(overflow=overflow, budget=budget, system=system, name=n) for n in "ab")
    bat = Prefab(Bat, settings=PoolSettings(budget=budget, overflow=theirs))
    return system, budget, one, other, bat


def test_hooks_of_those_that_make_way_may_spawn_into_the_swarm() -> None:
    system, budget = PoolingSystem(), Budget(6)
    sparks = make(Sparks, limit=4, overflow=RecycleOldest(), budget=budget, system=system)

    class Firefly(PooledSprite):
        def despawned(self) -> None:
            sparks.try_spawn(self.position)

    settings = PoolSettings(budget=budget, overflow=RecycleOldest())
    firefly = Prefab(Firefly, settings=settings)
    system.spawn_many(firefly, [(0, 0)] * 6)
    for count in (1, 2, 4, 3):
        sparks.spawn_many(count, position=(9, 9))
        assert len(sparks) <= 4
        assert len(sparks) + system.pool(firefly).active_count <= 6
        assert sparks.position[sparks.alive][-count:].tolist() == [[9, 9]] * count
    assert system.pool(firefly).stats.recycled > 3


def test_a_swarm_at_its_own_limit_ends_its_own_and_rates_only_its_own() -> None:
    system, budget, one, _, bat = sharing(RecycleOldest(), RecycleLowest(id))
    first = system.spawn(bat).handle()
    limited = make(limit=2, overflow=RecycleOldest(), budget=budget, system=system)
    mine = [limited.spawn((0, 0), velocity=(0, 0)) for _ in range(3)]
    assert (bool(first), [bool(handle) for handle in mine]) == (True, [False, True, True])
    one.spawn_many(3, position=(0, 0), velocity=(0, 0))
    system.spawn(bat)  # by a key that rates instances alone
    assert (bool(first), len(one), len(limited)) == (False, 3, 2)
    lowest = make(overflow=RecycleLowest("damage"), budget=budget, system=system)
    with pytest.raises(PoolExhaustedError):
        lowest.spawn((0, 0), velocity=(0, 0))


def test_a_budget_is_one_systems_and_counts_swarms_that_live() -> None:
    system, budget, one, other, _ = sharing(Refuse(), Refuse())
    other.spawn_many(6, position=(0, 0), velocity=(0, 0))
    with pytest.raises(PoolError, match="another pooling system's"):
        make(budget=budget)
    assert one.try_spawn((0, 0), velocity=(0, 0)) is None
    del other
    assert one.try_spawn((0, 0), velocity=(0, 0)) is not None
    with pytest.raises(TypeError, match="for swarms: instances need a function"):
        system.pool(Prefab(Bat, settings=PoolSettings(overflow=RecycleLowest("hp"))))


# -- systems --------------------------------------------------------------------------------------


def test_a_system_reports_resets_and_disposes_of_swarms() -> None:
    system = PoolingSystem()
    bullets = make(limit=9, system=system, name="shots")
    handle = bullets.spawn((0, 0), velocity=(0, 0))
    bullets.spawn_many(3, position=(0, 0), velocity=(0, 0))
    bullets.despawn(1)
    system.update(0.5)
    bullets.update(0.5)
    system.update(1.5)
    report = system.report()["shots"]
    assert (report.limit, report.most_used, report.idle_share) == (9, 4, 0.25)
    assert report.surface_bytes == IMAGE.get_pitch() * 4
    assert not report.advice
    assert system.reset()["shots"].stats.active == 3
    assert (len(bullets), bool(handle)) == (0, False)
    assert system.report()["shots"].stats.spawned == 0
    system.configure(pooling=False)
    bullets.spawn((0, 0), velocity=(0, 0))
    assert len(bullets) == 1
    system.dispose()
    assert len(bullets) == 0
    with pytest.raises(PoolError, match="can't spawn shots: its pooling system was disposed of"):
        bullets.spawn((0, 0), velocity=(0, 0))


def test_a_scene_that_makes_swarms_leaves_none(no_collector: None) -> None:
    del no_collector
    system, budget = PoolingSystem(), Budget(50)
    kept: list[Any] = []
    for _ in range(100):
        sparks = make(Sparks, limit=9, budget=budget, system=system, overflow=RecycleOldest())
        sparks.spawn_many(20, position=(0, 0)) if len(kept) > 200 else sparks.spawn((0, 0))
        sparks.update(1.0)
        sparks.hits((0, 0))
        sparks.draw(IMAGE)
        kept.append(weakref.ref(sparks))
        del sparks
        system.reset()
    assert not any(reference() for reference in kept)
    assert not system.report().pools


def test_a_profile_gives_a_swarm_its_room_beforehand(tmp_path: Path) -> None:
    system = PoolingSystem()
    recorder = record_profile(tmp_path / "p.toml", system)
    bullets = make(system=system)
    bullets.spawn_many(3_000, position=(0, 0), velocity=(0, 0))
    recorder.stop()
    again = PoolingSystem()
    early = make(system=again)
    apply_profile(tmp_path / "p.toml", again)
    for swarm in (early, make(system=again)):
        room = swarm._rows.capacity
        swarm.spawn_many(3_000, position=(0, 0), velocity=(0, 0))
        assert swarm._rows.capacity == room


def test_the_inspector_shows_a_swarm() -> None:
    system = PoolingSystem()
    make(system=system, limit=20).spawn_many(7, position=(0, 0), velocity=(0, 0))
    bullets = make(system=system, limit=20)
    bullets.spawn_many(7, position=(0, 0), velocity=(0, 0))
    dots = Swarm((3, "gold"), limit=5, system=system, name="dots")
    inspector = Inspector(system, shown=True)
    screen = pygame.Surface((640, 360))
    inspector.draw(screen)
    assert [row.name for row in inspector._rows] == ["Bullets", "dots"]
    assert [row.value("peak") for row in inspector._rows] == [7, 0]
    assert all(row.picture is not None for row in inspector._rows)
    bullets.despawn([0, 1])
    for _ in range(3):  # parts of the next picture: its rows are still to come
        inspector.draw(screen)
    gone = weakref.ref(dots)
    del dots
    for _ in range(14):
        inspector.draw(screen)
    assert gone() is None
    assert [row.stats.active for row in inspector._rows] == [5]
    inspector.shown = False


def test_an_update_that_is_never_called_is_told_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    with caplog.at_level(logging.WARNING, "poolkit"):
        waits, updated = make(), make()
        for bullets in (waits, updated):
            bullets.spawn_many(2, position=(0, 0), velocity=(0, 0))
        updated.update(0.1)
        for _ in range(30):
            waits.draw(IMAGE)
            updated.draw(IMAGE)
    assert [record.getMessage() for record in caplog.records] == [
        "2 lives of Bullets wait, but its update(dt) was never called: call it once a frame"
    ]


# -- handles, hits, patterns, imports -------------------------------------------------------------


def test_handles_are_equal_by_life_and_say_so() -> None:
    bullets = make(name="shots")
    first = bullets.spawn((0, 0), velocity=(0, 0))
    second = bullets.spawn((0, 0), velocity=(0, 0))
    assert first == bullets.handle(0) != second
    assert len({first, bullets.handle(0), second}) == 2
    assert repr(second) == "<Handle(shots #1)>"
    assert (first.despawn(), first.despawn()) == (True, False)
    bullets.update(0)
    assert (second.get(), repr(first)) == (0, "<Handle(shots #0, over)>")
    assert isinstance(second, Handle)
    assert repr(bullets) == "<Bullets('shots', active=1, limit=None)>"


def test_places_of_other_lives_and_circles_of_any_size_are_targets() -> None:
    bullets = make()
    bullets.spawn_many(3, position=[(0, 0), (3002, 4002), (3002, 4002.5)], velocity=(0, 0))
    assert bullets.hits(bullets.position[1]).tolist() == [1, 2]
    assert bullets.hits((bullets.position[0], np.float32(3))).tolist() == [0]
    assert bullets.hits(((0, 0), 5000)).tolist() == [0, 1]
    assert bullets.hits(((0, 0), 1e25)).tolist() == [0, 1, 2]


def test_rings_and_fans_have_the_speed_and_the_angles() -> None:
    for found, angles in (
        (ring(4, 90), [0, 90, 180, 270]),
        (ring(3, 90, 30), [30, 150, 270]),
        (ring(0, 90), []),
        (spread(3, 90, 60, 90), [60, 90, 120]),
        (spread(1, 45, 60, 90), [45]),
        (spread(0, 45, 60, 90), []),
    ):
        expected = [pygame.Vector2(90, 0).rotate(-angle) for angle in angles]
        assert found.dtype == np.float32
        assert found.shape == (len(angles), 2)
        assert np.allclose(found, np.reshape(np.array(expected), (-1, 2)), atol=1e-4)


@pytest.mark.parametrize("pattern", [ring, lambda n, speed: spread(n, 0, 9, speed)])
def test_patterns_are_of_a_whole_number(pattern: Any) -> None:
    with pytest.raises(TypeError, match="integer"):
        pattern(2.5, 90)
    with pytest.raises(ValueError, match="-1"):
        pattern(-1, 90)


def test_without_numpy_the_import_says_what_to_install() -> None:
    program = """
import sys
sys.modules["numpy"] = None
try:
    import poolkit.swarms
except ImportError as error:
    assert "pip install numpy" in str(error), error
else:
    raise SystemExit("imported")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# -- what it costs --------------------------------------------------------------------------------


def test_a_steady_state_makes_no_net_allocation_and_brings_no_collection() -> None:
    system = PoolingSystem()
    bullets = make(system=system, limit=2_000, lifetime=1.0, overflow=RecycleOldest())
    colors = ["white", "gold", "red"]
    dots = Swarm((2, colors), limit=3_000, overflow=RecycleLowest("age"), system=system)
    screen = pygame.Surface((320, 180))
    targets = [pygame.Rect(n * 9, n * 5, 12, 12) for n in range(20)]
    velocity = ring(31, 90)

    def frame() -> None:
        bullets.spawn_many(31, position=(160, 90), velocity=velocity)
        handle = bullets.spawn((3, 3), velocity=(1.0, 0.0))
        dots.spawn_many(40, position=(160, 90), frame=1)
        for target in targets:
            bullets.despawn(bullets.hits(target)[::2])
        bullets.update(1 / 60)
        dots.update(1 / 60)
        system.update(1 / 60)
        bullets.draw(screen)
        dots.draw(screen)
        handle.get()

    def left(frames: int) -> tuple[int, int]:
        gc.collect()
        for _ in range(200):  # a collection has emptied Python's own stores of free objects
            frame()
        collections = sum(generation["collections"] for generation in gc.get_stats())
        blocks = sys.getallocatedblocks()
        for _ in range(frames):
            frame()
        collected = sum(generation["collections"] for generation in gc.get_stats()) - collections
        return sys.getallocatedblocks() - blocks, collected

    blocks, collections = min(left(1_000) for _ in range(2))
    assert blocks < 10  # the counts themselves, but nothing a frame
    assert collections == 0
