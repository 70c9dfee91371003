"""Changing scenes: nothing of the old one is left, all of the new one is built beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.system import PoolingSystem, pools
from poolkit.scenes.collector import settle
from poolkit.scenes.scene import scene_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pygame

    from poolkit.core.building import Progress
    from poolkit.core.statistics import SceneReport
    from poolkit.scenes.scene import Scene

__all__ = ["SceneManager"]


class SceneManager:
    """Holds the current scene, and hands it events, time and the surface to draw on.

    The game still owns its loop, and calls `PoolingSystem.update` itself.

    Args:
        system: The pooling system that is reset when a scene is loaded.

    Attributes:
        scene: The current scene; `None` before the first, and where loading one failed.
    """

    def __init__(self, system: PoolingSystem = pools) -> None:
        """Begin with no scene."""
        self.scene: Scene | None = None
        self._system = system
        self._hooks: dict[object, Callable[[], object]] = {}
        self._loading = False

    def add_reset_hook(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` on every load, after the system's reset; the function returned removes it."""
        key = object()
        self._hooks[key] = fn

        def remove() -> None:
            self._hooks.pop(key, None)

        return remove

    def load(
        self,
        scene: Scene,
        progress: Callable[[Progress], object] | None = None,
        *,
        budget_ms: float = 4.0,
    ) -> SceneReport | None:
        """Leave the current scene and begin `scene`.

        The old scene's `exit`; the system's reset and the reset hooks; the new scene's `prewarm`;
        `settle`; its `enter`.

        Args:
            scene: The scene to begin.
            progress: Called with the `Progress` of prewarming, every `budget_ms`: draw the
                loading screen there.
            budget_ms: Milliseconds between two calls of `progress`.

        Returns:
            The figures of the scene that ended.

        Raises:
            PoolError: It is called inside a hook, a physics step, or another load.
            TypeError: `scene` is a class, or nothing.
            BaseException: What `exit` or a hook raised, in which case everything was reset but
                `scene` not begun; or what `prewarm`, `progress` or `enter` raised, in which case
                what it had spawned is reset. In each case `self.scene` is `None`, and another
                scene can be loaded.
        """
        if scene is None or isinstance(scene, type):
            message = f"load() takes a scene, not {scene!r}: make one, as in load(Level())"
            raise TypeError(message)
        if self._loading:
            message = "load() was called while a scene is being loaded: load the next in update()"
            raise PoolError(message)
        self._system._refuse_if_busy("load()")
        self._loading = True
        try:
            report = self._leave()
            try:
                self._prewarm(scene, progress, budget_ms)
                settle()
                self.scene = scene
                scene.enter()
            except BaseException as error:
                self.scene = None
                try:
                    self._system.reset()
                except BaseException as another:
                    error.add_note(f"then the reset raised {another!r}")
                raise
        finally:
            self._loading = False
        return report

    def _leave(self) -> SceneReport | None:
        errors: list[BaseException] = []
        report = None
        old, self.scene = self.scene, None
        if old is not None:
            try:
                old.exit()
            except BaseException as error:
                errors.append(error)
        try:
            report = self._system.reset()
        except BaseException as error:
            errors.append(error)
        for hook in list(self._hooks.values()):
            try:
                hook()
            except BaseException as error:
                errors.append(error)
        ErrorCollector(*errors).raise_all("leaving the scene")
        return report

    def _prewarm(
        self,
        scene: Scene,
        progress: Callable[[Progress], object] | None,
        budget_ms: float,
    ) -> None:
        profiled = self._system._context.begin_scene(scene_name(scene))
        wanted: Any = scene.prewarm
        counts: Mapping[Any, int] = wanted() if callable(wanted) else wanted
        # Where both name a prefab, one of them perhaps by its name, the larger count holds.
        for step in self._system.prewarm({**profiled, **counts}, budget_ms):
            if progress is not None:
                progress(step)

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event to the current scene, if there is one."""
        if self.scene is not None:
            self.scene.handle_event(event)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass in the current scene, if there is one."""
        if self.scene is not None:
            self.scene.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the current scene, if there is one."""
        if self.scene is not None:
            self.scene.draw(surface)
