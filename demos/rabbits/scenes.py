"""The scenes: title, play, and what covers the play, a pause or the end of the game."""

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
from rabbits.menus import Best, Menu, Settings, draw_table, option
from rabbits.scenery import build, draw_backdrop
from rabbits.sound import dim_music, play_music
from rabbits.stage import GROUND, GROUPS, HIGH, LENGTH, WIDE, camera, enemies, world
from rabbits.tally import MOST_LIVES, RULES, tally
from rabbits.waves import LEVELS, Director, level
from rabbits.window import Window
from rabbits.words import KEYS, announce, banner, key_name, lesson
from shared.menu import Item, choice, wish
from shared.pictures import both_ways, frames, picture


class Game:
    """The player, the present scene, and the loading of the next one."""

    def __init__(self, player: Player, window: Window | None = None) -> None:
        self.player = player
        self.window = window  # `None`: nothing is drawn, as when bots play
        self.scenes = SceneManager()
        self.load(Title(self))

    def load(self, scene: Scene) -> None:
        """Leave all scenes and load another, a little in each frame."""
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
        """Load the next scene, or let time pass in the present one."""
        self.progress = next(self.loading, None)
        if self.progress is None:
            self.scenes.update(dt)
        self.player.taps.clear()  # menus don't use them

    def draw(self, canvas: pygame.Surface) -> None:
        """Draw the present scene, or the loading bar and a dinosaur that runs along it."""
        if self.progress is None:
            self.scenes.draw(canvas)
            return
        canvas.fill("#141020")
        write(canvas, "charging phones", top=150)
        bar, share = pygame.Rect(WIDE // 2 - 80, 136, 160, 8), self.progress.fraction
        draw_bar(canvas, bar, share, GREEN)
        runner = frames("rabbits/dinosaur", 11)[3 + int(share * 40) % 4]
        canvas.blit(runner, (bar.left + bar.width * share - 20, bar.top - 37))


def advance(dt: float, x: float) -> None:
    """Let time pass for timers, sprites, bodies and the camera, which looks at `x`.

    Scenes call this, not the loop, so a scene stands still while another covers it.
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
    """Draw a place and all that lives there, where the camera looks."""
    draw_backdrop(surface, place)
    for group in GROUPS:
        group.draw(surface, camera.offset)


class Title(Menu):
    """The name of the game, before a meadow in which rabbits hop about."""

    name, top = "title", 134

    def make_items(self) -> Sequence[Item]:
        """Return the lines; the endless mode is one of them once the story has been won."""
        game, pages = self.game, self.game.scenes.push
        endless = [choice("endless mode", lambda: game.begin(len(LEVELS)))]
        return [
            choice("play", game.begin),
            *(endless if kept.farthest >= len(LEVELS) else []),
            option("difficulty", "difficulty", [rules.name for rules in RULES]),
            choice("options", lambda: pages(Settings(game))),
            choice("best games", lambda: pages(Best(game))),
            choice("leave", self.leave),
        ]

    def leave(self) -> None:
        """Leave the game."""
        pygame.event.post(pygame.Event(pygame.QUIT))

    def enter(self) -> None:
        """Let a few rabbits out. Without a dinosaur, they hop about at random."""
        play_music("title")
        build("meadow")
        pools.spawn_many("small", [(x, GROUND - 20) for x in range(190, 640, 90)])

    def update(self, dt: float) -> None:
        """Let the rabbits hop."""
        super().update(dt)
        advance(dt, LENGTH / 2)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the meadow, the hero and a foe, the name of the game, and the lines."""
        draw_place(surface, "meadow")
        hero, foe = frames("rabbits/dinosaur", 11)[0], both_ways("rabbits/big", 4)[-1][0]
        surface.blit(pygame.transform.scale_by(hero, 3), (26, GROUND - 106))
        surface.blit(pygame.transform.scale_by(foe, 2), (366, GROUND - 94))
        surface.blit(picture("rabbits/title"), (75, 16))
        lines = pygame.Rect(165, self.top - 6, 150, 15 * len(self.choices.items) + 10)
        surface.fill("#544c68", lines, pygame.BLEND_RGB_MULT)
        self.choices.draw(surface)
        write(surface, f"best {kept.best}   F11: full screen", GREY, bottom=HIGH - 4)


class Play(Scene):
    """A level: waves of rabbits come, and the player commands the dinosaur."""

    def __init__(self, game: Game, number: int = 0) -> None:
        self.game = game
        self.number = number
        self.level = level(number)
        # The capacity profile uses this name. In the endless mode, any rabbit may come anywhere.
        self.name = self.level.place if number < len(LEVELS) else "endless"
        self.seconds_lost = 0.0  # since the last life was lost
        self.score_before = tally.score

    def enter(self) -> None:
        """Build the place. The loading screen has prespawned all rabbits that come."""
        play_music(self.level.place)
        build(self.level.place, self.level.ledges)
        tally.level = self.level.title
        # The scene outlives its hero, so it keeps a handle, which knows when that life is over.
        hero = pools.spawn(dinosaur, (LENGTH / 2, GROUND - 18), grip=self.level.grip)
        self.hero = hero.handle()
        self.looked_at = LENGTH / 2
        announce("")
        self.director = Director(self.level)
        self.scope.start(self.director.run())  # ends with the scene

    def exit(self) -> None:
        """Keep the score, wherever the player goes next."""
        tally.keep()

    def again(self) -> None:
        """Begin this level once more, with the score from before it."""
        tally.score, tally.lives = self.score_before, tally.rules.lives
        tally.retries += 1
        self.game.load(Play(self.game, self.number))

    def next(self) -> None:
        """Begin the next level."""
        self.game.load(Play(self.game, self.number + 1))

    def handle_event(self, event: pygame.Event) -> None:
        """Pause when asked to, and when the player looks elsewhere or pulls a plug."""
        if wish(event) in {"pause", "leave", "away"}:
            self.game.scenes.push(Pause(self.game, self))

    def update(self, dt: float) -> None:
        """Let time pass, and check whether the level or the game is over."""
        tally.seconds += dt
        if hero := self.hero.get():
            hero.commands = self.game.player.commands()
            self.looked_at = hero.position.x + 60 * hero.facing
        else:
            self.seconds_lost += dt
            dt *= 0.4  # slow motion for the fall
        advance(dt, self.looked_at)
        if self.seconds_lost > 2.4:
            self.end("game over", "over")
        elif self.hero and self.director.is_done:
            kept.farthest = max(kept.farthest, self.number + 1)
            tally.lives = min(max(tally.rules.lives, tally.lives) + 1, MOST_LIVES)  # a rest
            if self.number + 1 == len(LEVELS):
                self.end("the world is saved!", "victory")
            else:
                self.next()

    def end(self, heading: str, music: str) -> None:
        """Show how it went, and offer another game."""
        tally.keep()
        play_music(music, loops=0)
        self.game.scenes.push(Ending(self.game, self, heading))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, and what the player must know until it ends."""
        draw_place(surface, self.level.place)
        if not isinstance(self.game.scenes.scene, Ending):
            draw_hud(surface, self.hero.get(), self.director)


class Pause(Menu):
    """The play stands still until the player goes on."""

    heading, place = "paused", pygame.Rect(60, 20, 360, 190)

    def __init__(self, game: Game, level: Play) -> None:
        self.level = level
        super().__init__(game)

    def make_items(self) -> Sequence[Item]:
        """Return what can be done."""
        scenes = self.game.scenes
        return [
            choice("go on", scenes.pop),
            choice("this level again", self.level.again),
            choice("options", lambda: scenes.push(Settings(self.game))),
            choice("title", self.leave),
        ]

    def leave(self) -> None:
        """Go back to the title."""
        self.game.load(Title(self.game))

    def enter(self) -> None:
        """Play the music softly."""
        dim_music(0.3)

    def exit(self) -> None:
        """Play it as before."""
        dim_music(1)

    def handle_event(self, event: pygame.Event) -> None:
        """Go on by the keys that paused, too."""
        if wish(event) in {"pause", "leave"}:
            self.game.scenes.pop()
        else:
            super().handle_event(event)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the lines, and what each key does."""
        super().draw(surface)
        keys = "   ".join(f"{action}: {key_name(action)}" for action in KEYS)
        write(surface, keys, GREY, top=170)
        others = "the mouse aims and throws   on a pad: A jumps, X throws"
        write(surface, others, GREY, top=186)


class Ending(Menu):
    """The game is over. Clicks, and keys pressed too soon, were meant for the play."""

    place, top = pygame.Rect(50, 2, 380, 266), 218
    patience, takes_clicks = 1.5, False

    def __init__(self, game: Game, level: Play, heading: str) -> None:
        self.level = level
        self.heading = heading
        self.said = ""  # where the picture was saved
        super().__init__(game)

    def make_items(self) -> Sequence[Item]:
        """Return how to go on."""
        on = choice("this level again", self.level.again)
        if tally.lives:
            on = choice("go on: endless mode", self.level.next)
        return [on, choice("title", self.leave)]

    def leave(self) -> None:
        """Go back to the title."""
        self.game.load(Title(self.game))

    def handle_event(self, event: pygame.Event) -> None:
        """Save the picture, or do what a line says."""
        super().handle_event(event)
        if event.type == pygame.KEYDOWN and event.key == pygame.K_s:
            self.said = kept.save_picture(self.picture, f"rabbits-{tally.score}")

    def draw(self, surface: pygame.Surface) -> None:
        """Show how the game went, and its place in the table."""
        super().draw(surface)
        score = f"{tally.score} points   {tally.level}, {tally.rules.name}"
        write(surface, score, GOLD, top=54)
        time = "{}:{:02}".format(*divmod(int(tally.seconds), 60))
        facts = f"{time}   {tally.hits / max(tally.thrown, 1):.0%} accuracy"
        write(surface, f"{facts}   {tally.rabbits} rabbits   {tally.retries} retries", top=66)
        draw_table(surface, 82)
        self.picture = surface.copy()
        said = self.said or "S: save this as a picture"
        write(surface, said, GREY, top=250)
