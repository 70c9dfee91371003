"""`Builder`, which makes, wakes and destroys a pool's instances; and prespawning over frames."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.clock import ROUNDING
from poolkit.core.context import record_anywhere
from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.record import Record
from poolkit.core.saving import saved_without
from poolkit.core.seams import sprites_under_construction
from poolkit.core.states import DESTROYED

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from poolkit.core.plan import HookPlan
    from poolkit.core.pool import Pool
    from poolkit.core.prefab import Prefab

T = TypeVar("T")
_UNKNOWN = object()  # of what is no sprite, `None` included


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the garbage collector off while many instances are made.

    Nothing that is made is garbage, and to look through all of it, over and over, takes longer than
    to make it.
    """
    was_enabled = gc.isenabled()
    try:  # before it is off: Ctrl-C may come in between
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()


@saved_without("prefab", "stash")
class Builder(Generic[T]):
    """Makes the instances of one pool by its factory, wakes them, and destroys them."""

    def __init__(self, prefab: Prefab[T]) -> None:
        self.prefab = prefab
        self.num_made: int = 0
        self.plan: HookPlan | None = None  # of the last instance: the next is most likely like it
        # Made in lives that a checkpoint has undone; handed out, in order, before any is built.
        self.stash: list[Record[T]] = []

    def make(self, pool: Pool[T], names: tuple[str, ...] | None = None) -> Record[T]:
        """Build an instance of `pool`, out of play.

        Args:
            pool: The pool.
            names: The names of the data of the spawn that needs it; if its hooks don't accept them,
                it is dropped. `None`: it is made beforehand.
        """
        if self.stash:
            record, parts = self.stash.pop(0), None
            self.num_made = record.number = self.num_made + 1
        else:
            record, parts = self._build(pool)
        try:
            if parts is not None:
                record.attach()
                record.leave_initial()
                for part in parts:
                    # A sprite that the factory builds besides, such as a life bar, is the game's.
                    if part._pool_record is None:
                        part._join_home_groups()
            is_needed = names is not None or not self.prefab.awake_on_first_spawn
            if is_needed and not record.is_awake:
                self.wake(record)
            if names is not None and names not in record.plan.begins:
                record.plan.begin_for(names, pool.name)
        except BaseException as error:
            errors = self._drop(record, error)
            record.state = DESTROYED
            record.force_leave()
            record.break_cycles()
            errors.raise_now(f"making {record.label}")
        return record

    def _build(self, pool: Pool[T]) -> tuple[Record[T], list[Any]]:
        """Call the factory; return the record of what it built, and the sprites in it."""
        parts: list[Any] = []
        sprites_under_construction.append(parts)
        try:
            instance = self.prefab.factory()
        except BaseException as error:
            _explain(error, pool)
            raise
        finally:
            sprites_under_construction.pop()
        if getattr(instance, "_pool_record", _UNKNOWN) is not None:  # else it is a new sprite
            check_new(instance, f"the factory of {pool.name} returned")
        return self._add(instance, pool), parts

    def forget_kind(self) -> None:
        """Keep no class and no function alive for the sake of later instances."""
        self.plan = None

    def destroy_stash(self, errors: ErrorCollector) -> None:
        """Destroy what was put away."""
        while self.stash:
            errors.call(self.destroy, self.stash.pop())

    def adopt(self, instance: T, pool: Pool[T], allowed: int) -> Record[T]:
        """Return the record of an instance that the game built, which stays in play in any case.

        `allowed`: so many lives the pool may have, whatever its limits say.
        """
        record = self._add(instance, pool)
        try:
            record.attach()
            self.wake(record, in_play=True)
            record.plan.begin_for(tuple(pool._data or ()), pool.name)
            pool._recycler.ensure_room(None, allowed)  # its hooks may have taken it
        except BaseException as error:
            errors = self._drop(record, error)
            record.detach_instance()
            errors.raise_now(f"making {record.label}")
        return record

    def _add(self, instance: T, pool: Pool[T]) -> Record[T]:
        record = pool._record_for(instance)
        pool._context.records[id(instance)] = record
        self.num_made = record.number = self.num_made + 1
        return record

    def _drop(self, record: Record[T], error: BaseException) -> ErrorCollector:
        """Forget an instance that doesn't join the pool; return what was raised."""
        errors = ErrorCollector(error)
        record.run_destroyed(errors)
        record.context.forget(record, retire=False)
        if record.number == self.num_made:
            self.num_made -= 1
        return errors

    @staticmethod
    def wake(record: Record[T], *, in_play: bool = False) -> None:
        """Run the `awake` hooks."""
        record.is_awake = True  # so that components attached by an awake hook are woken at once
        record.find_hooks()
        if record.plan.awake:
            _run_awake(record)
            record.fields = ()  # what they have set counts as built
            record.refresh_snapshot()
            if not in_play:
                record.leave_initial()

    @staticmethod
    def destroy(record: Record[T]) -> None:
        """Give up an instance that has left its pool, even if its hooks raise."""
        errors = ErrorCollector()
        record.state = DESTROYED
        record.run_destroyed(errors)
        record.pool._context.forget(record, retire=True)
        errors.call(record.break_cycles)
        if errors:
            errors.raise_now(f"destroying {record.label}")


def _explain(error: BaseException, pool: Pool[Any]) -> None:
    """Add a note to an error of a factory; a factory that wants arguments can't be one."""
    trace = error.__traceback__
    # If the trace ends in our frame, the factory wasn't entered.
    if isinstance(error, TypeError) and trace is not None and trace.tb_next is None:
        message = (
            f"the factory of {pool.name} can't be called without arguments ({error}): "
            "what differs from life to life belongs in spawned(self, ...), and is given "
            "to spawn() by name; for what does not, use Prefab(lambda: ...)"
        )
        raise PrefabError(message) from error
    error.add_note(f"while the factory of {pool.name} built an instance")


def check_new(instance: object, source: str) -> None:
    """Refuse what isn't an instance, or isn't new; `source` says where it comes from."""
    record: Any = getattr(instance, "_pool_record", instance)
    if record is not None and not isinstance(record, Record):
        record = record_anywhere(instance)  # it has no place for a record, or is a mock
    if instance is None or record is not None:
        known_as = f", which {record.label} is already" if record is not None else ""
        message = f"{source} {instance!r}{known_as}: it must be a new instance, of no other pool"
        raise PrefabError(message)
    if isinstance(instance, type):
        name = instance.__name__
        message = f"{source} the class {name}: call it, as in {name}(), for an instance of it"
        raise PrefabError(message)


def _run_awake(record: Record[Any]) -> None:
    components = record.components
    for hook in record.plan.awake:
        if not record.has_component(components[hook.place]):
            continue  # a hook has removed it
        try:
            hook.bind("awake", components)()
        except BaseException as error:
            error.add_note(f"in {hook.label} of {record.label}")
            errors = ErrorCollector(error)
            record.run_destroyed(errors, hook.place)
            record.is_awake = False
            errors.raise_now(f"waking {record.label}")


# -- spread over frames -----------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class PrespawnSchedule:
    """How a pool makes by and by what its settings prespawn."""

    start: float  # the second of the clock
    rate: float | None  # instances per update; `None`: all at once
    due: float = 0.0  # how many of these are due now

    def next(self, left: int) -> int:
        """Return how many of those left to make in this update."""
        if self.rate is None:
            return left
        self.due += self.rate
        now = min(int(self.due + ROUNDING), left)
        self.due -= now
        return now


@dataclass(frozen=True, slots=True)
class Progress:
    """How far prewarming is.

    Attributes:
        done: How many instances have been made.
        total: How many there will be in all.
    """

    done: int
    total: int

    @property
    def fraction(self) -> float:
        """The share that is done, from 0 to 1; 1 if there is nothing to do."""
        return self.done / self.total if self.total else 1.0


def prewarming(
    counts: Mapping[Pool[Any], int], budget_ms: float
) -> Generator[Progress, None, None]:
    """Make instances until each pool holds its count at rest; see `PoolingSystem.prewarm`."""
    steps = _prewarm_steps(counts, budget_ms)
    while True:
        with collector_off():
            step = next(steps, None)
        if step is None:
            return
        yield step


def _prewarm_steps(counts: Mapping[Pool[Any], int], budget_ms: float) -> Iterator[Progress]:
    lacks = {pool: pool._num_missing(count) for pool, count in counts.items()}
    wanted = {pool: pool.inactive_count + lacking for pool, lacking in lacks.items()}
    done, later = 0, sum(lacks.values())
    deadline = time.perf_counter() + budget_ms / 1000
    for pool, count in wanted.items():
        later -= lacks[pool]
        while pool.inactive_count < count and pool.increase_capacity(1):
            done += 1
            # What other pools lack isn't counted again: there may be thousands of them.
            missing = later + max(0, count - pool.inactive_count)
            if missing and time.perf_counter() >= deadline:
                yield Progress(done, done + missing)
                deadline = time.perf_counter() + budget_ms / 1000
    missing = sum(max(0, count - pool.inactive_count) for pool, count in wanted.items())
    yield Progress(done, done + missing)
