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


def run_on(demo: CubesDemo, frames: int) -> None:
    """Let frames pass without drawing them."""
    for _ in range(frames):
        demo.update(1 / 60)


@pytest.mark.parametrize(("key", "rate"), [(pygame.K_1, 1), (pygame.K_2, 5), (pygame.K_3, 10)])
def test_t03_t06_as_many_as_a_key_says_fly_out_a_frame_and_differ(
    demo: CubesDemo, key: int, rate: int
) -> None:
    hit(demo, key, frames=60)
    assert len(solids) == len(world.space.bodies) == 60 * rate
    assert len({each.body.velocity for each in solids}) == 60 * rate
    assert {each.body.velocity.x > 0 for each in solids} == {True, False}
    assert list(KINDS) == [cube, gem, crate, marble]
    assert all(pools.pool(kind).active_count for kind in KINDS)
    assert len({each.pictures for each in solids if each.prefab is cube}) > 3
    some = next(iter(solids))
    seen = set()
    for _ in range(60):
        run_on(demo, 1)
        seen.add(some.image)
    assert len(seen) > 4  # it tumbles


def test_t04_cubes_older_than_five_seconds_are_despawned(demo: CubesDemo) -> None:
    run_on(demo, 1)
    [first] = solids
    life, stats = first.handle(), [pools.pool(kind).stats for kind in KINDS]
    run_on(demo, LIFE - 1)
    assert life
    assert len(solids) == LIFE
    run_on(demo, 2)
    assert not life
    run_on(demo, 100)
    assert LIFE - 1 <= len(solids) <= LIFE + 1
    made = [pools.pool(kind).stats.created for kind in KINDS]
    assert made == [before.created for before in stats]


def test_t05_the_scoreboard_keeps_both_ways_apart(demo: CubesDemo) -> None:
    hit(demo, frames=5)
    hit(demo, pygame.K_p, frames=9)
    times = demo.scoreboard.times
    # The first frame of all, and the one of the key press, do other work than a game's.
    assert [len(times[way].seconds) for way in (True, False)] == [4, 8]
    hit(demo, pygame.K_2)
    assert not any(each.seconds for each in demo.scoreboard.times.values())


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


def test_t05_h_fills_the_heap_with_as_many_objects_as_a_real_game_has() -> None:
    gc.collect()
    before = len(gc.get_objects())
    heap = real_games_heap()
    assert len(gc.get_objects()) - before == pytest.approx(300_000, rel=0.01)
    assert heap[1][0] is heap[7919]
