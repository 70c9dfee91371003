"""What rooms above core use of it: where they plug in, and what they look at.

Nothing else in core is theirs to use. All of it costs nothing while nobody plugs in.
"""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

from poolkit.core.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import DespawnReason
    from poolkit.core.pool import Pool, PrefabPool
    from poolkit.core.settings import Budget, PoolSettings, SharedLives
    from poolkit.core.statistics import Ledger, PoolReport, PoolStats, SceneReport
    from poolkit.core.system import PoolingSystem


# -- for kinds of instances --------------------------------------------------------------------


@functools.singledispatch
def record_for(instance: object, pool: Pool[Any]) -> Record[Any]:
    """Return the record for a new instance, by its kind. Rooms above core register their own."""
    return Record(instance, pool)


copiers: dict[type, Callable[[Any], Any]] = {
    list: lambda value: [fresh(each) for each in value],
    dict: lambda value: {key: fresh(each) for key, each in value.items()},
    set: set,
}
"""How values of a prefab's data are copied for each life; what is no type here is shared."""


def fresh(value: Any) -> Any:
    """Return a value of a prefab's data that no other life holds."""
    copier = copiers.get(type(value))
    return value if copier is None else copier(value)


constructions: list[list[Any]] = []
"""A list for each factory call that is under way: parts announce themselves there as they are made.

What a pool builds stays out of play until its first life begins.
"""

surface_meters: list[Callable[[Any], int]] = []
"""Each says how many bytes of pixels the instances of a pool show; rooms that know them add one."""

group_meters: list[Callable[[Any], int]] = []
"""Likewise, how many lives of a pool are in no group any more, although they joined some."""

step_guards: weakref.WeakSet[Any] = weakref.WeakSet()
"""Every physics world there is, so that a reset can tell that it was asked for inside a step.

`is_stepping` tells of each whether it is in the middle of one.
"""

hook_callers: set[object] = set()
"""What calls hooks: source files, and the code of single functions.

In each frame of theirs, `record` or `self` names whose hook it is. So a reset can tell that a hook
asked for it, further up the stack.
"""

frame_callbacks: list[Callable[[SystemContext], object]] = []
"""Called at the end of every `update`: what rooms above core do once a frame."""


class Crowd:
    """Lives that are no instances of a prefab, as a swarm's; `len()` counts those that last.

    Its system knows it weakly, from `SystemContext.admit_crowd` on; so does its budget.

    Attributes:
        name: What it is called in reports.
        settings: Its limits, and what happens there.
    """

    name: str
    settings: PoolSettings
    _ledger: Ledger
    _is_busy: bool  # a hook of the game's runs

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def stats(self) -> PoolStats:
        """A snapshot of its figures."""
        raise NotImplementedError

    def _report(self) -> PoolReport:
        """Return its line of a report."""
        raise NotImplementedError

    def _end_scene(self) -> None:
        """End all lives: the system is reset, or disposed of."""
        raise NotImplementedError

    def _image(self) -> Any:
        """Return what one of its lives looks like, if that is a surface."""

    def _reserve(self, count: int) -> None:
        """Have room for so many lives."""

    def _oldest(self) -> int | None:
        """Return the number that a budget gave the oldest life that lasts, if there is one."""

    def _end_oldest(self, count: int, before: float) -> int:
        """End up to `count` of the oldest lives, of numbers below one; return how many."""
        raise NotImplementedError


# -- for tools ---------------------------------------------------------------------------------


def context_of(owner: PoolingSystem | Pool[Any]) -> SystemContext:
    """Return what the pools of a system share: its clock, its switches, its watchers."""
    return owner._context


def lives_of(pool: Pool[Any]) -> dict[Record[Any], Any]:
    """Return the records of a pool's lives with their instances, the oldest first. Only look."""
    return pool._active


def shared_lives_of(budget: Budget) -> SharedLives:
    """Return the lives that share a budget, for those that aren't instances to be among them."""
    return budget._shared


def home_groups_of(pool: Pool[Any]) -> tuple[Any, ...]:
    """Return the groups that every life of a pool joins, unless a function names them."""
    return pool._groups


class LifeWatcher:
    """Sees the lives of a system. While there is one, its pools take no fast path.

    Override what is needed. What `beginning` and `ended` raise is treated as if a hook had raised
    it; what others raise reaches the caller.
    """

    def called(self, what: str, name: str) -> None:
        """Learn what will be done to `name` next: a spawn to a pool, say, or a reset to all."""

    def acquiring(self, pool: Pool[Any], spared: Collection[Record[Any]]) -> None:
        """Learn that an instance is taken or made next, for a life under those that are spared."""

    def beginning(self, record: Record[Any]) -> None:
        """Learn that a life begins: the instance is put into play next."""

    def ended(self, record: Record[Any], reason: DespawnReason) -> None:
        """Learn that a life is over: the hooks have run, groups and physics are left."""

    def ended_again(self, record: Record[Any]) -> None:
        """Learn that a life was to be ended that is over already."""

    def gone(self, record: Record[Any]) -> None:
        """Learn that an instance is no longer its pool's: it is being destroyed, or detached."""


class TimeWatcher:
    """Sees a system's frames and scenes. Override what is needed."""

    def updating(self, dt: float) -> None:
        """Learn that `dt` seconds are about to pass; what this raises reaches the caller."""

    def scene_ended(self, report: SceneReport) -> None:
        """Learn the figures of a scene that a reset or dispose has just ended."""

    def scene_beginning(self) -> Mapping[Any, int]:
        """Return how many instances of which prefabs shall wait in the scene that begins."""
        return {}

    def crowd_begun(self, crowd: Crowd) -> None:
        """Learn that a swarm was made."""

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Learn that a prefab is used for the first time: its pool has made nothing yet."""
