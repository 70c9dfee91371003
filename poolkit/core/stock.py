"""The instances of a pool: made, resting, destroyed, and counted. Their lives are the pool's."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from poolkit.core.construction import constructions
from poolkit.core.errors import PoolError, PoolExhaustedError, PrefabError, raise_all
from poolkit.core.hooks import name_of
from poolkit.core.record import BEGINNING, RESTING, PoolablePrefabData, data_for
from poolkit.core.settings import PoolSettings, checked_count
from poolkit.core.statistics import PoolStats
from poolkit.core.trimming import LowWater

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.home import PoolHome
    from poolkit.core.pool import Pool

__all__ = ["Stock"]

T = TypeVar("T")

_TRIMMED_AT_ONCE = 4
_ROUNDING = 1e-6  # seconds: sums of frame times fall a little short


class Stock(Generic[T]):
    """All instances of one recipe, whether alive or at rest."""

    __slots__ = (
        "_active",
        "_awake_on_first_spawn",
        "_build",
        "_busy",
        "_held_since",
        "_inactive",
        "_low_water",
        "_making",
        "_marks",
        "_number",
        "_peak",
        "_peak_since",
        "_pooling",
        "_records",
        "_sampled_at",
        "_settings",
        "_take",
        "_totals",
        "groups",
        "home",
        "name",
        "persistent",
        "prespawned",
        "quick",
    )

    def __init__(
        self,
        build: Callable[[], T],
        home: PoolHome,
        *,
        name: str,
        settings: PoolSettings,
        persistent: bool = False,
        awake_on_first_spawn: bool = False,
        pooling: bool = True,
    ) -> None:
        """Begin empty; see `Prefab` for the arguments."""
        self._build = build
        self.home = home
        self.name = name
        self.persistent = persistent
        self.prespawned = False
        self._awake_on_first_spawn = awake_on_first_spawn
        self._pooling = pooling
        self._active: dict[PoolablePrefabData[T], None] = {}
        self._inactive: deque[PoolablePrefabData[T]] = deque()
        self._records: dict[PoolablePrefabData[T], None] = {}
        self._number = 0
        self._making = 0
        self._busy = 0  # hooks that are running although no record's state says so
        self._totals = _Totals()
        self._marks = _Totals()
        self._peak = 0
        self._peak_since = 0  # since the low-water mark was last noted
        self._held_since = 0
        self._low_water: LowWater | None = None
        self._sampled_at = home.timers.now
        self._settings = settings
        self.groups: tuple[Any, ...] = ()
        self._take = self._inactive.popleft
        self.retune()

    # -- settings and counts ------------------------------------------------------------------

    @property
    def settings(self) -> PoolSettings:
        """The settings in force. New ones may be assigned at any time.

        Beyond a new limit, instances at rest are destroyed at once, active ones as their lives end.

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
            self.decrease_capacity(max(0, len(self._records) - settings.limit))

    def retune(self) -> None:
        """Decide, once, whether the quick path of a spawn and a despawn may be taken."""
        settings = self._settings
        self._take = self._inactive.popleft if settings.order == "fifo" else self._inactive.pop
        if settings.trim_after is None:
            self._low_water = None
        elif self._low_water is None:
            self._low_water = LowWater(self.home.timers.now)
        limit = settings.limit
        self.quick = (
            self.pooling
            and not self.home.closed
            and self.home.reuse == "at_once"
            and self.prespawned
            and (limit is None or len(self._records) <= limit)
        )

    @property
    def pooling(self) -> bool:
        """Whether instances are reused, or built and destroyed for each life to compare."""
        return self._pooling and self.home.pooling

    @property
    def active_count(self) -> int:
        """How many are alive."""
        return len(self._active)

    @property
    def inactive_count(self) -> int:
        """How many are at rest, those that may not be reused yet included."""
        return len(self._records) - len(self._active)

    @property
    def has_resting(self) -> bool:
        """Whether there is an instance that may be reused now."""
        return bool(self._inactive)

    @property
    def capacity(self) -> int:
        """How many there are, alive and at rest."""
        return len(self._records)

    @property
    def has_hooks_running(self) -> bool:
        """Whether a hook of one of its instances is being run. Looks at each of them."""
        return bool(self._making or self._busy) or any(
            data.state == BEGINNING or data.state < RESTING for data in self._records
        )

    @property
    def stats(self) -> PoolStats:
        """A snapshot of the pool's figures."""
        self._sample_idle()
        now, marks, active = self._totals_now(), self._marks, len(self._active)
        spawned = now.lives - marks.lives
        return PoolStats(
            created=now.created - marks.created,
            destroyed=now.destroyed - marks.destroyed,
            active=active,
            inactive=len(self._records) - active,
            peak_active=max(self._peak, self._peak_since, active),
            spawned=spawned,
            despawned=now.ended(active) - marks.ended(marks.carried),
            reused=spawned - (now.fresh - marks.fresh),
            late=now.late - marks.late,
            recycled=now.recycled - marks.recycled,
            refused=now.refused - marks.refused,
            idle_seconds=now.idle - marks.idle,
        )

    def begin_scene(self) -> None:
        """Count from here on: what is left counts as created by the scene before."""
        marks = self._marks = self._totals_now()
        marks.carried = len(self._active)
        marks.created -= len(self._records)
        self._peak = self._peak_since = len(self._active)
        self.prespawned = False
        self.retune()

    def _totals_now(self) -> _Totals:
        totals = self._totals.copy()
        # Lives are counted by the instances themselves, as generations: a spawn adds nothing here.
        totals.lives += sum(data.generation for data in self._records)
        return totals

    # -- making -------------------------------------------------------------------------------

    def ensure_prespawned(self) -> None:
        """Make what the settings want beforehand, once: at registration or first use."""
        if not self.prespawned and not self.home.closed:
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
        if not self.prespawned:
            self.prespawned = True
            self.retune()
            wanted = max(wanted, self._settings.prespawn)
        return self.increase_capacity(max(0, wanted - self.inactive_count))

    def increase_capacity(self, n: int) -> int:
        """Make `n` more inactive instances, as far as the limit allows; return how many.

        None where nothing is pooled.

        Raises:
            ValueError: `n` is negative.
            PoolError: The system was disposed of.
        """
        checked_count(n, "n")
        self.check_open("prespawn")
        made = 0
        while made < n and self.pooling and not self.is_full:
            self._inactive.append(self.make())
            made += 1
        return made

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached."""
        limit = self._settings.limit
        return limit is not None and len(self._records) + self._making >= limit

    def check_open(self, what: str) -> None:
        """Refuse to make anything for a system that was disposed of.

        Raises:
            PoolError: It was.
        """
        if self.home.closed:
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
                    data.hooks.check_data(check, self.name)
            except BaseException as error:
                self._unmake(data, error)
                raise
        finally:
            self._making -= 1
        self._note_low_water(self.home.timers.now)
        self._records[data] = None
        self._totals.created += 1
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
        before = self.home.find(instance) or getattr(instance, "_pool_data", None)
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
            data.release()
            raise
        for part in parts:
            # What a factory builds on the side, a life bar say, is the game's own.
            if getattr(part, "_pool_data", None) is None:
                part._join_home_groups()
        return data

    def enroll(self, instance: T) -> PoolablePrefabData[T]:
        """Number an instance and put it on the map."""
        data = data_for(instance, cast("Pool[T]", self))
        self._number += 1
        data.number = self._number
        self.home.remember(data)
        return data

    def withdraw(self, data: PoolablePrefabData[T]) -> None:
        """Take back what `enroll` did for an instance that does not join the pool."""
        self.home.forget(data, retire=False)
        if data.number == self._number:
            self._number -= 1

    def wake(self, data: PoolablePrefabData[T]) -> None:
        """Run the `awake` hooks, once. What raises is named in a note."""
        if data.awoken:
            return
        data.awoken = True  # components attached by an awake hook are woken as they come
        self._busy += 1
        try:
            for hook in data.hooks.awake:
                hook()
        except BaseException as error:
            error.add_note(f"in {name_of(hook)} of {data.label}")
            woken = data.hooks.components_before(hook)
            data.awoken = False
            self._run_destroyed(data, error, woken)
            raise
        finally:
            self._busy -= 1
        data.find_hooks()

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
        for hook in data.hooks.destroyed:
            owner = getattr(hook, "__self__", None)
            if any(component is owner for component in components):
                try:
                    hook()
                except Exception as another:
                    error.add_note(f"then {name_of(hook)} raised {another!r}")

    # -- destroying ---------------------------------------------------------------------------

    def destroy(self, data: PoolablePrefabData[T]) -> None:
        """Give up an instance at rest, for good.

        Raises:
            BaseException: What its `destroyed` hooks raised; it is destroyed all the same.
        """
        self._note_low_water(self.home.timers.now)
        self._leave_stock(data)
        if self._low_water is not None:
            self._low_water.lower(1)
        data.destroyed = True
        errors: list[BaseException] = []
        self._busy += 1
        try:
            for hook in data.hooks.destroyed if data.awoken else ():
                try:
                    hook()
                except BaseException as error:
                    error.add_note(f"in {name_of(hook)} of {data.label}")
                    errors.append(error)
        finally:
            self._busy -= 1
        self.home.forget(data, retire=True)
        data.dismantle()
        raise_all(f"destroying {data.label}", errors)

    def _leave_stock(self, data: PoolablePrefabData[T]) -> None:
        del self._records[data]
        self._totals.destroyed += 1
        self._totals.lives += data.generation
        if not self.quick:
            self.retune()

    def decrease_capacity(self, n: int, *, include_active: bool = False) -> int:
        """Destroy `n` instances, those at rest the longest first.

        Args:
            n: How many fewer there shall be.
            include_active: Whether lives may be ended for it, the oldest first.

        Returns:
            How many were destroyed (or are, as soon as nothing holds them any more).

        Raises:
            ValueError: `n` is negative.
        """
        checked_count(n, "n")
        done = 0
        errors: list[BaseException] = []
        while done < n and self._inactive:
            self._destroy_first(errors)
            done += 1
        if include_active:
            for data in list(self._active)[: n - done]:
                if data.active:  # not ended meanwhile by another's hooks
                    data.doom()
                    done += self._end_for_good(data, errors)
        raise_all(f"decreasing the capacity of {self.name}", errors)
        return done

    def trim(self, keep: int) -> int:
        """Destroy inactive instances until `keep` are left; return how many were destroyed.

        Raises:
            ValueError: `keep` is negative.
        """
        return self.decrease_capacity(max(0, len(self._inactive) - checked_count(keep, "keep")))

    def destroy_resting(self, errors: list[BaseException]) -> None:
        """Destroy all that is at rest; what is still held is destroyed once nothing holds it."""
        for _ in range(len(self._inactive)):  # not what hooks of the destroyed let come to rest
            if self._inactive:
                self._destroy_first(errors)
        for data in self._records:
            if not data.active:
                data.doom()
        if self.home.cooling:
            self.home.release_cooling(errors, cast("Pool[T]", self))

    def _destroy_first(self, errors: list[BaseException]) -> None:
        try:
            self.destroy(self._inactive.popleft())
        except BaseException as error:
            errors.append(error)

    def _end_for_good(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> bool:
        raise NotImplementedError

    # -- as time passes -----------------------------------------------------------------------

    def _sample_idle(self) -> None:
        """Sum up idle time since the last sample, so that spawns and despawns need not count it."""
        now = self.home.timers.now
        self._totals.idle += (len(self._records) - len(self._active)) * (now - self._sampled_at)
        self._sampled_at = now

    def note_held(self) -> None:
        """Note how many of those that are not active may not be reused yet either."""
        if self._low_water is not None:
            held = len(self._records) - len(self._active) - len(self._inactive)
            self._held_since = max(self._held_since, held)

    def _note_low_water(self, time: float) -> None:
        """Note, where it matters, how few were at rest at worst since this was last done.

        Derived from how many were active at most, which spawns and despawns count anyway. It is
        done whenever the number of instances changes, for between two changes that is the same.
        """
        if self._low_water is None:
            return
        peak = max(self._peak_since, len(self._active))
        self._low_water.note(time, max(0, len(self._records) - peak - self._held_since))
        self._peak = max(self._peak, peak)
        self._peak_since = len(self._active)
        self._held_since = 0

    def pass_time(self, last: float) -> None:
        """Sum up idle time, and destroy a few of what was not needed for long.

        Args:
            last: The second at which all that happened before this update took place.
        """
        self._sample_idle()
        after = self._settings.trim_after
        if after is None or self._low_water is None:
            return
        now = self.home.timers.now
        self._note_low_water(last)
        self._note_low_water(now)
        surplus = min(
            self._low_water.since(now - after + _ROUNDING),
            len(self._inactive),
            len(self._records) - self._settings.prespawn,
            _TRIMMED_AT_ONCE,
        )
        if surplus > 0:
            self.decrease_capacity(surplus)

    def refusal(self) -> PoolExhaustedError:
        """Count a refused spawn and return the error that says so."""
        self._totals.refused += 1
        message = (
            f"{self.name} is at its limit of {self._settings.limit}, and "
            f"{self._settings.overflow!r} makes no room: raise the limit in PoolSettings, "
            "despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)


class _Totals:
    """Running totals of a pool's whole time."""

    __slots__ = (
        "carried",
        "created",
        "destroyed",
        "detached",
        "fresh",
        "idle",
        "late",
        "lives",
        "recycled",
        "refused",
    )

    def __init__(self) -> None:
        self.created = self.destroyed = self.detached = self.carried = 0
        self.lives = self.fresh = self.late = self.recycled = self.refused = 0
        self.idle = 0.0

    def ended(self, active: int) -> int:
        """Return how many lives a despawn has ended, where `active` are still lived."""
        return self.lives - active - self.detached

    def copy(self) -> _Totals:
        other = _Totals()
        for field in self.__slots__:
            setattr(other, field, getattr(self, field))
        return other
