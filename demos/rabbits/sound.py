"""Sounds and music; silence, where there is nothing to play them on."""

import functools
import sys

import pygame

from rabbits.kept import kept
from shared.pictures import ASSETS

FOLDER = ASSETS / "rabbits"
SOUND, MUSIC = 1.0, 1.0  # so loud that together they stay below full scale
load = functools.cache(pygame.mixer.Sound)  # each once
started: dict[str, int] = {}  # when a sound was last begun: the same twice at once is only louder


def open_sound() -> None:
    """Open the sound device, if there is one."""
    try:
        pygame.mixer.init(44100, -16, 2, 512)
        pygame.mixer.set_num_channels(12)
    except pygame.error as error:
        print(f"playing without sound: {error}", file=sys.stderr)


def play(name: str) -> None:
    """Play a sound."""
    now = pygame.time.get_ticks()  # milliseconds
    if pygame.mixer.get_init() and now - started.get(name, -50) >= 50:
        started[name] = now
        sound = load(FOLDER / f"{name}.ogg")
        sound.set_volume(SOUND * volume(kept.options.sound))
        sound.play()


def play_music(name: str, loops: int = -1) -> None:
    """Play a piece of music from now on, over and over unless told otherwise."""
    if pygame.mixer.get_init():
        pygame.mixer.music.stop()  # or else loading waits until what fades away is silent
        pygame.mixer.music.load(FOLDER / f"{name}.ogg")
        dim_music(1)
        pygame.mixer.music.play(loops, fade_ms=400)


def stop_music() -> None:
    """Let the music fade away."""
    if pygame.mixer.get_init():
        pygame.mixer.music.fadeout(600)


def dim_music(share: float) -> None:
    """Play the music at a share of its volume."""
    if pygame.mixer.get_init():
        pygame.mixer.music.set_volume(MUSIC * share * volume(kept.options.music))


def volume(tenths: int) -> float:
    """Return how loud something is that is set to so many tenths."""
    return 0.0 if kept.options.mute else tenths / 10
