"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import bench
from benchmarks import frames, kinds, measure, survivors
from benchmarks.measure import ANEW, BAREST, BY_HAND, POOLKIT
from benchmarks.report import hold, interpreter
from benchmarks.swarms import swept

if TYPE_CHECKING:
    from pathlib import Path

PLACE = (3.0, 4.0)


def test_ways_take_turns_and_ratios_are_of_samples_with_the_same_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measure, "_CLOCK", itertools.count().__next__)  # a second a look
    order: list[str] = []

    def work(way: str, _: int) -> None:
        order.append(way)
        if way == "b":
            measure._CLOCK()

    contest = measure.Contest("two", {way: partial(work, way) for way in "ab"}, 2, samples=3)
    contest.run()
    assert "".join(order) == "aaabbb" + "bbbaaa" + "aaabbb"
    assert contest.times("a") == [1e6] * 6
    assert contest.ratio("b", to="a") == contest.ratio("b", "a", measure.worst) == [2.0] * 3
    assert measure.worst([1.0] * 198 + [50.0, 70.0]) == 60.0


def test_what_work_leaves_behind_is_counted() -> None:
    kept: list[object] = []
    work = measure.repeated({"keep": kept.append}, "keep(object())", "keep(None)", at_once=2)
    assert measure.left_behind(work, 1_000)[0] > 400
    assert len(kept) == 3 * 7_000
    assert measure.left_behind(lambda _: None, 1_000) == (0, 0)


def test_a_figure_that_reaches_its_bar_is_met_and_one_that_does_not_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missed: list[str] = []
    monkeypatch.setattr("benchmarks.report.missed", missed)
    hold("a spawn", 1.15, 1.15)
    hold("a frame", 59.9, 60, at_least=True)
    assert capsys.readouterr().out.splitlines() == [
        "met      1.15, at most 1.15: a spawn",
        "NOT MET  59.9, at least 60: a frame",
    ]
    assert missed == ["59.9 (60): a frame"]


@pytest.mark.parametrize(
    ("options", "code"), [(["inspector"], 1), (["inspector", "--quick"], 0)], ids=["all", "quick"]
)
def test_a_missed_bar_is_in_the_exit_code_of_a_whole_measurement(
    options: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.report.missed", ["a frame"])
    monkeypatch.setattr(frames, "inspector", lambda _: ())
    assert bench.main([bench.INSIDE, *options]) == code


def test_a_pool_by_hand_hands_out_what_it_took_back_and_ends_a_life_once() -> None:
    oldest = partial(kinds.OldestPool, active=OrderedDict())
    for kind in (kinds.HandPool, oldest):
        pool = kind(kinds.HandSprite, 1)
        first = pool.spawn(PLACE)
        assert (first.rect.center, [*pool.group]) == (PLACE, [first])
        assert [pool.despawn(first), pool.despawn(first)] == [True, False]
        assert not pool.group
        assert pool.spawn(PLACE) is first
    assert pool.spawn(PLACE) is first  # the oldest life ended for it
    waiting = kinds.WaitingPool(kinds.HandSprite, 1, limit=1, waiting=[])
    first = waiting.spawn(PLACE)
    assert waiting.spawn(PLACE) is None
    waiting.despawn(first)
    assert waiting.spawn(PLACE) is not first


def test_pools_by_hand_do_all_that_their_kind_of_life_asks_for() -> None:
    family = kinds.ParentPool(kinds.HandParent, 2)
    parent = family.spawn(PLACE)
    child = family.spawn((5.0, 5.0), parent=parent)
    assert (child.offset, parent.children) == ((2.0, 1.0), [child])
    assert family.despawn(parent)
    assert (child.parent, parent.children, [*family.active]) == (None, [], [])
    healthy = kinds.ComponentPool(kinds.HandHealthy, 1)
    sprite = healthy.spawn(PLACE)
    assert (sprite.health.current, healthy.despawn(sprite)) == (30, True)
    assert sprite.health.current == 0
    group: Any = pygame.sprite.Group()
    assert kinds.GroupsPool(kinds.HandSprite, 1).spawn(PLACE, groups=[group]) in group
    way = kinds.bodies(kinds.BodyPool, 1)
    thing = way.spawn(PLACE, velocity=(9.0, 9.0))
    way.step(1.0)
    assert thing.rect.center == thing.body.position == (12.0, 13.0)
    way.despawn(thing)
    assert (way.spawn(PLACE), thing.body.velocity) == (thing, (0.0, 0.0))
    assert list(way.world.bodies) == [thing.body]


def test_collisions_end_as_many_lives_whichever_way_the_game_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "in_frames", lambda *game: game)
    games: dict[str, Any] = frames._bodies(400)
    alive: list[list[int]] = []
    for way, begin in games.values():
        alive.append([])
        for _ in range(20):
            begin()
            way.update(frames.STEP)
            way.step(frames.STEP)
            alive[-1].append(len(way.group))
    assert alive[0] == alive[1] == alive[2]
    assert min(alive[0]) < 400


def test_the_game_by_hand_is_the_same_as_that_by_poolkit() -> None:
    screen = pygame.Surface((frames.WIDTH, frames.HEIGHT))
    ours, theirs = survivors.Pooled(), survivors.ByHand()
    for _ in range(60):
        ours.frame(screen, frames.STEP)
        theirs.frame(screen, frames.STEP)
    assert abs(ours.hits - theirs.hits) < 0.01 * ours.hits
    assert abs(len(ours.enemies) - len(theirs.enemies)) < 10
    assert abs(len(ours.bullets) - theirs.count) < 50
    ours.bullets.update(frames.STEP)  # on into those that they hit next
    x, y = ours.bullets.position.T
    pairs = swept(x, y, ours.enemies.sprites())
    found = {pair for pair in pairs if ours.bullets.alive[pair[0]]}
    assert found == {*ours.bullets.hits(ours.enemies)}
    assert len(found) > 5


def test_all_benchmarks_tell_and_draw_what_they_found(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    options = ["all", "--quick", "--plot", "plot.png"]
    command = [sys.executable, bench.__file__, bench.INSIDE, *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    told = done.stdout.split("== ")[1:]
    for name, text in zip(bench.BENCHMARKS, told, strict=True):
        assert text.startswith(f"{name} ({interpreter()})")
        assert "met  " in text or "NOT MET" in text
    rows = [part.splitlines()[1:] for part in told[0].split("\n\n")]
    ways = [[row[2:24].strip() for row in lines if row[:2] == "  "] for lines in rows]
    assert ways.count([POOLKIT, BY_HAND, BAREST, ANEW]) == 16
    assert "\n1 pool\n" in told[1]
    picture = pygame.image.load(tmp_path / "plot.png")
    assert picture.get_width() > 1000
    assert picture.get_at((1, 1)).a == 0
    assert b"Software" not in (tmp_path / "plot.png").read_bytes()
