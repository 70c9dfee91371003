"""An overlay for any game that shows its pools and its frames while it is played."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import pygame

from poolkit.core import PoolingSystem, pools
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.inspector.figures import SORTS, FrameTimes, Listing
from poolkit.devtools.inspector.panel import GRAPH_WIDTH, Panel

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
        self._systems = tuple(system) if isinstance(system, Iterable) else (system,)
        for each in self._systems:
            if not isinstance(each, PoolingSystem):
                message = f"the inspector shows a PoolingSystem, or several in a list, not {each!r}"
                raise TypeError(message)
        if not isinstance(key, int):
            message = f"key must be one of pygame's constants, as pygame.K_F2, not {key!r}"
            raise TypeError(message)
        self.key = key
        is_function_key = pygame.K_F1 <= key <= pygame.K_F10
        self._sort_key = key + 1 if is_function_key else pygame.K_F3
        self._filter_key = self._sort_key + 1
        self._probe = CollectorProbe()
        self._times = FrameTimes(GRAPH_WIDTH)
        self._listing = Listing(self._systems)
        keys = self.key, self._sort_key, self._filter_key
        self._panel = Panel(self._listing, self._times, keys)
        self._drawn_at = 0.0
        self._held: set[tuple[object, object]] = set()  # keys and buttons that are ours until up
        self._hooks: list[Callable[[], None]] = []  # what takes off those on the systems' resets
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
        self._listing.is_editing = False
        for take_off in self._hooks:
            take_off()
        if shown:
            self._probe.start()
            self._hooks = [system.on_reset(self.clear) for system in self._systems]
        else:
            self._probe.stop()
        self.clear()

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
        is_over = self._systems and all(system._context.closed for system in self._systems)
        warning = "disposed" if is_over else "" if pooling else "pooling off"
        self._panel.draw(surface, warning)

    def clear(self) -> None:
        """Forget frames, collections and memory, as when a level has been loaded.

        It does so by itself when a scene ends (`PoolingSystem.reset`). The frame under way does
        not count.
        """
        self._probe.take()
        self._times.clear()
        # And what flashes; a pool that the game has forgotten is to be freed.
        self._listing.all, self._listing.rows = [], []
        self._panel.redraw()

    def __repr__(self) -> str:
        """Return ``<Inspector(num_pools=4, shown=True)>``."""
        count = sum(len(system.all_pools()) for system in self._systems)
        return f"<{type(self).__name__}(num_pools={count}, shown={self._shown})>"

    # -- events -------------------------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> bool:
        """Take one of pygame's events.

        Returns:
            Whether it was the inspector's own, which the game had better ignore.
        """
        kind = event.type
        what = event.dict.get("key"), event.dict.get("button")
        if kind in {pygame.KEYUP, pygame.MOUSEBUTTONUP}:
            # What went down is ours until it is up, also when the panel is hidden meanwhile.
            is_ours = what in self._held
            self._held.discard(what)
            return is_ours
        if kind == pygame.KEYDOWN:
            is_ours = self._take_key(event)
        elif kind in {pygame.TEXTINPUT, pygame.TEXTEDITING}:
            is_ours = self._listing.is_editing
        else:
            is_ours = self._shown and self._take_mouse(event)
        if is_ours:
            self._held.add(what)
            self._panel.redraw()
        return is_ours

    def _take_key(self, event: pygame.Event) -> bool:
        listing, key, mod = self._listing, event.key, event.dict.get("mod", 0)
        letter = event.dict.get("unicode", "")
        is_typed = listing.is_editing and letter and letter.isprintable()
        if not (is_typed or mod & _DESKTOPS):  # what is typed may be the key, too
            if key == self.key:
                self.shown = not self._shown
                return True
            if self._shown and self._moves(key, backwards=bool(mod & pygame.KMOD_SHIFT)):
                return True
        if not listing.is_editing:
            return False
        # While the filter is typed, every key is ours.
        if is_typed:
            listing.needle += letter
        elif key == pygame.K_BACKSPACE:
            listing.needle = listing.needle[:-1]
        elif key == pygame.K_ESCAPE:
            listing.needle = ""
        listing.is_editing = key not in {pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_ESCAPE}
        return True

    def _moves(self, key: int, *, backwards: bool) -> bool:
        """Sort, filter or scroll, if that is what a key is for."""
        listing = self._listing
        page, end = max(1, listing.room - 1), len(listing.rows)
        scrolls = {
            pygame.K_PAGEUP: -page,
            pygame.K_PAGEDOWN: page,
            pygame.K_HOME: -end,
            pygame.K_END: end,
        }
        if key == self._sort_key:
            place = SORTS.index(listing.sort) + (-1 if backwards else 1)
            listing.sort, listing.reverse = SORTS[place % len(SORTS)], False
        elif key == self._filter_key:
            listing.is_editing = not listing.is_editing
        elif key in scrolls:
            listing.scroll(scrolls[key])
        else:
            return False
        return True

    def _take_mouse(self, event: pygame.Event) -> bool:
        area, listing = self._panel.area, self._listing
        if event.type == pygame.MOUSEWHEEL:
            is_here = pygame.display.get_init() and area.collidepoint(pygame.mouse.get_pos())
            if is_here:
                listing.scroll(-event.y)
            return is_here
        if event.type != pygame.MOUSEBUTTONDOWN or not area.collidepoint(event.pos):
            return False
        if event.button == pygame.BUTTON_LEFT:
            control = self._panel.control_at(event.pos)
            if control == "filter":
                listing.is_editing = True
            elif control:
                listing.reverse = control == listing.sort and not listing.reverse
                listing.sort = control
        return True
