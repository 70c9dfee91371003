"""A pool for objects of any kind, on the same engine as prefabs."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - typing asks for it when the class is made
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from poolkit.core.clock import checked_seconds
from poolkit.core.context import SystemContext
from poolkit.core.ending import end_where
from poolkit.core.errors import NotManagedError, PoolExhaustedError, PrefabError, raise_all
from poolkit.core.pool import Pool
from poolkit.core.prefab import factory_name
from poolkit.core.record import PoolablePrefabData
from poolkit.core.settings import PoolSettings, checked_count

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ObjectPool"]

T = TypeVar("T")


class _Functions(NamedTuple, Generic[T]):
    """What manages the objects of a pool."""

    activate: Callable[[T], object] | None
    deactivate: Callable[[T], object] | None
    reactivate: Callable[[T], object] | None
    destroy: Callable[[T], object] | None


class ObjectPool(Pool[T]):
    """Lends objects and takes them back: any type, by identity, hashable or not.

    Objects that are `IPoolableComponent`s get their `awake`, `spawned`, `despawned` and
    `destroyed`; others are managed by functions, or by nothing at all.

    Args:
        create: Builds a new object, without arguments.
        activate: Called with an object that is lent.
        deactivate: Called with an object that is taken back.
        reactivate: Called instead of `activate` with one that was taken from its borrower because
            the pool was full; default: `activate`.
        destroy: Called with an object that the pool gives up for good.
        settings: Sizes and policies; what they prespawn is made at once.
        pooling: `False` builds and destroys an object each time, to compare.

    Raises:
        TypeError: A function is none.

    Examples:
        >>> pool = ObjectPool(list, deactivate=list.clear, settings=PoolSettings(prespawn=2))
        >>> with pool.borrow() as scratch:
        ...     scratch.append(1)
        >>> pool.get(), pool.inactive_count
        ([], 1)
    """

    __slots__ = ("_functions",)

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
        """Make what is to be there from the start."""
        self._functions = _Functions(activate, deactivate, reactivate, destroy)
        for name, function in {"create": create, **self._functions._asdict()}.items():
            if not callable(function) and (function is not None or name == "create"):
                message = f"{name} must be a function, not {function!r}"
                raise TypeError(message)
        super().__init__(
            create,
            SystemContext(),
            name=factory_name(create),
            settings=settings or PoolSettings(),
            pooling=pooling,
        )
        self.ensure_prespawned()

    def record_for(self, instance: T) -> PoolablePrefabData[T]:
        """Return a record whose stages are the pool's functions."""
        return _FunctionData(instance, self, self._functions)

    # -- lending ------------------------------------------------------------------------------

    def get(self) -> T:
        """Lend an object: one that is at rest, or a new one.

        Raises:
            PoolExhaustedError: The pool is at its limit and its policy refuses.
        """
        return self.begin()

    def try_get(self) -> T | None:
        """Lend an object, or return `None` where the policy refuses."""
        try:
            return self.begin()
        except PoolExhaustedError as error:
            if error.is_passed_on:
                raise
            return None

    def release(self, obj: T) -> None:
        """Take an object back.

        Raises:
            NotManagedError: It is not this pool's, or is released already.
        """
        data = self._context.find(obj)
        if data is None or not self.end(data):
            released = data is not None or self._context.is_over(obj)
            why = "was released already" if released else f"is not of the pool of {self.name}"
            message = f"{obj!r} {why}: release what get() returned, once"
            raise NotManagedError(message)

    def release_all(self) -> int:
        """Take all objects back; return how many."""
        return self.release_where(lambda _: True)

    def release_where(self, predicate: Callable[[T], object]) -> int:
        """Take back each object that meets `predicate`; return how many.

        Each that was lent at the call is looked at once; one lent meanwhile never.

        Raises:
            BaseException: What `predicate` raised, at once; what functions raised, at the end.
        """
        return end_where((self,), predicate)

    def release_lowest(self, n: int) -> int:
        """Take back the `n` objects of the lowest priority; return how many there were.

        Raises:
            PoolError: The pool has no priorities: its overflow policy is not `RecycleLowest`.
            ValueError: `n` is negative.
        """
        done = 0
        errors: list[BaseException] = []
        for _ in range(checked_count(n, "n")):
            data = self.lowest_record()
            if data is None:
                break
            done += 1
            try:
                self.end(data)
            except BaseException as error:
                errors.append(error)
        raise_all(f"releasing the lowest of {self.name}", errors)
        return done

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: for `trim_after`, idle time, and timers of objects with a scope.

        A pool that uses none of these needs no updates.

        Raises:
            ValueError: `dt` is negative or not finite.
            BaseException: What timers or functions raised, after all that was due was done.
        """
        checked_seconds(dt, "update()")
        timers = self._context.clock
        last = timers.now
        errors: list[BaseException] = []
        steps = (partial(timers.advance, dt), partial(self.pass_time, last))
        for step in steps:
            try:
                step()
            except BaseException as error:
                errors.append(error)
        raise_all(f"updating the pool of {self.name}", errors)

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend an object for the length of a ``with`` block; releasing it early does no harm."""
        obj = self.begin()
        data = self._context.require(obj)
        generation = data.generation
        try:
            yield obj
        finally:
            if data.generation == generation:
                self.end(data)

    @property
    def has_available(self) -> bool:
        """Whether `get` would lend an object now."""
        return bool(self._inactive) or self.free_places != 0 or self.can_make_room


class _FunctionData(PoolablePrefabData[T]):
    """The record of an object that is managed by its pool's functions."""

    __slots__ = ("_functions", "_was_reclaimed")

    def __init__(self, instance: T, pool: Pool[T], functions: _Functions[T]) -> None:
        """Begin a record that is not lent yet."""
        super().__init__(instance, pool)
        self._functions = functions
        self._was_reclaimed = False

    def attach(self) -> None:
        """Refuse what has a way of its own of being put into play, which functions would bypass.

        Raises:
            PrefabError: It is a pooled sprite.
        """
        if hasattr(type(self.instance), "_pool_data"):
            message = (
                f"{self.instance!r} is made for the pool of a prefab: spawn a Prefab of it, "
                "or pool a plain sprite here"
            )
            raise PrefabError(message)
        super().attach()

    def reclaim(self) -> None:
        """Note that it is lent again as soon as it is taken back, for the pool was full."""
        self._was_reclaimed = True

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Activate the object."""
        del x, y, rotation  # objects have no place
        activate = self._functions.activate
        if self._was_reclaimed:
            self._was_reclaimed = False
            activate = self._functions.reactivate or activate
        if activate is not None:
            activate(self.instance)

    def leave(self) -> None:
        """Deactivate the object."""
        deactivate = self._functions.deactivate
        if deactivate is not None:
            deactivate(self.instance)

    def destroyed_hooks(self) -> tuple[Callable[[], object], ...]:
        """Return the object's own hooks; the destroying function comes after them."""
        destroy = self._functions.destroy
        hooks = super().destroyed_hooks()
        return hooks if destroy is None else (*hooks, partial(destroy, self.instance))
