"""Scenes, one at a time or one over another, and what it takes to change them."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.hooks import listen
from poolkit.core.scope import LifeState, Scope
from poolkit.core.seams import context_of
from poolkit.core.system import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import pygame

    from poolkit.core.building import Progress
    from poolkit.core.statistics import SceneReport


def settle() -> None:
    """Collect all garbage now, and let the collector ignore from then on what is in use.

    What was set aside at the last call is looked at again first; cycles among it that died since
    would otherwise never be freed.

    `SceneManager.load` calls it before it makes what the scene wants, and sets that aside without
    a look: to look through 5,000 new physics sprites takes half as long as to make them. A game
    with scenes of its own does it in this order: drop what belongs to the old scene,
    `PoolingSystem.reset`, load and `prewarm`, `settle`, play. What a pool destroys is freed at
    once, without the collector, bodies and shapes included; what the game builds during play
    should be pooled too, or be free of reference cycles.
    `poolkit.devtools.CollectorProbe` tells which pauses are left.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Scene:
    """One level, menu or screen. Override what it needs; each method does nothing by itself.

    Reports and capacity profiles call it by its `name`, if it has one, else by its class's name.

    Attributes:
        is_overlay: Whether the scene that it is pushed over is still drawn, below it.
    """

    is_overlay: bool = False
    _lives: tuple[LifeState, ...] = ()  # one for each time that it is in play

    @property
    def scope(self) -> Scope:
        """What is undone when the scene ends: timers, coroutines, connections of the level itself.

        It is there from before `prewarm` and `enter` to after `exit`, by the time of the manager's
        system. An overlay has its own.

        Raises:
            PoolError: The scene has not begun, or is over.
        """
        scope = self._lives[-1].scope if self._lives else None
        if scope is None:
            message = f"{_name_of(self)} is not in play: use its scope in enter() and until exit()"
            raise PoolError(message)
        return scope

    def prewarm(self) -> Mapping[Any, int]:
        """Return how many inactive instances of which prefab shall wait when it begins.

        A scene may have a dict of this name instead.
        """
        return {}

    def enter(self) -> None:
        """Begin: spawn what is there from the start."""

    def exit(self) -> None:
        """End. Everything is still alive; a load resets the pools afterwards, a pop does not."""

    def handle_event(self, event: pygame.Event) -> None:
        """Take an event."""

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw everything."""


_NOTHING = Scene()
_STAGES = ("prewarm", "enter", "exit", "handle_event", "update", "draw")


class SceneManager:
    """Holds the scenes, and hands the present one events, time and the surface to draw on.

    One scene is loaded, which resets the pools; others may be pushed over it, which resets nothing:
    a pause menu, an inventory. The game still owns its loop. A game whose scenes call
    `PoolingSystem.update` and `PhysicsWorld.step` in their `update` is paused by a push, timers and
    physics included.

    A change of scene in a hook, in a physics step, or in a scene's `prewarm`, `enter` or `exit` is
    a `PoolError`: ask for it in `update` or `handle_event`.

    Args:
        system: The pooling system that is reset when a scene is loaded.
    """

    def __init__(self, system: PoolingSystem = pools) -> None:
        self._scenes = [_NOTHING]  # the one that was loaded, and those pushed over it
        self._system = system
        self._hooks: dict[object, Callable[..., object]] = {}
        self._under_way = ""  # which change of scene, while it is

    @property
    def scene(self) -> Scene | None:
        """The present scene, the one on top.

        `None` before the first, while one is loaded, and where loading one failed.
        """
        return None if self._scenes[-1] is _NOTHING else self._scenes[-1]

    def on_load(self, fn: Callable[[], object]) -> Callable[[], None]:
        """Call `fn` on every load, after the system's reset; the function returned removes it."""
        return listen(self._hooks, fn)

    # -- one scene after another --------------------------------------------------------------

    def load(
        self,
        scene: Scene,
        progress: Callable[[Progress], object] | None = None,
        *,
        budget_ms: float = 4.0,
    ) -> SceneReport:
        """Leave all present scenes and begin `scene`.

        The `exit` of those that were pushed, from the top, and of the one that was loaded; the
        system's reset and the reset hooks; the new scene's `prewarm` is asked; `settle`; what it
        wants is made, with the garbage collector off; its `enter`.

        Args:
            scene: The scene to begin.
            progress: Called with the `Progress` of prewarming, every `budget_ms` milliseconds:
                draw the loading screen there, and let pygame have its events.
            budget_ms: Milliseconds between two calls of `progress`.

        Returns:
            The figures of the scene that ended.

        Raises:
            PoolError: Now is no time for it.
            TypeError: `scene` is no scene; or its `prewarm` is no mapping.
            BaseException: What an `exit` or a hook raised, in which case everything was reset but
                `scene` not begun; or what `prewarm`, `progress` or `enter` raised, in which case
                what it had spawned is reset. In each case `self.scene` is `None`, and another
                scene can be loaded.
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
        """Do what `load` does, a few milliseconds at a time: for loops that must keep turning.

        The old scenes end when it is first advanced; the new one begins when it is exhausted.
        Between two steps there is no scene, and no other change of scene is allowed. The garbage
        collector is off only while instances are made, not while the game draws.

        Returns:
            An iterator of the `Progress` to advance once a frame, which spends `budget_ms` on each
            step, and whose ``yield from`` gives the figures of the scene that ended. Closing it
            cancels: the pools are reset, and there is no scene. It raises what `load` does.
        """
        self._refuse("loading()", scene)
        return self._load("loading()", scene, budget_ms)

    def _load(
        self,
        what: str,
        scene: Scene,
        budget_ms: float,
        progress: Callable[[Progress], object] | None = None,
    ) -> Generator[Progress, None, SceneReport]:
        with self._changing(what, scene):
            report = self._leave()
            try:
                self._open_scope(scene)
                context, counts = context_of(self._system), dict[Any, int]()
                context.scene = _name_of(scene)
                for watcher in context.time_watchers:
                    counts |= watcher.scene_beginning()
                # Where both name a prefab alike, the scene's count holds; else the larger one.
                counts |= _prewarm_of(scene)
                # Now, while there is least to look through: nothing that is made next is garbage.
                settle()
                with closing(self._system.prewarm(counts, budget_ms)) as steps:
                    while (step := _advanced(steps)) is not None:
                        if progress is not None:
                            progress(step)
                        yield step
                self._scenes = [scene]
                scene.enter()
            except BaseException as error:
                self._abandon(scene, error)
                raise
        return report

    def _leave(self) -> SceneReport:
        leaving, self._scenes = self._scenes, [_NOTHING]
        errors = ErrorCollector()
        for scene in reversed(leaving):
            self._exit(scene, errors)
        with errors:
            report = self._system.reset()
        for hook in list(self._hooks.values()):
            errors.call(hook)
        errors.raise_all("leaving the scene")
        return report

    def _abandon(self, scene: Scene, error: BaseException) -> None:
        """Leave nothing of a scene that failed to begin, or was not to begin after all."""
        self._scenes = [_NOTHING]
        gc.unfreeze()
        errors = ErrorCollector()
        self._close_scope(scene, errors)
        errors.call(self._system.reset)
        if isinstance(error, GeneratorExit):  # whoever closes the iterator never sees it
            errors.raise_all("closing the scene")
        for another in errors.errors:
            error.add_note(f"then the reset raised {another!r}")

    def _exit(self, scene: Scene, errors: ErrorCollector) -> None:
        errors.call(scene.exit)
        self._close_scope(scene, errors)

    def _open_scope(self, scene: Scene) -> None:
        if isinstance(scene, Scene):  # else it is one of a game's own kind, and has none
            life = LifeState(context_of(self._system).clock, _name_of(scene))
            scene._lives += (life,)
            life.open_scope()

    @staticmethod
    def _close_scope(scene: Scene, errors: ErrorCollector) -> None:
        if isinstance(scene, Scene) and scene._lives:
            life = scene._lives[-1]
            life.close_scope(errors)
            life.give_up()
            scene._lives = scene._lives[:-1]

    # -- one scene over another ---------------------------------------------------------------

    def push(self, scene: Scene) -> None:
        """Begin `scene` over the present one, which keeps all its lives and stands still.

        The scene below gets no events and no updates; it is drawn if `scene` is an overlay. What
        `scene` wants beforehand is made at once, its `enter` runs, and nothing is reset.

        Raises:
            PoolError: Now is no time for it.
            TypeError: `scene` is no scene; or its `prewarm` is no mapping.
            BaseException: What `prewarm` or `enter` raised. The scene below is the present one
                again; what `scene` had spawned lives on.
        """
        with self._changing("push()", scene):
            below = list(self._scenes)
            try:
                self._open_scope(scene)
                for _ in self._system.prewarm(_prewarm_of(scene)):
                    pass
                self._scenes.append(scene)
                scene.enter()
            except BaseException as error:
                self._scenes = below
                errors = ErrorCollector(error)
                self._close_scope(scene, errors)
                errors.raise_now(f"pushing {_name_of(scene)}")

    def pop(self) -> None:
        """End the scene that was pushed last; the one below gets its turns back.

        Nothing is reset: what the scene spawned is its own to end, in its `exit`.

        Raises:
            PoolError: Nothing is pushed, or now is no time for it.
            BaseException: What `exit` raised. The scene is gone all the same.
        """
        with self._changing("pop()"):
            if len(self._scenes) == 1:
                message = "pop() was called with no scene pushed: a load ends what was loaded"
                raise PoolError(message)
            errors = ErrorCollector()
            self._exit(self._scenes.pop(), errors)
            errors.raise_all("leaving the scene")

    # -- what is refused ----------------------------------------------------------------------

    def _refuse(self, what: str, *scenes: Scene) -> None:
        for scene in scenes:
            # The class first, so that a property is not asked yet.
            places = type(scene), scene
            lacking = [e for e in _STAGES if not any(hasattr(place, e) for place in places)]
            if lacking or isinstance(scene, type):
                why = f", which has no {', '.join(lacking)}" if lacking else ""
                example = what.replace("()", "(Level())")
                message = f"{what} takes a scene, not {scene!r}{why}: make one, as in {example}"
                raise TypeError(message)
        if self._under_way:
            message = (
                f"{what} was called while {self._under_way} is under way: call it when that is "
                "done, in update() say; what loading() returned is done when exhausted or closed"
            )
            raise PoolError(message)
        context_of(self._system).refuse_if_busy(what)

    @contextmanager
    def _changing(self, what: str, *scenes: Scene) -> Iterator[None]:
        self._refuse(what, *scenes)
        self._under_way = what
        try:
            yield
        finally:
            self._under_way = ""

    # -- the turns of the present scene -------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event to the present scene, if there is one."""
        self._scenes[-1].handle_event(event)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass in the present scene, if there is one."""
        self._scenes[-1].update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the present scene, if there is one, and first those that it lies over."""
        lowest = len(self._scenes) - 1
        while lowest and getattr(self._scenes[lowest], "is_overlay", False):
            lowest -= 1
        for scene in self._scenes[lowest:]:
            scene.draw(surface)


def _advanced(steps: Iterator[Progress]) -> Progress | None:
    """Advance with the collector off, unless it was: nothing that is made now is garbage."""
    was_enabled = gc.isenabled()
    try:
        gc.disable()  # in here: Ctrl-C may come as soon as it returns
        step = next(steps, None)
        # Else the game's first objects in each frame of its loading screen set off a pass through
        # all that was made. The next load looks at what is set aside.
        gc.freeze()
        return step
    finally:
        if was_enabled:
            gc.enable()


def _name_of(scene: object) -> str:
    name = getattr(scene, "name", None)
    return name if isinstance(name, str) and name.strip() else type(scene).__name__


def _prewarm_of(scene: Scene) -> Mapping[Any, int]:
    wanted: Any = scene.prewarm
    counts = wanted() if callable(wanted) else wanted
    if not isinstance(counts, Mapping):
        message = (
            f"the prewarm of {_name_of(scene)} must be a mapping such as {{orc: 20}}, "
            f"not {counts!r}"
        )
        raise TypeError(message)
    return counts
