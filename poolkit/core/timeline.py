"""How a pooling system goes through time: frames, scenes, and what is told of them."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any, Literal

from poolkit.core.clock import checked_seconds
from poolkit.core.component import DespawnReason
from poolkit.core.context import step_guards
from poolkit.core.ending import end_everything, no_life
from poolkit.core.errors import PoolError, raise_all
from poolkit.core.frame import frame_callbacks
from poolkit.core.spawner import Spawner
from poolkit.core.statistics import SceneReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.record import PoolablePrefabData

__all__ = ["Timeline"]

_SAMPLE_SECONDS = 0.25  # idle time and trimming need not be looked at more often


class Timeline(Spawner):
    """The part of a pooling system that lets time pass, and scenes end."""

    def __init__(self) -> None:
        """Begin the first scene."""
        super().__init__()
        self._reset_hooks: dict[object, Callable[[], object]] = {}
        self._scene_began = 0.0
        self._sampled = 0.0
        self._resetting = False

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: timers, delayed despawns, trimming. Call it once a frame.

        Raises:
            ValueError: `dt` is negative or not finite.
            BaseException: What timers raised, after all that was due was done.
        """
        checked_seconds(dt, "update()")
        context = self._context
        for watcher in context.time_watchers:
            watcher.updating(dt)
        before = context.clock.now
        errors: list[BaseException] = []
        if context.cooling:
            context.release_cooling(errors)
        try:
            context.clock.advance(dt)
        except BaseException as error:
            errors.append(error)
        self._sampled += dt
        if self._sampled >= _SAMPLE_SECONDS:
            self._sampled = 0.0
            for pool in self.all_pools():
                try:
                    pool.pass_time(before)
                except BaseException as error:
                    errors.append(error)
        for callback in frame_callbacks:
            callback()
        raise_all("update() is complete, but calls raised", errors)

    def report(self) -> SceneReport:
        """Return the figures since the last reset."""
        self._context.clock.warn_if_forgotten()
        seconds = self._context.clock.now - self._scene_began
        reports = tuple(pool.report(seconds) for pool in self._all.values())
        return SceneReport(seconds, reports, self._context.scene)

    def configure(
        self,
        *,
        pooling: bool | None = None,
        reuse: Literal["at_once", "next_update"] | None = None,
        report_at_exit: bool | None = None,
    ) -> None:
        """Change switches; what is not named stays as it is.

        Args:
            pooling: `False` builds and destroys an instance for each life, to compare; what is at
                rest is destroyed.
            reuse: ``"next_update"`` keeps what is despawned in a frame from being handed out
                before the next `update`. What waits so holds no place of a pool at its limit:
                what is made meanwhile is destroyed as the surplus that it is.
            report_at_exit: Whether the report is printed when the process ends.

        Raises:
            ValueError: `reuse` is none of the two.
        """
        if reuse not in {None, "at_once", "next_update"}:
            message = f"reuse must be 'at_once' or 'next_update', not {reuse!r}"
            raise ValueError(message)
        if reuse is not None:
            self._context.reuse = reuse
        if report_at_exit is not None:
            atexit.unregister(self._print_report)
            if report_at_exit:
                atexit.register(self._print_report)
        if pooling is not None:
            self._context.pooling = bool(pooling)
        errors: list[BaseException] = []
        self._context.retune()
        for pool in self.all_pools() if pooling is False else ():
            pool.destroy_resting(errors)
        raise_all("destroying what was at rest", errors)

    # -- scenes -------------------------------------------------------------------------------

    def reset(self) -> SceneReport:
        """End every life that is not persistent, and destroy what is pooled: the scene is over.

        Hooks run. Prefabs, names, settings and `PrefabPool`s stay. Safe to call twice.

        Returns:
            The figures of the scene, as it ended.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when the reset is complete.
        """
        return self._end_scene("reset()", DespawnReason.RESET, keep_persistent=True)

    def dispose(self) -> SceneReport:
        """Reset, persistent instances included, for good: a later spawn is refused.

        A later despawn is ignored.

        Raises:
            PoolError: It is called inside a hook or a physics step; or hooks go on spawning.
            BaseException: What hooks raised, when all is done.
        """
        return self._end_scene("dispose()", DespawnReason.DISPOSED, keep_persistent=False)

    def on_reset(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` whenever a reset is done; the function returned removes it."""
        key = object()
        self._reset_hooks[key] = fn

        def remove() -> None:
            self._reset_hooks.pop(key, None)

        return remove

    def refuse_if_busy(self, what: str) -> None:
        """Refuse what can't be done inside a hook or a physics step.

        Raises:
            PoolError: It is called from inside one, or a tool that watches refuses it.
        """
        self._context.tell_called(what, "the pools")
        inside = ""
        if any(guard.is_stepping for guard in step_guards):
            inside = "a physics step"
        elif self._resetting:
            inside = "a reset"
        elif any(pool.has_hooks_running for pool in self._all.values()):
            inside = "a hook"
        if inside:
            message = (
                f"{what} was called inside {inside}: note the wish, "
                "and do it in your game loop, between two frames"
            )
            raise PoolError(message)

    def _end_scene(self, what: str, reason: DespawnReason, *, keep_persistent: bool) -> SceneReport:
        self.refuse_if_busy(what)
        report = self.report()
        errors: list[BaseException] = []
        self._resetting = True
        try:
            spare = _is_persistent if keep_persistent else no_life
            end_everything(self.all_pools, reason, errors, spare=spare)
            self._context.closed |= not keep_persistent
            for pool in self.all_pools():
                pool.begin_scene()
            self._scene_began = self._context.clock.now
            for watcher in self._context.time_watchers:
                try:
                    watcher.scene_ended(report)
                except BaseException as error:
                    errors.append(error)
            for hook in list(self._reset_hooks.values()):
                try:
                    hook()
                except BaseException as error:
                    errors.append(error)
        finally:
            self._resetting = False
        raise_all(f"{what} is complete, but hooks raised", errors)
        return report

    def _print_report(self) -> None:
        print(self.report())  # noqa: T201 - asked for by configure(report_at_exit=True)


def _is_persistent(data: PoolablePrefabData[Any]) -> bool:
    return data.is_persistent
