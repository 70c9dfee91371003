"""Where the instance for a new life comes from: from rest, from a victim, or newly made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from poolkit.core.errors import PoolError
from poolkit.core.recycling import Recycling

if TYPE_CHECKING:
    from poolkit.core.options import LifeOptions
    from poolkit.core.record import PoolablePrefabData

__all__ = ["Supplier"]

T = TypeVar("T")


class Supplier(Recycling[T]):
    """Finds an instance that is ready to begin a life, and puts it back if none begins."""

    __slots__ = ()

    def _checked(self, options: LifeOptions) -> LifeOptions:
        if options.parent is not None:
            parent = self._context.require_part(options.parent)
            # A part of an instance may be hidden while the instance lives.
            is_part = options.parent is not parent.instance
            if not parent.active or (is_part and not options.parent.active):
                why = "which is hidden" if parent.active else "whose life is over"
                message = (
                    f"{self.name} can't be spawned under {parent.label}, {why}: "
                    "check parent.active first"
                )
                raise PoolError(message)
            options.parent_data = parent
        return options

    def _acquire(self, options: LifeOptions) -> PoolablePrefabData[T]:
        """Return an instance that is ready to begin a life and accepts the data."""
        victim = None
        if self._context.disorder is not None:
            self.recycle_early(self._context.disorder, options.data, options.spared)
        if self.free_places == 0 and not (self._inactive and self.pooling):
            victim = self.make_room(options.data, options.spared)
        if self._inactive and self.pooling:
            data = self._take_next()
            if data is victim:
                data.reclaim()
            self._prepare(data, options)
            return data
        data = self.make(check=options.data)
        data.is_new = True
        self._totals.late += 1
        self._totals.unpooled += not self.pooling
        try:
            # Not added in one go: hooks of those that are made may make some late as well.
            grown = self._make_more(self._settings.grow_by - 1)
        except BaseException as error:
            self._put_back([data], error)
            raise
        self._totals.late += grown
        return data

    def _prepare(self, data: PoolablePrefabData[T], options: LifeOptions) -> None:
        """Wake an instance that was taken, if that is due; see that it accepts the data."""
        try:
            try:
                self.wake(data)
            except BaseException:
                data.doom()
                raise
            if options.data or data.first_spawned is None:
                data.hooks.deal(options.data, self.name)
        except BaseException as error:
            self._put_back([data], error)
            raise

    def _put_back(self, acquired: list[PoolablePrefabData[T]], error: BaseException) -> None:
        """Return instances that began no life to where they were taken from, for `error`."""
        put = self._inactive.appendleft
        if self._settings.order == "lifo":
            put = self._inactive.append
        for data in reversed(acquired):
            data.is_new = False
            if data.doomed or self.is_over_limit or not self.pooling:
                try:
                    self.destroy(data)
                except Exception as another:
                    error.add_note(f"then destroying {data.label} raised {another!r}")
            else:
                put(data)
