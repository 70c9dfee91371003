"""Sounds, which are heard backwards when time runs back."""

import functools

import pygame

from shared.pictures import ASSETS

LOUD = 0.4


@functools.cache
def _load(name: str) -> tuple[pygame.mixer.Sound, pygame.mixer.Sound]:
    """Return a sound, and the same from its end to its beginning."""
    sound = pygame.mixer.Sound(ASSETS / "rabbits" / f"{name}.ogg")
    back = sound
    _, *kind = pygame.mixer.get_init() or (0,)
    if kind == [-16, 2]:
        samples = memoryview(sound.get_raw()).cast("I")  # two channels of 16 bits, as one number
        back = pygame.mixer.Sound(buffer=samples[::-1].tobytes())
    both = sound, back
    for one in both:
        one.set_volume(LOUD)
    return both


class Sounds:
    """Plays sounds, and remembers when, for the way back. Silent where there is no device."""

    def __init__(self) -> None:
        self._played: list[tuple[float, str]] = []  # the second, and the name
        self._is_silent = pygame.mixer.get_init() is None

    def play(self, name: str, now: float) -> None:
        """Play a sound; many at once are only louder."""
        if any(name == other and now - second < 0.06 for second, other in self._played[-4:]):
            return
        self._played.append((now, name))
        if not self._is_silent:
            _load(name)[0].play()

    def play_back(self, now: float) -> None:
        """Play backwards what began after `now`."""
        while self._played and self._played[-1][0] > now:
            _, name = self._played.pop()
            if not self._is_silent:
                _load(name)[1].play()

    def forget(self) -> None:
        """Begin again."""
        self._played.clear()
