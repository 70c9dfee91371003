"""Reports: what a scene says of its pools, and what tools say of a scene."""

from __future__ import annotations

import atexit
import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import PoolingSystem, PoolReport, PoolSettings, PoolStats, Prefab, SceneReport
from poolkit.core.context import TimeWatcher
from poolkit.scenes import Scene, SceneManager
from recorder import Orc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkit import PrefabPool


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


@pytest.mark.parametrize(
    ("prespawn", "peak", "limit", "advice"),
    [
        (20, 7, None, "20 prespawned, 7 ever used; 8 would do"),
        (8, 7, None, ""),
        (7, 7, None, ""),
        (20, 0, None, "20 prespawned, 0 ever used; 0 would do"),
        (5, 9, None, "5 prespawned, 9 ever used, 4 made late; 10 would do"),
        (5, 9, 9, "5 prespawned, 9 ever used, 4 made late; 9 would do"),
        (
            8,
            9,
            8,
            "8 prespawned, 8 ever used, 4 spawns refused at its limit; raise it, or let it recycle",
        ),
        (0, 0, None, ""),
    ],
)
def test_u17_advice_is_a_sentence(
    system: PoolingSystem, prespawn: int, peak: int, limit: int | None, advice: str
) -> None:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=prespawn, limit=limit))
    system.register(orc)
    for _ in range(4):  # a queue hands out all of them in turns
        for _ in range(peak):
            system.try_spawn(orc)
        system.despawn_all()
    advice = advice and f"orc: {advice}"
    report = system.report()["orc"]
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
    assert PoolReport("orc", PoolStats(), 0.0).idle_share == 0
    assert PoolReport("orc", PoolStats(created=1, idle_seconds=9.0), 3.0).idle_share == 1


def test_x09_what_is_no_reason_to_prespawn(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc")
    system.configure(pooling=False)
    for _ in range(5):
        system.despawn(system.spawn(orc))
    system.configure(pooling=True)
    report = system.report()["orc"]
    assert (report.stats.late, report.unpooled, report.prespawned, report.advice) == (5, 5, 0, "")
    system.prespawn(orc, 2)
    system.adopt(orc, Orc())
    system.spawn(orc, persistent=True)
    assert system.report()["orc"].prespawned == 2
    system.reset()
    report = system.report()["orc"]
    assert (report.stats.created, report.prespawned, report.would_do) == (1, 0, 1)
    assert system.report().advice == ()  # before anything was spawned


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


class Level(Scene):
    """A scene with a name, or something else that it calls so."""

    def __init__(self, name: object) -> None:
        self.name = name


def test_u17_a_report_names_the_scene_that_a_manager_loaded(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    names = []
    for scene in (Scene(), *map(Level, ["the pit", "", 5])):
        manager.load(scene)
        names.append(system.report().scene)
    assert names == ["Scene", "the pit", "Level", "Level"]
    assert str(system.report()) == "pools of Level after 0.0 s: none"
    last = manager.load(Scene())
    assert last is not None
    assert last.scene == "Level"


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

    system._context.watch_time(Tool())
    system._context.watch_time(TimeWatcher())
    level: Any = Level("the pit")
    level.prewarm = {orc: 2}
    SceneManager(system).load(level)
    assert seen == ["the pit", "elf", "orc"]
    assert system.pool(elf).inactive_count == 3
    assert system.pool(orc).inactive_count == 2


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
