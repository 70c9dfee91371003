"""Tools and listeners see every life begin and end; what they raise is nobody's loss."""

from __future__ import annotations

from functools import partialmethod
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import Prefab
from poolkit.core.context import LifeWatcher, TimeWatcher
from recorder import Recorder, assert_counts, raising

if TYPE_CHECKING:
    from poolkit import PoolingSystem, SceneReport


class Diary(LifeWatcher, TimeWatcher):
    """Notes what it is told, moment by moment."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, moment: str, *told: Any) -> None:
        words = (getattr(each, "label", str(each)) for each in told)
        self.lines.append(" ".join([moment, *words]))

    def scene_ended(self, report: SceneReport) -> None:
        self.note("scene", report["spark"].stats.spawned)


for moment in ("called", "beginning", "ended", "ended_again", "gone", "updating"):
    setattr(Diary, moment, partialmethod(Diary.note, moment))

spark = Prefab(Recorder, name="spark")


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
        "called spawn spark",
        "called prespawn spark",
        "beginning spark #0001",
        "updating 0.5",
        "called despawn spark",
        "ended spark #0001 DespawnReason.DESPAWNED",
        "called despawn spark",
        "ended_again spark #0001",
        "called spawn spark",
        "beginning spark #0001",
        "called reset() the pools",
        "called despawn spark",
        "ended spark #0001 DespawnReason.RESET",
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
    assert diary.lines == ["ended_again spark #0001"]
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
