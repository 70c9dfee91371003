"""Prespawns what a capacity profile says, scene by scene."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkit.core.context import TimeWatcher
from poolkit.core.plans import CapacityPlans
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.profiles.files import read_profile
from poolkit.devtools.profiles.needs import CapacityProfile, ProfileError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from poolkit.core.pool import PrefabPool
    from poolkit.core.settings import PoolSettings
    from poolkit.core.statistics import SceneReport

__all__ = ["AppliedProfile", "apply_profile"]

_log = logging.getLogger("poolkit")


def apply_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
    margin: float = 0.1,
    strict: bool = False,
) -> AppliedProfile:
    """Let the pools of `system` prespawn what the profile at `path` says, and a margin.

    At once for the scene that is played, and from then on whenever a scene manager loads one, or
    a reset begins it anew. Prefabs are meant by their names; one that the system does not know
    yet is prespawned at its first use. Limits and policies stay as they are. Applying another
    profile to the system takes the place of this one.

    A file that is missing, broken or foreign changes nothing: that is said in the log `poolkit`
    and in the answer, and the game starts all the same.

    Args:
        path: The file.
        system: The system whose pools are sized.
        scene: Size them for this scene, whatever is played: for games without a scene manager,
            which apply the profile when they load the scene. Default: as the scene manager says.
        margin: The share of each peak that is prespawned besides, rounded up.
        strict: Raise instead, where the file can't be used.

    Raises:
        ProfileError: The file can't be used, and `strict` asks for an error.
        ValueError: `margin` is negative, or no number.
    """
    if not 0 <= margin < float("inf"):
        message = f"margin must be a share of 0 or more, as 0.1 for a tenth, not {margin!r}"
        raise ValueError(message)
    for watcher in system._context.time_watchers:
        if isinstance(watcher, AppliedProfile):
            watcher.stop()
    try:
        profile, error = read_profile(path), ""
    except ProfileError as refused:
        if strict:
            raise
        profile, error = CapacityProfile(), str(refused)
        # At the first start there is none yet: that is as it should be.
        is_missing = isinstance(refused.__cause__, FileNotFoundError)
        level = logging.INFO if is_missing else logging.ERROR
        _log.log(level, "no capacity profile is applied: %s", error)
    applied = AppliedProfile(path, profile, system, scene, margin, error)
    if not error:
        applied.begin()
    return applied


class AppliedProfile(TimeWatcher):
    """A profile in force; see `apply_profile`.

    Attributes:
        path: Its file.
        profile: What the file says; empty, if it can't be used.
        margin: The share of each peak that is prespawned besides.
        error: Why the file can't be used; empty: it can.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        profile: CapacityProfile,
        system: PoolingSystem,
        scene: str | None,
        margin: float,
        error: str,
    ) -> None:
        """Know what is wanted; nothing is in force yet."""
        self.path = Path(path)
        self.profile = profile
        self.margin = margin
        self.error = error
        self._system = system
        self._scene = scene
        # What each pool had before, and what it was given: the game may change it meanwhile.
        self._given: dict[PrefabPool[Any], tuple[PoolSettings, PoolSettings]] = {}
        self._is_due = False

    @property
    def ok(self) -> bool:
        """Whether the file could be used."""
        return not self.error

    def counts(self, scene: str | None = None) -> dict[str, int]:
        """Return how many instances of each prefab are prespawned in a scene, margin included.

        Args:
            scene: The scene's name; default: the one that is played.
        """
        named = self._scene or self._system._context.scene
        return self.profile.counts(named if scene is None else scene, self.margin)

    def begin(self) -> None:
        """Put it in force."""
        self._system._context.watch_time(self)
        self._size(self._system.all_pools())
        self._make()

    def stop(self) -> None:
        """Give the pools their own settings back. What was made stays."""
        if self in self._system._context.time_watchers:
            self._system._context.unwatch_time(self)
            self._assign({pool: self._own(pool) for pool in self._given})
            self._given.clear()

    # -- what it watches ----------------------------------------------------------------------

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Size a pool that is used for the first time, before it makes anything."""
        self._size((pool,))

    def scene_beginning(self, name: str) -> Mapping[Any, int]:
        """Size all pools for the scene, and have the loading screen make what it needs."""
        del name  # the system calls it so by now
        self._is_due = False
        self._size(self._system.all_pools())
        _log.info("%s", self)
        counts = self.counts()
        known = [pool for pool in self._system.all_pools() if pool.name in counts]
        return {pool.prefab: pool.settings.prespawn for pool in known}

    def scene_ended(self, report: SceneReport) -> None:
        """Make all of it anew, if no scene manager does."""
        del report
        self._is_due = not self._system._context.closed

    def updating(self, dt: float) -> None:
        """Make what the scene needs in its first frame, if no scene manager did."""
        del dt
        if self._is_due:
            self._is_due = False
            self._make()

    def __str__(self) -> str:
        """Return which file it is, and what it says for the scene, with the margin."""
        if self.error:
            return f"no capacity profile: {self.error}"
        counts = ", ".join(f"{name} {count}" for name, count in self.counts().items())
        return f"{self.path}: {counts or 'nothing for this scene'} (margin {self.margin:.0%})"

    def __repr__(self) -> str:
        """Return ``<AppliedProfile('profile.toml', ok=True)>``."""
        return f"<{type(self).__name__}({str(self.path)!r}, ok={self.ok})>"

    # -- inside -------------------------------------------------------------------------------

    def _own(self, pool: PrefabPool[Any]) -> PoolSettings:
        """Return the settings that the game wants a pool to have."""
        before, given = self._given.get(pool, (None, None))
        return pool.settings if before is None or pool.settings != given else before

    def _size(self, known: Iterable[PrefabPool[Any]]) -> None:
        counts = self.counts()
        changes = {}
        for pool in known:
            own = self._own(pool)
            wanted = own
            if pool.name in counts:
                count = counts[pool.name]
                limit = count if own.limit is None else own.limit
                wanted = replace(own, prespawn=min(count, limit))
                self._given[pool] = own, wanted
            else:
                self._given.pop(pool, None)
            if wanted != pool.settings:
                changes[pool] = wanted
        self._assign(changes)

    def _assign(self, changes: Mapping[PrefabPool[Any], PoolSettings]) -> None:
        if changes:
            plans = CapacityPlans(profile={pool.prefab: new for pool, new in changes.items()})
            plans.apply("profile", self._system)

    def _make(self) -> None:
        counts = self.counts()
        for pool in self._system.all_pools():
            if pool.name in counts:
                pool.ensure_prespawned()
        _log.info("%s", self)
