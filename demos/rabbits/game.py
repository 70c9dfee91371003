"""The window, the loop, and the command line: here the game begins."""

import argparse
import os
import random
import sys
from collections.abc import Sequence
from typing import Any

import pygame

from poolkit import Prefab, pools
from poolkit.devtools import Inspector, apply_profile, record_profile
from rabbits.boss import boss
from rabbits.controls import Bot, Player
from rabbits.dinosaur import dinosaur
from rabbits.effects import effect
from rabbits.enemies import big, flyer, medium, small
from rabbits.phones import phone
from rabbits.powerups import powerup
from rabbits.scenery import ground, hole, ledge
from rabbits.scenes import Game
from rabbits.sound import open_sound
from rabbits.stage import HIGH, WIDE
from rabbits.tally import tally
from rabbits.waves import director
from shared.pictures import ASSETS, picture

PROFILE = ASSETS / "rabbits" / "profile.toml"  # how many of each earlier games needed
PREFABS: tuple[Prefab[Any], ...] = (
    *(dinosaur, phone, powerup, big, medium, small, flyer, boss),
    *(effect, ground, ledge, hole, director),
)


class Window:
    """Shows a picture of 480 x 270 pixels in a window of any size, with square pixels."""

    def __init__(self, *, is_headless: bool = False) -> None:
        """Open it, or one in memory; a `pygame.error` says that there is no display."""
        if is_headless:
            os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
        pygame.display.init()
        pygame.joystick.init()
        if not is_headless and pygame.display.get_driver() in {"dummy", "offscreen"}:
            message = "there is no display"
            raise pygame.error(message)
        self.size = WIDE * 2, HIGH * 2
        self.surface = pygame.display.set_mode(self.size, pygame.RESIZABLE)
        self.canvas = pygame.Surface((WIDE, HIGH)).convert()
        pygame.display.set_caption("Phones and Rabbits")
        pygame.display.set_icon(picture("rabbits/icon"))
        if not is_headless:
            pygame.mouse.set_cursor(pygame.SYSTEM_CURSOR_CROSSHAIR)

    def switch_full(self) -> None:
        """Take the whole screen, or give it back."""
        if pygame.display.is_fullscreen():
            self.surface = pygame.display.set_mode(self.size, pygame.RESIZABLE)
        else:
            self.size = self.surface.get_size()
            self.surface = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)

    @property
    def place(self) -> pygame.Rect:
        """Where in the window the picture is: in its middle, as large as whole pixels allow."""
        area = self.surface.get_rect()
        scale = min(area.width / WIDE, area.height / HIGH)
        scale = int(scale) if scale >= 1 else scale
        place = pygame.Rect(0, 0, max(1, WIDE * scale), max(1, HIGH * scale))
        place.center = area.center
        return place

    def to_canvas(self, position: tuple[int, int]) -> tuple[float, float]:
        """Return which place of the picture is at a place of the window."""
        (x, y), place = position, self.place
        return (x - place.left) * WIDE / place.width, (y - place.top) * HIGH / place.height

    def show(self, inspector: Inspector) -> None:
        """Show what was drawn, and the inspector over it."""
        place = self.place
        self.surface.fill("black")
        pygame.transform.scale(self.canvas, place.size, self.surface.subsurface(place))
        inspector.draw(self.surface)
        pygame.display.flip()


def handle_event(event: pygame.Event, game: Game, window: Window) -> None:
    """Do what some keys say everywhere; the rest is the player's and the scene's."""
    key = event.key if event.type == pygame.KEYDOWN else None
    if key == pygame.K_F11 or (key == pygame.K_RETURN and event.mod & pygame.KMOD_ALT):
        window.switch_full()
    else:
        if hasattr(event, "pos"):
            event.pos = window.to_canvas(event.pos)
        game.player.handle_event(event)
        game.scenes.handle_event(event)


def run(game: Game, window: Window, frames: int = sys.maxsize) -> None:
    """Play until the player leaves, or for so many frames."""
    inspector = Inspector()
    for _ in range(frames):
        dt = game.player.wait()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return
            if not inspector.handle_event(event):  # else it was meant for the inspector
                handle_event(event, game, window)
        game.update(dt)
        game.draw(window.canvas)
        window.show(inspector)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the game as its command line says, and return its exit code."""
    parser = argparse.ArgumentParser(prog="rabbits", description="Throw phones at mutant rabbits.")
    parser.add_argument("--headless", action="store_true", help="let a bot play, with no window")
    parser.add_argument("--frames", type=int, metavar="N", help="end after N (headless: 3600)")
    parser.add_argument("--seed", type=int, metavar="N", help="the same dice every time")
    parser.add_argument("--record", action="store_true", help="keep in the profile what is needed")
    options = parser.parse_args(arguments)
    random.seed(options.seed)
    try:
        window = Window(is_headless=options.headless)
    except pygame.error as error:
        print(f"no window: {error}; --headless plays without one", file=sys.stderr)
        return 1
    for prefab in PREFABS:
        pools.register(prefab)  # by its name, for which the profile says how many
    apply_profile(PROFILE, margin=0.5)
    recorder = record_profile(PROFILE) if options.record else None
    if not options.headless:
        open_sound()
        tally.open_file()
    game = Game(Bot() if options.headless else Player())
    run(game, window, options.frames or (3600 if options.headless else sys.maxsize))
    if recorder:
        recorder.stop()
    print(pools.report())
    pygame.quit()
    return 0
