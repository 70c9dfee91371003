"""Sounds and music; silence, where there is nothing to play them on."""

from __future__ import annotations

import functools

import pygame

from rabbits.art import FOLDER

__all__ = ["open_sound", "play", "play_music", "switch_sound"]

_VOLUMES = {"hop": 0.25, "bounce": 0.3, "throw": 0.5}
_MUSIC = 0.45


def open_sound() -> str:
    """Open the sound device; return what is wrong, in a line, or nothing."""
    try:
        pygame.mixer.init(44100, -16, 2, 512)
        pygame.mixer.set_num_channels(16)
    except pygame.error as error:
        return f"playing without sound: {error}"
    return ""


def play(name: str) -> None:
    """Play a sound."""
    if pygame.mixer.get_init() and not is_off():
        _sound(name).play()


def play_music(name: str) -> None:
    """Play a piece of music over and over, from now on."""
    if pygame.mixer.get_init():
        pygame.mixer.music.load(FOLDER / f"{name}.ogg")
        pygame.mixer.music.set_volume(0.0 if is_off() else _MUSIC)
        pygame.mixer.music.play(-1, fade_ms=400)


def switch_sound() -> None:
    """Turn all sound off, or on again."""
    _switch["off"] = not is_off()
    if pygame.mixer.get_init():
        pygame.mixer.music.set_volume(0.0 if is_off() else _MUSIC)


def is_off() -> bool:
    """Tell whether the player wants none."""
    return _switch["off"]


_switch = {"off": False}


@functools.cache
def _sound(name: str) -> pygame.mixer.Sound:
    sound = pygame.mixer.Sound(FOLDER / f"{name}.ogg")
    sound.set_volume(_VOLUMES.get(name, 0.6))
    return sound
