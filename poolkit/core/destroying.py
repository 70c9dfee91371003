"""How instances at rest are given up: asked for, not needed for long, or too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from poolkit.core.errors import raise_all
from poolkit.core.hooks import name_of
from poolkit.core.settings import checked_count
from poolkit.core.stock import Stock

if TYPE_CHECKING:
    from poolkit.core.pool import Pool
    from poolkit.core.record import PoolablePrefabData

__all__ = ["Destroyer"]

T = TypeVar("T")

_TRIMMED_AT_ONCE = 4
_ROUNDING = 1e-6  # seconds: sums of frame times fall a little short


class Destroyer(Stock[T]):
    """Destroys instances that are at rest."""

    __slots__ = ()

    def destroy(self, data: PoolablePrefabData[T]) -> None:
        """Give up an instance at rest, for good.

        Raises:
            BaseException: What its `destroyed` hooks raised; it is destroyed all the same.
        """
        self._note_low_water(self._context.clock.now)
        self._leave_stock(data)
        if self._low_water is not None:
            self._low_water.lower(1)
        data.destroyed = True
        errors: list[BaseException] = []
        self._busy += 1
        try:
            for hook in data.destroyed_hooks() if data.awoken else ():
                try:
                    hook()
                except BaseException as error:
                    error.add_note(f"in {name_of(hook)} of {data.label}")
                    errors.append(error)
        finally:
            self._busy -= 1
        self._context.forget(data, retire=True)
        data.dismantle()
        raise_all(f"destroying {data.label}", errors)

    def _leave_stock(self, data: PoolablePrefabData[T]) -> None:
        self._sample_idle()
        del self._records[data]
        self._totals.destroyed += 1
        self._totals.lives += data.generation
        for watcher in self._context.life_watchers:
            watcher.gone(data)
        if not self.quick:
            self.retune()

    def trim(self, keep: int) -> int:
        """Destroy inactive instances until `keep` are left; return how many were destroyed.

        Those that may not be reused yet are destroyed as soon as nothing holds them any more.

        Raises:
            ValueError: `keep` is negative.
        """
        surplus = self.inactive_count - checked_count(keep, "keep")
        return self.decrease_capacity(max(0, surplus))

    def decrease_capacity(self, n: int, *, include_active: bool = False) -> int:
        """Destroy `n` instances; how lives are ended for it is the pool's to say."""
        raise NotImplementedError

    def pass_time(self, last: float) -> None:
        """Sum up idle time, and destroy a few of what was not needed for long.

        Args:
            last: The second at which all that happened before this update took place.
        """
        self._sample_idle()
        after = self._settings.trim_after
        if after is None or self._low_water is None:
            return
        now = self._context.clock.now
        self._note_low_water(last)
        self._note_low_water(now)
        surplus = min(
            self._low_water.since(now - after + _ROUNDING),
            len(self._inactive),
            len(self._records) - self._settings.prespawn,
            _TRIMMED_AT_ONCE,
        )
        self._destroy_some(surplus)

    def destroy_resting(self, errors: list[BaseException]) -> None:
        """Destroy all that is at rest; what is still held is destroyed once nothing holds it."""
        self.destroy_first(len(self._inactive), errors)
        for data in self._records:
            if not data.active:
                data.doom()
        if self._context.cooling:
            self._context.release_cooling(errors, cast("Pool[T]", self))

    def destroy_first(self, count: int, errors: list[BaseException]) -> int:
        """Destroy up to `count` of those at rest, the longest there first; return how many."""
        done = 0
        while done < count and self._inactive:  # which hooks may change
            done += 1
            try:
                self.destroy(self._inactive.popleft())
            except BaseException as error:
                errors.append(error)
        return done

    def _destroy_some(self, count: int) -> int:
        errors: list[BaseException] = []
        done = self.destroy_first(count, errors)
        raise_all(f"destroying instances of {self.name} at rest", errors)
        return done
