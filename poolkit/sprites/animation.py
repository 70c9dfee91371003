"""`Animation`: plays a sequence of images on a pooled sprite.

An animated sprite costs nothing between two images: it has no timer and no update of its own. Those
that change at the same time and speed share a bucket, and buckets queue by the time they are due.
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
        self._sequence = self._first = _checked_sequence(frames, fps)
        if then is not None and then != "kill" and not callable(then):
            message = f'then= is "kill" or a function to call, not {then!r}'
            raise TypeError(message)
        indices = range(len(self._first.frames))
        if start != "random" and start not in indices:
            message = f'start= is "random" or a frame from 0 to {indices[-1]}, not {start!r}'
            raise ValueError(message)
        self._loops = loop and then is None
        self._then = then
        self._start = start
        self._index = 0  # of the frame that is shown
        self._is_done = False
        self._cancel_end: Callable[[], object] = int  # does nothing
        self._clock: Any = None
        self._queues: _DueQueues = {}  # poolkit: kept
        self._bucket: _DueBucket | None = None  # while it runs

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
        now = self._sequence
        sequence = _checked_sequence(frames, now.fps if fps is None else fps)
        if sequence.frames != now.frames or self._is_done:
            self._begin(sequence, 0)
        elif sequence != now:
            self._begin(sequence, self._index)

    def awake(self) -> None:
        """Find the clock of its system."""
        context = self.sprite._pool_record.context
        self._clock = context.clock
        self._queues = context.extras.setdefault(Animation, {})

    def spawned(self) -> None:
        """Begin with the first image, or the one that `start` says."""
        count, start = len(self._first.frames), self._start
        self._begin(self._first, randrange(count) if start == "random" else start)  # noqa: S311

    def despawned(self) -> None:
        """Stop."""
        if self._bucket is not None:
            # A checkpoint may have undone the life without its hooks.
            self._bucket.pop(self, None)
            self._bucket = None

    _stop = despawned  # a subclass may have a `despawned` of its own

    def destroyed(self) -> None:
        """Stop too: Ctrl-C may end a life without its `despawned`."""
        self._stop()

    def _begin(self, sequence: _FrameSequence, index: int) -> None:
        """Show a frame now, and the next ones when they are due."""
        self._stop()
        self._cancel_end()
        self._sequence, self._index, self._is_done = sequence, index, False
        frames, fps = sequence
        if not self._loops:
            self._cancel_end = self.scope.after((len(frames) - index) / fps, self._end)
        self.sprite._show(frames[index])
        if len(frames) > 1:
            self._bucket = _bucket_at(self._clock.base + 1 / fps, self._queues, fps)
            self._bucket[self] = None

    def _advance(self, steps: int) -> None:
        """Show the frame that is so many steps further on."""
        sprite = self.sprite
        if sprite._pool_record is None:  # it was detached
            self._stop()
            return
        frames, index = self._sequence.frames, self._index + steps
        if index >= len(frames):
            index = index % len(frames) if self._loops else len(frames) - 1
        self._index = index
        sprite._show(frames[index])

    def _end(self) -> None:
        """Stop at the last frame."""
        self._stop()
        self._is_done = True
        last = len(self._sequence.frames) - 1
        if self._index != last:  # the update was long
            self._index = last
            self.sprite._show(self._sequence.frames[last])
        if callable(self._then):
            self._then()
        elif self._then is not None:
            self.sprite.kill()

    def __repr__(self) -> str:
        """Return ``<Animation(8 frames, 12 fps)>``."""
        return f"<Animation({len(self._sequence.frames)} frames, {self._sequence.fps:g} fps)>"


class _FrameSequence(NamedTuple):
    frames: tuple[pygame.Surface, ...]
    fps: float


def _checked_sequence(frames: Iterable[pygame.Surface], fps: float) -> _FrameSequence:
    images = tuple(frames) if isinstance(frames, Iterable) else ()
    if not images or not all(isinstance(image, pygame.Surface) for image in images):
        message = f"an Animation takes a list of one or more surfaces, not {frames!r}"
        raise TypeError(message)
    if not isinstance(fps, int | float) or not 0 < fps < inf:
        message = f"fps is a number of frames a second, above 0, not {fps!r}"
        raise ValueError(message)
    return _FrameSequence(images, fps)


# -- what is due ------------------------------------------------------------------------------


class _DueBucket(dict[Animation, None]):
    """Animations that change at the same time."""

    __slots__ = ("due",)

    due: float  # by the clock, in seconds


_DueQueues = dict[float, deque[_DueBucket]]
"""The buckets of a system by their speed, in each queue by the time they are due."""


def _bucket_at(due: float, queues: _DueQueues, fps: float) -> _DueBucket:
    """Return the bucket that is due then: the last of its queue, nearly always, or a new one."""
    queue = queues.setdefault(fps, deque())
    index = len(queue)
    while index and queue[index - 1].due > due + ROUNDING:
        index -= 1
        if not queue[index]:  # all have stopped, perhaps before the clock began again
            del queue[index]
    if not index or queue[index - 1].due < due - ROUNDING:
        queue.insert(index, _DueBucket())
        queue[index].due = due
        index += 1
    return queue[index - 1]


def _advance_all(context: SystemContext) -> None:
    """Advance all animations of a system that are due."""
    queues: _DueQueues = context.extras.get(Animation, {})
    until = context.clock.now + ROUNDING
    errors = ErrorCollector()
    for fps, queue in list(queues.items()):
        due = []
        while queue and queue[0].due <= until:
            due.append(queue.popleft())
        for bucket in due:
            steps = int((until - bucket.due) * fps) + 1
            bucket.due += steps / fps
            for animation in list(bucket):
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
