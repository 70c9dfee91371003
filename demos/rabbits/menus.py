"""Menus over what stands still: the options, the keys, the best games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from poolkit.scenes import Scene
from rabbits.art import GOLD, GREY, write
from rabbits.kept import kept
from rabbits.sound import dim_music
from rabbits.stage import WIDE
from rabbits.tally import tally
from rabbits.words import KEYS, key_name
from shared.letters import outlined
from shared.menu import Choices, Item, choice, wish

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rabbits.scenes import Game


class Menu(Scene):
    """Lines to choose from, over what is below: that stands still, for it gets no updates."""

    is_overlay = True
    place = pygame.Rect(120, 20, 240, 230)
    heading = ""
    top = 96  # of its first line
    patience = 0.0  # seconds before it takes an answer
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
        """Choose a line, change it, or leave."""
        if self.seconds < self.patience:
            return
        if wish(event) == "leave":
            self.leave()
        else:
            self.choices.handle_event(event, clicks=self.takes_clicks)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw a panel, and write the lines on it, as soon as they may be chosen."""
        surface.fill((110, 100, 130), special_flags=pygame.BLEND_RGB_MULT)
        surface.fill("#584c78", self.place)
        surface.fill("#1c1630", self.place.inflate(-4, -4))
        write(surface, self.heading, self.place.top + 14, scale=3)
        if self.seconds >= self.patience:
            self.choices.draw(surface)


def option(says: str, name: str, most: int = 1) -> Item:
    """Return a line for an option: a number from 0 up to `most`, or on and off."""

    def say() -> str:
        now = getattr(kept.options, name)
        return f"{says}: {('off', 'on')[now] if isinstance(now, bool) else now}"

    def act(step: int) -> None:
        now = getattr(kept.options, name)
        setattr(kept.options, name, type(now)((now + (step or 1)) % (most + 1)))
        dim_music(1)  # a new volume is heard at once

    return Item(say, act)


class Settings(Menu):
    """The options."""

    heading = "options"

    def make_items(self) -> Sequence[Item]:
        """Return a line for each of them."""
        return [
            option("music", "music", 10),
            option("sound", "sound", 10),
            option("mute", "mute"),
            Item(self.say_full, lambda _step: self.game.switch_full()),
            option("screen shake", "shake"),
            option("flashes", "flash"),
            choice("keys", lambda: self.game.scenes.push(Keys(self.game))),
            choice("back", self.leave),
        ]

    def say_full(self) -> str:
        """Return whether the whole screen is taken."""
        return f"full screen: {('off', 'on')[kept.options.full]}"


class Keys(Menu):
    """Which key does what, and how to change that."""

    heading = "keys"
    asked = ""  # for which action a key is awaited

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
        """Take the awaited key, unless menus use it."""
        if not self.asked:
            super().handle_event(event)
        elif event.type == pygame.KEYDOWN:
            if wish(event) in {"", "left", "right", "up", "down"}:
                kept.keys[self.asked] = event.key
            self.asked = ""


class Best(Menu):
    """The ten best games."""

    heading, top = "best games", 236
    place = pygame.Rect(70, 10, 340, 250)

    def make_items(self) -> Sequence[Item]:
        """Return the only line."""
        return [choice("back", self.leave)]

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the table as well."""
        super().draw(surface)
        draw_table(surface, 74)


def draw_table(surface: pygame.Surface, top: int) -> None:
    """Write the ten best games, this one in gold."""
    for number, entry in enumerate(kept.table):
        clock = f"{entry.seconds // 60}:{entry.seconds % 60:02}"
        color, y = GOLD if entry is tally.entry else GREY, top + 14 * number
        for text, x in ((f"{number + 1}", 100), (f"{entry.score}", 160), (clock, 330)):
            image = outlined(text, color)
            surface.blit(image, image.get_rect(topright=(x, y)))
        surface.blit(outlined(entry.level, color), (176, y))
        surface.blit(outlined(entry.difficulty, color), (346, y))
    if not kept.table:
        write(surface, "none yet", top + 50, GREY)
