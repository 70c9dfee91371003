"""Menus over a scene that stands still: the options, the keys, the best games."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pygame

from poolkit.scenes import Scene
from rabbits.art import GOLD, GREY, write
from rabbits.kept import kept
from rabbits.sound import dim_music
from rabbits.stage import WIDE
from rabbits.tally import tally
from rabbits.words import KEYS, key_name, keys_for
from shared.menu import Choices, Item, choice, wish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rabbits.scenes import Game


VOLUMES = [*map(str, range(11))]


class Menu(Scene):
    """Lines to choose from, over a scene that gets no updates, and so stands still."""

    is_overlay = True
    place = pygame.Rect(120, 20, 240, 230)
    heading = ""
    top = 96  # of its first line
    patience = 0.0  # seconds before its lines can be chosen
    takes_clicks = True

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seconds = 0.0
        self.choices = Choices(self.make_items(), WIDE // 2, self.top)

    def make_items(self) -> Sequence[Item]:
        """Return its lines."""
        raise NotImplementedError

    def leave(self) -> None:
        """Go back to what is below."""
        kept.save()
        self.game.scenes.pop()

    def update(self, dt: float) -> None:
        """Count the seconds."""
        self.seconds += dt

    def handle_event(self, event: pygame.Event) -> None:
        """Choose a line, change its value, or leave."""
        if self.seconds < self.patience:
            return
        if wish(event) == "leave":
            self.leave()
        else:
            self.choices.handle_event(event, clicks=self.takes_clicks)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw a panel; write the lines on it once they can be chosen."""
        surface.fill((110, 100, 130), special_flags=pygame.BLEND_RGB_MULT)
        surface.fill("#584c78", self.place)
        surface.fill("#1c1630", self.place.inflate(-4, -4))
        write(surface, self.heading, scale=3, top=self.place.top + 14)
        if self.seconds >= self.patience:
            self.choices.draw(surface)


def option(says: str, name: str, values: Sequence[str] = ("off", "on")) -> Item:
    """Return a line for an option, whose value is the number of one of these."""

    def say() -> str:
        return f"{says}: {values[getattr(kept.options, name) % len(values)]}"

    def act(step: int) -> None:
        now = getattr(kept.options, name)
        setattr(kept.options, name, type(now)((now + (step or 1)) % len(values)))
        dim_music(1)  # a new volume is heard at once
        kept.save()

    return Item(say, act)


class Settings(Menu):
    """The options."""

    heading = "options"

    def make_items(self) -> Sequence[Item]:
        """Return a line for each of them."""
        return [
            option("music", "music", VOLUMES),
            option("sound", "sound", VOLUMES),
            option("mute", "mute"),
            replace(option("full screen", "full"), acts=lambda _step: self.game.switch_full()),
            option("screen shake", "shake"),
            option("flashes", "flash"),
            choice("keys", lambda: self.game.scenes.push(Keys(self.game))),
            choice("back", self.leave),
        ]


class Keys(Menu):
    """What each key does, and how to change that."""

    heading = "keys"
    asked = ""  # the action that gets the next key

    def make_items(self) -> Sequence[Item]:
        """Return a line for each action."""

        def line(action: str) -> Item:
            def ask(_step: int) -> None:
                self.asked = action

            def say() -> str:
                return f"{action}: {'press a key' if self.asked == action else key_name(action)}"

            return Item(say, ask)

        back = choice("the usual keys", kept.keys.clear), choice("back", self.leave)
        return [*map(line, KEYS), *back]

    def handle_event(self, event: pygame.Event) -> None:
        """Take a key for the action, unless it is one that menus use."""
        if not self.asked:
            super().handle_event(event)
        elif event.type == pygame.KEYDOWN:
            asked, self.asked = self.asked, ""
            if event.key == pygame.K_SPACE or wish(event) in {"", "left", "right", "up", "down"}:
                others = [action for action in KEYS if event.key in keys_for(action)]
                kept.keys[asked] = event.key
                # Another action that had it gets the next key.
                self.asked = next((action for action in others if action != asked), "")


class Best(Menu):
    """The ten best games."""

    heading, top = "best games", 222
    place = pygame.Rect(70, 4, 340, 242)

    def make_items(self) -> Sequence[Item]:
        """Return the only line."""
        return [choice("back", self.leave)]

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the table as well."""
        super().draw(surface)
        draw_table(surface, 72)


def draw_table(surface: pygame.Surface, top: int) -> None:
    """Write the ten best games, with the present one in gold."""
    for number, entry in enumerate(kept.table):
        color, y = GOLD if entry is tally.entry else GREY, top + 13 * number
        write(surface, f"{number + 1}", color, topright=(100, y))
        write(surface, f"{entry.score}", color, topright=(160, y))
        write(surface, entry.level, color, topleft=(176, y))
        write(surface, "{}:{:02}".format(*divmod(entry.seconds, 60)), color, topright=(330, y))
        write(surface, entry.difficulty, color, topleft=(346, y))
    if not kept.table:
        write(surface, "none yet", GREY, top=top + 50)
