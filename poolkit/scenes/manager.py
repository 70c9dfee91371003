"""Scenes, one after another or one over another."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from poolkit.core.clock import Clock, checked_dt
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.hooks import listen
from poolkit.core.scope import LifeResources, Scope
from poolkit.core.seams import context_of, scene_clocks
from poolkit.core.system import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import pygame

    from poolkit.core.building import Progress
    from poolkit.core.statistics import SceneReport


def settle() -> None:
    """Collect all garbage now, and let the collector ignore what is in use from then on.

    `SceneManager.load` calls it. If your game has scenes of its own, use this order: drop what
    belongs to the old scene, `PoolingSystem.reset`, load and `prewarm`, `settle`, play. During
    play, pool what your game builds, or build it without reference cycles.
    `poolkit.devtools.Inspector` shows the pauses that are left.
    """
    gc.unfreeze()  # cycles that the last call set aside may have died since
    gc.collect()
    gc.freeze()


class Scene:
    """One level, menu or screen. Override what you need; the methods do nothing by themselves.

    Reports and capacity profiles use its `name`, or the name of its class if it has none.

    Attributes:
        is_overlay: Whether the scene below it is still drawn when this one is pushed.
        manager: What it was loaded or pushed by, from before its `prewarm` on.
    """

    is_overlay: bool = False
    manager: SceneManager
    _resources: tuple[LifeResources, ...] = ()  # one for each time it was pushed or loaded

    @property
    def scope(self) -> Scope:
        """Timers, coroutines and connections of the scene itself, undone when it ends.

        It is open from before `prewarm` and `enter` until after `exit`. Its time passes in
        `SceneManager.update`, as long as no other scene is over this one.

        Raises:
            PoolError: The scene hasn't begun, or is over.
        """
        scope = self._resources[-1].scope if self._resources else None
        if scope is None:
            message = f"{name_of(self)} isn't in play: use its scope from enter() to exit()"
            raise PoolError(message)
        return scope

    def prewarm(self) -> Mapping[Any, int]:
        """Return how many instances of which prefab to make before it begins.

        A dict of this name does, too.
        """
        return {}

    def enter(self) -> None:
        """Begin: spawn what is there at the start."""

    def exit(self) -> None:
        """End. Everything is still alive; a load resets the pools afterwards, a pop doesn't."""

    def handle_event(self, event: pygame.Event) -> None:
        """Handle an event."""

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw everything."""


_NO_SCENE = Scene()
_METHODS = ("prewarm", "enter", "exit", "handle_event", "update", "draw")


class SceneManager:
    """Holds the scenes, and passes events, time and drawing on to the present one.

    Loading a scene resets the pools. Pushing one over it, such as a pause menu, resets nothing. If
    your scenes call `PoolingSystem.update` and `PhysicsWorld.step` in their `update`, a push pauses
    the game, timers and physics included. The scope of a scene stands still with it. You still own
    the loop.

    Change scenes in `update` or `handle_event`. In a hook, in a physics step, or in a scene's
    `prewarm`, `enter` or `exit` it is a `PoolError`.

    Args:
        system: The pooling system to reset when a scene is loaded.
    """

    def __init__(self, system: PoolingSystem = pools) -> None:
        self._scenes = [_NO_SCENE]  # the loaded one, and those pushed over it
        self._system = system
        self._load_listeners: dict[object, Callable[..., object]] = {}
        self._current_change = ""  # the call that is under way

    @property
    def scene(self) -> Scene | None:
        """The scene on top, also in its own `enter`; `None` before the first and while one loads.

        After a failed load there is no scene either.
        """
        return None if self._scenes[-1] is _NO_SCENE else self._scenes[-1]

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """All scenes, from the bottom: the loaded one, then those pushed over it."""
        return tuple(scene for scene in self._scenes if scene is not _NO_SCENE)

    def on_load(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` on every load, after the system's reset; return a function that removes it."""
        return listen(self._load_listeners, fn)

    def load(
        self,
        scene: Scene,
        progress: Callable[[Progress], object] | None = None,
        *,
        budget_ms: float = 4.0,
    ) -> SceneReport:
        """End all present scenes and begin `scene`.

        In this order: `exit` of all scenes, from the top; the system's reset; functions of
        `on_load`; `prewarm` of `scene`; `settle`; its instances are made, with the garbage
        collector off; `enter`.

        Args:
            scene: The scene to begin.
            progress: Called with the `Progress` of prewarming: draw the loading screen there, and
                let pygame have its events.
            budget_ms: Milliseconds between two calls of `progress`.

        Returns:
            The figures of the scene that ended.

        Raises:
            PoolError: A scene can't be changed now.
            TypeError: `scene` isn't a scene, or its `prewarm` isn't a mapping.
            BaseException: What any of these calls raised. Everything was reset, there is no scene,
                and you can load another.
        """
        steps = self._load("load()", scene, budget_ms, progress)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                report: SceneReport = end.value
                return report

    def loading(
        self, scene: Scene, budget_ms: float = 4.0
    ) -> Generator[Progress, None, SceneReport]:
        """Load a scene a few milliseconds at a time, for loops that must not block.

        The old scenes end at the first step, the new one begins after the last. In between there is
        no scene, and no other change of scene is allowed.

        Returns:
            An iterator to advance once a frame. Each step takes `budget_ms` and yields the
            `Progress`; ``yield from`` returns the figures of the scene that ended. Close it to
            cancel: the pools are reset, and there is no scene. It raises what `load` does.
        """
        self._ensure_can_change("loading()", scene)
        return self._load("loading()", scene, budget_ms)

    def _load(
        self,
        what: str,
        scene: Scene,
        budget_ms: float,
        progress: Callable[[Progress], object] | None = None,
    ) -> Generator[Progress, None, SceneReport]:
        with self._changing(what, scene):
            report = self._exit_all()
            try:
                self._open(scene)
                context, counts = context_of(self._system), dict[Any, int]()
                context.scene = name_of(scene)
                for watcher in context.time_watchers:
                    counts |= watcher.counts_to_prewarm()
                for prefab, count in _prewarm_of(scene).items():
                    counts[prefab] = max(count, counts.get(prefab, count))
                # Now: looking through 5,000 new physics sprites takes half as long as making them.
                settle()
                for step in self._system.prewarm(counts, budget_ms):
                    gc.freeze()  # or each frame of a loading screen looks through all that was made
                    if progress is not None:
                        progress(step)
                    yield step
                self._scenes = [scene]
                self._enter(scene)
            except BaseException as error:
                self._abandon(scene, error)
                raise
        return report

    def _exit_all(self) -> SceneReport:
        scenes, self._scenes = self._scenes, [_NO_SCENE]
        errors = ErrorCollector()
        for scene in reversed(scenes):
            _exit(scene, errors)
        with errors:
            report = self._system.reset()
        for listener in list(self._load_listeners.values()):
            errors.call(listener)
        errors.raise_all("leaving the scene")
        return report

    def _abandon(self, scene: Scene, error: BaseException) -> None:
        """Leave nothing of a scene that failed to begin, or was cancelled."""
        self._scenes = [_NO_SCENE]
        gc.unfreeze()
        errors = ErrorCollector()
        _close_scope(scene, errors)
        errors.call(self._system.reset)
        if isinstance(error, GeneratorExit):  # nobody would see its notes
            errors.raise_all("closing the scene")
        for later_error in errors.errors:
            error.add_note(f"then the reset raised {later_error!r}")

    def close(self) -> None:
        """End all scenes, as a load does, and begin none: the game is over.

        Raises:
            PoolError: It can't be done now.
            BaseException: What `exit`, the reset, or a function of `on_load` raised.
        """
        with self._changing("close()"):
            self._exit_all()

    def _open(self, scene: Scene) -> None:
        """Give a scene that is about to begin its manager and its scope."""
        if not isinstance(scene, Scene):  # a class of the game's own with the same methods
            return
        if isinstance(getattr(scene, "manager", self), SceneManager):  # else it is the game's word
            scene.manager = self
        clock = Clock("SceneManager.update(dt)")
        scene_clocks.add(clock)
        resources = LifeResources(clock, name_of(scene))
        scene._resources += (resources,)
        resources.open_scope()

    def _enter(self, scene: Scene) -> None:
        context = context_of(self._system)
        context.is_entering = True  # what is made late now was made before play began
        try:
            scene.enter()
        finally:
            context.is_entering = False

    def push(self, scene: Scene) -> None:
        """Begin `scene` over the present one, which keeps all its lives and stands still.

        The scene below gets no events and no updates; it is drawn if `scene` is an overlay. The
        instances that `scene` wants are made at once, then its `enter` runs. Nothing is reset.

        Raises:
            PoolError: A scene can't be changed now.
            TypeError: `scene` isn't a scene, or its `prewarm` isn't a mapping.
            BaseException: What `prewarm` or `enter` raised. The scene below is the present one
                again; what `scene` had spawned lives on.
        """
        with self._changing("push()", scene):
            below = list(self._scenes)
            try:
                self._open(scene)
                for _ in self._system.prewarm(_prewarm_of(scene)):
                    pass
                self._scenes.append(scene)
                self._enter(scene)
            except BaseException as error:
                self._scenes = below
                errors = ErrorCollector(error)
                _close_scope(scene, errors)
                errors.raise_now(f"pushing {name_of(scene)}")

    def pop(self) -> None:
        """End the scene that was pushed last, and go on with the one below.

        Nothing is reset: end what the scene spawned in its `exit`.

        Raises:
            PoolError: No scene is pushed, or it can't be changed now.
            BaseException: What `exit` raised. The scene is gone all the same.
        """
        with self._changing("pop()"):
            if len(self._scenes) == 1:
                message = (
                    "pop() was called with no scene pushed: call load() to replace the loaded one"
                )
                raise PoolError(message)
            errors = ErrorCollector()
            _exit(self._scenes.pop(), errors)
            errors.raise_all("leaving the scene")

    def _ensure_can_change(self, call: str, *scenes: Scene) -> None:
        for scene in scenes:
            # The class first, so that a property is not read yet.
            missing = [n for n in _METHODS if not (hasattr(type(scene), n) or hasattr(scene, n))]
            if missing or isinstance(scene, type):
                why = f", which has no {', '.join(missing)}" if missing else ""
                example = call.replace("()", "(Level())")
                message = f"{call} takes a scene, not {scene!r}{why}: make one, as in {example}"
                raise TypeError(message)
        if self._current_change:
            message = (
                f"{call} was called while {self._current_change} is under way: call it afterwards, "
                "for example in update(). loading() ends when its iterator is exhausted or closed"
            )
            raise PoolError(message)
        context_of(self._system).refuse_if_busy(call)

    @contextmanager
    def _changing(self, call: str, *scenes: Scene) -> Iterator[None]:
        self._ensure_can_change(call, *scenes)
        self._current_change = call
        try:
            yield
        finally:
            self._current_change = ""

    def handle_event(self, event: pygame.Event) -> None:
        """Pass an event on to the present scene, if there is one."""
        self._scenes[-1].handle_event(event)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass in the present scene, if there is one: in its scope, then in it.

        If a timer of its scope changes the scene, no scene is updated in this frame.

        Raises:
            ValueError: `dt` is negative, not finite, or more than a day.
            BaseException: What those timers or the scene raised, after both had their turn.
        """
        seconds = checked_dt(dt, "SceneManager.update()")
        scene, errors = self._scenes[-1], ErrorCollector()
        resources = _resources_of(scene)
        if resources is not None:
            errors.call(resources.clock.advance, seconds)
        if self._scenes[-1] is scene and _resources_of(scene) is resources:
            errors.call(scene.update, dt)
        errors.raise_all(f"updating {name_of(scene)}")

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the present scene, if there is one, over those below it if it is an overlay."""
        lowest = len(self._scenes) - 1
        while lowest and getattr(self._scenes[lowest], "is_overlay", False):
            lowest -= 1
        for scene in self._scenes[lowest:]:
            scene.draw(surface)


def _exit(scene: Scene, errors: ErrorCollector) -> None:
    errors.call(scene.exit)
    _close_scope(scene, errors)


def _close_scope(scene: Scene, errors: ErrorCollector) -> None:
    if resources := _resources_of(scene):
        errors.take_all(resources.close_scope(None))
        resources.release_timers()
        scene._resources = scene._resources[:-1]


def _resources_of(scene: object) -> LifeResources | None:
    return scene._resources[-1] if isinstance(scene, Scene) and scene._resources else None


def name_of(scene: object) -> str:
    """Return what a scene is called: its `name`, or the name of its class if it has none."""
    name = getattr(scene, "name", None)
    return name if isinstance(name, str) and name.strip() else type(scene).__name__


def _prewarm_of(scene: Scene) -> Mapping[Any, int]:
    prewarm: Any = scene.prewarm
    counts = prewarm() if callable(prewarm) else prewarm
    if not isinstance(counts, Mapping):
        message = (
            f"the prewarm of {name_of(scene)} must be a mapping such as {{orc: 20}}, not {counts!r}"
        )
        raise TypeError(message)
    return counts
