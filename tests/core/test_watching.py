"""Tools and listeners see every life begin and end; what they raise is nobody's loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from poolkit import DespawnReason, IPoolableComponent, Prefab
from poolkit.core.context import LifeWatcher, TimeWatcher
from recorder import Recorder

if TYPE_CHECKING:
    from poolkit import PoolingSystem, SceneReport
    from poolkit.core.record import PoolablePrefabData


class Spark(IPoolableComponent):
    def spawned(self) -> None:
        self.burning = True

    def despawned(self) -> None:
        self.burning = False


class Diary(LifeWatcher, TimeWatcher):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def called(self, what: str, name: str) -> None:
        self.lines.append(f"{what} {name}")

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        self.lines.append(f"begin {data.label} life {data.generation}")

    def ended(self, data: PoolablePrefabData[Any], reason: DespawnReason) -> None:
        assert reason in DespawnReason
        self.lines.append(f"end {data.label} life {data.generation}")

    def ended_again(self, data: PoolablePrefabData[Any]) -> None:
        self.lines.append(f"again {data.label}")

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        self.lines.append(f"gone {data.label}")

    def updating(self, dt: float) -> None:
        self.lines.append(f"update {dt}")

    def scene_ended(self, report: SceneReport) -> None:
        self.lines.append(f"scene {report['spark'].stats.spawned}")


spark = Prefab(Spark, name="spark")


def test_p11_a_watcher_sees_lives_begin_and_end_and_time_pass(system: PoolingSystem) -> None:
    diary = Diary()
    system._context.watch_lives(diary)
    system._context.watch_time(diary)
    one = system.spawn(spark)
    system.update(0.5)
    assert system.despawn(one)
    assert not system.despawn(one)
    system.spawn(spark)
    system.reset()
    assert diary.lines == [
        "spawn spark",
        "prespawn spark",
        "begin spark #0001 life 1",
        "update 0.5",
        "despawn spark",
        "end spark #0001 life 1",
        "despawn spark",
        "again spark #0001",
        "spawn spark",
        "begin spark #0001 life 2",
        "reset() the pools",
        "despawn spark",
        "end spark #0001 life 2",
        "gone spark #0001",
        "scene 2",
    ]


def test_p11_a_watcher_is_told_of_a_late_despawn_and_nothing_once_it_has_gone(
    system: PoolingSystem,
) -> None:
    diary = Diary()
    one = system.spawn(spark)
    system.reset()
    system._context.watch_lives(diary)
    system._context.watch_time(diary)
    assert not system.despawn(one)
    assert diary.lines == ["again spark #0001"]
    one = system.spawn(spark)
    system._context.unwatch_lives(diary)
    system._context.unwatch_time(diary)
    diary.lines.clear()
    system.despawn(one)
    system.update(0.1)
    system.spawn(spark)
    assert diary.lines == []
    assert system.pool(spark)._is_fast


@pytest.mark.parametrize("moment", ["called", "beginning", "ended", "ended_again"])
def test_p10_what_a_watcher_raises_reaches_the_caller_and_counts_stay_true(
    system: PoolingSystem, moment: str
) -> None:
    class Angry(LifeWatcher):
        pass

    def refuse(*_: object) -> None:
        raise RuntimeError(moment)

    setattr(Angry, moment, refuse)
    system.spawn(spark)
    system._context.watch_lives(Angry())

    def live_twice() -> None:
        for _ in range(2):
            one = system.spawn(spark)
            system.despawn(one)
            system.despawn(one)

    with pytest.raises(RuntimeError, match=moment):
        live_twice()
    stats = system.pool(spark).stats
    assert stats.created - stats.destroyed == stats.active + stats.inactive
    assert stats.active == 1


def test_p17_listeners_hear_of_each_life_after_spawned_and_before_despawned(
    system: PoolingSystem,
) -> None:
    prefab = Prefab(Recorder)
    pool = system.pool(prefab)
    heard: list[object] = []
    is_fast = pool._ends_fast
    remove = [
        pool.on_spawn(lambda orc: heard.append(("spawn", orc.log[-1]))),
        pool.on_despawn(lambda orc: heard.append(("despawn", orc.log[-1]))),
    ]
    system.despawn(system.spawn(prefab))
    assert heard == [("spawn", "spawned"), ("despawn", "spawned")]
    for each in remove * 2:
        each()
    system.despawn(system.spawn(prefab))
    assert len(heard) == 2
    assert pool._ends_fast is is_fast  # free while unused
