"""Sounds and music; silence, where there is nothing to play them on."""

from __future__ import annotations

import functools

import pygame

from rabbits.art import FOLDER

volume = {"sounds": 0.5, "music": 0.4}


def open_sound() -> str:
    """Open the sound device; return what is wrong, in a line, or nothing."""
    try:
        pygame.mixer.init(44100, -16, 2, 512)
    except pygame.error as error:
        return f"playing without sound: {error}"
    pygame.mixer.set_num_channels(16)
    return ""


@functools.cache
def load_sound(name: str) -> pygame.mixer.Sound:
    """Load a sound, once."""
    return pygame.mixer.Sound(FOLDER / f"{name}.ogg")


def play(name: str) -> None:
    """Play a sound."""
    if pygame.mixer.get_init():
        sound = load_sound(name)
        sound.set_volume(volume["sounds"])
        sound.play()


def play_music(name: str) -> None:
    """Play a piece of music over and over, from now on."""
    if pygame.mixer.get_init():
        pygame.mixer.music.load(FOLDER / f"{name}.ogg")
        pygame.mixer.music.set_volume(volume["music"])
        pygame.mixer.music.play(-1, fade_ms=400)


def switch_sound() -> None:
    """Turn all sound off, or on again."""
    loud = not volume["sounds"]
    volume.update(sounds=0.5 * loud, music=0.4 * loud)
    if pygame.mixer.get_init():
        pygame.mixer.music.set_volume(volume["music"])
