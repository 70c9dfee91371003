"""The demo bullets: a swarm and prefabs side by side, played by a bot, by keys and by mouse."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest

from barrage.boss import bosses
from barrage.controls import Player
from barrage.patterns import PATTERNS
from barrage.ship import SAFE, ships
from barrage.stage import AREA, MOST_BULLETS, SIZE
from bullets import FOOT, Barrage
from demo_fixture import playing, plays_the_same_twice
from poolkit import pools
from shared.loop import STEP, presses, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def game() -> Iterator[Barrage]:
    with playing(Barrage, SIZE) as game:
        yield game


def run(game: Barrage, frames: int, *keys: int) -> None:
    for event in [*presses(keys), *pygame.event.get()]:
        game.handle_event(event)
    for _ in range(frames):
        game.update(STEP)


def test_the_same_seed_plays_the_same_game_and_reports_swarms_beside_prefabs(
    tmp_path: Path,
) -> None:
    area = pygame.Rect(0, 0, SIZE[0], FOOT.top)  # below are figures of time
    out = plays_the_same_twice("bullets", 300, tmp_path, area, SIZE)
    for name in ("dragon", "ship", "bullets", "shots", "sparks", "trails", "stars"):
        assert f"\n{name} " in out


def test_every_pattern_shoots_and_the_next_begins_when_its_time_is_over(game: Barrage) -> None:
    seen: dict[str, int] = {}
    game.player = Player()  # who does nothing: a bot would look at each bullet
    for _ in range(len(PATTERNS)):
        game.boss.until = game.boss.clock
        run(game, 1)
        name = game.boss.name
        game.ship.safe = 99.0
        run(game, 300)
        game.boss.health = 9999
        seen[name] = len(game.bullets)
        game.draw(shown())
    assert seen.keys() == PATTERNS.keys()
    assert all(count > 40 for count in seen.values()), seen
    assert sum(seen.values()) > 2_000


def test_m_multiplies_the_bullets_up_to_fifty_thousand_and_the_ship_is_a_ghost(
    game: Barrage,
) -> None:
    run(game, 100)
    run(game, 200, pygame.K_n, pygame.K_m, pygame.K_m)
    assert game.stage.factor == 100
    run(game, 120)
    assert game.bullets.stats.peak_active == MOST_BULLETS
    assert game.bullets.stats.recycled > 0
    assert (game.stage.lives, game.stage.graze) == (3, 0)
    game.draw(shown())
    run(game, 1, pygame.K_m)
    assert game.stage.factor == 1


def test_bullets_are_grazed_once_and_hit(game: Barrage) -> None:
    game.player = Player()
    run(game, 1)
    x, y = game.ship.position
    game.ship.safe = 0.0
    game.bullets.spawn_many(3, position=(x, y + 20), velocity=(0, 0))
    run(game, 5)
    assert (game.stage.graze, game.stage.lives) == (3, 3)
    game.bullets.spawn((x, y), velocity=(0, 0))
    run(game, 1)
    assert game.stage.lives == 2
    assert game.ship.safe == SAFE
    assert not len(game.bullets)
    assert len(game.sparks) > 300


def test_the_last_ship_ends_the_game_and_enter_begins_again(game: Barrage) -> None:
    run(game, 120)
    game.stage.lives, game.ship.safe = 1, 0.0
    game.bullets.spawn(tuple(game.ship.position), velocity=(0, 0))
    run(game, 2)
    assert (len(ships), game.stage.is_over) == (0, True)
    run(game, 30)
    run(game, 1, pygame.K_RETURN)
    assert (len(ships), len(bosses), game.stage.lives) == (1, 1, 3)
    assert not game.bullets.stats.spawned
    assert [report.name for report in pools.report()].count("bullets") == 1


def test_shots_hurt_the_dragon_and_a_beaten_pattern_is_followed_by_the_next(game: Barrage) -> None:
    run(game, 120)
    name, health = game.boss.name, game.boss.health
    game.shots.spawn_many(5, position=game.boss.rect.center, velocity=(0, 0))
    run(game, 1)
    assert game.boss.health <= health - 5
    game.boss.health = 0
    run(game, 1)
    assert game.boss.name != name


@pytest.mark.parametrize(
    ("events", "keys", "expected"),
    [
        ([], {pygame.K_LEFT, pygame.K_w}, ((-1.0, -1.0), False, False, None)),
        ([], {pygame.K_SPACE, pygame.K_LSHIFT}, ((0.0, 0.0), True, True, None)),
        ([("MOUSEMOTION", {"pos": (30, 40)})], set(), ((0.0, 0.0), False, False, (30, 40))),
        (
            [("MOUSEMOTION", {"pos": (30, 40)}), ("KEYDOWN", {"key": pygame.K_UP})],
            {pygame.K_UP},
            ((0.0, -1.0), False, False, None),
        ),
    ],
)
def test_keys_and_mouse_steer(
    monkeypatch: pytest.MonkeyPatch, events: Any, keys: Any, expected: Any
) -> None:
    monkeypatch.setattr(
        "pygame.key.get_pressed", lambda: defaultdict(bool, dict.fromkeys(keys, True))
    )
    monkeypatch.setattr("pygame.mouse.get_pressed", lambda: (False, False, False))
    player = Player()
    for kind, values in events:
        player.handle_event(pygame.Event(getattr(pygame, kind), **values))
    wish = player.wish(None, None)  # type: ignore[arg-type]  # a player looks at the screen
    assert (wish.way, wish.shoot, wish.focus, wish.pointer) == expected


def test_a_pad_steers_and_takes_over_from_the_mouse(monkeypatch: pytest.MonkeyPatch) -> None:
    pad = mock.Mock(
        **{
            "get_instance_id.return_value": 7,
            "get_numaxes.return_value": 4,
            "get_axis.side_effect": [0.1, -1.0],
            "get_numhats.return_value": 1,
            "get_hat.return_value": (1, 0),
            "get_numbuttons.return_value": 6,
            "get_button.side_effect": lambda number: number in {0, 4},
        }
    )
    monkeypatch.setattr("pygame.joystick.Joystick", lambda _: pad)
    monkeypatch.setattr("pygame.key.get_pressed", lambda: defaultdict(bool))
    player: Any = Player()
    assert pygame.joystick.get_init()
    player.handle_event(pygame.Event(pygame.JOYDEVICEADDED, device_index=0))
    player.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=(30, 40)))
    player.handle_event(pygame.Event(pygame.JOYAXISMOTION, axis=0, value=0.01))  # it drifts
    assert player.pointer == (30, 40)
    player.handle_event(pygame.Event(pygame.JOYBUTTONDOWN, button=0))
    wish = player.wish(None, None)
    assert (wish.way, wish.shoot, wish.focus, wish.pointer) == ((1.0, -1.0), True, True, None)
    player.handle_event(pygame.Event(pygame.JOYDEVICEREMOVED, instance_id=7))
    assert not player.wish(None, None).shoot


def test_the_ship_goes_where_the_mouse_is_and_stays_on_the_screen(game: Barrage) -> None:
    game.player = Player()
    for _ in range(3):
        pygame.event.post(pygame.Event(pygame.MOUSEMOTION, pos=(600, 100), rel=(1, 1), buttons=()))
    run(game, 120)
    assert (game.ship.position - (600, 100)) == pytest.approx((0, 0), abs=1)
    game.player.pointer = (-500, 9000)
    run(game, 240)
    assert AREA.contains(game.ship.rect.inflate(-10, -10))


def test_it_stands_still_while_it_is_paused_or_the_window_lost_the_focus(game: Barrage) -> None:
    game.pause()
    seconds = game.stage.seconds
    game.update(0.1)
    assert game.stage.seconds == seconds
    game.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_p))
    game.update(0.1)
    assert game.stage.seconds > seconds
