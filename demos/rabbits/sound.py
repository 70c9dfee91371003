"""Sounds and music, or silence where there is no sound device."""

import functools
import sys

import pygame

from rabbits.kept import kept
from shared.pictures import ASSETS

FOLDER = ASSETS / "rabbits"
MUSIC = 0.6  # how loud, for sounds to be heard over it and both together to stay below full scale
load = functools.cache(pygame.mixer.Sound)  # each once
started: dict[str, int] = {}  # when a sound last began: twice at once, it's only louder


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
        sound.set_volume(volume(kept.options.sound))
        sound.play()


def play_music(name: str, loops: int = -1) -> None:
    """Play a piece of music from now on, again and again unless `loops` says otherwise."""
    if pygame.mixer.get_init():
        pygame.mixer.music.stop()  # or else loading waits until the fade is over
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
    """Return how loud an option of so many tenths is."""
    return 0.0 if kept.options.mute else tenths / 10
