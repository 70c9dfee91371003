"""The game of phones and rabbits: it is played, by a bot too, and nothing that goes wrong stops it.

``RABBITS_FRAMES=36000`` lets the bot play for ten minutes of the game instead of some seconds.
"""

from __future__ import annotations

import copy
import functools
import gc
import itertools
import json
import math
import os
import sys
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pygame
import pytest

import bots
from demo_fixture import ended, own_pools, start
from poolkit import Prefab, pools
from poolkit.devtools import apply_profile, audit, disable_strict, enable_strict
from poolkit.scenes import Scene, SceneManager
from rabbits import sound, stage
from rabbits.art import RED
from rabbits.boss import boss, king
from rabbits.controls import Bot, Player
from rabbits.dinosaur import Commands
from rabbits.effects import shout
from rabbits.enemies import KINDS, small
from rabbits.game import PREFABS, PROFILE, handle_event, main, run
from rabbits.kept import Kept, Options, kept
from rabbits.menus import Keys, Settings
from rabbits.phones import phone
from rabbits.scenes import Ending, Game, Pause, Play, Title
from rabbits.tally import RULES, Tally, tally
from rabbits.waves import LEVELS, WORTH, Director, Level
from rabbits.waves import level as level_of
from rabbits.window import Window
from rabbits.words import KEYS, LESSONS, banner, key_name, lesson
from shared.menu import wish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from poolkit import SceneReport

STEP = stage.STEP
SIZE = stage.WIDE, stage.HIGH
FRAMES = int(os.environ.get("RABBITS_FRAMES", "1500"))


def nobody_comes(_: Director) -> Iterator[float]:
    """Let no wave come, and no end of the level."""
    yield from ()


class Table(Game):
    """The game and its window, for one who plays frame by frame."""

    def __init__(self) -> None:
        super().__init__(Player(), Window("test", SIZE, scale=2, headless=True))

    def frames(self, count: int = 1) -> None:
        """Let frames pass, with all events that wait, as fast as they can."""
        for _ in range(count):
            for event in pygame.event.get():
                handle_event(event, self, self.shown_in)
            self.update(STEP)
            self.draw(self.shown_in.canvas)

    @property
    def shown_in(self) -> Window:
        """The window."""
        assert self.window is not None
        return self.window

    def press(self, *keys: int) -> None:
        for key in keys:
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        self.frames()

    @property
    def shown(self) -> Any:
        """The present scene."""
        return self.scenes.scene

    def shows(self, kind: type[Scene]) -> bool:
        return isinstance(self.scenes.scene, kind)

    def at_level(self, number: int) -> Play:
        """Begin a level in which no wave comes, with a hero who does nothing and can be hurt."""
        self.load(Play(self, number))
        with mock.patch.object(Director, "run", nobody_comes):
            self.until_loaded()
        self.player = mock.Mock(patience=4.0)
        self.player.commands.return_value = Commands()
        self.hero.clock = 9.0
        assert isinstance(self.shown, Play)
        return self.shown

    def let_waves_come(self, level: Level) -> None:
        """Let the waves of a level come to the one that is shown."""
        self.shown.director = Director(level)
        self.shown.scope.start(self.shown.director.run())

    @property
    def hero(self) -> Any:
        """Who plays, while it lives."""
        return self.shown.hero.get()

    def until_loaded(self) -> None:
        self.frames()
        while self.progress:
            self.frames()


@pytest.fixture(autouse=True)
def _pools() -> Iterator[None]:
    """Pools of its own, in which the game's prefabs are known by name."""
    with own_pools():
        vars(kept).update(vars(Kept()))
        kept.lessons = list(LESSONS)
        vars(tally).update(vars(Tally()))
        Window("test", SIZE, headless=True).window.destroy()  # pictures can be loaded now
        pygame.event.clear()
        for prefab in PREFABS:
            pools.register(prefab)
        yield


@pytest.fixture
def game() -> Iterator[Table]:
    """The game at its title, waiting for a player."""
    game = Table()
    game.until_loaded()
    yield game
    game.scenes.load(Scene())
    game.shown_in.window.destroy()


@pytest.fixture
def level(game: Table) -> Play:
    """The first level as it begins, before a rabbit comes."""
    return game.at_level(0)


# -- played ---------------------------------------------------------------------------------------


def test_a_bot_plays_on_and_on_with_nothing_made_late_and_no_full_collection() -> None:
    reports: list[SceneReport | None] = []
    full = 0

    class Watched(SceneManager):
        def loading(self, scene: Scene, budget_ms: float = 4.0) -> Any:
            report = yield from super().loading(scene, budget_ms)
            reports.append(report)

    def collecting(phase: str, info: dict[str, int]) -> None:
        nonlocal full
        full += phase == "start" and info["generation"] == 2 and played.progress is None

    with mock.patch("rabbits.scenes.SceneManager", Watched):
        applied = apply_profile(PROFILE, margin=0.5)
        window, played = Window("test", SIZE, headless=True), Game(Bot())
        gc.callbacks.append(collecting)
        try:
            run(played, window, FRAMES)
        finally:
            gc.callbacks.remove(collecting)
            applied.stop()
    reports.append(pools.report())
    ended = [report for report in reports if report]
    late = {(report.scene, pool.name) for report in ended for pool in report if pool.stats.late}
    assert late == set()
    assert full == 0
    assert tally.score > 0
    assert sum(pool.stats.reused for report in ended for pool in report) > FRAMES / 10
    played.scenes.load(Scene())


def test_each_level_can_be_won_wave_by_wave_and_the_last_one_ends_the_game(game: Table) -> None:
    seen: set[str] = set()
    for number, kind in enumerate(LEVELS):
        scene = game.at_level(number)
        assert scene.level is kind
        game.let_waves_come(scene.level)
        for frame in range(60 * 90):
            if scene.director.is_done:
                break
            game.hero.safe_until = game.hero.clock + 1
            game.scenes.update(STEP)
            for enemy in stage.enemies.sprites():
                seen.add(type(enemy).__name__)
                if enemy.active and frame % 20 == 0:
                    enemy.hit(behind(enemy))
        assert scene.director.is_done
        assert scene.director.wave == len(scene.director.waves)
        game.until_loaded()
    assert {kind.name.title() for kind in (*KINDS, boss, king)} - {"Snowball", "Bolt"} <= seen
    assert game.shown.heading == "the world is saved!"


def test_the_last_life_ends_the_game_and_another_one_begins_afresh(
    game: Table, level: Play
) -> None:
    tally.score, tally.lives = 70, 1
    game.hero.meet(pools.spawn(small, game.hero.position))
    assert not level.hero
    while game.shown is level:
        game.frames()
    over = game.shown
    assert over.heading == "game over"
    assert kept.best == 70
    game.frames(80)
    game.press(pygame.K_RETURN)
    assert game.shown is over  # that key was meant for a jump
    game.frames(20)
    click(game, (240, over.top + 5))
    assert game.shown is over  # and that click for a throw
    game.press(pygame.K_ESCAPE)
    game.until_loaded()
    game.press(pygame.K_RETURN)
    game.until_loaded()
    assert game.shown.level is LEVELS[0]
    assert (tally.score, tally.lives) == (0, 3)
    assert len(stage.dinosaurs) == 1


def behind(enemy: Any) -> tuple[float, float]:
    """Return where to hit somebody who wears a breastplate."""
    return enemy.position.x - 30 * enemy.facing, enemy.position.y


# -- the game as a whole --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [bots.Corner, bots.Centre])
def test_who_stands_still_and_throws_does_not_get_far(make: Any) -> None:
    ended = [bots.play(make, seed) for seed in range(2)]
    assert not any(result.has_won for result in ended)
    assert sum(result.level for result in ended) <= 1


def test_who_reacts_late_and_aims_badly_gets_past_the_first_level_more_often_than_not() -> None:
    assert sum(bots.play(bots.Human, seed, levels=1).has_won for seed in range(8)) > 4


def test_strict_mode_finds_nothing_in_any_level(game: Table) -> None:
    enable_strict()
    try:
        for number in range(len(LEVELS)):
            game.player = bots.Best()
            game.load(Play(game, number))
            for _ in range(600):
                tally.lives = 5
                game.frames()
            assert isinstance(game.shown, Play)
    finally:
        disable_strict()


def test_who_looks_out_and_aims_gets_on() -> None:
    assert bots.play(bots.Best, 0, levels=2).has_won


def test_after_the_last_level_more_and_more_come_without_an_end() -> None:
    worth = [
        sum(WORTH.get(letter, 0) for letter in level_of(number).waves)
        for number in range(len(LEVELS), len(LEVELS) + 9)
    ]
    assert worth == sorted(set(worth))
    assert {level_of(number).place for number in range(6, 12)} == {level.place for level in LEVELS}


def test_a_level_can_be_tried_again_with_the_score_before_it(game: Table) -> None:
    game.begin(3)
    game.until_loaded()
    tally.score, tally.lives = 500, 1
    game.load(Play(game, 4))
    game.until_loaded()
    tally.add(300)
    game.hero.clock = 9.0
    game.hero.meet(pools.spawn(small, game.hero.position))
    while not game.shows(Ending):
        game.frames()
    game.frames(100)
    game.press(pygame.K_RETURN)
    game.until_loaded()
    assert (game.shown.number, tally.score, tally.lives, tally.retries) == (4, 500, 3, 1)


def test_who_wins_may_go_on_without_an_end_now_and_from_the_title(game: Table) -> None:
    says = [item.says() for item in game.shown.choices.items]
    assert "endless mode" not in says
    scene = game.at_level(len(LEVELS) - 1)
    scene.director = mock.Mock(is_done=True, wave=1, waves="K", level=scene.level)
    game.frames()
    assert game.shown.heading == "the world is saved!"
    game.frames(100)
    game.press(pygame.K_RETURN)
    game.until_loaded()
    assert game.shown.number == len(LEVELS)
    game.load(Title(game))
    game.until_loaded()
    game.press(pygame.K_DOWN, pygame.K_RETURN)
    game.until_loaded()
    assert game.shown.number == len(LEVELS)


def test_s_saves_the_ending_as_a_picture_and_says_where(
    game: Table, level: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tally.add(80)
    level.end("game over", "over")
    game.frames(100)
    game.press(pygame.K_s)
    assert game.shown.said == f"saved as {tmp_path / 'rabbits-80.png'}"
    assert pygame.image.load(tmp_path / "rabbits-80.png").get_size() == (1440, 810)
    with mock.patch("pygame.image.save", side_effect=OSError("disk full")):
        game.press(pygame.K_s)
    assert game.shown.said == "it can't be saved: disk full"


@pytest.mark.usefixtures("level")
def test_phones_charge_slowly_while_one_throws_and_quickly_after_that(game: Table) -> None:
    game.frames(60)
    game.player = mock.Mock(commands=lambda: Commands(throw=True))
    game.frames(600)
    thrown = tally.thrown
    assert 15 <= thrown <= 20  # six at once, and then hardly more than one a second
    game.player = mock.Mock(commands=Commands)
    game.frames(120)
    assert game.hero.charge == 6


def test_harder_games_have_fewer_lives_and_quicker_rabbits(game: Table) -> None:
    seen = []
    game.frames(2)
    while game.shown.choices.chosen != 1:
        game.press(pygame.K_DOWN)
    for _ in range(3):
        tally.begin()
        seen.append((tally.rules.name, tally.rules.lives, tally.rules.pace))
        game.press(pygame.K_RIGHT)
    assert seen == [("normal", 3, 1.0), ("hard", 2, 1.15), ("easy", 5, 0.85)]


def test_options_are_changed_by_keys_and_clicks_and_kept(game: Table, tmp_path: Path) -> None:
    kept.open_file(tmp_path / "kept.json")
    while game.shown.choices.items[game.shown.choices.chosen].says() != "options":
        game.press(pygame.K_DOWN)
    game.press(pygame.K_RETURN)
    game.press(pygame.K_LEFT)
    assert kept.options.music == 6
    for line in (2, 3, 4, 5):  # mute, full screen, shake, flash
        click(game, (240, game.shown.top + 15 * line + 5))
    assert game.shown_in.is_full
    click(game, (240, game.shown.top + 15 * 6 + 5))
    game.press(pygame.K_DOWN, pygame.K_DOWN, pygame.K_RETURN, pygame.K_k)
    game.press(pygame.K_ESCAPE)
    game.press(pygame.K_ESCAPE)
    assert game.shows(Title)
    found = Kept()
    found.open_file(tmp_path / "kept.json")
    assert found.keys == {"jump": pygame.K_k}
    options = found.options
    assert (options.mute, options.full, options.shake, options.flash) == (True, True, False, False)
    stage.camera.shake(9)
    assert stage.camera.trembling == 0
    player = Player()
    for key, taps in ((pygame.K_w, set()), (pygame.K_k, {"jump"})):
        player.handle_event(pygame.Event(pygame.KEYDOWN, key=key))
        assert player.taps == taps


def test_the_first_minute_teaches_and_the_second_game_does_not(game: Table) -> None:
    for expected in ("run", "throw", "stomp"), ():
        kept.lessons = [] if expected else kept.lessons
        game.begin()
        game.until_loaded()
        told = set()
        for _ in range(60 * 14):
            game.frames()
            told |= {name for name in expected if lesson.text == said(name)} or {lesson.text} - {""}
        assert told == set(expected)
        lesson.say("")


def to_title(game: Table) -> None:
    """Leave the level by the last line of the pause."""
    game.press(pygame.K_ESCAPE)
    game.frames(40)
    game.press(pygame.K_UP, pygame.K_SPACE)
    game.until_loaded()
    assert game.shows(Title)


def test_an_action_whose_key_another_one_takes_gets_the_next_key(game: Table) -> None:
    game.scenes.push(Keys(game))
    jump = list(KEYS).index("jump")
    game.press(*[pygame.K_DOWN] * jump, pygame.K_RETURN, *KEYS["throw"][:1])
    assert game.shown.asked == "throw"
    game.press(pygame.K_SPACE)
    assert (kept.keys["jump"], kept.keys["throw"]) == (KEYS["throw"][0], pygame.K_SPACE)
    assert game.shown.asked == ""


def said(name: str) -> str:
    """Return a lesson as it is read."""
    return LESSONS[name].format(**{action: key_name(action) for action in KEYS})


@pytest.mark.usefixtures("level")
def test_words_do_not_cover_each_other() -> None:
    for _ in range(8):
        shout("100", (300, 150))
    places = [word.rect for word in stage.words]
    assert len(places) == 8
    assert not any(one.colliderect(other) for one, other in itertools.combinations(places, 2))


def test_who_is_not_in_view_is_pointed_at_and_the_boss_stays_in_view(game: Table) -> None:
    scene = game.at_level(2)
    stage.camera.left = 0
    far = pools.spawn(small, (780, 210))
    game.frames()
    edge = game.shown_in.canvas.subsurface(440, 195, 40, 30)
    assert pygame.transform.threshold(None, edge, RED, (4, 4, 4), None, 0) > 5
    far.kill()
    fought = pools.spawn(boss, (700, 180))
    game.hero.position = 330, 200
    scene.looked_at = 330
    for _ in range(120):
        fought.position = 700, 180
        game.frames()
    left = -stage.camera.offset[0]
    assert left < game.hero.position.x < fought.position.x < left + stage.WIDE


@pytest.mark.parametrize("prefab", PREFABS, ids=lambda prefab: prefab.name)
def test_every_prefab_of_the_game_is_clean_those_who_fight_after_a_fight_too(
    prefab: Prefab[Any],
) -> None:
    def fight(enemy: Any) -> None:
        """Play, with a hero to turn to, until the enemy is dead."""
        for frame in range(900):
            pools.update(STEP)
            stage.enemies.update(STEP)
            stage.world.step(STEP)
            if frame % 10 == 0 and enemy.active:
                target = next((ear for ear in getattr(enemy, "ears", ()) if ear.active), enemy)
                target.hit(behind(enemy))
        assert not enemy.active
        pools.despawn_all()

    for live in (None, fight) if prefab in {*KINDS, boss, king} else (None,):
        report = audit(prefab, live, system=pools)
        assert str(report).startswith(f"{prefab.name}: clean")


# -- the player -----------------------------------------------------------------------------------


def test_keys_and_mouse_are_told_as_commands() -> None:
    player = Player()
    held = dict.fromkeys((pygame.K_d, pygame.K_SPACE, pygame.K_x), True)
    with mock.patch("pygame.key.get_pressed", return_value=defaultdict(bool, held)):
        assert player.commands() == Commands(1.0, jump=True, throw=True)
        player.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_SPACE))
        assert player.commands() == Commands(1.0, jump=True, leap=True, throw=True)
    player.taps.clear()
    player.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=(240, 135)))
    with mock.patch("pygame.mouse.get_pressed", return_value=(True, False, False)):
        told = player.commands()
    left, top = stage.camera.offset
    assert told == Commands(aim=(240 - left, 135 - top), throw=True)
    player.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_x))
    assert player.commands().aim is None


def click(game: Table, place: tuple[int, int]) -> None:
    """Click on a place of the picture, wherever the window shows it."""
    shown = game.shown_in.place
    x, y = (place[axis] * shown.size[axis] / SIZE[axis] + shown[axis] for axis in (0, 1))
    pygame.event.post(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(int(x), int(y)), button=1))
    game.frames()


def lose_focus(game: Table) -> None:
    """Let another window have the keys, twice."""
    with mock.patch("pygame.key.get_focused", return_value=False):
        for _ in range(2):
            pygame.event.post(pygame.Event(pygame.WINDOWFOCUSLOST))
            game.frames()


def test_p_or_another_window_pauses_lives_and_timers_and_escape_leads_to_the_title_and_out(
    game: Table, level: Play
) -> None:
    hero = game.hero
    thrown = pools.spawn(phone, (400, 100), velocity=(0, 0))
    for pause in (partial(game.press, pygame.K_p), partial(lose_focus, game)):
        pause()
        assert game.shows(Pause)
        before = hero.clock, thrown.position
        game.frames(300)
        assert (hero.clock, thrown.position) == before
        game.press(pygame.K_p)
        assert game.shown is level
        assert hero.clock > before[0]
    for shown in (Pause, Play):  # Escape pauses, and goes on
        game.press(pygame.K_ESCAPE)
        game.frames(40)
        assert game.shows(shown)
    to_title(game)
    game.press(pygame.K_ESCAPE)
    assert [event.type for event in pygame.event.get()] == [pygame.QUIT]
    click(game, (240, game.shown.top + 5))
    game.until_loaded()
    assert game.shows(Play)


@pytest.mark.usefixtures("level")
def test_a_jump_that_is_pressed_a_moment_before_landing_counts(game: Table) -> None:
    jumped = {}
    for before in (5, 9):  # frames
        game.frames(60)
        game.hero.body.velocity = 0, -200
        while landing_in(game.hero) > before:
            game.frames()
        orders = [Commands(leap=True), *(Commands() for _ in range(before + 2))]
        game.player = mock.Mock(commands=mock.Mock(side_effect=orders))
        speeds = []
        for _ in orders:
            game.frames()
            speeds.append(game.hero.body.velocity.y)
        jumped[before] = min(speeds) < -200
        game.player = mock.Mock(commands=mock.Mock(return_value=Commands()))
    assert jumped == {5: True, 9: False}


def landing_in(hero: Any) -> float:
    """Return in how many frames somebody who falls stands again."""
    below = stage.GROUND - hero.rect.bottom
    speed = hero.body.velocity.y * STEP
    return below / speed if speed > 0 else 99.0


@pytest.mark.usefixtures("level")
def test_a_key_that_is_down_for_less_than_a_frame_is_not_lost(game: Table) -> None:
    game.frames(30)
    game.player = Player()
    for key in (pygame.K_SPACE, pygame.K_x):
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            pygame.event.post(pygame.Event(kind, key=key, mod=0, unicode=""))
    game.frames(2)
    assert game.hero.body.velocity.y < -200
    assert pools.pool(phone).active_count == 1


def seen_in_the_loop(game: Table, keys: Sequence[int], look: Callable[[], Any]) -> list[Any]:
    """Return what `look` finds before each key, of which one is pressed every 20 frames."""
    player, seen, frames = Player(), [], itertools.count(1)
    played, pressed = Game(player), iter(keys)

    def wait() -> float:
        if next(frames) % 20 == 0:
            seen.append(look())
            key = next(pressed)
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        return STEP

    with mock.patch.object(player, "wait", wait), mock.patch.object(player, "patience", math.inf):
        run(played, game.shown_in, 20 * len(keys))
    played.scenes.load(Scene())
    return seen


def test_the_pointer_stays_in_the_window_while_one_plays(game: Table) -> None:
    keys = pygame.K_RETURN, pygame.K_p, pygame.K_F5
    grabs = seen_in_the_loop(game, keys, lambda: game.shown_in.window.grab_mouse)
    assert grabs == [False, True, False]


@pytest.mark.parametrize(("number", "stops"), [(0, 0), (2, 1)])
def test_the_music_of_a_boss_ends_with_it(
    game: Table, number: int, stops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, stop = game.at_level(number), mock.Mock()
    monkeypatch.setattr("rabbits.waves.stop_music", stop)
    game.let_waves_come(replace(scene.level, waves=scene.level.waves.split()[-1]))
    while banner.text != "all clear!":
        game.hero.safe_until = game.hero.clock + 1
        game.frames()
        for enemy in stage.enemies.sprites():
            enemy.hit(behind(enemy))
    assert stop.call_count == stops


@pytest.mark.parametrize(
    ("size", "place"),
    [
        ((1280, 720), (0, 0, 1280, 720)),
        ((1920, 1080), (0, 0, 1920, 1080)),
        ((800, 450), (0, 0, 800, 450)),
        ((1000, 1000), (0, 219, 1000, 562)),
        ((300, 200), (0, 16, 300, 169)),
    ],
)
def test_the_picture_fills_a_window_of_any_size_and_the_pointer_is_where_it_points(
    size: tuple[int, int], place: tuple[int, int, int, int], game: Table
) -> None:
    window = game.shown_in
    window.window.minimum_size = 1, 1
    window.window.size = size
    assert tuple(window.place) == place
    surface, wide = window.paint(), place[2] / SIZE[0]
    for x, y in [(0, 0), (100, 226), (479, 269)] if wide > 1 else ():
        middle = int(place[0] + (x + 0.5) * wide), int(place[1] + (y + 0.5) * wide)
        shown, drawn = surface.get_at(middle), window.canvas.get_at((x, y))
        assert all(abs(one - other) < 8 for one, other in zip(shown, drawn, strict=True))
    assert window.to_canvas(window.place.topleft) == (0, 0)
    assert window.to_canvas(window.place.bottomright) == SIZE


# -- what may go wrong ----------------------------------------------------------------------------


def a_pad() -> mock.Mock:
    """A game pad, tilted to the left, with its third button held."""
    pad = mock.Mock()
    for name in ("get_instance_id", "get_numaxes", "get_numhats"):
        getattr(pad, name).return_value = 1
    pad.get_axis.return_value = -0.9
    pad.get_hat.return_value = 0, 0
    pad.get_numbuttons.return_value = 4
    pad.get_button = (0, 0, 1, 0).__getitem__
    return pad


@pytest.mark.usefixtures("level")
def test_a_pad_may_come_and_go_while_one_plays(game: Table) -> None:
    player = game.player = Player()
    with mock.patch("pygame.joystick.Joystick", return_value=a_pad()):
        pygame.event.post(pygame.Event(pygame.JOYDEVICEADDED, device_index=0))
        game.frames(20)
    assert game.hero.body.velocity.x < -50
    assert pools.pool(phone).active_count
    wishes = [wish(pygame.Event(pygame.JOYBUTTONDOWN, button=number)) for number in (7, 6, 0)]
    assert wishes == ["pause", "leave", "go on"]
    hats = [wish(pygame.Event(pygame.JOYHATMOTION, value=way)) for way in ((0, 1), (1, 0), (1, 1))]
    assert hats == ["up", "right", ""]
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=1))
    game.frames()
    assert player.pads == {}
    assert game.shows(Pause)
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=9))  # never seen
    game.frames(3)


def test_f11_and_alt_enter_take_the_whole_screen_and_give_it_back(game: Table) -> None:
    window = game.shown_in.window
    before = window.size, window.position
    for _ in range(2):
        game.press(pygame.K_F11)
        assert window.size == pygame.display.get_desktop_sizes()[0]
        enter = pygame.Event(pygame.KEYDOWN, key=pygame.K_RETURN, mod=pygame.KMOD_LALT, unicode="")
        pygame.event.post(enter)
        game.frames()
        assert (window.size, window.position) == before
    assert game.shows(Title)  # Enter chose nothing


def test_there_are_sounds_and_music_or_silence_and_a_line_that_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for error in (None, pygame.error("no device")):
        try:
            with mock.patch("pygame.mixer.init", wraps=pygame.mixer.init, side_effect=error):
                sound.open_sound()
            for name in ("throw", "break", "roar", "fanfare"):
                sound.play(name)
            for name in ("title", "meadow", "boss"):
                sound.play_music(name)
                assert error or pygame.mixer.music.get_busy()
        finally:
            sound.load.cache_clear()
            pygame.mixer.quit()
    assert capsys.readouterr().err == "playing without sound: no device\n"


def test_the_mix_of_what_one_hears_clips_nothing_has_no_offset_and_lets_sounds_be_heard(
    game: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mixes what the mixer would; the volumes are those that the game sets."""
    sound.open_sound()
    rate, frame = 44100, 44100 // 60
    heard: list[tuple[int, Path]] = []
    clock = mock.Mock(frame=0)
    arrays = functools.cache(
        lambda file: pygame.sndarray.array(pygame.mixer.Sound(file)).astype(float) / 32768
    )
    monkeypatch.setattr(
        sound, "load", lambda file: mock.Mock(play=lambda: heard.append((clock.frame, file)))
    )
    monkeypatch.setattr(pygame.time, "get_ticks", lambda: clock.frame * 1000 // 60)
    try:
        for file in sound.FOLDER.glob("*.ogg"):
            wave = arrays(file)
            assert abs(wave.mean()) < 0.005, file
            assert abs(wave).max() < 0.98, file
        game.at_level(2)
        game.player = Bot()
        game.let_waves_come(LEVELS[2])
        for clock.frame in range(1800):
            game.player.wait()
            game.frames()
        music = np.resize(arrays(sound.FOLDER / "boss.ogg") * sound.MUSIC, (33 * rate, 2))
        sounds = np.zeros_like(music)
        for when, file in heard:
            wave = arrays(file)
            sounds[when * frame : when * frame + len(wave)] += wave
    finally:
        pygame.mixer.quit()
    assert len(heard) > 50
    assert abs(music + sounds).max() < 0.98
    heard_now = sounds[abs(sounds).max(axis=1) > 0.001]
    assert 0 < loudness(heard_now) - loudness(music) < 6


def loudness(wave: Any) -> float:
    """Return it in decibels, 0 for full scale."""
    return float(20 * np.log10(np.sqrt((wave**2).mean())))


def test_each_place_has_music_of_its_own_that_loops_unheard() -> None:
    sound.open_sound()
    try:
        for name in {*(level.place for level in LEVELS), "title", "boss", "king"}:
            wave = pygame.sndarray.array(pygame.mixer.Sound(sound.FOLDER / f"{name}.ogg")) / 32768
            steps = abs(np.diff(wave, axis=0)).max(axis=1)
            assert len(wave) > 40 * 44100, name
            assert abs(wave[0] - wave[-1]).max() < np.quantile(steps, 0.999), name
            assert -21 < loudness(wave) < -19, name
    finally:
        pygame.mixer.quit()


DAMAGED = [
    None,
    b"",
    b"[]",
    b"7",
    b"\0\1",
    b"\xff\xfe",
    b"9" * 5000,
    b'{"options": {"music": "loud"}, "table": [], "keys": {}, "lessons": [], "farthest": 0}',
    b'{"options": {}, "table": [{"score": 9}], "keys": {}, "lessons": [], "farthest": 0}',
    b'{"options": {}, "table": [], "keys": {"jump": "w"}, "lessons": [], "farthest": 0}',
    b'{"options": {}, "table": [], "keys": {}, "lessons": 5, "farthest": 0}',
]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_file_that_is_missing_or_damaged_stops_nothing_and_a_best_score_is_kept_at_once(
    tmp_path: Path, data: bytes | None
) -> None:
    file, found = tmp_path / "kept.json", Kept()
    if data is not None:
        file.write_bytes(data)
    kept.open_file(file)
    assert vars(kept) == vars(found) | {"file": file, "lessons": kept.lessons}
    assert file.with_suffix(".bad.json").exists() == (data is not None)
    kept.options.music, kept.keys["jump"] = 3, pygame.K_u
    tally.add(120)
    found.open_file(file)
    assert vars(found) == vars(kept)
    assert found.best == 120


WHOLE: dict[str, Any] = {
    "options": {"music": 3, "sound": 4, "mute": True, "tilt": 8},
    "keys": {"jump": pygame.K_u, "dance": pygame.K_d},
    "table": [
        {"score": 90, "level": "a", "difficulty": "easy", "seconds": 60, "medal": "gold"},
        {"score": 70, "level": "b", "difficulty": "hard", "seconds": 50},
    ],
    "lessons": ["move"],
    "farthest": 4,
    "friends": ["x"],
}
WRONG: list[tuple[tuple[Any, ...], Any]] = [
    (("options",), 5),
    (("options", "music"), "loud"),
    (("keys", "jump"), "w"),
    (("keys", "jump"), 2**40),
    (("keys",), None),
    (("table",), {}),
    (("table", 0, "score"), "many"),
    (("table", 0), 7),
    (("lessons",), 5),
    (("farthest",), -1),
]


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_a_wrong_value_in_the_file_costs_no_other_and_the_file_is_kept_beside(
    path: tuple[Any, ...], value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = copy.deepcopy(WHOLE)
    *way, last = path
    functools.reduce(lambda part, step: part[step], way, words)[last] = value
    file, found = tmp_path / "kept.json", Kept()
    file.write_text(json.dumps(words))
    found.open_file(file)
    found.save()
    beside = file.with_suffix(".bad.json")
    assert json.loads(beside.read_text()) == words
    assert f"can't be read; it is kept as {beside}" in capsys.readouterr().err
    saved = json.loads(file.read_text())
    for name in WHOLE.keys() - {path[0], "options"}:
        assert saved[name] == WHOLE[name]
    if path[0] != "options":
        assert saved["options"].items() >= WHOLE["options"].items()
    if path[:1] == ("table",) and len(path) > 1:
        assert saved["table"] == WHOLE["table"][1:]
    if path == ("options", "music"):
        assert (saved["options"]["sound"], saved["options"]["tilt"]) == (4, 8)


def test_what_a_newer_version_wrote_stays_and_what_is_missing_is_as_at_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, found = tmp_path / "kept.json", Kept()
    file.write_text(json.dumps(WHOLE))
    found.open_file(file)
    found.save()
    saved = json.loads(file.read_text())
    assert saved["table"] == WHOLE["table"]
    assert saved["options"].items() >= WHOLE["options"].items()
    assert {name: saved[name] for name in ("keys", "lessons", "farthest", "friends")} == {
        name: WHOLE[name] for name in ("keys", "lessons", "farthest", "friends")
    }
    file.write_text('{"farthest": 2}')
    found = Kept()
    found.open_file(file)
    assert (found.farthest, found.table, found.options) == (2, [], Options())
    assert capsys.readouterr().err == ""


def test_options_that_no_menu_offers_stop_no_menu(game: Table) -> None:
    kept.options.difficulty = kept.options.music = 99
    game.scenes.push(Settings(game))
    game.frames(2)
    assert game.shown.choices.items[0].says() == "music: 0"
    tally.begin()
    assert tally.rules in RULES


@pytest.mark.usefixtures("level")
def test_a_best_score_that_can_not_be_kept_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.open_file(tmp_path / "kept.json")
    with mock.patch.object(Path, "replace", side_effect=OSError("disk full")):
        tally.add(150)
    tally.add(10)
    tally.keep()
    assert kept.best == 160
    assert capsys.readouterr().err == "the best scores can't be kept: disk full\n"


def test_without_a_home_it_is_played_all_the_same(
    game: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    with mock.patch("pygame.system.get_pref_path", side_effect=pygame.error("no HOME")):
        kept.open_file()
    game.at_level(0)
    tally.add(70)
    assert kept.best == 70
    assert capsys.readouterr().err == "the best scores can't be kept: no HOME\n"


@pytest.mark.usefixtures("level")
def test_a_best_score_is_kept_when_the_player_leaves(game: Table, tmp_path: Path) -> None:
    kept.open_file(tmp_path / "kept.json")
    tally.add(70)
    tally.add(20)
    to_title(game)
    found = Kept()
    found.open_file(tmp_path / "kept.json")
    assert [(entry.score, entry.level) for entry in found.table] == [(90, "Carrot Meadow")]


def test_the_ten_best_games_are_kept_each_once(tmp_path: Path) -> None:
    kept.open_file(tmp_path / "kept.json")
    for score in (*range(10, 130, 10), 5):
        tally.begin()
        tally.add(score - 2)
        tally.keep()
        tally.add(2)
        tally.keep()
    assert [entry.score for entry in kept.table] == [*range(120, 20, -10)]


@pytest.mark.parametrize("frames", ["0", "-5", "many"])
def test_a_number_of_frames_that_is_none_is_refused_in_a_line(
    frames: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--frames", frames])
    problem = f"argument --frames: a number of frames is 1 or more, not {frames}"
    assert capsys.readouterr().err == f"rabbits: {problem} (see --help)\n"


def test_headless_it_needs_no_display_and_plays_the_same_game_twice(tmp_path: Path) -> None:
    options = ("--headless", "--frames", 500, "--seed", 4)
    hashes = ({"PYTHONHASHSEED": seed} for seed in "01")
    first, second = (start("rabbits", *options, folder=tmp_path, **seed) for seed in hashes)
    code, out, err = ended(first)
    assert (code, err) == (0, "")
    assert "\nphone " in out
    assert ended(second)[1] == out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_it_says_what_to_do_in_a_line(tmp_path: Path) -> None:
    code, _, err = ended(start("rabbits", "--frames", 5, folder=tmp_path, DISPLAY=":98765"))
    assert code == 1
    [line] = [line for line in err.splitlines() if not line.startswith("error: XDG")]
    assert line.startswith("no window: ")
    assert line.endswith("; --headless plays without one")
