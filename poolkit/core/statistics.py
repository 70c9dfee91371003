"""What pools count, as frozen snapshots."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["PoolReport", "PoolStats", "SceneReport", "aligned", "surface_meters", "with_margin"]

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
    """Return `count` and that share of it more, rounded up; nothing needs no margin.

    >>> with_margin(7), with_margin(100), with_margin(0)
    (8, 110, 0)
    """
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
        surface_bytes: Bytes of pixels that its instances show, and turned images kept for them.
            What several show is counted once; what several pools show, in each of them.
        limit: The most instances it may hold; `None`: no limit.
    """

    name: str
    stats: PoolStats
    seconds: float
    prespawned: int = 0
    unpooled: int = 0
    instance_seconds: float | None = None
    surface_bytes: int = 0
    limit: int | None = None

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
        enough = with_margin(self.stats.peak_active)
        return enough if self.limit is None else min(enough, self.limit)

    @property
    def advice(self) -> str:
        """What the figures say about the number to prespawn, as a sentence; empty: it is right.

        "Ever used" means at once: a queue hands out what rests in turns, so that in time each of
        too many is used as well.
        """
        stats, enough = self.stats, self.would_do
        late = stats.late - self.unpooled
        used = f"{self.name}: {self.prespawned} prespawned, {stats.peak_active} ever used"
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
        return {
            "prefab": self.name,
            "prespawned": self.prespawned,
            **asdict(self.stats),
            "unpooled": self.unpooled,
            "limit": self.limit,
            "seconds": self.seconds,
            "instance_seconds": self.instance_seconds,
            "idle_share": self.idle_share,
            "surface_bytes": self.surface_bytes,
            "advice": self.advice,
        }


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
        """The sentences of advice there are."""
        return tuple(report.advice for report in self.pools if report.advice)

    def __str__(self) -> str:
        """Return a table, a line a pool, and the advice below it."""
        if not self.pools:
            return f"{self.title}: none"
        return "\n".join([self.title, *aligned(self.table()), *self.advice])

    def table(self) -> tuple[tuple[str, ...], ...]:
        """Return the heads of the table's columns, and a row of texts for each pool."""
        return (_HEADS, *(_cells(report) for report in self.pools))

    # -- for other programs -------------------------------------------------------------------

    def to_csv(self) -> str:
        """Return the figures as comma-separated values: a line of names, then a line a pool."""
        from poolkit.core.report_files import as_csv  # noqa: PLC0415 - games rarely need it

        return as_csv(self)

    def to_json(self) -> str:
        """Return the figures as JSON, from which `from_json` makes the same report again."""
        from poolkit.core.report_files import as_json  # noqa: PLC0415 - games rarely need it

        return as_json(self)

    @classmethod
    def from_json(cls, text: str) -> SceneReport:
        """Return the report of which `text` was made.

        Raises:
            PoolError: It is no such text. The message says what is wrong, and where.
        """
        from poolkit.core.report_files import report_of  # noqa: PLC0415 - games rarely need it

        return report_of(text)


_HEADS = (
    "prefab",
    "prespawned",
    "created",
    "active",
    "inactive",
    "peak",
    "spawned",
    "reused",
    "late",
    "recycled",
    "refused",
    "idle",
    "surfaces",
)


def _cells(report: PoolReport) -> tuple[str, ...]:
    stats = report.stats
    counts = (
        report.prespawned,
        stats.created,
        stats.active,
        stats.inactive,
        stats.peak_active,
        stats.spawned,
        stats.reused,
        stats.late,
        stats.recycled,
        stats.refused,
    )
    idle, surfaces = f"{report.idle_share:.0%}", _in_kibibytes(report.surface_bytes)
    return (report.name, *map(str, counts), idle, surfaces)


def _in_kibibytes(count: int) -> str:
    return f"{count / 1024:,.1f} KiB" if count else "0"
