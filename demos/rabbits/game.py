"""The window, the loop, and the command line: here the game begins."""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import pygame

from poolkit import Prefab, pools
from poolkit.devtools import Inspector, apply_profile, record_profile
from poolkit.scenes import Scene, SceneManager
from rabbits.art import FOLDER, frames, picture
from rabbits.backdrop import ground, hole, ledge
from rabbits.boss import boss, carrot
from rabbits.contacts import watch_contacts
from rabbits.controls import Bot, Player
from rabbits.dinosaur import dinosaur
from rabbits.effects import puff, shard, spark, words
from rabbits.enemies import big, flyer, medium, small
from rabbits.hud import GREEN, draw_bar, write
from rabbits.phones import phone
from rabbits.powerups import powerup
from rabbits.scenes import Play, Title
from rabbits.sound import open_sound, switch_sound
from rabbits.stage import HIGH, SCREEN, WIDE
from rabbits.tally import tally
from rabbits.waves import director

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from poolkit import Progress

PROFILE = FOLDER / "profile.toml"  # how many of each earlier games needed
PREFABS: tuple[Prefab[Any], ...] = (
    *(dinosaur, phone, powerup, big, medium, small, flyer, boss, carrot),
    *(puff, spark, shard, words, ground, ledge, hole, director),
)


class Window:
    """Shows a picture of 480 x 270 pixels in a window of any size, with square pixels."""

    def __init__(self, *, is_headless: bool = False) -> None:
        """Open it, or one in memory, if it is `is_headless`.

        Raises:
            pygame.error: There is no display.
        """
        if is_headless:
            os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
        pygame.display.init()
        pygame.joystick.init()
        if not is_headless and pygame.display.get_driver() in {"dummy", "offscreen"}:
            message = "there is no display"
            raise pygame.error(message)
        self.is_full = False
        self.size = WIDE * 2, HIGH * 2
        self.open()
        self.canvas = pygame.Surface(SCREEN).convert()
        pygame.display.set_caption("Phones and Rabbits")
        pygame.display.set_icon(picture("icon"))
        if not is_headless:
            pygame.mouse.set_cursor(pygame.SYSTEM_CURSOR_CROSSHAIR)

    def open(self) -> None:
        """Open the window, or take the whole screen."""
        size, flags = ((0, 0), pygame.FULLSCREEN) if self.is_full else (self.size, pygame.RESIZABLE)
        self.surface = pygame.display.set_mode(size, flags)

    def switch_full(self) -> None:
        """Take the whole screen, or give it back."""
        if not self.is_full:
            self.size = self.surface.get_size()
        self.is_full = not self.is_full
        self.open()

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
        place = self.place
        scale = WIDE / place.width
        return (position[0] - place.left) * scale, (position[1] - place.top) * scale

    def show(self, inspector: Inspector) -> None:
        """Show what was drawn, and the inspector over it."""
        place = self.place
        self.surface.fill("black")
        pygame.transform.scale(self.canvas, place.size, self.surface.subsurface(place))
        inspector.draw(self.surface)
        pygame.display.flip()


class Game:
    """Holds what there is one of: the window, the player, the present scene."""

    def __init__(self, window: Window, *, has_bot: bool = False) -> None:
        """Begin with the title."""
        self.window = window
        self.player: Player | Bot = Bot() if has_bot else Player(window.to_canvas)
        self.scenes = SceneManager()
        self.inspector = Inspector()
        self.is_running = True
        self.loading: Generator[Progress, None, object] | None = None
        self.loaded = 0.0  # the share of it that is there
        for prefab in PREFABS:
            pools.register(prefab)  # by its name, for which the profile says how many
        self.title()

    # -- what scenes ask for ------------------------------------------------------------------

    def load(self, scene: Scene) -> None:
        """Leave all scenes; begin another when what it needs is made, a little in each frame."""
        self.loading = self.scenes.loading(scene, self.player.patience)
        self.loaded = 0.0

    def title(self) -> None:
        """Go to the title."""
        self.load(Title(self))

    def begin(self) -> None:
        """Begin a game."""
        tally.begin()
        self.load(Play(self))

    def leave(self) -> None:
        """End the program."""
        self.is_running = False

    @staticmethod
    def tell(complaint: str) -> None:
        """Say what is wrong, if anything is; the game goes on."""
        if complaint:
            print(complaint, file=sys.stderr)

    # -- a frame ------------------------------------------------------------------------------

    def run(self, count: int | None = None) -> None:
        """Play until the player leaves, or for `count` frames."""
        for _ in itertools.count() if count is None else range(count):
            if not self.is_running:
                break
            dt = self.player.wait()
            for event in pygame.event.get():
                self.handle_event(event)
            self.update(dt)
            self.draw(self.window.canvas)
            self.window.show(self.inspector)

    def handle_event(self, event: pygame.Event) -> None:
        """Do what some keys say everywhere; the rest is the scene's."""
        key = event.key if event.type == pygame.KEYDOWN else None
        if self.inspector.handle_event(event):
            return  # it was meant for the inspector
        if event.type == pygame.QUIT:
            self.leave()
        elif key == pygame.K_F11 or (key == pygame.K_RETURN and event.mod & pygame.KMOD_ALT):
            self.window.switch_full()
        elif key == pygame.K_m:
            switch_sound()
        else:
            self.player.handle_event(event)
            self.scenes.handle_event(event)

    def update(self, dt: float) -> None:
        """Let time pass: in the present scene, or in loading the next one."""
        if self.loading is None:
            self.scenes.update(dt)
        else:
            step = next(self.loading, None)
            if step is None:
                self.loading = None
            else:
                self.loaded = step.fraction

    def draw(self, canvas: pygame.Surface) -> None:
        """Draw the present scene, or how far the next one is."""
        if self.loading is None:
            self.scenes.draw(canvas)
        else:
            canvas.fill("#141020")
            write(canvas, "charging phones", (WIDE // 2, 150))
            bar = pygame.Rect(WIDE // 2 - 80, 136, 160, 8)
            draw_bar(canvas, bar, self.loaded, GREEN)
            runner = frames("dinosaur", 11)[3 + int(self.loaded * 40) % 4]
            canvas.blit(runner, (bar.left + bar.width * self.loaded - 20, bar.top - 37))


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
    watch_contacts()
    apply_profile(PROFILE, margin=0.5)
    recorder = record_profile(PROFILE) if options.record else None
    game = Game(window, has_bot=options.headless)
    if not options.headless:
        game.tell(open_sound())
        tally.open_file()
    game.run(options.frames or (3600 if options.headless else None))
    if recorder:
        recorder.stop()
    print(pools.report())
    pygame.quit()
    return 0
