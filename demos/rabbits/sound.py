"""Sounds and music; silence, where there is nothing to play them on."""

import functools
import sys

import pygame

from shared.pictures import ASSETS

FOLDER = ASSETS / "rabbits"
load = functools.cache(pygame.mixer.Sound)  # each once


def open_sound() -> None:
    """Open the sound device, if there is one."""
    try:
        pygame.mixer.init(44100, -16, 2, 512)
        pygame.mixer.set_num_channels(16)
    except pygame.error as error:
        print(f"playing without sound: {error}", file=sys.stderr)


def play(name: str) -> None:
    """Play a sound."""
    if pygame.mixer.get_init():
        sound = load(FOLDER / f"{name}.ogg")
        sound.set_volume(0.5)
        sound.play()


def play_music(name: str) -> None:
    """Play a piece of music over and over, from now on."""
    if pygame.mixer.get_init():
        pygame.mixer.music.load(FOLDER / f"{name}.ogg")
        pygame.mixer.music.set_volume(0.4)
        pygame.mixer.music.play(-1, fade_ms=400)
