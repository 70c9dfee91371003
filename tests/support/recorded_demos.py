"""Demos that play themselves in strict mode and chaos, and draw once a second, to be recorded.

``python recorded_demos.py NAME FILE`` records one, and
``python -m poolkit replay FILE recorded_demos:NAME`` plays it again.
"""

from __future__ import annotations

import itertools
import random
import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame

import cubes as cubes_demo
from barrage.controls import Bot as Pilot
from barrage.controls import Wish
from barrage.stage import AREA
from bullets import Barrage
from demo_fixture import own_pools, playing
from monsters import MonstersDemo
from poolkit import pools
from poolkit.devtools import enable_strict, record
from poolkit.scenes import Scene
from rabbits.controls import Bot
from rabbits.dinosaur import Commands
from rabbits.game import PREFABS, handle_event
from rabbits.scenes import Game
from rabbits.stage import HIGH, WIDE
from rabbits.window import Window
from shared.loop import STEP, shown
from shared.scene_demo import SceneDemo, self_play
from spawner import SpawnerDemo

if TYPE_CHECKING:
    from barrage.ship import Ship
    from barrage.swarms import Bullets

FRAMES = 3600
SELF_PLAY = 1200  # frames in which a demo presses all its keys


def start_disorder(tape: Any) -> None:
    """Make misuse raise, and let the pools do all that they may."""
    random.seed(tape.seed)
    enable_strict(pools, chaos=1)


def play_scenes(kind: Any, tape: Any) -> None:
    """Play a demo that shows scenes, and press all its keys again and again."""

    def begin() -> SceneDemo:
        start_disorder(tape)
        demo: SceneDemo = kind()
        return demo

    with ExitStack() as stack:
        # What takes long and changes nothing: loading screens, a full heap, hundreds of cubes,
        # and the painting of each marble and dragon.
        stack.enter_context(mock.patch.object(SceneDemo, "draw_loading"))
        stack.enter_context(mock.patch.object(cubes_demo, "real_games_heap", return_value=[]))
        stack.enter_context(mock.patch("fountain.solids.LIFETIME", 0.5))
        marble = pygame.Surface((32, 32))
        stack.enter_context(mock.patch("fountain.solids.paint_marble", return_value=marble))
        stack.enter_context(mock.patch("arena.dragon.paint_scales", lambda sheet: sheet))
        demo = stack.enter_context(playing(begin))
        for frame in itertools.count():
            keys = self_play(demo.self_play_keys, SELF_PLAY, frame % SELF_PLAY)
            pressed = [pygame.Event(pygame.KEYDOWN, key=key) for key in keys]
            leaving = [pygame.Event(pygame.QUIT)] * (frame == FRAMES)
            stays = [event for event in pressed if event.key != pygame.K_ESCAPE]
            events, dt = tape.frame(stays + leaving, STEP)
            for event in events:
                if event.type == pygame.QUIT:
                    return
                demo.handle_event(event)
            demo.update(dt)
            if frame % 60 == 0:
                demo.draw(shown())


class DreamyBot(Bot):
    """Plays well, but sometimes stands about for ten seconds, which costs lives."""

    def commands(self) -> Commands:
        commands = super().commands()
        return commands if self.frame % 1200 < 600 else Commands()


def rabbits(tape: Any) -> None:
    """Let a bot play the game: it dies, and begins again."""
    with own_pools():
        start_disorder(tape)
        window = Window("recorded", (WIDE, HIGH), headless=True)
        pygame.event.clear()
        for prefab in PREFABS:
            pools.register(prefab)
        game = Game(DreamyBot(), window)
        for frame in itertools.count():
            dt = game.player.wait()
            if frame == FRAMES:
                pygame.event.post(pygame.Event(pygame.QUIT))
            events, dt = tape.frame(pygame.event.get(), dt)
            for event in events:
                if event.type == pygame.QUIT:
                    game.scenes.load(Scene())
                    return
                handle_event(event, game, window)
            game.update(dt)
            if frame % 60 == 0:
                game.draw(window.canvas)


class DreamyPilot(Pilot):
    """Avoids bullets, but sometimes flies into them for ten seconds."""

    frame = 0

    def wish(self, ship: Ship, bullets: Bullets) -> Wish:
        wish = super().wish(ship, bullets)
        self.frame += 1
        return wish if self.frame % 1200 < 600 else Wish((1.0, 0.0))


def bullets(tape: Any) -> None:
    """Fly, shoot and die, and begin again."""

    def begin() -> Barrage:
        start_disorder(tape)
        return Barrage(DreamyPilot())

    with playing(begin, AREA.size) as game:
        for frame in itertools.count():
            pressed = [pygame.K_RETURN] * (frame % 200 == 0) + [pygame.K_n] * (frame % 400 == 0)
            events = [pygame.Event(pygame.KEYDOWN, key=key) for key in pressed]
            leaving = [pygame.Event(pygame.QUIT)] * (frame == FRAMES)
            events, dt = tape.frame(events + leaving, STEP)
            for event in events:
                if event.type == pygame.QUIT:
                    return
                game.handle_event(event)
            game.update(dt)
            if frame % 60 == 0:
                game.draw(shown())


monsters = partial(play_scenes, MonstersDemo)
cubes = partial(play_scenes, cubes_demo.CubesDemo)
spawner = partial(play_scenes, SpawnerDemo)

if __name__ == "__main__":
    with record(sys.argv[2], seed=1) as tape:
        globals()[sys.argv[1]](tape)
