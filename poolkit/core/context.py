"""What the pools of one system share: a clock, the switches, and who looks on."""

from __future__ import annotations

import contextlib
import weakref
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from poolkit.core.clock import ROUNDING, Clock, checked_seconds
from poolkit.core.errors import ErrorCollector, NotManagedError, PoolError
from poolkit.core.handle import Handle
from poolkit.core.record import DESTROYED, Record
from poolkit.core.seams import frame_callbacks

if TYPE_CHECKING:
    from poolkit.core.hooks import HookPlan, Listeners
    from poolkit.core.pool import Pool
    from poolkit.core.seams import Crowd, LifeWatcher, TimeWatcher

Reuse = Literal["at_once", "next_update"]

_TRIM_SECONDS = 0.25  # what was not needed for long need not be looked for more often


_contexts: weakref.WeakSet[SystemContext] = weakref.WeakSet()


def record_anywhere(instance: object) -> Record[Any] | None:
    """Return the record of an instance in whichever system, or object pool, manages it."""
    found = (context.records.get(id(instance)) for context in _contexts)
    return next((record for record in found if record is not None), None)


class SystemContext:
    """The common ground of pools that belong together."""

    life_watchers: tuple[LifeWatcher, ...] = ()  # the class has those that each begins with

    def __init__(self, records: dict[int, Record[Any]]) -> None:
        _contexts.add(self)
        self.clock = Clock()  # what `update` advances
        self.records = records  # of each instance, by `id`: instances need not be hashable
        self.retired: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.closed = False  # whether it was disposed of
        self.pooling = True  # whether instances are reused at all
        # When what was despawned may be handed out again; `None`: at once, until the first update.
        self.reuse: Reuse | None = None
        self.scene = "main"  # its name, for reports
        self.pools: dict[Pool[Any], None] = {}  # all of them, in order of first use
        self.stirred: list[Pool[Any]] = []  # something was spawned or despawned of late
        self.trimming: dict[Pool[Any], None] = {}  # they destroy what was not needed for long
        self.growing: dict[Pool[Any], float] = {}  # they prespawn a few an update, from a second on
        self.plans: dict[Any, HookPlan] = {}  # for kinds of instances
        self.time_watchers: list[TimeWatcher] = []
        # By id, in the order in which they were made, as long as anybody holds them.
        self.crowds: weakref.WeakValueDictionary[int, Crowd] = weakref.WeakValueDictionary()
        # What the game listens with, for all pools; a pool has more of its own.
        self.on_spawn: Listeners = {}
        self.on_despawn: Listeners = {}
        self.extras: dict[object, Any] = {}  # what rooms above core keep of the system

    # -- the map of instances -----------------------------------------------------------------

    def find(self, instance: object) -> Record[Any] | None:
        """Return the record of `instance`, one destroyed since included, or `None`."""
        record = self.records.get(id(instance))
        if record is None:
            attached = getattr(instance, "_pool_record", None)
            # A mock answers to every name: only a real record counts.
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
            message = "None is no instance: was it looked up by a handle whose life is over?"
        elif isinstance(instance, Handle):
            message = f"{instance!r} is a handle, no instance: use what its get() returns"
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

    def require_unless_gone(self, instance: object) -> Record[Any] | None:
        """Return the record of a managed `instance`; `None`: it was, and is destroyed."""
        record = self.find(instance)
        if record is None and id(instance) in self.retired:
            return None
        is_its = record is not None and (record.instance is instance or record.destroyed)
        return record if is_its else self.require(instance)

    def require_active(self, instance: object) -> Record[Any]:
        """Return the record of a managed `instance` that is alive."""
        record = self.require(instance)
        if not record.active:
            message = f"{record.label} is not active: only what is in play can be detached"
            raise PoolError(message)
        return record

    def forget(self, record: Record[Any], *, retire: bool) -> None:
        """Take an instance off the map; `retire`: remember, weakly, that its life is over."""
        key = id(record.instance)
        if self.records.pop(key, None) is not None and retire:
            # What takes no weak reference counts as a stranger from now on, which is the safe
            # side, for its id may be another object's tomorrow.
            with contextlib.suppress(TypeError):
                self.retired[key] = record.instance

    def admit_crowd(self, crowd: Crowd) -> None:
        """Let lives that are no instances belong to the system."""
        self.crowds[id(crowd)] = crowd
        for watcher in self.time_watchers:
            watcher.crowd_begun(crowd)

    # -- switches -----------------------------------------------------------------------------

    def retune(self) -> None:
        """Let every pool decide anew whether it may take its fast path."""
        for pool in self.pools:
            pool._retune()

    # -- frames -------------------------------------------------------------------------------

    def pass_frame(self) -> None:
        """Make reusable what was despawned, before time goes on."""
        self.stirred = [pool for pool in self.stirred if pool._pass_frame()]

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass for everything that goes by time."""
        if dt.__class__ is not float or not 0.0 <= dt < inf:  # in few steps: each frame does this
            dt = float(checked_seconds(dt, "update()"))
        for watcher in self.time_watchers:
            watcher.updating(dt)
        if self.reuse is None:
            self.reuse = "next_update"
            self.retune()
        errors, before = ErrorCollector(), self.clock.now
        self.pass_frame()
        try:
            self.clock.advance(dt)
        except BaseException as error:
            errors.add(error)
        if self.growing or self.trimming:
            self._resize(before, errors)
        for callback in frame_callbacks:
            try:
                callback(self)
            except BaseException as error:
                errors.add(error)
        errors.raise_all("update() is complete, but calls raised")

    def _resize(self, before: float, errors: ErrorCollector) -> None:
        """Make some of what pools prespawn by and by; destroy some of what they do not need."""
        now = self.clock.now
        for pool, since in list(self.growing.items()):
            if now + ROUNDING >= since:
                self.growing.pop(pool, None)  # not tried again where its factory fails
                with errors:
                    if pool._grow():
                        self.growing[pool] = since
        if now // _TRIM_SECONDS > before // _TRIM_SECONDS:
            for pool in list(self.trimming):
                errors.call(pool._trim_idle)

    # -- tools --------------------------------------------------------------------------------

    def watch_lives(self, watcher: LifeWatcher) -> None:
        """Let `watcher` see lives begin and end, those that last now included."""
        self.life_watchers += (watcher,)
        self.retune()

    def unwatch_lives(self, watcher: LifeWatcher) -> None:
        """Let `watcher` see no more lives."""
        self.life_watchers = tuple(other for other in self.life_watchers if other is not watcher)
        self.retune()

    def tell_called(self, what: str, name: str) -> None:
        """Tell those who watch lives what is about to be done; what they raise forbids it."""
        for watcher in self.life_watchers:
            watcher.called(what, name)
