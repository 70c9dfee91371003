"""How a life ends: hooks, scope, children, groups and physics, and then to rest.

`end` is the fast way, for lives that have nothing exceptional; `_end_fully` beside it defines what
both do, and serves parents, watchers, listeners and errors. Below them are the ways to end many
lives at once, and to let an instance go alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

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

    from poolkit.core.hooks import Components, IPoolableComponent, Listeners, Share
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

    Due = Iterable[tuple[IPoolableComponent, Share]]
    """Components whose hook is still to be called, and what it wants."""

_ROUNDS = 8  # of hooks that spawn while everything is being ended


def end(  # noqa: C901, PLR0912, PLR0915 - one way, with few calls
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
        if record.special is not None:  # one has changed the hooks
            return _end_on(record, reason, after(last, components, each_of(reasons)))
    record.state = LEAVING
    own = record.life
    if own is not None:
        if own.scope is not None:
            if own.undo:
                return _end_on(record, reason)
            own.scope = None
            for timer in own.timers:
                if timer.call is not None:  # most have fired
                    own.cancel_timers()
                    break
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
    """Go on fully, with the hooks still due, after one that has raised; and raise that."""
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
    """Go on fully, with the hooks still due, where the fast way met what is not for it.

    `others`: what children raised, which is no reason to destroy their parent.
    """
    errors = ErrorCollector()
    wind_up(record, reason, due, errors, others)
    errors.raise_all(f"despawning {record.label}")
    return True


def _end_children(children: dict[Record[Any], None]) -> list[BaseException]:
    """End the lives under one that ends, the last first, as long as none has others under it.

    Returns what they raise. Where some `children` are left, those are for `wind_up`.
    """
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
    errors.call(record.pool._put_to_rest, record)
    errors.raise_now(f"despawning {label}")


def after(
    last: IPoolableComponent | None, components: Components, gets: Iterable[Share]
) -> list[tuple[IPoolableComponent, Share]]:
    """Return the components that come after `last`, each with what its hook gets."""
    due = list(zip(components, gets, strict=False))
    while due and due.pop(0)[0] is not last:
        pass
    return due


# -- the full way -----------------------------------------------------------------------------


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
    """Let a life be over, and call the listeners; return the hooks that are due next."""
    pool, due = record.pool, record.due_despawned()
    told: Iterable[Listeners] = [on_despawn for _, on_despawn in pool._listeners()]
    pool._stir()
    if record.state is SPAWNING:
        told = record.make_special().told_of_end  # those who have been told that it began
        record.hold()
    record.state = DESPAWNING
    pool._drop_from_active(record)
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
    """Run the hooks that are due, close the scope, end the children, leave play, and rest.

    Children of children wait on a list, for recursion has a limit.
    """
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
        record.doom()  # before others ask who will be destroyed anyhow
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
    errors.errors += raised  # now: a child that failed is no reason to destroy its parent


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
        record.pool._put_to_rest(record, is_needed=reason is DespawnReason.RECYCLED)
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
    """End every life in `pools` and destroy what is at rest, and what hooks begin while it runs.

    The pools are asked for in each round, for a hook may be the first to use a prefab. Where
    something is left after eight rounds, `errors` are given a `PoolError` that says so.
    """
    for turn in range(_ROUNDS + 1):
        active = [record for pool in pools() for record in pool._active]
        goes_on = [each for each in active if keep_persistent and each.parent is None]
        goes_on = [each for each in goes_on if each.is_persistent]
        for record in goes_on:
            goes_on += record.children
        spared = set(goes_on)
        doomed = [each for each in active if each not in spared]
        emptied = [pool for pool in pools() if not (keep_persistent and pool._persistent)]
        left = [record.pool.name for record in doomed]
        resting = (each for each in emptied if each._reusable or each._awaiting_update)
        left += [pool.name for pool in resting]
        if turn and not left:
            return
        if turn < _ROUNDS:
            # Roots first: children end with their parents, and their hooks hear so.
            for record in sorted(doomed, key=lambda record: record.parent is not None):
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
    """End every life in `pools` whose instance meets `predicate`; return how many that ended.

    Each life that was active at the call is considered once, before any is ended; a later life
    never. Lives that parents or hooks took along count too.
    """
    lives = [(record, record.generation) for pool in pools for record in pool._active]
    chosen = [life for life in lives if life[0].lasts(life[1]) and predicate(life[0].instance)]
    # A predicate may end one.
    return end_lives([life for life in chosen if life[0].lasts(life[1])])


def end_lives(lives: list[tuple[Record[Any], int]]) -> int:
    """End lives that last, each a record and its generation; return how many that ended."""
    errors = ErrorCollector()
    for record, generation in lives:
        if record.lasts(generation):
            errors.call(end, record)
    errors.raise_all("despawning several")
    # A hook may have taken one out of pooling instead.
    return sum(record.state is not DETACHED for record, _ in lives)


# -- alive, and no longer the pool's ----------------------------------------------------------


def let_go(record: Record[Any]) -> None:
    """Take an active instance out of pooling for good, alive; no hook runs."""
    pool, label, is_spawning = record.pool, record.label, record.state is SPAWNING
    record.make_special()
    pool._stir()
    record.state = DETACHED
    pool._drop_from_active(record)
    pool._ledger.totals.detached += 1
    pool._leave_stock(record)
    errors = ErrorCollector()
    record.close_scope(errors)
    for child in record.children:
        child.unparent()
    record.unparent()
    record.let_go()
    pool._context.forget(record, retire=False)  # last: what is interrupted is found by this
    if not is_spawning:  # else the spawn that has yet to return it does so
        record.forget()
    errors.raise_all(f"closing the scope of {label}")
