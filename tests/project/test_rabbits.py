"""The game of phones and rabbits: it is played, by a bot too, and nothing that goes wrong stops it.

``RABBITS_FRAMES=36000`` lets the bot play for ten minutes of the game instead of some seconds.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest

from demo_fixture import ended, own_pools, start
from poolkit import Prefab, pools
from poolkit.devtools import apply_profile, audit
from poolkit.scenes import Scene, SceneManager
from rabbits import sound, stage
from rabbits.boss import boss
from rabbits.controls import Bot, Player, wish
from rabbits.dinosaur import Commands
from rabbits.enemies import big, flyer, small
from rabbits.game import PREFABS, PROFILE, Window, handle_event, run
from rabbits.phones import phone
from rabbits.scenes import Game, Overlay, Play, Title
from rabbits.tally import Tally, tally
from rabbits.waves import LEVELS
from shared.pictures import picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit import SceneReport

STEP = stage.STEP
FRAMES = int(os.environ.get("RABBITS_FRAMES", "1500"))


class Table(Game):
    """The game and its window, for one who plays frame by frame."""

    def __init__(self) -> None:
        self.window = Window(is_headless=True)
        super().__init__(Player())

    def frames(self, count: int = 1) -> None:
        """Let frames pass, with all events that wait, as fast as they can."""
        for _ in range(count):
            for event in pygame.event.get():
                handle_event(event, self, self.window)
            self.update(STEP)
            self.draw(self.window.canvas)

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
        self.until_loaded()
        self.player = mock.Mock(patience=4.0)
        self.player.commands.return_value = Commands()
        self.shown.hero.clock = 9.0
        pools.despawn(self.shown.director)
        assert isinstance(self.shown, Play)
        return self.shown

    def until_loaded(self) -> None:
        self.frames()
        while self.progress:
            self.frames()


@pytest.fixture(autouse=True)
def _pools() -> Iterator[None]:
    """Pools of its own, in which the game's prefabs are known by name."""
    with own_pools():
        tally.score, tally.best, tally.lives = 0, 0, 3
        Window(is_headless=True)
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
        window, played = Window(is_headless=True), Game(Bot())
        gc.callbacks.append(collecting)
        try:
            run(played, window, FRAMES)
        finally:
            gc.callbacks.remove(collecting)
            applied.stop()
    reports.append(pools.report())
    ended = [report for report in reports if report]
    late = {(each.scene, pool.name) for each in ended for pool in each if pool.stats.late}
    assert late == set()
    assert full == 0
    assert tally.score > 0
    assert sum(pool.stats.reused for each in ended for pool in each) > FRAMES / 10
    played.scenes.load(Scene())


def test_each_level_can_be_won_wave_by_wave_and_the_last_one_ends_the_game(game: Table) -> None:
    seen: set[str] = set()
    for number, kind in enumerate(LEVELS):
        scene = game.at_level(number)
        assert scene.level is kind
        scene.director = pools.spawn("director", level=scene.level)
        for frame in range(60 * 90):
            if scene.director.is_done:
                break
            scene.hero.safe_until = scene.hero.clock + 1
            pools.update(STEP)
            stage.enemies.update(STEP)
            stage.world.step(STEP)
            for enemy in stage.enemies.sprites():
                seen.add(type(enemy).__name__)
                if enemy.active and frame % 20 == 0:
                    enemy.hit()
        assert scene.director.is_done
        assert scene.director.wave == len(scene.level.waves)
        game.until_loaded()
    assert seen == {"Medium", "Flyer", "Big", "Small", "Boss", "Ear"}
    assert game.shown.heading == "the world is saved!"


def test_the_last_life_ends_the_game_and_another_one_begins_afresh(
    game: Table, level: Play
) -> None:
    tally.score, tally.lives = 70, 1
    level.hero.meet(pools.spawn(small, level.hero.position))
    assert not level.hero.active
    while game.shown is level:
        game.frames()
    over = game.shown
    assert (over.heading, tally.best) == ("game over", 70)
    game.press(pygame.K_RETURN)
    assert game.shown is over  # that key was meant for a jump
    game.frames(40)
    game.press(pygame.K_RETURN)
    game.until_loaded()
    assert game.shown.level is LEVELS[0]
    assert (tally.score, tally.lives) == (0, 3)
    assert len(stage.dinosaurs) == 1


@pytest.mark.parametrize("prefab", PREFABS, ids=lambda prefab: prefab.name)
def test_every_prefab_of_the_game_is_clean_those_who_fight_after_a_fight_too(
    prefab: Prefab[Any],
) -> None:
    def fight(enemy: Any) -> None:
        for frame in range(900):
            pools.update(STEP)
            stage.enemies.update(STEP)
            stage.world.step(STEP)
            if frame % 10 == 0 and enemy.active:
                next((ear for ear in getattr(enemy, "ears", ()) if ear.active), enemy).hit()
        assert not enemy.active
        pools.despawn_all()

    shown = {"images": [picture("rabbits/hole")], "seconds": 0.5, "spin": 90.0}
    for live in (None, fight) if prefab in {big, small, flyer, boss} else (None,):
        data = shown if prefab.name == "effect" else None
        report = audit(prefab, live, data=data, system=pools)
        assert str(report).startswith(f"{prefab.name}: clean")


# -- the player -----------------------------------------------------------------------------------


def test_keys_and_mouse_are_told_as_commands() -> None:
    player = Player()
    held = dict.fromkeys((pygame.K_d, pygame.K_SPACE, pygame.K_x), True)
    with mock.patch("pygame.key.get_pressed", return_value=defaultdict(bool, held)):
        assert player.commands() == Commands(1.0, jump=True, throw=True)
    player.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=(240, 135)))
    with mock.patch("pygame.mouse.get_pressed", return_value=(True, False, False)):
        told = player.commands()
    left, top = stage.camera.offset
    assert told == Commands(aim=(240 - left, 135 - top), throw=True)
    player.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_x))
    assert player.commands().aim is None


def lose_focus(game: Table) -> None:
    """Let another window have the keys, twice."""
    with mock.patch("pygame.key.get_focused", return_value=False):
        for _ in range(2):
            pygame.event.post(pygame.Event(pygame.WINDOWFOCUSLOST))
            game.frames()


def test_p_or_another_window_pauses_lives_and_timers_and_escape_leads_to_the_title_and_out(
    game: Table, level: Play
) -> None:
    hero = level.hero
    thrown = pools.spawn(phone, (400, 100), velocity=(0, 0))
    for pause in (partial(game.press, pygame.K_p), partial(lose_focus, game)):
        pause()
        assert game.shows(Overlay)
        before = hero.clock, thrown.position
        game.frames(300)
        assert (hero.clock, thrown.position) == before
        game.press(pygame.K_p)
        assert game.shown is level
        assert hero.clock > before[0]
    for _ in range(2):
        game.press(pygame.K_ESCAPE)
        game.frames(40)
    game.until_loaded()
    assert game.shows(Title)
    game.press(pygame.K_ESCAPE)
    assert [event.type for event in pygame.event.get()] == [pygame.QUIT]
    pygame.event.post(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(5, 5), button=1))
    game.frames()
    game.until_loaded()
    assert game.shows(Play)


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


def test_a_pad_may_come_and_go_while_one_plays(game: Table, level: Play) -> None:
    player = game.player = Player()
    with mock.patch("pygame.joystick.Joystick", return_value=a_pad()):
        pygame.event.post(pygame.Event(pygame.JOYDEVICEADDED, device_index=0))
        game.frames(20)
    assert level.hero.body.velocity.x < -50
    assert pools.pool(phone).active_count
    wishes = [wish(pygame.Event(pygame.JOYBUTTONDOWN, button=number)) for number in (7, 6, 0)]
    assert wishes == ["pause", "leave", "go on"]
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=1))
    game.frames()
    assert player.pads == {}
    assert game.shows(Overlay)
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=9))  # never seen
    game.frames(3)


def test_and_alt_enter_take_the_whole_screen_and_give_it_back(game: Table) -> None:
    surface = game.window.surface
    with (
        mock.patch("pygame.display.set_mode", return_value=surface) as opened,
        mock.patch("pygame.display.is_fullscreen", side_effect=[False, True]),
    ):
        game.press(pygame.K_F11)
        enter = pygame.Event(pygame.KEYDOWN, key=pygame.K_RETURN, mod=pygame.KMOD_LALT, unicode="")
        pygame.event.post(enter)
        game.frames()
    whole, before = ((0, 0), pygame.FULLSCREEN), (surface.get_size(), pygame.RESIZABLE)
    assert [call.args for call in opened.call_args_list] == [whole, before]
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
            for name in ("title", "play", "boss"):
                sound.play_music(name)
                assert error or pygame.mixer.music.get_busy()
        finally:
            sound.load.cache_clear()
            pygame.mixer.quit()
    assert capsys.readouterr().err == "playing without sound: no device\n"


@pytest.mark.parametrize("data", [None, b"", b"many", b"-5", b"\0\1", b"9" * 5000, b"\xff\xfe"])
def test_a_best_score_that_is_missing_damaged_or_can_not_be_kept_stops_nothing(
    tmp_path: Path, data: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = tmp_path / "best.txt", Tally()
    if data is not None:
        file.write_bytes(data)
    kept.open_file(file)
    assert kept.best in {0, int("9" * 20)}
    kept.best, kept.score = 0, 120
    kept.end()
    kept.score = 150
    with mock.patch.object(Path, "replace", side_effect=OSError("disk full")):
        kept.end()
    assert capsys.readouterr().err == "the best score can't be kept: disk full\n"
    kept.open_file(file)
    assert kept.best == 120


def test_headless_it_needs_no_display_and_plays_the_same_game_twice(tmp_path: Path) -> None:
    options = ("--headless", "--frames", 500, "--seed", 4)
    hashes = ({"PYTHONHASHSEED": seed} for seed in "01")
    first, second = (start("rabbits", *options, folder=tmp_path, **each) for each in hashes)
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
