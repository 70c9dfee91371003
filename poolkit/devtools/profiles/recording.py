"""Watches a system's pools in play, and keeps what they needed in a file."""

from __future__ import annotations

import atexit
import logging
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from poolkit.core.context import TimeWatcher
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.profiles.files import add_to_profile, read_or_begin
from poolkit.devtools.profiles.needs import CapacityProfile, Need, ProfileError, SceneNeeds

if TYPE_CHECKING:
    import os

    from poolkit.core.pool import PrefabPool
    from poolkit.core.statistics import SceneReport

__all__ = ["ProfileRecorder", "record_profile"]

_SAMPLE = 0.25  # seconds between two looks at how many were spawned
_ROUNDING = 1e-6  # seconds: sums of frame times fall a little short

_log = logging.getLogger("poolkit")


def record_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
) -> ProfileRecorder:
    """Keep what the pools of `system` need from now on in the profile at `path`.

    Whenever a scene ends, and when the process does, its needs are merged into the file, so that
    many runs and several processes add up. A file that can't be used is left alone: that is said
    in the log `poolkit`, and the game goes on.

    Args:
        path: The file, made when the first scene ends.
        system: The system to watch.
        scene: What to call the scenes; default: as the scene manager calls them, or ``"main"``.

    Returns:
        The recorder, to stop it with. It is a context manager, too.
    """
    return ProfileRecorder(path, system, scene)


class ProfileRecorder(TimeWatcher):
    """Watches the pools of one system; see `record_profile`.

    Attributes:
        path: The file.
        scene: What the scene that is played is called; `None`: as the scene manager says.
        error: Why nothing could be kept, the last time; empty: all is well.
    """

    def __init__(
        self, path: str | os.PathLike[str], system: PoolingSystem, scene: str | None
    ) -> None:
        """Begin to watch."""
        self.path = Path(path)
        self.scene = scene
        self.error = ""
        self._system = system
        self._begin()
        try:
            read_or_begin(self.path)
        except ProfileError as error:
            self._complain(error)
        system._context.watch_time(self)
        atexit.register(self.stop)

    def stop(self) -> None:
        """Keep what the scene that is played has needed so far, and watch no longer."""
        if self in self._system._context.time_watchers:
            self._forget()
            self._keep(self._system.report())

    def updating(self, dt: float) -> None:
        """Look, every now and then, how many were spawned."""
        if self._system._context.reuse != "at_once":
            self._note_held()
        self._now += dt
        if self._now - self._samples[-1][0] >= _SAMPLE - _ROUNDING:
            spawned = {pool: pool.stats.spawned for pool in self._system.all_pools()}
            self._sample({pool.name: count for pool, count in spawned.items()})

    def scene_ended(self, report: SceneReport) -> None:
        """Keep what the scene needed."""
        self._keep(report)
        if self._system._context.closed:
            self._forget()

    def __enter__(self) -> Self:
        """Go on watching."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop."""
        self.stop()

    def __repr__(self) -> str:
        """Return ``<ProfileRecorder('profile.toml')>``."""
        return f"<{type(self).__name__}({str(self.path)!r})>"

    # -- inside -------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._now = 0.0
        self._samples: deque[tuple[float, dict[str, int]]] = deque([(0.0, {})])
        self._rates: dict[str, int] = {}
        self._in_use: dict[str, int] = {}

    def _forget(self) -> None:
        self._system._context.unwatch_time(self)
        atexit.unregister(self.stop)

    def _note_held(self) -> None:
        """Count those as in use, too, that only the coming update makes reusable."""
        for pool in self._system.all_pools():
            in_use = _in_use(pool)
            if in_use > self._in_use.get(pool.name, 0):
                self._in_use[pool.name] = in_use

    def _sample(self, spawned: dict[str, int]) -> None:
        """Compare how many were spawned by now with how many a second ago."""
        samples = self._samples
        while len(samples) > 1 and samples[1][0] <= self._now - 1 + _ROUNDING:
            samples.popleft()
        then, before = samples[0]
        seconds = max(1.0, self._now - then - _ROUNDING)
        for name, count in spawned.items():
            rate = round((count - before.get(name, 0)) / seconds)
            if rate > self._rates.get(name, 0):
                self._rates[name] = rate
        samples.append((self._now, spawned))

    def _keep(self, report: SceneReport) -> None:
        self._sample({pool.name: pool.stats.spawned for pool in report})
        needs: dict[str, Need] = {}
        for pool in report:
            if pool.stats.spawned:  # what was not used at all says nothing
                peak = max(pool.stats.peak_active, self._in_use.get(pool.name, 0))
                need = Need(peak, self._rates.get(pool.name, 0))
                needs[pool.name] = needs.get(pool.name, need) | need
        self._begin()
        if not needs:
            return
        scene = report.scene if self.scene is None else self.scene
        played = SceneNeeds(needs, 1, report.seconds)
        try:
            add_to_profile(self.path, CapacityProfile({scene: played}))
        except ProfileError as error:
            self._complain(error)
        else:
            self.error = ""

    def _complain(self, error: ProfileError) -> None:
        self.error = str(error)
        _log.error("nothing is recorded: %s", error)


def _in_use(pool: PrefabPool[Any]) -> int:
    return pool.capacity - len(pool._inactive)
