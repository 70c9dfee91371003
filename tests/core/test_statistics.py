"""What is told of pools: reports of scenes; each life, to tools and listeners."""

from __future__ import annotations

import atexit
import csv
import io
import json
from functools import partialmethod
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import PoolingSystem, PoolReport, PoolSettings, PoolStats, Prefab, SceneReport
from poolkit.core.seams import LifeWatcher, TimeWatcher
from poolkit.scenes import Scene, SceneManager
from recorder import Orc, Recorder, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_report_is_a_table_with_advice(system: PoolingSystem) -> None:
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
def test_advice_is_a_sentence(
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


def test_idle_share_counts_what_was_destroyed_for_the_time_it_was_there(
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
    assert PoolReport("orc", PoolStats()).idle_share == 0


def test_what_is_no_reason_to_prespawn(system: PoolingSystem) -> None:
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
    assert (report.stats.created, report.prespawned) == (1, 0)
    assert system.report().advice == ()  # before anything was spawned


def test_the_advice_at_a_limit_counts_those_that_stand_in_for_lives_that_a_frame_ends() -> None:
    said = []
    for count in (10, 17):
        system = PoolingSystem()
        orc = Prefab(Orc, settings=PoolSettings(prespawn=10, limit=10))
        system.prespawn(orc, count)
        system.update(0.1)
        alive = system.spawn_many(orc, [(0, 0)] * 10)
        for each in alive[:7]:
            system.despawn(each)
        system.spawn_many(orc, [(0, 0)] * 7)
        said.append(system.report()["Orc"].advice)
    more = "7 made late; 17 would do, more than its limit of lives: let a profile prespawn them"
    assert said == [f"Orc: 10 prespawned, 17 ever used, {more}", ""]


def test_a_report_goes_to_csv_and_to_json(system: PoolingSystem) -> None:
    name = 'an "orc", or;\ntwo'
    system.prespawn(Prefab(Orc, name=name), 3)
    system.spawn(name)
    system.update(0.5)
    report = system.report()
    found = json.loads(report.to_json())
    assert (found["scene"], found["seconds"], found["pools"][0]["name"]) == ("main", 0.5, name)
    assert PoolStats(**found["pools"][0]["stats"]) == report[name].stats
    [row] = csv.DictReader(io.StringIO(report.to_csv()))
    assert row["prefab"] == name
    assert row["scene"] == "main"
    assert (row["created"], row["peak_active"], row["idle_seconds"]) == ("3", "1", "1.0")
    assert float(row["idle_share"]) == pytest.approx(2 / 3)
    assert len(PoolingSystem().report().to_csv().splitlines()) == 1


def test_a_report_names_the_scene_that_a_manager_loaded(system: PoolingSystem) -> None:
    manager = SceneManager(system)
    names = []
    for members in ({}, {"name": "the pit"}, {"name": ""}, {"name": 5}):
        manager.load(type("Level", (Scene,), members)())
        names.append(system.report().scene)
    assert names == ["Level", "the pit", "Level", "Level"]
    assert str(system.report()) == "pools of Level after 0.0 s: none"
    last = manager.load(Scene())
    assert last is not None
    assert last.scene == "Level"


def test_what_is_printed_at_exit_are_the_reports_of_all_scenes(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at_exit: list[Callable[[], object]] = []
    monkeypatch.setattr(atexit, "register", at_exit.append)
    system.spawn(Orc)
    system.configure(report_at_exit=True)
    first = system.reset()
    system.reset()  # of a scene without pools there is nothing to tell
    system.spawn_many(Orc, [(0, 0)] * 2)
    at_exit[0]()
    assert capsys.readouterr().out == f"{first}\n{system.report()}\n"
    system.configure(report_at_exit=False)
    assert len(at_exit) == 1


# -- tools and listeners ---------------------------------------------------------------------------


class Diary(LifeWatcher, TimeWatcher):
    """Notes what it is told, moment by moment."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, moment: str, *told: Any) -> None:
        words = (getattr(each, "label", str(each)) for each in told)
        self.lines.append(" ".join([moment, *words]))

    def on_scene_ended(self, report: SceneReport) -> None:
        self.note("scene", report["spark"].stats.spawned)


for moment in (
    "on_call",
    "on_spawning",
    "on_despawned",
    "on_double_despawn",
    "on_removed",
    "on_updating",
):
    setattr(Diary, moment, partialmethod(Diary.note, moment))

spark = Prefab(Recorder, name="spark")


def test_a_watcher_sees_lives_begin_and_end_and_time_pass_until_it_goes(
    system: PoolingSystem,
) -> None:
    diary = Diary()
    system._context.watch_lives(diary)
    system._context.time_watchers.append(diary)
    one = system.spawn(spark)
    system.update(0.5)
    assert system.despawn(one)
    assert not system.despawn(one)
    system.spawn(spark)
    system.reset()
    assert not system.despawn(one)  # late
    assert diary.lines == [
        "on_call spawn spark",
        "on_spawning spark #0001",
        "on_updating 0.5",
        "on_call despawn spark",
        "on_despawned spark #0001 DespawnReason.DESPAWNED",
        "on_call despawn spark",
        "on_double_despawn spark #0001",
        "on_call spawn spark",
        "on_spawning spark #0001",
        "on_call reset() the pools",
        "on_call despawn spark",
        "on_despawned spark #0001 DespawnReason.RESET",
        "on_removed spark #0001",
        "scene 2",
        "on_call despawn spark",
        "on_double_despawn spark #0001",
    ]
    one = system.spawn(spark)
    system._context.unwatch_lives(diary)
    system._context.time_watchers.remove(diary)
    diary.lines.clear()
    system.despawn(one)
    system.update(0.1)
    system.spawn(spark)
    assert diary.lines == []


def test_a_pool_is_looked_at_until_nothing_happens_in_it(system: PoolingSystem) -> None:
    system.configure(reuse="next_update")
    pool = system.pool(spark)
    system.prespawn(spark, 1)
    seen = []
    for count in (0, 4, 4, 0, 0):  # in the third frame none rests before it or after
        for _ in range(count):
            system.spawn(spark)
        system.update(1.0)
        seen.append((pool in system._context.dirty_pools, pool.stats.idle_seconds))
    assert seen == [(True, 1), (True, 1), (True, 1), (False, 1), (False, 1)]
    assert system.report()["spark"].idle_share == pytest.approx(1 / (1 + 4 + 8 + 8 + 8))


@pytest.mark.parametrize("moment", ["on_call", "on_spawning", "on_despawned", "on_double_despawn"])
def test_what_a_watcher_raises_reaches_the_caller_and_counts_stay_true(
    system: PoolingSystem, moment: str
) -> None:
    watcher = LifeWatcher()
    setattr(watcher, moment, raising(RuntimeError(moment)))
    system.spawn(spark)
    system._context.watch_lives(watcher)

    def live_twice() -> None:
        for _ in range(2):
            one = system.spawn(spark)
            system.despawn(one)
            system.despawn(one)

    with pytest.raises(RuntimeError, match=moment):
        live_twice()
    assert_counts(system)
    assert system.pool(spark).active_count == 1


@pytest.mark.parametrize("is_own", [True, False])
def test_listeners_hear_of_each_life_after_spawned_and_before_despawned(
    system: PoolingSystem, *, is_own: bool
) -> None:
    prefab = Prefab(Recorder)
    pool = system.pool(prefab)
    heard: list[object] = []
    whose = pool if is_own else system
    remove = [
        whose.on_spawn(lambda orc: heard.append(("spawn", orc.log[-1]))),
        whose.on_despawn(lambda orc: heard.append(("despawn", orc.log[-1]))),
    ]
    if not is_own:  # a pool that is made later has them, too
        pool = system.pool(prefab := Prefab(Recorder))
    system.despawn(system.spawn(prefab))
    assert heard == [("spawn", "spawned"), ("despawn", "spawned")]
    for each in remove * 2:
        each()
    system.despawn(system.spawn(prefab))
    assert len(heard) == 2
    assert pool._observers is None  # nothing to pay for
