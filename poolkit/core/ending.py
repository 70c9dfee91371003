"""How a life ends, and handles, which know whether it has.

A life ends in this order: hooks, scope, children, groups and physics, rest. `end` is the fast path
for lives with nothing exceptional. `_end_fully` is its plain twin; it also serves watchers,
listeners, lives that are still beginning, and errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.hooks import BY_PLACE, DespawnReason, each_of, name_of
from poolkit.core.record import (
    ACTIVE,
    DESPAWNING,
    DESTROYED,
    DETACHED,
    HELD,
    INACTIVE,
    LEAVING,
    SPAWNING,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import Components, IPoolableComponent, Share
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

    Due = Iterable[tuple[IPoolableComponent, Share]]
    """Components whose hook is still to be called, with what it gets."""

T_co = TypeVar("T_co", covariant=True)
_ROUNDS = 8  # in which hooks may spawn again while everything is being ended


def end(  # noqa: C901, PLR0912, PLR0915 - one path, with few calls
    record: Record[Any],
    reason: DespawnReason = DespawnReason.DESPAWNED,
) -> bool:
    """End the life of `record`; `False` if it is over already."""
    if record.state is not ACTIVE or record.special is not None:
        return _end_fully(record, reason)
    record.state = DESPAWNING
    pool = record.pool
    del pool._active[record]
    last = record.only_despawned
    if last is not None:
        try:
            last.despawned()
        except BaseException as error:
            _end_failed(record, reason, last, error)
    elif record.only_given_reason is not None:
        last = record.only_given_reason
        try:
            last.despawned(reason)
        except BaseException as error:
            _end_failed(record, reason, last, error)
    elif record.despawned:
        components, reasons = record.despawned, record.gets_reason
        try:
            if reasons is None:
                for last in components:
                    last.despawned()
                    if record.special is not None:
                        break
            else:
                for last, wants in zip(components, reasons):  # noqa: B905 - of one length
                    if wants is None:
                        last.despawned()
                    elif wants is BY_PLACE:
                        last.despawned(reason)
                    else:
                        last.despawned(reason=reason)
                    if record.special is not None:
                        break
        except BaseException as error:
            due = after(last, components, each_of(reasons))
            _end_failed(record, reason, last, error, due)
        if record.special is not None:  # a hook has changed the components
            return _end_on(record, reason, after(last, components, each_of(reasons)))
    record.state = LEAVING
    own = record.life
    if own is not None:
        if own.scope is not None:
            if own.undo:
                return _end_on(record, reason)
            own.scope = None
            for timer in own.timers:
                if timer.call is not None:  # `Timer.cancel` without the call; most have fired
                    timer.number = 0
                    timer.call = None
                    timer.next, own.idle = own.idle, timer
        if own.children:
            others = _end_children(own.children)
            if own.children or others:
                return _end_on(record, reason, others=others)
        if own.parent is not None:
            record.unparent()
    try:
        leave = record.departure
        leave(record)
    except BaseException as error:
        _leave_failed(record, error)
    else:
        resting = pool._resting
        if resting is None or record.special is not None:
            pool._put_to_rest(record, is_needed=reason is DespawnReason.RECYCLED)
        else:
            record.state = INACTIVE
            resting.append(record)
        return True


def _end_failed(
    record: Record[Any],
    reason: DespawnReason,
    failed: IPoolableComponent | None,
    error: BaseException,
    due: Due = (),
) -> NoReturn:
    """Finish on the full path after a hook has raised, and raise its error."""
    if failed is not None:  # else it was an interrupt
        error.add_note(f"in {name_of(failed.despawned)} of {record.label}")
    errors = ErrorCollector(error)
    del error  # see `ErrorCollector.raise_now`
    wind_up(record, reason, due, errors)
    errors.raise_now(f"despawning {record.label}")


def _end_on(
    record: Record[Any],
    reason: DespawnReason,
    due: Due = (),
    others: Iterable[BaseException] = (),
) -> bool:
    """Finish on the full path; `others` are the errors of children that have ended already."""
    errors = ErrorCollector()
    wind_up(record, reason, due, errors, others)
    errors.raise_all(f"despawning {record.label}")
    return True


def _end_children(children: dict[Record[Any], None]) -> list[BaseException]:
    """End children, the last first, and return their errors; stop at one with its own children."""
    errors: list[BaseException] = []
    for child in reversed(list(children)):
        own: Any = child.life  # it has a parent
        if child not in children or own.children:
            break
        try:
            end(child, DespawnReason.PARENT)
        except BaseException as error:
            errors.append(error)
    return errors


def _leave_failed(record: Record[Any], error: BaseException) -> NoReturn:
    label = record.label
    errors = ErrorCollector()
    errors.add(error, f"while {label} left its groups and the physics")
    del error  # see `ErrorCollector.raise_now`
    record.doom()
    errors.call(record.expel)
    errors.call(record.rest)
    errors.raise_now(f"despawning {label}")


def after(
    last: IPoolableComponent | None, components: Components, gets: Iterable[Share]
) -> list[tuple[IPoolableComponent, Share]]:
    """Return the components that come after `last`, each with what its hook gets."""
    due = list(zip(components, gets, strict=False))
    while due and due.pop(0)[0] is not last:
        pass
    return due


# -- the full path ----------------------------------------------------------------------------


def _end_fully(record: Record[Any], reason: DespawnReason) -> bool:
    """End the life of `record`: the plain twin of `end`."""
    for watcher in record.context.life_watchers:
        watcher.called("despawn", record.pool.name)
        if record.state in {INACTIVE, HELD, DESTROYED}:
            watcher.ended_again(record)
    if not record.active:
        return False
    errors = ErrorCollector()
    due = take_from_active(record, errors)
    wind_up(record, reason, due, errors)
    errors.raise_all(f"despawning {record.label}")
    return True


def take_from_active(record: Record[Any], errors: ErrorCollector) -> Due:
    """Make a life be over, and call the listeners; return the hooks that are due next."""
    due = record.due_despawned()
    told: Iterable[dict[object, Any]] = record.pool._take_out(record)
    if record.state is SPAWNING:
        told = record.make_special().told_of_end
        record.hold()
    record.state = DESPAWNING
    for listeners in told:
        for listener in list(listeners.values()):
            errors.call(listener, record.instance, note=f"as {record.label} was despawned")
    return due


def wind_up(
    record: Record[Any],
    reason: DespawnReason,
    due: Due,
    errors: ErrorCollector,
    others: Iterable[BaseException] = (),
) -> None:
    """Run the hooks that are due, close the scope, end the children, leave play, and rest."""
    # A list of generators instead of recursion, whose depth Python limits.
    waiting = [_winding_up(record, reason, due, errors, others)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        else:
            waiting.append(child)


def _winding_up(
    record: Record[Any],
    reason: DespawnReason,
    due: Due,
    errors: ErrorCollector,
    others: Iterable[BaseException] = (),
) -> Iterator[Any]:
    """End this life; yield a generator for each child, to run to its end first."""
    for component, wants in due:
        if not record.has_component(component):
            continue  # another hook took it off
        try:
            if wants:
                component.despawned(reason=reason)
            else:
                component.despawned()
        except BaseException as error:
            errors.add(error, f"in {name_of(component.despawned)} of {record.label}")
    if record.state is not LEAVING:
        record.state = LEAVING
    record.close_scope(errors)
    if errors:
        record.doom()  # before children's hooks can count who will be destroyed
    raised = list(others)
    for child in reversed(record.children):
        if child.active and child.parent is record:  # still
            within = ErrorCollector()
            due = take_from_active(child, within)
            yield _winding_up(child, DespawnReason.PARENT, due, within)
            if len(within.errors) > 1:
                raised.append(BaseExceptionGroup(f"despawning {child.label}", within.errors))
            else:
                raised += within.errors
    _leave_play(record, reason, errors)
    errors.errors += raised  # only now: a child's error doesn't destroy its parent


def _leave_play(record: Record[Any], reason: DespawnReason, errors: ErrorCollector) -> None:
    record.unparent()
    try:
        leave = record.departure
        leave(record)
    except BaseException as error:
        errors.add(error, f"while {record.label} left its groups and the physics")
        errors.call(record.expel)
    for watcher in record.context.life_watchers:
        errors.call(watcher.ended, record, reason)
    if errors:
        record.doom()
    try:
        record.rest(is_needed=reason is DespawnReason.RECYCLED)
    except BaseException as error:
        errors.add(error)


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
        roots = [each for each in active if each.parent is None]
        goes_on = [each for each in roots if keep_persistent and each.is_persistent]
        for record in goes_on:
            goes_on += record.children
        # Roots first: children end with their parents, and their hooks are given that reason.
        in_order, spared = dict.fromkeys((*roots, *active)), set(goes_on)
        doomed = [each for each in in_order if each not in spared]
        emptied = [pool for pool in pools() if not (keep_persistent and pool._persistent)]
        left = [record.pool.name for record in doomed]
        left += [pool.name for pool in emptied if pool._num_resting]
        if turn and not left:
            return
        if turn < _ROUNDS:
            for record in doomed:
                if record.active:
                    errors.call(end, record, reason)
            for pool in emptied:
                pool._destroy_resting(errors)
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
    end(record, DespawnReason.RECYCLED)


def discard(context: SystemContext, instance: object) -> bool:
    """End the life of `instance` and destroy it; `False` if it is over already."""
    record = context.require_unless_gone(instance)
    if record is None:
        return False
    if record.holds or not record.is_at_rest:
        record.doom()
    return end(record)


def let_go(record: Record[Any]) -> None:
    """Take an active instance out of pooling for good, alive; no hook runs."""
    label, is_spawning = record.label, record.state is SPAWNING
    record.make_special()
    record.state = DETACHED
    record.pool._detach(record)
    errors = ErrorCollector()
    record.close_scope(errors)
    for child in record.children:
        child.unparent()
    record.unparent()
    record.let_go()
    record.context.forget(record, retire=False)  # last: a reset finds what was interrupted by it
    if not is_spawning:  # else its spawn still needs the record
        record.forget()
    errors.raise_all(f"closing the scope of {label}")


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
