"""What a checkpoint does to pools and records, without a hook or a listener."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from poolkit.core.states import DESTROYED, INACTIVE, LEAVING
from poolkit.core.statistics import Ledger

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from poolkit.core.errors import ErrorCollector
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_number_of = attrgetter("number")


def records_of(pool: Pool[Any]) -> list[Record[Any]]:
    """Return the records of all instances of a pool, in the order in which they were made."""
    return list(pool._records)


def lay_to_rest(record: Record[Any], errors: ErrorCollector) -> None:
    """End a life as if it had never begun: it leaves play, and nothing of its scope is called.

    The checkpoint puts back what it has in common with others: groups, timers, connections.
    """
    record.state = LEAVING
    resources, extras = record.resources, record.extras
    if resources is not None:
        resources.scope = resources.undo = None
    if extras is not None:
        errors.call(record.clear_parent)
        record.extras = None
    errors.call(record.leave)
    record.state, record.hold_count = INACTIVE, 0


def take_back(record: Record[Any], generation: int) -> None:
    """Give a record the count of lives that it had then; handles of later lives stay false."""
    record.num_undone += record.generation - generation
    record.generation = generation


def renumber_lives(records: Collection[Record[Any]]) -> None:
    """Let the next life of each record have a number that no life of it had."""
    for record in records:
        if record.life_offset != record.num_undone:
            if record.active:
                record.make_extras()  # by which its end looks at the number
            else:
                record.life_offset = record.num_undone


def put_away(pool: Pool[Any], kept: Collection[Record[Any]]) -> None:
    """Put away the instances of a pool that aren't among those `kept`: they were made since.

    They are out of play, and wait until the pool would make one.
    """
    stash = pool._builder.stash
    made_since = [record for record in pool._records if record not in kept]
    for record in made_since:
        take_back(record, 0)
        record.life_offset = record.num_undone
        record.resources = record.extras = None
        record.started = record.hold_count = 0
        del pool._records[record]
    stash[:] = sorted(
        [record for record in (*stash, *made_since) if record not in kept], key=_number_of
    )


def drop_destroyed(pool: Pool[Any], records: Collection[Record[Any]]) -> None:
    """Leave out instances that rested then and were destroyed since; count them as destroyed."""
    totals = pool._ledger.totals
    for record in records:
        record.forget_instance()
        record.state = DESTROYED
        for queue in (pool._inactive, pool._awaiting_update):
            if record in queue:
                queue.remove(record)
        pool._doomed.discard(record)
        del pool._records[record]
        totals.destroyed += 1
        totals.past_lives += record.generation


def make_unused(pool: Pool[Any]) -> None:
    """Make a pool as one that was never used: it was first used since."""
    put_away(pool, ())
    for records in (pool._active, pool._inactive, pool._awaiting_update, pool._doomed):
        records.clear()
    pool._builder.num_made = 0
    pool._is_prespawned = pool._is_dirty = False
    pool._ledger = Ledger(pool._context.clock)


def follow_context(pools: Mapping[Pool[Any], Any]) -> None:
    """Let pools work out again what depends on switches, settings and listeners."""
    for pool in pools:
        pool._on_change()
