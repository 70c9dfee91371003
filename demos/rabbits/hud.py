"""What is drawn over the play: lives, score, powers, and how much of the boss is left."""

import pygame

from rabbits.art import GOLD, GREEN, GREY, RED, draw_bar, write, written
from rabbits.boss import Boss
from rabbits.dinosaur import Dinosaur
from rabbits.powerups import POWERS
from rabbits.stage import WIDE, camera, enemies
from rabbits.tally import LIVES, tally
from rabbits.waves import Director
from shared.pictures import frames, picture


def draw_hud(surface: pygame.Surface, hero: Dinosaur | None, director: Director) -> None:
    """Draw it all; of each bubble that was taken, how long it still helps."""
    full, empty = frames("rabbits/heart", 2)
    for number in range(max(LIVES, tally.lives)):
        surface.blit(full if number < tally.lives else empty, (6 + 12 * number, 5))
    score = written(f"{tally.score}", GOLD if tally.score > tally.best else "white", 2)
    surface.blit(score, score.get_rect(topright=(WIDE - 5, -2)))
    write(surface, f"{director.level.title}  {director.wave}/{len(director.level.waves)}", 2, GREY)
    for enemy in enemies:
        if isinstance(enemy, Boss):
            parts = [enemy, *enemy.ears]
            share = sum(part.left for part in parts) / sum(part.hit_points for part in parts)
            draw_bar(surface, pygame.Rect(WIDE // 2 - 80, 18, 160, 6), share, RED)
    if hero:
        draw_powers(surface, hero)


def draw_powers(surface: pygame.Surface, hero: Dinosaur) -> None:
    """Draw how long each power of the hero lasts, and its shield."""
    icons = dict(zip(POWERS, frames("rabbits/powerup", len(POWERS)), strict=True))
    for number, power in enumerate(filter(hero.has, hero.powers)):
        place = surface.blit(icons[power], (6, 20 + 26 * number))
        bar = pygame.Rect(place.left, place.bottom + 1, place.width, 3)
        draw_bar(surface, bar, (hero.powers[power] - hero.clock) / POWERS[power], GREEN)
    if hero.has("shield"):
        bubble = picture("rabbits/shield")
        surface.blit(bubble, bubble.get_rect(center=hero.position + camera.offset))
