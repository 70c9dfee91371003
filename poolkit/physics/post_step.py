"""The game's post-step callbacks: each called once, whatever another one raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pymunk

__all__ = ["PostStep"]


class PostStep:
    """Steps a space, and gathers what its post-step callbacks raise.

    pymunk alone leaves out those that follow, and calls all of them again after the next step;
    where one adds another it can't go on.
    """

    __slots__ = ("_calls", "_errors", "_space")

    def __init__(self, space: pymunk.Space, errors: list[BaseException]) -> None:
        """Gather into `errors`."""
        self._space = space
        self._errors = errors
        self._calls: dict[Any, _Once] | None = None

    def step(self, seconds: float) -> None:
        """Make one step."""
        space = self._space
        callbacks = space._post_step_callbacks
        waiting = dict(callbacks)
        callbacks.clear()
        space.add_post_step_callback(self._take_over, self)  # before all others
        callbacks.update(waiting)
        self._calls = None
        try:
            space.step(seconds)
        except BaseException as error:
            callbacks.pop(self, None)
            if self._calls is None:
                self._errors.append(error)  # pymunk's own: there was no step
                return
            # It walked over its callbacks while one added another, which is for the next step.
            for key, call in self._calls.items():
                call(space)
                del callbacks[key]

    def _take_over(self, space: pymunk.Space, key: object) -> None:
        """Put each callback into a guard. The keys stay: pymunk is walking over them."""
        callbacks = space._post_step_callbacks
        calls = self._calls = {
            other: _Once(callback, self._errors)
            for other, callback in callbacks.items()
            if other is not key
        }
        callbacks.update(calls)


class _Once:
    __slots__ = ("_callback", "_errors")

    def __init__(
        self, callback: Callable[[pymunk.Space], None], errors: list[BaseException]
    ) -> None:
        self._callback: Callable[[pymunk.Space], None] | None = callback
        self._errors = errors

    def __call__(self, space: pymunk.Space) -> None:
        callback, self._callback = self._callback, None
        if callback is None:
            return
        try:
            callback(space)
        except BaseException as error:
            self._errors.append(error)
