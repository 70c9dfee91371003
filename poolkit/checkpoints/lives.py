"""The lives of a system at one moment: which records lived, and how their pools are put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.checkpoints.values import CheckpointError
from poolkit.core.restoring import (
    drop_destroyed,
    follow_context,
    lay_to_rest,
    make_unused,
    put_away,
    records_of,
    renumber_lives,
    take_back,
)
from poolkit.core.seams import lives_of
from poolkit.core.states import DESTROYED, DETACHED

if TYPE_CHECKING:
    from poolkit.checkpoints.values import Walk
    from poolkit.core.context import SystemContext
    from poolkit.core.errors import ErrorCollector
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record


class Lives:
    """Which instances the pools of a system had, and which of them lived."""

    def __init__(self, context: SystemContext) -> None:
        self._context = context
        self._num_resets = context.num_resets
        self._records: dict[Pool[Any], list[Record[Any]]] = {
            pool: records_of(pool) for pool in context.pools
        }
        self._extras = list(context.extras)
        self._lives = _lives_now(context)
        self._destroyed: dict[Pool[Any], list[Record[Any]]] = {}  # since, while it is restored
        self._generations = {
            record: record.generation for records in self._records.values() for record in records
        }

    def note(self, walk: Walk) -> None:
        """Have all that the pools and their lives hold noted."""
        walk.note_alone(self._context)
        walk.follow(self._context.extras.values())
        walk.note_alone(*self._records)
        walk.note_alone(*self._lives)
        walk.note_lives([record.instance for record in self._lives])
        inactive = [record for record in self._generations if record not in self._lives]
        waiting = dict(walk.waiting)
        walk.note_alone(*inactive)
        # Of what is inactive, nothing but the timers is anybody's concern.
        walk.waiting = waiting
        walk.follow([record.resources for record in inactive])

    def check(self) -> None:
        """Refuse to put back what is gone.

        Raises:
            CheckpointError: There was a reset since, or something that lived then is destroyed.
        """
        if self._context.closed or self._context.num_resets != self._num_resets:
            message = (
                "this checkpoint is of a scene that a reset has ended: take one when the next "
                "scene has begun"
            )
            raise CheckpointError(message)
        for record in self._lives:
            if record.state is DESTROYED or record.state is DETACHED:
                is_gone = "destroyed" if record.state is DESTROYED else "detached"
                message = (
                    f"{record.label} lived when this checkpoint was taken, and was {is_gone} "
                    "since: max_idle, trim_after, discard() and detach() give instances up"
                )
                raise CheckpointError(message)

    def end_others(self, errors: ErrorCollector) -> None:
        """End the lives that have begun since, the youngest first, without their hooks."""
        lives = _lives_now(self._context)
        if lives != self._lives:
            for record, life in reversed(lives.items()):
                if self._lives.get(record) != life:
                    lay_to_rest(record, errors)

    def take_back(self) -> None:
        """Put away what was made since, and take back how often each instance has lived."""
        self._destroyed = {
            pool: [record for record in records if record.state is DESTROYED]
            for pool, records in self._records.items()
        }
        for pool in list(self._context.pools):
            if pool not in self._records:
                make_unused(pool)
            else:
                put_away(pool, self._generations)
        for record, generation in self._generations.items():
            if record.generation != generation:
                take_back(record, generation)

    def finish(self) -> None:
        """Leave out what rested then and was destroyed since, once all else is put back."""
        for pool, records in self._destroyed.items():
            drop_destroyed(pool, records)
        renumber_lives(self._generations)
        for key, registry in self._context.extras.items():
            if key not in self._extras:  # of lives that have begun since
                registry.clear()
        follow_context(self._context.pools)


def _lives_now(context: SystemContext) -> dict[Record[Any], int]:
    records = [record for pool in context.pools for record in lives_of(pool)]
    return {record: record.generation + record.life_offset for record in records}  # their `life`
