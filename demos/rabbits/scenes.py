"""The scenes: title, play, and what is laid over the play, a pause or the end of the game."""

from collections.abc import Callable

import pygame

from poolkit import pools
from poolkit.scenes import Scene, SceneManager
from rabbits.art import GOLD, GREEN, GREY, draw_bar, write
from rabbits.controls import Player, wish
from rabbits.dinosaur import dinosaur
from rabbits.hud import draw_hud
from rabbits.scenery import build, draw_backdrop
from rabbits.sound import play, play_music
from rabbits.stage import GROUND, GROUPS, HIGH, LENGTH, WIDE, camera, world
from rabbits.tally import LIVES, tally
from rabbits.waves import LEVELS, director
from shared.pictures import both_ways, frames, picture


class Game:
    """What there is one of: the player, the present scene, and how far the next one is loaded."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.scenes = SceneManager()
        self.load(Title(self))

    def load(self, scene: Scene) -> None:
        """Leave all scenes; begin another when what it needs is made, a little in each frame."""
        self.loading = self.scenes.loading(scene, self.player.patience)

    def begin(self) -> None:
        """Begin a game."""
        tally.score, tally.lives = 0, LIVES
        self.load(Play(self))

    def update(self, dt: float) -> None:
        """Let time pass: in loading the next scene, or in the present one."""
        self.progress = next(self.loading, None)
        if self.progress is None:
            self.scenes.update(dt)

    def draw(self, canvas: pygame.Surface) -> None:
        """Draw the present scene, or a dinosaur that runs along the loading bar."""
        if self.progress is None:
            self.scenes.draw(canvas)
            return
        canvas.fill("#141020")
        write(canvas, "charging phones", 150)
        bar, share = pygame.Rect(WIDE // 2 - 80, 136, 160, 8), self.progress.fraction
        draw_bar(canvas, bar, share, GREEN)
        runner = frames("rabbits/dinosaur", 11)[3 + int(share * 40) % 4]
        canvas.blit(runner, (bar.left + bar.width * share - 20, bar.top - 37))


def advance(dt: float, x: float) -> None:
    """Let time pass for all that lives, timers, sprites and bodies; and let the camera look at `x`.

    Scenes call it, not the loop; so whatever is laid over a scene makes it stand still.
    """
    pools.update(dt)
    for group in GROUPS:
        group.update(dt)
    world.step(dt)
    camera.update(dt, x)


def draw_place(surface: pygame.Surface, place: str) -> None:
    """Draw a place and all that lives there, as the camera sees it."""
    draw_backdrop(surface, place)
    for group in GROUPS:
        group.draw(surface, camera.offset)


class Title(Scene):
    """The name of the game, before a meadow in which rabbits hop about."""

    name = "title"

    def __init__(self, game: Game) -> None:
        self.game = game

    def enter(self) -> None:
        """Let a few rabbits out. Where there is no dinosaur, they don't know where to go."""
        play_music("title")
        build("meadow")
        pools.spawn_many("small", [(x, GROUND - 20) for x in range(190, 640, 90)])

    def handle_event(self, event: pygame.Event) -> None:
        """Play, or leave."""
        if wish(event) in {"go on", "pause"}:
            self.game.begin()
        elif wish(event) == "leave":
            pygame.event.post(pygame.Event(pygame.QUIT))

    def update(self, dt: float) -> None:
        """Let them hop."""
        advance(dt, LENGTH / 2)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the meadow, the hero and a foe, the name, and what to press."""
        draw_place(surface, "meadow")
        hero, foe = frames("rabbits/dinosaur", 11)[0], both_ways("rabbits/big", 4)[-1][0]
        surface.blit(pygame.transform.scale_by(hero, 3), (26, GROUND - 106))
        surface.blit(pygame.transform.scale_by(foe, 2), (366, GROUND - 94))
        surface.blit(picture("rabbits/title"), (75, 20))
        write(surface, f"best {tally.best}", 140)
        write(surface, "Return or a click: play", 160, GOLD)
        hints = "A D run   W jump   mouse or X throw   P pause   F11 full screen"
        write(surface, hints, HIGH - 18, GREY)


class Play(Scene):
    """A level: the waves come, and the dinosaur is told what to do."""

    def __init__(self, game: Game, number: int = 0) -> None:
        self.game = game
        self.number = number
        self.level = LEVELS[number]
        self.name = self.level.place  # by which the capacity profile knows it
        self.seconds_lost = 0.0  # since the last life was

    def enter(self) -> None:
        """Build the place. Whoever will be there, the loading screen has made beforehand."""
        play_music("play")
        build(self.level.place, self.level.ledges)
        self.hero = pools.handle(pools.spawn(dinosaur, (LENGTH / 2, GROUND - 18)))
        self.looked_at = LENGTH / 2
        self.director = pools.spawn(director, level=self.level)

    def handle_event(self, event: pygame.Event) -> None:
        """Pause when asked to, and when the player looks elsewhere or pulls a plug."""
        if wish(event) in {"pause", "leave", "away"}:
            self.game.scenes.push(Overlay(self.game, "paused", self.game.scenes.pop))

    def update(self, dt: float) -> None:
        """Let everybody live on, and see whether the level or the game is over."""
        if hero := self.hero.get():
            hero.commands = self.game.player.commands()
            self.looked_at = hero.position.x + 60 * hero.facing
        else:
            self.seconds_lost += dt
        advance(dt, self.looked_at)
        if self.seconds_lost > 1.5:
            self.end("game over", "over")
        elif self.hero and self.director.is_done and self.level is LEVELS[-1]:
            self.end("the world is saved!", "fanfare")
        elif self.hero and self.director.is_done:
            self.game.load(Play(self.game, self.number + 1))

    def end(self, heading: str, sound: str) -> None:
        """Keep the score, and propose another game."""
        play(sound)
        tally.end()
        self.game.scenes.push(Overlay(self.game, heading, self.game.begin))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, and what the player must know."""
        draw_place(surface, self.level.place)
        draw_hud(surface, self.hero.get(), self.director)


class Overlay(Scene):
    """Words over the play, which stands still, for it gets no updates: a pause, or the end."""

    is_overlay = True

    def __init__(self, game: Game, heading: str, go_on: Callable[[], object]) -> None:
        """Take what it says, and what is done to go on."""
        self.game = game
        self.heading = heading
        self.go_on = go_on
        self.seconds = 0.0

    def update(self, dt: float) -> None:
        """Count the seconds."""
        self.seconds += dt

    def handle_event(self, event: pygame.Event) -> None:
        """Go on, or leave; but at first a key was meant for a jump."""
        wanted = wish(event) if self.seconds > 0.5 else ""
        if wanted in {"go on", "pause"}:
            self.go_on()
        elif wanted == "leave":
            self.game.load(Title(self.game))

    def draw(self, surface: pygame.Surface) -> None:
        """Darken the play, and say what to press."""
        surface.fill((96, 90, 110), special_flags=pygame.BLEND_RGB_MULT)
        write(surface, self.heading, 112, scale=3)
        write(surface, f"score {tally.score}   best {tally.best}", 154, GOLD)
        write(surface, "Return: play   Esc: title", 176, GREY)
