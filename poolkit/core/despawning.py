"""How a life ends, and where its instance goes from there."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from poolkit.core.component import DespawnReason
from poolkit.core.ending import end_everything
from poolkit.core.errors import raise_all, raise_together
from poolkit.core.hooks import name_of
from poolkit.core.making import Maker
from poolkit.core.record import ALIVE, BEGINNING, CLOSING, ENDING, RESTING, PoolablePrefabData
from poolkit.core.settings import checked_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkit.core.hooks import Hook
    from poolkit.core.pool import Pool

__all__ = ["Despawner"]

T = TypeVar("T")

_REASON = frozenset({"reason"})


class Despawner(Maker[T]):
    """Ends lives: hooks, scope, children, groups and physics, rest.

    `end` has a quick path for the everyday case. Its plain twin, `_end_plainly`, defines what
    both do.
    """

    __slots__ = ()

    def end(
        self,
        data: PoolablePrefabData[T],
        reason: DespawnReason = DespawnReason.DESPAWNED,
    ) -> bool:
        """End the life of `data`; `False` if it is over already.

        Raises:
            BaseException: What its hooks raised, after all of them ran; it is destroyed then.
        """
        call = data.first_despawned
        if data.state != ALIVE or call is None:
            return self._end_unusual(data, reason)
        active = self._active
        if len(active) > self._peak_since:  # noqa: PLR1730 - max() takes five times as long
            self._peak_since = len(active)
        data.state = ENDING
        del active[data]
        later = data.later_despawned
        try:
            call()
            if later:
                for call in later:
                    call()
        except BaseException as error:
            self._end_after_error(data, error, call, later)
        if not data.rare:
            data.state = CLOSING  # so that nothing puts it to rest before this does
            try:
                leave = data.departure
                leave(data)
            except BaseException as error:
                self._leave_failed(data, error)
            data.state = RESTING
            if data.holds or data.rare or not self.quick:  # rare: doomed while it left
                self.rest(data)
            else:
                self._inactive.append(data)
            return True
        # A hook took a scope, or cleared the pool: see to that as well.
        errors: list[BaseException] = []
        self._wind_up(data, errors)
        raise_all(f"despawning {data.label}", errors)
        return True

    def _end_unusual(self, data: PoolablePrefabData[T], reason: DespawnReason) -> bool:
        for watcher in self._context.life_watchers:
            watcher.called("despawn", self.name)
            if data.state == RESTING:
                watcher.ended_again(data)
        if data.state <= RESTING:
            return False
        errors: list[BaseException] = []
        self._end_plainly(data, reason, data.despawned_hooks(), errors)
        raise_all(f"despawning {data.label}", errors)
        return True

    def _end_after_error(
        self,
        data: PoolablePrefabData[T],
        error: BaseException,
        failed: Callable[[], object],
        later: Sequence[Callable[[], object]],
    ) -> NoReturn:
        """Finish a quick despawn in which `failed` raised: the later hooks run all the same."""
        errors: list[BaseException] = []
        _gather(errors, error, failed, data)
        begun = later.index(failed) + 1 if failed in later else 0
        for call in islice(later, begun, None):
            try:
                call()
            except BaseException as another:
                _gather(errors, another, call, data)
        self._wind_up(data, errors)
        raise_together(f"despawning {data.label}", errors)

    def _leave_failed(self, data: PoolablePrefabData[T], error: BaseException) -> NoReturn:
        error.add_note(f"while {data.label} left its groups and the physics")
        data.state = RESTING
        data.doom()
        errors = [error]
        self._rest_or_gather(data, errors)
        raise_together(f"despawning {data.label}", errors)

    def _end_plainly(
        self,
        data: PoolablePrefabData[T],
        reason: DespawnReason,
        due: Iterable[Hook],
        errors: list[BaseException],
    ) -> None:
        """End the life of `data`: the plain twin of the quick path in `end`."""
        self._peak_since = max(self._peak_since, len(self._active))
        self._hold_for_spawn(data)
        data.state = ENDING
        del self._active[data]
        offered = {"reason": reason}
        hooks = data.hooks
        for hook in due:
            if data.hooks is not hooks and not data.has_hook(hook.call):
                continue  # another hook took its component off
            try:
                hook.call(**hook.arguments(offered, _REASON))
            except BaseException as error:
                _gather(errors, error, hook.call, data)
        self._wind_up(data, errors)

    def _wind_up(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> None:
        """Finish a despawn after its hooks: scope, children, groups and physics, rest."""
        data.state = CLOSING
        data.holds += 1
        for error in data.close_scope():
            error.add_note(f"in the scope of {data.label}")
            errors.append(error)
        if errors:
            data.doom()  # before others ask who will be destroyed anyhow
        others: list[BaseException] = []
        for child in reversed(list(data.children or ())):
            if child.parent is not data:  # another's hooks have ended it meanwhile
                continue
            try:
                child.pool.end(child, DespawnReason.PARENT)
            except BaseException as error:
                others.append(error)
        try:
            data.departure(data)
        except BaseException as error:
            error.add_note(f"while {data.label} left its groups and the physics")
            errors.append(error)
        data.end_of_life()
        data.holds -= 1
        data.state = RESTING
        for watcher in self._context.life_watchers:
            try:
                watcher.ended(data)
            except BaseException as error:
                errors.append(error)
        if errors:
            data.doom()
        errors += others  # a child that failed is no reason to destroy its parent
        self._rest_or_gather(data, errors)

    def _rest_or_gather(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> None:
        try:
            self.rest(data)
        except BaseException as error:
            errors.append(error)

    def rest(self, data: PoolablePrefabData[T], *, cooled: bool = False) -> None:
        """Put an instance whose life is over to rest, or destroy it: once nothing holds it.

        Args:
            data: The instance's record.
            cooled: Whether it has waited for the next update already, where that is asked for.
        """
        if data.holds or data.destroyed or data.detached:
            self.note_held()
            return
        if (
            data.doomed
            or not self.pooling
            or self._context.closed
            or (self.is_over_limit and not data.is_needed)
            or self._drops(data)
        ):
            self.destroy(data)
        elif self._context.reuse == "next_update" and not cooled:
            data.holds += 1
            self._context.cooling.append(data)
            self.note_held()
        else:
            self._inactive.append(data)

    def _drops(self, data: PoolablePrefabData[T]) -> bool:
        disorder = self._context.disorder
        return disorder is not None and not data.is_needed and disorder.drops()

    def _hold_for_spawn(self, data: PoolablePrefabData[T]) -> None:
        """Keep an instance whose life ends while it begins until its spawn has returned."""
        if data.state == BEGINNING:
            data.holds += 1
            self._busy += 1

    # -- fewer instances ----------------------------------------------------------------------

    def decrease_capacity(self, n: int, *, include_active: bool = False) -> int:
        """Destroy `n` instances: those at rest the longest first, then those not reusable yet.

        Args:
            n: How many fewer there shall be.
            include_active: Whether lives may be ended for it, the oldest first.

        Returns:
            How many were destroyed (or are, as soon as nothing holds them any more).

        Raises:
            ValueError: `n` is negative.
        """
        checked_count(n, "n")
        self._context.tell_called("decrease_capacity()", self.name)
        errors: list[BaseException] = []
        done = self.destroy_first(n, errors)
        chosen = [data for data in self._records if not (data.active or data.doomed)][: n - done]
        if include_active:
            chosen += list(self._active)[: n - done - len(chosen)]
        for data in chosen:
            data.doom()  # all of them first: one may take another along
        if self._context.cooling:
            self._context.release_cooling(errors, cast("Pool[T]", self))
        for data in chosen:
            if data.active:
                try:
                    self.end(data, DespawnReason.DISPOSED)
                except BaseException as error:
                    errors.append(error)
        raise_all(f"decreasing the capacity of {self.name}", errors)
        return done + len(chosen)

    def clear(self) -> int:
        """End every life and destroy every instance; return how many. The pool stays usable.

        Raises:
            BaseException: What hooks raised; it is cleared all the same.
        """
        self._context.tell_called("clear()", self.name)
        before = self._totals.destroyed
        errors: list[BaseException] = []
        end_everything(lambda: (cast("Pool[T]", self),), DespawnReason.DISPOSED, errors)
        raise_all(f"clearing {self.name}", errors)
        return self._totals.destroyed - before

    def let_go(self, data: PoolablePrefabData[T]) -> None:
        """Take an active instance out of pooling for good, alive; no hook runs."""
        self._context.tell_called("detach()", data.label)
        self._peak_since = max(self._peak_since, len(self._active))
        self._hold_for_spawn(data)
        data.state = RESTING
        data.detached = True
        del self._active[data]
        self._totals.detached += 1
        self._leave_stock(data)
        self._context.forget(data, retire=False)
        errors = data.close_scope()
        for child in list(data.children or ()):
            child.unparent()
        data.end_of_life()
        data.set_free()
        if not data.holds:  # else the spawn that has yet to return it does so
            data.forget()
        raise_all(f"closing the scope of {data.label}", errors)


def _gather(
    errors: list[BaseException],
    error: BaseException,
    hook: Callable[..., object],
    data: PoolablePrefabData[Any],
) -> None:
    error.add_note(f"in {name_of(hook)} of {data.label}")
    errors.append(error)
