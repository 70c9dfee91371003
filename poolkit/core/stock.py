"""What a pool counts, and whether its quick paths may be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.active import ActiveInstances
from poolkit.core.errors import PoolExhaustedError
from poolkit.core.instances import Instances
from poolkit.core.record import BEGINNING, RESTING, PoolablePrefabData
from poolkit.core.statistics import PoolReport, PoolStats, surface_meters
from poolkit.core.totals import Totals
from poolkit.core.trimming import LowWater

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.context import SystemContext
    from poolkit.core.settings import PoolSettings

__all__ = ["Stock"]

T = TypeVar("T")


class Stock(Instances[T]):
    """All instances of one recipe, and their figures."""

    __slots__ = (
        "_awake_on_first_spawn",
        "_build",
        "_busy",
        "_context",
        "_held_since",
        "_low_water",
        "_making",
        "_marks",
        "_number",
        "_peak",
        "_pooling",
        "_sampled_at",
        "_settings",
        "_totals",
        "groups",
        "name",
        "persistent",
        "prespawned",
    )

    def __init__(
        self,
        build: Callable[[], T],
        context: SystemContext,
        *,
        name: str,
        settings: PoolSettings,
        persistent: bool = False,
        awake_on_first_spawn: bool = False,
        pooling: bool = True,
    ) -> None:
        """Begin empty; see `Prefab` for the arguments."""
        super().__init__()
        self._build = build
        self._context = context
        self.name = name
        self.persistent = persistent
        self.prespawned = False
        self._awake_on_first_spawn = awake_on_first_spawn
        self._pooling = pooling
        self._number = 0
        self._making = 0
        self._busy = 0  # hooks that are running although no record's state says so
        self._totals = Totals()
        self._marks = Totals()
        self._peak = 0
        self._held_since = 0
        self._low_water: LowWater | None = None
        self._sampled_at = context.clock.now
        self._settings = settings
        self.groups: tuple[Any, ...] = ()
        context.pools.append(self)
        self.retune()

    def retune(self) -> None:
        """Decide, once, whether the quick path of a spawn and a despawn may be taken."""
        settings = self._settings
        self._take = None if settings.order == "fifo" else self._inactive.pop
        if settings.trim_after is None:
            self._low_water = None
        elif self._low_water is None:
            self._low_water = LowWater(self._context.clock.now)
        if self._context.disorder is not None:
            self._take = self._take_any
        self.quick = (
            self.pooling
            and not self._context.closed
            and self._context.reuse == "at_once"
            and self._context.disorder is None
            and not self._context.life_watchers
            and self.prespawned
            and not self.is_over_limit
        )

    def _take_any(self) -> PoolablePrefabData[T]:
        resting, disorder = self._inactive, self._context.disorder
        place = 0 if disorder is None else disorder.pick(len(resting))
        data = resting[place]
        del resting[place]
        return data

    @property
    def pooling(self) -> bool:
        """Whether instances are reused, or built and destroyed for each life to compare."""
        return self._pooling and self._context.pooling

    @property
    def active(self) -> ActiveInstances[T]:
        """The active instances, as a live mapping to their `PoolablePrefabData`."""
        return ActiveInstances(self)

    @property
    def is_over_limit(self) -> bool:
        """Whether there are more than the limit allows: what comes to rest is destroyed then."""
        limit = self._settings.limit
        return limit is not None and len(self._records) > limit

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached."""
        limit = self._settings.limit
        return limit is not None and len(self._records) + self._making >= limit

    @property
    def free_places(self) -> int | None:
        """How many lives may begin in instances made for them; `None`: any number.

        One that merely waits for the next update holds no place against a life that begins now, or
        a game at its limit could not replace what died in the same frame. What is made beyond the
        limit for that is destroyed as soon as they have waited.
        """
        limit = self._settings.limit
        if limit is None:
            return None
        waiting = sum(data.pool is self for data in self._context.cooling)
        return max(0, limit - len(self._records) - self._making + waiting)

    @property
    def has_hooks_running(self) -> bool:
        """Whether a hook of one of its instances is being run. Looks at each of them."""
        return bool(self._making or self._busy) or any(
            data.state == BEGINNING or data.state < RESTING for data in self._records
        )

    # -- what was counted ---------------------------------------------------------------------

    @property
    def stats(self) -> PoolStats:
        """A snapshot of the pool's figures."""
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
            idle_seconds=self.idle_so_far()[0],
        )

    def report(self, seconds: float) -> PoolReport:
        """Return the pool's line of a report on a scene that has lasted so many seconds."""
        stats, totals, marks = self.stats, self._totals, self._marks
        late, adopted = totals.late - marks.late, totals.adopted - marks.adopted
        return PoolReport(
            self.name,
            stats,
            seconds,
            prespawned=max(0, stats.created - marks.kept - late - adopted),
            unpooled=totals.unpooled - marks.unpooled,
            instance_seconds=self.idle_so_far()[1],
            surface_bytes=sum(meter(self) for meter in surface_meters),
            limit=self._settings.limit,
        )

    def begin_scene(self) -> None:
        """Count from here on: what is left counts as created by the scene before."""
        self._sample_idle()
        marks = self._marks = self._totals_now()
        marks.carried = len(self._active)
        marks.kept = len(self._records)
        marks.created -= marks.kept
        self._peak = self._peak_since = len(self._active)
        self.prespawned = False
        self.retune()

    def _totals_now(self) -> Totals:
        totals = self._totals.copy()
        # Lives are counted by the instances themselves, as generations: a spawn adds nothing here.
        totals.lives += sum(data.generation for data in self._records)
        return totals

    def refusal(self) -> PoolExhaustedError:
        """Count a refused spawn and return the error that says so."""
        self._totals.refused += 1
        message = (
            f"{self.name} is at its limit of {self._settings.limit}, and "
            f"{self._settings.overflow!r} makes no room: raise the limit in PoolSettings, "
            "despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)

    def idle_so_far(self) -> tuple[float, float]:
        """Return the seconds that instances sat inactive, and that they existed, in this scene.

        Asking moves no sample: what is told is the same, however often anybody looks.
        """
        totals, marks, capacity = self._totals, self._marks, len(self._records)
        passed = self._context.clock.now - self._sampled_at
        idle = totals.idle - marks.idle + (capacity - len(self._active)) * passed
        return idle, totals.existing - marks.existing + capacity * passed

    def _sample_idle(self) -> None:
        """Sum up idle time since the last sample, so that spawns and despawns need not count it.

        Done now and then, and whenever the number of instances changes.
        """
        now, totals = self._context.clock.now, self._totals
        passed = now - self._sampled_at
        if passed:
            totals.idle += (len(self._records) - len(self._active)) * passed
            totals.existing += len(self._records) * passed
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

    def __repr__(self) -> str:
        """Return ``<PrefabPool('orc', active=3, inactive=17)>``."""
        counts = f"active={self.active_count}, inactive={self.inactive_count}"
        return f"<{type(self).__name__}({self.name!r}, {counts})>"
