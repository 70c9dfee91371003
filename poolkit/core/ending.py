"""Ends lives: `end` is the one way; and `Handle`, a weak reference to one life.

A life ends in this order: listeners and hooks, scope, children, groups and physics, pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.errors import ErrorCollector, PoolError, collected
from poolkit.core.hooks import DespawnReason
from poolkit.core.plan import plan_of
from poolkit.core.saving import never_saved
from poolkit.core.states import ACTIVE, DESPAWNING, DETACHED, INACTIVE, LEAVING, SPAWNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.context import SystemContext
    from poolkit.core.errors import Errors
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

    _Waiting = tuple[Record[Any], DespawnReason, Errors, Errors]
    """A life that waits for the ends of its children: why it ends, its own errors, and theirs."""

T_co = TypeVar("T_co", covariant=True)
_ROUNDS = 8  # in which hooks may spawn again while everything is being ended


def end(  # noqa: C901, PLR0912, PLR0915 - the one path, with few calls
    record: Record[Any],
    reason: DespawnReason = DespawnReason.DESPAWNED,
    collector: ErrorCollector | None = None,
) -> bool:
    """End the life of `record` and of all that lives under it; `False` if it is over already.

    Raises:
        BaseException: What hooks raised, after everything is done; unless there is a collector.
    """
    state = record.state
    if state is not ACTIVE and state is not SPAWNING:
        _notify_double_despawn(record)
        return False
    pool = record.pool
    if pool._end_observers is not None:
        pool._context.notify_call("despawn", pool.name)
    parents: list[_Waiting] | None = None  # a stack instead of recursion, whose depth is limited
    while True:  # once for each life: its hooks run
        record.state = DESPAWNING
        del pool._active[record]
        if state is SPAWNING or pool._end_observers is not None:
            errors = _run_hooks_and_listeners(record, reason, is_spawning=state is SPAWNING)
        else:
            run = record.plan.run_despawned
            errors = None if run is None else run(record, record.components, reason)
        record.state = LEAVING
        if record.resources is not None:
            errors = record.resources.close_scope(errors)
        if errors is not None:
            record.mark_for_destroy()  # before hooks of its children can count who will be
        while True:  # it leaves play; then the parents that waited for it
            if record.extras is not None:
                extras = record.extras
                child = extras.last_child() if extras.children else None
                if child is not None:
                    if parents is None:
                        parents, raised = [], None  # raised: by the ends of its children
                    parents.append((record, reason, errors, raised))
                    record, reason, raised = child, DespawnReason.PARENT, None
                    pool, state = record.pool, record.state
                    break
                if extras.parent is not None:
                    record.clear_parent()
                record.extras = None
                record.life_offset = record.num_undone  # see `renumber_lives`
            try:
                record.leave()
            except BaseException as error:
                errors = _leave_by_force(record, error, errors)
            queue = record.pool._return_queue
            if queue is not None and not record.hold_count:
                record.state = INACTIVE
                queue.append(record)
            else:
                errors = _return_to_pool(record, reason, errors)
            if parents is None:  # as nearly always
                return errors is None or _raise_or_collect(errors, record, collector)
            if raised is not None:  # only now: a child's error doesn't destroy its parent
                errors = errors or ErrorCollector()
                errors.take_all(raised)
            if not parents:
                return errors is None or _raise_or_collect(errors, record, collector)
            child, of_child = record, errors
            record, reason, errors, raised = parents.pop()
            if of_child is not None:
                raised = collected(raised, of_child.take(f"despawning {child.label}"))


def _raise_or_collect(
    errors: ErrorCollector, record: Record[Any], collector: ErrorCollector | None
) -> bool:
    """Hand on what hooks raised, after everything is done."""
    if collector is None:
        errors.raise_now(f"despawning {record.label}")
    collector.take_all(errors)
    return True


def _run_hooks_and_listeners(
    record: Record[Any], reason: DespawnReason, *, is_spawning: bool
) -> Errors:
    """Call the listeners, then run the `despawned` hooks of the components that have begun."""
    observers, components, plan = record.pool._end_observers, record.components, record.plan
    errors = None
    if observers is not None:
        errors = observers.announce_end(record, is_spawning=is_spawning)
    if is_spawning:
        record.add_hold()  # until its spawn returns
        components = components[: record.started]
        plan = plan_of(components, record.context.plans)
    if plan.run_despawned is not None:
        errors_of_hooks = plan.run_despawned(record, components, reason)
        if errors is None:
            return errors_of_hooks
        errors.take_all(errors_of_hooks)
    return errors


def _leave_by_force(record: Record[Any], error: BaseException, errors: Errors) -> Errors:
    errors = collected(errors, error, f"while {record.label} left its groups and the physics")
    errors.call(record.force_leave)
    record.mark_for_destroy()
    return errors


def _return_to_pool(record: Record[Any], reason: DespawnReason, errors: Errors) -> Errors:
    """Return an instance to a pool that is watched, held or limited, or that isn't dirty yet."""
    for watcher in record.pool._context.life_watchers:
        try:
            watcher.on_despawned(record, reason)
        except BaseException as error:
            errors = collected(errors, error)
            record.mark_for_destroy()
    if not record.hold_count:  # else `release_hold` returns it
        try:
            record.pool._return_to_pool(record, is_recycled=reason is DespawnReason.RECYCLED)
        except BaseException as error:
            errors = collected(errors, error)
    return errors


def _notify_double_despawn(record: Record[Any]) -> None:
    for watcher in record.context.life_watchers:
        watcher.on_call("despawn", record.pool.name)
        if record.state is not DESPAWNING:
            watcher.on_double_despawn(record)


# -- many lives at once -----------------------------------------------------------------------


def end_everything(
    pools: Callable[[], Iterable[Pool[Any]]],
    reason: DespawnReason,
    errors: ErrorCollector,
    *,
    keep_persistent: bool = False,
) -> None:
    """End every life in `pools`, and destroy every instance at rest.

    Hooks may spawn again, from new prefabs too, so this goes on for up to eight rounds.
    """
    for turn in range(_ROUNDS + 1):
        active = [record for pool in pools() for record in pool._active]
        roots = [record for record in active if record.parent is None]
        kept = [record for record in roots if keep_persistent and record.is_persistent]
        for record in kept:
            kept += record.children
        # Roots first: children end with their parents, and their hooks are given that reason.
        in_order, protected = dict.fromkeys((*roots, *active)), set(kept)
        doomed = [record for record in in_order if record not in protected]
        emptied = [pool for pool in pools() if not (keep_persistent and pool._persistent)]
        left = [record.pool.name for record in doomed]
        left += [pool.name for pool in emptied if pool._num_inactive]
        if turn and not left:
            return
        if turn < _ROUNDS:
            for record in doomed:
                if record.active:
                    errors.call(end, record, reason)
            for pool in emptied:
                pool._destroy_inactive(errors)
    message = (
        f"after {_ROUNDS} rounds hooks still spawn {left[0]}: a hook that always spawns can't be "
        "ended; let despawned hooks look at their reason"
    )
    errors.add(PoolError(message))


def end_where(pools: Iterable[Pool[Any]], predicate: Callable[[Any], object]) -> int:
    """End every present life in `pools` whose instance meets `predicate`; return how many."""
    lives = [(record, record.generation) for pool in pools for record in pool._active]
    chosen = [life for life in lives if life[0].lasts(life[1]) and predicate(life[0].instance)]
    # The predicate may have ended one.
    return end_lives([life for life in chosen if life[0].lasts(life[1])])


def end_lives(lives: list[tuple[Record[Any], int]]) -> int:
    """End lives that last, each a record and its generation; return how many lives have ended."""
    errors = ErrorCollector()
    for record, generation in lives:
        if record.lasts(generation):
            errors.call(end, record)
    errors.raise_all("despawning several")
    # A hook may have detached one instead.
    return sum(record.state is not DETACHED for record, _ in lives)


# -- one life ends in another way -------------------------------------------------------------


def recycle(record: Record[Any]) -> None:
    """End a life to make room for a new one."""
    record.pool._ledger.totals.recycled += 1
    record.on_recycled()
    end(record, DespawnReason.RECYCLED)


def discard(context: SystemContext, instance: object) -> bool:
    """End the life of `instance` and destroy it; `False` if it is over already."""
    record = context.require_or_none(instance)
    if record is None:
        return False
    if record.state is not INACTIVE:
        record.mark_for_destroy()
    return end(record)


def detach(record: Record[Any]) -> None:
    """Take an active instance out of pooling for good, alive; no hook runs."""
    label, pool, is_spawning = record.label, record.pool, record.state is SPAWNING
    record.state = DETACHED
    del pool._active[record]
    pool._ledger.totals.detached += 1
    pool._remove_record(record)
    resources = record.resources
    errors = None if resources is None else resources.close_scope(None)
    for child in record.children:
        child.clear_parent()
    record.clear_parent()
    record.detach_instance()
    record.context.forget(record, retire=False)
    if not is_spawning:  # else its spawn still needs the record
        record.forget_instance()
    if errors is not None:
        errors.raise_now(f"closing the scope of {label}")


@never_saved
@dataclass(slots=True, unsafe_hash=True, repr=False)
class Handle(Generic[T_co]):
    """Refers to one life: false as soon as it is over, whatever the instance does next.

    Handles of the same life are equal and have the same hash.

    Examples:
        >>> from poolkit import PoolingSystem
        >>> class Orc: ...
        >>> system = PoolingSystem()
        >>> target = system.handle(system.spawn(Orc))
        >>> bool(target)
        True
        >>> target.despawn()
        True
        >>> print(target.get(), target.despawn())
        None False
    """

    _record: Record[Any]
    _life: int

    def get(self) -> T_co | None:
        """Return the instance while that life lasts, else `None`."""
        record = self._record  # as `__bool__`, without the call
        if record.generation + record.life_offset != self._life:
            return None
        state = record.state
        return record.instance if state is ACTIVE or state is SPAWNING else None

    def despawn(self) -> bool:
        """End that life; return `False` if it is over already."""
        return bool(self) and end(self._record)

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        record = self._record  # `life` and `active` without the calls: games ask this often
        is_same = record.generation + record.life_offset == self._life
        return is_same and (record.state is ACTIVE or record.state is SPAWNING)

    def __repr__(self) -> str:
        """Return ``<Handle(orc #0007, life 3)>``, with ``over`` if it is."""
        state = "" if self else ", over"
        return f"<Handle({self._record.label}, life {self._life}{state})>"
