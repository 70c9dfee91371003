"""The game of phones and rabbits: it is played, by a bot too, and nothing that goes wrong stops it.

``RABBITS_FRAMES=36000`` lets the bot play for ten minutes of the game instead of some seconds.
"""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest

from poolkit import PoolingSystem, Prefab, pools
from poolkit.devtools import apply_profile, audit
from poolkit.scenes import Scene, SceneManager, manager
from rabbits import contacts, sound, stage
from rabbits.art import picture
from rabbits.boss import boss, carrot
from rabbits.controls import Player, wish
from rabbits.dinosaur import Commands
from rabbits.enemies import big, flyer, medium, small
from rabbits.game import PREFABS, PROFILE, Game, Window
from rabbits.phones import Phone, phone
from rabbits.powerups import powerup
from rabbits.scenes import GameOver, Pause, Play, Title
from rabbits.tally import Tally, tally
from rabbits.waves import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit import SceneReport

ROOT = Path(__file__).parents[2]
STEP = stage.STEP
FRAMES = int(os.environ.get("RABBITS_FRAMES", "1500"))


@pytest.fixture(scope="module", autouse=True)
def _contacts() -> None:
    contacts.watch_contacts()


@pytest.fixture
def window() -> Iterator[Window]:
    """A window in memory, and pools of its own."""
    others = vars(pools).copy()
    vars(pools).update(vars(PoolingSystem()))
    random.seed(1)
    tally.begin()
    window = Window(is_headless=True)
    pygame.event.clear()
    for prefab in PREFABS:
        pools.register(prefab)
    with mock.patch.object(manager, "settle"):  # a test run's heap is slow to look through
        yield window
    pools.dispose()
    vars(pools).update(others)


@pytest.fixture
def game(window: Window) -> Iterator[Game]:
    """The game at its title, waiting for a player."""
    game = Game(window)
    frames(game, 3)
    yield game
    game.scenes.load(Scene())


@pytest.fixture
def level(game: Game) -> Play:
    """The first level as it begins, before a rabbit comes, with a hero who does nothing."""
    return at_level(game, 0)


def frames(game: Game, count: int = 1) -> None:
    """Let frames pass, with all events that wait, as fast as they can."""
    for _ in range(count):
        for event in pygame.event.get():
            game.handle_event(event)
        game.update(STEP)
        game.draw(game.window.canvas)


def at_level(game: Game, number: int) -> Play:
    game.load(Play(game, number))
    while game.loading:
        frames(game)
    scene = present(game)
    assert isinstance(scene, Play)
    tell(game)
    scene.hero.become_mortal()
    pools.despawn(scene.director)  # no wave comes by itself
    return scene


def tell(game: Game, **wanted: Any) -> None:
    game.player = mock.Mock(patience=4.0)
    game.player.commands.return_value = Commands(**wanted)


def press(*keys: int) -> None:
    for key in keys:
        pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))


def present(game: Game) -> Any:
    return game.scenes.scene


# -- played ---------------------------------------------------------------------------------------


def test_x13_a_bot_plays_on_and_on_with_nothing_made_late_and_no_full_collection(
    window: Window,
) -> None:
    reports: list[SceneReport | None] = []
    full = 0

    class Watched(SceneManager):
        def loading(self, scene: Scene, budget_ms: float = 4.0) -> Any:
            report = yield from super().loading(scene, budget_ms)
            reports.append(report)

    def collecting(phase: str, info: dict[str, int]) -> None:
        nonlocal full
        full += phase == "start" and info["generation"] == 2 and played.loading is None

    with mock.patch("rabbits.game.SceneManager", Watched):
        applied = apply_profile(PROFILE, margin=0.5)
        played = Game(window, has_bot=True)
        gc.callbacks.append(collecting)
        try:
            played.run(FRAMES)
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


def test_each_level_can_be_won_and_the_last_one_ends_the_game(game: Game) -> None:
    for number in range(len(LEVELS)):
        scene = at_level(game, number)
        scene.director.is_done = True
        frames(game)
        while game.loading:
            frames(game)
        after = present(game)
        if number + 1 < len(LEVELS):
            assert isinstance(after, Play)
            assert after.level is LEVELS[number + 1]
    assert isinstance(after, GameOver)
    assert after.has_won
    press(pygame.K_RETURN)
    frames(game, 60)
    assert present(game) is after  # that key was meant for a jump
    press(pygame.K_RETURN)
    frames(game, 40)
    assert isinstance(present(game), Play)
    assert present(game).number == 0


def test_waves_come_out_of_holes_until_the_last_one_is_gone(game: Game) -> None:
    scene = at_level(game, 2)
    scene.director = pools.spawn("director", level=scene.level)
    seen: set[type] = set()
    for frame in range(60 * 90):
        scene.hero.is_immune = True
        pools.update(STEP)
        stage.enemies.update(STEP)
        stage.world.step(STEP)
        for enemy in stage.enemies.sprites():
            seen.add(type(enemy))
            if enemy.active and frame % 20 == 0:
                enemy.hit()
        if scene.director.is_done:
            break
    assert scene.director.is_done
    assert scene.director.wave == len(scene.level.waves)
    assert {each.__name__ for each in seen} >= {"Medium", "Flyer", "Big", "Small", "Boss", "Ear"}


def test_the_last_life_ends_the_game_and_another_one_begins_afresh(game: Game, level: Play) -> None:
    tally.score = 70
    for _ in range(3):
        level.hero.is_immune = False
        level.hero.hit(1)
    assert not level.hero.active
    frames(game, 150)
    over = present(game)
    assert isinstance(over, GameOver)
    assert not over.has_won
    press(pygame.K_RETURN)
    frames(game, 40)
    assert (tally.score, tally.lives) == (0, 3)
    assert len(stage.dinosaurs) == 1


# -- who is in it ---------------------------------------------------------------------------------


def test_a_phone_bounces_cracks_and_breaks_into_shards(game: Game, level: Play) -> None:
    assert level.hero.active
    thrown = pools.spawn(phone, (400, 200), velocity=(40, 100))
    life = thrown.handle()
    looks = set()
    for _ in range(200):
        frames(game)
        if life:
            looks.add(thrown.knocks)
        elif pools.pool("shard").active_count:
            break
    assert looks == {0, 1, 2}
    assert pools.pool("shard").active_count == 5


def test_a_rabbit_that_is_hit_enough_splits_into_two_others(game: Game, level: Play) -> None:
    assert level.hero.active
    one = pools.spawn(big, (150, 190))
    for _ in range(big_points := one.health.maximum):
        points = one.hit()
    assert big_points == 3
    assert points == one.points
    assert not one.active
    frames(game)
    assert [type(each).__name__ for each in stage.enemies] == ["Medium"] * 2
    again = pools.spawn(big, (150, 190))
    assert again.health.left == 3


def test_the_smallest_leave_nothing_but_points_and_luck(game: Game, level: Play) -> None:
    assert level.hero.active
    with mock.patch("rabbits.enemies.LUCK", 1.0):
        pools.spawn(small, (150, 190)).hit()
    frames(game)
    assert not stage.enemies
    assert len(stage.powerups) == 1


def test_a_thrown_phone_hits_whoever_is_near_and_each_further_victim_brings_more(
    game: Game, level: Play
) -> None:
    pools.spawn(small, (level.hero.position.x + 120, 210))
    tell(game, throw=True)
    while stage.enemies:
        frames(game)
    assert tally.score == 100
    thrown = pools.spawn(phone, (400, 100), velocity=(0, 0))
    thrown.victims = 1
    contacts.phone_on_enemy(thrown, pools.spawn(small, (400, 100)), mock.Mock())
    assert tally.score == 300


def test_a_bite_costs_a_life_once_and_a_shield_saves_it(game: Game, level: Play) -> None:
    hero = level.hero
    pools.spawn(small, hero.position)
    frames(game, 30)
    assert tally.lives == 2
    assert hero.is_immune
    frames(game, 60)
    assert tally.lives == 2
    pools.despawn_all(small)
    frames(game, 60)
    hero.gain("shield")
    hero.hit(-1)
    assert tally.lives == 2
    assert "shield" not in hero.powers


def test_who_lands_on_a_head_hurts_it_and_bounces(game: Game, level: Play) -> None:
    hero = level.hero
    enemy = pools.spawn(medium, (hero.position.x, 208))
    hero.position = hero.position.x, 150
    hero.body.velocity = 0, 100
    for _ in range(60):
        frames(game)
        if enemy.health.left < 2:
            break
    assert enemy.health.left == 1
    assert hero.body.velocity.y < 0
    assert tally.lives == 3


def test_powers_last_their_time_and_taken_again_begin_anew(game: Game, level: Play) -> None:
    hero = level.hero
    hero.gain("fast")
    frames(game, 5 * 60)
    hero.gain("fast")
    frames(game, 5 * 60)
    assert "fast" in hero.powers
    frames(game, 5 * 60)
    assert hero.powers == {}
    hero.gain("triple")
    hero.throw()
    assert pools.pool(phone).active_count == 3
    for _ in range(9):
        hero.gain("heart")
    assert tally.lives == 5


def test_bubbles_are_taken_by_touching_them_or_burst(game: Game, level: Play) -> None:
    pools.spawn(powerup, level.hero.position, kind="triple")
    frames(game, 5)
    assert "triple" in level.hero.powers
    missed = pools.spawn(powerup, (60, 200), kind="fast").handle()
    frames(game, 9 * 60)
    assert missed
    frames(game, 2 * 60)
    assert not missed


def test_the_boss_is_hurt_only_without_ears_and_has_them_again_in_its_next_life(
    game: Game, level: Play
) -> None:
    assert level.hero.active
    one = pools.spawn(boss, (300, 100))
    assert one.hit() == 0
    assert one.armour == 2
    for ear in one.ears:
        while ear.active:
            ear.hit()
    assert one.armour == 0
    while one.active:
        points = one.hit()
    assert points == 2000
    frames(game)
    again = pools.spawn(boss, (300, 100))
    assert again is one
    assert (again.armour, again.health.left) == (2, 40)


def test_ears_stay_on_the_head_whichever_way_it_looks_and_phones_take_them_off(
    game: Game, level: Play
) -> None:
    one = pools.spawn(boss, (300, 150))
    for side in (-1, 1):
        one.facing = side
        level.hero.position = 300 + 200 * side, 208
        frames(game, 60)
        assert all((ear.position.x - one.position.x) * side > 0 for ear in one.ears)
    ear = one.ears[0]
    for _ in range(7):
        pools.spawn(phone, ear.position, velocity=(0, 0))
        frames(game, 2)
    assert not ear.active
    assert one.weak_spot == one.ears[1].position


def test_the_boss_leaps_throws_and_roars(game: Game, level: Play) -> None:
    assert level.hero.active
    one = pools.spawn(boss, (200, 100))
    poses = set()
    for _ in range(60 * 40):
        level.hero.is_immune = True
        frames(game)
        poses.add(one.pose)
        if len(poses) == 4 and pools.pool(carrot).stats.spawned and pools.pool(small).stats.spawned:
            break
    assert poses >= {0, 1, 2, 3}
    assert pools.pool(carrot).stats.spawned > 0
    assert pools.pool(small).stats.spawned > 0


@pytest.mark.parametrize("prefab", PREFABS, ids=lambda prefab: prefab.name)
def test_n01_every_prefab_of_the_game_is_clean(window: Window, prefab: Prefab[Any]) -> None:
    assert window.size
    data: dict[str, dict[str, object]] = {
        "shard": {"image": picture("hole"), "velocity": (10, -100)},
        "words": {"text": "9", "color": "white"},
        "ground": {"image": picture("meadow_ground")},
        "ledge": {"image": picture("meadow_ledge")},
    }
    report = audit(prefab, data=data.get(prefab.name), system=pools)
    assert str(report).startswith(f"{prefab.name}: clean")


@pytest.mark.parametrize("prefab", [big, medium, small, flyer, boss, carrot], ids=lambda p: p.name)
def test_n01_and_clean_after_a_fight(window: Window, prefab: Prefab[Any]) -> None:
    assert window.size

    def fight(enemy: Any) -> None:
        for frame in range(900):
            pools.update(STEP)
            stage.enemies.update(STEP)
            stage.world.step(STEP)
            if frame % 10 == 0 and enemy.active:
                next((ear for ear in getattr(enemy, "ears", ()) if ear.active), enemy).hit()
        assert not enemy.active
        pools.despawn_all()

    report = audit(prefab, fight, system=pools)
    assert str(report).startswith(f"{prefab.name}: clean")


# -- the player -----------------------------------------------------------------------------------


def test_keys_run_jump_throw_and_choose(game: Game, level: Play) -> None:
    hero = level.hero
    start = hero.position.x
    tell(game, run=1.0)
    frames(game, 40)
    assert hero.position.x > start + 60
    tell(game, jump=True)
    frames(game, 10)
    assert hero.position.y < 190
    tell(game, throw=True, aim=(0, 0))
    frames(game)
    assert hero.facing == -1
    assert first_phone().body.velocity.x < 0
    game.title()
    frames(game, 10)
    press(pygame.K_DOWN, pygame.K_RETURN)
    frames(game)
    assert not game.is_running


def first_phone() -> Phone:
    [thrown] = stage.phones
    assert isinstance(thrown, Phone)
    return thrown


def test_keys_and_mouse_are_told_as_commands(window: Window) -> None:
    player = Player(window.to_canvas)
    hero: Any = None
    held = dict.fromkeys((pygame.K_d, pygame.K_SPACE, pygame.K_x), True)
    with mock.patch("pygame.key.get_pressed", return_value=defaultdict(bool, held)):
        assert player.commands(hero) == Commands(1.0, jump=True, throw=True)
    player.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=(480, 270)))
    with (
        mock.patch("pygame.mouse.get_pos", return_value=(480, 270)),
        mock.patch("pygame.mouse.get_pressed", return_value=(True, False, False)),
    ):
        told = player.commands(hero)
    left = stage.camera.offset[0]
    assert told == Commands(aim=(240 - left, 135 - stage.camera.offset[1]), throw=True)
    player.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_x))
    assert player.commands(hero).aim is None


def test_a_menu_is_chosen_from_by_mouse(game: Game) -> None:
    title = present(game)
    assert isinstance(title, Title)
    place = title.places[1].center
    pygame.event.post(pygame.Event(pygame.MOUSEMOTION, pos=(place[0] * 2, place[1] * 2)))
    frames(game)
    assert title.proposed == 1
    pygame.event.post(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(place[0] * 2, place[1] * 2)))
    frames(game)
    assert not game.is_running


def test_x13_p_pauses_lives_and_timers_and_p_goes_on(game: Game, level: Play) -> None:
    hero = level.hero
    thrown = pools.spawn(phone, (400, 100), velocity=(0, 0))
    press(pygame.K_p)
    frames(game)
    assert isinstance(present(game), Pause)
    before = hero.clock, thrown.position
    frames(game, 300)
    assert (hero.clock, thrown.position) == before
    assert thrown.active
    press(pygame.K_p)
    frames(game, 2)
    assert present(game) is level
    assert hero.clock > before[0]


# -- what may go wrong ----------------------------------------------------------------------------


def test_lost_focus_pauses_the_play_and_nothing_else(game: Game) -> None:
    pygame.event.post(pygame.Event(pygame.WINDOWFOCUSLOST))
    frames(game)
    assert isinstance(present(game), Title)
    level = at_level(game, 1)
    for _ in range(2):
        pygame.event.post(pygame.Event(pygame.WINDOWFOCUSLOST))
        with mock.patch("pygame.key.get_focused", return_value=False):
            frames(game)
    assert isinstance(present(game), Pause)
    game.scenes.pop()
    assert present(game) is level


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


def test_x13_a_pad_may_come_and_go_while_one_plays(game: Game, level: Play) -> None:
    player = game.player = Player(game.window.to_canvas)
    with mock.patch("pygame.joystick.Joystick", return_value=a_pad()):
        pygame.event.post(pygame.Event(pygame.JOYDEVICEADDED, device_index=0))
        frames(game, 20)
    assert level.hero.body.velocity.x < -50
    assert pools.pool(phone).active_count
    assert wish(pygame.Event(pygame.JOYBUTTONDOWN, button=7)) == "pause"
    assert wish(pygame.Event(pygame.JOYBUTTONDOWN, button=0)) == "choose"
    assert wish(pygame.Event(pygame.JOYHATMOTION, value=(0, 1))) == "up"
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=1))
    frames(game)
    assert player.pads == {}
    assert isinstance(present(game), Pause)
    pygame.event.post(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=9))  # never seen
    frames(game, 3)


@pytest.mark.parametrize(
    ("size", "place"),
    [
        ((200, 150), (0, 19, 200, 112)),
        ((480, 270), (0, 0, 480, 270)),
        ((1000, 700), (20, 80, 960, 540)),
        ((1920, 1080), (0, 0, 1920, 1080)),
        ((3, 3), (0, 1, 3, 1)),
    ],
)
def test_the_picture_fits_into_any_window(
    game: Game, size: tuple[int, int], place: tuple[int, ...]
) -> None:
    window = game.window
    window.surface = pygame.display.set_mode(size)
    assert tuple(window.place) == place
    middle = window.place.centerx, window.place.centery
    assert window.to_canvas(middle) == pytest.approx((240, 135), abs=170)
    press(pygame.K_F2)
    frames(game)
    window.show(game.inspector)
    assert game.inspector.shown
    game.inspector.shown = False


def test_x13_f11_and_alt_enter_take_the_whole_screen_and_give_it_back(game: Game) -> None:
    window = game.window
    before = window.surface.get_size()
    with mock.patch("pygame.display.set_mode", return_value=window.surface) as opened:
        press(pygame.K_F11)
        frames(game)
        assert window.is_full
        enter = pygame.Event(pygame.KEYDOWN, key=pygame.K_RETURN, mod=pygame.KMOD_LALT, unicode="")
        pygame.event.post(enter)
        frames(game)
    assert not window.is_full
    assert [call.args for call in opened.call_args_list] == [
        ((0, 0), pygame.FULLSCREEN),
        (before, pygame.RESIZABLE),
    ]
    assert isinstance(present(game), Title)  # Enter chose nothing


def test_x13_sounds_are_heard_and_can_be_switched_off(window: Window) -> None:
    assert window.size
    assert sound.open_sound() == ""
    try:
        for name in ("throw", "break", "roar", "fanfare"):
            sound.play(name)
        for name in ("title", "play", "boss"):
            sound.play_music(name)
            assert pygame.mixer.music.get_busy()
        sound.switch_sound()
        assert pygame.mixer.music.get_volume() == 0
        sound.switch_sound()
        assert pygame.mixer.music.get_volume() > 0
    finally:
        sound.load_sound.cache_clear()
        pygame.mixer.quit()


def test_without_a_sound_device_it_says_so_in_a_line_and_is_silent(window: Window) -> None:
    assert window.size
    with mock.patch("pygame.mixer.init", side_effect=pygame.error("no device")):
        assert sound.open_sound() == "playing without sound: no device"
    sound.play("throw")
    sound.play_music("title")
    sound.switch_sound()
    sound.switch_sound()


@pytest.mark.parametrize("text", [None, "", "many", "-5", "\0\1", "9" * 5000])
def test_a_best_score_that_is_missing_or_damaged_is_forgotten(
    tmp_path: Path, text: str | None
) -> None:
    file = tmp_path / "best.txt"
    if text is not None:
        file.write_text(text)
    kept = Tally()
    kept.open_file(file)
    assert kept.best in {0, int("9" * 20)}
    kept.best, kept.score = 0, 120
    assert kept.end() == ""
    again = Tally()
    again.open_file(file)
    assert again.best == 120
    assert list(tmp_path.iterdir()) == [file]


def test_bytes_that_are_no_text_count_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "best.txt").write_bytes(b"\xff\xfe\x00")
    kept = Tally()
    kept.open_file(tmp_path / "best.txt")
    assert kept.best == 0


def test_a_best_score_that_can_not_be_kept_is_said_in_a_line_and_the_old_one_stays(
    tmp_path: Path,
) -> None:
    file = tmp_path / "best.txt"
    file.write_text("50\n")
    kept = Tally()
    kept.open_file(file)
    kept.score = 40
    assert kept.end() == ""
    kept.score = 60
    with mock.patch("os.replace", side_effect=OSError("disk full")):
        assert kept.end() == "the best score can't be kept: disk full"
    assert file.read_text() == "50\n"
    nowhere = Tally()
    nowhere.score = 1
    nowhere.open_file(tmp_path / "none" / "best.txt")
    assert nowhere.end().startswith("the best score can't be kept: ")


def start(*options: object, folder: Path, **surroundings: str) -> subprocess.CompletedProcess[str]:
    """Play the game as a program, from another folder."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PYTHONPATH": str(ROOT), **surroundings}
    return subprocess.run(
        [sys.executable, ROOT / "demos" / "rabbits", *map(str, options)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_headless_it_needs_no_display_and_plays_the_same_game_twice(tmp_path: Path) -> None:
    played = [
        start("--headless", "--frames", 500, "--seed", 4, folder=tmp_path, PYTHONHASHSEED=seed)
        for seed in ("0", "1")
    ]
    assert [(each.returncode, each.stderr) for each in played] == [(0, "")] * 2
    assert played[0].stdout == played[1].stdout
    assert "\nphone " in played[0].stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_it_says_what_to_do_in_a_line(tmp_path: Path) -> None:
    ended = start("--frames", 5, folder=tmp_path, DISPLAY=":98765")
    assert ended.returncode == 1
    [line] = [line for line in ended.stderr.splitlines() if not line.startswith("error: XDG")]
    assert line.startswith("no window: ")
    assert line.endswith("; --headless plays without one")


def test_help_says_what_the_game_is(tmp_path: Path) -> None:
    ended = start("--help", folder=tmp_path)
    assert ended.returncode == 0
    assert "--headless" in ended.stdout
