"""Capacity profiles: what pools needed in play, kept in a file, and prespawned at the next start.

The file is TOML, for people to read, edit and commit.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import re
import secrets
import shutil
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.seams import TimeWatcher, context_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.given import checked_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkit.core.pool import PrefabPool
    from poolkit.core.seams import Crowd
    from poolkit.core.statistics import SceneReport

    _Needs = Mapping[str, Mapping[str, int]]  # by scene and prefab

_FORMAT, _VERSION = "poolkit capacity profile", 1
_MOST = 1_000_000  # instances: beyond it is a slip of the pen, and would take all memory
_HEAD = f"""\
# What pools really needed, scene by scene: recorded by poolkit.devtools.record_profile.
# Read it, edit it, commit it: apply_profile prespawns each peak, and a margin.
#   peak    the most instances in use at once, up to the limit of the pool
#   spares  more than these: they stood in for those whose lives a frame had just ended
# A later recording raises these numbers where it needs more. It keeps no comments.
format = "{_FORMAT}"
version = {_VERSION}
"""
_ENCODING: Any = {"encoding": "utf-8", "errors": "surrogatepass"}  # a prefab may have any name

_log = logging.getLogger("poolkit")


class ProfileError(PoolError):
    """A file is not a capacity profile, or can't be read or written. The message names it."""


@dataclass(frozen=True, slots=True)
class CapacityProfile:
    """What a game's pools needed in each of its scenes.

    Attributes:
        scenes: By the names of scene (``"main"`` in a game without scenes) and prefab, the most
            instances in use at once, up to the pool's limit.
        spares: Likewise, how many were in use beyond that limit.

    Examples:
        >>> short = CapacityProfile({"cave": {"orc": 7}})
        >>> long = CapacityProfile({"cave": {"orc": 30}})
        >>> (short | long).counts("cave", margin=0.1)
        {'orc': 33}
    """

    scenes: _Needs = field(default_factory=dict)
    spares: _Needs = field(default_factory=dict)

    def __or__(self, other: CapacityProfile) -> CapacityProfile:
        """Return what is enough for both."""
        return CapacityProfile(_most(self.scenes, other.scenes), _most(self.spares, other.spares))

    def counts(self, scene: str, margin: float) -> dict[str, int]:
        """Return how many to prespawn of each prefab: the peak, a share of it, and the spares.

        Rounded to the nearest, so that one player stays one.
        """
        spares = self.spares.get(scene, {})
        return {
            name: int(peak * (1 + margin) + 0.5) + spares.get(name, 0)
            for name, peak in self.scenes.get(scene, {}).items()
        }


def _most(one: _Needs, other: _Needs) -> _Needs:
    most: dict[str, dict[str, int]] = {}
    for scene, needs in (*one.items(), *other.items()):
        known = most.setdefault(scene, {})
        # A peak of 0 stays: it says that nothing is prespawned.
        known |= {name: max(count, known.get(name, 0)) for name, count in needs.items()}
    return most


# -- files ----------------------------------------------------------------------------------------


def read_profile(path: str | os.PathLike[str]) -> CapacityProfile:
    """Read a capacity profile.

    Raises:
        ProfileError: The file is missing, or is not a profile.
    """
    try:
        text = Path(path).read_text(**_ENCODING)
        whole = tomllib.loads(text.removeprefix("\ufeff"))
        if (whole.get("format"), whole.get("version")) != (_FORMAT, _VERSION):
            message = f'it lacks the lines format = "{_FORMAT}" and version = {_VERSION}'
            raise ValueError(message)  # noqa: TRY301 - the one place that words what is wrong
        return CapacityProfile(_numbers(whole, "peak"), _numbers(whole, "spares"))
    except (OSError, ValueError, RecursionError) as error:
        is_there = not isinstance(error, FileNotFoundError)
        advice = "; mend it, or delete it and record it again" if is_there else ""
        raise ProfileError(_about(path, "read", error) + advice) from error


def _numbers(whole: dict[str, Any], what: str) -> _Needs:
    """Return one number of each pool, by scene; of spares only those that aren't 0."""
    found: dict[str, dict[str, int]] = {}
    try:
        for scene, about in whole.get("scenes", {}).items():
            for name, needs in about.get("pools", {}).items():
                number = needs.get(what, 0 if what == "spares" else None)
                if type(number) is not int or not 0 <= number <= _MOST:
                    # Don't show it: Python refuses to write numbers of thousands of digits.
                    place = f"scenes.{scene}.pools.{name}.{what}"
                    message = f"{place} must be a whole number from 0 to {_MOST:,}"
                    raise ValueError(message)
                if number or what == "peak":
                    found.setdefault(scene, {})[name] = number
            if what == "peak":
                found.setdefault(scene, {})
    except AttributeError as error:
        message = "it must have tables [scenes.NAME.pools], with lines as orc = { peak = 7 }"
        raise ValueError(message) from error
    return found


def write_profile(path: str | os.PathLike[str], profile: CapacityProfile) -> None:
    """Replace the file by a profile, whole or not at all; it keeps its mode."""
    parts = [_HEAD]  # in a fixed order, so that version control shows what changed
    for scene, peaks in sorted(profile.scenes.items()):
        parts.append(f"\n[scenes.{_key(scene)}.pools]\n")
        for pool, peak in sorted(peaks.items()):
            spares = profile.spares.get(scene, {}).get(pool)
            more = f", spares = {spares}" if spares else ""
            parts.append(f"{_key(pool)} = {{ peak = {peak}{more} }}\n")
    try:
        target = Path(os.path.realpath(path))  # a symbolic link stays one
        target.parent.mkdir(parents=True, exist_ok=True)
        # A name that nobody can guess, and "x": nothing is written through a link.
        draft = target.with_name(f".{secrets.token_hex(8)}.draft")
        try:
            with draft.open("x", newline="\n", **_ENCODING) as file:
                file.writelines(parts)
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)  # noqa: PTH105 - which tests make fail
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise ProfileError(_about(path, "written", error)) from error


def _key(name: str) -> str:
    quoted = json.dumps(name, ensure_ascii=False).replace("\x7f", r"\u007f")
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else quoted


def _about(path: str | os.PathLike[str], done: str, error: Exception) -> str:
    is_deep = isinstance(error, RecursionError)  # which says this or that
    why = "it is nested too deeply" if is_deep else getattr(error, "strerror", None) or error
    return f"the capacity profile {os.fspath(path)} can't be {done}: {why}"


# -- recording ------------------------------------------------------------------------------------


def record_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
) -> ProfileRecorder:
    """Keep what the pools of `system` need from now on in the profile at `path`.

    Needs are merged into the file whenever a scene ends, and when the process does. A file that
    can't be used is left alone: the log `poolkit` says so, and the game goes on.

    Args:
        path: The file, made when the first scene ends.
        system: The system to watch.
        scene: What to call the scenes; default: as the scene manager calls them, or ``"main"``.

    Returns:
        The recorder, to stop it with.
    """
    _check(system, scene, "record_profile()")
    return ProfileRecorder(Path(path), scene, system)


def _check(system: PoolingSystem, scene: str | None, tool: str) -> None:
    checked_system(system, tool)
    if not (scene is None or isinstance(scene, str)):
        message = f"{tool} takes the name of a scene, as 'cave', not {scene!r}"
        raise TypeError(message)


@dataclass(eq=False)
class ProfileRecorder(TimeWatcher):
    """Watches the pools of one system; see `record_profile`.

    Attributes:
        path: The file.
        scene: What the present scene is called; `None`: as the scene manager says.
        error: Why nothing could be kept, the last time; empty where all is well.
    """

    path: Path
    scene: str | None
    _system: PoolingSystem = field(repr=False)
    error: str = field(init=False, default="")

    def __post_init__(self) -> None:
        """Begin to watch."""
        context_of(self._system).time_watchers.append(self)
        atexit.register(self.stop)

    def stop(self) -> None:
        """Keep what the present scene has needed so far, and stop watching."""
        watchers = context_of(self._system).time_watchers
        if self in watchers:
            watchers.remove(self)
            atexit.unregister(self.stop)
            self._keep(self._system.report())

    def scene_ended(self, report: SceneReport) -> None:
        """Keep what the scene needed."""
        self._keep(report)
        if context_of(self._system).closed:
            self.stop()

    def _keep(self, report: SceneReport) -> None:
        used = [pool for pool in report if pool.stats.spawned]  # the others say nothing
        peaks = {pool.name: pool.most_used - pool._spares for pool in used}
        spares = {pool.name: pool._spares for pool in used if pool._spares}
        if not used:
            return
        try:
            is_there = os.path.exists(self.path)  # noqa: PTH110 - no error for impossible names
            known = read_profile(self.path) if is_there else CapacityProfile()
            scene = self.scene or report.scene
            needs = CapacityProfile({scene: peaks}, {scene: spares} if spares else {})
            write_profile(self.path, known | needs)
            self.error = ""
        except ProfileError as error:
            self.error = str(error)
            _log.error("nothing is recorded: %s", error)


# -- applying -------------------------------------------------------------------------------------


def apply_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
    margin: float = 0.1,
) -> AppliedProfile:
    """Let the pools of `system` prespawn what the profile at `path` says, and a margin.

    At once for the present scene, and whenever a scene manager loads one. A prefab is known by its
    name; one that the system doesn't know yet is prespawned at its first use. All other settings
    stay the game's. Another profile for the same system replaces this one.

    A file that is missing or broken changes nothing: the log `poolkit` and the answer say so, and
    the game starts. `read_profile` raises instead.

    Args:
        path: The file.
        system: The system whose pools are sized.
        scene: Size them for this scene: for games without a scene manager, which apply the profile
            when they load the scene. Default: as the scene manager says.
        margin: The share of each peak to prespawn besides, rounded to whole instances.

    Raises:
        ValueError: `margin` is negative, or not a number.
    """
    _check(system, scene, "apply_profile()")
    if not (isinstance(margin, int | float) and 0 <= margin < float("inf")):
        message = f"margin must be a share of 0 or more, as 0.1 for a tenth, not {margin!r}"
        raise ValueError(message)
    for watcher in list(context_of(system).time_watchers):
        if isinstance(watcher, AppliedProfile):
            watcher.stop()
    try:
        profile, error = read_profile(path), ""
    except ProfileError as refused:
        profile, error = CapacityProfile(), str(refused)
        # Before the first recording it isn't there, and that's fine.
        is_missing = isinstance(refused.__cause__, FileNotFoundError)
        level = logging.INFO if is_missing else logging.ERROR
        _log.log(level, "no capacity profile is applied: %s", error)
    return AppliedProfile(Path(path), profile, margin, error, system, scene)


@dataclass(eq=False)
class AppliedProfile(TimeWatcher):
    """A profile in force; see `apply_profile`.

    Attributes:
        path: Its file.
        profile: What the file says; empty where it can't be used.
        margin: The share of each peak that is prespawned besides.
        error: Why the file can't be used; empty where it can.
    """

    path: Path
    profile: CapacityProfile = field(repr=False)
    margin: float
    error: str
    _system: PoolingSystem = field(repr=False)
    _scene: str | None = field(repr=False)

    def __post_init__(self) -> None:
        """Put it in force, if it can be used."""
        if self.ok:
            context_of(self._system).time_watchers.append(self)
            for prefab, count in self.scene_beginning().items():
                self._system.prespawn(prefab, count)

    @property
    def ok(self) -> bool:
        """Whether the file could be used."""
        return not self.error

    def counts(self, scene: str | None = None) -> dict[str, int]:
        """Return how many instances of each prefab are prespawned in a scene, margin included.

        Args:
            scene: The scene's name; default: the present one.
        """
        return self.profile.counts(self._present if scene is None else scene, self.margin)

    @property
    def _present(self) -> str:
        return self._scene or context_of(self._system).scene

    def stop(self) -> None:
        """Let pools prespawn what their prefabs say again. What was made stays."""
        watchers = context_of(self._system).time_watchers
        if self in watchers:
            watchers.remove(self)
            self._size_all({})

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Size a pool before it makes anything."""
        self._size(pool, self.counts())

    def crowd_begun(self, crowd: Crowd) -> None:
        """Let a swarm have room for its lives beforehand."""
        crowd._reserve(self.counts().get(crowd.name, 0))

    def scene_beginning(self) -> Mapping[Any, int]:
        """Size all pools for the scene; return what its loading screen makes."""
        _log.info("%s", self)
        counts = self.counts()
        self._size_all(counts)
        sized = self._system.all_pools()
        return {pool.prefab: pool._beforehand for pool in sized if pool.name in counts}

    def __str__(self) -> str:
        """Return which file it is, and what it says for the scene, with the margin."""
        if self.error:
            return f"no capacity profile: {self.error}"
        counts = ", ".join(f"{name} {count}" for name, count in self.counts().items())
        return f"{self.path}: {counts or 'nothing for this scene'} (margin {self.margin:.0%})"

    def _size_all(self, counts: Mapping[str, int]) -> None:
        """Size all pools, those included that a reset forgot."""
        system = self._system
        names = set().union(*self.profile.scenes.values())
        for prefab in filter(None, map(context_of(system).registry.prefabs.get, sorted(names))):
            context_of(system).registry.pool_of(prefab)
        for pool in system.all_pools():
            self._size(pool, counts)
        for crowd in context_of(system).crowds.values():
            crowd._reserve(counts.get(crowd.name, 0))

    def _size(self, pool: PrefabPool[Any], counts: Mapping[str, int]) -> None:
        """Let a pool prespawn what the scene needs, or what its prefab says."""
        settings = pool.settings
        limits = [most for most in (settings.limit, settings.max_idle) if most is not None]
        count = counts.get(pool.name, pool.prefab.settings.prespawn)
        wanted = replace(settings, prespawn=min([count, *limits]))
        if wanted != settings:
            pool.settings = wanted
        pool._expect_spares(self.profile.spares.get(self._present, {}).get(pool.name, 0))
