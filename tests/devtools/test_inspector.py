"""The inspector shows what pools and frames do, takes its own events alone, and costs little.

The probe that it sees the collector with is here too, and its letters: `draw_text`.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import random
import sys
import unicodedata
import zlib
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolkit import (
    PooledSprite,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    PoolStats,
    Prefab,
    RecycleOldest,
    Refuse,
)
from poolkit.devtools import Inspector, bitmap_font, frames
from poolkit.devtools import inspector as panel
from poolkit.devtools.bitmap_font import draw_text, fitted, text_width
from poolkit.devtools.frames import A_SAMPLE, KEPT, CollectorPause, CollectorProbe, FrameRecord, Row
from poolkit.devtools.inspector import ACTIVE, CELL, DIM, EDGE, LATE, draw_cells, thumbnail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkit import PrefabPool
    from poolkit.devtools.frames import LifeCounts

SCREEN = 640, 360
SIZES = (320, 180), (480, 270), (640, 360), (960, 540), (1280, 720), (1920, 1080)


class Dot(PooledSprite):
    """A sprite of which there is nothing to say."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))


def dot(name: str, **settings: Any) -> Prefab[Dot]:
    return Prefab(Dot, name=name, settings=PoolSettings(**settings))


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the collector do nothing that is seen, memory be the same, and a frame take 1/64 s."""
    monkeypatch.setattr(FrameRecord, "memory", (2383, 12.0))
    monkeypatch.setattr(CollectorProbe, "take", lambda _: ())
    monkeypatch.setattr(frames, "_clock", Clock())


def test_memory_is_what_python_holds_more_than_when_the_scene_began(
    system: PoolingSystem, no_collector: None
) -> None:
    del no_collector
    record = FrameRecord(system)
    kept = [object() for _ in range(5_000)]
    blocks, seconds = record.memory
    assert 0.9 * len(kept) < blocks < 2 * len(kept)  # a few of Python's own come and go
    assert 0 <= seconds < 60


class Clock:
    """Tells the same second until a frame is over."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Game:
    """A game with a system, a screen, and an inspector."""

    def __init__(self, system: PoolingSystem, **options: Any) -> None:
        self.system = system
        self.screen = pygame.Surface(SCREEN, depth=32)
        self.inspector = Inspector(system, **{"shown": True, **options})

    def press(self, *keys: int, **more: Any) -> bool:
        """Press keys; return whether all were the inspector's."""
        taken = [self.inspector.handle_event(down(key, **more)) for key in keys]
        return all(taken)

    def frames(self, count: int = 1, seconds: float | None = 0.005) -> bytes:
        """Draw some frames; return the last one."""
        for _ in range(count):
            if isinstance(frames._clock, Clock):
                frames._clock.now += 1 / 64
            self.inspector.draw(self.screen, seconds)
        return pygame.image.tobytes(self.screen, "RGB")

    def all_at_once(self, size: tuple[int, int] = SCREEN) -> list[Any]:
        """Draw all of it; return the rows that are listed."""
        before, self.screen = self.screen, pygame.Surface(size, depth=32)
        self.inspector._drawn_on = None
        self.frames()
        self.screen = before
        return self.inspector._rows

    def listed(self) -> list[str]:
        """Draw; return the names of the rows in view."""
        rows, shown = self.all_at_once(), self.inspector
        return [row.name for row in rows[shown._first_row :][: shown._num_rows]]


@pytest.fixture
def game(system: PoolingSystem) -> Iterator[Game]:
    """A game of three pools, the inspector being shown."""
    for name, prespawn in (("orc", 2), ("troll", 5), ("puff", 3)):
        system.register(dot(name, prespawn=prespawn, limit=8))
    game = Game(system)
    yield game
    game.inspector.shown = False


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, pygame.Rect]]:
    """Note what is written, and where: what it takes of the panel's own pixels."""
    notes: list[tuple[str, pygame.Rect]] = []

    def noting(surface: pygame.Surface, words: str, place: Any, *how: Any, **more: Any) -> int:
        width = draw_text(surface, words, place, *how, **more)
        if words.strip():
            left = place[0] - round(width * more.get("align", 0))
            notes.append((words, pygame.Rect(left, place[1], width, 7)))
        return width

    monkeypatch.setattr(panel, "draw_text", noting)
    return notes


def down(key: int, **more: Any) -> pygame.Event:
    return pygame.Event(pygame.KEYDOWN, key=key, **more)


def up(key: int) -> pygame.Event:
    return pygame.Event(pygame.KEYUP, key=key)


def at(surface: pygame.Surface, x: int, y: int) -> tuple[int, ...]:
    return tuple(surface.get_at((x, y)))[:3]


# -- events and rows ------------------------------------------------------------------------------


def test_two_lines_show_the_pools_in_any_game_and_hidden_it_watches_nothing(game: Game) -> None:
    before, watching = pygame.image.tobytes(game.screen, "RGB"), len(gc.callbacks)
    game.screen.set_clip((0, 0, 100, 100))  # as a game may have left it: it cuts nothing off
    assert game.frames() != before
    assert game.screen.get_clip() == pygame.Rect(0, 0, 100, 100)
    assert game.listed() == ["orc", "troll", "puff"]
    assert repr(game.inspector) == "<Inspector(num_pools=3, shown=True)>"
    assert len(game.system._reset_hooks) == len(game.system._context.time_watchers) == 1
    game.inspector.shown = False
    assert not game.inspector._frame_record.rows
    assert not game.inspector._rows
    assert len(gc.callbacks) == watching - 1
    assert not game.system._reset_hooks
    assert not game.system._context.time_watchers


def test_the_key_shows_and_hides_it_and_is_the_inspectors_own(system: PoolingSystem) -> None:
    game = Game(system, key=pygame.K_F9, shown=False)
    before = pygame.image.tobytes(game.screen, "RGB")
    assert game.frames() == before
    assert not game.press(pygame.K_F2)
    assert game.press(pygame.K_F9)
    assert game.inspector.shown
    assert [game.inspector.handle_event(up(pygame.K_F9)) for _ in range(2)] == [True, False]
    assert game.press(pygame.K_F9)
    assert not game.inspector.shown
    assert not game.press(pygame.K_F3)  # hidden, it has no other key
    # The game never sees the key come up that it has not seen go down.
    assert game.inspector.handle_event(up(pygame.K_F9))


def test_a_game_keeps_all_other_events(game: Game) -> None:
    game.frames()
    games = [pygame.K_a, pygame.K_SPACE, pygame.K_UP, pygame.K_RETURN, pygame.K_ESCAPE, pygame.K_F1]
    events = [*map(down, games), *map(up, games), down(pygame.K_F4, mod=pygame.KMOD_LALT)]
    events += [pygame.Event(kind) for kind in (pygame.QUIT, pygame.USEREVENT, pygame.ACTIVEEVENT)]
    events += [pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(600, 50), button=1)]
    events += [pygame.Event(pygame.TEXTINPUT, text="a")]
    assert not any(map(game.inspector.handle_event, events))


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("first use", ["orc", "troll", "puff"]),
        ("name", ["orc", "puff", "troll"]),
        ("active", ["puff", "orc", "troll"]),
        ("spawns", ["puff", "orc", "troll"]),
        ("peak", ["puff", "orc", "troll"]),
        ("late", ["puff", "orc", "troll"]),
        ("idle", ["troll", "orc", "puff"]),
    ],
)
def test_rows_are_sorted_by_the_figure_that_is_chosen(
    game: Game, sort: str, names: list[str]
) -> None:
    for name, count in (("troll", 1), ("puff", 5), ("orc", 3)):
        game.system.spawn_many(name, [(0, 0)] * count)
    game.system.despawn(next(iter(game.system.pool("orc").active)))
    game.system.update(1)
    while game.inspector._sort != sort:
        assert game.press(pygame.K_F3)
    assert game.listed() == names
    idle = {row.name: row.value("idle") for row in game.inspector._rows}
    assert idle == {pool.name: pool.idle_share for pool in game.system.report()}


def test_a_long_list_is_scrolled(system: PoolingSystem) -> None:
    for number in range(50):
        system.register(dot(f"kind {number:02}"))
    game = Game(system)
    page = len(game.listed())
    assert 4 < page < 12
    game.press(pygame.K_PAGEDOWN)
    assert game.listed()[0] == f"kind {page - 1:02}"
    for key, kind in (pygame.K_PAGEDOWN, "kind 49"), (pygame.K_PAGEUP, f"kind {page - 1:02}"):
        for _ in range(20):  # no further than the ends
            game.press(key)
            names = game.listed()
        assert names[-1] == kind
    game.inspector.shown = False


def test_no_pools_and_a_disposed_system_do_no_harm(system: PoolingSystem) -> None:
    game = Game(system)
    empty = game.frames()
    game.press(pygame.K_F3, pygame.K_PAGEDOWN, pygame.K_F4, pygame.K_LEFT)
    system.spawn(dot("orc"))
    system.dispose()
    assert game.frames(20) != empty
    game.inspector.shown = False


def test_a_late_spawn_lights_up_for_a_second_and_what_was_made_beforehand_does_not(
    game: Game,
) -> None:
    def lights(count: int) -> bool:
        game.frames(count)
        game.all_at_once()
        canvas = game.inspector._canvas
        return any(at(canvas, 4, y) == LATE for y in range(canvas.height))

    game.system.prespawn("orc", 4)
    assert not lights(20)
    game.system.spawn_many("orc", [(0, 0)] * 5)
    assert lights(20)
    assert not lights(A_SAMPLE * 5)
    orc = game.system.pool("orc").prefab
    game.system.spawn("orc")
    game.system.reset()
    assert not game.inspector._frame_record.frames
    game.system.register(orc)
    assert not lights(20)


# -- what it tells is true ------------------------------------------------------------------------


class Play:
    """Does what games do to their pools, and notes what these counted from frame to frame."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - no secret
        self.system = PoolingSystem()
        self.prefabs = [dot("ghost"), dot("orc", limit=3, overflow=Refuse(), prespawn=2)]
        self.prefabs += [dot("puff", limit=2, overflow=RecycleOldest(), prespawn=1)]
        for prefab in self.prefabs[1:]:
            self.system.register(prefab)
        self.game = Game(self.system)
        self.game.frames()
        self.before = self.counted()
        self.skips = False

    def counted(self) -> dict[str, PoolStats]:
        return {pool.name: pool.stats for pool in self.system.all_pools()}

    def one(self) -> Prefab[Dot]:
        return self.dice.choice(self.prefabs)

    def end(self, how: Callable[[Any], object]) -> None:
        alive = [instance for pool in self.system.all_pools() for instance in pool.active]
        if alive:
            how(self.dice.choice(alive))

    def spawn(self) -> None:
        self.system.try_spawn(self.one())

    def several(self) -> None:
        with contextlib.suppress(PoolExhaustedError):
            self.system.spawn_many(self.one(), [(0, 0)] * 2)

    def despawn(self) -> None:
        self.end(self.system.despawn)

    def detach(self) -> None:
        self.end(self.system.detach)

    def change(self) -> None:
        self.system.prespawn(self.one(), 2)
        self.system.pool(self.one()).trim(0)
        self.prefabs.append(dot(f"kind {len(self.prefabs)}"))

    def update(self) -> None:
        self.system.update(1 / 60)

    def blink(self) -> None:
        """Let a life begin and end between two updates: all is as it was before."""
        self.system.configure(reuse="at_once")
        self.update()
        self.update()
        self.system.despawn(self.system.spawn(self.prefabs[0]))
        self.update()
        self.system.configure(reuse=self.dice.choice(["at_once", "next_update"]))

    def reset(self) -> None:
        self.system.reset()
        self.before, self.skips = self.counted(), True

    def draw(self) -> None:
        """End a frame, and see that it is told as it was; the first one does not count."""
        self.game.frames(seconds=None)
        now, before, self.before = self.counted(), self.before, self.counted()
        rows, skips, self.skips = self.game.inspector._frame_record.rows, self.skips, False
        shown = {row.name: (row.stats.active, row.stats.inactive) for row in rows}
        assert shown == {name: (stats.active, stats.inactive) for name, stats in now.items()}
        did: dict[str, tuple[int, int, int]] = {}
        for name, new in now.items():
            old = before.get(name, PoolStats())
            lived = new.spawned - old.spawned, new.despawned - old.despawned, new.late - old.late
            did |= {name: lived} if any(lived) else {}
        if not skips:
            frame = self.game.inspector._frame_record.frames[-1]
            assert {counts.name: counts[1:] for counts in frame.lives} == did


ACTS = Play.spawn, Play.despawn, Play.update, Play.draw
RARE = Play.several, Play.detach, Play.change, Play.blink, Play.reset


@given(st.integers(0, 10_000), st.lists(st.sampled_from(ACTS + ACTS + RARE), max_size=60))
def test_each_frame_tells_whose_lives_began_and_ended_in_it_as_the_pools_count_them(
    seed: int, acts: list[Callable[[Play], None]]
) -> None:
    play = Play(seed)
    for act in acts:
        act(play)
    play.game.frames(A_SAMPLE)
    for row in play.game.inspector._frame_record.rows:
        assert row.stats == row.pool.stats
    play.game.inspector.shown = False


@pytest.mark.usefixtures("quiet")
def test_what_is_written_says_what_it_means(
    game: Game, written: list[tuple[str, pygame.Rect]]
) -> None:
    def words(size: tuple[int, int] = SCREEN) -> list[str]:
        written.clear()
        game.all_at_once(size)
        return [word for word, _ in written]

    game.frames(A_SAMPLE * 4)
    for _ in range(A_SAMPLE * 6):
        game.system.despawn(game.system.spawn("orc"))
        game.frames()
    game.system.spawn_many("orc", [(0, 0)] * 5)
    said = words()
    assert said[:2] == ["16.7 ms", "64 fps"]
    assert {"5 active", "8 inactive", "3 pools", "5.0 ms", "worst 5.0"} <= set(said)
    assert {"0 young", "0 middle", "0 full", "memory +2,383 blocks", "in 12 s"} <= set(said)
    orc = game.system.pool("orc").stats
    assert {"3 late", "peak 5", "5", " of 8"} <= set(said)
    assert (orc.late, orc.peak_active) == (3, 5)
    rate = float(next(word for word in said if word.endswith("/s"))[:-2])
    assert 64 <= rate <= 70  # one in each frame, and five just now
    assert {"peak", "late", "600 frames", "limit"} <= set(said)
    assert {"F2", "hide", "F3", "by first use", "F4", "pause"} <= set(said)
    game.system.configure(pooling=False)
    assert "pooling off" in words()


@pytest.mark.parametrize("keys", [[], [pygame.K_F4]])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_overlaps_and_it_leaves_two_thirds_of_the_screen_to_the_game(
    system: PoolingSystem,
    size: tuple[int, int],
    written: list[tuple[str, pygame.Rect]],
    keys: list[int],
) -> None:
    for name in ("a_rather_long_name_for_a_spark", "orc", "ghost", "x"):
        system.register(dot(name, prespawn=1, limit=12_000))
    game = Game(system)
    game.frames()
    system.spawn_many("orc", [(0, 0)] * 1_100)
    system.spawn_many("a_rather_long_name_for_a_spark", [(0, 0)] * 300)
    for milliseconds in (5, 40, 1000, 28, 33, 5, 120, 5):
        system.despawn(next(iter(system.pool("orc").active)))
        game.frames(3, milliseconds / 1000)
    game.press(*keys)
    for sort in panel.SORTS:
        game.inspector._sort = sort
        written.clear()
        game.all_at_once(size)
        canvas = game.inspector._canvas.get_rect()
        boxes = [box for _, box in written]
        assert all(canvas.contains(box) for box in boxes)
        clashes = [
            (one, other)
            for (one, box), (other, another) in itertools.combinations(written, 2)
            if box.colliderect(another)
        ]
        assert not clashes
    assert game.inspector._picture.width <= size[0] / 3 + 1
    game.inspector.shown = False


def test_the_line_is_where_bars_of_a_sixtieth_of_a_second_end(game: Game) -> None:
    for seconds in (1 / 60, 0.002):
        game.frames(8, seconds)
    game.all_at_once()
    canvas = game.inspector._canvas
    [line] = {y for y in range(4, 36) if at(canvas, canvas.width // 2, y) == DIM}
    tall = next(
        x for x in range(canvas.width - 8, 0, -1) if at(canvas, x, line + 1) != (12, 15, 22)
    )
    assert at(canvas, tall, line - 2) == (12, 15, 22)


def test_how_long_a_frame_took_is_told_of_the_frame_before_or_from_call_to_call(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game knows how long a frame took when it is over: at the next call."""
    monkeypatch.setattr(frames, "_clock", clock := Clock())
    told: list[float | None] = [None, None, 0.001, 0.002, 0.003]
    for number, seconds in enumerate(told, 1):
        clock.now += number
        game.system.spawn_many("orc", [(0, 0)] * number)
        game.inspector.draw(game.screen, seconds)
        game.system.despawn_all()
    times = game.inspector._frame_record
    lives = [(frame.seconds, sum(counts.began for counts in frame.lives)) for frame in times.frames]
    assert lives == [(2.0, 2), (0.001, 0), (0.002, 3), (0.003, 4)]
    assert times.per_second == 4 / (2 + 3 + 4 + 5)


# -- paused ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_collector")
def test_paused_it_tells_what_a_slow_frame_did_while_the_game_goes_on(
    game: Game, written: list[tuple[str, pygame.Rect]]
) -> None:
    def words() -> set[str]:
        written.clear()
        game.all_at_once()
        return {word for word, _ in written}

    game.frames(KEPT + 200)
    assert len(game.inspector._frame_record.frames) == KEPT
    game.system.spawn_many("orc", [(0, 0)] * 3)
    gc.collect()
    game.frames()
    game.frames(seconds=0.04)  # which the game says of the frame before
    game.system.despawn(next(iter(game.system.pool("orc").active)))
    game.frames()
    game.frames(2, seconds=0.02)
    game.frames(40)
    assert game.press(pygame.K_F4)
    assert {"paused", "40.0 ms", "43 frames ago", "3 began", "1 late", "1 full"} <= words()
    assert {"orc", "+3 -0"} <= words()
    game.system.reset()  # the game goes on
    game.frames(30)
    assert game.press(pygame.K_DOWN)
    assert {"20.0 ms", "0 began", "1 ended", "0 full", "+0 -1"} <= words()
    assert game.press(pygame.K_RIGHT)
    assert {"20.0 ms", "no life began or ended"} <= words()
    assert game.press(pygame.K_UP, pygame.K_UP, pygame.K_UP)
    assert {"40.0 ms"} <= words()
    assert game.press(pygame.K_LEFT)
    assert {"5.0 ms", "44 frames ago"} <= words()
    assert game.press(*[pygame.K_LEFT] * 100, mod=pygame.KMOD_LSHIFT)
    assert f"{KEPT - 1} frames ago" in words()
    game.press(pygame.K_F4)
    assert {"paused", "40.0 ms"}.isdisjoint(words())
    assert len(game.inspector._frame_record.frames) > 30
    assert not game.press(pygame.K_LEFT)


# -- what it costs --------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_collector")
def test_the_collectors_pauses_are_attributed_to_frame_and_generation(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0, 0.001).__next__
    monkeypatch.setattr(game.inspector._frame_record._probe, "_clock", clock)
    game.frames(3, None)
    gc.collect(1)
    game.frames(1, None)
    gc.collect(2)
    gc.collect(0)
    game.frames(2, None)
    times = game.inspector._frame_record
    assert times.collections == [1, 1, 1]
    none = [0, 0, 0]
    assert [frame.collections for frame in times.frames] == [none, none, [0, 1, 0], [1, 0, 1], none]
    assert [frame.seconds_paused for frame in times.frames] == pytest.approx(
        [0, 0, 0.001, 0.002, 0]
    )
    assert times.seconds_paused == pytest.approx(0.003)


def test_while_shown_it_leaves_the_collector_nothing_to_do(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = itertools.count(1000)  # a new text with each drawing
    monkeypatch.setattr(FrameRecord, "memory", property(lambda _: (next(blocks), 12.0)))

    def play(count: int) -> None:
        for _ in range(count):
            one = game.system.spawn("orc")
            game.inspector.draw(game.screen, 0.005)
            game.system.despawn(one)
            game.system.update(1 / 60)

    play(4000)  # until the latest texts are all it remembers
    gc.collect()
    gc.disable()
    try:
        play(300)  # until Python has as much in store again as is used at once
        before = gc.get_count()[0], sys.getallocatedblocks()
        play(600)
        assert gc.get_count()[0] - before[0] < 100
        assert sys.getallocatedblocks() - before[1] < 200
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_of_many_pools_those_that_do_something_are_read_and_the_others_in_turns(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(400):
        system.register(dot(f"kind {number}", prespawn=1, limit=1, overflow=Refuse()))
    game, reads, read = Game(system), list[Row](), Row.read

    def noting(row: Row) -> LifeCounts:
        reads.append(row)
        return read(row)

    monkeypatch.setattr(Row, "read", noting)
    for _ in range(3):
        system.update(1)
    system.spawn("kind 7")
    game.frames(seconds=None)
    reads.clear()
    system.update(1)
    game.frames(seconds=None)
    assert len(reads) <= 400 / A_SAMPLE + 2
    assert system.try_spawn("kind 7") is None  # it changes nothing, and is counted all the same
    game.frames(A_SAMPLE)
    assert [
        row.stats.refused for row in game.inspector._frame_record.rows if row.name == "kind 7"
    ] == [1]
    game.inspector.shown = False


@pytest.mark.usefixtures("no_collector")
def test_a_probe_sees_each_pause_and_its_generation() -> None:
    with CollectorProbe(iter((1.0, 1.5, 7.0, 7.25)).__next__) as probe:
        gc.collect()
        gc.collect(0)
        pauses = probe.take()
    assert [pause.generation for pause in pauses] == [2, 0]
    assert [pause.seconds for pause in pauses] == [0.5, 0.25]
    assert probe.take() == ()


@pytest.mark.usefixtures("no_collector")
def test_a_probe_watches_only_while_it_is_entered_and_skips_what_had_begun() -> None:
    before = len(gc.callbacks)
    probe = CollectorProbe()
    probe._watch("stop", {"generation": 1, "collected": 3})
    with probe:
        assert len(gc.callbacks) == before + 1
        gc.collect()
    gc.collect()
    assert len(gc.callbacks) == before
    assert len(probe.take()) == 1


# -- what it looks like ---------------------------------------------------------------------------


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("size", "look"),
    [
        ((1, 1), (1, 2503782745)),
        ((160, 144), (104, 1666086967)),
        ((320, 180), (106, 2540202681)),
        ((480, 270), (160, 3417956330)),
        ((800, 600), (200, 1821540871)),
        ((960, 540), (320, 841037207)),
        ((1280, 720), (400, 4177498551)),
        ((1920, 1080), (600, 2643850951)),
    ],
)
def test_it_looks_as_it_did_when_someone_looked_at_it(
    game: Game, size: tuple[int, int], look: tuple[int, int]
) -> None:
    """Whoever changes its look, looks at it on these screens and notes the new numbers."""
    game.screen, times = pygame.Surface(size, depth=32), game.inspector._frame_record
    for kind in (dot("arrow", limit=3000), dot("a_rather_long_name_for_a_spark")):
        game.system.register(kind)
    game.frames()
    for name, count in (("orc", 3), ("troll", 4), ("arrow", 700)):
        lives = game.system.spawn_many(name, [(0, 0)] * count)
        game.system.update(1)
        game.system.despawn(lives[0])
        game.frames(30)
    for frame in range(100):
        pauses = (CollectorPause(frame // 10 % 3, 0.002),) * (frame % 10 == 0)
        times._happened = pauses, ()
        game.frames(1, 0.004 + frame % 7 / 2000 + (frame in {70, 73, 90}) * 0.04)
    game.press(pygame.K_F3, pygame.K_F3)
    picture = game.frames()
    assert (game.inspector._picture.get_width(), zlib.crc32(picture)) == look


def test_a_part_of_the_screen_is_filled(game: Game) -> None:
    screen = pygame.Surface((1360, 680), depth=32)
    game.inspector.draw(screen.subsurface((960, 0, 400, 640)))
    edges = [at(screen, *place) for place in ((959, 0), (960, 0), (1359, 639), (1359, 640))]
    assert edges == [(0, 0, 0), EDGE, EDGE, (0, 0, 0)]


@pytest.mark.parametrize("limit", [None, 1, 100, 5_000_000])
@pytest.mark.parametrize("capacity", [0, 1, 84, 85, 3000])
def test_any_number_of_instances_fits_the_row_and_shows_its_share(
    system: PoolingSystem, capacity: int, limit: int | None
) -> None:
    pool: PrefabPool[Any] = system.pool(dot("orc", limit=limit))
    stats = PoolStats(active=capacity // 2, inactive=capacity - capacity // 2, peak_active=9)
    surface = pygame.Surface((200, 12), depth=32)
    surface.fill("red")
    draw_cells(surface, (20, 3), 160, Row(pool, stats))
    surface.set_colorkey("red")
    area = surface.get_bounding_rect()
    assert pygame.Rect(20, 2, 160, 8).contains(area) or not area
    lengths = [sum(at(surface, x, 4) == color for x in range(200)) for color in (ACTIVE, CELL)]
    assert lengths[0] == pytest.approx(lengths[1], abs=8)
    assert all(lengths) == (capacity > 1)


RED = pygame.Surface((20, 20), pygame.SRCALPHA)
RED.fill((255, 0, 0), (4, 4, 6, 6))  # the transparent rim is left out


@pytest.mark.parametrize(
    ("image", "size"),
    [
        (pygame.Surface((300, 20)), (16, 1)),
        (pygame.Surface((2, 2)), (6, 6)),
        (pygame.Surface((40, 40), 0, 8), (16, 16)),
        (RED, (12, 12)),
        (pygame.Surface((2, 2), pygame.SRCALPHA), None),
        ("none", None),
        (pygame.Surface((0, 5)), None),
        (property(lambda _: 1 // 0), None),  # an image that is computed may fail
    ],
)
def test_a_row_shows_what_its_instances_look_like_if_they_look_like_anything(
    system: PoolingSystem, image: object, size: tuple[int, int] | None
) -> None:
    prefab: Prefab[Any] = Prefab(type("Thing", (), {"image": image}), name="thing")
    system.prespawn(prefab, 1)
    assert thumbnail(system.pool(prefab), 16) is None  # inactive instances are not looked at
    system.spawn(prefab)
    picture = thumbnail(system.pool(prefab), 16)
    assert (picture and picture.get_size()) == size


# -- letters --------------------------------------------------------------------------------------


def drawn(text: str) -> tuple[bytes, int]:
    surface = pygame.Surface((120, 30), depth=32)
    width = draw_text(surface, text, (10, 10), "white")
    return pygame.image.tobytes(surface, "RGB"), width


def test_text_is_drawn_from_the_top_of_its_capitals_in_any_color_and_size() -> None:
    surface = pygame.Surface((60, 30), depth=32)
    assert draw_text(surface, "H", (10, 10), (200, 100, 50)) == 4
    column = [at(surface, 10, y) for y in (9, 10, 16, 17)]
    assert column == [(0, 0, 0), (200, 100, 50), (200, 100, 50), (0, 0, 0)]
    draw_text(surface, "H", (60, 10), "red", align=1)
    assert at(surface, 59, 10) == (255, 0, 0)
    assert draw_text(surface, "", (0, 0), "red") == 0


def test_letters_differ_figures_are_of_one_width_and_unknown_ones_are_boxes() -> None:
    pictures = [drawn(letter)[0] for letter in [*map(chr, range(32, 127)), "ゴ"]]
    assert len(set(pictures)) == len(pictures) - 1  # 0 and O
    assert len({text_width(figure) for figure in "0123456789"}) == 1
    assert text_width("ゴブ") == text_width("\N{PILE OF POO}\n") == 11
    assert text_width("\N{ZERO WIDTH JOINER}") == 0


@pytest.mark.parametrize("word", ["für", "Ångström", "çédille", "żółw", "ČEŠTINA", "ñandú", "maïs"])
def test_accents_are_drawn_on_their_letters(word: str) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    assert text_width(word) <= text_width(plain) + 3
    assert drawn(word) == drawn(decomposed) != drawn(plain)


def test_letters_outlive_the_fonts_of_a_game_that_quits_pygame_and_begins_again() -> None:
    before = drawn("before")
    pygame.font.quit()
    bitmap_font._image_of.cache_clear()
    assert drawn("before") == before


def test_long_names_keep_their_beginning_and_their_end() -> None:
    name = "enemy_projectile_fireball_large"
    short = fitted(name, 80)
    assert text_width(short) <= 80
    assert (short[:6], short[-5:]) == ("enemy_", "large")
    assert (fitted(name, 800), fitted(name, 0), fitted("", 10)) == (name, "", "")
    assert text_width(fitted(name * 1000, 50)) <= 50
