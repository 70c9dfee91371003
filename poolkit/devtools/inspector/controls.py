"""The inspector's keys and mouse: which events are its own, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    from poolkit.devtools.inspector.listing import Listing
    from poolkit.devtools.inspector.panel import Panel

__all__ = ["Controls"]

_DESKTOPS = pygame.KMOD_ALT | pygame.KMOD_META  # Alt+F4 closes the window


class Controls:
    """Sorts, filters and scrolls a listing as keys and mouse say."""

    def __init__(self, listing: Listing, panel: Panel) -> None:
        """Control `listing`, which is shown on `panel`."""
        self._listing = listing
        self._panel = panel
        self._keys_down: set[int] = set()
        self._buttons_down: set[int] = set()
        self._mouse: tuple[int, int] | None = None
        self._sort_key, self._filter_key = pygame.K_F3, pygame.K_F4

    def begin(self, key: int) -> None:
        """Begin, as the panel is shown by `key`: the two function keys after it are ours too."""
        if pygame.K_F1 <= key <= pygame.K_F10:
            self._sort_key, self._filter_key = key + 1, key + 2
        else:
            self._sort_key, self._filter_key = pygame.K_F3, pygame.K_F4
        self._mouse = None
        self._hide_key = key
        self._say_hints()

    def end(self) -> None:
        """End, as the panel is hidden. Keys that are still down stay ours until they are up."""
        self._panel.editing = False

    def is_toggle(self, event: pygame.Event, key: int) -> bool:
        """Tell whether a key that goes down shows or hides the panel."""
        if event.key != key or getattr(event, "mod", 0) & _DESKTOPS:
            return False
        if self._panel.editing and _letter(event):
            return False  # it is written into the filter
        self._keys_down.add(key)
        return True

    def handle(self, event: pygame.Event, *, shown: bool) -> bool:
        """Take an event; return whether it was ours."""
        kind = event.type
        if kind == pygame.KEYUP and event.key in self._keys_down:
            self._keys_down.discard(event.key)
            return True
        if kind == pygame.MOUSEBUTTONUP and event.button in self._buttons_down:
            self._buttons_down.discard(event.button)
            return True
        if not shown:
            return False
        if kind == pygame.KEYDOWN:
            return self._key_down(event)
        if kind in {pygame.TEXTINPUT, pygame.TEXTEDITING}:
            return self._panel.editing
        return self._mouse_did(event)

    # -- keys ---------------------------------------------------------------------------------

    def _key_down(self, event: pygame.Event) -> bool:
        key, mod = event.key, getattr(event, "mod", 0)
        if not self._does(key, mod) and not self._types(event):
            return False
        self._keys_down.add(key)
        self._say_hints()
        return True

    def _does(self, key: int, mod: int) -> bool:
        listing = self._listing
        page = max(1, listing.room - 1)
        scrolls = {
            pygame.K_PAGEUP: -page,
            pygame.K_PAGEDOWN: page,
            pygame.K_HOME: -len(listing.rows),
            pygame.K_END: len(listing.rows),
        }
        if mod & _DESKTOPS:
            return False
        if key == self._sort_key:
            listing.sort_by_next(-1 if mod & pygame.KMOD_SHIFT else 1)
        elif key == self._filter_key:
            self._panel.editing = not self._panel.editing
        elif key in scrolls:
            listing.scroll(scrolls[key])
        else:
            return False
        return True

    def _types(self, event: pygame.Event) -> bool:
        """Take a key into the filter, if that is being typed: every key is ours then."""
        if not self._panel.editing:
            return False
        needle = self._listing.needle
        if event.key in {pygame.K_RETURN, pygame.K_KP_ENTER}:
            self._panel.editing = False
        elif event.key == pygame.K_ESCAPE:
            self._panel.editing = False
            self._listing.filter_by("")
        elif event.key == pygame.K_BACKSPACE:
            self._listing.filter_by(needle[:-1])
        elif letter := _letter(event):
            self._listing.filter_by(needle + letter)
        return True

    def _say_hints(self) -> None:
        if self._panel.editing:
            self._panel.hints = (("enter", "keep"), ("esc", "clear"))
        else:
            self._panel.hints = (
                (_name(self._hide_key), "hide"),
                (_name(self._sort_key), f"sort: {self._listing.sort}"),
                (_name(self._filter_key), "filter"),
            )
        self._panel.redraw()

    # -- mouse --------------------------------------------------------------------------------

    def _mouse_did(self, event: pygame.Event) -> bool:
        if event.type == pygame.MOUSEMOTION:
            self._mouse = event.pos
            return False  # a game may go on to aim
        if event.type == pygame.MOUSEWHEEL and self._is_inside(self._mouse_place()):
            self._listing.scroll(-event.y)
            self._panel.redraw()
            return True
        if event.type != pygame.MOUSEBUTTONDOWN or not self._is_inside(event.pos):
            return False
        self._mouse = event.pos
        self._buttons_down.add(event.button)
        if event.button == pygame.BUTTON_LEFT:
            self._click(event.pos)
        return True

    def _click(self, place: tuple[int, int]) -> None:
        column = self._panel.column_at(place)
        if column is not None:
            self._listing.sort_by(column)
        elif self._panel.is_foot(place):
            self._panel.editing = True
        self._say_hints()

    def _is_inside(self, place: tuple[int, int]) -> bool:
        return self._panel.area.collidepoint(place)

    def _mouse_place(self) -> tuple[int, int]:
        if self._mouse is None and pygame.display.get_init():
            return pygame.mouse.get_pos()
        return self._mouse or (-1, -1)


def _letter(event: pygame.Event) -> str:
    """Return what a key writes; nothing, if it is none that writes."""
    letter: str = getattr(event, "unicode", "")
    return letter if letter.isprintable() else ""


def _name(key: int) -> str:
    name = pygame.key.name(key)
    return name.upper() if name.startswith("f") else name
