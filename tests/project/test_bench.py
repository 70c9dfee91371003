"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

import gc
import importlib
import json
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import bench
from benchmarks import churn, frame, games, lives, policies, scale
from benchmarks.by_hand import HandPool, HandSprite, HandTimers, OldestPool, ParentPool, WaitingPool
from benchmarks.measure import ANEW, BAREST, BY_HAND, POOLKIT, contest, left_behind, worst
from benchmarks.report import Verdict, interpreter, table

if TYPE_CHECKING:
    from pathlib import Path

PLACE = (3.0, 4.0)


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


def test_t05_each_way_is_told_how_often_the_collector_ran_for_it() -> None:
    outcome = contest(
        {"tidy": lambda _: None, "messy": lambda _: [[[]] for _ in range(5_000)]}, turns=2
    )
    assert outcome.collections["tidy"] == 0
    assert outcome.collections["messy"] > 0
    assert gc.get_freeze_count() == 0


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


def test_g14_a_timer_by_hand_does_nothing_to_a_later_life() -> None:
    pool, timers = HandPool(HandSprite, 1), HandTimers()
    first = pool.spawn(PLACE)
    timers.after(1.0, first, pool.despawn)
    pool.despawn(first)
    assert pool.spawn(PLACE) is first
    timers.update(1.0)
    assert first in pool.active
    timers.after(1.0, first, pool.despawn)
    timers.update(1.0)
    assert first not in pool.active


def test_g14_children_by_hand_end_with_their_parent() -> None:
    pool = ParentPool(lives.HandParent, 2)
    parent = pool.spawn(PLACE)
    child = pool.spawn((5.0, 4.0), parent=parent)
    assert child.offset == (2.0, 0.0)
    pool.despawn(parent)
    assert not pool.active
    assert (parent.children, child.parent) == ([], None)


def test_g14_limits_by_hand_refuse_wait_and_recycle_the_oldest() -> None:
    waiting = WaitingPool(HandSprite, 1, 1)
    first = waiting.spawn(PLACE)
    assert waiting.spawn(PLACE) is None
    waiting.despawn(first)
    assert waiting.spawn(PLACE) is not first
    oldest = OldestPool(HandSprite, 2)
    lived = [oldest.spawn(PLACE) for _ in range(3)]
    assert lived[2] is lived[0]
    assert len(oldest.group) == 2


# -- each benchmark ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", lives.ROWS)
def test_g14_each_kind_of_life_is_played_by_poolkit_by_hand_barest_and_anew(name: str) -> None:
    row = lives._limited(20) if name == lives.LIMIT.format(lives.MANY) else lives.ROWS[name]
    ways = lives.ways(row)
    assert list(ways) == [POOLKIT, BY_HAND, BAREST, ANEW]
    for work in ways.values():
        work(200)


def test_u12_lives_tell_their_bars_and_what_a_steady_state_leaves_behind() -> None:
    results = lives.run(**lives.QUICK)
    text, held = lives.as_text(results), lives.verdicts(results)
    assert all(name in text for name in lives.ROWS)
    assert sum(each.at_most == 0 for each in held) == 2 * len(lives.STEADY)
    assert [each.at_most for each in held[:4]] == [1.15, 1.5, 1.5, 1.5]
    assert [each.at_most for each in held if "first program" in each.what] == [1.0, 1.0]


@pytest.mark.parametrize("timed", [False, True])
def test_t05_all_ways_of_a_game_have_as_many_alive(*, timed: bool) -> None:
    gc.collect()
    ways = games.shots(40, 0.108, timed=timed)
    for play in ways.values():
        for _ in range(9):
            play(1)
    groups = [each for each in gc.get_objects() if isinstance(each, pygame.sprite.AbstractGroup)]
    alive = [len(group) for group in groups if 30 < len(group) < 50]
    assert len(alive) == len(ways)
    assert max(alive) - min(alive) <= 7


def test_t05_games_tell_frames_and_kills_of_each_way() -> None:
    results = games.run(turns=1, frames=2, part=0.05)
    assert [each.at_most for each in games.verdicts(results)] == [1.1, 1.1, 0.9]
    assert set(results["kills a frame"]) == {POOLKIT, BY_HAND, ANEW}
    assert "worst 1 %" in games.as_text(results)


def test_t05_the_heap_has_as_many_objects_as_are_asked_for() -> None:
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        things = churn.build_heap(40_000)
        made = len(gc.get_objects()) - before
    finally:
        gc.enable()
    assert len(things) == 10_000
    assert made == pytest.approx(40_000, rel=0.01)


def test_t05_churn_tells_worst_frames_and_what_a_timer_a_life_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(churn, "ACTIVE", 12)
    monkeypatch.setattr(churn, "A_FRAME", 4)
    results = churn.run(turns=1, frames=3, objects=0)
    assert [each.at_least or each.at_most for each in churn.verdicts(results)] == [60, 2.5, 1.2]
    assert churn.TIMED in churn.as_text(results)


def test_n08_frame_tells_what_is_above_the_bare_step_with_lives_and_without() -> None:
    results = frame.run(**frame.QUICK)
    assert [each.at_least for each in frame.verdicts(results)] == [3.0, 3.0]
    assert "10 lives begin and end" in frame.as_text(results)


def test_u01_scale_has_its_bars_at_its_largest_sizes() -> None:
    results = scale.run(instances=(10, 100), pools=(1, 10), turns=1, pieces=200)
    assert scale.verdicts(results) == []
    assert BY_HAND in scale.as_text(results)
    row = {BY_HAND: {"ours takes": [1, 1.4, 2]}}
    held = scale.verdicts({"instances in a pool": {scale.LARGE: row}, "pools": {scale.MANY: row}})
    assert [(each.at_most, each.met) for each in held] == [(1.3, False), (1.5, True)]


def test_g14_each_policys_cost_is_measured_by_size() -> None:
    results = policies.run(sizes=(10, 20), turns=1, pieces=50)
    assert all(list(row) == ["10", "20"] for row in results.values())
    assert "RecycleLowest" in policies.as_text(results)


def test_t05_every_benchmark_that_is_listed_is_there_with_a_quick_size() -> None:
    for name in bench.BENCHMARKS:
        module = importlib.import_module(f"benchmarks.{bench.MODULES.get(name, name)}")
        assert set(module.QUICK) <= set(module.run.__kwdefaults__)


# -- the command line -------------------------------------------------------------------------


def test_t05_a_benchmark_prints_its_verdicts_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "frame.json"
    assert bench.measure(["frame", "--quick", "--json", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"== frame ({interpreter()})\n")
    written: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert written["interpreter"] == interpreter()
    assert [each["at_least"] for each in written["verdicts"]] == [3.0, 3.0]


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


def test_bad_input_only_some_benchmarks_are_plotted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.options_of(["lives", "--plot", "lives.png"])
    assert "--plot is for games, churn, scale" in capsys.readouterr().err
