"""The window, the loop, and the command line: here the game begins."""

import random
import sys
from collections.abc import Sequence
from typing import Any

import pygame

from poolkit import Prefab, pools
from poolkit.devtools import Inspector, apply_profile, record_profile
from rabbits.boss import boss, king
from rabbits.controls import Bot, Player
from rabbits.dinosaur import dinosaur
from rabbits.effects import effect, word
from rabbits.enemies import KINDS
from rabbits.kept import kept
from rabbits.phones import phone
from rabbits.powerups import powerup
from rabbits.scenery import ground, hole, ledge
from rabbits.scenes import Game, Play
from rabbits.sound import open_sound
from rabbits.stage import HIGH, WIDE
from rabbits.tally import tally
from rabbits.window import Window
from shared.loop import Parser, count
from shared.pictures import ASSETS, picture

PROFILE = ASSETS / "rabbits" / "profile.toml"  # how many of each prefab earlier games needed
PREFABS: tuple[Prefab[Any], ...] = (
    *(dinosaur, phone, powerup, *KINDS, boss, king),
    *(effect, word, ground, ledge, hole),
)


def handle_event(event: pygame.Event, game: Game, window: Window) -> None:
    """Switch the screen; the player and the scene get all other events."""
    key = event.key if event.type == pygame.KEYDOWN else None
    if key == pygame.K_F11 or (key == pygame.K_RETURN and event.mod & pygame.KMOD_ALT):
        game.switch_full()
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
        # Who aims with the pointer mustn't lose it, and who pauses wants it back.
        window.window.grab_mouse = isinstance(game.scenes.scene, Play)
        inspector.draw(window.paint())
        window.flip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the game as its command line says, and return its exit code."""
    parser = Parser(prog="rabbits", description="Throw phones at mutant rabbits.")
    parser.add_argument("--headless", action="store_true", help="let a bot play, with no window")
    parser.add_argument("--frames", type=count, metavar="N", help="end after N (headless: 3600)")
    parser.add_argument("--seed", type=int, metavar="N", help="the same dice every time")
    parser.add_argument("--record", action="store_true", help="keep in the profile what is needed")
    options = parser.parse_args(arguments)
    random.seed(options.seed)
    try:
        window = Window("Phones and Rabbits", (WIDE, HIGH), scale=2, headless=options.headless)
    except pygame.error as error:
        print(f"no window: {error}; --headless plays without one", file=sys.stderr)
        return 1
    window.window.set_icon(picture("rabbits/icon"))
    pygame.joystick.init()
    for prefab in PREFABS:
        pools.register(prefab)  # by its name, which the profile uses
    apply_profile(PROFILE, margin=0.5)
    recorder = record_profile(PROFILE) if options.record else None
    if not options.headless:
        pygame.mouse.set_cursor(pygame.SYSTEM_CURSOR_CROSSHAIR)
        kept.open_file()
        open_sound()
    game = Game(Bot() if options.headless else Player(), window)
    if kept.options.full:
        game.switch_full()
    try:
        run(game, window, options.frames or (3600 if options.headless else sys.maxsize))
    finally:
        tally.keep()  # however the game ended
        kept.save()
    if recorder:
        recorder.stop()
    print(pools.report())
    pygame.quit()
    return 0
