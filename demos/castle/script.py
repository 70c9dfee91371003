"""Frames without a player: the demo plays itself, as fast as it can."""

from collections.abc import Iterable

import pygame


class Frames:
    """A tape of so many frames, for `poolkit.scenes.run`: whatever happens, and a QUIT at last."""

    is_replay = True  # so that no frame waits

    def __init__(self, count: int) -> None:
        self.num_left = count

    def frame(self, events: Iterable[pygame.Event], _: float) -> tuple[list[pygame.Event], float]:
        """Return what happened, and the seconds of a frame."""
        self.num_left -= 1
        over = [pygame.Event(pygame.QUIT)] if self.num_left < 0 else []
        return [*events, *over], 1 / 60
