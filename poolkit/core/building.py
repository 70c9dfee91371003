"""How a pool's instances are made, woken and destroyed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from poolkit.core.clock import ROUNDING
from poolkit.core.context import record_anywhere
from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.hooks import name_of
from poolkit.core.record import DESTROYED, RESERVED, Record
from poolkit.core.seams import constructions

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from poolkit.core.pool import Pool
    from poolkit.core.prefab import Prefab

T = TypeVar("T")


class Builder(Generic[T]):
    """Makes the instances of one pool by its factory, wakes them, and destroys them."""

    def __init__(self, prefab: Prefab[T]) -> None:
        self.prefab = prefab
        self.number = 0  # of the instance that was made last

    def make(  # noqa: C901 - one way for what is made and what is adopted
        self,
        pool: Pool[T],
        names: tuple[str, ...] | None = None,
        adopted: Callable[[], T] | None = None,
    ) -> Record[T]:
        """Build an instance of `pool`, out of play.

        Args:
            pool: The pool.
            names: The names of the data of the spawn that needs it; if its hooks don't accept them,
                it is dropped. `None`: it is made beforehand.
            adopted: Returns an instance that the game built, which stays in play in any case.
        """
        build = adopted or self.prefab.factory
        parts: list[Any] = []
        try:
            constructions.append(parts)
            instance = build()
        except BaseException as error:
            _explain(error, pool)
            raise
        finally:
            if constructions and constructions[-1] is parts:  # else an interrupt came first
                constructions.pop()
        is_in_play = adopted is not None
        check_new(instance, pool, is_adopted=is_in_play)
        record = pool._record_for(instance)
        pool._context.records[id(instance)] = record
        self.number = record.number = self.number + 1
        try:
            record.attach()
            if not is_in_play:
                record.withdraw()
            record.find_hooks()
            for part in parts:
                # A sprite that the factory builds besides, such as a life bar, is the game's own.
                if part._pool_record is None:
                    part._join_home_groups()
            if names is not None or not self.prefab.awake_on_first_spawn:
                self.wake(record, is_in_play=is_in_play)
            if names is None:
                record.shelve()
            elif names not in record.deals:
                record.deal(names)
        except BaseException as error:
            self._drop(record, ErrorCollector(error), is_in_play=is_in_play)
        if not is_in_play:
            record.state = RESERVED
        return record

    def _drop(self, record: Record[T], errors: ErrorCollector, *, is_in_play: bool) -> NoReturn:
        """Forget an instance that doesn't join the pool, and raise `errors`."""
        label = record.label
        if record.is_awake:
            record.run_destroyed(record.components, errors)
        record.context.forget(record, retire=False)
        if record.number == self.number:
            self.number -= 1
        if is_in_play:
            record.let_go()
        else:
            record.state = DESTROYED
            record.expel()
            record.dismantle()
        errors.raise_now(f"making {label}")

    @staticmethod
    def wake(record: Record[T], *, is_in_play: bool = False) -> None:
        """Run the `awake` hooks."""
        record.is_awake = True  # so that components attached by an awake hook are woken at once
        if record.plan.awake:
            try:
                _run_awake(record)
                record.settle()
                if not is_in_play:
                    record.withdraw()
            except BaseException:
                record.doom()
                raise
        record.learn_deals()

    @staticmethod
    def destroy(record: Record[T]) -> None:
        """Give up an instance that has left its pool, even if its hooks raise."""
        errors = ErrorCollector()
        record.state = DESTROYED
        record.destroy(errors)
        record.pool._context.forget(record, retire=True)
        errors.call(record.dismantle)
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


def check_new(instance: object, pool: Pool[Any], *, is_adopted: bool) -> None:
    """Refuse what isn't an instance, or isn't new."""
    before: Any = getattr(instance, "_pool_record", instance)
    if before is not None and not isinstance(before, Record):
        before = record_anywhere(instance)  # it has no place for a record, or is a mock
    is_known = before is not None
    source = "adopt() was given" if is_adopted else f"the factory of {pool.name} returned"
    if instance is None or is_known:
        known_as = f", which {before.label} is already" if is_known else ""
        message = f"{source} {instance!r}{known_as}: it must be a new instance, of no other pool"
        raise PrefabError(message)
    if isinstance(instance, type):
        name = instance.__name__
        message = f"{source} the class {name}: call it, as in {name}(), for an instance of it"
        raise PrefabError(message)


def _run_awake(record: Record[Any]) -> None:
    components = record.components
    for place in record.plan.awake:
        try:
            components[place].awake()
        except BaseException as error:
            errors = ErrorCollector()
            errors.add(error, f"in {name_of(components[place].awake)} of {record.label}")
            record.is_awake = False
            record.run_destroyed(components[:place], errors)
            errors.raise_now(f"waking {record.label}")


# -- spread over frames -----------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Growth:
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
    lacks = {pool: pool._lacking(count) for pool, count in counts.items()}
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
