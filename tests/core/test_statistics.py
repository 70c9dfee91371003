"""Figures that stay true, reports, and what a steady state must not cost."""

from __future__ import annotations

import atexit
import csv
import gc
import io
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolReport,
    PoolSettings,
    PoolStats,
    Prefab,
    SceneReport,
)
from poolkit.core.context import TimeWatcher
from poolkit.scenes import Scene, SceneManager
from recorder import assert_counts, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkit import PrefabPool


class Orc:
    pass


def test_f08_spawned_and_despawned_lives_are_counted(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=2))
    for _ in range(3):
        system.spawn_many(orc, [(0, 0)] * 3)
        system.despawn_all(orc)
    system.spawn(orc)
    assert stats_of(system, orc) == PoolStats(
        created=3,
        active=1,
        inactive=2,
        peak_active=3,
        spawned=10,
        despawned=9,
        reused=9,
        late=1,
    )


def test_g11_every_call_answers_how_many_it_really_did(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(limit=5))
    pool = system.pool(orc)
    assert system.prespawn(orc, 3) == 3
    assert system.prespawn(orc, 3) == 0
    assert system.prespawn(orc, 9) == 2
    assert pool.increase_capacity(2) == 0
    assert pool.trim(4) == 1
    assert pool.decrease_capacity(2) == 2
    assert pool.increase_capacity(9) == 3
    assert pool.clear() == 5
    assert pool.clear() == 0


def test_u17_the_report_is_a_table_with_advice(system: PoolingSystem) -> None:
    system.register(Prefab(Orc, name="orc", settings=PoolSettings(prespawn=9)))
    for _ in range(2):
        system.spawn("orc")
    system.spawn_many(Prefab(Orc, name="dragon"), [(0, 0)] * 3)
    system.register(Prefab(Orc, name="imp"))
    text = str(system.report())
    lines = text.splitlines()
    assert lines[0] == "pools after 0.0 s"
    assert lines[1].split()[0] == "prefab"
    assert [line.split()[:5] for line in lines[2:5]] == [
        ["orc", "9", "9", "2", "7"],
        ["dragon", "0", "3", "3", "0"],
        ["imp", "0", "0", "0", "0"],
    ]
    assert lines[5:] == [
        "orc: 9 prespawned, 2 ever used; 3 would do",
        "dragon: 0 prespawned, 3 ever used, 3 made late; 4 would do",
    ]
    assert str(PoolingSystem().report()) == "pools after 0.0 s: none"


def test_u17_idle_share_is_never_out_of_range() -> None:
    assert PoolReport("orc", PoolStats(), 0.0).idle_share == 0
    assert PoolReport("orc", PoolStats(created=1, idle_seconds=9.0), 3.0).idle_share == 1
    assert list(SceneReport(1.0, ())) == []


def test_u17_the_report_is_printed_at_exit_if_asked_for() -> None:
    program = (
        "from poolkit import pools, Prefab\n"
        "class Orc: pass\n"
        "pools.spawn(Prefab(Orc, name='orc'))\n"
        "pools.configure(report_at_exit=True)\n"
        "pools.configure(report_at_exit=True)\n"
        "import sys\n"
        "if len(sys.argv) > 1: pools.configure(report_at_exit=False)\n"
    )
    for arguments, count in ([], 1), (["off"], 0):
        run = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
        )
        assert run.stdout.count("pools after") == count
        assert run.stderr == ""


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30

    def despawned(self) -> None:
        self.current = 0


class Monster(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health())


@pytest.mark.parametrize("way", ["despawn", "kill", "many", "fifty alive"])
def test_u12_a_steady_state_allocates_nothing_and_collects_nothing(
    system: PoolingSystem, way: str
) -> None:
    monster = Prefab(
        Monster, name="monster", groups=[PooledGroup()], settings=PoolSettings(prespawn=60)
    )
    system.register(monster)
    position = (3.0, 4.0)
    alive = system.spawn_many(monster, [position] * 50) if way == "fifty alive" else []

    def cycle() -> None:
        if way == "despawn":
            system.despawn(system.spawn(monster, position, 0.0))
        elif way == "kill":
            system.spawn(monster, position).kill()
        elif way == "many":
            for one in system.spawn_many(monster, (position, position)):
                one.kill()
        else:
            alive.pop().kill()
            alive.append(system.spawn(monster, position))

    def collections() -> int:
        return sum(generation["collections"] for generation in gc.get_stats())

    # Long enough for each instance's life to be counted by an integer of its own (the interpreter
    # shares those up to 256), then again for its free lists, which a collection empties, to fill.
    for _ in range(20_000):
        cycle()
    gc.collect()
    for _ in range(500):
        cycle()
    collected, blocks = collections(), sys.getallocatedblocks()
    for _ in range(20_000):
        cycle()
    # What the interpreter itself keeps, such as a specialised instruction, is not per cycle.
    assert abs(sys.getallocatedblocks() - blocks) < 50
    assert collections() == collected
    assert_counts(system)


def report_after(
    system: PoolingSystem, *, prespawn: int, peak: int, limit: int | None = None
) -> PoolReport:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=prespawn, limit=limit))
    system.register(orc)
    for _ in range(4):  # a queue hands out all of them in turns
        for _ in range(peak):
            system.try_spawn(orc)
        system.despawn_all()
    return system.report()["orc"]


@pytest.mark.parametrize(
    ("prespawn", "peak", "limit", "advice"),
    [
        (20, 7, None, "orc: 20 prespawned, 7 ever used; 8 would do"),
        (8, 7, None, ""),
        (7, 7, None, ""),
        (20, 0, None, "orc: 20 prespawned, 0 ever used; 0 would do"),
        (5, 9, None, "orc: 5 prespawned, 9 ever used, 4 made late; 10 would do"),
        (5, 9, 9, "orc: 5 prespawned, 9 ever used, 4 made late; 9 would do"),
        (
            8,
            9,
            8,
            (
                "orc: 8 prespawned, 8 ever used, 4 spawns refused at its limit; raise it, "
                "or let it recycle"
            ),
        ),
        (0, 0, None, ""),
    ],
)
def test_u17_advice_is_a_sentence(
    system: PoolingSystem, prespawn: int, peak: int, limit: int | None, advice: str
) -> None:
    report = report_after(system, prespawn=prespawn, peak=peak, limit=limit)
    assert report.advice == advice
    assert report.prespawned == prespawn
    # Before anything was spawned, as right after a scene was loaded, the scene says nothing yet.
    assert system.report().advice == ((advice,) if advice and peak else ())


def test_u17_idle_share_counts_what_was_destroyed_for_the_time_it_was_there(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=10))
    system.spawn(orc)
    system.update(1.0)
    system.pool(orc).trim(0)
    assert system.report()["orc"].idle_share == pytest.approx(0.9)
    system.update(9.0)
    report = system.report()["orc"]
    assert report.stats.idle_seconds == pytest.approx(9.0)
    assert report.idle_share == pytest.approx(9 / 19)


def test_u17_adopted_and_kept_instances_were_not_prespawned(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc")
    system.prespawn(orc, 2)
    system.spawn(orc, persistent=True)
    system.adopt(orc, Orc())
    assert system.report()["orc"].prespawned == 2
    system.reset()
    report = system.report()["orc"]
    assert report.stats.created == 1
    assert report.prespawned == 0


def test_u17_a_report_goes_to_csv_and_to_json_and_back(system: PoolingSystem) -> None:
    name = 'an "orc", or;\ntwo'
    system.prespawn(Prefab(Orc, name=name), 3)
    system.spawn(name)
    system.update(0.5)
    report = system.report()
    assert SceneReport.from_json(report.to_json()) == report
    [row] = csv.DictReader(io.StringIO(report.to_csv()))
    assert row["prefab"] == name
    assert row["scene"] == "main"
    assert (row["created"], row["peak_active"], row["idle_seconds"]) == ("3", "1", "1.0")
    assert float(row["idle_share"]) == pytest.approx(2 / 3)
    assert len(PoolingSystem().report().to_csv().splitlines()) == 1


def test_u17_a_report_names_the_scene_that_a_manager_loaded(system: PoolingSystem) -> None:
    class Cave(Scene):
        pass

    class Level(Scene):
        def __init__(self, name: object) -> None:
            self.name = name

    manager = SceneManager(system)
    names: list[object] = ["the pit", "", 5]
    for scene in (Cave(), *map(Level, names)):
        manager.load(scene)
    manager.load(Cave())
    assert str(system.report()) == "pools of Cave after 0.0 s: none"
    first = manager.load(Level("the pit"))
    last = manager.load(Level(7))
    assert first is not None
    assert last is not None
    assert (first.scene, last.scene, system.report().scene) == ("Cave", "the pit", "Level")


def test_tools_see_pools_begin_and_say_what_a_scene_shall_have(system: PoolingSystem) -> None:
    orc, elf = Prefab(Orc, name="orc"), Prefab(Orc, name="elf")
    seen: list[object] = []

    class Tool(TimeWatcher):
        def scene_beginning(self, name: str) -> Mapping[Any, int]:
            seen.append(name)
            return {elf: 3}

        def pool_begun(self, pool: PrefabPool[Any]) -> None:
            assert pool.capacity == 0
            seen.append(pool.name)

    class Level(Scene):
        def prewarm(self) -> Mapping[Any, int]:
            return {orc: 2}

    system._context.watch_time(Tool())
    system._context.watch_time(TimeWatcher())
    SceneManager(system).load(Level())
    assert seen == ["Level", "elf", "orc"]
    assert system.pool(elf).inactive_count == 3
    assert system.pool(orc).inactive_count == 2


def test_u17_what_pooling_switched_off_made_is_no_reason_to_prespawn(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, name="orc")
    system.configure(pooling=False)
    for _ in range(5):
        system.despawn(system.spawn(orc))
    system.configure(pooling=True)
    report = system.report()["orc"]
    assert (report.stats.late, report.unpooled, report.prespawned) == (5, 5, 0)
    assert report.advice == ""
    system.spawn(orc)
    assert system.report()["orc"].advice == (
        "orc: 0 prespawned, 1 ever used, 1 made late; 1 would do"
    )


def test_x09_a_report_advises_nothing_before_anything_was_spawned(system: PoolingSystem) -> None:
    system.prespawn(Prefab(Orc, name="orc", persistent=True), 20)
    system.reset()
    assert system.report()["orc"].prespawned == 0
    assert system.report().advice == ()
    system.despawn(system.spawn("orc"))
    assert system.report()["orc"].would_do == 1  # what is single is not doubled


def test_u17_what_is_printed_at_exit_is_the_report(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_exit: list[Callable[[], object]] = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    system.spawn(Orc)
    system.configure(report_at_exit=True)
    at_exit[0]()
    assert capsys.readouterr().out == f"{system.report()}\n"
    system.configure(report_at_exit=False)
    assert len(at_exit) == 1
