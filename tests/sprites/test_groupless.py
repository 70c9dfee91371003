"""Lives in no group: told once, in the log, by prefab and count."""

from __future__ import annotations

import gc
import logging
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import ObjectPool, PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.sprites import groupless

if TYPE_CHECKING:
    from collections.abc import Callable


class Bullet(PooledSprite):
    def spawned(self) -> None:
        self.speed = 3


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "poolkit")


def remove_all(group: Any) -> None:
    group.remove(*group.sprites())


@pytest.mark.parametrize("lose", [lambda group: group.empty(), remove_all])
@pytest.mark.parametrize("count", [1, 12, 900])
def test_p13_an_emptied_group_is_told_at_the_first_update_after_by_prefab_and_count(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    lose: Callable[[Any], object],
    count: int,
) -> None:
    bullets = PooledGroup()
    system.spawn_many(Prefab(Bullet, name="bullet", groups=[bullets]), [(0, 0)] * count)
    system.update(0.1)
    assert caplog.messages == []
    lose(bullets)
    for _ in range(3):
        system.update(0.1)
    [message] = caplog.messages
    lives = "1 life of bullet is" if count == 1 else f"{count} lives of bullet are"
    assert message.startswith(f"{lives} active, but in no group any more")


def test_p13_a_single_one_among_very_many_is_found_within_some_frames(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    crowd, others = PooledGroup(), PooledGroup()
    prefab = Prefab(Bullet, name="bullet", groups=[crowd])
    sprites = system.spawn_many(prefab, [(0, 0)] * 2000)
    crowd.add(PooledSprite())  # so that the group is no smaller than it should be
    others.add(sprites[5])
    system.update(0.1)
    sprites[1234].remove(crowd)
    frames = 0
    while not caplog.messages and frames < 10:
        system.update(0.1)
        frames += 1
    assert caplog.messages[0].startswith("1 life of bullet is active")


def test_p13_every_one_of_very_many_pools_has_its_turn(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    groups = [PooledGroup() for _ in range(200)]
    for number, group in enumerate(groups):
        system.spawn(Prefab(Bullet, name=f"bullet {number}", groups=[group]))
    groups[150].empty()
    for _ in range(8):
        system.update(0.1)
    [message] = caplog.messages
    assert message.startswith("1 life of bullet 150 is")


def test_p13_who_was_in_no_group_or_has_left_for_another_or_is_dead_is_no_finding(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = PooledGroup(), PooledGroup()
    system.spawn(Prefab(Bullet, name="lonely"))
    moved = system.spawn(Prefab(Bullet, name="moved", groups=[first]))
    system.spawn(Prefab(Bullet, name="dead", groups=[first])).kill()
    system.spawn(Prefab(list, name="list"))
    pool: ObjectPool[list[int]] = ObjectPool(list)
    pool.get()
    for _ in range(3):
        system.update(0.1)
        moved.remove(first)
        moved.add(second)
    assert caplog.messages == []


def test_p13_a_prefab_that_was_told_of_is_freed_as_ever(system: PoolingSystem) -> None:
    bullets = PooledGroup()
    prefab = Prefab(Bullet, name="bullet", groups=[bullets])
    system.spawn(prefab)
    bullets.empty()
    gc.collect()  # what other tests have left is not counted
    before = len(groupless.told)
    system.update(0.1)
    assert len(groupless.told) == before + 1
    system.reset()
    del prefab
    assert len(groupless.told) == before


def test_p13_groups_joined_in_the_constructor_or_for_one_life_alone_count_too(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    home, given = PooledGroup(), PooledGroup()

    class Shell(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((2, 2)), home)

    system.spawn_many(Shell, [(0, 0)] * 4)
    system.spawn_many(Bullet, [(0, 0)] * 5, groups=[given])
    system.update(0.1)
    home.empty()
    given.empty()
    system.update(0.1)
    assert [message.split(" are ")[0] for message in caplog.messages] == [
        "4 lives of Shell",
        "5 lives of Bullet",
    ]
