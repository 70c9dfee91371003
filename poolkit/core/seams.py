"""Extension points: the registries, observers and base classes that other packages use.

They cost nothing while nobody uses them.
"""

from __future__ import annotations

import functools
import weakref
from abc import ABCMeta
from typing import TYPE_CHECKING, Any

from poolkit.core.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import DespawnReason
    from poolkit.core.pool import Pool, PrefabPool
    from poolkit.core.settings import PoolSettings
    from poolkit.core.statistics import Ledger, PoolReport, PoolStats, SceneReport
    from poolkit.core.system import PoolingSystem


# -- for kinds of instances -------------------------------------------------------------------


@functools.singledispatch
def record_for(instance: object, pool: Pool[Any]) -> Record[Any]:
    """Return a record for a new instance, by its kind. Rooms above core register their own."""
    return Record(instance, pool)


sprites_under_construction: list[list[Any]] = []
"""A list for each running factory call; sprites add themselves there as they are made."""

surface_size_fns: list[Callable[[Any], int]] = []
"""Functions that return how many bytes of pixels the instances of a pool show."""

groupless_count_fns: list[Callable[[Any], int]] = []
"""Functions that return how many lives of a pool have lost all the groups they joined."""

worlds: weakref.WeakSet[Any] = weakref.WeakSet()
"""All physics worlds.

Each says by `is_stepping` whether it is inside a step. A reset of any system calls the
`_begin_scene` of each, once the lives have ended: systems may share a world.
"""

scene_clocks: weakref.WeakSet[Any] = weakref.WeakSet()
"""The clocks of scenes, which scene managers advance: tools look for timers there too."""

hook_callers: set[object] = set()
"""Source files, and the code of single functions, that call hooks.

In their frames, `record` or `self` is the one whose hook runs. So a reset can tell from the stack
that it was called by a hook.
"""

frame_callbacks: list[Callable[[SystemContext], object]] = []
"""Called at the end of every `update`."""


class SwarmBase:
    """Lives that aren't instances of a prefab, such as a swarm's; `len()` counts them.

    Register it with `SystemContext.add_swarm`; system and budget refer to it weakly.

    Attributes:
        name: What it is called in reports.
        settings: Its limits, and what happens there.
    """

    name: str
    settings: PoolSettings
    _ledger: Ledger
    _is_busy: bool  # a hook of the game is running

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
        """End all lives: the system is reset or disposed of."""
        raise NotImplementedError

    def _image(self) -> Any:
        """Return a surface that shows one of its lives, if it has any."""

    def _reserve(self, count: int) -> None:
        """Allocate room for `count` lives."""

    def _oldest(self) -> int | None:
        """Return the number that its budget gave its oldest life, if it has one."""

    def _end_oldest(self, count: int, before: float) -> int:
        """End up to `count` of its oldest lives with numbers below `before`; return how many."""
        raise NotImplementedError


# -- for tools --------------------------------------------------------------------------------


def context_of(owner: PoolingSystem | Pool[Any]) -> SystemContext:
    """Return what the pools of a system share: its clock, its switches, its watchers."""
    return owner._context


def lives_of(pool: Pool[Any]) -> dict[Record[Any], Any]:
    """Return the records of a pool's lives with their instances, the oldest first. Only look."""
    return pool._active


def home_groups_of(pool: Pool[Any]) -> tuple[Any, ...]:
    """Return the groups that every life of a pool joins, unless a function names them."""
    return pool._groups


def is_to_rest(record: Record[Any]) -> bool:
    """Return whether the instance of a life that ends is to be used again, as things are now."""
    pool = record.pool
    is_over = record.is_doomed or pool._context.closed or pool._num_surplus
    return pool._is_pooling and not is_over


class LifeWatcher:
    """Sees the lives of a system.

    If `on_spawning` or `on_despawned` raises, that counts as if a hook had raised. What the other
    methods raise reaches the caller.
    """

    def on_call(self, what: str, name: str) -> None:
        """A call is about to do something to a pool, or to all ("the pools")."""

    def on_acquiring(self, pool: Pool[Any], protected: Collection[Record[Any]]) -> None:
        """A pool is about to take or make an instance for a life under those protected."""

    def on_spawning(self, record: Record[Any]) -> None:
        """A life begins; the instance isn't in play yet."""

    def on_despawned(self, record: Record[Any], reason: DespawnReason) -> None:
        """A life is over; its hooks have run, and it has left groups and physics."""

    def on_double_despawn(self, record: Record[Any]) -> None:
        """The game despawns an instance whose life is over already."""

    def on_removed(self, record: Record[Any]) -> None:
        """An instance leaves its pool: it is being destroyed or detached."""

    def on_restoring(self) -> None:
        """A checkpoint is about to be restored: lives end and begin without further notice."""


class TimeWatcher:
    """Sees the frames and scenes of a system."""

    def on_updating(self, dt: float) -> None:
        """An update begins. What this raises reaches the caller."""

    def on_scene_ended(self, report: SceneReport) -> None:
        """A reset or dispose has ended a scene, with these figures."""

    def counts_to_prewarm(self) -> Mapping[Any, int]:
        """Return how many instances of which prefabs to prewarm for the next scene."""
        return {}

    def on_swarm_added(self, swarm: SwarmBase) -> None:
        """A swarm was made."""

    def on_pool_added(self, pool: PrefabPool[Any]) -> None:
        """A prefab is used for the first time; its pool is empty."""


# -- subclasses that games don't notice -------------------------------------------------------


def silent_subclass(kind: type, names: dict[str, Any], *others: type) -> type:
    """Create a subclass of `kind` without running its metaclass or `__init_subclass__`.

    These may count, register or forbid subclasses. The subclass passes for `kind`, and may have
    `others` as further bases.
    """
    same = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
    names = {**same, "__class__": property(lambda _: kind), **names}
    meta = type(kind)
    new = ABCMeta.__new__ if issubclass(meta, ABCMeta) else type.__new__
    hook = "__init_subclass__"
    former = vars(kind).get(hook)
    type.__setattr__(kind, hook, classmethod(lambda _: None))
    try:
        return new(meta, kind.__name__, (kind, *others), names)
    finally:
        if former is None:
            type.__delattr__(kind, hook)
        else:
            type.__setattr__(kind, hook, former)


def instrumented(kind: Any, members_of: Callable[[Any], dict[str, Any]]) -> Any:
    """Return the subclass of `kind` with the members of `members_of(kind)`; copies are of `kind`.

    It passes for `kind`, which keeps it: there is one for each class, freed with it.
    """
    subclass = vars(kind).get(_INSTRUMENTED)
    if subclass is None:

        def reduce(part: Any, protocol: Any) -> Any:
            maker, args, *state = kind.__reduce_ex__(part, protocol)
            args = tuple(kind if arg is subclass else arg for arg in args)
            return kind if maker is subclass else maker, args, *state

        def set_shown_class(part: Any, other: Any) -> None:
            set_class(part, instrumented(other, members_of))

        shown_class = property(lambda _: kind, set_shown_class)
        members = {"__slots__": (), "__reduce_ex__": reduce, "__class__": shown_class}
        subclass = silent_subclass(kind, members | members_of(kind))
        type.__setattr__(kind, _INSTRUMENTED, subclass)
    return subclass


def is_instrumented(kind: type) -> bool:
    """Return whether `instrumented` made a class."""
    return getattr(kind, _INSTRUMENTED, None) is kind


_INSTRUMENTED = "_poolkit_instrumented"

set_class: Callable[[Any, type], None] = vars(object)["__class__"].__set__
"""Give an object another class, even one that passes for the class it extends."""
