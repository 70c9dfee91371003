"""Capacity profiles: what pools needed in play, kept in a file, and prespawned at the next start.

The file is TOML, for people to read, edit and commit.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.seams import TimeWatcher, context_of
from poolkit.core.settings import checked_count
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.files import write_whole
from poolkit.devtools.trial import checked_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.pool import PrefabPool
    from poolkit.core.seams import SwarmBase
    from poolkit.core.statistics import SceneReport

_FORMAT = 'format = "poolkit capacity profile"\nversion = 1\n'
_HEAD = f"""\
# The most instances of each pool in use at once, by scene: recorded by poolkit.devtools.
# Read it, edit it, commit it: apply_profile prespawns them, and a margin. A later recording
# raises these numbers where it needs more, and keeps no comments.
{_FORMAT}"""
_log = logging.getLogger("poolkit")


class ProfileError(PoolError):
    """A file is not a capacity profile, or can't be read or written. The message names it."""


Profile = Mapping[str, Mapping[str, int]]
"""The most instances in use at once, by scene and by the name of the prefab.

In a game without scenes the only one is ``"main"``.
"""


def merge_profiles(first: Profile, second: Profile) -> Profile:
    """Return what is enough for both."""
    scenes = {**first, **second}
    return {
        scene: Counter(first.get(scene, {})) | Counter(second.get(scene, {})) for scene in scenes
    }


def counts_with_margin(peaks: Mapping[str, int], margin: float) -> dict[str, int]:
    """Return how many to prespawn of each prefab: its peak, and a share of it."""
    # To the nearest, so that one player stays one.
    return {name: int(peak * (1 + margin) + 0.5) for name, peak in peaks.items()}


def read_profile(path: str | os.PathLike[str]) -> Profile:
    """Read a capacity profile.

    Raises:
        ProfileError: The file is missing, or is not a profile.
    """
    with _explaining(path, "read"):
        whole = tomllib.loads(Path(path).read_text("utf-8-sig"))
        if not tomllib.loads(_FORMAT).items() <= whole.items():
            message = f"it lacks the lines {' and '.join(_FORMAT.splitlines())}"
            raise ValueError(message)
        return {
            scene: {name: checked_count(peak, f"{scene}.{name}") for name, peak in peaks.items()}
            for scene, peaks in whole.get("scenes", {}).items()
        }


def write_profile(path: str | os.PathLike[str], profile: Profile) -> None:
    """Replace the file by a profile, whole or not at all."""
    lines = [_HEAD]
    for scene, peaks in sorted(profile.items()):
        lines.append(f"\n[scenes.{_key(scene)}]\n")
        lines += [f"{_key(name)} = {peak}\n" for name, peak in sorted(peaks.items())]
    with _explaining(path, "written"):
        Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
        write_whole(Path(path), "".join(lines).encode())


def _key(name: str) -> str:
    quoted = json.dumps(name, ensure_ascii=False).replace("\x7f", r"\u007f")
    return name if name.isascii() and name.isidentifier() else quoted


@contextlib.contextmanager
def _explaining(path: str | os.PathLike[str], done: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        if isinstance(error, AttributeError):
            why = "it must have tables as [scenes.cave], with lines as orc = 7"
        message = f"the capacity profile {os.fspath(path)} can't be {done}: {why}"
        raise ProfileError(message) from error


def record_profile(
    path: str | os.PathLike[str], system: PoolingSystem = pools, *, scene: str | None = None
) -> ProfileRecorder:
    """Keep what the pools of `system` need from now on in the profile at `path`.

    Needs are merged into the file when a scene ends, and when the process does. If the file can't
    be used, it is left alone: the log `poolkit` says so, and the game goes on. `scene` is what to
    call the scenes; default: as the scene manager does, or ``"main"``.
    """
    recorder = ProfileRecorder(Path(path), scene, checked_system(system, "record_profile()"))
    context_of(system).time_watchers.append(recorder)
    atexit.register(recorder.stop)
    return recorder


@dataclass(eq=False)
class ProfileRecorder(TimeWatcher):
    """Records what the pools of a system need; see `record_profile`.

    Attributes:
        path: The file.
        scene: What to call the present scene; `None`: as the scene manager does.
        error: Why nothing could be kept the last time, if so.
    """

    path: Path
    scene: str | None
    _system: PoolingSystem = field(repr=False)
    error: str = field(init=False, default="")

    def stop(self) -> None:
        """Keep what the present scene has needed so far, and stop watching."""
        watchers = context_of(self._system).time_watchers
        if self in watchers:
            watchers.remove(self)
            atexit.unregister(self.stop)
            self.on_scene_ended(self._system.report())

    def on_scene_ended(self, report: SceneReport) -> None:
        """Keep what the scene needed."""
        peaks = {pool.name: pool.most_used for pool in report if pool.stats.spawned}
        if not peaks:
            return
        self.error = ""
        try:
            is_there = os.path.exists(self.path)  # noqa: PTH110 - no error for impossible names
            former = read_profile(self.path) if is_there else {}
            scene = str(self.scene or report.scene)
            write_profile(self.path, merge_profiles(former, {scene: peaks}))
        except ProfileError as error:
            self.error = str(error)
            _log.error("nothing is recorded: %s", error)


def apply_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
    margin: float = 0.1,
) -> AppliedProfile:
    """Let the pools of `system` prespawn what the profile at `path` says, and a margin.

    At once for the present scene, and whenever a scene manager loads one; without a manager, say
    which `scene`. Prefabs are known by name; one that the system doesn't know yet is prespawned at
    its first use. All other settings stay. Another profile for the same system replaces this one.
    If the file can't be used, the log `poolkit` says so and nothing changes.

    Raises:
        ValueError: `margin`, a share of each peak, is negative or not a number.
    """
    if not (isinstance(margin, int | float) and 0 <= margin < float("inf")):
        message = f"margin must be a share of 0 or more, as 0.1 for a tenth, not {margin!r}"
        raise ValueError(message)
    watchers = context_of(checked_system(system, "apply_profile()")).time_watchers
    for watcher in list(watchers):
        if isinstance(watcher, AppliedProfile):
            watcher.stop()
    applied = AppliedProfile(Path(path), margin, system, scene)
    try:
        applied.profile = read_profile(path)
    except ProfileError as error:
        applied.error = str(error)
        # Before the first recording it isn't there, and that's fine.
        is_missing = isinstance(error.__cause__, FileNotFoundError)
        _log.log(logging.INFO if is_missing else logging.ERROR, "%s", applied)
        return applied
    watchers.append(applied)
    for prefab, count in applied.counts_to_prewarm().items():
        system.prespawn(prefab, count)
    return applied


@dataclass(eq=False)
class AppliedProfile(TimeWatcher):
    """A profile in force; see `apply_profile`.

    Attributes:
        path: Its file.
        margin: The share of each peak that is prespawned besides.
        profile: What the file says, by scene and prefab; empty where it isn't in force.
        error: Why it can't be used, if so.
    """

    path: Path
    margin: float
    _system: PoolingSystem = field(repr=False)
    _scene: str | None = field(repr=False)
    profile: Profile = field(init=False, repr=False, default_factory=dict)
    error: str = field(init=False, default="")

    def __str__(self) -> str:
        if self.error:
            return f"no capacity profile is applied: {self.error}"
        counts = ", ".join(f"{name} {count}" for name, count in self.counts().items())
        return f"{self.path}: {counts or 'nothing for this scene'} (margin {self.margin:.0%})"

    @property
    def _present(self) -> str:
        return str(self._scene or context_of(self._system).scene)

    def counts(self, scene: str | None = None) -> dict[str, int]:
        """Return how many of each prefab a scene prespawns; default: the present one."""
        return counts_with_margin(self.profile.get(scene or self._present, {}), self.margin)

    def stop(self) -> None:
        """Let pools prespawn what their prefabs say again. What was made stays."""
        watchers = context_of(self._system).time_watchers
        if self in watchers:
            watchers.remove(self)
            self.profile = {}
            for pool in self._system.all_pools():
                self.on_pool_added(pool)

    def counts_to_prewarm(self) -> Mapping[Any, int]:
        """Size what the scene needs; return what its loading screen makes."""
        _log.info("%s", self)
        registry = context_of(self._system).registry
        needed = [registry.pool_of(name) for name in self.counts() if name in registry.prefabs]
        for pool in self._system.all_pools():
            self.on_pool_added(pool)
        for swarm in context_of(self._system).swarms.values():
            self.on_swarm_added(swarm)
        return {pool.prefab: pool._num_beforehand for pool in needed}

    def on_swarm_added(self, swarm: SwarmBase) -> None:
        """Let a swarm have room for its lives beforehand."""
        swarm._reserve(self.counts().get(swarm.name, 0))

    def on_pool_added(self, pool: PrefabPool[Any]) -> None:
        """Let a pool prespawn what the scene needs, or else what its prefab says."""
        settings = pool.settings
        count = self.counts().get(pool.name, pool.prefab.settings.prespawn)
        limits = [most for most in (settings.limit, settings.max_idle) if most is not None]
        new_settings = replace(settings, prespawn=min([count, *limits]))
        if new_settings != settings:
            pool.settings = new_settings
        num_prespawned = new_settings.prespawn
        if num_prespawned == settings.limit:  # while these live, others wait for the next update
            peak = self.profile.get(self._present, {}).get(pool.name, 0)
            # More than as many again were recorded when the limit was higher.
            num_prespawned = max(num_prespawned, min(peak, 2 * num_prespawned))
        pool._num_beforehand = num_prespawned
