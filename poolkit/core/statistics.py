"""What pools count: the ledger each of them has, and reports as frozen snapshots."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from poolkit.core.pool import Pool

surface_meters: list[Callable[[Any], int]] = []
"""Each says how many bytes of pixels the instances of a pool show; rooms that know them add one."""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines whose columns stand below each other, the first one left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])])
        for cells in rows
    ]


def with_margin(count: int, margin: float = 0.1) -> int:
    """Return `count` and that share of it more, rounded up; what is single stays single.

    >>> with_margin(7), with_margin(100), with_margin(1), with_margin(0)
    (8, 110, 1, 0)
    """
    if count <= 1:
        return count
    # Rounded first: 100 * 0.1 is a little more than 10 in the computer's numbers.
    more = round(count * margin, 6)
    return count + int(more) + (more > int(more))


@dataclass(frozen=True, slots=True)
class PoolStats:
    """A pool's figures since its system was last reset.

    Always ``created - destroyed == active + inactive``.

    Attributes:
        created: Instances that joined the pool, those it kept from the scene before included.
        destroyed: Instances that left it: destroyed or detached.
        active: Alive now.
        inactive: At rest now, those that may not be reused yet included.
        peak_active: The most that were alive at once.
        spawned: Lives begun.
        despawned: Lives ended by a despawn.
        reused: Lives given to an instance that had been made before.
        late: Instances made by a spawn that found none at rest.
        recycled: Lives ended to make room for another.
        refused: Spawns the overflow policy refused.
        idle_seconds: Seconds that instances sat inactive, summed over them, as seen by `update`.
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
        seconds: How long the scene has lasted, as told to `update`.
        prespawned: Instances that were made beforehand.
        unpooled: Of the `late` ones, those that had to be: pooling was switched off.
        instance_seconds: Seconds that instances existed, summed over them; `None`: not counted.
        surface_bytes: Bytes of pixels that its instances show, turned as well as upright.
            What several show is counted once; what several pools show, in each of them.
        limit: The most lives it may have at once; `None`: no limit.
        most_used: The most that were in use at once: alive, or over and not reusable yet, which
            they are from the next update on.
    """

    name: str
    stats: PoolStats
    seconds: float
    prespawned: int = 0
    unpooled: int = 0
    instance_seconds: float | None = None
    surface_bytes: int = 0
    limit: int | None = None
    most_used: int = 0

    @property
    def idle_share(self) -> float:
        """The share of its time that an instance sat inactive, from 0 to 1.

        Near 1, too many were prespawned. What was destroyed meanwhile counts for the time that it
        was there.
        """
        lifetime = self.instance_seconds
        if lifetime is None:
            lifetime = self.stats.created * self.seconds
        return min(1.0, self.stats.idle_seconds / lifetime) if lifetime > 0 else 0.0

    @property
    def would_do(self) -> int:
        """How many to prespawn: the most that were used at once and a tenth more."""
        enough = with_margin(max(self.stats.peak_active, self.most_used))
        return enough if self.limit is None else min(enough, self.limit)

    @property
    def advice(self) -> str:
        """What the figures say about the number to prespawn, as a sentence; empty: it is right.

        "Ever used" means at once: a queue hands out what rests in turns, so that in time each of
        too many is used as well.
        """
        stats, enough = self.stats, self.would_do
        late = stats.late - self.unpooled
        most = max(stats.peak_active, self.most_used)
        used = f"{self.name}: {self.prespawned} prespawned, {most} ever used"
        if late > 0 and enough > self.prespawned:
            return f"{used}, {late} made late; {enough} would do"
        if stats.refused:
            return (
                f"{used}, {stats.refused} spawns refused at its limit; raise it, or let it recycle"
            )
        if self.prespawned > enough:
            return f"{used}; {enough} would do"
        return ""

    def as_row(self) -> dict[str, Any]:
        """Return all figures by name, for tables and files."""
        row = asdict(self)
        name, prespawned, stats = row.pop("name"), row.pop("prespawned"), row.pop("stats")
        shares = {"idle_share": self.idle_share, "advice": self.advice}
        return {"prefab": name, "prespawned": prespawned, **stats, **row, **shares}


@dataclass(frozen=True, slots=True)
class SceneReport:
    """The figures of all pools of a system over one scene; `str()` makes a table of it.

    Attributes:
        seconds: How long the scene has lasted, as told to `update`.
        pools: One report a pool, in order of first use.
        scene: The scene's name: of its class, where a scene manager loaded it, else ``"main"``.

    Examples:
        >>> from poolkit import PoolingSystem, Prefab
        >>> class Orc: ...
        >>> system = PoolingSystem()
        >>> _ = system.prespawn(Prefab(Orc, name="orc"), 20)
        >>> _ = system.spawn_many("orc", [(0, 0)] * 7)
        >>> report = system.report()
        >>> report["orc"].advice
        'orc: 20 prespawned, 7 ever used; 8 would do'
        >>> SceneReport.from_json(report.to_json()) == report
        True
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
            KeyError: There is none.
        """
        for report in self.pools:
            if report.name == name:
                return report
        raise KeyError(name)

    @property
    def title(self) -> str:
        """What it is a report on."""
        scene = "" if self.scene == "main" else f" of {self.scene}"
        return f"pools{scene} after {self.seconds:.1f} s"

    @property
    def advice(self) -> tuple[str, ...]:
        """The sentences of advice there are; none before anything was spawned."""
        if not any(report.stats.spawned for report in self.pools):
            return ()
        return tuple(report.advice for report in self.pools if report.advice)

    def __str__(self) -> str:
        """Return a table, a line a pool, and the advice below it."""
        if not self.pools:
            return f"{self.title}: none"
        return "\n".join([self.title, *aligned(self.table()), *self.advice])

    def table(self) -> tuple[tuple[str, ...], ...]:
        """Return the heads of the table's columns, and a row of texts for each pool."""
        heads = (*(name.removesuffix("_active") for name in _COLUMNS.split()), "idle", "surfaces")
        return (heads, *map(_cells, self.pools))

    # -- for other programs -------------------------------------------------------------------

    def to_csv(self) -> str:
        """Return the figures as comma-separated values: a line of names, then a line a pool."""
        import csv  # noqa: PLC0415 - games rarely need these
        import io  # noqa: PLC0415

        text = io.StringIO()
        names = PoolReport("", PoolStats(), 0.0).as_row()
        writer = csv.DictWriter(text, ["scene", *names], lineterminator="\n")
        writer.writeheader()
        writer.writerows({"scene": self.scene, **pool.as_row()} for pool in self)
        return text.getvalue()

    def to_json(self) -> str:
        """Return the figures as JSON, from which `from_json` makes the same report again."""
        import json  # noqa: PLC0415 - games rarely need it

        return json.dumps({"format": _FORMAT, "version": _VERSION, **asdict(self)}, indent=2)

    @classmethod
    def from_json(cls, text: str) -> SceneReport:
        """Return the report of which `text` was made.

        Raises:
            PoolError: It is no such text. The message says what is wrong, and where.
        """
        import json  # noqa: PLC0415 - games rarely need it

        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            message = f"this is no {_FORMAT}, and no JSON: {error}"
            raise PoolError(message) from None
        if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
            message = f"this is no {_FORMAT}: write one with report.to_json()"
            raise PoolError(message)
        version = found.pop("version", None)
        if version != _VERSION:
            message = (
                f"this report has version {version!r}, and only {_VERSION} can be read: "
                "make it again with this poolkit"
            )
            raise PoolError(message)
        report: SceneReport = _read(cls, found, "$")
        return report


# Of those of `PoolReport.as_row`, the ones that a table shows as they are.
_COLUMNS = (
    "prefab prespawned created active inactive peak_active spawned reused late recycled refused"
)


def _cells(report: PoolReport) -> tuple[str, ...]:
    row = report.as_row()
    shown = report.surface_bytes
    surfaces = f"{shown / 1024:,.1f} KiB" if shown else "0"
    return (*(str(row[name]) for name in _COLUMNS.split()), f"{report.idle_share:.0%}", surfaces)


# -- for other programs -----------------------------------------------------------------------

_FORMAT = "poolkit scene report"
_VERSION = 2

_EXPECTED: Mapping[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a text"),
    "int | None": ((int, type(None)), "a whole number or null"),
    "float | None": ((int, float, type(None)), "a number or null"),
    "tuple[PoolReport, ...]": ((list,), "a list"),
}


def _read(kind: Any, found: Any, path: str) -> Any:
    """Return the `kind` of object that `found` describes: all it is made of, and nothing else."""
    types = {field.name: str(field.type) for field in fields(kind)}
    if not isinstance(found, dict):
        message = f"{path} must be an object, not {found!r}"
        raise PoolError(message)
    wrong = sorted(set(found) ^ set(types))
    if wrong:
        what = "is missing" if wrong[0] in types else "is not known"
        message = f"{path}.{wrong[0]} {what}: there must be {', '.join(types)}"
        raise PoolError(message)
    values = {}
    for name, value in found.items():
        here, values[name] = f"{path}.{name}", value
        if types[name] == "PoolStats":
            values[name] = _read(PoolStats, value, here)
            continue
        accepted, expected = _EXPECTED[types[name]]
        if not isinstance(value, accepted) or isinstance(value, bool):
            message = f"{here} must be {expected}, not {value!r}"
            raise PoolError(message)
        if isinstance(value, list):
            pools = (_read(PoolReport, each, f"{here}[{at}]") for at, each in enumerate(value))
            values[name] = tuple(pools)
    return kind(**values)


# -- the ledger -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Totals:
    """What a pool has counted in the present scene."""

    destroyed: int = 0
    detached: int = 0
    adopted: int = 0
    lives: int = 0  # of instances that are gone, but for those of scenes before
    fresh: int = 0
    late: int = 0
    unpooled: int = 0
    recycled: int = 0
    refused: int = 0
    idle: float = 0.0
    existing: float = 0.0
    kept: int = 0  # of the scene before: instances
    carried: int = 0  # of the scene before: lives


class LowWater:
    """The low-water mark of a pool's inactive queue over a sliding window of time."""

    __slots__ = ("_marks",)

    def __init__(self, now: float) -> None:
        # Times and levels, both rising: a mark that a later one undercuts says nothing any more.
        self._marks: deque[tuple[float, int]] = deque([(now, 0)])

    def note(self, time: float, level: int) -> None:
        """Note that `level` instances were at rest at second `time`."""
        marks = self._marks
        while marks and marks[-1][1] >= level:
            marks.pop()
        marks.append((time, level))

    def lower(self, by: int) -> None:
        """Note that `by` instances at rest were destroyed: all the while there were fewer."""
        self._marks = deque((time, max(0, level - by)) for time, level in self._marks)

    def since(self, time: float) -> int:
        """Return the fewest that were at rest after second `time`; forget what was before."""
        marks = self._marks
        while marks and marks[0][0] <= time:
            marks.popleft()
        return marks[0][1] if marks else 0


class Ledger:
    """What one pool counts, so that spawns and despawns need not.

    Lives are counted by the instances themselves, as generations. Time is summed up at the end of
    a frame in which the pool was stirred: in all others nothing has changed.

    Attributes:
        low_water: How few were at rest, where the pool trims.
        totals: Of the present scene, for the pool to add to.
    """

    __slots__ = ("_at_rest", "_existing", "_peak", "_sampled_at", "_used", "low_water", "totals")

    def __init__(self, now: float) -> None:
        self.totals = _Totals()
        self.low_water: LowWater | None = None
        self._peak = self._used = 0
        self._at_rest = self._existing = 0  # instances, since then
        self._sampled_at = now

    def sample(self, pool: Pool[Any]) -> None:
        """Sum up the time since this was last done; note what there is from now on."""
        totals, now = self.totals, pool._context.clock.now
        passed = now - self._sampled_at
        totals.idle += self._at_rest * passed
        totals.existing += self._existing * passed
        self._existing = len(pool._records)
        self._at_rest = self._existing - len(pool._active)
        self._used = self._most_used(pool)
        self._sampled_at = now

    def _most_used(self, pool: Pool[Any]) -> int:
        return max(self._used, len(pool._records) - len(pool._inactive))

    def note_low_water(self, pool: Pool[Any], time: float) -> None:
        """Note, where it matters, how few were at rest at worst since this was last done."""
        if self.low_water is None:
            return
        level = len(pool._inactive)  # which only an update lets rise, or what is made now
        if pool._context.reuse == "at_once":
            level = max(0, min(level, len(pool._records) - pool._peak))
            self._peak = max(self._peak, pool._peak)
            pool._peak = len(pool._active)
            pool._reserve(0)
        self.low_water.note(time, level)

    def time_so_far(self, pool: Pool[Any]) -> tuple[float, float]:
        """Return the seconds that instances sat inactive, and that they existed, in this scene.

        Asking moves no sample: what is told is the same, however often anybody looks.
        """
        totals, passed = self.totals, pool._context.clock.now - self._sampled_at
        return totals.idle + self._at_rest * passed, totals.existing + self._existing * passed

    def stats(self, pool: Pool[Any]) -> PoolStats:
        """Return a snapshot of the figures of the present scene."""
        totals, active, existing = self.totals, len(pool._active), len(pool._records)
        spawned = totals.lives + sum(record.generation for record in pool._records)
        return PoolStats(
            created=existing + totals.destroyed,
            destroyed=totals.destroyed,
            active=active,
            inactive=existing - active,
            peak_active=max(self._peak, pool._peak),
            spawned=spawned,
            despawned=totals.carried + spawned - active - totals.detached,
            reused=spawned - totals.fresh,
            late=totals.late,
            recycled=totals.recycled,
            refused=totals.refused,
            idle_seconds=self.time_so_far(pool)[0],
        )

    def report(self, pool: Pool[Any], seconds: float) -> PoolReport:
        """Return the pool's line of a report on a scene that has lasted so many seconds."""
        stats, totals = self.stats(pool), self.totals
        return PoolReport(
            pool.name,
            stats,
            seconds,
            prespawned=max(0, stats.created - totals.kept - totals.late - totals.adopted),
            unpooled=totals.unpooled,
            instance_seconds=self.time_so_far(pool)[1],
            surface_bytes=sum(meter(pool) for meter in surface_meters),
            limit=pool._settings.limit,
            most_used=self._most_used(pool),
        )

    def begin_scene(self, pool: Pool[Any]) -> None:
        """Count from here on: what is left counts as created by the scene before."""
        self.sample(pool)
        before = sum(record.generation for record in pool._records)
        self._peak = self._used = pool._peak = len(pool._active)
        self.totals = _Totals(lives=-before, kept=len(pool._records), carried=len(pool._active))
