"""Lines to choose from, with keys, mouse or pad."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pygame

from shared.letters import outlined

LINE = 15  # pixels from one line to the next
GOLD, GREY = "#ffe45c", "#b8c0d0"
KEYS = {
    pygame.K_RETURN: "go on",
    pygame.K_KP_ENTER: "go on",
    pygame.K_SPACE: "go on",
    pygame.K_p: "pause",
    pygame.K_ESCAPE: "leave",
    pygame.K_LEFT: "left",
    pygame.K_RIGHT: "right",
    pygame.K_UP: "up",
    pygame.K_DOWN: "down",
}
HATS = {(-1, 0): "left", (1, 0): "right", (0, 1): "up", (0, -1): "down"}
BUTTONS = {6: "leave", 7: "pause"}  # of a pad; all others go on
STEPS = {"left": -1, "right": 1, "go on": 0}


def wish(event: pygame.Event) -> str:
    """Return what an event asks of a menu, or of the game around the play; usually nothing."""
    if event.type == pygame.KEYDOWN:
        return KEYS.get(event.key, "")
    if event.type == pygame.JOYBUTTONDOWN:
        return BUTTONS.get(event.button, "go on")
    if event.type == pygame.JOYHATMOTION:
        return HATS.get(event.value, "")
    if event.type == pygame.WINDOWFOCUSLOST and not pygame.key.get_focused():
        return "away"  # else it came back at once, as when the screen was switched
    return "away" if event.type == pygame.JOYDEVICEREMOVED else ""


@dataclass
class Item:
    """A line: what it says now, and what it does (-1, 1: another value; 0: it was chosen)."""

    says: Callable[[], str]
    acts: Callable[[int], object]


def choice(says: str, acts: Callable[[], object]) -> Item:
    """Return a line that can be chosen, and has no values."""
    return Item(lambda: says, lambda step: None if step else acts())


class Choices:
    """Lines below each other, one of which is the chosen one."""

    def __init__(self, items: Sequence[Item], middle: int, top: int) -> None:
        """Take the lines, and where the middle of the first one's top is."""
        self.items, self.middle, self.top = items, middle, top
        self.chosen = 0

    def handle_event(self, event: pygame.Event, *, clicks: bool = True) -> None:
        """Choose another line, or do what the chosen one says."""
        wanted = wish(event)
        if wanted in {"up", "down"}:
            self.chosen = (self.chosen + (1 if wanted == "down" else -1)) % len(self.items)
        elif wanted in STEPS:
            self.items[self.chosen].acts(STEPS[wanted])
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            x, y = event.pos
            number = int((y - self.top) // LINE)
            if 0 <= number < len(self.items) and abs(x - self.middle) < 120:
                self.chosen = number
                if clicks and getattr(event, "button", 0) == pygame.BUTTON_LEFT:
                    self.items[number].acts(0)

    def draw(self, surface: pygame.Surface) -> None:
        """Write the lines."""
        for number, item in enumerate(self.items):
            is_chosen = number == self.chosen
            text = f"> {item.says()} <" if is_chosen else item.says()
            image = outlined(text, GOLD if is_chosen else GREY)
            surface.blit(image, image.get_rect(midtop=(self.middle, self.top + LINE * number)))
