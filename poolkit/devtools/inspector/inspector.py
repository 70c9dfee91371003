"""An overlay for any game that shows its pools and its frames while it is played."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pygame

from poolkit.core.context import TimeWatcher
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.inspector.controls import Controls
from poolkit.devtools.inspector.frame_times import FrameTimes
from poolkit.devtools.inspector.listing import Listing
from poolkit.devtools.inspector.panel import GRAPH_WIDTH, Panel

if TYPE_CHECKING:
    from poolkit.core.statistics import SceneReport

__all__ = ["Inspector"]

_FOLLOW = 12  # frames from one look for new pools to the next


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
    it collected.

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

    __slots__ = (
        "_controls",
        "_drawn_at",
        "_frame",
        "_listing",
        "_panel",
        "_probe",
        "_shown",
        "_systems",
        "_times",
        "_watcher",
        "key",
    )

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
        self._panel = Panel(self._systems, self._listing, self._times)
        self._controls = Controls(self._listing, self._panel)
        self._watcher = _SceneWatcher(self)
        self._frame = 0
        self._drawn_at = 0.0
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
        if shown:
            self._controls.begin(self.key)
            self._probe.start()
            for system in self._systems:
                system._context.watch_time(self._watcher)
            self.clear()
        else:
            self._controls.end()
            self._probe.stop()
            self._probe.take()
            for system in self._systems:
                system._context.unwatch_time(self._watcher)

    def handle_event(self, event: pygame.Event) -> bool:
        """Take one of pygame's events.

        Returns:
            Whether it was the inspector's own: the game had better ignore it then.
        """
        if event.type == pygame.KEYDOWN and self._controls.is_toggle(event, self.key):
            self.shown = not self._shown
            return True
        return self._controls.handle(event, shown=self._shown)

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
        latest = self._times.add(seconds, self._probe.take(), pooling=pooling)
        if self._frame % _FOLLOW == 0:
            self._listing.follow()
        self._listing.refresh(self._frame)
        self._panel.draw(surface, latest, self._frame)
        self._frame += 1

    def clear(self) -> None:
        """Forget frames, collections and memory, as when a level has been loaded.

        It does so by itself when a scene ends (`PoolingSystem.reset`). The frame under way does
        not count.
        """
        self._probe.take()
        self._times.clear()
        self._listing.follow()
        self._listing.begin_scene()
        self._panel.begin_scene()

    def __repr__(self) -> str:
        """Return ``<Inspector(num_pools=4, shown=True)>``."""
        count = sum(len(system.all_pools()) for system in self._systems)
        return f"<{type(self).__name__}(num_pools={count}, shown={self._shown})>"


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

    def scene_ended(self, report: SceneReport) -> None:  # noqa: ARG002 - the figures are read live
        self._inspector.clear()
