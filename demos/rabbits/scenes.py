"""The scenes: title, play, and what is laid over the play, a pause or the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import pools
from poolkit.scenes import Scene
from rabbits.art import both_ways, frames, picture
from rabbits.backdrop import build, draw_backdrop
from rabbits.controls import wish
from rabbits.dinosaur import THROW, dinosaur
from rabbits.hud import GOLD, GREY, RED, draw_hud, write
from rabbits.sound import play, play_music
from rabbits.stage import GROUND, GROUPS, HIGH, LENGTH, WIDE, camera, world
from rabbits.tally import tally
from rabbits.waves import LEVELS, director

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rabbits.dinosaur import Dinosaur
    from rabbits.game import Game


def advance(dt: float) -> None:
    """Let time pass for all that lives: the timers, the sprites, and then their bodies.

    Scenes call it, not the loop; so whatever is laid over a scene makes it stand still.
    """
    pools.update(dt)
    for group in GROUPS:
        group.update(dt)
    world.step(dt)


def draw_level(surface: pygame.Surface, place: str) -> None:
    """Draw a place and all that lives there, as the camera sees it."""
    draw_backdrop(surface, place)
    for group in GROUPS:
        group.draw(surface, camera.offset)


class Menu(Scene):
    """Lines, one of which is chosen by keys, mouse or pad."""

    def __init__(self, game: Game, lines: Mapping[str, Callable[[], None]], top: int) -> None:
        """Take the lines with what each does, and how far down the first one is."""
        self.game = game
        self.lines = lines
        self.proposed = 0
        self.places = [
            pygame.Rect(WIDE // 2 - 60, top + 20 * n, 120, 18) for n in range(len(lines))
        ]

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
                if place.collidepoint(mouse):
                    self.proposed = number
                    wanted = "choose" if event.type == pygame.MOUSEBUTTONDOWN else ""
        if wanted == "choose":
            play("power")
            list(self.lines.values())[self.proposed]()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the lines, and a phone beside the proposed one."""
        for number, (text, place) in enumerate(zip(self.lines, self.places, strict=True)):
            color = GOLD if number == self.proposed else GREY
            written = write(surface, text, place.midtop, color)
            if number == self.proposed:
                surface.blit(frames("phone", 3)[0], (written.left - 20, written.top + 3))


class Title(Menu):
    """The name of the game, before a meadow in which rabbits hop about."""

    name = "title"

    def __init__(self, game: Game) -> None:
        """Propose to play."""
        super().__init__(game, {"play": game.begin, "leave": game.leave}, 160)

    def enter(self) -> None:
        """Let a few rabbits out. Where there is no dinosaur, they don't know where to go."""
        play_music("title")
        camera.left = (LENGTH - WIDE) / 2
        build("meadow")
        pools.spawn_many("small", [(x, GROUND - 20) for x in range(190, 640, 90)])

    def update(self, dt: float) -> None:
        """Let them hop."""
        advance(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the meadow, the hero, the name, and what to press."""
        draw_level(surface, "meadow")
        hero, foe = frames("dinosaur", 11)[0], both_ways("big", 4)[-1][0]
        surface.blit(pygame.transform.scale_by(hero, 3), (26, GROUND - 106))
        surface.blit(pygame.transform.scale_by(foe, 2), (366, GROUND - 94))
        title = picture("title")
        surface.blit(title, title.get_rect(midtop=(WIDE // 2, 20)))
        super().draw(surface)
        write(surface, f"best {tally.best}", (WIDE // 2, 140), "#ffb858")
        hints = "A D run   W jump   mouse or X throw   P pause   M sound   F11 full screen"
        write(surface, hints, (WIDE // 2, HIGH - 18), GREY)


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
        """Build the place. Whoever will be there, the loading screen has made beforehand."""
        play_music("play")
        build(self.level.place, self.level.ledges)
        self.hero: Dinosaur = pools.spawn(dinosaur, (LENGTH / 2, GROUND - 18))
        self.director = pools.spawn(director, level=self.level)
        camera.left = (LENGTH - WIDE) / 2

    def handle_event(self, event: pygame.Event) -> None:
        """Pause when asked to, and when the player looks elsewhere or pulls a plug."""
        if wish(event) in {"pause", "leave"}:
            self.game.scenes.push(Pause(self.game))

    def update(self, dt: float) -> None:
        """Let everybody live on, and see whether the level or the game is over."""
        if self.hero.active:
            told = self.hero.commands = self.game.player.commands(self.hero)
            x, ahead = self.hero.position.x, 60.0 * self.hero.facing
            if told.aim is not None:
                ahead = max(-120.0, min((told.aim[0] - x) * 0.4, 120.0))
            camera.update(dt, x + ahead)
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
        if self.hero.active and "shield" in self.hero.powers:
            bubble = picture("shield")
            surface.blit(bubble, bubble.get_rect(center=self.hero.position + camera.offset))
        if self.hero.active and self.hero.commands.aim is not None:
            hand, velocity = pymunk.Vec2d(*self.hero.hand), pymunk.Vec2d(*self.hero.aim())
            for number in range(2, 9):
                t = 30 * number / THROW
                x, y = hand + velocity * t + world.space.gravity * t * t / 2 + camera.offset
                surface.fill("#140e1c", (round(x) - 1, round(y) - 1, 4, 4))
                surface.fill("#ffe890", (round(x), round(y), 2, 2))
        draw_hud(surface, self.director)


class Overlay(Menu):
    """A menu over the play, which stands still, for it gets no updates."""

    is_overlay = True
    heading, color = "paused", "white"

    def draw(self, surface: pygame.Surface) -> None:
        """Darken the play, and draw the menu over it."""
        surface.fill((96, 90, 110), special_flags=pygame.BLEND_RGB_MULT)
        write(surface, self.heading, (WIDE // 2, 78), self.color, 3)
        super().draw(surface)


class Pause(Overlay):
    """Until the player comes back."""

    def __init__(self, game: Game) -> None:
        """Propose to go on."""
        lines = {"go on": game.scenes.pop, "begin again": game.begin, "title": game.title}
        super().__init__(game, lines, 124)

    def handle_event(self, event: pygame.Event) -> None:
        """Go on, too, if the key that paused it is pressed again."""
        if wish(event) == "pause":
            self.game.scenes.pop()
        else:
            super().handle_event(event)


class GameOver(Overlay):
    """The end, good or bad."""

    def __init__(self, game: Game, *, has_won: bool) -> None:
        """Propose another game."""
        super().__init__(game, {"play again": game.begin, "title": game.title}, 170)
        self.has_won = has_won
        self.heading = "the world is saved!" if has_won else "game over"
        self.color = GOLD if has_won else RED
        self.is_record = tally.score > tally.best
        self.seconds = 0.0

    def enter(self) -> None:
        """Keep the score."""
        play("fanfare" if self.has_won else "over")
        self.game.tell(tally.end())

    def update(self, dt: float) -> None:
        """Count for how long it is there."""
        self.seconds += dt

    def handle_event(self, event: pygame.Event) -> None:
        """Take no key for an answer that was meant for a jump."""
        if self.seconds > 0.7:
            super().handle_event(event)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw what was reached."""
        super().draw(surface)
        write(surface, f"score {tally.score}", (WIDE // 2, 112), scale=2)
        if self.is_record:
            write(surface, "a new record!", (WIDE // 2, 140), "#70ffc0")
