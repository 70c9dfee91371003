"""The inspector shows what pools and frames do, takes its own events alone, and costs little.

The probe that it sees the collector with is here too, and its letters: `draw_text`.
"""

from __future__ import annotations

import gc
import itertools
import sys
import unicodedata
import zlib
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.devtools import (
    CollectorPause,
    CollectorProbe,
    Inspector,
    collector_probe,
)
from poolkit.devtools.inspector import (
    COLUMNS,
    EDGE,
    FLASH,
    LATE,
    FrameTimes,
    ruler,
    thumbnail,
    words_for,
)
from poolkit.devtools.letters import draw_text, fitted, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

SCREEN = 640, 360


class Dot(PooledSprite):
    """A sprite of which there is nothing to say."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))


def dot(name: str, **settings: Any) -> Prefab[Dot]:
    return Prefab(Dot, name=name, settings=PoolSettings(**settings))


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the collector do nothing that is seen, and memory always be the same."""
    monkeypatch.setattr(FrameTimes, "memory", (2383, 12.0))
    monkeypatch.setattr(CollectorProbe, "take", lambda _: ())


class Game:
    """A game with a system, a screen, and an inspector."""

    def __init__(self, system: PoolingSystem, **options: Any) -> None:
        self.system = system
        self.screen = pygame.Surface(SCREEN, depth=32)
        self.inspector = Inspector(system, **{"shown": True, **options})

    def press(self, *keys: int) -> bool:
        """Press keys; return whether all were the inspector's."""
        taken = [self.inspector.handle_event(down(key)) for key in keys]
        return all(taken)

    def write(self, words: str) -> None:
        self.press(pygame.K_F4)
        for letter in words:
            assert self.inspector.handle_event(down(ord(letter), unicode=letter))

    def frames(self, count: int = 1) -> bytes:
        """Draw some frames; return the last one."""
        for _ in range(count):
            self.inspector.draw(self.screen, 0.005)
        return pygame.image.tobytes(self.screen, "RGB")

    def listed(self) -> list[str]:
        """Draw; return the names of the rows in view."""
        self.inspector.draw(pygame.Surface(SCREEN))
        return [row.pool.name for row in self.inspector._listing.in_view]


@pytest.fixture
def game(system: PoolingSystem) -> Iterator[Game]:
    """A game of three pools, the inspector being shown."""
    for name, prespawn in (("orc", 2), ("troll", 5), ("puff", 3)):
        system.register(dot(name, prespawn=prespawn, limit=8))
    game = Game(system)
    yield game
    game.inspector.shown = False


def down(key: int, **more: Any) -> pygame.Event:
    return pygame.Event(pygame.KEYDOWN, key=key, **more)


def at(surface: pygame.Surface, x: int, y: int) -> tuple[int, ...]:
    return tuple(surface.get_at((x, y)))[:3]


# -- events and rows ------------------------------------------------------------------------------


def test_p11_n05_two_lines_show_the_pools_in_any_game_and_hidden_it_watches_nothing(
    game: Game,
) -> None:
    before, watching = pygame.image.tobytes(game.screen, "RGB"), len(gc.callbacks)
    game.screen.set_clip((0, 0, 100, 100))  # as a game may have left it: it cuts nothing off
    assert game.frames() != before
    assert game.screen.get_clip() == pygame.Rect(0, 0, 100, 100)
    assert game.listed() == ["orc", "troll", "puff"]
    assert repr(game.inspector) == "<Inspector(num_pools=3, shown=True)>"
    assert len(game.system._reset_hooks) == 1
    game.inspector.shown = False
    assert not game.inspector._listing.all
    assert len(gc.callbacks) == watching - 1
    assert not game.system._reset_hooks


def test_p11_the_key_shows_and_hides_it_and_is_the_inspectors_own(system: PoolingSystem) -> None:
    game = Game(system, key=pygame.K_F9, shown=False)
    up = pygame.Event(pygame.KEYUP, key=pygame.K_F9)
    before = pygame.image.tobytes(game.screen, "RGB")
    assert game.frames() == before
    assert not game.press(pygame.K_F2)
    assert game.press(pygame.K_F9)
    assert game.inspector.shown
    assert [game.inspector.handle_event(up) for _ in range(2)] == [True, False]
    assert game.press(pygame.K_F9)
    assert not game.inspector.shown
    assert not game.press(pygame.K_F10)  # hidden, it has no other key
    # The game never sees the key come up that it has not seen go down.
    assert game.inspector.handle_event(up)


def test_p11_a_game_keeps_all_other_events(game: Game) -> None:
    game.frames()
    games = [pygame.K_a, pygame.K_SPACE, pygame.K_UP, pygame.K_RETURN, pygame.K_ESCAPE, pygame.K_F1]
    events = [*map(down, games), down(pygame.K_F4, mod=pygame.KMOD_LALT)]
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
        ("peak", ["puff", "orc", "troll"]),
        ("late", ["puff", "orc", "troll"]),
        ("idle", ["troll", "orc", "puff"]),
    ],
)
def test_p11_rows_are_sorted_by_the_figure_that_is_chosen(
    game: Game, sort: str, names: list[str]
) -> None:
    for name, count in (("troll", 1), ("puff", 5), ("orc", 3)):
        game.system.spawn_many(name, [(0, 0)] * count)
    game.system.despawn(next(iter(game.system.pool("orc").active)))
    game.system.update(1)
    while game.inspector._listing.sort != sort:
        assert game.press(pygame.K_F3)
    assert game.listed() == names
    idle = {row.pool.name: row.value("idle") for row in game.inspector._listing.rows}
    assert idle == {pool.name: pool.idle_share for pool in game.system.report()}


def test_p11_a_filter_is_typed_and_every_key_is_its_own_then(game: Game) -> None:
    game.inspector.key = pygame.K_r  # which can be typed all the same
    game.write("RO")
    assert game.listed() == ["troll"]
    assert game.inspector.handle_event(pygame.Event(pygame.TEXTINPUT, text="o"))
    game.press(pygame.K_BACKSPACE)
    assert game.press(pygame.K_RETURN)
    assert not game.inspector.handle_event(down(pygame.K_o, unicode="o"))
    assert game.listed() == ["orc", "troll"]
    game.press(pygame.K_F4, pygame.K_ESCAPE)
    assert game.listed() == ["orc", "troll", "puff"]
    game.write("puff")
    game.press(pygame.K_r, pygame.K_r)
    assert not game.inspector.handle_event(down(pygame.K_x, unicode="x"))
    assert game.listed() == ["puff"]  # hiding it ends the typing, and keeps the filter


def test_p11_a_long_list_is_scrolled(system: PoolingSystem) -> None:
    for number in range(50):
        system.register(dot(f"kind {number:02}"))
    game = Game(system)
    page = len(game.listed())
    assert 4 < page < 12
    game.press(pygame.K_PAGEDOWN)
    assert game.listed()[0] == f"kind {page - 1:02}"
    game.press(pygame.K_END, pygame.K_PAGEDOWN)
    assert game.listed()[-1] == "kind 49"
    game.press(pygame.K_HOME)
    assert game.listed()[0] == "kind 00"
    game.press(pygame.K_END)
    game.write("kind 1")
    assert game.listed()[-1] == "kind 19"  # the view stays on a list that gets shorter
    game.inspector.shown = False


def test_p11_no_pools_and_a_disposed_system_do_no_harm(system: PoolingSystem) -> None:
    game = Game(system)
    empty = game.frames()
    game.press(pygame.K_F3, pygame.K_PAGEDOWN, pygame.K_F4)
    system.spawn(dot("orc"))
    system.dispose()
    assert game.frames(20) != empty
    game.inspector.shown = False


def test_p11_a_late_spawn_flashes_until_a_reset_and_what_was_made_beforehand_does_not(
    game: Game,
) -> None:
    def flashes(count: int) -> bool:
        seen: set[tuple[int, ...]] = set()
        for _ in range(count):
            game.frames()
            left, top = game.inspector._corner
            seen |= {at(game.screen, left + 4, top + y) for y in (100, 130, 160)}
        return LATE in seen

    game.system.prespawn("orc", 4)
    assert not flashes(20)
    game.system.spawn_many("orc", [(0, 0)] * 5)
    assert flashes(30)
    flashes(FLASH)
    assert not flashes(30)
    orc = game.system.pool("orc").prefab
    game.system.spawn("orc")
    game.system.reset()
    assert not game.inspector._times.frames
    game.system.register(orc)
    assert not flashes(20)


# -- what it costs --------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_collector")
def test_n05_the_collectors_pauses_are_attributed_to_frame_and_generation(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector_probe, "_clock", itertools.count(0, 0.001).__next__)
    game.frames(3)
    gc.collect(1)
    game.frames()
    gc.collect(2)
    gc.collect(0)
    game.frames(2)
    times = game.inspector._times
    assert times.collections == [1, 1, 1]
    assert [frame.generation for frame in times.frames] == [-1, -1, 1, 2, -1]
    assert [frame.paused for frame in times.frames] == pytest.approx([0, 0, 0.001, 0.002, 0])
    assert times.seconds_paused == pytest.approx(0.003)


def test_n05_while_shown_it_leaves_the_collector_nothing_to_do(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = itertools.count(1000)  # a new text with each drawing
    monkeypatch.setattr(FrameTimes, "memory", property(lambda _: (next(blocks), 12.0)))

    def play(count: int) -> None:
        for _ in range(count):
            one = game.system.spawn("orc")
            game.inspector.draw(game.screen, 0.005)
            game.system.despawn(one)
            game.system.update(1 / 60)

    play(1600)  # until the latest texts are all it remembers
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


def test_p11_of_many_pools_some_are_read_at_once_and_all_in_time(system: PoolingSystem) -> None:
    for number in range(400):
        system.register(dot(f"kind {number}"))
    game = Game(system)
    game.frames()
    for pool in system.all_pools():
        system.spawn(pool.prefab)
    read = []
    for _ in range(12):
        game.frames(6)
        read.append(sum(row.stats.active for row in game.inspector._listing.all))
    assert max(new - old for old, new in itertools.pairwise([0, *read])) <= 60
    assert read[-1] == 400
    game.inspector.shown = False


@pytest.mark.usefixtures("no_collector")
def test_n05_a_probe_sees_each_pause_its_generation_and_what_was_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collector_probe, "_clock", iter((1.0, 1.5, 7.0, 7.25)).__next__)
    garbage: list[object] = []
    garbage.append(garbage)
    del garbage
    with CollectorProbe() as probe:
        gc.collect()
        gc.collect(0)
        pauses = probe.take()
    assert [pause.generation for pause in pauses] == [2, 0]
    assert pauses[0].collected >= 1
    assert [pause.seconds for pause in pauses] == [0.5, 0.25]
    assert probe.take() == ()


@pytest.mark.usefixtures("no_collector")
def test_n05_a_probe_watches_only_between_start_and_stop_and_skips_what_had_begun() -> None:
    before = len(gc.callbacks)
    probe = CollectorProbe()
    probe._watch("stop", {"generation": 1, "collected": 3})
    for change, watching in ((probe.start, 1), (probe.start, 1), (probe.stop, 0), (probe.stop, 0)):
        change()
        assert len(gc.callbacks) == before + watching
        gc.collect()
    assert len(probe.take()) == 2


# -- what it looks like ---------------------------------------------------------------------------


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("size", "look"),
    [
        ((1, 1), (1, 2503782745)),
        ((160, 144), (116, 4246918243)),
        ((320, 240), (128, 713824665)),
        ((640, 360), (200, 1119590659)),
        ((800, 600), (200, 1884539098)),
        ((1280, 720), (400, 1684301994)),
        ((1920, 1080), (600, 2119444921)),
    ],
)
def test_p11_it_looks_as_it_did_when_someone_looked_at_it_and_leaves_the_game_visible(
    game: Game, size: tuple[int, int], look: tuple[int, int]
) -> None:
    """Whoever changes its look, looks at it on these screens and notes the new numbers."""
    game.screen, times = pygame.Surface(size, depth=32), game.inspector._times
    for kind in (dot("arrow", limit=3000), dot("a_rather_long_name_for_a_spark")):
        game.system.register(kind)
    game.frames()
    for name, count in (("orc", 3), ("troll", 4), ("arrow", 700)):
        lives = game.system.spawn_many(name, [(0, 0)] * count)
        game.system.update(1)
        game.system.despawn(lives[0])
    for frame in range(100):
        pauses = [CollectorPause(frame // 10 % 3, 0.002, 0)]
        seconds = 0.004 + frame % 7 / 2000 + (frame in {70, 73, 90}) * 0.04
        times.add(seconds, pauses * (frame % 10 == 0), pooling=True)
    times.add(0.004, [], pooling=False)
    game.press(pygame.K_F3, pygame.K_F3)
    game.write("r")
    picture = game.frames(8)  # in which late ones flash
    assert (game.inspector._picture.get_width(), zlib.crc32(picture)) == look


@pytest.mark.usefixtures("quiet")
def test_p11_what_is_written_says_what_it_means_and_follows_the_filter(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    text = Inspector._text

    def noting(shown: Inspector, words: str, *how: Any) -> int:
        written.append(words)
        return text(shown, words, *how)

    def words(size: tuple[int, int] = SCREEN) -> list[str]:
        written.clear()
        game.inspector._due = 0
        game.inspector.draw(pygame.Surface(size), 0.0161)
        return written

    monkeypatch.setattr(Inspector, "_text", noting)
    words()
    game.system.spawn("orc")
    counts = ["1 active", "9 inactive", "3 pools", "frame 16.1 ms", "worst 16.1"]
    assert words()[:5] == counts
    texts = {"0 young", "0 middle", "0 full", "memory +2,383 blocks in 12 s", *COLUMNS}
    assert texts <= set(written)
    game.inspector._listing.needle = "l"
    assert words()[:3] == ["0 active", "5 inactive", "1 of 3 pools"]
    game.system.configure(pooling=False)
    assert words()[:2] == ["0 active", "pooling off"]
    game.inspector._listing.needle = "z"
    assert "no name contains z" in words()


def test_p11_figures_have_at_most_four_letters() -> None:
    figures = (0, 9999, 10_000, 2_500_000)
    assert [words_for("peak", count) for count in figures] == ["0", "9999", "10k", "2M"]
    assert [words_for(column, 0) for column in COLUMNS] == ["0", "0", "·", "·", "·", "0%"]


def test_p11_a_part_of_the_screen_is_filled(game: Game) -> None:
    screen = pygame.Surface((1360, 680), depth=32)
    game.inspector.draw(screen.subsurface((960, 0, 400, 640)))
    edges = [at(screen, *place) for place in ((959, 0), (960, 0), (1359, 639), (1359, 640))]
    assert edges == [(0, 0, 0), EDGE, EDGE, (0, 0, 0)]


@pytest.mark.parametrize("limit", [None, 1, 100, 5_000_000])
@pytest.mark.parametrize("capacity", [0, 1, 84, 85, 1_000_000])
def test_p11_any_number_of_instances_fits_the_row(capacity: int, limit: int | None) -> None:
    instances, pitch = ruler(168, capacity, limit)
    assert -(-capacity // instances) * pitch <= 168
    assert pitch >= 2


RED = pygame.Surface((20, 20), pygame.SRCALPHA)
RED.fill((255, 0, 0), (4, 4, 6, 6))  # the transparent rim is left out


@pytest.mark.parametrize(
    ("image", "size"),
    [
        (pygame.Surface((300, 20)), (16, 1)),
        (pygame.Surface((2, 2), pygame.SRCALPHA), (6, 6)),
        (pygame.Surface((40, 40), 0, 8), (16, 16)),
        (RED, (12, 12)),
        ("none", None),
        (pygame.Surface((0, 5)), None),
        (property(lambda _: 1 // 0), None),  # an image that is computed may fail
    ],
)
def test_p11_a_row_shows_what_its_instances_look_like_if_they_look_like_anything(
    system: PoolingSystem, image: object, size: tuple[int, int] | None
) -> None:
    prefab: Prefab[Any] = Prefab(type("Thing", (), {"image": image}), name="thing")
    system.prespawn(prefab, 1)
    assert thumbnail(system.pool(prefab), 16) is None  # instances at rest are not looked at
    system.spawn(prefab)
    picture = thumbnail(system.pool(prefab), 16)
    assert (picture and picture.get_size()) == size


# -- letters --------------------------------------------------------------------------------------


def drawn(text: str) -> tuple[bytes, int]:
    surface = pygame.Surface((120, 30), depth=32)
    width = draw_text(surface, text, (10, 10), "white")
    return pygame.image.tobytes(surface, "RGB"), width


def test_p11_text_is_drawn_from_the_top_of_its_capitals_in_any_color() -> None:
    surface = pygame.Surface((60, 30), depth=32)
    assert draw_text(surface, "H", (10, 10), (200, 100, 50)) == 4
    column = [at(surface, 10, y) for y in (9, 10, 16, 17)]
    assert column == [(0, 0, 0), (200, 100, 50), (200, 100, 50), (0, 0, 0)]
    draw_text(surface, "H", (60, 10), "red", align=1)
    assert at(surface, 59, 10) == (255, 0, 0)
    assert draw_text(surface, "", (0, 0), "red") == 0


def test_p11_letters_differ_figures_are_of_one_width_and_unknown_ones_are_boxes() -> None:
    pictures = [drawn(letter)[0] for letter in [*map(chr, range(32, 127)), "ゴ"]]
    assert len(set(pictures)) == len(pictures) - 1  # 0 and O
    assert len({text_width(figure) for figure in "0123456789"}) == 1
    assert text_width("ゴブ") == text_width("\N{PILE OF POO}\n") == 11
    assert text_width("\N{ZERO WIDTH JOINER}") == 0


@pytest.mark.parametrize("word", ["für", "Ångström", "çédille", "żółw", "ČEŠTINA", "ñandú", "maïs"])
def test_p11_accents_are_drawn_on_their_letters(word: str) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    assert text_width(word) <= text_width(plain) + 3
    assert drawn(word) == drawn(decomposed) != drawn(plain)


def test_p11_long_names_keep_their_beginning_and_their_end() -> None:
    name = "enemy_projectile_fireball_large"
    short = fitted(name, 80)
    assert text_width(short) <= 80
    assert (short[:6], short[-5:]) == ("enemy_", "large")
    assert (fitted(name, 800), fitted(name, 0), fitted("", 10)) == (name, "", "")
    assert text_width(fitted(name * 1000, 50)) <= 50
