"""What is drawn over the play: lives, phones, score, powers, the boss, arrows, words."""

import pygame

from rabbits.art import GOLD, GREEN, GREY, RED, draw_bar, write
from rabbits.boss import Boss
from rabbits.dinosaur import CHARGED, Dinosaur
from rabbits.kept import kept
from rabbits.powerups import POWERS
from rabbits.stage import HIGH, WIDE, camera, enemies
from rabbits.tally import tally
from rabbits.waves import Director
from rabbits.words import banner, lesson
from shared.letters import DARK, outlined
from shared.pictures import frames, picture

VIEW = pygame.Rect(0, 0, WIDE, HIGH)


def draw_hud(surface: pygame.Surface, hero: Dinosaur | None, director: Director) -> None:
    """Draw it all; without a hero, only what isn't the hero's."""
    full, empty = frames("rabbits/heart", 2)
    for number in range(max(tally.rules.lives, tally.lives)):
        surface.blit(full if number < tally.lives else empty, (6 + 12 * number, 5))
    color = GOLD if tally.score >= kept.best else "white"
    write(surface, f"{tally.score}", color, 2, topright=(WIDE - 5, -2))
    progress = f"{director.level.title}  {director.wave}/{len(director.waves)}"
    write(surface, progress, GREY, top=2)
    for enemy in enemies:
        if isinstance(enemy, Boss):
            draw_bar(surface, pygame.Rect(WIDE // 2 - 80, 20, 160, 6), enemy.share_left, RED)
        if enemy.is_rabbit:
            point_at(surface, enemy.rect.move(camera.offset))
    if hero:
        draw_hero(surface, hero)
    write(surface, banner.text, scale=3, top=52)
    if lesson.text:
        image = outlined(lesson.text, GOLD)
        place = image.get_rect(center=(WIDE // 2, HIGH - 22))
        surface.fill(DARK, place.inflate(10, 4))
        surface.blit(image, place)


def draw_hero(surface: pygame.Surface, hero: Dinosaur) -> None:
    """Draw how many phones are charged, how long each power lasts, and the shield."""
    phone = frames("rabbits/phone", 3)
    for number in range(CHARGED):
        charged = hero.charge - number
        surface.blit(phone[0 if charged >= 1 else 2], (6 + 15 * number, 19))
        if 0 < charged < 1:
            draw_bar(surface, pygame.Rect(7 + 15 * number, 29, 11, 1), charged, GREEN)
    icons = dict(zip(POWERS, frames("rabbits/powerup", len(POWERS)), strict=True))
    for number, power in enumerate(filter(hero.has, hero.powers)):
        place = surface.blit(icons[power], (6, 36 + 26 * number))
        bar = pygame.Rect(place.left, place.bottom + 1, place.width, 3)
        draw_bar(surface, bar, (hero.powers[power] - hero.clock) / POWERS[power], GREEN)
    if hero.has("shield"):
        bubble = picture("rabbits/shield")
        surface.blit(bubble, bubble.get_rect(center=hero.position + camera.offset))


def point_at(surface: pygame.Surface, place: pygame.FRect) -> None:
    """Draw an arrow at the edge towards an enemy that is out of view."""
    if VIEW.colliderect(place):
        return
    x, y = max(7, min(place.centerx, WIDE - 7)), max(60, min(place.centery, HIGH - 50))
    edge = pygame.Vector2(x, y)
    way = (pygame.Vector2(place.center) - edge).normalize() * 6
    corners = [edge + way, edge + way.rotate(130), edge + way.rotate(-130)]
    pygame.draw.polygon(surface, RED, corners)
    pygame.draw.polygon(surface, DARK, corners, 1)
