"""What pools count, each in a `Ledger`, and the reports made from that."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.core.saving import saved_without
from poolkit.core.seams import groupless_count_fns, surface_size_fns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.clock import Clock
    from poolkit.core.pool import Pool


@dataclass(frozen=True, slots=True)
class PoolStats:
    """A pool's figures since its system was last reset.

    Always ``created - destroyed == active + inactive``.

    Attributes:
        created: Instances that joined the pool, including those kept from the scene before.
        destroyed: Instances that were destroyed or detached.
        active: Alive now.
        inactive: At rest now, including those that can't be reused yet.
        peak_active: The most that were alive at once.
        spawned: Lives begun.
        despawned: Lives ended by a despawn.
        reused: Lives of an instance that had been made before.
        late: Instances made by a spawn that found none at rest.
        recycled: Lives ended to make room for another.
        refused: Spawns that the overflow policy refused.
        idle_seconds: Seconds of `update` that instances were inactive, summed over them.
    """

    created: int = 0
    destroyed: int = 0
    active: int = 0
    inactive: int = 0
    peak_active: int = 0
    spawned: int = 0
    despawned: int = 0
    reused: int = 0
    late: int = 0
    recycled: int = 0
    refused: int = 0
    idle_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PoolReport:
    """One pool's line of a report.

    Attributes:
        name: The prefab's name.
        stats: Its figures.
        prespawned: Instances made beforehand.
        unpooled: How many of the `late` ones were made only because pooling was switched off.
        entered: How many of the `late` ones the `enter` of a scene made, before play began.
        idle_share: The share of their time that instances were inactive, from 0 to 1. Near 1, too
            many were prespawned.
        surface_bytes: Bytes of pixels that its instances show, turned and upright. A surface that
            several instances show counts once; one that several pools show counts in each.
        limit: The most lives it may have at once; `None`: no limit.
        most_used: The most that were in use at once: alive, or not reusable before the next update.
        groupless: How many of those alive have joined groups and lost them all; `Group.empty` and
            `Group.remove` end no life.
    """

    name: str
    stats: PoolStats
    prespawned: int = 0
    unpooled: int = 0
    idle_share: float = 0.0
    surface_bytes: int = 0
    limit: int | None = None
    most_used: int = 0
    groupless: int = 0
    entered: int = 0

    @property
    def advice(self) -> str:
        """A sentence on how many to prespawn; empty if the number is right.

        Enough are a tenth more than were ever used at once (but a single one stays single).
        """
        most, late = self.most_used, self.stats.late - self.unpooled - self.entered
        enough, how = most + (0 if most <= 1 else -(-most // 10)), ""  # rounded up
        if self.limit is not None:
            enough = min(enough, max(most, self.limit))
            if enough > self.limit:  # settings refuse to prespawn more than live
                how = ", more than its limit of lives: let a profile prespawn them"
        used = f"{self.name}: {self.prespawned} prespawned, {most} ever used"
        if lost := self.groupless:
            are = "is" if lost == 1 else "are"
            return f"{used}; {lost} {are} alive in no group: end them with kill(), then ask again"
        if late > 0 and enough > self.prespawned:
            return f"{used}, {late} made late; {enough} would do{how}"
        if refused := self.stats.refused:
            return f"{used}, {refused} spawns refused at its limit; raise it, or let it recycle"
        return f"{used}; {enough} would do" if self.prespawned > enough else ""

    def as_row(self) -> dict[str, Any]:
        """Return all figures by name, for tables and files."""
        row = asdict(self)
        first = {"prefab": row.pop("name"), "prespawned": row.pop("prespawned"), **row.pop("stats")}
        return {**first, **row, "advice": self.advice}


@dataclass(frozen=True, slots=True)
class SceneReport:
    """The figures of all pools of a system over one scene; `str()` makes a table of it.

    Attributes:
        seconds: Seconds of `update` that the scene has lasted.
        pools: A report for each pool, in order of first use; then one for each swarm.
        scene: The name of its class if a scene manager loaded it, else ``"main"``.

    Examples:
        >>> from poolkit import PoolingSystem, Prefab
        >>> class Orc: ...
        >>> system = PoolingSystem()
        >>> _ = system.prespawn(Prefab(Orc, name="orc"), 20)
        >>> _ = system.spawn_many("orc", [(0, 0)] * 7)
        >>> report = system.report()
        >>> report["orc"].advice
        'orc: 20 prespawned, 7 ever used; 8 would do'
    """

    seconds: float
    pools: tuple[PoolReport, ...]
    scene: str = "main"

    def __iter__(self) -> Iterator[PoolReport]:
        """Iterate over the pools' reports."""
        return iter(self.pools)

    def __getitem__(self, name: str) -> PoolReport:
        """Return the first report of that name.

        Raises:
            KeyError: No pool has that name.
        """
        return {report.name: report for report in reversed(self.pools)}[name]

    @property
    def advice(self) -> tuple[str, ...]:
        """The advice of all pools; none before anything was spawned."""
        if not any(report.stats.spawned for report in self.pools):
            return ()
        return tuple(report.advice for report in self.pools if report.advice)

    def __str__(self) -> str:
        """Return a table with a line for each pool, and the advice below it."""
        scene = "" if self.scene == "main" else f" of {self.scene}"
        title = f"pools{scene} after {self.seconds:.1f} s"
        if not self.pools:
            return f"{title}: none"
        heads = [name.removesuffix("_active") for name in _COLUMNS]
        rows = [(*heads, "idle", "surfaces"), *map(_cells, self.pools)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])])
            for cells in rows
        ]
        return "\n".join([title, *lines, *self.advice])

    # -- for other programs -------------------------------------------------------------------

    def to_csv(self) -> str:
        """Return the figures as comma-separated values, a line for each pool."""
        import csv  # noqa: PLC0415 - games rarely need these
        import io  # noqa: PLC0415

        text = io.StringIO()
        scene = {"scene": self.scene, "seconds": self.seconds}
        names = [*scene, *PoolReport("", PoolStats()).as_row()]
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**scene, **pool.as_row()} for pool in self)
        return text.getvalue()

    def to_json(self) -> str:
        """Return the figures as JSON."""
        import json  # noqa: PLC0415 - games rarely need it

        return json.dumps(asdict(self), indent=2)


# The figures of `PoolReport.as_row` that a table shows as they are.
_COLUMNS = (
    *("prefab", "prespawned", "created", "active", "inactive", "peak_active"),
    *("spawned", "reused", "late", "recycled", "refused"),
)


def _cells(report: PoolReport) -> tuple[str, ...]:
    row = report.as_row()
    shown = report.surface_bytes
    surfaces = f"{shown / 1024:,.1f} KiB" if shown else "0"
    return (*(str(row[name]) for name in _COLUMNS), f"{report.idle_share:.0%}", surfaces)


# -- the ledger -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Totals:
    """What a pool has counted in the present scene."""

    prespawned: int = 0
    destroyed: int = 0
    detached: int = 0
    past_lives: int = 0  # of instances that are gone, less those of scenes before
    first_lives: int = 0  # of instances that were made for them
    late: int = 0
    unpooled: int = 0
    entered: int = 0
    recycled: int = 0
    refused: int = 0
    idle: float = 0.0
    existing: float = 0.0
    active_at_start: int = 0  # lives of the scene before


class Counts(NamedTuple):
    """How many instances a pool has now."""

    existing: int
    active: int
    reusable: int  # inactive, and not waiting for anything


@saved_without("_clock")
class Ledger:
    """Counts what a pool does.

    Most figures are derived from the records' generations and from samples that updates take, so
    that spawning and despawning count nothing.
    """

    __slots__ = (
        *("_clock", "_existing", "_inactive", "_most_used", "_most_used_in_window"),
        *("_sampled_at", "_scene_peak", "num_unneeded", "peak", "totals", "window_start"),
    )

    def __init__(self, clock: Clock) -> None:
        self.totals: _Totals = _Totals()  # for the pool to add to
        self.peak: int = 0  # the most alive at once in this window
        self._scene_peak = self._most_used = self._most_used_in_window = 0
        self.num_unneeded: int = 0  # instances that the last window did without
        self._inactive = self._existing = 0  # instances since the last sample
        self._clock = clock
        self.window_start: float = clock.total
        self._sampled_at = clock.total

    def sample(self, counts: Counts) -> bool:
        """Sum up the time since the last sample; return whether the counts differ from then."""
        totals = self.totals
        totals.idle, totals.existing = self._time_so_far()
        self._sampled_at = self._clock.total
        self.note_use(counts)
        inactive = counts.existing - counts.active
        if inactive == self._inactive and counts.existing == self._existing:
            return False
        self._inactive = inactive
        self._existing = counts.existing
        return True

    def note_use(self, counts: Counts) -> None:
        """Note how many instances are in use: alive, or waiting to be reusable."""
        used = counts.existing - counts.reusable
        self._most_used = max(self._most_used, used)
        self._most_used_in_window = max(self._most_used_in_window, used)

    def _time_so_far(self) -> tuple[float, float]:
        """Return the seconds that instances were inactive, and existed, in this scene."""
        totals, passed = self.totals, self._clock.total - self._sampled_at
        return totals.idle + self._inactive * passed, totals.existing + self._existing * passed

    @property
    def idle_share(self) -> float:
        """The share of their time that instances were inactive."""
        idle, existing = self._time_so_far()
        return idle / existing if existing else 0.0

    def stats(self, counts: Counts, generations: int) -> PoolStats:
        """Return the figures of this scene; `generations`: the lives of those that exist."""
        totals, spawned = self.totals, self.totals.past_lives + generations
        return PoolStats(
            created=counts.existing + totals.destroyed,
            destroyed=totals.destroyed,
            active=counts.active,
            inactive=counts.existing - counts.active,
            peak_active=max(self._scene_peak, self.peak),
            spawned=spawned,
            despawned=totals.active_at_start + spawned - counts.active - totals.detached,
            reused=spawned - totals.first_lives,
            late=totals.late,
            recycled=totals.recycled,
            refused=totals.refused,
            idle_seconds=self._time_so_far()[0],
        )

    def report(self, pool: Pool[Any], counts: Counts, generations: int) -> PoolReport:
        """Return the pool's line of a report."""
        stats = self.stats(counts, generations)
        return PoolReport(
            pool.name,
            stats,
            prespawned=self.totals.prespawned,
            unpooled=self.totals.unpooled,
            entered=self.totals.entered,
            idle_share=self.idle_share,
            surface_bytes=sum(size_fn(pool) for size_fn in surface_size_fns),
            groupless=sum(count_fn(pool) for count_fn in groupless_count_fns),
            limit=pool.settings.limit,
            most_used=max(stats.peak_active, self._most_used, counts.existing - counts.reusable),
        )

    def begin_window(self, counts: Counts) -> None:
        """Look for the most in use from now on; keep what the window before did without."""
        self.num_unneeded = self.num_unused(counts)
        self._scene_peak = max(self._scene_peak, self.peak)
        self.peak = counts.active
        self._most_used_in_window = counts.existing - counts.reusable
        self.window_start = self._clock.total

    def restart_window(self, counts: Counts) -> None:
        """Look for the most in use from now on; forget what wasn't needed before."""
        self.begin_window(counts)
        self.num_unneeded = 0

    def num_unused(self, counts: Counts) -> int:
        """Return how many instances this window has done without until now."""
        return counts.existing - max(self.peak, self._most_used_in_window)

    def begin_scene(self, counts: Counts, generations: int) -> None:
        """Count from 0; instances that are left were created by the scene before."""
        self.sample(counts)
        self.restart_window(counts)
        self._scene_peak = self._most_used = counts.active
        # The generations that `stats` adds count all lives that these instances ever had. Less
        # those until now, the new scene begins at 0.
        self.totals = _Totals(past_lives=-generations, active_at_start=counts.active)
