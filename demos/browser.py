#!/usr/bin/env python3
"""All demos, each with a picture: choose one with keys, mouse or pad, and play it."""

import ast
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pygame

from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import Demo, leave, play
from shared.menu import wish
from shared.pictures import ASSETS, picture

SIZE = WIDE, HIGH = 1280, 680
CARD, GAP, TOP = (352, 198), 48, 58  # of a picture; the words are below it
COLUMNS, ROW = 3, 296
BRIGHT, TEXT, GOLD = (236, 240, 246), (158, 170, 190), (255, 228, 92)
GROUND, EMPTY = (18, 21, 30), (44, 52, 68)
STEPS = {"left": -1, "right": 1, "up": -COLUMNS, "down": COLUMNS}


def find_demos() -> dict[str, Path]:
    """Return the name and the program of each demo, the game first."""
    folder = Path(__file__).parent
    demos = {path.stem: path for path in folder.glob("*.py") if path != Path(__file__)}
    demos |= {path.parent.name: path for path in folder.glob("*/__main__.py")}
    return dict(sorted(demos.items(), key=lambda demo: (demo[0] != "rabbits", demo[0])))


def summary_of(program: Path) -> list[str]:
    """Return the first sentence of what a program says of itself, in lines that fit a card."""
    words = (ast.get_docstring(ast.parse(program.read_text("utf-8"))) or "").split("\n")[0]
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) > 37:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


class Browser(Demo):
    """Cards in rows, one of which is chosen."""

    self_play_frames = 1

    def __init__(self, chosen: int = 0) -> None:
        """Choose a card to begin with."""
        self.demos = find_demos()
        self.names = list(self.demos)
        self.summaries = {name: summary_of(path) for name, path in self.demos.items()}
        self.chosen = chosen
        self.is_played = False  # the chosen demo, as soon as the menu is left
        self.pads: list[pygame.joystick.JoystickType] = []

    def place(self, number: int) -> pygame.Rect:
        """Return where a picture is: as many rows above as needed to see the chosen one."""
        row, column = divmod(number, COLUMNS)
        first = max(0, self.chosen // COLUMNS - 1)
        left = (WIDE - COLUMNS * CARD[0] - (COLUMNS - 1) * GAP) // 2
        return pygame.Rect(left + column * (CARD[0] + GAP), TOP + (row - first) * ROW, *CARD)

    def play_chosen(self) -> None:
        """Leave the menu for the chosen demo."""
        self.is_played = True
        leave()

    def handle_event(self, event: pygame.Event) -> None:
        """Choose another card, or play the demo."""
        wanted = wish(event)
        if wanted == "leave":
            leave()
        elif event.type == pygame.JOYDEVICEADDED:
            self.pads.append(pygame.joystick.Joystick(event.device_index))
        elif wanted in STEPS:
            number = self.chosen + STEPS[wanted]
            self.chosen = number if 0 <= number < len(self.names) else self.chosen
        elif wanted == "go on":
            self.play_chosen()
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            for number in range(len(self.names)):
                if self.place(number).collidepoint(event.pos):
                    self.chosen = number
                    if getattr(event, "button", 0) == pygame.BUTTON_LEFT:
                        self.play_chosen()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the cards, and which key does what."""
        surface.fill(GROUND)
        draw_text(surface, "poolkit: demos", (self.place(0).left, 18), BRIGHT, scale=3)
        for number, name in enumerate(self.names):
            place, is_chosen = self.place(number), number == self.chosen
            if is_chosen:
                surface.fill(GOLD, place.inflate(8, 8))
            surface.fill(EMPTY, place)
            if (ASSETS / "demos" / f"{name}.png").is_file():
                surface.blit(picture(f"demos/{name}"), place)
            color = GOLD if is_chosen else BRIGHT
            lines = [(name, color), *((words, TEXT) for words in self.summaries[name])]
            for line, (words, shade) in enumerate(lines):
                top = place.bottom + 12 + 20 * line
                draw_text(surface, words, (place.left, top), shade, scale=2)
        keys = ("arrows", "choose"), ("enter", "play"), ("F11", "full screen"), ("esc", "leave")
        draw_keys(surface, keys, WIDE - 24, HIGH - 30)


def choose(arguments: Sequence[str], chosen: int) -> Browser:
    """Show the cards until one leaves them."""
    browser = Browser(chosen)
    play(lambda: browser, "browser", __doc__, SIZE, arguments)
    return browser


def main(arguments: Sequence[str] | None = None) -> int:
    """Play demos until one leaves; what the menu is told on the command line goes to them."""
    passed = sys.argv[1:] if arguments is None else list(arguments)
    browser = choose(passed, 0)
    while browser.is_played:
        program = browser.demos[browser.names[browser.chosen]]
        subprocess.call([sys.executable, str(program), *passed])  # noqa: S603 - ours
        browser = choose(passed, browser.chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
