"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import bench
from benchmarks import by_hand as hand
from benchmarks import measure
from benchmarks.by_poolkit import HandHealthy
from benchmarks.measure import ANEW, BAREST, BY_HAND, POOLKIT
from benchmarks.report import Report, interpreter

if TYPE_CHECKING:
    from pathlib import Path

PLACE = (3.0, 4.0)


def test_t05_ways_take_turns_and_ratios_are_of_samples_with_the_same_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measure, "_CLOCK", itertools.count().__next__)  # a second a look
    order: list[str] = []

    def work(way: str, _: int) -> None:
        order.append(way)
        if way == "b":
            measure._CLOCK()

    ways = {way: partial(work, way) for way in "ab"}
    outcome = measure.contest(ways, turns=2, samples=3)
    assert "".join(order) == "aaabbb" + "bbbaaa" + "aaabbb"
    assert outcome.samples("a") == [1e6] * 6
    assert outcome.ratio("b", to="a") == outcome.ratio("b", "a", measure.worst) == [2.0] * 3
    assert measure.worst([1.0] * 198 + [50.0, 70.0]) == 60.0


def test_u12_what_work_leaves_behind_is_counted() -> None:
    kept: list[object] = []
    work = measure.repeated({"keep": kept.append}, "keep(object())", "keep(None)", at_once=2)
    assert measure.left_behind(work, 1_000)[0] > 400
    assert len(kept) == 3 * 4_000
    assert measure.left_behind(lambda _: None, 1_000) == (0, 0)


def test_t05_a_figure_that_reaches_its_bar_is_met_and_one_that_does_not_is_not() -> None:
    report = Report()
    report.hold("a spawn", 1.15, (1.15, 1.0))
    report.hold("a frame", 59.9, (60, 120), at_least=True)
    assert report.verdicts == [
        "met      1.15, at most 1.15 (aim 1): a spawn",
        "NOT MET  59.9, at least 60 (aim 120): a frame",
    ]


def test_g14_a_pool_by_hand_hands_out_what_it_took_back_and_ends_a_life_once() -> None:
    for kind in (hand.HandPool, hand.OldestPool):
        pool = kind(hand.HandSprite, 1)
        first = pool.spawn(PLACE)
        assert (first.rect.center, [*pool.group]) == (PLACE, [first])
        assert [pool.despawn(first), pool.despawn(first)] == [True, False]
        assert not pool.group
        assert pool.spawn(PLACE) is first
    assert pool.spawn(PLACE) is first  # the oldest life ended for it
    waiting = hand.WaitingPool(hand.HandSprite, 1, limit=1)
    first = waiting.spawn(PLACE)
    assert waiting.spawn(PLACE) is None
    waiting.despawn(first)
    assert waiting.spawn(PLACE) is not first


def test_g14_pools_by_hand_do_all_that_their_kind_of_life_asks_for() -> None:
    family = hand.ParentPool(hand.HandParent, 2)
    parent = family.spawn(PLACE)
    child = family.spawn((5.0, 5.0), parent=parent)
    assert (child.offset, parent.children) == ((2.0, 1.0), [child])
    assert family.despawn(parent)
    assert (child.parent, parent.children, [*family.active]) == (None, [], [])
    healthy = hand.ComponentPool(HandHealthy, 1)
    sprite = healthy.spawn(PLACE)
    assert (sprite.health.current, healthy.despawn(sprite)) == (30, True)
    assert sprite.health.current == 0
    group: Any = pygame.sprite.Group()
    assert hand.GroupsPool(hand.HandSprite, 1).spawn(PLACE, groups=[group]) in group
    way = hand.bodies(1)
    thing = way.spawn(PLACE)
    thing.body.velocity = (9.0, 9.0)
    way.step(1.0)
    assert thing.rect.center == thing.body.position != PLACE
    way.despawn(thing)
    assert (way.spawn(PLACE), thing.body.velocity) == (thing, (0.0, 0.0))
    assert list(way.world.bodies) == [thing.body]


def test_t05_g14_all_benchmarks_tell_write_and_draw_what_they_found(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    options = ["all", "--quick", "--json", "figures.json", "--plot", "plot.png"]
    command = [sys.executable, bench.__file__, bench.INSIDE, *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    told = done.stdout.split("== ")[1:]
    for name, text in zip(bench.BENCHMARKS, told, strict=True):
        assert text.startswith(f"{name} ({interpreter()})")
        assert "met  " in text or "NOT MET" in text
    assert all(f"\n{name}\n" in done.stdout for name in figures)
    assert sum([*ways] == [POOLKIT, BY_HAND, BAREST, ANEW] for ways in figures.values()) == 15
    picture = pygame.image.load(tmp_path / "plot.png")
    assert picture.get_width() > 1000
    assert picture.get_at((1, 1)).a == 0
    assert b"Software" not in (tmp_path / "plot.png").read_bytes()
