"""The demo rewind: time runs back, and what follows is what followed."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pygame
import pytest

from castle.siege import SIZE, Siege
from castle.solids import Ball, rabbit, solids, world
from demo_fixture import ROOT
from poolkit import pools
from poolkit.scenes import SceneManager

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEP = 1 / 60


def key(code: int, kind: int = pygame.KEYDOWN) -> pygame.Event:
    return pygame.Event(kind, key=code, mod=0, unicode="")


class Player:
    """Plays the demo with keys."""

    def __init__(self) -> None:
        self.scenes = SceneManager()
        self.scenes.load(siege := Siege())
        self.siege = siege

    def press(self, code: int) -> None:
        self.scenes.handle_event(key(code))

    def let_go(self, code: int) -> None:
        self.scenes.handle_event(key(code, pygame.KEYUP))

    def play(self, frames: int) -> list[object]:
        """Return where everything was in each frame."""
        places = []
        for _ in range(frames):
            self.scenes.update(STEP)
            places.append(self.places())
        return places

    def places(self) -> object:
        bodies = [(body.position, body.angle, body.velocity) for body in world.space.bodies]
        return sorted(bodies), len(solids), self.siege.tally.seconds


@pytest.fixture
def player() -> Iterator[Player]:
    pygame.display.set_mode(SIZE)
    player = Player()
    yield player
    player.scenes.close()


def test_while_backspace_is_held_time_runs_back_the_way_it_came(player: Player) -> None:
    player.press(pygame.K_SPACE)
    places = player.play(90)
    assert len({*map(str, places)}) == 90
    player.press(pygame.K_BACKSPACE)
    assert player.play(60) == places[-2:-62:-1]
    player.let_go(pygame.K_BACKSPACE)
    assert player.play(30) == places[29 + 1 : 60]


def test_it_runs_back_as_far_as_the_strip_shows_and_then_stands_still(player: Player) -> None:
    player.press(pygame.K_DOWN)
    player.play(20)
    player.press(pygame.K_BACKSPACE)
    player.play(30)
    assert player.siege.rewind.seconds == 0
    assert player.siege.tally.seconds == pytest.approx(STEP)
    assert not player.siege.is_going_back


def test_r_is_the_start_whatever_was_shot_down(player: Player) -> None:
    start = player.places()
    for _ in range(4):
        player.press(pygame.K_SPACE)
        player.play(60)
    assert pools.pool(rabbit).active_count < 4
    player.press(pygame.K_r)
    assert player.places() == start
    assert pools.pool(rabbit).active_count == 4


def test_sounds_are_heard_backwards_the_last_one_first(player: Player) -> None:
    heard = player.siege.sounds._played
    player.press(pygame.K_UP)
    player.play(2)
    player.press(pygame.K_SPACE)
    player.play(60)
    assert heard[0][1] == "explode"
    assert {name for _, name in heard} >= {"explode", "clonk"}
    player.press(pygame.K_BACKSPACE)
    player.play(62)
    assert "explode" not in {name for _, name in heard}


def test_it_shows_itself_until_it_is_touched(player: Player) -> None:
    is_going_back = []
    for _ in range(460):
        player.scenes.update(STEP)
        is_going_back.append(player.siege.is_going_back)
    turns = sum(one != other for one, other in pairwise(is_going_back))
    assert turns >= 2  # back, and there again
    player.press(pygame.K_UP)
    player.play(60)
    assert not player.siege.is_going_back
    assert not [solid for solid in solids if isinstance(solid, Ball) and solid.rect.x < 0]


def test_a_mouse_and_a_pad_aim_fire_and_go_back(player: Player) -> None:
    tally = player.siege.tally
    event = pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(300, 100), button=1)
    player.scenes.handle_event(event)
    steep = tally.angle
    assert len(tally.shots) == 1
    player.play(30)
    move = pygame.Event(pygame.MOUSEMOTION, pos=(400, 205), rel=(1, 1), buttons=(0, 0, 0))
    player.scenes.handle_event(move)
    assert tally.angle < steep
    player.scenes.handle_event(pygame.Event(pygame.JOYBUTTONDOWN, button=0))
    assert len(tally.shots) == 2
    player.scenes.handle_event(pygame.Event(pygame.JOYAXISMOTION, axis=5, value=1.0))
    player.play(10)
    assert len(tally.shots) == 1
    player.scenes.handle_event(pygame.Event(pygame.JOYAXISMOTION, axis=5, value=-1.0))
    player.play(2)
    assert not player.siege.is_going_back


def test_as_a_program_it_plays_itself_and_saves_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "castle.png"
    words = ["demos/rewind.py", "--headless", "--frames", "40", "--screenshot", str(path)]
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, env=os.environ)
    assert pygame.image.load(path).get_size() == SIZE
