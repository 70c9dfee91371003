"""A pool for objects of any kind, on the same engine as prefabs."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - typing asks for it when the class is made
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from poolkit.core.context import SystemContext
from poolkit.core.ending import Handle, detach, discard, end, end_where
from poolkit.core.errors import (
    ErrorCollector,
    NotManagedError,
    PoolError,
    PoolExhaustedError,
    PrefabError,
)
from poolkit.core.pool import Pool
from poolkit.core.prefab import Prefab
from poolkit.core.record import Record
from poolkit.core.settings import PoolSettings, checked_count

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


class _Functions(NamedTuple, Generic[T]):
    """The functions that manage the objects of a pool."""

    activate: Callable[[T], object]
    deactivate: Callable[[T], object]
    reactivate: Callable[[T], object]
    destroy: Callable[[T], object]


class ObjectPool(Pool[T]):
    """Lends objects of any type and takes them back.

    Runs the hooks of an object that is an `IPoolableComponent`; for others you can pass functions.

    Args:
        create: Builds a new object, without arguments.
        activate: Called with an object as it is lent.
        deactivate: Called with an object as it is taken back, and with a new one, which is put
            out of use before its first loan: so it must cope with what `create` returns.
        reactivate: Called instead of `activate` with an object that was recycled because the pool
            was full; default: `activate`.
        destroy: Called with an object that the pool gives up for good.
        settings: Sizes and policies; what they prespawn is made at once.
        pooling: `False` builds and destroys an object each time, to compare.

    Raises:
        TypeError: One of them can't be called.

    Examples:
        >>> pool = ObjectPool(list, deactivate=list.clear, settings=PoolSettings(prespawn=2))
        >>> with pool.borrow() as scratch:
        ...     scratch.append(1)
        >>> pool.get(), pool.inactive_count
        ([], 1)
    """

    def __init__(
        self,
        create: Callable[[], T],
        *,
        activate: Callable[[T], object] | None = None,
        deactivate: Callable[[T], object] | None = None,
        reactivate: Callable[[T], object] | None = None,
        destroy: Callable[[T], object] | None = None,
        settings: PoolSettings | None = None,
        pooling: bool = True,
    ) -> None:
        functions = (activate, deactivate, activate if reactivate is None else reactivate, destroy)
        self._functions = _Functions(*(_do_nothing if one is None else one for one in functions))
        for name, function in {"create": create, **self._functions._asdict()}.items():
            if not callable(function):
                message = f"{name} must be a function, not {function!r}"
                raise TypeError(message)
        settings = settings or PoolSettings()
        super().__init__(Prefab(create, pooling=pooling), settings, SystemContext())
        self._context.pools[self] = None
        self._context.reuse = "at_once"  # updated or not
        self._ensure_prespawned()

    def _record_for(self, instance: T) -> Record[T]:
        return _ObjectRecord(instance, self, self._functions)

    # -- lending ------------------------------------------------------------------------------

    def get(self) -> T:
        """Lend an object: one that is at rest, or a new one.

        Raises:
            PoolExhaustedError: The pool is at its limit and its policy refuses.
        """
        return self._spawn()

    def try_get(self) -> T | None:
        """Lend an object, or return `None` if the policy refuses."""
        try:
            return self._spawn()
        except PoolExhaustedError as error:
            if error.is_passed_on:
                raise
            return None

    def release(self, obj: T) -> None:
        """Take an object back.

        Raises:
            NotManagedError: It isn't this pool's, or was released already.
        """
        record = self._context.records.get(id(obj)) or self._context.find(obj)
        if record is None or not end(record):
            released = record is not None or id(obj) in self._context.retired
            why = "was released already" if released else f"is not of the pool of {self.name}"
            message = f"{obj!r} {why}: release what get() returned, once"
            raise NotManagedError(message)

    def discard(self, obj: T) -> bool:
        """Take an object back and destroy it; `False` if it was taken back already.

        Raises:
            NotManagedError: It isn't this pool's.
        """
        return discard(self._context, obj)

    def detach(self, obj: T) -> None:
        """Take a lent object out of the pool for good; nothing is called.

        Raises:
            NotManagedError: It isn't this pool's.
            PoolError: It isn't lent.
        """
        detach(self._context.require_active(obj))

    def release_all(self) -> int:
        """Take all objects back; return how many."""
        return self.release_where(lambda _: True)

    def release_where(self, predicate: Callable[[T], object]) -> int:
        """Take back each lent object that meets `predicate`; return how many.

        Raises:
            BaseException: What `predicate` raised, at once; or what functions raised, at the end.
        """
        return end_where((self,), predicate)

    def release_lowest(self, n: int) -> int:
        """Take back the `n` objects of the lowest priority; return how many there were.

        Raises:
            PoolError: The pool has no priorities: its overflow policy is not `RecycleLowest`.
            ValueError: `n` is negative.
        """
        most, done, errors = checked_count(n, "n"), 0, ErrorCollector()
        while done < most and (record := self._recycler.lowest()) is not None:
            done += 1
            errors.call(end, record)
        errors.raise_all(f"releasing the lowest of {self.name}")
        return done

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass, for `trim_after`, idle time and timers; else it isn't needed.

        Raises:
            ValueError: `dt` is negative or not finite.
            BaseException: What timers or functions raised, after everything that was due.
        """
        self._context.update(dt)

    def close(self) -> None:
        """Lend nothing any more: destroy what is at rest now, and lent objects as they come back.

        Raises:
            BaseException: What functions or hooks raised; the pool is closed all the same.
        """
        self._context.closed = True
        self._on_change()
        errors = ErrorCollector()
        self._destroy_first(self.capacity, errors)
        errors.raise_all(f"closing the pool of {self.name}")

    def _ensure_open(self, _: str) -> None:
        if self._context.closed:
            message = f"the pool of {self.name} is closed: it lends and makes nothing any more"
            raise PoolError(message)

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend an object for a ``with`` block; you may release it earlier."""
        obj = self._spawn()
        record = self._context.require(obj)
        loan: Handle[T] = Handle(record, record.life)
        try:
            yield obj
        finally:
            loan.despawn()


def _do_nothing(*_: object) -> None:
    """Do nothing."""


class _ObjectRecord(Record[T]):
    """The record of an object that its pool's functions manage."""

    __slots__ = ("_functions", "_is_lent", "_is_recycled")

    def __init__(self, instance: T, pool: Pool[T], functions: _Functions[T]) -> None:
        super().__init__(instance, pool)
        self._functions = functions
        self._is_lent = True  # as `create` made it
        self._is_recycled = False

    def attach(self) -> None:
        """Refuse a `PooledSprite`, which functions can't put into play."""
        if hasattr(type(self.instance), "_pool_record"):
            message = (
                f"{self.instance!r} is made for the pool of a prefab: spawn a Prefab of it, "
                "or pool a plain sprite here"
            )
            raise PrefabError(message)
        super().attach()

    def on_recycled(self) -> None:
        """Have `reactivate` called next."""
        self._is_recycled = True

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Activate the object."""
        del x, y, rotation  # objects have no place
        functions = self._functions
        activate = functions.reactivate if self._is_recycled else functions.activate
        self._is_recycled = False
        self._is_lent = True
        activate(self.instance)

    def leave(self) -> None:
        """Deactivate the object, once for each loan."""
        if self._is_lent:
            self._is_lent = False
            self._functions.deactivate(self.instance)

    leave_initial = leave  # what `create` has made is active

    def run_destroyed(self, errors: ErrorCollector, num_awake: int | None = None) -> None:
        """Run the object's own hooks; as it is destroyed, the destroying function too."""
        super().run_destroyed(errors, num_awake)
        if self.destroyed:
            errors.call(self._functions.destroy, self.instance)
