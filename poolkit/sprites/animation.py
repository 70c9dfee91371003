"""Sequences of images that belong to a life: a walk, an explosion, a coin that turns.

An animated sprite costs nothing between two images: it has no timer and no update of its own. Those
that change at the same time and speed form a cohort, and cohorts queue by the time they are due.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import inf
from operator import attrgetter
from random import randrange
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pygame

from poolkit.core.clock import ROUNDING
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.seams import frame_callbacks

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.context import SystemContext


class Animation(IPoolableComponent):
    """Shows a sequence of images, from the first one in each life of its sprite.

    It goes by the time that pools are updated by, at any frame rate. The sprite keeps its anchor
    and its rotation; the rect takes the size of each image.

    Args:
        frames: The images, upright. Load them once: all sprites share them.
        fps: How many of them are shown in a second.
        loop: Whether to begin again after the last one, or stop there.
        then: What to do after a single run, when the last image has had its time: ``"kill"``, or a
            function to call. With it, the animation doesn't loop.
        start: The image with which a life begins, counted from 0; ``"random"``: any.

    Raises:
        TypeError: `frames` aren't surfaces, or `then` can't be called.
        ValueError: `fps` isn't a number above 0, or there is no image number `start`.
    """

    def __init__(
        self,
        frames: Iterable[pygame.Surface],
        fps: float,
        *,
        loop: bool = True,
        then: Literal["kill"] | Callable[[], object] | None = None,
        start: int | Literal["random"] = 0,
    ) -> None:
        self._reel = self._first = _checked_reel(frames, fps)
        if then is not None and then != "kill" and not callable(then):
            message = f'then= is "kill" or a function to call, not {then!r}'
            raise TypeError(message)
        places = range(len(self._first.frames))
        if start != "random" and start not in places:
            message = f'start= is "random" or a frame from 0 to {places[-1]}, not {start!r}'
            raise ValueError(message)
        self._loops = loop and then is None
        self._then = then
        self._start = start
        self._place = 0  # of the frame that is shown
        self._is_done = False
        self._cancel_end: Callable[[], object] = int  # does nothing
        self._clock: Any = None
        self._queues: _Queues = {}  # poolkit: kept
        self._cohort: _Cohort | None = None  # while it runs

    @property
    def done(self) -> bool:
        """Whether a single run is over, the time of its last image included."""
        return self._is_done

    def play(self, frames: Iterable[pygame.Surface], fps: float | None = None) -> None:
        """Show other frames for the rest of this life, the first one at once.

        If these frames are playing already, they go on, at another speed if `fps` says so. A single
        run that is over begins again.

        Args:
            frames: The images, upright.
            fps: How many are shown in a second; `None`: as many as before.

        Raises:
            PoolError: The sprite isn't alive.
            TypeError: `frames` aren't surfaces.
            ValueError: `fps` isn't a number above 0.
        """
        record = self.sprite._pool_record
        if record is None or not record.active:
            message = f"{self.sprite!r} is not alive: call play() in spawned() or later"
            raise PoolError(message)
        now = self._reel
        reel = _checked_reel(frames, now.fps if fps is None else fps)
        if reel.frames != now.frames or self._is_done:
            self._begin(reel, 0)
        elif reel != now:
            self._begin(reel, self._place)

    def awake(self) -> None:
        """Find the clock of its system."""
        context = self.sprite._pool_record.context
        self._clock = context.clock
        self._queues = context.extras.setdefault(Animation, {})

    def spawned(self) -> None:
        """Begin with the first image, or the one that `start` says."""
        count, start = len(self._first.frames), self._start
        self._begin(self._first, randrange(count) if start == "random" else start)  # noqa: S311

    def _stop(self) -> None:
        if self._cohort is not None:
            del self._cohort[self]
            self._cohort = None

    despawned = destroyed = _stop  # Ctrl-C may end a life without its `despawned`

    def _begin(self, reel: _Reel, place: int) -> None:
        """Show a frame now, and the next ones when they are due."""
        self._stop()
        self._cancel_end()
        self._reel, self._place, self._is_done = reel, place, False
        frames, fps = reel
        if not self._loops:
            self._cancel_end = self.scope.after((len(frames) - place) / fps, self._end)
        self.sprite._show(frames[place])
        if len(frames) > 1:
            self._cohort = _cohort_at(self._clock.base + 1 / fps, self._queues, fps)
            self._cohort[self] = None

    def _advance(self, steps: int) -> None:
        """Show the frame that is so many steps further on."""
        sprite = self.sprite
        if sprite._pool_record is None:  # it was detached
            self._stop()
            return
        frames, place = self._reel.frames, self._place + steps
        if place >= len(frames):
            place = place % len(frames) if self._loops else len(frames) - 1
        self._place = place
        sprite._show(frames[place])

    def _end(self) -> None:
        """Stop at the last frame."""
        self._stop()
        self._is_done = True
        last = len(self._reel.frames) - 1
        if self._place != last:  # the update was long
            self._place = last
            self.sprite._show(self._reel.frames[last])
        if callable(self._then):
            self._then()
        elif self._then is not None:
            self.sprite.kill()

    def __repr__(self) -> str:
        """Return ``<Animation(8 frames, 12 fps)>``."""
        return f"<Animation({len(self._reel.frames)} frames, {self._reel.fps:g} fps)>"


class _Reel(NamedTuple):
    frames: tuple[pygame.Surface, ...]
    fps: float


def _checked_reel(frames: Iterable[pygame.Surface], fps: float) -> _Reel:
    images = tuple(frames) if isinstance(frames, Iterable) else ()
    if not images or not all(isinstance(image, pygame.Surface) for image in images):
        message = f"an Animation takes a list of one or more surfaces, not {frames!r}"
        raise TypeError(message)
    if not isinstance(fps, int | float) or not 0 < fps < inf:
        message = f"fps is a number of frames a second, above 0, not {fps!r}"
        raise ValueError(message)
    return _Reel(images, fps)


# -- what is due ------------------------------------------------------------------------------


class _Cohort(dict[Animation, None]):
    """Animations that change at the same time."""

    __slots__ = ("due",)

    due: float  # by the clock, in seconds


_Queues = dict[float, deque[_Cohort]]
"""The cohorts of a system by their speed, in each queue by the time they are due."""


def _cohort_at(due: float, queues: _Queues, fps: float) -> _Cohort:
    """Return the cohort that is due then: the last of its queue, nearly always, or a new one."""
    queue = queues.setdefault(fps, deque())
    place = len(queue)
    while place and queue[place - 1].due > due + ROUNDING:
        place -= 1
        if not queue[place]:  # all have stopped, perhaps before the clock began again
            del queue[place]
    if not place or queue[place - 1].due < due - ROUNDING:
        queue.insert(place, _Cohort())
        queue[place].due = due
        place += 1
    return queue[place - 1]


def _advance_all(context: SystemContext) -> None:
    """Advance all animations of a system that are due."""
    queues: _Queues = context.extras.get(Animation, {})
    until = context.clock.now + ROUNDING
    errors = ErrorCollector()
    for fps, queue in list(queues.items()):
        due = []
        while queue and queue[0].due <= until:
            due.append(queue.popleft())
        for cohort in due:
            steps = int((until - cohort.due) * fps) + 1
            cohort.due += steps / fps
            for animation in list(cohort):
                try:
                    animation._advance(steps)
                except BaseException as error:
                    errors.add(error, f"in an animation of {animation.sprite!r}")
        # Sort: one that has skipped frames may be due after others now.
        queue.extend(sorted(filter(None, due), key=attrgetter("due")))
        if not queue:
            del queues[fps]
    errors.raise_all("animations raised")


frame_callbacks.append(_advance_all)
