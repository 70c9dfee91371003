"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import bench
from benchmarks import by_hand as hand
from benchmarks import churn, lives
from benchmarks.by_hand import HandPool, HandSprite, OldestPool, WaitingPool
from benchmarks.by_poolkit import HandHealthy
from benchmarks.measure import ANEW, BAREST, BY_HAND, POOLKIT, contest, left_behind, repeated, worst
from benchmarks.report import Verdict, interpreter, table

if TYPE_CHECKING:
    from pathlib import Path

PLACE = (3.0, 4.0)
WAYS = [POOLKIT, BY_HAND, BAREST, ANEW]


# -- the one way of timing --------------------------------------------------------------------


def test_t05_ways_take_turns_and_ratios_are_of_samples_taken_in_the_same_turn() -> None:
    order: list[str] = []
    ways = {name: lambda _pieces, name=name: order.append(name) for name in ("one", "other")}
    outcome = contest(ways, turns=2, samples=3)
    assert order[:6] == ["one"] * 3 + ["other"] * 3
    assert order[6:12] == ["other"] * 3 + ["one"] * 3
    assert len(outcome.samples("one")) == 6
    low, middle, high = outcome.ratio("one", to="other")
    assert 0 < low <= middle <= high
    assert set(outcome.figures("one")["other"]) >= {"median", "worst 1 %", "ours takes"}


def test_t05_lines_are_repeated_for_each_piece() -> None:
    seen: list[int] = []
    repeated({"seen": seen}, "for one in (1, 2): seen.append(one)", "seen.append(3)")(2)
    assert seen == [1, 2, 3] * 2


def test_t05_the_worst_frames_are_the_longest_hundredth() -> None:
    assert worst([1.0] * 198 + [50.0, 70.0]) == 60.0
    assert worst([1.0, 9.0]) == 9.0


def test_u12_what_work_leaves_behind_is_counted() -> None:
    kept: list[object] = []
    leak = left_behind(lambda pieces: kept.extend(object() for _ in range(pieces)), 1_000)
    assert leak["net blocks"] >= 1_000
    assert left_behind(lambda _pieces: None, 1_000) == {"net blocks": 0, "collections": 0}


def test_t05_a_figure_that_reaches_its_bar_is_met_and_one_that_does_not_is_not() -> None:
    quick = Verdict(what="a spawn", figure=1.15, at_most=1.15, aim=1.0)
    slow = Verdict(what="a frame", figure=59.9, at_least=60)
    assert str(quick) == "met      1.15, at most 1.15 (aim 1): a spawn"
    assert str(slow) == "NOT MET  59.9, at least 60: a frame"
    assert (quick.as_figures()["met"], slow.as_figures()["met"]) == (True, False)


def test_t05_tables_are_aligned_and_say_what_interpreter_they_hold_for() -> None:
    assert table([["a", "bc"], ["def", "g"]]) == "a     bc\ndef    g"
    assert "profile-guided" in interpreter() or "not saying" in interpreter()


# -- the pools by hand are pools --------------------------------------------------------------


def test_g14_a_pool_by_hand_hands_out_what_it_took_back_and_ends_a_life_once() -> None:
    pool = HandPool(HandSprite, 1)
    first = pool.spawn(PLACE)
    assert first.rect.center == PLACE
    assert first in pool.group
    assert pool.despawn(first) is True
    assert pool.despawn(first) is False
    assert first not in pool.group
    assert pool.spawn(PLACE) is first


def test_g14_limits_by_hand_refuse_wait_and_recycle_the_oldest() -> None:
    waiting = WaitingPool(HandSprite, 1, limit=1)
    first = waiting.spawn(PLACE)
    assert waiting.spawn(PLACE) is None
    waiting.despawn(first)
    assert waiting.spawn(PLACE) is not first
    oldest = OldestPool(HandSprite, 2)
    lived = [oldest.spawn(PLACE) for _ in range(3)]
    assert lived[2] is lived[0]
    assert len(oldest.group) == 2


def test_g14_pools_by_hand_do_all_that_their_kind_of_life_asks_for() -> None:
    family = hand.ParentPool(lives.HandParent, 2)
    parent = family.spawn(PLACE)
    child = family.spawn((5.0, 5.0), parent=parent)
    assert (child.offset, parent.children) == ((2.0, 1.0), [child])
    assert family.despawn(parent)
    assert (child.parent, parent.children, [*family.active]) == (None, [], [])
    healthy = hand.ComponentPool(HandHealthy, 1)
    sprite = healthy.spawn(PLACE)
    assert sprite.health.current == 30
    assert healthy.despawn(sprite)
    assert sprite.health.current == 0
    group: Any = pygame.sprite.Group()
    assert hand.GroupsPool(HandSprite, 1).spawn(PLACE, groups=[group]) in group
    way = hand.pooled_bodies(1)
    thing = way.spawn(PLACE)
    thing.body.velocity = (9.0, 9.0)
    way.step(1.0)
    assert thing.rect.center == thing.body.position != PLACE
    way.despawn(thing)
    assert (way.spawn(PLACE), thing.body.velocity) == (thing, (0.0, 0.0))
    assert list(way.world.bodies) == [thing.body]


# -- each benchmark, and the command line ---------------------------------------------------------

SAMPLES = {POOLKIT: [900.0, 950.0], BY_HAND: [1_000.0, 1_100.0], ANEW: [1_000.0, 90_000.0]}
SIZES = {size: {way: {"median": float(size)} for way in SAMPLES} for size in (10, 1_000)}


@pytest.mark.parametrize(
    "results",
    [
        {"frames, microseconds": {"sparks": SAMPLES}},
        {"instances in a pool": SIZES, "pools": SIZES},
    ],
)
def test_t05_a_plot_is_a_png_without_a_background(results: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots  # noqa: PLC0415 - needs no matplotlib, but is of no use without

    plots.draw(results, tmp_path / "plot.png")
    picture = pygame.image.load(tmp_path / "plot.png")
    assert picture.get_width() > 1000
    assert picture.get_at((1, 1)).a == 0
    assert b"Software" not in (tmp_path / "plot.png").read_bytes()


# What each is held against, at most or at least, and a word of what it prints.
TOLD: dict[str, tuple[list[float], str]] = {
    "games": ([1.1, 1.1, 0.9], "worst 1 %"),
    "churn": ([60, 2.5, 1.2], churn.TIMED),
    "frame": ([3.0, 3.0], "10 lives begin and end"),
    "scale": ([], BY_HAND),  # whose bars are at its largest sizes
    "policies": ([], "RecycleLowest"),
    "import": ([20], "poolkit.physics"),
}


def test_t05_g14_all_benchmarks_print_their_verdicts_and_write_json(tmp_path: Path) -> None:
    script = bench.__file__
    command = [sys.executable, script, bench.INSIDE, "all", "--quick", "--json", "figures.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert list(figures) == list(bench.BENCHMARKS)
    printed = dict(zip(figures, done.stdout.split("== ")[1:], strict=True))
    for name, text in printed.items():
        assert text.startswith(f"{name} ({interpreter()})\n")
        assert figures[name]["interpreter"] == interpreter()
        held = figures[name]["verdicts"]
        bars = [each["at_most"] or each["at_least"] or 0 for each in held]
        if name == "lives":
            assert bars[:4] == [1.15, 1.5, 1.5, 1.5]
            assert bars.count(0) == 2 * len(lives.STEADY)
            assert all(row in text for row in lives.ROWS)
            assert all([*row] == WAYS for row in figures[name]["rows"].values())
        else:
            assert (bars, TOLD[name][1] in text) == (TOLD[name][0], True)


def test_bad_input_only_some_benchmarks_are_plotted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.options_of(["lives", "--plot", "lives.png"])
    assert "--plot is for games, churn, scale" in capsys.readouterr().err
