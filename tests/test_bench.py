"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

import gc
import importlib
import json
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

import bench
from benchmarks import churn, churn_ways, frame, importing, policies, scale, spawn, verdict
from benchmarks.churn_process import churn as churn_here
from benchmarks.game_heap import build_heap
from benchmarks.rivals import BarestPool, HandPool, HealthSprite
from benchmarks.verdict import Verdict
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SMALL = {"frames": 3, "active": 12, "a_frame": 4, "objects": 40}
RIVALS_HERE = [name for name in churn_ways.WAYS if not churn_ways.missing(name)]


def three_in_order(values: list[float]) -> bool:
    low, middle, high = values
    return 0 < low <= middle <= high


def bars_of(verdicts: list[Verdict]) -> list[float | None]:
    return [each.at_least if each.at_most is None else each.at_most for each in verdicts]


# -- bars -------------------------------------------------------------------------------------


def test_t05_a_figure_that_reaches_its_bar_is_met_and_one_that_does_not_is_not() -> None:
    quick = Verdict(what="a spawn", figure=1.15, at_most=1.15, aim=1.0)
    slow = Verdict(what="a frame", figure=59.9, at_least=60, unit="ms")
    assert str(quick) == "met      1.15, at most 1.15 (aim 1): a spawn"
    assert str(slow) == "NOT MET  59.9 ms, at least 60 ms: a frame"
    assert verdict.as_text([quick, slow]).splitlines() == ["the bars", f"  {quick}", f"  {slow}"]


def test_t05_a_verdict_is_written_as_figures_with_its_answer() -> None:
    figures = Verdict(what="a spawn", figure=2.0, at_most=1.15).as_figures()
    assert figures["met"] is False
    assert (figures["what"], figures["figure"], figures["at_most"]) == ("a spawn", 2.0, 1.15)


@pytest.mark.parametrize("bar", [None, 2.0])
def test_bad_input_a_verdict_has_one_bar(bar: float | None) -> None:
    with pytest.raises(ValueError, match="needs either at_most or at_least"):
        Verdict(what="a spawn", figure=1, at_most=bar, at_least=bar)


# -- spawn and policies -----------------------------------------------------------------------


def test_g14_the_gain_is_measured_against_a_hand_written_pool_and_building_anew() -> None:
    results = spawn.run(pieces=16, rounds=3, cycles=400)
    text = spawn.as_text(results)
    for name, figures in results["cases"].items():
        assert name in text
        assert set(figures["nanoseconds"]) >= {"poolkit", "built anew"}
        assert figures["p99, nanoseconds"]["poolkit"] >= figures["nanoseconds"]["poolkit"]
        assert three_in_order(figures["poolkit to"]["built anew"])


def test_u12_a_steady_state_of_whole_frames_with_physics_is_measured_too() -> None:
    results = spawn.run(pieces=8, rounds=2, cycles=100)
    steady = [each for each in spawn.verdicts(results) if each.at_most == 0]
    assert {each.what.partition(" left by ")[0] for each in steady} == {
        "net blocks",
        "collections",
    }
    assert any(spawn.FRAMES in each.what for each in steady)
    assert bars_of(spawn.verdicts(results))[:2] == [1.15, 1.2]


def test_g14_the_rivals_hand_out_what_they_took_back() -> None:
    group: pygame.sprite.Group[HealthSprite]
    for kind in (HandPool[HealthSprite], BarestPool[HealthSprite]):
        group = pygame.sprite.Group()
        pool = kind(group, [HealthSprite()])
        first = pool.spawn((3.0, 4.0))
        assert first.rect.center == (3.0, 4.0)
        assert first in group
        assert first.components[0].current == 30
        pool.despawn(first)
        assert first not in group
        assert pool.spawn((0.0, 0.0)) is first


def test_g14_each_policys_cost_is_measured_by_size() -> None:
    results = policies.run(sizes=(10, 20, 30), rounds=2)
    assert results["sizes"] == [10, 20, 30]
    assert all(len(row) == 3 for row in results["nanoseconds"].values())
    assert "RecycleLowest" in policies.as_text(results)


# -- churn ------------------------------------------------------------------------------------


def test_t05_the_heap_has_as_many_objects_as_are_asked_for() -> None:
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        things = build_heap(40_000)
        made = len(gc.get_objects()) - before
    finally:
        gc.enable()
    assert len(things) == 10_000
    assert made == pytest.approx(40_000, rel=0.01)


@pytest.mark.parametrize("name", RIVALS_HERE)
def test_t05_every_way_keeps_as_many_alive_and_moves_them_by_the_same_step(name: str) -> None:
    way = churn_ways.prepare(name, 4)
    for _ in range(3):
        lives = [way.spawn((40.0 * number, 5.0)) for number in range(4)]
        sprites: list[Any] = [life.use() if hasattr(life, "use") else life for life in lives]
        assert len({id(sprite) for sprite in sprites}) == 4
        assert all(len(sprite.groups()) == 1 for sprite in sprites)
        for _ in range(2):  # a body moves by the velocity that the step before gave it
            way.step()
        assert [sprite.rect.centerx for sprite in sprites] == [0.0, 40.0, 80.0, 120.0]
        assert [sprite.rect.centery for sprite in sprites] == pytest.approx([5.25] * 4)
        for life in lives:
            way.despawn(life)
        assert not any(sprite.groups() for sprite in sprites)


@pytest.mark.parametrize("name", ["written by hand", "poolkit", "poolkit, pooling off"])
def test_t05_every_frame_and_every_pause_is_told(name: str) -> None:
    told = churn_here(name, **SMALL)
    assert len(told["churn"]) == len(told["step"]) == 3
    assert min(told["churn"]) > 0
    assert told["heap"] > 0
    assert told["wall"] >= sum(told["churn"] + told["step"]) * 0.9
    assert all(generation in {0, 1, 2} and time >= 0 for generation, time in told["pauses"])


def test_t05_churn_tells_mean_median_p99_and_worst_frames_of_fresh_processes() -> None:
    ways = (churn_ways.BUILT, churn_ways.POOLKIT)
    results = churn.run(rounds=2, frames=20, objects=400, ways=ways)
    for name in ways:
        figures = results["ways"][name]
        assert list(figures["churn"]) == ["mean", "median", "p99", "worst 1 %"]
        assert figures["churn"]["median"] <= figures["churn"]["p99"]
        assert figures["churn and step"]["mean"] > figures["churn"]["mean"]
        assert len(results["frames, ms"][name]) == 40
    ratios = results["to poolkit"][churn_ways.BUILT]["churn"]
    assert all(three_in_order(three) for three in ratios.values())
    assert bars_of(churn.verdicts(results)) == [60, 2.5]
    assert "worst 1 %" in churn.as_text(results)


def test_t05_a_rival_that_is_not_installed_is_named_not_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(churn_ways._MODULES, churn_ways.POND, "no_such_module")
    results = churn.run(
        rounds=1, frames=2, objects=40, ways=(churn_ways.POOLKIT, churn_ways.BUILT, churn_ways.POND)
    )
    assert list(results["ways"]) == [churn_ways.POOLKIT, churn_ways.BUILT]
    assert "not measured: pondpond, no_such_module is not installed" in churn.as_text(results)


def test_t05_the_worst_frames_are_the_longest_hundredth() -> None:
    assert churn._summary([1.0] * 198 + [50.0, 70.0])["worst 1 %"] == 60.0
    assert churn._summary([1.0, 9.0])["worst 1 %"] == 9.0


# -- frame, scale, import ---------------------------------------------------------------------


def test_n08_frame_tells_moving_and_drawing_apart_and_together() -> None:
    results = frame.run(**frame.QUICK)
    for figures in results["sprites"].values():
        assert list(figures["to poolkit"]) == ["move", "draw", "move and draw"]
        assert all(three_in_order(three) for three in figures["to poolkit"].values())
    assert bars_of(frame.verdicts(results)) == [3.0]
    assert "moving and turning" in frame.as_text(results)


@pytest.mark.parametrize("turning", [False, True])
def test_n08_both_ways_of_showing_a_frame_show_the_same(*, turning: bool) -> None:
    image = pygame.Surface((frame.SIDE, frame.SIDE))
    image.fill("white")
    space, world = pymunk.Space(), PhysicsWorld()
    usual = frame._usual_frame(space, image, 20, turning=turning)
    ours = frame._our_frame(world, image, 20)
    shown = []
    for inside, (move, draw) in ((space, usual), (world.space, ours)):
        frame._set_going(inside, turning=turning)
        inside.step(frame.STEP)
        move()
        screen = pygame.Surface((frame.WIDTH, frame.HEIGHT))
        draw(screen)
        shown.append(pygame.mask.from_threshold(screen, "white", (1, 1, 1)))
    most = max(mask.count() for mask in shown)
    # A rect of whole pixels and one of fractions may lie a pixel apart.
    assert min(mask.count() for mask in shown) > most * 0.8
    assert shown[0].overlap_area(shown[1], (0, 0)) > most * 0.5


def test_u01_scale_tells_the_cost_by_instances_and_by_pools() -> None:
    results = scale.run(instances=(10, scale.LARGE // 1_000), pools=(1, 3), rounds=3, pieces=20)
    assert [row["size"] for row in results["instances in a pool"]] == [10, 200]
    assert [row["size"] for row in results["pools"]] == [1, 3]
    for rows in results.values():
        assert all(three_in_order(row["poolkit to"]) for row in rows)
    assert scale.verdicts(results) == []
    assert "written by hand" in scale.as_text(results)


def test_u01_the_bars_of_scale_are_at_its_largest_sizes() -> None:
    def row(size: int) -> Mapping[str, Any]:
        return {"size": size, "poolkit to": [1, 1.4, 2]}

    results = {"instances in a pool": [row(10), row(200_000)], "pools": [row(5_000), row(1)]}
    held = scale.verdicts(results)
    assert [(each.at_most, each.met) for each in held] == [(1.3, False), (1.5, True)]
    assert scale.LARGE in scale.INSTANCES
    assert scale.MANY in scale.POOLS


def test_t05_import_is_measured_over_pygame_alone() -> None:
    results = importing.run(rounds=1)
    assert results["poolkit"]["over"] == "pygame"
    assert results["poolkit"]["median"] > 0
    assert bars_of(importing.verdicts(results)) == [20]
    assert "poolkit.physics" in importing.as_text(results)


# -- plots and the command line ---------------------------------------------------------------


def churn_figures() -> dict[str, Any]:
    figures = {"churn": {"mean": 2.0, "median": 1.0, "p99": 3.0, "worst 1 %": 120.0}}
    times = [1.0, 1.1, 150.0]
    return {
        "sizes": {"rounds": 1, "frames": 3, "active": 900, "a_frame": 100, "objects": 40},
        "ways": {"built each time": figures, "poolkit": figures},
        "frames, ms": {"built each time": times, "poolkit": times},
    }


def scale_figures() -> dict[str, Any]:
    rows = [
        {"size": size, "nanoseconds": {"poolkit": 900, "written by hand": 1000}}
        for size in (10, 1_000_000)
    ]
    return {"instances in a pool": rows, "pools": rows}


@pytest.mark.parametrize(("name", "figures"), [("churn", churn_figures), ("scale", scale_figures)])
def test_t05_a_plot_is_a_png_without_a_background(name: str, figures: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots  # noqa: PLC0415 - needs no matplotlib, but is of no use without

    plots.PLOTS[name](figures(), tmp_path / "plot.png")
    picture = pygame.image.load(tmp_path / "plot.png")
    assert picture.get_width() > 1000
    assert picture.get_at((1, 1)).a == 0
    assert b"Software" not in (tmp_path / "plot.png").read_bytes()


def test_t05_a_benchmark_prints_its_verdicts_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "frame.json"
    assert bench.measure(["frame", "--quick", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("== frame\n")
    assert "the bars\n" in printed
    [held] = json.loads(file.read_text(encoding="utf-8"))["verdicts"]
    assert held["at_least"] == 3.0
    assert held["met"] is (held["figure"] >= 3.0)


def test_t05_every_benchmark_that_is_listed_is_there_with_a_quick_size() -> None:
    modules = {
        name: importlib.import_module(f"benchmarks.{bench.MODULES.get(name, name)}")
        for name in bench.BENCHMARKS
    }
    assert {"spawn", "churn", "frame", "scale", "policies", "import"} == set(modules)
    for module in modules.values():
        assert set(module.QUICK) <= set(module.run.__kwdefaults__)


def test_bad_input_only_churn_and_scale_are_plotted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.options_of(["spawn", "--plot", "spawn.png"])
    assert "--plot is for churn and scale" in capsys.readouterr().err
