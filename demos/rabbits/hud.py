"""What is written over the play: lives, score, powers, and how much of the boss is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from rabbits.art import frames, picture, written
from rabbits.boss import Boss
from rabbits.powerups import KINDS
from rabbits.stage import SCREEN, dinosaurs, rabbits
from rabbits.tally import LIVES, tally

if TYPE_CHECKING:
    from rabbits.dinosaur import Dinosaur
    from rabbits.waves import Director

__all__ = ["draw_bar", "draw_cursor", "draw_hud", "draw_shade", "write"]

WIDE, HIGH = SCREEN
DARK, GREEN, RED, GOLD = "#140e1c", "#7ed26e", "#f04860", "#ffe45c"


def write(
    surface: pygame.Surface,
    text: str,
    place: tuple[float, float],
    color: str = "white",
    scale: int = 1,
) -> pygame.Rect:
    """Write a line, the middle of its top at `place`; return where it stands."""
    image = written(text, color, scale)
    return surface.blit(image, image.get_rect(midtop=place))


def draw_hud(surface: pygame.Surface, director: Director) -> None:
    """Draw it all."""
    full, empty = frames("heart", 2)
    for number in range(max(LIVES, tally.lives)):
        surface.blit(full if number < tally.lives else empty, (6 + 12 * number, 5))
    write(surface, f"{tally.score}", (WIDE - 40, 2), GOLD if tally.is_record else "white")
    write(surface, f"best {max(tally.best, tally.score)}", (WIDE - 40, 13), "#9eaabe")
    waves = f"{director.level.title}  {director.wave}/{len(director.level.waves)}"
    write(surface, waves, (WIDE // 2, 2), "#9eaabe")
    for dinosaur in dinosaurs:
        draw_powers(surface, dinosaur)
    for rabbit in rabbits:
        if isinstance(rabbit, Boss):
            draw_boss(surface, rabbit)
    if director.banner:
        write(surface, director.banner, (WIDE // 2, 84), scale=3)


def draw_powers(surface: pygame.Surface, dinosaur: Dinosaur) -> None:
    """Draw the bubbles that were taken, and how long they still help."""
    icons = frames("powerup", len(KINDS))
    for number, power in enumerate(dinosaur.powers):
        surface.blit(icons[KINDS.index(power)], (6, 20 + 24 * number))
        draw_bar(surface, (6, 40 + 24 * number, 19, 3), dinosaur.left_of(power), GREEN)


def draw_boss(surface: pygame.Surface, boss: Boss) -> None:
    """Draw what is left of the boss: of its ears, as long as they are on, or of itself."""
    bar = WIDE // 2 - 80, 18, 160, 6
    if boss.armour:
        left = sum(ear.health.left for ear in boss.ears if ear.active)
        draw_bar(surface, bar, left / sum(ear.health.maximum for ear in boss.ears), "#b8f848")
        write(surface, "shoot the ears", (WIDE // 2, 23), "#b8f848")
    else:
        draw_bar(surface, bar, boss.health.left / boss.health.maximum, RED)


def draw_bar(
    surface: pygame.Surface, place: tuple[int, int, int, int], share: float, color: str
) -> None:
    """Draw a bar that is full up to a share."""
    frame = pygame.Rect(place)
    surface.fill(DARK, frame.inflate(2, 2))
    surface.fill(color, (*frame.topleft, round(frame.width * share), frame.height))


def draw_shade(surface: pygame.Surface) -> None:
    """Darken the picture, for a menu over it."""
    surface.fill((96, 90, 110), special_flags=pygame.BLEND_RGB_MULT)


def draw_cursor(surface: pygame.Surface, place: pygame.Rect) -> None:
    """Point at the line of a menu that is proposed."""
    phone = picture("phone").subsurface((0, 0, 13, 9))
    surface.blit(phone, (place.left - 20, place.top + 3 * place.height // 13))
