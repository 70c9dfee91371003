"""The scenes: title, play, and what is laid over the play, a pause or the end of the game."""

from collections.abc import Sequence

import pygame

from poolkit import pools
from poolkit.scenes import Scene, SceneManager
from rabbits.art import GOLD, GREEN, GREY, draw_bar, write
from rabbits.boss import Boss
from rabbits.controls import Player
from rabbits.dinosaur import dinosaur
from rabbits.hud import draw_hud
from rabbits.kept import kept
from rabbits.menus import Best, Menu, Settings, draw_table
from rabbits.scenery import build, draw_backdrop
from rabbits.sound import dim_music, play_music
from rabbits.stage import GROUND, GROUPS, HIGH, LENGTH, WIDE, camera, enemies, world
from rabbits.tally import MOST_LIVES, RULES, tally
from rabbits.waves import LEVELS, director, level
from rabbits.words import KEYS, announce, banner, key_name, lesson
from shared.menu import Item, choice, wish
from shared.pictures import both_ways, frames, picture
from shared.window import Window


class Game:
    """The player, the current scene, and how far the next one is loaded."""

    def __init__(self, player: Player, window: Window | None = None) -> None:
        self.player = player
        self.window = window  # `None` if nobody looks, as when bots play
        self.scenes = SceneManager()
        self.load(Title(self))

    def load(self, scene: Scene) -> None:
        """Leave all scenes, and begin another once it is loaded, a little in each frame."""
        self.loading = self.scenes.loading(scene, self.player.patience)

    def begin(self, number: int = 0) -> None:
        """Begin a game, at the first level or at another."""
        tally.begin()
        self.load(Play(self, number))

    def switch_full(self) -> None:
        """Take the whole screen, or give it back."""
        if self.window is not None:
            self.window.switch_full()
            kept.options.full = self.window.is_full

    def update(self, dt: float) -> None:
        """Let time pass: in loading the next scene, or in the present one."""
        self.progress = next(self.loading, None)
        if self.progress is None:
            self.scenes.update(dt)
        self.player.taps.clear()  # menus don't use them

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

    Scenes call it, not the loop, so a scene stands still while another covers it.
    """
    camera.held -= dt
    if camera.held > 0:
        return
    pools.update(dt)
    for group in GROUPS:
        group.update(dt)
    world.step(dt)
    bosses = [enemy.position.x for enemy in enemies if isinstance(enemy, Boss)]
    camera.update(dt, x, bosses[0] if bosses else None)
    banner.update(dt)
    lesson.update(dt)


def draw_place(surface: pygame.Surface, place: str) -> None:
    """Draw a place and all that lives there, as the camera sees it."""
    draw_backdrop(surface, place)
    for group in GROUPS:
        group.draw(surface, camera.offset)


class Title(Menu):
    """The name of the game, before a meadow in which rabbits hop about."""

    name, top = "title", 134

    def make_items(self) -> Sequence[Item]:
        """Return the lines, with the endless mode once the story has been won."""
        game, pages = self.game, self.game.scenes.push
        endless = choice("endless mode", lambda: game.begin(len(LEVELS)))
        return [
            choice("play", game.begin),
            *([endless] if kept.farthest >= len(LEVELS) else []),
            Item(lambda: f"difficulty: {RULES[kept.options.difficulty].name}", self.change_rules),
            choice("options", lambda: pages(Settings(game))),
            choice("best games", lambda: pages(Best(game))),
            choice("leave", self.leave),
        ]

    def change_rules(self, step: int) -> None:
        """Make the game harder or easier."""
        kept.options.difficulty = (kept.options.difficulty + (step or 1)) % len(RULES)
        kept.save()

    def leave(self) -> None:
        """Leave the game."""
        pygame.event.post(pygame.Event(pygame.QUIT))

    def enter(self) -> None:
        """Let a few rabbits out. Where there is no dinosaur, they don't know where to go."""
        play_music("title")
        build("meadow")
        pools.spawn_many("small", [(x, GROUND - 20) for x in range(190, 640, 90)])

    def update(self, dt: float) -> None:
        """Let them hop."""
        super().update(dt)
        advance(dt, LENGTH / 2)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the meadow, the hero and a foe, the name, and what there is to choose."""
        draw_place(surface, "meadow")
        hero, foe = frames("rabbits/dinosaur", 11)[0], both_ways("rabbits/big", 4)[-1][0]
        surface.blit(pygame.transform.scale_by(hero, 3), (26, GROUND - 106))
        surface.blit(pygame.transform.scale_by(foe, 2), (366, GROUND - 94))
        surface.blit(picture("rabbits/title"), (75, 16))
        lines = pygame.Rect(0, 0, 150, 15 * len(self.choices.items) + 10)
        lines.midtop = WIDE // 2, self.top - 6
        shade = pygame.Surface(lines.size, pygame.SRCALPHA)
        shade.fill((28, 22, 48, 150))
        surface.blit(shade, lines)
        self.choices.draw(surface)
        write(surface, f"best {kept.best}   F11: full screen", HIGH - 18, GREY)


class Play(Scene):
    """A level: the waves come, and the dinosaur is told what to do."""

    def __init__(self, game: Game, number: int = 0) -> None:
        self.game = game
        self.number = number
        self.level = level(number)
        # By which the capacity profile knows it. Without an end, anybody may come anywhere.
        self.name = self.level.place if number < len(LEVELS) else "endless"
        self.seconds_lost = 0.0  # since the last life was
        self.score_before = tally.score

    def enter(self) -> None:
        """Build the place. The loading screen has prespawned everybody who comes."""
        play_music(self.level.place)
        build(self.level.place, self.level.ledges)
        tally.level = self.level.title
        # A scene outlives its hero, and so it keeps a handle: to that life, and to no other.
        hero = pools.spawn(dinosaur, (LENGTH / 2, GROUND - 18), grip=self.level.grip)
        self.hero = hero.handle()
        self.looked_at = LENGTH / 2
        announce("")
        self.director = pools.spawn(director, level=self.level)

    def exit(self) -> None:
        """Keep the score, wherever the player goes from here."""
        tally.keep()

    def again(self) -> None:
        """Begin this level once more, with the score that there was before."""
        tally.score, tally.lives = self.score_before, tally.rules.lives
        tally.retries += 1
        self.game.load(Play(self.game, self.number))

    def handle_event(self, event: pygame.Event) -> None:
        """Pause when asked to, and when the player looks elsewhere or pulls a plug."""
        if wish(event) in {"pause", "leave", "away"}:
            self.game.scenes.push(Pause(self.game, self))

    def update(self, dt: float) -> None:
        """Let everybody live on, and see whether the level or the game is over."""
        tally.seconds += dt
        if hero := self.hero.get():
            hero.commands = self.game.player.commands()
            self.looked_at = hero.position.x + 60 * hero.facing
        else:
            self.seconds_lost += dt
            dt *= 0.4  # slowly, for the fall to be seen
        advance(dt, self.looked_at)
        if self.seconds_lost > 2.4:
            self.end("game over", "over")
        elif self.hero and self.director.is_done:
            kept.farthest = max(kept.farthest, self.number + 1)
            tally.lives = min(max(tally.rules.lives, tally.lives) + 1, MOST_LIVES)  # a rest
            if self.number + 1 == len(LEVELS):
                self.end("the world is saved!", "victory")
            else:
                self.game.load(Play(self.game, self.number + 1))

    def end(self, heading: str, music: str) -> None:
        """Show how it went, and offer another game."""
        tally.keep()
        play_music(music, loops=0)
        self.game.scenes.push(Ending(self.game, self, heading))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, and what the player must know."""
        draw_place(surface, self.level.place)
        draw_hud(surface, self.hero.get(), self.director)


class Pause(Menu):
    """The play stands still until the player comes back."""

    heading, place = "paused", pygame.Rect(60, 20, 360, 190)

    def __init__(self, game: Game, level: Play) -> None:
        self.level = level
        super().__init__(game)

    def make_items(self) -> Sequence[Item]:
        """Return what can be done."""
        return [
            choice("go on", self.leave),
            choice("this level again", self.level.again),
            choice("options", lambda: self.game.scenes.push(Settings(self.game))),
            choice("title", lambda: self.game.load(Title(self.game))),
        ]

    def enter(self) -> None:
        """Play the music softly."""
        dim_music(0.3)

    def exit(self) -> None:
        """Play it as before."""
        dim_music(1)

    def handle_event(self, event: pygame.Event) -> None:
        """Go on by the key that paused; leave for the title by Escape."""
        if wish(event) == "pause":
            self.leave()
        elif wish(event) == "leave":
            self.game.load(Title(self.game))
        else:
            super().handle_event(event)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the lines, and which key does what."""
        super().draw(surface)
        names = [f"{action}: {key_name(action)}" for action in KEYS]
        write(surface, "   ".join(names), 170, GREY)
        write(surface, "the mouse aims and throws   on a pad: A jumps, X throws", 186, GREY)


class Ending(Menu):
    """The game is over. Keys that were meant for the play, and clicks, don't end it."""

    place, top = pygame.Rect(50, 2, 380, 266), 222
    patience, takes_clicks = 1.5, False

    def __init__(self, game: Game, level: Play, heading: str) -> None:
        self.level = level
        self.heading = heading
        self.said = ""  # where the picture is
        super().__init__(game)

    def make_items(self) -> Sequence[Item]:
        """Return how to go on."""
        game, number = self.game, self.level.number
        title = choice("title", lambda: game.load(Title(game)))
        if tally.lives:
            on = choice("go on: endless mode", lambda: game.load(Play(game, number + 1)))
            return [on, title]
        return [choice("this level again", self.level.again), title]

    def leave(self) -> None:
        """Go back to the title."""
        self.game.load(Title(self.game))

    def handle_event(self, event: pygame.Event) -> None:
        """Save the picture, or take an answer."""
        super().handle_event(event)
        if event.type == pygame.KEYDOWN and event.key == pygame.K_s:
            self.said = kept.save_picture(self.picture, f"rabbits-{tally.score}")

    def draw(self, surface: pygame.Surface) -> None:
        """Show how the game went, and its place among the best."""
        super().draw(surface)
        write(surface, f"{tally.score} points   {tally.level}, {tally.rules.name}", 56, GOLD)
        minutes, share = divmod(int(tally.seconds), 60), tally.hits / max(tally.thrown, 1)
        facts = ["{}:{:02}".format(*minutes), f"{share:.0%} accuracy"]
        facts += [f"{tally.rabbits} rabbits", f"{tally.retries} retries"]
        write(surface, "   ".join(facts), 68)
        draw_table(surface, 84)
        self.picture = surface.copy()
        write(surface, self.said or "S: save this as a picture", 251, GREY)
