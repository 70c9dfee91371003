"""An overlay for any game that shows its pools and its frames while it is played."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pygame

from poolkit.core import PoolingSystem, pools
from poolkit.core.context import TimeWatcher
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.inspector.figures import FrameTimes, Listing
from poolkit.devtools.inspector.panel import GRAPH_WIDTH, Panel

if TYPE_CHECKING:
    from poolkit.core import SceneReport

__all__ = ["Inspector"]

_FOLLOW = 12  # frames from one look for new pools to the next
_DESKTOPS = pygame.KMOD_ALT | pygame.KMOD_META  # Alt+F4 closes the window


class Inspector:
    """Shows the pools of a game and how long its frames take, on top of the game's own picture.

    Two lines in the game's loop, and nothing else::

        inspector = Inspector()
        while running:
            for event in pygame.event.get():
                if inspector.handle_event(event):
                    continue
                ...
            ...
            inspector.draw(screen)
            pygame.display.flip()

    A row a pool: what is alive of how many it may be, a cell an instance, the figures of
    `PrefabPool.stats` below. What a spawn has to make because none was at rest flashes. Above, a
    bar a frame; the part that the garbage collector took has the colour of the generation that
    it collected. Below that, how many more blocks of memory Python holds (about one an object)
    than when the scene began, or the inspector was shown.

    The key shows and hides it. While it is shown, the next two function keys sort (with Shift:
    backwards) and filter, Page Up, Page Down, Home, End and the mouse wheel scroll, and a click on
    a column's name sorts by it. While hidden it does nothing, nor does the collector's probe run.

    Attributes:
        key: The key that shows and hides it.

    Examples:
        >>> inspector = Inspector(PoolingSystem(), key=pygame.K_F5)
        >>> inspector.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_F5))
        True
        >>> inspector.shown
        True
        >>> inspector.draw(pygame.Surface((640, 360)))
        >>> inspector.shown = False
    """

    def __init__(
        self,
        system: PoolingSystem | Iterable[PoolingSystem] = pools,
        *,
        key: int = pygame.K_F2,
        shown: bool = False,
    ) -> None:
        """Look at a system, or at several.

        Args:
            system: The pooling system, or several, whose pools are then numbered.
            key: The key that shows and hides it, one of pygame's constants.
            shown: Whether it is shown to begin with.

        Raises:
            TypeError: `system` is none and holds none, or `key` is no constant of pygame's.
        """
        self._systems = _systems_in(system)
        if not isinstance(key, int):
            message = f"key must be one of pygame's constants, as pygame.K_F2, not {key!r}"
            raise TypeError(message)
        self.key = key
        self._probe = CollectorProbe()
        self._times = FrameTimes(GRAPH_WIDTH)
        self._listing = Listing(self._systems)
        self._panel = Panel(self._listing, self._times)
        self._watcher = _SceneWatcher(self)
        self._frame = 0
        self._drawn_at = 0.0
        self._is_editing = False
        self._keys_down: set[int] = set()
        self._buttons_down: set[int] = set()
        self._shown = False
        self.shown = shown

    @property
    def shown(self) -> bool:
        """Whether it is on the screen. Assign it to show or hide it."""
        return self._shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        self._is_editing = False
        if shown:
            self._probe.start()
            for system in self._systems:
                system._context.watch_time(self._watcher)
            self.clear()
        else:
            self._probe.stop()
            self._probe.take()
            for system in self._systems:
                system._context.unwatch_time(self._watcher)
            self._listing.forget()

    def draw(self, surface: pygame.Surface, frame_seconds: float | None = None) -> None:
        """Draw it on the right of `surface`, if it is shown. Call it once a frame, last.

        Args:
            surface: The game's screen, or a part of it (`Surface.subsurface`).
            frame_seconds: How long the work of the latest frame took, if the game measures it;
                otherwise the graph shows the time from one call to the next.
        """
        if not self._shown:
            return
        now = time.perf_counter()
        seconds = now - self._drawn_at if frame_seconds is None else frame_seconds
        self._drawn_at = now
        pooling = all(system._context.pooling for system in self._systems)
        self._times.add(seconds, self._probe.take(), pooling=pooling)
        if self._frame % _FOLLOW == 0:
            self._listing.follow()
        self._listing.read(self._frame)
        warning = "" if pooling else "pooling off"
        if self._systems and all(system._context.closed for system in self._systems):
            warning = "disposed"
        self._panel.draw(surface, self._frame, warning, self._hints(), editing=self._is_editing)
        self._frame += 1

    def clear(self) -> None:
        """Forget frames, collections and memory, as when a level has been loaded.

        It does so by itself when a scene ends (`PoolingSystem.reset`). The frame under way does
        not count.
        """
        self._probe.take()
        self._times.clear()
        self._listing.forget()  # and what flashes
        self._listing.follow()
        self._panel.redraw()

    def __repr__(self) -> str:
        """Return ``<Inspector(num_pools=4, shown=True)>``."""
        count = sum(len(system.all_pools()) for system in self._systems)
        return f"<{type(self).__name__}(num_pools={count}, shown={self._shown})>"

    # -- events -------------------------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> bool:
        """Take one of pygame's events.

        Returns:
            Whether it was the inspector's own: the game had better ignore it then.
        """
        kind = event.type
        # What is down stays ours until it is up, also when the panel is hidden meanwhile.
        if kind == pygame.KEYUP and event.key in self._keys_down:
            self._keys_down.discard(event.key)
            return True
        if kind == pygame.MOUSEBUTTONUP and event.button in self._buttons_down:
            self._buttons_down.discard(event.button)
            return True
        if kind == pygame.KEYDOWN:
            is_ours = self._key_did(event)
            if is_ours:
                self._keys_down.add(event.key)
        elif not self._shown:
            return False
        elif kind in {pygame.TEXTINPUT, pygame.TEXTEDITING}:
            is_ours = self._is_editing
        else:
            is_ours = self._mouse_did(event)
        if is_ours:
            self._panel.redraw()
        return is_ours

    def _key_did(self, event: pygame.Event) -> bool:
        key, mod = event.key, getattr(event, "mod", 0)
        if not mod & _DESKTOPS:
            # A letter that shows and hides it is written into the filter all the same.
            if key == self.key and not (self._is_editing and _letter(event)):
                self.shown = not self._shown
                return True
            if self._shown and self._moves(key, mod):
                return True
        return self._is_editing and self._types(event)

    def _moves(self, key: int, mod: int) -> bool:
        """Sort, filter or scroll, if that is what a key is for."""
        listing = self._listing
        page = max(1, listing.room - 1)
        scrolls = {
            pygame.K_PAGEUP: -page,
            pygame.K_PAGEDOWN: page,
            pygame.K_HOME: -len(listing.rows),
            pygame.K_END: len(listing.rows),
        }
        sort_key, filter_key = self._function_keys()
        if key == sort_key:
            listing.sort_by_next(-1 if mod & pygame.KMOD_SHIFT else 1)
        elif key == filter_key:
            self._is_editing = not self._is_editing
        elif key in scrolls:
            listing.scroll(scrolls[key])
        else:
            return False
        return True

    def _types(self, event: pygame.Event) -> bool:
        """Take a key into the filter: while that is typed, every key is ours."""
        needle = self._listing.needle
        if event.key in {pygame.K_RETURN, pygame.K_KP_ENTER}:
            self._is_editing = False
        elif event.key == pygame.K_ESCAPE:
            self._is_editing = False
            self._listing.filter_by("")
        elif event.key == pygame.K_BACKSPACE:
            self._listing.filter_by(needle[:-1])
        elif letter := _letter(event):
            self._listing.filter_by(needle + letter)
        return True

    def _mouse_did(self, event: pygame.Event) -> bool:
        area = self._panel.area
        if event.type == pygame.MOUSEWHEEL:
            if pygame.display.get_init() and area.collidepoint(pygame.mouse.get_pos()):
                self._listing.scroll(-event.y)
                return True
            return False
        if event.type != pygame.MOUSEBUTTONDOWN or not area.collidepoint(event.pos):
            return False
        self._buttons_down.add(event.button)
        if event.button == pygame.BUTTON_LEFT:
            column = self._panel.column_at(event.pos)
            if column is not None:
                self._listing.sort_by(column)
            elif self._panel.is_foot(event.pos):
                self._is_editing = True
        return True

    def _function_keys(self) -> tuple[int, int]:
        """Return the keys that sort and filter: the two after its own, if that is one of these."""
        if pygame.K_F1 <= self.key <= pygame.K_F10:
            return self.key + 1, self.key + 2
        return pygame.K_F3, pygame.K_F4

    def _hints(self) -> tuple[tuple[str, str], ...]:
        if self._is_editing:
            return ("enter", "keep"), ("esc", "clear")
        sort_key, filter_key = self._function_keys()
        return (
            (_name(self.key), "hide"),
            (_name(sort_key), f"sort: {self._listing.sort}"),
            (_name(filter_key), "filter"),
        )


def _letter(event: pygame.Event) -> str:
    """Return what a key writes; nothing, if it is none that writes."""
    letter: str = getattr(event, "unicode", "")
    return letter if letter.isprintable() else ""


def _name(key: int) -> str:
    name = pygame.key.name(key)
    return name.upper() if name.startswith("f") else name


def _systems_in(what: object) -> tuple[PoolingSystem, ...]:
    systems = (what,) if isinstance(what, PoolingSystem) else what
    if not isinstance(systems, Iterable):
        systems = (what,)
    systems = tuple(systems)
    for system in systems:
        if not isinstance(system, PoolingSystem):
            message = f"the inspector shows a PoolingSystem, or several in a list, not {system!r}"
            raise TypeError(message)
    return systems


class _SceneWatcher(TimeWatcher):
    """Tells an inspector that a scene has ended."""

    def __init__(self, inspector: Inspector) -> None:
        self._inspector = inspector

    def scene_ended(self, report: SceneReport) -> None:
        del report  # the figures are read live
        self._inspector.clear()
