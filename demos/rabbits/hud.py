"""What is written over the play: lives, score, powers, and how much of the boss is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from rabbits.art import frames, written
from rabbits.boss import Boss
from rabbits.powerups import POWERS
from rabbits.stage import WIDE, dinosaurs, enemies
from rabbits.tally import LIVES, tally

if TYPE_CHECKING:
    from rabbits.dinosaur import Dinosaur
    from rabbits.waves import Director

GREY, GREEN, LIME, RED, GOLD = "#b8c0d0", "#7ed26e", "#b8f848", "#f04860", "#ffe45c"


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


def draw_bar(surface: pygame.Surface, place: pygame.Rect, share: float, color: str) -> None:
    """Draw a bar that is full up to a share."""
    surface.fill("#140e1c", place.inflate(2, 2))
    surface.fill(color, (*place.topleft, round(place.width * share), place.height))


def draw_hud(surface: pygame.Surface, director: Director) -> None:
    """Draw it all."""
    full, empty = frames("heart", 2)
    for number in range(max(LIVES, tally.lives)):
        surface.blit(full if number < tally.lives else empty, (6 + 12 * number, 5))
    write(surface, f"{tally.score}", (WIDE - 40, 2), GOLD if tally.score > tally.best else "white")
    write(surface, f"best {max(tally.best, tally.score)}", (WIDE - 40, 13), GREY)
    waves = f"{director.level.title}  {director.wave}/{len(director.level.waves)}"
    write(surface, waves, (WIDE // 2, 2), GREY)
    write(surface, director.banner, (WIDE // 2, 40), scale=3)
    for dinosaur in dinosaurs:
        draw_powers(surface, dinosaur)
    for enemy in enemies:
        if isinstance(enemy, Boss):
            draw_boss(surface, enemy)


def draw_powers(surface: pygame.Surface, dinosaur: Dinosaur) -> None:
    """Draw the bubbles that were taken, and how long they still help."""
    icons = dict(zip(POWERS, frames("powerup", len(POWERS)), strict=True))
    for number, (power, end) in enumerate(dinosaur.powers.items()):
        place = surface.blit(icons[power], (6, 20 + 26 * number))
        bar = pygame.Rect(place.left, place.bottom + 1, place.width, 3)
        draw_bar(surface, bar, max(0.0, end - dinosaur.clock) / POWERS[power], GREEN)


def draw_boss(surface: pygame.Surface, boss: Boss) -> None:
    """Draw what is left of the boss: of its ears, as long as they are on, or of itself."""
    targets = [ear.health for ear in boss.ears] if boss.armour else [boss.health]
    share = sum(max(0, each.left) for each in targets) / sum(each.maximum for each in targets)
    draw_bar(surface, pygame.Rect(WIDE // 2 - 80, 18, 160, 6), share, LIME if boss.armour else RED)
    if boss.armour:
        write(surface, "shoot the ears", (WIDE // 2, 23), LIME)
