"""Ends lives: `end` is the one way; and `Handle`, a weak reference to one life.

A life ends in this order: listeners and hooks, scope, children, groups and physics, pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.errors import ErrorCollector, PoolError, collected
from poolkit.core.hooks import DespawnReason
from poolkit.core.plan import plan_of
from poolkit.core.states import ACTIVE, DESPAWNING, DETACHED, INACTIVE, LEAVING, SPAWNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.errors import Errors
    from poolkit.core.record import Record

T_co = TypeVar("T_co", covariant=True)
_ROUNDS = 8  # in which hooks may spawn again while everything is being ended


def end(record: Record[Any], reason: DespawnReason = DespawnReason.DESPAWNED) -> bool:
    """End the life of `record`; `False` if it is over already.

    Raises:
        BaseException: What hooks raised, after everything is done.
    """
    errors = end_quietly(record, reason)
    if errors is None:
        return True
    if errors is _OVER:
        return False
    errors.raise_now(f"despawning {record.label}")


_OVER = ErrorCollector()  # by identity: there was no life to end


def end_quietly(record: Record[Any], reason: DespawnReason) -> Errors:
    """End the life of `record`; return what hooks raised, or `_OVER` if it is over already."""
    state = record.state
    if state is not ACTIVE and state is not SPAWNING:
        _notify_double_despawn(record)
        return _OVER
    if record.pool._observers is not None:
        record.context.notify_call("despawn", record.pool.name)
    errors = _end_life(record, reason)
    if record.extras is None or not record.extras.children:
        return _leave_play(record, reason, errors)
    raised = _end_children(record)
    errors = _leave_play(record, reason, errors)
    # Only now: a child's error doesn't destroy its parent.
    return _merged(errors, raised)


def _merged(errors: Errors, others: Errors) -> Errors:
    if errors is None or others is None:
        return errors or others
    errors.take_all(others)
    return errors


def _end_life(record: Record[Any], reason: DespawnReason) -> Errors:
    """Make a life be over: run its hooks, and undo what its scope holds."""
    pool, state = record.pool, record.state
    record.state = DESPAWNING
    del pool._active[record]
    if state is ACTIVE and pool._observers is None:
        run = record.plan.run_despawned
        errors = None if run is None else run(record, record.components, reason)
    else:
        errors = _run_hooks_and_listeners(record, reason, is_spawning=state is SPAWNING)
    record.state = LEAVING
    resources = record.resources
    if resources is not None and resources.scope is not None:
        errors = resources.close_scope(errors)
    if errors is not None:
        record.mark_for_destroy()  # before children's hooks can count who will be destroyed
    return errors


def _run_hooks_and_listeners(
    record: Record[Any], reason: DespawnReason, *, is_spawning: bool
) -> Errors:
    """Call the listeners, then run the `despawned` hooks of the components that have begun."""
    observers, components, plan = record.pool._observers, record.components, record.plan
    listeners = () if observers is None else observers.on_despawn
    if is_spawning:
        record.add_hold()  # until its spawn returns
        # Beyond the components, `started` counts the groups of listeners that know of the life.
        listeners = listeners[: max(0, record.started - len(components))]
        components = components[: record.started]
        plan = plan_of(components, (), record.context.plans)
    errors = ErrorCollector()
    for listener in [listener for group in listeners for listener in group]:
        errors.call(listener, record.instance, note=f"as {record.label} was despawned")
    if plan.run_despawned is not None:
        errors.take_all(plan.run_despawned(record, components, reason))
    return errors or None


def _end_children(record: Record[Any]) -> Errors:
    """End all that lives under `record`, the last child first; return what hooks raised."""
    # A stack instead of recursion, whose depth Python limits: for each life that is ending, its
    # children that are left, its own errors and those of its children.
    stack: list[tuple[Record[Any], Iterator[Record[Any]], Errors, ErrorCollector]]
    stack = [(record, reversed(record.children), None, ErrorCollector())]
    while True:
        parent, children, errors, raised = stack[-1]
        for child in children:
            if child.active and child.parent is parent:  # still
                errors = _end_life(child, DespawnReason.PARENT)
                stack.append((child, reversed(child.children), errors, ErrorCollector()))
                break
        else:
            stack.pop()
            if not stack:
                return raised or None
            errors = _merged(_leave_play(parent, DespawnReason.PARENT, errors), raised or None)
            if errors is not None:
                stack[-1][-1].add(errors.take(f"despawning {parent.label}"))


def _leave_play(record: Record[Any], reason: DespawnReason, errors: Errors) -> Errors:
    """Leave the parent, the groups and the physics, and return to the pool."""
    pool = record.pool
    if record.extras is not None:
        record.clear_parent()
        record.extras = None
    record.hold_count += 1  # what happens as it leaves may take another hold and release it
    try:
        record.leave()
    except BaseException as error:
        errors = _leave_by_force(record, error, errors)
    record.hold_count -= 1
    if pool._observers is not None:
        errors = _notify_ended(record, reason, errors)
    if errors is not None:
        record.mark_for_destroy()
    queue = pool._return_queue
    if record.hold_count:
        return errors  # `release_hold` returns it
    if queue is not None:
        record.state = INACTIVE
        queue.append(record)
        return errors
    try:
        pool._return_to_pool(record, is_recycled=reason is DespawnReason.RECYCLED)
    except BaseException as error:
        errors = collected(errors, error)
    return errors


def _leave_by_force(record: Record[Any], error: BaseException, errors: Errors) -> Errors:
    errors = collected(errors, error, f"while {record.label} left its groups and the physics")
    errors.call(record.force_leave)
    return errors


def _notify_ended(record: Record[Any], reason: DespawnReason, errors: Errors) -> Errors:
    for watcher in record.context.life_watchers:
        try:
            watcher.ended(record, reason)
        except BaseException as error:
            errors = collected(errors, error)
    return errors


def _notify_double_despawn(record: Record[Any]) -> None:
    for watcher in record.context.life_watchers:
        watcher.called("despawn", record.pool.name)
        if record.state is not DESPAWNING:
            watcher.ended_again(record)


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
    _generation: int

    def get(self) -> T_co | None:
        """Return the instance while that life lasts, else `None`."""
        return self._record.instance if self else None

    def despawn(self) -> bool:
        """End that life; return `False` if it is over already."""
        return bool(self) and end(self._record)

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        record = self._record  # `Record.lasts` without the call: games ask this often
        return record.generation == self._generation and record.active

    def __repr__(self) -> str:
        """Return ``<Handle(orc #0007, life 3)>``, with ``over`` if it is."""
        state = "" if self else ", over"
        return f"<Handle({self._record.label}, life {self._generation}{state})>"
