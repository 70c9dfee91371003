"""How a pool's instances come into being."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from poolkit.core.construction import constructions
from poolkit.core.destroying import Destroyer
from poolkit.core.errors import PoolError, PrefabError
from poolkit.core.hooks import name_of
from poolkit.core.record import PoolablePrefabData, data_for
from poolkit.core.settings import PoolSettings, checked_count

if TYPE_CHECKING:
    from poolkit.core.pool import Pool

__all__ = ["Maker"]

T = TypeVar("T")


class Maker(Destroyer[T]):
    """Makes instances, and wakes them."""

    __slots__ = ()

    @property
    def settings(self) -> PoolSettings:
        """The settings in force. New ones may be assigned at any time.

        Beyond a new limit, instances at rest are destroyed at once, active ones as their lives end;
        one that is recycled meanwhile goes on to its new life, for that needs a place at once.

        Raises:
            TypeError: They are no `PoolSettings`.
            BaseException: What hooks of destroyed instances raised; the settings are in force.
        """
        return self._settings

    @settings.setter
    def settings(self, settings: PoolSettings) -> None:
        if not isinstance(settings, PoolSettings):
            message = f"settings must be PoolSettings(...), not {settings!r}"
            raise TypeError(message)
        self._settings = settings
        self.prespawned = False
        self.retune()
        if settings.limit is not None:
            self._destroy_some(len(self._records) - settings.limit)

    # -- making -------------------------------------------------------------------------------

    def ensure_prespawned(self) -> None:
        """Make what the settings want beforehand, once: at registration or first use."""
        if not self.prespawned and not self._context.closed:
            self.prespawn(0)

    def prespawn(self, count: int | None = None) -> int:
        """Make the pool hold at least `count` inactive instances (default: its settings').

        Runs `awake`, but no `spawned` and no `despawned` hook. Never goes beyond the limit.

        Returns:
            How many were made.

        Raises:
            ValueError: `count` is negative.
            PoolError: The system was disposed of.
        """
        wanted = self._settings.prespawn if count is None else checked_count(count, "count")
        self.check_open("prespawn")
        is_first = not self.prespawned
        try:
            return self._make_more(self.first_use(wanted) - self.inactive_count)
        except BaseException:
            if is_first:
                self.use_later()
            raise

    def first_use(self, count: int) -> int:
        """Return how many shall rest: `count`, and at the first use what the settings prespawn."""
        if self.prespawned:
            return count
        self.prespawned = True
        self.retune()
        return max(count, self._settings.prespawn)

    def use_later(self) -> None:
        """Let the next use be the first again: what the settings prespawn was not all made."""
        self.prespawned = False
        self.retune()

    def increase_capacity(self, n: int) -> int:
        """Make `n` more inactive instances, as far as the limit allows; return how many.

        None where nothing is pooled.

        Raises:
            ValueError: `n` is negative.
            PoolError: The system was disposed of.
        """
        checked_count(n, "n")
        self.check_open("prespawn")
        return self._make_more(n)

    def _make_more(self, n: int) -> int:
        made = 0
        while made < n and self.pooling and not self.is_full:
            self._inactive.append(self.make())
            made += 1
        return made

    def check_open(self, what: str) -> None:
        """Refuse to make anything for a system that was disposed of.

        Raises:
            PoolError: It was.
        """
        for watcher in self._context.life_watchers:
            watcher.called(what, self.name)
        if self._context.closed:
            message = (
                f"can't {what} {self.name}: its pooling system was disposed of; "
                "use another PoolingSystem()"
            )
            raise PoolError(message)

    def make(self, *, check: dict[str, Any] | None = None) -> PoolablePrefabData[T]:
        """Build an instance that belongs to the pool from then on, at rest in no queue.

        Args:
            check: Spawn data that its hooks must accept; else it is dropped, as if never made.

        Raises:
            PrefabError: The factory answers with nothing, or with an object it made before.
            TypeError: The hooks don't accept the data.
        """
        self._making += 1
        try:
            data = self._built()
            try:
                if check is not None or not self._awake_on_first_spawn:
                    self.wake(data)
                if check is not None:
                    data.hooks.deal(check, self.name)
            except BaseException as error:
                self._unmake(data, error)
                raise
        finally:
            self._making -= 1
        self._note_low_water(self._context.clock.now)
        self._sample_idle()
        self._records[data] = None
        self._totals.created += 1
        if self._settings.limit is not None:
            self.retune()  # beyond it, a despawn has to look whether it leaves a surplus
        return data

    def _built(self) -> PoolablePrefabData[T]:
        parts: list[Any] = []
        constructions.append(parts)
        try:
            instance = self._build()
        except BaseException as error:
            error.add_note(f"while the factory of {self.name} built an instance")
            raise
        finally:
            constructions.pop()
        if instance is None:
            message = f"the factory of {self.name} returned None: it must return the new instance"
            raise PrefabError(message)
        before = self._context.find(instance) or getattr(instance, "_pool_data", None)
        if isinstance(before, PoolablePrefabData):
            message = (
                f"the factory of {self.name} returned {instance!r}, which {before.label} is "
                "already: it must build a new instance at each call"
            )
            raise PrefabError(message)
        data = self.enroll(instance)
        try:
            data.attach()
            data.find_hooks()
        except BaseException:
            self.withdraw(data)
            data.set_free()
            raise
        for part in parts:
            # What a factory builds on the side, a life bar say, is the game's own.
            if getattr(part, "_pool_data", None) is None:
                part._join_home_groups()
        return data

    def record_for(self, instance: T) -> PoolablePrefabData[T]:
        """Return a new record for `instance`, by its kind."""
        return data_for(instance, cast("Pool[T]", self))

    def enroll(self, instance: T) -> PoolablePrefabData[T]:
        """Number an instance and put it on the map."""
        data = self.record_for(instance)
        self._number += 1
        data.number = self._number
        self._context.remember(data)
        return data

    def withdraw(self, data: PoolablePrefabData[T]) -> None:
        """Take back what `enroll` did for an instance that does not join the pool."""
        self._context.forget(data, retire=False)
        if data.number == self._number:
            self._number -= 1

    def wake(self, data: PoolablePrefabData[T]) -> None:
        """Run the `awake` hooks, once. What raises is named in a note."""
        if data.awoken:
            return
        data.awoken = True  # components attached by an awake hook are woken as they come
        awake = data.hooks.awake
        self._busy += 1
        try:
            for hook in awake:
                hook()
        except BaseException as error:
            error.add_note(f"in {name_of(hook)} of {data.label}")
            woken = data.hooks.components_before(hook)
            data.awoken = False
            self._run_destroyed(data, error, woken)
            raise
        finally:
            self._busy -= 1
        if awake:
            data.settle()
            data.find_hooks()
        else:
            data.find_calls()

    def _unmake(self, data: PoolablePrefabData[T], error: BaseException) -> None:
        """Drop an instance that never joined the pool."""
        if data.awoken:
            self._run_destroyed(data, error, data.hooks.components)
        self.withdraw(data)
        data.destroyed = True
        data.dismantle()

    @staticmethod
    def _run_destroyed(
        data: PoolablePrefabData[T],
        error: BaseException,
        components: tuple[Any, ...],
    ) -> None:
        for hook in data.destroyed_hooks():
            owner = getattr(hook, "__self__", None)
            if any(component is owner for component in components):
                try:
                    hook()
                except Exception as another:
                    error.add_note(f"then {name_of(hook)} raised {another!r}")
