"""The demo of the cubes throws, tumbles, times out and measures what its keys say."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pygame
import pytest

import cubes
from cubes import SELF_PLAY, CubesDemo, real_games_heap
from demo_fixture import ended, hit, pixels, playing, plays_the_same_twice, start
from fountain import solids as fountain_solids
from fountain.garden import GROUND
from fountain.scoreboard import FrameTimes
from fountain.solids import KINDS, LIFETIME, crate, cube, gem, marble, solids, world
from poolkit import pools
from shared.scene_demo import self_play

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def test_t03_cubes_bounce_on_the_paving_and_fall_into_the_basin(demo: CubesDemo) -> None:
    run_on(demo, LIFE)
    around = [each.rect for each in solids if each.rect.top < GROUND]
    outside = [rect for rect in around if abs(rect.centerx - 480) > 230]
    inside = [each.rect for each in solids if abs(each.rect.centerx - 480) < 180]
    assert len(outside) > 20
    assert all(rect.centery < GROUND for rect in outside)
    assert any(rect.top > GROUND for rect in inside)


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


def test_t04_no_cube_of_a_later_life_goes_before_its_time(demo: CubesDemo) -> None:
    run_on(demo, 100)
    early = solids.sprites()[50]
    early.kill()
    pools.update(0.0)  # what died in a frame is not handed out in the same frame
    again = pools.spawn(early.prefab or cube, (480, 100), velocity=(1, 0), color=0)
    while again is not early:
        again = pools.spawn(early.prefab or cube, (480, 100), velocity=(1, 0), color=0)
    life = again.handle()
    run_on(demo, LIFE - 1)
    assert life
    run_on(demo, 2)
    assert not life


def test_t05_p_builds_every_cube_anew_until_it_is_pressed_again(demo: CubesDemo) -> None:
    run_on(demo, 20)
    before = made()
    run_on(demo, 20)
    assert made() == before
    hit(demo, pygame.K_p)
    assert made() == before + 1
    run_on(demo, 20)
    assert made() == before + 21
    assert all(pools.pool(kind).inactive_count == 0 for kind in KINDS)
    hit(demo, pygame.K_p)
    before = made()
    run_on(demo, LIFE + 20)
    assert made() == before


def test_t05_the_scoreboard_keeps_both_ways_apart(demo: CubesDemo) -> None:
    hit(demo, frames=5)
    hit(demo, pygame.K_p, frames=9)
    times = demo.scoreboard.times
    # The first frame of all, and the one of the key press, do other work than a game's.
    assert [len(times[way].seconds) for way in (True, False)] == [4, 8]
    hit(demo, pygame.K_2)
    assert not any(each.seconds for each in demo.scoreboard.times.values())


def test_t05_the_figures_are_mean_p99_and_worst() -> None:
    times = FrameTimes()
    for milliseconds in range(100):
        times.seconds.append(milliseconds / 1000)
    assert times.mean == pytest.approx(0.0495)
    assert times.p99 == pytest.approx(0.098)
    assert times.worst == pytest.approx(0.099)


def test_t05_the_scoreboard_shows_its_figures(demo: CubesDemo) -> None:
    place = demo.scoreboard.place
    upper = pygame.Rect(place.right - 460, place.top + 30, 460, 28)
    lower = upper.move(0, 32)
    empty = pixels(demo, upper), pixels(demo, lower)
    hit(demo, frames=3)
    half = pixels(demo, upper), pixels(demo, lower)
    assert half[0] != empty[0]
    assert half[1] == empty[1]
    hit(demo, pygame.K_p, frames=3)
    assert pixels(demo, lower) != empty[1]


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
    assert heap[1].neighbours[0] is heap[7919]


@pytest.mark.usefixtures("small_heap")
def test_t05_h_fills_and_empties_and_a_new_start_keeps_it(demo: CubesDemo) -> None:
    hit(demo, pygame.K_h)
    filled = demo.heap
    assert len(filled) == 1000
    hit(demo, pygame.K_n)
    assert len(demo.heap) == 1000
    assert demo.heap is not filled  # anew: what there was at loading, the collector ignores
    hit(demo, pygame.K_h)
    assert demo.heap == []


@pytest.mark.parametrize("key", [pygame.K_3, pygame.K_h])
@pytest.mark.usefixtures("small_heap")
def test_t05_the_frame_that_prepares_a_comparison_is_in_no_figures(
    key: int, demo: CubesDemo
) -> None:
    hit(demo, frames=8)
    hit(demo, key)
    demo.frame_took(0.5)
    hit(demo, frames=3)
    assert demo.inspector._times.worst < 0.5
    assert len(demo.inspector._times.frames) == 2


def test_t06_there_are_four_kinds_each_with_a_pool_of_its_own(demo: CubesDemo) -> None:
    hit(demo, pygame.K_3, frames=30)
    assert list(KINDS) == [cube, gem, crate, marble]
    assert all(pools.pool(kind).active_count > 3 for kind in KINDS)
    assert len({each.image.get_size() for each in solids if each.image}) == 1


def test_t06_a_marble_paints_itself_once_and_keeps_its_pattern(
    demo: CubesDemo, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    paint = fountain_solids.paint_marble

    def watched(hue: int, seed: float, turn: float) -> pygame.Surface:
        painted.append(hue)
        return paint(hue, seed, turn)

    monkeypatch.setattr(fountain_solids, "paint_marble", watched)
    first = pools.spawn(marble, (480, 100), velocity=(1, 0), color=0)
    before = first.pictures
    first.kill()
    while (again := pools.spawn(marble, (480, 100), velocity=(1, 0), color=3)) is not first:
        pass
    assert again.pictures is before
    assert painted == []  # all of them were painted beforehand
    hit(demo, pygame.K_p)
    painted.clear()
    pools.spawn(marble, (480, 100), velocity=(1, 0), color=0)
    assert len(painted) == 4


def test_t06_no_two_marbles_are_alike(demo: CubesDemo) -> None:
    assert demo.running
    some = pools.spawn_many(marble, [(480, 100)] * 5, velocity=(1, 0), color=0)
    assert len({pygame.image.tobytes(each.pictures[0], "RGBA") for each in some}) == 5


def test_a_new_start_clears_the_air_and_the_ground(demo: CubesDemo) -> None:
    hit(demo, frames=50)
    old = list(solids)
    ground = set(demo.garden.ground)
    hit(demo, pygame.K_n)
    assert len(solids) == 1
    assert not any(pools.is_spawned(each) and each.alive() for each in old)
    assert len(demo.garden.ground) == len(ground)
    assert not ground & set(world.space.shapes)


def test_playing_itself_presses_every_key_and_escape_last() -> None:
    pressed = [key for frame in range(300) for key in self_play(SELF_PLAY, 300, frame)]
    assert pressed == [*filter(None, SELF_PLAY), pygame.K_ESCAPE]
    keys = {pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_p, pygame.K_h, pygame.K_n}
    assert set(filter(None, SELF_PLAY)) == keys


def test_the_same_seed_plays_the_same_game_and_leaves_picture_and_report(tmp_path: Path) -> None:
    out = plays_the_same_twice("cubes", 80, tmp_path, pygame.Rect(0, 0, 960, 500))
    assert all(f"\n{kind.name} " in out for kind in KINDS)


def test_help_shows_an_example(tmp_path: Path) -> None:
    code, out, _ = ended(start("cubes", "--help", folder=tmp_path))
    assert code == 0
    assert "example: python demos/cubes.py" in out
