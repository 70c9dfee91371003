"""The scenes: title, play, and what is laid over the play, a pause or the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import pools
from poolkit.scenes import Scene
from rabbits.art import both_ways, frames, picture
from rabbits.backdrop import PLACES, build, draw_backdrop
from rabbits.controls import wish
from rabbits.dinosaur import START, THROW, dinosaur
from rabbits.hud import draw_cursor, draw_hud, draw_shade, write
from rabbits.rabbits import small
from rabbits.sound import play, play_music
from rabbits.stage import (
    GROUND,
    SCREEN,
    WIDTH,
    camera,
    dinosaurs,
    effects,
    phones,
    powerups,
    rabbits,
    scenery,
    world,
)
from rabbits.tally import tally
from rabbits.waves import LEVELS, director

if TYPE_CHECKING:
    from collections.abc import Callable

    from rabbits.dinosaur import Dinosaur
    from rabbits.game import Game

__all__ = ["GameOver", "Menu", "Pause", "Play", "Title"]

WIDE, HIGH = SCREEN
UPDATED = rabbits, dinosaurs, powerups, phones, effects
DRAWN = scenery, powerups, rabbits, dinosaurs, phones, effects


def advance(dt: float) -> None:
    """Let time pass for all that lives: first the timers, then the sprites, then their bodies.

    Scenes call this, and not the loop: so a game is paused by a scene that does not.
    """
    pools.update(dt)
    for group in UPDATED:
        group.update(dt)
    world.step(dt)


def draw_level(surface: pygame.Surface, place: str) -> None:
    """Draw a place and all that lives there, as the camera sees it."""
    draw_backdrop(surface, place)
    for group in DRAWN:
        group.draw(surface, camera.offset)


class Menu(Scene):
    """Lines, one of which is chosen by keys, mouse or pad."""

    def __init__(self, game: Game, lines: dict[str, Callable[[], None]], top: int) -> None:
        """Take the lines with what each does, and how far down the first one is."""
        self.game = game
        self.lines = lines
        self.top = top
        self.proposed = 0
        self.places: list[pygame.Rect] = []

    def handle_event(self, event: pygame.Event) -> None:
        """Propose another line, or do what the proposed one says."""
        wanted = wish(event)
        if wanted in {"up", "down"}:
            step = 1 if wanted == "down" else -1
            self.proposed = (self.proposed + step) % len(self.lines)
            play("bounce")
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            mouse = self.game.window.to_canvas(event.pos)
            for number, place in enumerate(self.places):
                if place.inflate(80, 4).collidepoint(mouse):
                    self.proposed = number
                    if event.type == pygame.MOUSEBUTTONDOWN:
                        wanted = "choose"
        if wanted == "choose":
            play("power")
            list(self.lines.values())[self.proposed]()

    def draw_lines(self, surface: pygame.Surface) -> None:
        """Draw the lines, and a phone beside the proposed one."""
        self.places = []
        for number, text in enumerate(self.lines):
            color = "#ffe45c" if number == self.proposed else "#d8d0e8"
            place = WIDE // 2, self.top + 20 * number
            self.places.append(write(surface, text, place, color))
        draw_cursor(surface, self.places[self.proposed])


class Title(Menu):
    """The name of the game, before a meadow in which rabbits hop about."""

    name = "title"

    def __init__(self, game: Game) -> None:
        """Propose to play."""
        super().__init__(game, {"play": game.begin, "leave": game.leave}, 160)

    def enter(self) -> None:
        """Let a few rabbits out."""
        play_music("title")
        camera.left = (WIDTH - WIDE) / 2
        build(PLACES["meadow"])
        for x in range(190, 640, 90):
            pools.spawn(small, (x, GROUND - 20))

    def update(self, dt: float) -> None:
        """Let them hop."""
        advance(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the meadow, the hero, the name, and what to press."""
        draw_level(surface, "meadow")
        hero = pygame.transform.scale_by(both_ways("dinosaur", 11)[1][0], 3)
        surface.blit(hero, (26, GROUND - 106))
        title = picture("title")
        surface.blit(title, ((WIDE - title.get_width()) // 2, 20))
        self.draw_lines(surface)
        write(surface, f"best {tally.best}", (WIDE // 2, 140), "#ffb858")
        hints = "A D run   W jump   mouse or X throw   P pause   M sound   F11 full screen"
        write(surface, hints, (WIDE // 2, HIGH - 18), "#d8d0e8")


class Play(Scene):
    """A level: the waves come, and the dinosaur is told what to do."""

    def __init__(self, game: Game, number: int = 0) -> None:
        """Choose the level."""
        self.game = game
        self.number = number
        self.level = LEVELS[number]
        self.name = self.level.place  # by which the capacity profile knows it
        self.seconds_lost = 0.0  # since the last life was

    def enter(self) -> None:
        """Build the place. What else there will be, the loading screen has made beforehand."""
        play_music("play")
        build(PLACES[self.level.place])
        self.hero: Dinosaur = pools.spawn(dinosaur, START)
        self.director = pools.spawn(director, level=self.level)
        camera.left = START[0] - WIDE / 2

    def handle_event(self, event: pygame.Event) -> None:
        """Pause when asked to, and when the player looks elsewhere or pulls a plug."""
        if wish(event) in {"pause", "leave"}:
            self.game.scenes.push(Pause(self.game))

    def update(self, dt: float) -> None:
        """Let everybody live on, and see whether the level or the game is over."""
        if self.hero.active:
            self.hero.commands = self.game.player.commands(self.hero)
            aim = self.hero.commands.aim
            ahead = 60.0 * self.hero.facing
            if aim is not None:
                ahead = max(-120, min((aim[0] - self.hero.position.x) * 0.4, 120))
            camera.update(dt, self.hero, ahead)
        else:
            self.seconds_lost += dt
        advance(dt)
        if self.seconds_lost > 1.5:
            self.game.scenes.push(GameOver(self.game, has_won=False))
        elif self.director.is_done and self.hero.active:
            if self.number + 1 < len(LEVELS):
                self.game.load(Play(self.game, self.number + 1))
            else:
                self.game.scenes.push(GameOver(self.game, has_won=True))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, where a throw would go, and what the player must know."""
        draw_level(surface, self.level.place)
        if self.hero.active:
            if "shield" in self.hero.powers:
                bubble = frames("shield", 1)[0]
                middle = self.hero.position + camera.offset
                surface.blit(bubble, bubble.get_rect(center=middle))
            if self.hero.commands.aim is not None:
                self.draw_aim(surface)
        draw_hud(surface, self.director)

    def draw_aim(self, surface: pygame.Surface) -> None:
        """Draw the first dots of the way that a phone would take."""
        x, y = pymunk.Vec2d(*self.hero.hand) + camera.offset
        vx, vy = self.hero.aim()
        for number in range(2, 9):
            t = number * 30 / THROW
            dot = round(x + vx * t), round(y + vy * t + 320 * t * t)
            surface.fill("#140e1c", (dot[0] - 1, dot[1] - 1, 4, 4))
            surface.fill("#ffe890", (*dot, 2, 2))


class Pause(Menu):
    """Over the play, which stands still: it gets no updates."""

    is_overlay = True

    def __init__(self, game: Game) -> None:
        """Propose to go on."""
        lines = {"go on": game.scenes.pop, "begin again": game.begin, "title": game.title}
        super().__init__(game, lines, 124)

    def handle_event(self, event: pygame.Event) -> None:
        """Go on, if the key that paused it is pressed again."""
        if wish(event) == "pause":
            self.game.scenes.pop()
        else:
            super().handle_event(event)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the menu over the play."""
        draw_shade(surface)
        write(surface, "paused", (WIDE // 2, 80), scale=3)
        self.draw_lines(surface)


class GameOver(Menu):
    """The end, good or bad, over the play as it was then."""

    is_overlay = True

    def __init__(self, game: Game, *, has_won: bool) -> None:
        """Propose another game."""
        self.has_won = has_won
        self.is_record = tally.is_record
        super().__init__(game, {"play again": game.begin, "title": game.title}, 170)

    def enter(self) -> None:
        """Keep the score."""
        play("fanfare" if self.has_won else "over")
        self.game.tell(tally.end())

    def draw(self, surface: pygame.Surface) -> None:
        """Draw how it went."""
        draw_shade(surface)
        words = "the world is saved!" if self.has_won else "game over"
        write(surface, words, (WIDE // 2, 66), "#ffe45c" if self.has_won else "#f04860", scale=3)
        write(surface, f"score {tally.score}", (WIDE // 2, 112), scale=2)
        if self.is_record:
            write(surface, "a new record!", (WIDE // 2, 140), "#70ffc0")
        self.draw_lines(surface)
