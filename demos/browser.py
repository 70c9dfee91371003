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
from shared.loop import open_window, parse_options, save_screenshot
from shared.menu import wish
from shared.pictures import ASSETS, picture
from shared.window import Window

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


class Browser:
    """Cards in rows, one of which is chosen."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.demos = find_demos()
        self.names = list(self.demos)
        self.summaries = {name: summary_of(path) for name, path in self.demos.items()}
        self.chosen = 0
        self.running = True
        self.pads: list[pygame.joystick.JoystickType] = []

    def place(self, number: int) -> pygame.Rect:
        """Return where a picture is: as many rows above as needed to see the chosen one."""
        row, column = divmod(number, COLUMNS)
        first = max(0, self.chosen // COLUMNS - 1)
        left = (WIDE - COLUMNS * CARD[0] - (COLUMNS - 1) * GAP) // 2
        return pygame.Rect(left + column * (CARD[0] + GAP), TOP + (row - first) * ROW, *CARD)

    def handle_event(self, event: pygame.Event) -> str:
        """Choose another card, or return the name of the demo to be played."""
        wanted = wish(event)
        if event.type == pygame.QUIT or wanted == "leave":
            self.running = False
        elif event.type == pygame.JOYDEVICEADDED:
            self.pads.append(pygame.joystick.Joystick(event.device_index))
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
            self.window.switch_full()
        elif wanted in STEPS:
            number = self.chosen + STEPS[wanted]
            self.chosen = number if 0 <= number < len(self.names) else self.chosen
        elif wanted == "go on":
            return self.names[self.chosen]
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            position = self.window.to_canvas(event.pos)
            for number, name in enumerate(self.names):
                if self.place(number).collidepoint(position):
                    self.chosen = number
                    return name if getattr(event, "button", 0) == pygame.BUTTON_LEFT else ""
        return ""

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Show the cards until one leaves; what a demo is told on the command line goes to it."""
    options = parse_options("browser", __doc__, arguments)
    passed = sys.argv[1:] if arguments is None else list(arguments)
    window = open_window("poolkit: demos", SIZE, headless=options.headless)
    pygame.joystick.init()
    browser, clock, frames = Browser(window), pygame.Clock(), 0
    while browser.running and frames != (options.frames or (1 if window.is_headless else None)):
        for event in pygame.event.get():
            if name := browser.handle_event(event):
                window.window.hide()  # the demo has a window of its own
                subprocess.call([sys.executable, str(browser.demos[name]), *passed])  # noqa: S603 - ours
                window.window.show()
                pygame.event.clear()
        browser.draw(window.canvas)
        window.paint()
        window.flip()
        clock.tick(60)
        frames += 1
    if options.screenshot:
        save_screenshot(window.canvas, options.screenshot)
    pygame.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
