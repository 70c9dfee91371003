"""What pools count, as frozen snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PoolReport", "PoolStats", "SceneReport"]


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
    """

    name: str
    stats: PoolStats
    seconds: float

    @property
    def idle_share(self) -> float:
        """The share of its time that an instance sat inactive, from 0 to 1.

        Near 1, too many were prespawned.
        """
        lifetime = (self.stats.created - self.stats.destroyed) * self.seconds
        return min(1.0, self.stats.idle_seconds / lifetime) if lifetime > 0 else 0.0

    @property
    def advice(self) -> str:
        """What the figures say about the number to prespawn, in a few words."""
        stats = self.stats
        if stats.late:
            return f"{stats.late} made late: prespawn {stats.peak_active}"
        if stats.created > stats.peak_active + 1 and stats.spawned:
            return f"{stats.peak_active} at most in use: {stats.peak_active} would do"
        return ""


@dataclass(frozen=True, slots=True)
class SceneReport:
    """The figures of all pools of a system over one scene; `str()` makes a table of it.

    Attributes:
        seconds: How long the scene has lasted, as told to `update`.
        pools: One report a pool, in order of first use.
    """

    seconds: float
    pools: tuple[PoolReport, ...]

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

    def __str__(self) -> str:
        """Return a table, a line a pool."""
        title = f"pools after {self.seconds:.1f} s"
        if not self.pools:
            return f"{title}: none"
        width = max(6, *(len(report.name) for report in self.pools))
        head = (
            f"{'prefab':<{width}}  created  active  inactive  peak  spawned  reused  late  "
            "refused  idle"
        )
        lines = [title, head]
        for report in self.pools:
            stats = report.stats
            line = (
                f"{report.name:<{width}}  {stats.created:>7}  {stats.active:>6}  "
                f"{stats.inactive:>8}  {stats.peak_active:>4}  {stats.spawned:>7}  "
                f"{stats.reused:>6}  {stats.late:>4}  {stats.refused:>7}  {report.idle_share:>4.0%}"
                f"  {report.advice}"
            )
            lines.append(line.rstrip())
        return "\n".join(lines)
