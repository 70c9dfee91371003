"""The pooling engine: how a life begins, and where instances rest between lives.

`_begin` is the fast path for a spawn; `_begin_with` is its sibling for a parent, for groups, and
for data that come for the first time. `_begin_fully` is the plain twin of both: it also serves
limits, watchers, listeners and several lives at once. Adopting enters it at `_acquire`. How a life
ends is in `ending`.
"""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import repeat
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from poolkit.core.building import Builder, Growth, check_new
from poolkit.core.clock import ROUNDING
from poolkit.core.ending import (
    after,
    end,
    end_everything,
    recycle,
    take_from_active,
    wind_up,
)
from poolkit.core.errors import ErrorCollector, NotManagedError, PoolError
from poolkit.core.hooks import (
    ALL_DATA,
    POSITION,
    DespawnReason,
    Listeners,
    each_of,
    given_to,
    listen,
    name_of,
)
from poolkit.core.prefab import OPTIONS, flat_groups
from poolkit.core.record import (
    ACTIVE,
    DESTROYED,
    DETACHED,
    HELD,
    INACTIVE,
    RESERVED,
    SPAWNING,
    PoolablePrefabData,
    Record,
    is_among,
    no_parent,
)
from poolkit.core.recycling import Recycler
from poolkit.core.seams import context_of, fresh, hook_callers, lives_of, record_for
from poolkit.core.settings import (
    PoolSettings,
    RecycleLowest,
    RecycleOldest,
    checked_count,
)
from poolkit.core.statistics import Counts, Ledger, LowWater

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.context import SystemContext
    from poolkit.core.ending import Due
    from poolkit.core.prefab import Prefab
    from poolkit.core.statistics import PoolReport, PoolStats
    from poolkit.core.system import PoolingSystem

T = TypeVar("T")
ORIGIN = (0.0, 0.0)  # compared by identity: no position was given
_log = logging.getLogger("poolkit")
_TRIMMED_AT_ONCE = 4
_RENEWED_PER_UPDATE = 4
_generation = attrgetter("generation")


# -- what a spawn is given --------------------------------------------------------------------


class LifeOptions:
    """What a spawn says besides the place; shared by the lives of a `spawn_many`."""

    def __init__(self, given: dict[str, Any], pool: Pool[Any]) -> None:
        take = given.pop
        self.parent = take("parent", None)
        groups = take("groups", ())
        self.groups = () if groups == () else flat_groups(groups, pool.name)  # for this life
        self.persistent: bool | None = take("persistent", None)  # `None`: as the prefab says
        self.reclaimable: bool = take("reclaimable", True)  # noqa: FBT003
        self.data = given  # for hooks that name it
        self.names = tuple(pool._with_data(given))
        self.above = self.find_parent(pool)

    @property
    def spared(self) -> list[Record[Any]]:
        """The parent and its ancestors: they must not be recycled for a child."""
        found = [] if self.above is None else [self.above]
        for record in found:
            found += () if record.parent is None else (record.parent,)
        return found

    def find_parent(self, pool: Pool[Any]) -> Record[Any] | None:
        """Return the record of the parent, if there is to be one; it must be alive."""
        if self.parent is None:
            return None
        parent = context_of(pool).require_part(self.parent)
        # A part may be hidden while its instance is alive.
        is_part = self.parent is not parent.instance
        if not parent.active or (is_part and not self.parent.active):
            raise no_parent(pool.name, parent)
        return parent


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


def _enter_fully(groups: tuple[Any, ...], record: Record[Any], *pose: float, in_play: bool) -> None:
    """Enter play, seen by the watchers; join groups that were named for this life alone.

    `in_play`: it was adopted, so it is in play already.
    """
    for watcher in record.pool._context.life_watchers:
        record.make_special()
        watcher.beginning(record)
    if in_play:
        record.stay()
    else:
        enter = record.entrance
        enter(record, *pose)
    if groups:
        record.join(groups)


# -- the engine -------------------------------------------------------------------------------


class _Stack(deque[T]):
    """A queue that hands out first what came last."""

    __slots__ = ()

    append = deque.appendleft
    extend = deque.extendleft


class _HotSlots(Generic[T]):
    """What every spawn and despawn reads, side by side in memory: there may be many pools."""

    __slots__ = ("_active", "_context", "_fast_limit", "_inactive", "_resting")


class Pool(_HotSlots[T]):
    """Hands out instances that are as good as new, and takes them back when their life is over.

    It has a builder, which makes, wakes and destroys instances; a recycler, which makes room when
    the pool is full; and a ledger, which counts.

    Attributes:
        name: What its instances are called.
    """

    def __init__(self, prefab: Prefab[T], settings: PoolSettings, context: SystemContext) -> None:
        self.name = prefab.name
        self._active: dict[Record[T], T] = {}
        self._inactive: deque[Record[T]] = deque()
        self._awaiting_update: deque[Record[T]] = deque()
        self._records: dict[Record[T], None] = {}
        self._builder = Builder(prefab)
        self._ledger = Ledger(context.clock)
        self._recycler = Recycler(self.name, context, self._ledger)
        self._recycler.own.records = self._active
        self._context = context
        self._use_prefab(prefab)
        self._on_spawn: Listeners = {}
        self._on_despawn: Listeners = {}
        self._is_prespawned = False
        self._ends_fast = False
        self._is_stirred = False  # something has changed: the next updates must look at the pool
        # Without pooling, the instances that would be at rest are only counted here; and of these,
        # those that would wait for the next update.
        self._phantoms = self._phantoms_waiting = 0
        # With fewer lives than this, a spawn may take the fast path without a further look. Below
        # the limit and the peak of active instances, so that both need no check; 0: never.
        self._fast_limit = 0
        # The queue that an ending life may join without a further look, if there is one.
        self._resting: deque[Record[T]] | None = None
        Pool._use_settings(self, settings)

    def _use_prefab(self, prefab: Prefab[T]) -> None:
        self._persistent = prefab.persistent
        self._may_pool = prefab.pooling
        groups = prefab.groups
        self._ask_groups = groups if callable(groups) else None
        self._groups: tuple[Any, ...] = () if callable(groups) else tuple(groups)

    def _retune(self) -> None:
        """Decide which fast paths are open, after anything that they depend on has changed."""
        settings, context = self._settings, self._context
        ended_fast = self._ends_fast
        # Else instances are built and destroyed for each life, to compare.
        self._is_pooling = self._may_pool and context.pooling
        self._ends_fast = (
            self._is_pooling
            and not context.closed
            and not context.life_watchers
            and settings.budget is None
            and not any((self._on_spawn, self._on_despawn, context.on_spawn, context.on_despawn))
        )
        if ended_fast and not self._ends_fast:
            for record in self._active:
                record.make_special()  # so that its end takes the full path
        self._lets_rest = self._ends_fast and settings.max_idle is None
        self._is_fast = self._ends_fast and self._is_prespawned and self._ask_groups is None
        self._recycles = (
            self._is_fast
            and type(settings.overflow) is RecycleOldest
            and type(self)._record_for is Pool._record_for  # a record of its own wants `reclaim`
        )
        self._resting = self._queue_of_ended if self._lets_rest and self._is_stirred else None
        self._set_fast_limit()
        if settings.trim_after is None:
            self._ledger.low_water = None
            context.trimming.pop(self, None)
        else:
            if self._ledger.low_water is None:
                self._ledger.low_water = LowWater(context.clock.now)
            if self in context.pools:
                context.trimming[self] = None

    def _set_fast_limit(self) -> None:
        limit, most = self._settings.limit, self._ledger.peak
        if limit is not None:
            most = min(most, limit - self._recycler.own.reserved)
        self._fast_limit = most if self._is_fast and self._is_stirred else 0

    @property
    def _queue_of_ended(self) -> deque[Record[T]]:
        """Where instances rest whose life has just ended."""
        waits = self._context.reuse == "next_update"
        return self._awaiting_update if waits else self._inactive

    def _groups_now(self) -> tuple[Any, ...]:
        """Return the groups that the prefab's function names for a spawn."""
        return () if self._ask_groups is None else flat_groups(self._ask_groups(), self.name)

    def _take_out(self, record: Record[T]) -> list[Listeners]:
        """Remove a life from the active dict; return the listeners to its end."""
        self._stir()
        del self._active[record]
        if self._recycler.shared is not None:
            self._recycler.shared.records.pop(record, None)
        return [on_despawn for _, on_despawn in self._listeners()]

    def _detach(self, record: Record[T]) -> None:
        """Let go of an instance that is alive."""
        self._take_out(record)
        self._ledger.totals.detached += 1
        self._leave_stock(record)

    def _listeners(self) -> tuple[tuple[Listeners, Listeners], ...]:
        """Return the listeners to spawns and despawns: this pool's, then its system's."""
        context = self._context
        return (self._on_spawn, self._on_despawn), (context.on_spawn, context.on_despawn)

    def _with_data(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the data of one life: what the spawn gave, completed by the prefab's."""
        return given

    def _record_for(self, instance: T) -> Record[T]:
        """Return a new record for `instance`, by its kind."""
        return record_for.dispatch(type(instance))(instance, self)  # half the time of a call

    # -- a life begins ------------------------------------------------------------------------

    def _begin(  # noqa: C901, PLR0912, PLR0915 - one path, with few calls
        self,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        options: dict[str, Any] | None = None,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn` for everything about it."""
        try:
            x, y = position
            if not isfinite(x + y + rotation):
                raise ValueError  # noqa: TRY301 - `checked_pose` says what is wrong
        except (TypeError, ValueError, OverflowError):
            x, y, rotation = checked_pose(position, rotation)
        if (
            len(self._active) >= self._fast_limit and not self._make_way(options)
        ) or not self._inactive:
            record = self._made_for(tuple(options or ()))
            if record is None:
                return self._begin_with(None, position, (x, y, rotation), options or {})
            if len(self._active) >= self._fast_limit:  # its factory has changed something
                given = LifeOptions(options or {}, self)
                return self._start(record, (x, y, rotation), given, is_new=True)
            self._ledger.totals.fresh += 1
            record.state = INACTIVE
        else:
            record = self._inactive.popleft()
        shares = record.deals.get(tuple(options)) if options else record.bare
        if shares is None:
            return self._begin_with(record, position, (x, y, rotation), options or {})
        record.generation += 1
        record.running = None
        record.state = SPAWNING
        self._active[record] = record.instance
        only: Any = record.only_spawned
        try:
            enter = record.entrance
            if enter(record, x, y, rotation) is not None:
                pass  # a group has ended the life, or changed the components
            elif not shares:
                if only is not None:
                    record.running = only
                    only.spawned()
                elif record.spawned:
                    components = record.spawned
                    for component in components:
                        record.running = component
                        component.spawned()
                        if record.special is not None:
                            break
            elif shares.__class__ is str:  # for the only hook
                record.running = only
                only.spawned((x, y) if shares is POSITION else options[shares])  # type: ignore[index]
            else:
                components = record.spawned
                for component, share in zip(components, shares):  # noqa: B905 - of one length
                    record.running = component
                    if share is None:
                        component.spawned()
                    elif share.__class__ is str:
                        component.spawned((x, y) if share is POSITION else options[share])  # type: ignore[index]
                    elif share is ALL_DATA:
                        component.spawned(**options)  # type: ignore[arg-type]
                    else:
                        component.spawned(**given_to(share, options, (x, y), rotation, None))
                    if record.special is not None:
                        break
            if record.special is None:
                record.state = ACTIVE
                return record.instance
        except BaseException as error:
            self._fail(record, error)
        due: Due | None = None
        if record.running is not None:
            due = () if only is not None else after(record.running, components, each_of(shares))
        return self._go_on(record, (x, y, rotation), options or {}, due=due)

    def _make_way(self, options: dict[str, Any] | None) -> bool:
        """Return whether the fast path may begin a life although `_fast_limit` is reached.

        So for the first life in a frame, for one more than ever before, and for one that recycles
        the oldest. The last does what `Recycler.make_room` would, if nothing is special about it.
        """
        if not (self._is_fast and (self._inactive or self._recycles)):
            return False
        if not self._is_stirred:
            self._stir()
        count, limit = len(self._active), self._settings.limit
        reserved = self._recycler.own.reserved
        if count < self._fast_limit:
            return True
        is_full = limit is not None and count + reserved >= limit
        if is_full and (not self._recycles or reserved or count != limit):
            return False
        record = next(iter(self._active if is_full else self._inactive), None)
        if record is None or tuple(options or ()) not in record.deals:
            return False
        if not is_full:
            self._ledger.peak = count + 1
            self._set_fast_limit()
        elif record.is_reclaimable:
            recycle(record)
        return len(self._active) < self._fast_limit

    def _made_for(self, names: tuple[str, ...]) -> Record[T] | None:
        """Make an instance for a life on the fast path; `None` if the full path must."""
        is_limited = self._settings.limit is not None
        if not self._is_fast or self._inactive or is_limited or not OPTIONS.isdisjoint(names):
            return None
        record = self._make_late(names)
        if len(self._active) >= self._ledger.peak:
            self._ledger.peak = len(self._active) + 1
            self._set_fast_limit()
        return record

    def _begin_with(
        self,
        record: Record[T] | None,
        position: Iterable[float],
        pose: tuple[float, float, float],
        data: dict[str, Any],
    ) -> T:
        """Begin a life with a parent, with groups, or with new data.

        Puts `record` back and takes the full path if there is more to it.
        """
        parent, groups = data.pop("parent", None), data.pop("groups", ())
        known = self._context.records  # of instances; a part is found more slowly
        above = None if parent is None else known.get(id(parent)) or self._context.find(parent)
        if above is not None and position is ORIGIN:
            pose = (*above.pose(parent)[:2], pose[2])
        if (
            record is None
            or (record.deals.get(tuple(data)) if data else record.bare) is None
            or (parent is not None and (above is None or above.state is not ACTIVE))
            or (above is not None and above.instance is not parent)
            or (groups != () and not record.joins_at_once(groups))
        ):
            if record is not None:
                self._inactive.appendleft(record)
            given = {"parent": parent, "groups": groups, **data}
            return self._begin_fully([pose[:2]], pose[2], given)[0]
        return self._put_into_play(record, record.entrance, pose, data, groups, above, parent)

    def _begin_fully(
        self, positions: Iterable[Iterable[float]], rotation: float, given: dict[str, Any]
    ) -> list[T]:
        """Begin a life at each place: all, or none if one is refused. The twin of `_begin`."""
        poses = [checked_pose(position, rotation) for position in positions]
        self._be_open("spawn")
        options = LifeOptions(given, self)
        if not self._is_prespawned:
            self._make_up_to(0)
        if len(poses) > 1:
            self._recycler.check_room(self, len(poses), options.spared)
        acquired: list[tuple[Record[T], bool, tuple[Any, ...]]] = []
        begun: list[tuple[Record[T], int]] = []
        instances: list[T] = []
        try:
            for _ in poses:
                groups = (*self._groups_now(), *options.groups)
                acquired.append((*self._acquire(options), groups))
            for pose, (record, is_new, groups) in zip(poses, acquired, strict=True):
                self._reserve(-1)
                begun.append((record, record.generation + 1))
                instances.append(self._start(record, pose, options, groups, is_new=is_new))
        except BaseException as error:
            left = [record for record, *_ in acquired[len(begun) :]]
            self._reserve(-len(left))
            self._put_back(left, error)
            errors = ErrorCollector(error)
            for record, generation in begun:
                if record.lasts(generation):
                    errors.call(end, record, DespawnReason.FAILED)
            errors.raise_now(f"spawning several {self.name}")
        return instances

    def _acquire(
        self, options: LifeOptions, adopted: Callable[[], T] | None = None
    ) -> tuple[Record[T], bool]:
        """Take or make an instance that accepts the data; return it, and whether it is new.

        Reserves a place for its life. `adopted` returns the instance that the game built.
        """
        context, victim = self._context, None
        for watcher in context.life_watchers:
            watcher.acquiring(self, options.spared)
        if not self._recycler.room:
            names = options.names if adopted is None else None  # the victim won't be used for it
            victim = self._recycler.make_room(self, names, options.spared)
        self._reserve(1)
        try:
            if adopted is not None:
                return self._make(options.names, adopted), True
            if not (self._inactive and self._is_pooling):
                return self._make_late(options.names), True
            record = self._inactive.popleft()
            record.state = RESERVED
            try:
                if record is victim:
                    record.reclaim()
                if not record.is_awake:
                    self._builder.wake(record)
                record.deal(options.names)
            except BaseException as error:
                self._put_back([record], error)
                raise
        except BaseException:
            self._reserve(-1)
            raise
        return record, False

    def _make_late(self, names: tuple[str, ...]) -> Record[T]:
        """Make an instance for a spawn that found none at rest, and more if `grow_by` says so."""
        if self._awaiting_update:
            self._context.clock.expect_update(len(self._awaiting_update))
        record = self._make(names)
        if self._context.closed:  # by the factory
            self._destroy(record)
            self._be_open("spawn")
        settings, totals = self._settings, self._ledger.totals
        totals.late += 1
        totals.entered += self._is_pooling and self._context.is_entering
        if not self._is_pooling:
            totals.unpooled += 1
            if self._phantoms > self._phantoms_waiting:  # it stands for one of them
                self._phantoms -= 1
                return record
        if settings.grow_by > 1:
            try:  # added after the call: hooks of new instances may make some late too
                grown = self._make_more(settings.grow_by - 1)
            except BaseException as error:
                self._put_back([record], error)
                raise
            if self._is_pooling:
                totals.late += grown
                totals.entered += grown * self._context.is_entering
                totals.prespawned -= grown
        return record

    def _put_back(self, records: list[Record[T]], error: BaseException) -> None:
        """Return instances whose life didn't begin, because of `error`, to the queue."""
        for record in reversed(records):
            label, errors = record.label, ErrorCollector()
            if not record.is_doomed:
                errors.call(record.shelve)
            is_over = bool(errors) or record.is_doomed or self._surplus()
            if is_over or not self._is_pooling:
                self._phantoms += not is_over
                errors.call(self._destroy, record)
            else:
                record.state = INACTIVE
                self._inactive.appendleft(record)
            for another in errors.errors:
                error.add_note(f"then {label} could not be put back: {another!r}")

    def _start(
        self,
        record: Record[T],
        pose: tuple[float, float, float],
        options: LifeOptions,
        groups: tuple[Any, ...] = (),
        *,
        is_new: bool = False,
        in_play: bool = False,
    ) -> T:
        """Begin the life of an acquired instance; `in_play`: an adopted one, which stays put."""
        try:
            if groups:
                record.check_groups()
            above = options.find_parent(self)  # it may have died since
        except BaseException as error:
            self._put_back([record], error)
            raise
        self._stir()
        self._ledger.totals.fresh += is_new
        if len(self._active) >= self._ledger.peak:
            self._ledger.peak = len(self._active) + 1
            self._set_fast_limit()
        if not self._ends_fast:
            record.make_special()
        if self._recycler.shared is not None:
            self._recycler.shared.admit(record)
        if options.persistent is not None or not options.reclaimable:
            special = record.make_special()
            special.persistent, special.reclaimable = options.persistent, options.reclaimable
        enter = partial(_enter_fully, groups, in_play=in_play)
        data, parent = self._with_data(options.data), options.parent
        return self._put_into_play(record, enter, pose, data, (), above, parent)

    def _put_into_play(
        self,
        record: Record[T],
        enter: Callable[[Any, float, float, float], object],
        pose: tuple[float, float, float],
        data: dict[str, Any],
        groups: Iterable[Any],
        above: Record[Any] | None,
        parent: Any,
    ) -> T:
        """Begin a life for which everything was checked; `groups` run no game code."""
        record.generation += 1
        record.running = None
        record.state = SPAWNING
        self._active[record] = record.instance
        try:
            x, y, rotation = pose
            enter(record, x, y, rotation)
            if groups:
                record.join_at_once(groups)
            if above is not None and record.state is SPAWNING:
                record.put_under(above, parent)
        except BaseException as error:
            self._fail(record, error)
        if record.special is not None or record.spawned:
            return self._go_on(record, pose, data, parent)
        record.state = ACTIVE
        return record.instance

    def _go_on(
        self,
        record: Record[T],
        pose: tuple[float, float, float],
        data: dict[str, Any],
        parent: Any = None,
        *,
        due: Due | None = None,
    ) -> T:
        """Run the `spawned` hooks of an instance in play: those `due`, by default all."""
        try:
            if due is None and record.state is SPAWNING:
                due = zip(record.spawned, each_of(record.deal(tuple(data))), strict=False)
            elif due is None and record.state is not DETACHED:
                record.departure(record)  # a group has ended its life before it had joined all
            for component, share in due or ():
                if record.state is not SPAWNING:
                    break
                special = record.special
                if special is not None and special.begun is not None:
                    if is_among(component, special.begun) or not record.has_component(component):
                        continue
                    special.begun.append(component)
                record.running = component
                x, y, rotation = pose
                component.spawned(**given_to(share, data, (x, y), rotation, parent))
            if record.state is SPAWNING:
                self._announce(record)
        except BaseException as error:
            self._fail(record, error)
        if record.state is not SPAWNING:
            return self._over_already(record)
        record.state = ACTIVE
        return record.instance

    def _announce(self, record: Record[T]) -> None:
        """Call the listeners after the `spawned` hooks; a listener may end the life."""
        for on_spawn, on_despawn in self._listeners():
            if record.state is not SPAWNING:
                break
            if on_spawn or on_despawn:
                special = record.make_special()
                special.begun = list(record.components)
                special.told_of_end += (on_despawn,)
                record.running = None
            for listener in list(on_spawn.values()):
                if record.state is SPAWNING:
                    listener(record.instance)

    def _over_already(self, record: Record[T]) -> T:
        """Return the instance of a life that ended in its own `spawned` hooks."""
        instance = record.instance
        if record.state is DETACHED:
            record.let_go()  # again, in case an interrupt came before
            record.forget()
        else:
            record.release()
        return instance

    def _fail(self, record: Record[T], error: BaseException) -> NoReturn:
        """End a life whose beginning raised, in a hook or before, and destroy it."""
        label, failed = record.label, record.running
        if failed is None:
            error.add_note(f"while {label} was put into play")
        else:
            error.add_note(f"in {name_of(failed.spawned)} of {label}")
        errors = ErrorCollector(error)
        record.doom()
        if record.state is SPAWNING:  # else its hooks have ended it before they raised
            due = take_from_active(record, errors)
            wind_up(record, DespawnReason.FAILED, due, errors)
        elif record.state is not DETACHED:
            errors.call(record.departure, record)  # out of what it joined after its life
        errors.call(self._over_already, record)
        del error  # see `ErrorCollector.raise_now`
        errors.raise_now(f"spawning {label}")

    # -- a life is over ----------------------------------------------------------------------

    def _put_to_rest(self, record: Record[T], *, is_needed: bool = False) -> None:
        """Decide what becomes of an instance whose life is over: queue, hold, or destroy.

        `is_needed`: it was recycled, so it is no surplus if the new life may have it now.
        """
        if not self._is_stirred:
            self._stir()
        if record.holds:
            if record.state is not HELD:
                record.state = HELD
            return
        waits = self._context.reuse == "next_update"
        is_next = is_needed and not waits
        is_over = record.is_doomed or self._context.closed or (not is_next and self._surplus())
        if is_over or not self._is_pooling:
            self._phantoms += not is_over
            self._phantoms_waiting += not is_over and waits
            self._destroy(record)
            return
        record.special = None
        record.state = INACTIVE
        self._queue_of_ended.append(record)

    def _surplus(self) -> int:
        """Return how many instances at rest are more than `max_idle`."""
        most = self._settings.max_idle
        return 0 if most is None else max(0, self.inactive_count - most)

    # -- frames -------------------------------------------------------------------------------

    def _stir(self) -> None:
        """Have the next updates look at the pool, until nothing has changed in one."""
        if not self._is_stirred:
            self._context.stirred.append(self)
            self._is_stirred = True
            self._resting = self._queue_of_ended if self._lets_rest else None
            self._set_fast_limit()

    def _pass_frame(self) -> bool:
        """Make reusable what waited for the update; return whether anything has changed."""
        ledger, waiting = self._ledger, self._awaiting_update
        self._phantoms_waiting = 0
        self._note_low_water()
        if ledger.sample(self._counts) or waiting:
            self._inactive.extend(waiting)
            waiting.clear()
            return True
        self._is_stirred = False
        self._fast_limit = 0
        self._resting = None
        return False

    def _trim_idle(self) -> None:
        """Destroy a few of the instances that weren't needed for long."""
        settings, low_water = self._settings, self._ledger.low_water
        if settings.trim_after is None or low_water is None:
            return
        self._note_low_water()
        surplus = min(
            low_water.since(self._context.clock.now - settings.trim_after + ROUNDING),
            self._reusable,
            self.capacity - settings.prespawn,
            _TRIMMED_AT_ONCE,
        )
        self.decrease_capacity(max(0, surplus))

    # -- instances are made, and given up -----------------------------------------------------

    def _be_open(self, what: str) -> None:
        """Be one of the system's pools, even if a reset forgot it; refuse if it is closed."""
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
        self._be_open("prespawn")
        return self._make_up_to(wanted)

    def _make_up_to(self, count: int) -> int:
        """Make instances until `count` rest, or what a first use prespawns; return how many."""
        is_first = not self._is_prespawned
        wanted = self._first_use(count)
        try:
            return self._make_more(max(0, wanted - self.inactive_count))
        except BaseException:
            if is_first:
                self._use_later()
            raise

    def _first_use(self, count: int) -> int:
        """Return how many must rest: `count`; at the first use, at least what is prespawned."""
        if self._is_prespawned:
            return count
        self._is_prespawned = True
        self._retune()
        settings, context = self._settings, self._context
        if not settings.prespawn_delay and settings.prespawn_per_update is None:
            return max(count, self._num_beforehand)
        start = context.clock.now + settings.prespawn_delay
        context.growing[self] = Growth(start, settings.prespawn_per_update)
        return count

    def _use_later(self) -> None:
        """Prespawn at the next use, as at the first."""
        self._is_prespawned = False
        self._retune()

    def _leave_context(self) -> None:
        """Be forgotten by the system, which may take the pool back later."""
        self._use_later()
        self._builder.number = 0  # from 1 again, whether or not the pool is freed before
        context = self._context
        for those in (context.pools, context.trimming, context.growing):
            those.pop(self, None)
        if self._is_stirred:
            context.stirred.remove(self)
            while self._pass_frame():  # until it is still
                pass

    def _grow(self, growth: Growth) -> bool:
        """Make some of what the settings prespawn; return whether there is more to make."""
        left = self._num_beforehand - self.capacity
        now = growth.next(left)
        return self._make_more(now) == now < left

    def _lacking(self, count: int) -> int:
        """Return how many to prewarm for `count` to be at rest, as far as the settings allow."""
        self._be_open("prespawn")
        count = self._first_use(count)
        return max(0, min(count - self.inactive_count, self._room_to_rest()))

    def increase_capacity(self, n: int) -> int:
        """Make `n` more inactive instances, as far as `max_idle` allows; return how many.

        Raises:
            ValueError: `n` is negative.
            PoolError: The system was disposed of.
        """
        n = checked_count(n, "n")
        self._be_open("prespawn")
        return self._make_more(n)

    def _make_more(self, n: int) -> int:
        made = 0
        if not self._is_pooling:
            self._note_low_water()
            made = max(0, min(n, self._room_to_rest()))
            self._phantoms += made
            n = 0
        while made < n and self._room_to_rest() > 0:
            record = self._make()
            if self._context.closed or self._room_to_rest() <= 0:  # the factory did something
                self._destroy(record)
                break
            record.state = INACTIVE
            self._inactive.append(record)
            made += 1
        return made

    def _room_to_rest(self) -> int:
        """Return how many more may be put to rest under `max_idle`."""
        most = self._settings.max_idle
        return sys.maxsize if most is None else most - self._num_resting

    def _make(
        self, names: tuple[str, ...] | None = None, adopted: Callable[[], T] | None = None
    ) -> Record[T]:
        """Make an instance of the pool, in no queue yet; see `Builder.make`."""
        ledger = self._ledger
        record = self._builder.make(self, names, adopted)
        if ledger.low_water is not None:
            self._note_low_water()
        if not self._is_stirred:
            self._stir()
        self._records[record] = None
        ledger.totals.prespawned += names is None
        return record

    def _take_in(self, instance: T) -> None:
        """Adopt an instance that the game built; it is alive from now on."""
        self._be_open("adopt an instance as")
        check_new(instance, self, is_adopted=True)  # before another life ends for it
        options = LifeOptions({}, self)
        record, _ = self._acquire(options, lambda: instance)
        self._reserve(-1)
        self._start(record, record.pose(), options, is_new=True, in_play=True)
        self.decrease_capacity(self._surplus())

    def _destroy(self, record: Record[T]) -> None:
        """Give up an instance that isn't alive, for good, even if its hooks raise."""
        self._leave_stock(record)
        self._builder.destroy(record)

    def _leave_stock(self, record: Record[T]) -> None:
        self._stir()
        del self._records[record]
        totals = self._ledger.totals
        totals.destroyed += 1
        totals.lives += record.generation
        for watcher in self._context.life_watchers:
            watcher.gone(record)

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
        self._context.tell_called("decrease_capacity()", self.name)
        errors = ErrorCollector()
        lives = self._in_order_of_policy() if include_active else []
        done = self._destroy_first(n, errors)
        chosen = [each for each in self._records if not (each.active or each.is_doomed)][: n - done]
        chosen += [each for each in lives if each.active][: n - done - len(chosen)]
        for record in chosen:
            record.doom()  # all of them first: ending one may end another
        for record in chosen:
            if record.active:
                errors.call(end, record, DespawnReason.DISPOSED)
        errors.raise_all(f"decreasing the capacity of {self.name}")
        return done + len(chosen)

    def _in_order_of_policy(self) -> list[Record[T]]:
        """Return its lives in the order in which its policy would end them."""
        lives, overflow = list(self._active), self._settings.overflow
        if isinstance(overflow, RecycleLowest):
            key: Any = overflow.key

            def priority(record: Record[T]) -> tuple[bool, Any]:
                is_early = record.state is SPAWNING  # its hooks have yet to set its priority
                return is_early, None if is_early else key(record.instance)

            lives.sort(key=priority)
        return lives

    def clear(self) -> int:
        """End every life and destroy every instance; return how many. The pool stays usable.

        Raises:
            BaseException: What hooks raised; it is cleared all the same.
        """
        self._context.tell_called("clear()", self.name)
        before = self._ledger.totals.destroyed - self._phantoms
        errors = ErrorCollector()
        end_everything(lambda: (self,), DespawnReason.DISPOSED, errors)
        errors.raise_all(f"clearing {self.name}")
        return self._ledger.totals.destroyed - before

    def _destroy_resting(self, errors: ErrorCollector) -> None:
        """Destroy all instances at rest; those still held, once nothing holds them."""
        self._destroy_first(self._num_resting, errors)
        for record in self._records:
            if record.state is not INACTIVE and not record.active:
                record.doom()

    def _destroy_first(self, count: int, errors: ErrorCollector) -> int:
        """Destroy up to `count` of those at rest, the longest first; return how many."""
        low_water = self._ledger.low_water
        done = min(count, self._phantoms)
        self._phantoms -= done
        self._phantoms_waiting = min(self._phantoms, self._phantoms_waiting)
        if low_water is not None:
            low_water.lower(done)
        while done < count and (queue := self._inactive or self._awaiting_update):
            done += 1  # hooks may change the queues
            record = queue.pop() if isinstance(queue, _Stack) else queue.popleft()
            if low_water is not None:
                low_water.lower(1)
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
        self.decrease_capacity(self._surplus())

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
            self._active = self._recycler.own.records = active
        kind = _Stack if settings.order == "lifo" else deque
        if type(self._inactive) is not kind:
            self._inactive = kind(reversed(self._inactive))
        # How many to make at the first use. A profile asks for more than a limit of lives allows.
        self._num_beforehand = settings.prespawn
        self._context.growing.pop(self, None)
        self._use_later()

    def _reserve(self, places: int) -> None:
        """Keep places for lives that are about to begin."""
        recycler = self._recycler
        recycler.own.reserved += places
        if recycler.shared is not None:
            recycler.shared.reserved += places
        self._set_fast_limit()

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
        return next((record.instance for record in self._recycler.reclaimable()), None)

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
            pools = [each for each in self._context.pools if each.settings.budget is budget]
        ranking = [each for each in pools if isinstance(each.settings.overflow, RecycleLowest)]
        for pool in ranking or [self]:
            pool._recycler.update(record)

    def _follow_switch(self, errors: ErrorCollector) -> None:
        """Follow a change of `configure(pooling=...)`."""
        if not self._context.pooling:
            self._destroy_resting(errors)
        elif self._is_pooling:
            self._phantoms = self._phantoms_waiting = 0

    # -- looking at it ------------------------------------------------------------------------

    @property
    def _counts(self) -> Counts:
        return Counts(len(self._records), len(self._active), len(self._inactive))

    @property
    def _generations(self) -> int:
        return sum(map(_generation, self._records))

    def _note_low_water(self) -> None:
        """If the pool trims, note how few were at rest at worst since the last call."""
        ledger = self._ledger
        if ledger.low_water is None:
            return
        level = self._reusable  # which rises only in an update, or when instances are made
        if self._context.reuse != "next_update":
            level = max(0, min(level, self.capacity - ledger.peak))
            ledger.begin_peak(len(self._active))
            self._set_fast_limit()
        ledger.low_water.note(self._context.clock.now, level)

    def _report(self) -> PoolReport:
        return self._ledger.report(self, self._counts, self._generations)

    def _begin_scene(self) -> None:
        """Count from 0, and prespawn at the next use: a scene is over."""
        self._ledger.begin_scene(self._counts, self._generations)
        self._ledger.low_water = None  # the clock may have begun again
        self._use_later()

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
        return len(self._records) + self._phantoms

    @property
    def _reusable(self) -> int:
        """How many are at rest and may be handed out before the next update."""
        return len(self._inactive) + self._phantoms - self._phantoms_waiting

    @property
    def _num_resting(self) -> int:
        """How many are in the queues."""
        return len(self._inactive) + len(self._awaiting_update) + self._phantoms

    @property
    def has_available(self) -> bool:
        """Whether a spawn would succeed now: there is room, or the policy would make some."""
        recycler = self._recycler
        return not self._context.closed and (recycler.room > 0 or recycler.can_make_room(self))

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
        return listen(self._on_spawn, fn, self._retune)

    def on_despawn(self, fn: Callable[[T], object]) -> Callable[[], None]:
        """Call `fn` with each instance before its `despawned` hooks.

        Not with one whose life ended in its own `spawned` hooks. If `fn` raises, that counts as if
        a hook had raised.

        Returns:
            A function that removes it again.
        """
        return listen(self._on_despawn, fn, self._retune)

    def _repair(self, errors: ErrorCollector) -> None:
        """Destroy the instances that an interrupt has left between two states."""
        self._recycler.use(self._settings)
        records, active = self._records, self._active
        resting = dict.fromkeys((*self._inactive, *self._awaiting_update))
        torn = []
        for record in dict.fromkeys((*records, *active, *resting)):
            places = record in active, record in resting
            fits = {(True, False): ACTIVE, (False, True): INACTIVE}.get(places)
            if record not in records or record.state is not fits:
                torn.append(record)
                active.pop(record, None)
                resting.pop(record, None)
        self._recycler.repair(torn)
        self._set_fast_limit()
        if len(resting) < len(self._inactive) + len(self._awaiting_update):
            self._awaiting_update.clear()
            self._inactive.clear()
            self._inactive.extend(resting)
        for record in torn:
            if record in records:
                record.close_scope(errors)
                errors.call(record.unparent)
                errors.call(record.leave)
                errors.call(record.expel)
                errors.call(self._destroy, record)

    def __repr__(self) -> str:
        """Return ``<PrefabPool('orc', active=3, inactive=17)>``."""
        counts = f"active={self.active_count}, inactive={self.inactive_count}"
        return f"<{type(self).__name__}({self.name!r}, {counts})>"


hook_callers.update(each.__code__.co_filename for each in (checked_pose, end))


class ActiveInstances(Mapping[T, PoolablePrefabData[T]]):
    """A live view of a pool's active instances, by identity, in the order of their spawns."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Pool[T]) -> None:
        self._pool = pool

    def __getitem__(self, instance: T) -> PoolablePrefabData[T]:
        """Return the record of an active `instance`."""
        record = context_of(self._pool).find(instance)
        if record not in lives_of(self._pool) or record.instance is not instance:
            raise KeyError(instance)
        return PoolablePrefabData(record)

    def __iter__(self) -> Iterator[T]:
        """Iterate over the instances that are active now."""
        return iter(list(lives_of(self._pool).values()))

    def __len__(self) -> int:
        return self._pool.active_count

    def __repr__(self) -> str:
        """Return ``<ActiveInstances(3)>``."""
        return f"<{type(self).__name__}({len(self)})>"


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
        self._choose_kind()
        prefab._pools.add(self)

    def _choose_kind(self) -> None:
        """Look for the prefab's data at each spawn, or never."""
        kind = _PoolWithData if self.prefab.data else PrefabPool
        if type(self) is not kind:  # to assign it slows down the look-up of attributes
            self.__class__ = kind

    def _renew(self, *, respawn: bool) -> None:
        """Follow a prefab that has changed: instances made before it are not reused.

        Their present lives go on; with `respawn`, new ones begin in their places. The settings'
        instances are prespawned again, a few in each update.
        """
        prefab, errors, was_used = self.prefab, ErrorCollector(), self._is_prespawned
        self._use_prefab(prefab)
        self._choose_kind()
        self._destroy_resting(errors)
        lives = list(self._active)
        for record in lives:
            record.doom()
        self._use_settings(self._assigned.get(self.system, prefab.settings))
        if was_used:
            self._is_prespawned = True
            self._retune()
            rate = self._settings.prespawn_per_update or _RENEWED_PER_UPDATE
            self._context.growing[self] = Growth(self._context.clock.now, rate)
        if respawn:
            self._respawn_lives(lives, errors)
        errors.raise_all(f"{self.name} has changed, but hooks raised")

    def _respawn_lives(self, records: list[Record[T]], errors: ErrorCollector) -> None:
        """End lives, and begin as many in their places as there is room for."""
        places: list[tuple[tuple[float, float], float, dict[str, Any], Record[Any] | None]] = []
        for record in records:
            if record.state is ACTIVE:  # else it has ended with its parent, say
                with errors:
                    places.append(self._end_for_respawn(record))
        num_left_out = 0
        for position, rotation, given, above in places:
            if above is not None and not above.active:
                continue  # it would have ended with its parent
            if self._recycler.can_begin(self):
                errors.call(self._begin, position, rotation, given)
            else:
                num_left_out += 1
        if num_left_out:
            _log.warning(
                "%s: %d of %d lives did not begin again: there is no room for more",
                *(self.name, num_left_out, len(places)),
            )

    def _end_for_respawn(self, record: Record[T]) -> Any:
        """End a life; return position, rotation and options of one in its place, and its parent."""
        x, y, rotation = record.pose()
        above, special = record.parent, record.make_special()
        parent: Any = None if record.life is None else record.life.instance
        given = {} if special.persistent is None else {"persistent": special.persistent}
        given |= {} if special.reclaimable else {"reclaimable": False}
        end(record)
        if above is None or not above.active:
            return (x, y), rotation, given, None
        is_hidden = parent is not above.instance and not parent.active
        given["parent"] = above.instance if is_hidden else parent
        return (x, y), rotation, given, above

    def _use_settings(self, settings: PoolSettings) -> None:
        super()._use_settings(settings)
        if settings is not self.prefab.settings or self.system in self._assigned:
            self._assigned[self.system] = settings

    def _be_open(self, what: str) -> None:
        context = self._context
        context.tell_called(what, self.name)
        if context.closed:
            message = (
                f"can't {what} {self.name}: its pooling system was disposed of; "
                "use another PoolingSystem()"
            )
            raise PoolError(message)
        if self not in context.pools:
            context.registry.admit(self)
            self._retune()

    def spawn(
        self,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        **options: Any,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn`."""
        return self._begin(position, rotation, options)

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


class _PoolWithData(PrefabPool[T]):
    """The pool of a prefab with data."""

    def _begin(
        self,
        position: Iterable[float] = ORIGIN,
        rotation: float = 0.0,
        options: dict[str, Any] | None = None,
    ) -> T:
        return super()._begin(position, rotation, self._with_data(options or {}))

    def _with_data(self, given: dict[str, Any]) -> dict[str, Any]:
        return {**fresh(self.prefab.data), **given}


_PoolWithData.__name__ = PrefabPool.__name__
