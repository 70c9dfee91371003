"""The demo of the cubes throws, tumbles, times out and measures what its keys say."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pygame
import pytest

import cubes
from cubes import CubesDemo, real_games_heap
from demo_fixture import hit, playing
from fountain.solids import KINDS, LIFETIME, crate, cube, gem, marble, solids, world
from poolkit import pools

if TYPE_CHECKING:
    from collections.abc import Iterator

LIFE = round(LIFETIME * 60)  # frames


@pytest.fixture
def demo() -> Iterator[CubesDemo]:
    """The fountain in its first frame."""
    with playing(CubesDemo) as demo:
        yield demo


@pytest.fixture
def small_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the key H fill the heap less, for the tests' speed."""
    monkeypatch.setattr(cubes, "real_games_heap", lambda: real_games_heap(2000))


def made() -> int:
    return sum(pool.stats.created for pool in pools.all_pools())


def run_on(demo: CubesDemo, frames: int) -> None:
    """Let frames pass without drawing them."""
    for _ in range(frames):
        demo.update(1 / 60)


def test_t03_a_cube_flies_out_every_frame(demo: CubesDemo) -> None:
    for count in range(1, 6):
        hit(demo)
        assert len(solids) == len(world.space.bodies) == count


def test_t03_cubes_differ_in_velocity_direction_and_colour(demo: CubesDemo) -> None:
    run_on(demo, 60)
    velocities = {each.body.velocity for each in solids}
    assert len(velocities) == 60
    assert {vx > 0 for vx, _ in velocities} == {True, False}
    assert len({each.tumble for each in solids}) == 2
    looks = [each.pictures for each in solids if each.prefab is cube]
    assert len(set(looks)) > 3
    some = next(each for each in solids if each.prefab is cube)
    seen = set()
    for _ in range(60):
        run_on(demo, 1)
        seen.add(some.image)
    assert len(seen) > 4  # it tumbles


@pytest.mark.parametrize(("key", "rate"), [(pygame.K_1, 1), (pygame.K_2, 5), (pygame.K_3, 10)])
def test_t03_keys_change_how_many_fly_out_a_frame(demo: CubesDemo, key: int, rate: int) -> None:
    hit(demo, key)
    before = len(solids)
    hit(demo, frames=4)
    assert len(solids) == before + 4 * rate


def test_t03_more_a_frame_come_out_of_larger_pools(demo: CubesDemo) -> None:
    hit(demo, pygame.K_2)
    before = made()
    run_on(demo, LIFE + 60)
    assert made() == before
    assert all(pools.pool(kind).stats.refused == 0 for kind in KINDS)


def test_t04_cubes_older_than_five_seconds_are_despawned(demo: CubesDemo) -> None:
    run_on(demo, 1)
    [first] = solids
    life = first.handle()
    run_on(demo, LIFE - 1)
    assert life
    assert len(solids) == LIFE
    run_on(demo, 2)
    assert not life
    run_on(demo, 100)
    assert LIFE - 1 <= len(solids) <= LIFE + 1


def test_t05_the_scoreboard_keeps_both_ways_apart(demo: CubesDemo) -> None:
    hit(demo, frames=5)
    hit(demo, pygame.K_p, frames=9)
    times = demo.scoreboard.times
    # The first frame of all, and the one of the key press, do other work than a game's.
    assert [len(times[way].seconds) for way in (True, False)] == [4, 8]
    hit(demo, pygame.K_2)
    assert not any(each.seconds for each in demo.scoreboard.times.values())


def test_t05_the_scoreboard_counts_full_collections_also_while_the_inspector_is_hidden(
    demo: CubesDemo,
) -> None:
    hit(demo, pygame.K_F2, frames=3)
    gc.collect()
    gc.collect(1)
    hit(demo)
    assert demo.scoreboard.times[True].full_collections == 1
    before = len(gc.callbacks)
    demo.close()
    assert len(gc.callbacks) == before - 1


def test_t05_h_fills_the_heap_with_as_many_objects_as_a_real_game_has() -> None:
    gc.collect()
    before = len(gc.get_objects())
    heap = real_games_heap()
    assert len(gc.get_objects()) - before == pytest.approx(300_000, rel=0.01)
    assert heap[1][0] is heap[7919]


@pytest.mark.parametrize("key", [pygame.K_3, pygame.K_h, pygame.K_p])
@pytest.mark.usefixtures("small_heap")
def test_t05_scoreboard_and_inspector_tell_the_same_and_not_of_the_frame_that_prepares_it(
    key: int, demo: CubesDemo
) -> None:
    hit(demo, frames=8)
    hit(demo, key, frames=4)
    gc.collect()
    hit(demo, frames=2)
    board, inspector = demo.scoreboard.times[demo.is_pooling], demo.inspector._times
    assert board.full_collections == inspector.collections[2] == 1
    # The inspector draws a frame in the next one.
    shown = [frame.seconds for frame in inspector.frames]
    assert shown == list(board.seconds)[:-1]


def test_t06_there_are_four_kinds_each_with_a_pool_of_its_own(demo: CubesDemo) -> None:
    hit(demo, pygame.K_3, frames=30)
    assert list(KINDS) == [cube, gem, crate, marble]
    assert all(pools.pool(kind).active_count > 3 for kind in KINDS)
    assert len({each.image.get_size() for each in solids if each.image}) == 1


def test_a_new_start_clears_the_air_and_the_ground(demo: CubesDemo) -> None:
    hit(demo, frames=50)
    old = list(solids)
    ground = set(demo.garden.ground)
    hit(demo, pygame.K_n)
    assert len(solids) == 1
    assert not any(pools.is_spawned(each) and each.alive() for each in old)
    assert len(demo.garden.ground) == len(ground)
    assert not ground & set(world.space.shapes)
