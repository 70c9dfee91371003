"""The pooling engine: spawns instances, and keeps the inactive ones between lives.

`Pool._spawn` is the one way to begin a life, `ending.end` the one way to end it.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from functools import partial
from itertools import repeat
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from poolkit.core.active_instances import ActiveInstances
from poolkit.core.building import Builder, PrespawnSchedule, check_new, collector_off
from poolkit.core.clock import ROUNDING
from poolkit.core.ending import end, end_everything
from poolkit.core.errors import ErrorCollector, NotManagedError, PoolError
from poolkit.core.fields import copiers, copy_for_life
from poolkit.core.hooks import DespawnReason, Listeners, listen
from poolkit.core.life_extras import STAYS, LifeExtras, Observers
from poolkit.core.plan import PREPARED
from poolkit.core.record import PoolablePrefabData, Record
from poolkit.core.recycling import Recycler
from poolkit.core.respawning import respawn_in_place
from poolkit.core.saving import saved_without
from poolkit.core.seams import hook_callers, record_for
from poolkit.core.settings import PoolSettings, RecycleLowest, RecycleOldest, checked_count
from poolkit.core.states import ACTIVE, DESTROYED, DETACHED, INACTIVE, SPAWNING
from poolkit.core.statistics import Counts, Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.context import SystemContext
    from poolkit.core.plan import Begin
    from poolkit.core.prefab import Prefab
    from poolkit.core.statistics import PoolReport, PoolStats
    from poolkit.core.system import PoolingSystem

T = TypeVar("T")
ORIGIN = (0.0, 0.0)  # compared by identity: no position was given
_TRIMMED_AT_ONCE = 4
_RENEWED_PER_UPDATE = 4
_NO_OPTIONS: dict[str, Any] = {}
_generation = attrgetter("generation")


def checked_pose(position: Any, rotation: Any) -> tuple[float, float, float]:
    """Return ``(x, y, rotation)`` of a valid position and rotation."""
    try:
        x, y = position
        pose = x, y, rotation
        is_finite = all(map(isfinite, pose))
    except (TypeError, ValueError, OverflowError) as error:
        message = (
            f"a position is two numbers (x, y) and a rotation one, in degrees; "
            f"not {position!r} and {rotation!r}"
        )
        raise (ValueError if isinstance(error, ValueError) else TypeError)(message) from None
    if not is_finite:
        message = (
            f"a position and a rotation must be finite, not {position!r} and {rotation!r}: "
            "look for a division by zero where they are computed"
        )
        raise ValueError(message)
    if all(map(isinstance, pose, repeat(int | float))):
        return pose  # unchanged: hooks may use whole numbers as indices
    return float(x), float(y), float(rotation)


class _Stack(deque[T]):
    """A queue that hands out first what came last."""

    __slots__ = ()

    append = deque.appendleft
    extend = deque.extendleft


class _PoolSlots(Generic[T]):
    """What every spawn and despawn reads, side by side in memory: there may be many pools."""

    __slots__ = (
        "_active",
        "_end_observers",
        "_inactive",
        "_observers",
        "_plain_room",
        "_return_queue",
        "_room",
    )


@saved_without("_context", "_end_observers", "_is_plain", "_observers", "_return_queue", "name")
class Pool(_PoolSlots[T]):
    """Hands out instances that are as good as new, and takes them back when their life is over.

    It has a builder, which makes, wakes and destroys instances; a recycler, which makes room when
    the pool is full; and a ledger, which counts.

    Attributes:
        name: What its instances are called.
    """

    def __init__(self, prefab: Prefab[T], settings: PoolSettings, context: SystemContext) -> None:
        self.name: str = prefab.name
        self._active: dict[Record[T], T] = {}
        self._inactive: deque[Record[T]] = deque()
        self._awaiting_update: deque[Record[T]] = deque()
        self._records: dict[Record[T], None] = {}
        self._doomed: set[Record[T]] = set()  # to be destroyed when their lives are over
        self._context = context
        self._builder = Builder(prefab)
        self._kind: type | None = None  # of the last instance, and its class of records
        self._record_class: Callable[..., Record[T]] = Record
        self._ledger = Ledger(context.clock)
        self._recycler = Recycler(self)
        self._on_spawn: Listeners = {}
        self._on_despawn: Listeners = {}
        self._observers: Observers | None = None  # of beginnings
        self._end_observers: Observers | None = None
        self._is_prespawned = False
        self._is_dirty = False  # something has changed: the next updates must look at the pool
        # With fewer lives than this, a spawn takes what is inactive without a further look: no
        # limit and no new peak is in sight. 0 while the pool is clean, closed or watched.
        self._room = 0
        self._plain_room = 0  # the same; 0 if there is more to each life than place and data
        # The queue that an instance joins as its life ends; `None`: there is more to it.
        self._return_queue: deque[Record[T]] | None = None
        self._use_prefab(prefab)
        Pool._use_settings(self, settings)

    def _use_prefab(self, prefab: Prefab[T]) -> None:
        self._persistent = prefab.persistent
        self._may_pool = prefab.pooling
        self._data = prefab.data  # of every life, completed or replaced by its spawn's
        values = () if prefab.data is None else prefab.data.values()
        self._is_data_copied = any(type(value) in copiers for value in values)
        groups = prefab.groups
        self._groups_fn = groups if callable(groups) else None
        self._groups: tuple[Any, ...] = () if callable(groups) else tuple(groups)

    def _on_change(self) -> None:
        """Follow a change of the system's switches, of observers, or of settings."""
        context = self._context
        context.trimming.pop(self, None)
        if self._settings.trim_after is not None:
            context.trimming[self] = None
        self._is_pooling = self._may_pool and context.pooling
        listeners = (self._on_spawn, context.on_spawn), (self._on_despawn, context.on_despawn)
        on_spawn, on_despawn = [[tuple(one.values()) for one in pair] for pair in listeners]
        self._observers = self._end_observers = None
        if any(on_spawn):
            self._observers = Observers(on_spawn, on_despawn)
        if context.life_watchers or any(on_despawn):
            self._end_observers = Observers(on_spawn, on_despawn)
        # Whether a spawn takes nothing but what it is given.
        self._is_plain = not (self._data or self._groups_fn or self._settings.budget)
        self._set_room(0)
        self._set_return_queue()

    def _set_return_queue(self) -> None:
        most = self._settings.max_idle
        is_plain = (
            self._is_dirty
            and self._is_pooling
            and (most is None or len(self._records) <= most)  # else one may be a surplus
            and not self._context.life_watchers
            and not self._doomed
            and not self._context.closed
        )
        self._return_queue = self._queue_of_ended if is_plain else None

    @property
    def _queue_of_ended(self) -> deque[Record[T]]:
        """The queue for instances whose life has just ended."""
        waits = self._context.reuse == "next_update"
        return self._awaiting_update if waits else self._inactive

    def _record_for(self, instance: T) -> Record[T]:
        """Return a new record for `instance`, by its kind."""
        kind = type(instance)
        if kind is not self._kind:
            self._kind, self._record_class = kind, record_for.dispatch(kind)
        record: Record[T] = self._record_class(instance, self)
        return record

    # -- a life begins ------------------------------------------------------------------------

    def _spawn(
        self,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        options: dict[str, Any] = _NO_OPTIONS,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn` for everything about it."""
        try:
            x, y = position
            if not isfinite(x + y + rotation):
                raise ValueError  # noqa: TRY301 - `checked_pose` says what is wrong
        except (TypeError, ValueError, OverflowError):
            x, y, rotation = checked_pose(position, rotation)
        names: tuple[str, ...] = tuple(options) if options else ()
        begin = None
        if len(self._active) < self._plain_room and self._inactive:
            record = self._inactive.popleft()
            begin = record.plan.begins.get(names)
            if begin is None:  # new names, some to prepare for, or it is asleep
                self._inactive.appendleft(record)
        if begin is None:
            record, begin, options = self._acquire(names, options)
            if position is ORIGIN and record.parent is not None:
                x, y = record.parent.pose(options["parent"])[:2]
        record.generation += 1
        record.state = SPAWNING
        self._active[record] = record.instance
        try:
            begin(record, options, x, y, rotation)
            if self._observers is not None:
                self._observers.announce(record)
        except BaseException as error:
            self._fail(record, error)
        if record.state is SPAWNING:
            record.state = ACTIVE
            return record.instance
        return self._finish_ended_spawn(record)

    def _acquire(
        self, names: tuple[str, ...], options: dict[str, Any]
    ) -> tuple[Record[T], Begin, dict[str, Any]]:
        """Take an inactive instance for a life that must be prepared, or may need more room.

        Returns:
            Its record, what begins its life, and the options, completed by the prefab's data.
        """
        extras = None
        if not (self._is_plain and PREPARED.isdisjoint(names)):
            extras, options = self._prepare(options)
            names = tuple(options)
        is_made, context = False, self._context
        if len(self._active) >= self._room or not self._inactive or context.life_watchers:
            is_made = self._make_way(names, extras)
            extras, options = self._prepare_again(options, extras)
            names = tuple(options)
        record = self._inactive.popleft()
        if not record.is_awake:
            extras, options = self._wake(record, options, extras)
            names = tuple(options)
        plan = record.plan
        begin = (plan.begins if extras is None else plan.begins_prepared).get(names)
        # Unless it has lived, it may be adopted.
        if begin is None or not (record.generation and (record.can_join or extras is None)):
            is_adopted = record not in self._records
            begin = self._check_begin(record, names, extras, is_adopted=is_adopted)
            is_made |= is_adopted
        record.extras = extras
        if extras is not None and self._recycler.budget is not None:
            extras.birth = self._recycler.budget._next_births()
        if context.life_watchers:  # some may have come since
            begin = partial(self._begin_watched, begin)
        if is_made or len(self._active) >= self._room:
            is_first = is_made and not record.generation
            self._note_beginning(len(self._active) + 1, is_first=is_first)
        return record, begin, options

    def _begin_watched(self, begin: Begin, record: Record[T], *where: Any) -> None:
        """Begin a life that is shown to tools before the instance is in play."""
        for watcher in self._context.life_watchers:
            watcher.on_spawning(record)
        begin(record, *where)

    def _prepare(self, options: dict[str, Any]) -> tuple[LifeExtras, dict[str, Any]]:
        """Return what only some lives have, and the options completed by the prefab's data.

        Wrong options are refused here, before anything is taken or made for the life.
        """
        extras = LifeExtras()
        if self._groups_fn is not None or "groups" in options:
            extras.find_groups(options, self)
        if "parent" in options:  # only now: the function of the groups may end its life
            extras.find_parent(options["parent"], self)
        if self._data:
            data = copy_for_life(self._data) if self._is_data_copied else self._data
            options = {**data, **options}
        return extras, options

    def _prepare_again(
        self, options: dict[str, Any], extras: LifeExtras | None
    ) -> tuple[LifeExtras | None, dict[str, Any]]:
        """Follow what the game's code has changed since: the pool, or the life of the parent."""
        if extras is None and not self._is_plain:
            return self._prepare(options)
        if extras is not None and extras.parent is not None:
            extras.find_parent(options["parent"], self)
        return extras, options

    def _check_begin(
        self,
        record: Record[T],
        names: tuple[str, ...],
        extras: LifeExtras | None,
        *,
        is_adopted: bool,
    ) -> Begin:
        """Check the options, and return what begins the life of an instance."""
        try:
            if extras is not None and extras.groups:
                record.check_groups()
            if is_adopted:
                begin = record.plan.begin_in_place(names, self.name)
                self._add(record)
            else:
                is_prepared = extras is not None
                begin = record.plan.begin_for(names, self.name, is_prepared=is_prepared)
        except BaseException as error:
            self._put_back(record, error)
            raise
        return begin

    def _make_way(self, names: tuple[str, ...], extras: LifeExtras | None) -> bool:
        """Make sure that a life may begin, and that an inactive instance is there for it.

        This may run the game's code: factories, policies, hooks of lives that are recycled. What
        these change is looked at again.

        Returns:
            Whether it has made the instance.
        """
        context, recycler = self._context, self._recycler
        if self._room <= 0:  # it may be clean, unknown to its system, or closed
            self._ensure_open("spawn")
            self._mark_dirty()
            if not self._is_prespawned:
                self._make_up_to(0)
        else:
            context.notify_call("spawn", self.name)
        others, made = recycler.protected, None
        has_parent = extras is not None and extras.parent is not None
        if has_parent and (context.life_watchers or recycler.num_free <= 0):
            recycler.protected = {*others, *extras.lineage}  # type: ignore[union-attr]
        try:
            for watcher in context.life_watchers:
                watcher.on_acquiring(self, recycler.protected)
            has_room = len(self._active) < self._room
            allowed = 0 if has_room else recycler.ensure_room(names)
            while not self._inactive:
                made = self._make_late(names)
                allowed = recycler.ensure_room(names, allowed)
        except BaseException as error:
            if made is not None and made in self._inactive:
                self._inactive.remove(made)
                self._put_back(made, error)
            raise
        finally:
            recycler.protected = others
        return made is not None

    def _note_beginning(self, count: int, *, is_first: bool) -> None:
        """Count a life that had to ask for its beginning; let the next ones begin without that.

        It makes `count` lives.
        """
        ledger = self._ledger
        ledger.totals.first_lives += is_first
        ledger.peak = max(ledger.peak, count)
        self._set_room(min(ledger.peak, len(self._active) + self._recycler.lease_room()))

    def _set_room(self, room: int) -> None:
        """Say with how many lives a spawn must ask for more room, or for a new peak."""
        self._room = room
        self._plain_room = room if self._is_plain and not self._context.life_watchers else 0

    def _make_late(self, names: tuple[str, ...]) -> Record[T]:
        """Make an instance for a spawn that found none, and more if `grow_by` says so."""
        if self._awaiting_update:
            self._context.clock.warn_if_never_updated(len(self._awaiting_update))
        record = self._make(names)
        if self._context.closed:  # by the factory
            self._destroy(record)
            self._ensure_open("spawn")
        totals = self._ledger.totals
        totals.late += 1
        totals.unpooled += not self._is_pooling
        try:  # added after the call: hooks of new instances may make some late too
            num_more = self._make_more(self._settings.grow_by - 1)
        except BaseException as error:
            self._put_back(record, error)
            raise
        totals.late += num_more
        totals.prespawned -= num_more
        if self._context.is_entering:
            totals.entered += 1 + num_more
        self._inactive.appendleft(record)
        return record

    def _wake(
        self, record: Record[T], options: dict[str, Any], extras: LifeExtras | None
    ) -> tuple[LifeExtras | None, dict[str, Any]]:
        """Wake an instance that rests asleep, and prepare again: its hooks have run."""
        allowed = 0 if self._recycler.num_free > 0 else len(self._active) + 1
        try:
            self._builder.wake(record)
            self._recycler.ensure_room(tuple(options), allowed)  # they may have taken it
            return self._prepare_again(options, extras)
        except BaseException as error:
            self._put_back(record, error)
            raise

    def _put_back(self, record: Record[T], error: BaseException) -> None:
        """Return an instance whose life didn't begin, because of `error`, to the queue."""
        is_over = record.is_doomed or not (record.is_awake and self._is_pooling)
        if not (is_over or self._num_surplus):
            self._inactive.appendleft(record)
            return
        try:
            self._destroy(record)
        except BaseException as another:
            error.add_note(f"then {record.label} could not be put back: {another!r}")

    def _finish_ended_spawn(self, record: Record[T]) -> T:
        """Return the instance of a life that ended before its spawn did."""
        instance = record.instance
        if record.state is DETACHED:
            record.forget_instance()
            return instance
        try:
            if not record.started:  # a group has ended it before it had joined all
                record.leave()
        finally:
            record.release_hold()
        return instance

    def _fail(self, record: Record[T], error: BaseException) -> NoReturn:
        """End a life whose beginning raised, in a hook or before, and destroy it."""
        label = record.label
        if record.state is not DETACHED:
            failed = record.plan.failed_hook(record.started, error)
            where = (
                f"in {failed.label} of {label}" if failed else f"while {label} was put into play"
            )
            error.add_note(where)
        errors = ErrorCollector(error)
        if record.state is not DETACHED:
            record.mark_for_destroy()
        if record.state is SPAWNING:  # else its hooks have ended it before they raised
            end(record, DespawnReason.FAILED, errors)
            errors.call(record.force_leave)  # a group may have failed half-way
        errors.call(self._finish_ended_spawn, record)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now(f"spawning {label}")

    def _spawn_many(
        self, positions: Iterable[Iterable[float]], rotation: float, options: dict[str, Any]
    ) -> list[T]:
        """Begin a life at each place: all, or none if one is refused."""
        poses = [checked_pose(position, rotation) for position in positions]
        self._ensure_open("spawn")
        recycler, protected = self._recycler, self._recycler.protected
        extras = LifeExtras()
        extras.find_parent(options.get("parent"), self)
        begun: list[tuple[Record[T], int]] = []
        instances: list[T] = []
        if poses and not self._is_prespawned:
            self._make_up_to(0)
        try:
            recycler.protected = begun_or_above = {*protected, *extras.lineage}
            recycler.check_room(len(poses))
            for x, y, degrees in poses:
                instance = self._spawn((x, y), degrees, options)
                instances.append(instance)
                record = self._context.find(instance)
                if record is not None:  # else it was detached
                    begun.append((record, record.generation))
                    begun_or_above.add(record)
        except BaseException as error:
            errors = ErrorCollector(error)
            for record, generation in begun:
                if record.lasts(generation):
                    errors.call(end, record, DespawnReason.FAILED)
            errors.raise_now(f"spawning several {self.name}")
        finally:
            recycler.protected = protected
        return instances

    def _adopt(self, instance: T) -> None:
        """Manage an instance that the game built; it is alive from now on."""
        self._ensure_open("adopt an instance as")
        check_new(instance, "adopt() was given")  # before another life ends for it
        allowed = self._recycler.ensure_room(None)
        record = self._builder.adopt(instance, self, allowed)
        x, y, rotation = record.pose()
        self._inactive.appendleft(record)
        self._room = len(self._active) + 1  # there is room, as it was made above
        self._spawn((x, y), rotation, {"groups": STAYS})
        self.decrease_capacity(self._num_surplus)

    # -- a life is over -----------------------------------------------------------------------

    def _return_to_pool(self, record: Record[T], *, is_recycled: bool = False) -> None:
        """Decide what becomes of an instance whose life is over: queue it, or destroy it.

        `is_recycled`: a new life may have it at once, so it is no surplus.
        """
        self._mark_dirty()
        context = self._context
        is_next = is_recycled and context.reuse != "next_update"
        is_over = record in self._doomed or context.closed or not self._is_pooling
        most = None if is_next else self._settings.max_idle
        if is_over or (most is not None and len(self._records) - len(self._active) > most):
            self._destroy(record)
        else:
            record.state = INACTIVE
            self._queue_of_ended.append(record)

    @property
    def _num_surplus(self) -> int:
        """How many inactive instances are more than `max_idle`."""
        most = self._settings.max_idle
        return 0 if most is None else max(0, self.inactive_count - most)

    # -- frames -------------------------------------------------------------------------------

    def _mark_dirty(self) -> None:
        """Have `update` visit the pool, until a frame passes without a change."""
        if not self._is_dirty:
            self._context.dirty_pools.append(self)
            self._is_dirty = True
            self._set_return_queue()

    def _tick(self) -> bool:
        """Make reusable what waited for the update; return whether anything has changed."""
        waiting = self._awaiting_update
        if self._ledger.sample(self._counts) or waiting:
            self._inactive.extend(waiting)
            waiting.clear()
            return True
        self._is_dirty = False
        self._set_room(0)
        self._return_queue = None
        return False

    def _trim_idle(self) -> None:
        """Destroy a few of the instances that weren't needed in the last window of time."""
        settings, ledger = self._settings, self._ledger
        if settings.trim_after is not None:
            counts = self._counts
            ledger.note_use(counts)
            if self._context.clock.total + ROUNDING >= ledger.window_start + settings.trim_after:
                ledger.begin_window(counts)
                self._set_room(0)
            surplus = min(ledger.num_unneeded, ledger.num_unused(counts), _TRIMMED_AT_ONCE)
            surplus = max(0, min(surplus, self.capacity - settings.prespawn))
            ledger.num_unneeded -= surplus
            self.decrease_capacity(surplus)

    # -- instances are made, and given up -----------------------------------------------------

    def _ensure_open(self, what: str) -> None:
        """Raise if the system is disposed of; else make sure the pool is registered with it."""
        raise NotImplementedError

    def _ensure_prespawned(self) -> None:
        """Make what the settings prespawn, once: at registration or first use."""
        if not self._is_prespawned and not self._context.closed:
            self.prespawn(0)

    def prespawn(self, count: int | None = None) -> int:
        """Make the pool hold at least `count` inactive instances; return how many were made.

        The default is what its settings prespawn. Runs `awake`, but no `spawned` and `despawned`
        hooks. Stops at `max_idle`; the limit counts lives, so it's another matter.

        Raises:
            ValueError: `count` is negative.
            PoolError: The system was disposed of.
        """
        wanted = self._num_beforehand if count is None else checked_count(count, "count")
        self._ensure_open("prespawn")
        return self._make_up_to(wanted)

    def _make_up_to(self, count: int) -> int:
        """Make instances until `count` rest, or what a first use prespawns; return how many."""
        is_first = not self._is_prespawned
        wanted = self._begin_prespawn(count)
        try:
            return self._make_more(max(0, wanted - self.inactive_count))
        except BaseException:
            if is_first:
                self._is_prespawned = False
            raise

    def _begin_prespawn(self, count: int) -> int:
        """Return how many must rest: `count`; at the first use, at least what is prespawned."""
        if self._is_prespawned:
            return count
        self._is_prespawned = True
        settings, context = self._settings, self._context
        if not settings.prespawn_delay and settings.prespawn_per_update is None:
            return max(count, self._num_beforehand)
        start = context.clock.now + settings.prespawn_delay
        context.schedules[self] = PrespawnSchedule(start, settings.prespawn_per_update)
        return count

    def _unregister(self) -> None:
        """Unregister from the system. A later use registers the pool again."""
        self._is_prespawned = False
        self._builder.num_made = 0  # from 1 again, whether or not the pool is freed before
        context = self._context
        for pools in (context.pools, context.trimming, context.schedules):
            pools.pop(self, None)
        if self._is_dirty:
            context.dirty_pools.remove(self)
            while self._tick():  # until it is clean
                pass

    def _prespawn_step(self, schedule: PrespawnSchedule) -> bool:
        """Make some of what the settings prespawn; return whether there is more to make."""
        num_left = self._num_beforehand - self.capacity
        now = schedule.next(num_left)
        return self._make_more(now) == now < num_left

    def _num_missing(self, count: int) -> int:
        """Return how many to prewarm for `count` to be inactive, as far as the settings allow."""
        self._ensure_open("prespawn")
        count = self._begin_prespawn(count)
        return max(0, min(count - self.inactive_count, self._room_to_rest()))

    def increase_capacity(self, n: int) -> int:
        """Make `n` more inactive instances, as far as the settings allow; return how many.

        Raises:
            ValueError: `n` is negative.
            PoolError: The system was disposed of.
        """
        n = checked_count(n, "n")
        self._ensure_open("prespawn")
        return self._make_more(n)

    def _make_more(self, n: int) -> int:
        num_made = 0
        with collector_off():
            has_room = n > 0 and self._room_to_rest() > 0
            while has_room and num_made < n:
                record = self._make()
                room = self._room_to_rest()
                if self._context.closed or room <= 0:  # the factory did something
                    self._destroy(record)
                    break
                self._inactive.append(record)
                num_made += 1
                has_room = room > 1
        return num_made

    def _room_to_rest(self) -> int:
        """Return how many more may rest under `max_idle`; without pooling, none."""
        if not self._is_pooling:
            return 0
        most = self._settings.max_idle
        return sys.maxsize if most is None else most - self._num_inactive

    def _make(self, names: tuple[str, ...] | None = None) -> Record[T]:
        """Make an instance of the pool, in no queue yet; see `Builder.make`."""
        record = self._builder.make(self, names)
        self._add(record)
        self._ledger.totals.prespawned += names is None
        return record

    def _add(self, record: Record[T]) -> None:
        """Count an instance as one of the pool's."""
        self._mark_dirty()
        self._records[record] = None
        if self._settings.max_idle is not None:
            self._set_return_queue()

    def _destroy(self, record: Record[T]) -> None:
        """Give up an instance that isn't alive, for good, even if its hooks raise."""
        self._remove_record(record)
        self._builder.destroy(record)

    def _remove_record(self, record: Record[T]) -> None:
        self._mark_dirty()
        del self._records[record]
        if self._doomed or self._settings.max_idle is not None:
            self._doomed.discard(record)
            self._set_return_queue()
        totals = self._ledger.totals
        totals.destroyed += 1
        totals.past_lives += record.generation
        for watcher in self._context.life_watchers:
            watcher.on_removed(record)

    def trim(self, keep: int) -> int:
        """Destroy inactive instances until `keep` are left; return how many.

        Those that can't be reused yet are destroyed as soon as nothing holds them.

        Raises:
            ValueError: `keep` is negative.
        """
        surplus = self.inactive_count - checked_count(keep, "keep")
        return self.decrease_capacity(max(0, surplus))

    def decrease_capacity(self, n: int, *, include_active: bool = False) -> int:
        """Destroy `n` instances, first those that rested longest, then those not reusable yet.

        Args:
            n: How many.
            include_active: End lives too, if need be: those of the lowest priority first if the
                pool has priorities, else the oldest.

        Returns:
            How many were destroyed, or will be as soon as nothing holds them.

        Raises:
            ValueError: `n` is negative.
        """
        n = checked_count(n, "n")
        self._context.notify_call("decrease_capacity()", self.name)
        errors = ErrorCollector()
        lives = self._recycler.in_order() if include_active else []
        done = self._destroy_first(n, errors)
        left = [record for record in self._records if not (record.active or record.is_doomed)]
        chosen = left[: n - done]
        chosen += [record for record in lives if record.active][: n - done - len(chosen)]
        for record in chosen:
            record.mark_for_destroy()  # all of them first: ending one may end another
        for record in chosen:
            if record.active:
                errors.call(end, record, DespawnReason.DISPOSED)
        errors.raise_all(f"decreasing the capacity of {self.name}")
        return done + len(chosen)

    def clear(self) -> int:
        """End every life and destroy every instance; return how many. The pool stays usable.

        Raises:
            BaseException: What hooks raised; it is cleared all the same.
        """
        self._context.notify_call("clear()", self.name)
        num_before = self._ledger.totals.destroyed
        errors = ErrorCollector()
        end_everything(lambda: (self,), DespawnReason.DISPOSED, errors)
        errors.raise_all(f"clearing {self.name}")
        return self._ledger.totals.destroyed - num_before

    def _destroy_inactive(self, errors: ErrorCollector) -> None:
        """Destroy all inactive instances; those still held, once nothing holds them."""
        self._builder.destroy_stash(errors)
        self._destroy_first(self._num_inactive, errors)
        queued = {*self._inactive, *self._awaiting_update}  # hooks have brought them
        for record in self._records:
            if not record.active and record not in queued:
                record.mark_for_destroy()

    def _destroy_first(self, count: int, errors: ErrorCollector) -> int:
        """Destroy up to `count` of the inactive ones, the longest first; return how many."""
        done = 0
        while done < count and (queue := self._inactive or self._awaiting_update):
            done += 1  # hooks may change the queues
            record = queue.pop() if isinstance(queue, _Stack) else queue.popleft()
            errors.call(self._destroy, record)
        return done

    # -- limits -------------------------------------------------------------------------------

    @property
    def settings(self) -> PoolSettings:
        """The settings in force. You can assign new ones at any time.

        What rests beyond a new `max_idle` is destroyed at once. A lower limit ends no life and
        destroys nothing: new lives wait until there are fewer, or take the places of others.

        Raises:
            TypeError: They aren't `PoolSettings`.
            PoolError: Their budget belongs to another system.
            BaseException: What hooks of destroyed instances raised; the settings are in force.
        """
        return self._settings

    @settings.setter
    def settings(self, settings: PoolSettings) -> None:
        if not isinstance(settings, PoolSettings):
            message = f"settings must be PoolSettings(...), not {settings!r}"
            raise TypeError(message)
        self._use_settings(settings)
        self.decrease_capacity(self._num_surplus)

    def _use_settings(self, settings: PoolSettings) -> None:
        overflow = settings.overflow
        if isinstance(overflow, RecycleLowest) and isinstance(overflow.key, str):
            message = f"{overflow!r} is for swarms: instances need a function as the key"
            raise TypeError(message)
        self._recycler.use(settings)
        self._settings = settings
        # To find the oldest takes an `OrderedDict`: a dict gets slow where many have died.
        wants_order = isinstance(overflow, RecycleOldest | RecycleLowest)
        if wants_order != isinstance(self._active, OrderedDict):
            active = OrderedDict(self._active) if wants_order else dict(self._active)
            self._active = self._recycler.lives = active
        kind = _Stack if settings.order == "lifo" else deque
        if type(self._inactive) is not kind:
            self._inactive = kind(reversed(self._inactive))
        # How many to make at the first use. A profile asks for more than a limit of lives allows.
        self._num_beforehand = settings.prespawn
        self._context.schedules.pop(self, None)
        self._ledger.restart_window(self._counts)
        self._is_prespawned = False
        self._on_change()

    @property
    def reclaimable(self) -> tuple[Any, ...]:
        """The active instances that may be recycled, the oldest first.

        Left out are those spawned with ``reclaimable=False``, those whose hooks are running, and
        the parent of the new life. If the pool shares a budget and isn't at a limit of its own,
        instances of the other pools are included.
        """
        return tuple(record.instance for record in self._recycler.reclaimable())

    def oldest(self) -> Any | None:
        """Return the first of `reclaimable`, or `None`."""
        record = self._recycler.oldest()
        return None if record is None else record.instance

    def lowest(self) -> Any | None:
        """Return the one of `reclaimable` with the lowest priority, or `None`.

        Raises:
            PoolError: The pool has no priorities, or they can't be compared.
        """
        record = self._recycler.lowest()
        return None if record is None else record.instance

    def update_priority(self, instance: T) -> None:
        """Ask `RecycleLowest`'s key for the priority of an active instance again. O(log n).

        Raises:
            NotManagedError: The instance is not managed.
            PoolError: It isn't an active instance of this pool; or neither the pool nor one that
                shares its budget has priorities.
        """
        record = self._context.require(instance)
        if record.pool is not self or not record.active:
            message = (
                f"{record.label} isn't an active instance of {self.name}: it has no priority here"
            )
            raise PoolError(message)
        pools, budget = [self], self._settings.budget
        if budget is not None:  # the others choose among its lives too
            pools = [pool for pool in self._context.pools if pool.settings.budget is budget]
        ranking = [pool for pool in pools if isinstance(pool.settings.overflow, RecycleLowest)]
        for pool in ranking or [self]:
            pool._recycler.update(record)

    # -- looking at it ------------------------------------------------------------------------

    @property
    def _counts(self) -> Counts:
        return Counts(len(self._records), len(self._active), len(self._inactive))

    @property
    def _generations(self) -> int:
        return sum(map(_generation, self._records))

    def _report(self) -> PoolReport:
        return self._ledger.report(self, self._counts, self._generations)

    def _begin_scene(self) -> None:
        """Count from 0, and prespawn at the next use: a scene is over."""
        self._ledger.begin_scene(self._counts, self._generations)
        self._is_prespawned = False
        self._builder.forget_kind()
        self._set_room(0)

    @property
    def active(self) -> ActiveInstances[T]:
        """The active instances: a live mapping to their `PoolablePrefabData`."""
        return ActiveInstances(self)

    @property
    def inactive(self) -> tuple[PoolablePrefabData[T], ...]:
        """The inactive instances, the longest at rest first.

        Those that wait for the next update come last.
        """
        is_stack = isinstance(self._inactive, _Stack)
        queue = reversed(self._inactive) if is_stack else self._inactive
        return tuple(map(PoolablePrefabData, (*queue, *self._awaiting_update)))

    @property
    def active_count(self) -> int:
        """How many are alive."""
        return len(self._active)

    @property
    def inactive_count(self) -> int:
        """How many are at rest, including those that can't be reused yet."""
        return self.capacity - len(self._active)

    @property
    def capacity(self) -> int:
        """How many there are, alive and at rest."""
        return len(self._records)

    @property
    def _num_inactive(self) -> int:
        """How many are in the queues."""
        return len(self._inactive) + len(self._awaiting_update)

    @property
    def has_available(self) -> bool:
        """Whether a spawn would succeed now: there is room, or the policy would make some."""
        recycler = self._recycler
        return not self._context.closed and (recycler.num_free > 0 or recycler.can_make_room())

    @property
    def stats(self) -> PoolStats:
        """A snapshot of the pool's figures."""
        return self._ledger.stats(self._counts, self._generations)

    def on_spawn(self, fn: Callable[[T], object]) -> Callable[[], None]:
        """Call `fn` with each instance after its `spawned` hooks.

        If it raises, that counts as if a hook had raised.

        Returns:
            A function that removes it again.
        """
        return listen(self._on_spawn, fn, self._on_change)

    def on_despawn(self, fn: Callable[[T], object]) -> Callable[[], None]:
        """Call `fn` with each instance before its `despawned` hooks.

        Not with one whose life ended in its own `spawned` hooks. If `fn` raises, that counts as if
        a hook had raised.

        Returns:
            A function that removes it again.
        """
        return listen(self._on_despawn, fn, self._on_change)

    def __repr__(self) -> str:
        """Return ``<PrefabPool('orc', active=3, inactive=17)>``."""
        counts = f"active={self.active_count}, inactive={self.inactive_count}"
        return f"<{type(self).__name__}({self.name!r}, {counts})>"


hook_callers.update(function.__code__.co_filename for function in (checked_pose, end))


@saved_without("_assigned", "prefab", "system")
class PrefabPool(Pool[T]):
    """Keeps the instances of one prefab: a dict of active ones, a queue of inactive ones.

    Get one from `PoolingSystem.pool`. It stays valid over resets.

    Attributes:
        prefab: What it makes.
        system: The pooling system it belongs to.
    """

    def __init__(self, prefab: Prefab[T], system: PoolingSystem) -> None:
        self.prefab = prefab
        self.system = system
        # The settings that the game assigned, for the next pool too, if a reset forgets this one.
        self._assigned = prefab._assigned
        settings = self._assigned.get(system, prefab.settings)
        super().__init__(prefab, settings, system._context)
        prefab._pools.add(self)

    def _on_prefab_changed(self, *, respawn: bool) -> None:
        """Follow a prefab that has changed: instances made before it are not reused.

        Their present lives go on; with `respawn`, new ones begin in their places. The settings'
        instances are prespawned again, a few in each update.
        """
        prefab, errors, was_used = self.prefab, ErrorCollector(), self._is_prespawned
        self._use_prefab(prefab)
        self._destroy_inactive(errors)
        lives = list(self._active)
        for record in lives:
            record.mark_for_destroy()
        self._use_settings(self._assigned.get(self.system, prefab.settings))
        if was_used:
            self._is_prespawned = True
            rate = self._settings.prespawn_per_update or _RENEWED_PER_UPDATE
            self._context.schedules[self] = PrespawnSchedule(self._context.clock.now, rate)
        if respawn:
            respawn_in_place(self, lives, errors)
        errors.raise_all(f"{self.name} has changed, but hooks raised")

    def _use_settings(self, settings: PoolSettings) -> None:
        super()._use_settings(settings)
        if settings is not self.prefab.settings or self.system in self._assigned:
            self._assigned[self.system] = settings

    def _ensure_open(self, what: str) -> None:
        context = self._context
        context.notify_call(what, self.name)
        if context.closed:
            message = (
                f"can't {what} {self.name}: its pooling system was disposed of; "
                "use another PoolingSystem()"
            )
            raise PoolError(message)
        if self not in context.pools:
            context.registry.add_pool(self)

    def spawn(
        self,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn`."""
        return self._spawn(position, rotation, options)

    def despawn(self, instance: T) -> bool:
        """End the life of one of this pool's instances; see `PoolingSystem.despawn`.

        Raises:
            NotManagedError: It belongs to another pool, or to none.
        """
        record = self._context.find(instance)
        if record is not None and record.pool is not self and record.state is not DESTROYED:
            message = (
                f"{record.label} is of another pool than {self.name}: use its own, "
                "or the system's despawn()"
            )
            raise NotManagedError(message)
        return self.system.despawn(instance)
