"""What the pools of one system share: a clock, the map of instances, and the switches."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Literal, Protocol

from poolkit.core.clock import Clock
from poolkit.core.errors import NotManagedError
from poolkit.core.record import RESTING, PoolablePrefabData

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkit.core.prefab_pool import PrefabPool
    from poolkit.core.statistics import SceneReport
    from poolkit.core.stock import Stock

__all__ = [
    "Disorder",
    "LifeWatcher",
    "StepGuard",
    "SystemContext",
    "TimeWatcher",
    "context_callbacks",
    "step_guards",
]


class StepGuard(Protocol):
    """Something that steps, and must not lose instances while it does."""

    @property
    def is_stepping(self) -> bool:
        """Whether it is in the middle of a step now."""


step_guards: weakref.WeakSet[StepGuard] = weakref.WeakSet()
"""Every physics world there is, so that a reset can tell that it was asked for inside a step."""


class Disorder(Protocol):
    """Makes pools behave at their most awkward, within what they promise."""

    def pick(self, count: int) -> int:
        """Return which of `count` instances at rest is handed out."""

    def drops(self) -> bool:
        """Return whether an instance is destroyed instead of put to rest."""

    def recycles(self) -> bool:
        """Return whether a pool that recycles does so although there is room."""


class LifeWatcher:
    """Sees the lives of a system. While there is one, its pools take no quick path.

    Override what is needed.
    """

    def called(self, what: str, name: str) -> None:
        """Learn that `what` is about to be done to `name`, as a spawn to a pool, or a reset to all.

        Nothing has happened yet. What this raises reaches the caller.
        """

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life begins: the instance is put into play next.

        What this raises is treated as if a hook had raised it.
        """

    def ended(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life is over: the hooks have run, groups and physics are left.

        What this raises is treated as if a hook had raised it.
        """

    def ended_again(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that a life was to be ended that is over already.

        What this raises reaches the caller.
        """

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        """Learn that an instance is no longer its pool's: it is being destroyed, or detached."""


class TimeWatcher:
    """Sees a system's frames and scenes. Override what is needed."""

    def updating(self, dt: float) -> None:
        """Learn that `dt` seconds are about to pass; what this raises reaches the caller."""

    def scene_ended(self, report: SceneReport) -> None:
        """Learn the figures of a scene that a reset or dispose has just ended."""

    def scene_beginning(self, name: str) -> Mapping[Any, int]:
        """Learn that a scene manager begins a scene, before anything is made for it.

        Returns:
            Which prefabs' instances, and how many, shall wait besides what the scene asks for.
        """
        del name
        return {}

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Learn that a prefab is used for the first time: its pool has made nothing yet."""


context_callbacks: list[Callable[[SystemContext], None]] = []
"""Called with each context that is made: for tools that are to see every system there is."""


class SystemContext:
    """The shared ground of pools that belong together.

    Attributes:
        clock: What `update` advances.
        pooling: Whether instances are reused at all.
        reuse: When a despawned instance may be handed out again.
        closed: Whether it was disposed of.
        cooling: Instances at rest that wait for the next update.
        disorder: Decides what pools leave open, at random, where a game's tests ask for it.
        plans: What is known of kinds of instances; see `Hooks`.
        pools: All of them.
        scene: The name of the scene that is played, for reports.
        life_watchers: See their lives begin and end.
        time_watchers: See time pass.
    """

    __slots__ = (
        "_managed",
        "_retired",
        "clock",
        "closed",
        "cooling",
        "disorder",
        "life_watchers",
        "plans",
        "pooling",
        "pools",
        "reuse",
        "scene",
        "time_watchers",
    )

    def __init__(self) -> None:
        """Begin with no pool and nothing managed."""
        self.clock = Clock()
        self.pooling = True
        self.reuse: Literal["at_once", "next_update"] = "at_once"
        self.closed = False
        self.disorder: Disorder | None = None
        self.cooling: list[PoolablePrefabData[Any]] = []
        self.pools: list[Stock[Any]] = []
        self.scene = "main"
        self.life_watchers: tuple[LifeWatcher, ...] = ()
        self.time_watchers: tuple[TimeWatcher, ...] = ()
        self.plans: dict[Any, Any] = {}
        self._managed: dict[int, PoolablePrefabData[Any]] = {}
        self._retired: dict[int, weakref.ref[Any]] = {}
        for callback in context_callbacks:
            callback(self)

    def find(self, instance: object) -> PoolablePrefabData[Any] | None:
        """Return the record of `instance`, one destroyed since included, or `None`."""
        data = self._managed.get(id(instance))
        if data is None:
            attached = getattr(instance, "_pool_data", None)
            # A mock answers to every name: only a real record counts.
            if isinstance(attached, PoolablePrefabData) and attached.pool._context is self:
                return attached
        return data

    def is_over(self, instance: object) -> bool:
        """Tell whether `instance` was managed once and is destroyed by now."""
        retired = self._retired.get(id(instance))
        if retired is not None:
            return retired() is instance
        data = self.find(instance)
        return data is not None and data.destroyed

    def require_part(self, instance: object) -> PoolablePrefabData[Any]:
        """Return the record that `instance`, or what it is a part of, belongs to.

        Raises:
            NotManagedError: There is none.
        """
        data = self.find(instance)
        if data is None or data.destroyed:
            raise NotManagedError(self._stranger(instance))
        return data

    def require(self, instance: object) -> PoolablePrefabData[Any]:
        """Return the record of a managed `instance`.

        Raises:
            NotManagedError: There is none, or `instance` is only a part of a managed one.
        """
        data = self.require_part(instance)
        if data.instance is not instance:
            message = (
                f"{instance!r} is a part of {data.label}, with no life of its own: "
                "kill() hides it, despawning its root ends it"
            )
            raise NotManagedError(message)
        return data

    def remember(self, data: PoolablePrefabData[Any]) -> None:
        """Map an instance to its record."""
        key = id(data.instance)
        self._retired.pop(key, None)
        self._managed[key] = data

    def forget(self, data: PoolablePrefabData[Any], *, retire: bool) -> None:
        """Take an instance off the map; `retire`: remember, weakly, that its life is over."""
        key = id(data.instance)
        if self._managed.pop(key, None) is None or not retire:
            return
        retired = self._retired

        def drop(_: object) -> None:
            retired.pop(key, None)

        try:
            retired[key] = weakref.ref(data.instance, drop)
        except TypeError:
            # Not weakly referencable: from now on it counts as a stranger, which is the safe side,
            # for its id may be another object's tomorrow.
            return

    # -- tools --------------------------------------------------------------------------------

    def retune(self) -> None:
        """Let every pool decide anew whether it may take its quick path."""
        for pool in self.pools:
            pool.retune()

    def watch_lives(self, watcher: LifeWatcher) -> None:
        """Let `watcher` see lives begin and end, those that last now included."""
        if watcher not in self.life_watchers:
            self.life_watchers += (watcher,)
        for pool in self.pools:
            for data in pool.records:
                if data.state != RESTING:  # also one whose hooks are ending its life just now
                    data.mark_unusual()  # the quick path of a despawn tells nobody
        self.retune()

    def unwatch_lives(self, watcher: LifeWatcher) -> None:
        """Let `watcher` see no more lives."""
        self.life_watchers = tuple(other for other in self.life_watchers if other is not watcher)
        self.retune()

    def tell_called(self, what: str, name: str) -> None:
        """Tell those who watch lives what is about to be done; what they raise forbids it."""
        for watcher in self.life_watchers:
            watcher.called(what, name)

    def tell_beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Tell those who watch that a life begins."""
        data.rare = True  # so that its end takes no quick path, which tells nobody
        for watcher in self.life_watchers:
            watcher.beginning(data)

    def tell_over_already(self, instance: object) -> None:
        """Tell those who watch that an instance, destroyed by now, was to be despawned again."""
        data = self.find(instance)
        if data is not None:
            for watcher in self.life_watchers:
                watcher.ended_again(data)

    def watch_time(self, watcher: TimeWatcher) -> None:
        """Let `watcher` see time pass and scenes end."""
        if watcher not in self.time_watchers:
            self.time_watchers += (watcher,)

    def unwatch_time(self, watcher: TimeWatcher) -> None:
        """Let `watcher` see no more time pass."""
        self.time_watchers = tuple(other for other in self.time_watchers if other is not watcher)

    def begin_scene(self, name: str) -> dict[Any, int]:
        """Name the scene that begins; return which prefabs' instances tools want to wait in it."""
        self.scene = name
        wanted: dict[Any, int] = {}
        for watcher in self.time_watchers:
            for prefab, count in watcher.scene_beginning(name).items():
                wanted[prefab] = max(count, wanted.get(prefab, 0))
        return wanted

    # -- reuse --------------------------------------------------------------------------------

    def release_cooling(
        self,
        errors: list[BaseException],
        only: Stock[Any] | None = None,
    ) -> None:
        """Make reusable what was despawned before this update, or destroy it if it is doomed.

        Args:
            errors: Receives what that raises.
            only: The pool to which this is limited, and to what of it is doomed: an update has
                not come.
        """
        cooling, self.cooling = self.cooling, []
        for data in cooling:
            if only is not None and not (data.pool is only and data.doomed):
                self.cooling.append(data)
                continue
            data.holds -= 1
            try:
                data.pool.rest(data, cooled=True)
            except BaseException as error:
                errors.append(error)

    @staticmethod
    def _stranger(instance: object) -> str:
        attached = getattr(instance, "_pool_data", None)
        if instance is None:
            return "None is no instance: was it looked up by a handle whose life is over?"
        if isinstance(attached, PoolablePrefabData):
            if attached.destroyed:
                return f"{instance!r} was destroyed by its pool: spawn a new one"
            return (
                f"{instance!r} is managed by another pooling system: use sprite.system, "
                "or the system that spawned it"
            )
        return (
            f"{instance!r} is managed by no pool of this system (never spawned by it, or detached "
            "since): spawn it, or take it under management with adopt(prefab, instance)"
        )
