"""`SystemContext`: the clock, the switches and the watchers that the pools of a system share."""

from __future__ import annotations

import contextlib
import inspect
import traceback
import weakref
from typing import TYPE_CHECKING, Any, Literal

from poolkit.core.clock import LONGEST_UPDATE, ROUNDING, Clock, checked_dt
from poolkit.core.ending import Handle
from poolkit.core.errors import ErrorCollector, NotManagedError, PoolError
from poolkit.core.record import Record
from poolkit.core.saving import saved_without
from poolkit.core.seams import frame_callbacks, hook_callers, worlds
from poolkit.core.states import DESTROYED

if TYPE_CHECKING:
    from poolkit.core.building import PrespawnSchedule
    from poolkit.core.hooks import Listeners
    from poolkit.core.plan import HookPlan
    from poolkit.core.pool import Pool
    from poolkit.core.seams import LifeWatcher, SwarmBase, TimeWatcher
    from poolkit.core.system import PrefabRegistry

Reuse = Literal["at_once", "next_update"]

_TRIM_SECONDS = 0.25  # between two looks for what wasn't needed for long


all_contexts: weakref.WeakSet[SystemContext] = weakref.WeakSet()


def record_anywhere(instance: object) -> Record[Any] | None:
    """Return the record of an instance in whichever system or object pool manages it."""
    found = (context.records.get(id(instance)) for context in all_contexts)
    return next((record for record in found if record is not None), None)


@saved_without(
    "closed",
    "extras",
    "is_entering",
    "life_watchers",
    "num_resets",
    "plans",
    "pools",
    "records",
    "registry",
    "resetting",
    "retired",
    "swarms",
    "time_watchers",
)
class SystemContext:
    """What the pools of one system share; each `ObjectPool` has its own."""

    life_watchers: tuple[LifeWatcher, ...] = ()  # tools may set those of all systems on the class
    registry: PrefabRegistry  # of a pooling system

    def __init__(self) -> None:
        all_contexts.add(self)
        self.clock: Clock = Clock()  # what `update` advances
        self.records: dict[int, Record[Any]] = {}  # by `id`: instances may be unhashable
        self.retired: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.closed = False  # whether it was disposed of
        self.resetting = False
        self.is_entering = False  # whether the `enter` of a scene runs
        self.pooling = True  # whether instances are reused at all
        # When despawned instances may be reused; `None`: at once, until the first update.
        self.reuse: Reuse | None = None
        self.scene = "main"  # its name, for reports
        self.num_resets = 0
        self.pools: dict[Pool[Any], None] = {}  # all of them, in order of first use
        self.dirty_pools: list[Pool[Any]] = []  # in which something has changed
        self.trimming: dict[Pool[Any], None] = {}  # with `trim_after`
        self.schedules: dict[Pool[Any], PrespawnSchedule] = {}  # they prespawn by and by
        self.plans: dict[Any, HookPlan] = {}  # by kinds of instances
        self.time_watchers: list[TimeWatcher] = []
        # By id, in the order in which they were made.
        self.swarms: weakref.WeakValueDictionary[int, SwarmBase] = weakref.WeakValueDictionary()
        self.on_spawn: Listeners = {}  # for all pools; each pool has its own besides
        self.on_despawn: Listeners = {}
        self.extras: dict[object, Any] = {}  # for rooms above core

    # -- the map of instances -----------------------------------------------------------------

    def find(self, instance: object) -> Record[Any] | None:
        """Return the record of `instance`, even if it is destroyed, or `None`."""
        record = self.records.get(id(instance))
        if record is None:
            attached = getattr(instance, "_pool_record", None)
            # A mock has every attribute: only a real record counts.
            if isinstance(attached, Record) and attached.context is self:
                return attached
        return record

    def require_part(self, instance: object) -> Record[Any]:
        """Return the record that `instance`, or what it is a part of, belongs to."""
        record = self.find(instance)
        if record is not None and record.state is not DESTROYED:
            return record
        attached = getattr(instance, "_pool_record", None)
        if instance is None:
            message = "None isn't an instance: did it come from a handle whose life is over?"
        elif isinstance(instance, Handle):
            message = f"{instance!r} is a handle, not an instance: use what its get() returns"
        elif getattr(attached, "state", None) is DESTROYED:
            message = f"{instance!r} was destroyed by its pool: spawn a new one"
        elif isinstance(attached, Record):
            message = (
                f"{instance!r} is managed by another pooling system: use sprite.system, "
                "or the system that spawned it"
            )
        else:
            message = (
                f"{instance!r} is managed by no pool of this system (never spawned by it, or "
                "detached since): spawn it, or let it be managed by adopt(prefab, instance)"
            )
        raise NotManagedError(message)

    def require(self, instance: object) -> Record[Any]:
        """Return the record of a managed `instance`."""
        record = self.require_part(instance)
        if record.instance is not instance:
            message = (
                f"{instance!r} is a part of {record.label}, with no life of its own: "
                "kill() hides it, despawning its root ends it"
            )
            raise NotManagedError(message)
        return record

    def require_or_none(self, instance: object) -> Record[Any] | None:
        """Return the record of a managed `instance`; `None` if it is destroyed."""
        record = self.find(instance)
        if record is None and id(instance) in self.retired:
            return None
        is_its = record is not None and (record.instance is instance or record.destroyed)
        return record if is_its else self.require(instance)

    def require_active(self, instance: object) -> Record[Any]:
        """Return the record of an active `instance`, to detach it."""
        record = self.require(instance)
        if not record.active:
            message = f"{record.label} is not active: only active instances can be detached"
            raise PoolError(message)
        return record

    def forget(self, record: Record[Any], *, retire: bool) -> None:
        """Remove an instance from the map; `retire`: remember, weakly, that it was managed."""
        key = id(record.instance)
        if self.records.pop(key, None) is None:
            return
        if not retire:
            self.retired.pop(key, None)  # it may have been managed twice
        else:
            # An instance without weak references counts as a stranger from now on: its id may
            # be another object's tomorrow.
            with contextlib.suppress(TypeError):
                self.retired[key] = record.instance

    def add_swarm(self, swarm: SwarmBase) -> None:
        """Add a swarm to the system."""
        self.swarms[id(swarm)] = swarm
        for watcher in self.time_watchers:
            watcher.on_swarm_added(swarm)

    # -- switches -----------------------------------------------------------------------------

    def notify_pools(self) -> None:
        """Have every pool follow a change of the switches or the observers."""
        for pool in self.pools:
            pool._on_change()

    # -- frames -------------------------------------------------------------------------------

    def tick_dirty_pools(self) -> None:
        """Make despawned instances reusable."""
        self.dirty_pools = [pool for pool in self.dirty_pools if pool._tick()]

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        if dt.__class__ is not float or not 0.0 <= dt <= LONGEST_UPDATE:
            dt = checked_dt(dt, "update()")
        for watcher in self.time_watchers:
            watcher.on_updating(dt)
        if self.reuse is None:
            self.reuse = "next_update"
            self.notify_pools()
        errors, before = ErrorCollector(), self.clock.now
        self.tick_dirty_pools()
        try:
            self.clock.advance(dt)
        except BaseException as error:
            errors.add(error)
        if self.schedules or self.trimming:
            self._resize(before, errors)
        for callback in frame_callbacks:
            try:
                callback(self)
            except BaseException as error:
                errors.add(error)
        errors.raise_all("update() is complete, but calls raised")

    def restart_clock(self) -> None:
        """Have the clock begin at 0 again if there is no life and nothing waits.

        So what follows adds up the same times whatever was played before.
        """
        lives = (pool.active_count for pool in self.pools)
        rows = (len(swarm) for swarm in self.swarms.values())
        if not (any(lives) or any(rows)):
            self.set_clock(0.0)

    def set_clock(self, now: float) -> None:
        """Have the clock begin again at second `now` if nothing waits."""
        clock = self.clock
        if now != clock.now and not (self.schedules or clock.tick_callbacks or len(clock)):
            clock.restart(now)

    def _resize(self, before: float, errors: ErrorCollector) -> None:
        """Make some of what pools prespawn by and by; trim what they didn't need."""
        now = self.clock.now
        for pool in list(self.schedules):
            schedule = self.schedules.get(pool)  # factories of the others may have changed it
            if schedule is not None and now + ROUNDING >= schedule.start:
                del self.schedules[pool]  # a factory that fails isn't tried again
                with errors:
                    if pool._prespawn_step(schedule):
                        self.schedules.setdefault(pool, schedule)  # its own factory may have, too
        if now // _TRIM_SECONDS > before // _TRIM_SECONDS:
            for pool in list(self.trimming):
                errors.call(pool._trim_idle)

    # -- tools --------------------------------------------------------------------------------

    def watch_lives(self, watcher: LifeWatcher) -> None:
        """Show `watcher` how lives begin and end from now on."""
        self.life_watchers += (watcher,)
        self.notify_pools()

    def unwatch_lives(self, watcher: LifeWatcher) -> None:
        """Stop showing `watcher` lives."""
        self.life_watchers = tuple(other for other in self.life_watchers if other is not watcher)
        self.notify_pools()

    def notify_call(self, what: str, name: str) -> None:
        """Notify the watchers of lives of a call. A watcher can forbid it by raising."""
        for watcher in self.life_watchers:
            watcher.on_call(what, name)

    # -- who is at work -----------------------------------------------------------------------

    def pools_running_hooks(self) -> list[Pool[Any]]:
        """Return the pools one of whose hooks or factories is running now."""
        owners: list[Any] = []
        # Looked up in the stack only when somebody asks: counting them would cost every hook.
        for frame, _ in traceback.walk_stack(inspect.currentframe()):
            if frame.f_code in hook_callers or frame.f_code.co_filename in hook_callers:
                names = frame.f_locals
                owners += [names.get("self"), getattr(names.get("record"), "pool", None)]
        ids = set(map(id, owners))
        return [pool for pool in self.pools if id(pool) in ids]

    def refuse_if_busy(self, what: str) -> None:
        """Refuse what can't be done inside a hook or a physics step."""
        self.notify_call(what, "the pools")
        inside = ""
        if any(world.is_stepping for world in worlds):
            inside = "a physics step"
        elif self.resetting:
            inside = "a reset"
        elif self.pools_running_hooks() or any(swarm._is_busy for swarm in self.swarms.values()):
            inside = "a hook"
        if inside:
            message = (
                f"{what} was called inside {inside}: set a flag, "
                "and do it in your game loop, between two frames"
            )
            raise PoolError(message)
