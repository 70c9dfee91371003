"""The strip of time at the foot, and how it looks when time runs back."""

from collections.abc import Sequence

import pygame

from shared.letters import draw_text

STRIP = pygame.Rect(10, 254, 460, 8)
GROOVE, PAST, BACK, SHOT, NOW = "#1c1026", "#e8a05c", "#7fd0ff", "#fff4d0", "#ffffff"


def draw_strip(
    surface: pygame.Surface,
    reach: float,
    longest: float,
    ago: Sequence[float],
    *,
    is_going_back: bool,
) -> None:
    """Draw how far back time reaches of the longest way, in seconds, and how long ago shots are."""
    surface.fill(GROOVE, STRIP.inflate(4, 4))
    scale = STRIP.width / longest
    past = pygame.Rect(STRIP.topleft, (round(reach * scale), STRIP.height))
    surface.fill(BACK if is_going_back else PAST, past)
    for seconds in ago:
        if seconds < reach:
            surface.fill(SHOT, (past.right - round(seconds * scale), past.top, 2, past.height))
    surface.fill(NOW, (past.right - 1, past.top - 3, 3, past.height + 6))


def draw_time_runs_back(surface: pygame.Surface, seconds: float) -> None:
    """Cool the picture down, as an old film would be."""
    surface.fill((150, 176, 224), special_flags=pygame.BLEND_RGB_MULT)
    for y in range(int(seconds * 40) % 4, surface.get_height(), 4):
        surface.fill((18, 24, 40), (0, y, surface.get_width(), 1), pygame.BLEND_RGB_ADD)
    x, y = surface.get_width() // 2, 34
    for left in (x - 62, x - 50):
        pygame.draw.polygon(surface, NOW, [(left, y + 5), (left + 10, y - 1), (left + 10, y + 11)])
    draw_text(surface, "rewind", (x - 32, y - 2), NOW, scale=2)
