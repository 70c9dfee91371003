"""Capacity profiles: what pools needed in play, kept in a file, and prespawned at the next start.

The file is TOML, for people to read, edit and commit.
"""

from __future__ import annotations

import atexit
import difflib
import json
import logging
import os
import re
import shutil
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from poolkit.core import PoolError, PoolingSystem, pools
from poolkit.core.context import TimeWatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from poolkit.core import PoolSettings, PrefabPool, SceneReport

__all__ = [
    "AppliedProfile",
    "CapacityProfile",
    "Need",
    "ProfileError",
    "ProfileRecorder",
    "SceneNeeds",
    "apply_profile",
    "merge_profiles",
    "read_profile",
    "record_profile",
]

_FORMAT = "poolkit capacity profile"
_VERSION = 1
_MOST_INSTANCES = 1_000_000  # beyond it is a slip of the pen, and would take all memory
_MOST = 1_000_000_000_000  # runs or seconds
_HEAD = f"""\
# What pools really needed, scene by scene: recorded by poolkit.devtools.record_profile.
# Read it, edit it, commit it: apply_profile prespawns each peak, and a margin.
#   peak  the most instances in use at once
# A later recording raises these numbers where it needs more. It keeps no comments.
format = "{_FORMAT}"
version = {_VERSION}
"""

_log = logging.getLogger("poolkit")


class ProfileError(PoolError):
    """A file is no capacity profile, or can't be read or written. The message names it."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one pool needed in one scene.

    Attributes:
        peak: The most instances that were in use at once.
    """

    peak: int


@dataclass(frozen=True, slots=True)
class SceneNeeds:
    """What the pools of one scene needed.

    Attributes:
        pools: By the prefab's name.
        runs: How often the scene was played.
        seconds: For how long in all.
    """

    pools: Mapping[str, Need]
    runs: int = 0
    seconds: float = 0.0

    def __or__(self, other: SceneNeeds) -> SceneNeeds:
        """Return what is enough for both."""
        needs = dict(self.pools)
        for name, need in other.pools.items():
            needs[name] = Need(max(need.peak, needs.get(name, need).peak))
        return SceneNeeds(needs, self.runs + other.runs, self.seconds + other.seconds)


@dataclass(frozen=True, slots=True)
class CapacityProfile:
    """What a game's pools needed in each of its scenes.

    Attributes:
        scenes: By the scene's name; ``"main"`` in a game without scenes.

    Examples:
        >>> short = CapacityProfile({"cave": SceneNeeds({"orc": Need(peak=7)})})
        >>> long = CapacityProfile({"cave": SceneNeeds({"orc": Need(peak=30)})})
        >>> (short | long).counts("cave", margin=0.1)
        {'orc': 33}
    """

    scenes: Mapping[str, SceneNeeds] = field(default_factory=dict)

    def __or__(self, other: CapacityProfile) -> CapacityProfile:
        """Return what is enough for both."""
        scenes = dict(self.scenes)
        for name, needs in other.scenes.items():
            scenes[name] = scenes[name] | needs if name in scenes else needs
        return CapacityProfile(scenes)

    def counts(self, scene: str, margin: float) -> dict[str, int]:
        """Return how many to prespawn of each prefab: its peak and that share of it more.

        Rounded to the nearest, so that one player stays one.
        """
        needs = self.scenes.get(_writable(scene), SceneNeeds({})).pools
        return {name: int(need.peak * (1 + margin) + 0.5) for name, need in needs.items()}

    def __repr__(self) -> str:
        """Return ``<CapacityProfile(num_scenes=2, num_pools=9)>``."""
        count = sum(len(needs.pools) for needs in self.scenes.values())
        return f"<CapacityProfile(num_scenes={len(self.scenes)}, num_pools={count})>"


# -- files ----------------------------------------------------------------------------------------


def read_profile(path: str | os.PathLike[str]) -> CapacityProfile:
    """Read a capacity profile.

    Raises:
        ProfileError: The file is missing, or is none. The message names it, and what is wrong.
    """
    source = os.fspath(path)
    try:
        found = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"{source} is no capacity profile, for it is no text: {error.reason}"
        raise ProfileError(message) from None
    except tomllib.TOMLDecodeError as error:
        message = f"{source} is no TOML: {error}; mend it, or delete it and record it anew"
        raise ProfileError(message) from None
    except RecursionError:
        message = f"{source} is no capacity profile: it is nested too deeply; delete it"
        raise ProfileError(message) from None
    except (OSError, ValueError) as error:  # ValueError: what no file can be called, or no number
        raise ProfileError(_about(path, "read", error)) from error
    if found.get("format") != _FORMAT:
        message = (
            f'{source} is no capacity profile, for it lacks the line format = "{_FORMAT}": '
            "name another file, or record one with record_profile"
        )
        raise ProfileError(message)
    version = found.get("version")
    if type(version) is not int or version != _VERSION:
        message = f"{source} is not of version {_VERSION}, which this poolkit reads: record it anew"
        raise ProfileError(message)
    whole = _Table(source, found, "")
    whole.check_known({"format", "version", "scenes"})
    return CapacityProfile({name: _scene_of(scene) for name, scene in whole.tables("scenes")})


def merge_profiles(
    paths: Iterable[str | os.PathLike[str]],
    into: str | os.PathLike[str] | None = None,
) -> CapacityProfile:
    """Return a profile that is enough for all of several, such as those of several players.

    Args:
        paths: The files.
        into: Where to write it as well; a profile that is there is replaced.

    Raises:
        ProfileError: One of the files is no profile, or `into` is something else.
        TypeError: `paths` is a single path.
    """
    if isinstance(paths, str | os.PathLike):
        message = f"merge_profiles takes several files in a list, not {paths!r} alone"
        raise TypeError(message)
    merged = CapacityProfile()
    for path in paths:
        merged |= read_profile(path)
    if into is not None:
        _read_or_begin(into)  # refuses to replace what is none
        write_profile(into, merged)
    return merged


def write_profile(path: str | os.PathLike[str], profile: CapacityProfile) -> None:
    """Replace what is at `path` by a profile, whole or not at all; its mode stays.

    Raises:
        ProfileError: It can't be written.
    """
    try:
        target = Path(os.path.realpath(path))  # a symbolic link goes on leading there
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            draft.write_text(as_toml(profile), encoding="utf-8", newline="\n")
            if target.exists():
                shutil.copymode(target, draft)
            os.replace(draft, target)  # noqa: PTH105 - which tests make fail
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise ProfileError(_about(path, "written", error)) from error


def as_toml(profile: CapacityProfile) -> str:
    """Return a profile as TOML, in a fixed order, so that version control shows what changed."""
    parts = [_HEAD]
    for name, needs in sorted(profile.scenes.items()):
        scene = f"scenes.{_key(name)}"
        parts.append(f"[{scene}]\nruns = {needs.runs}\nseconds = {round(needs.seconds, 1)}\n")
        peaks = sorted((_key(pool), need.peak) for pool, need in needs.pools.items())
        lines = [f"{pool} = {{ peak = {peak} }}\n" for pool, peak in peaks]
        parts.append("".join([f"[{scene}.pools]\n", *lines]))
    return "\n".join(parts)


def _key(name: str) -> str:
    if re.fullmatch("[A-Za-z0-9_-]+", name):
        return name
    return json.dumps(_writable(name), ensure_ascii=False).replace("\x7f", r"\u007f")


def _writable(name: str) -> str:
    """Return a name as files have it: half letters, which none can hold, as their numbers."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _read_or_begin(path: str | os.PathLike[str]) -> CapacityProfile:
    """Read a capacity profile; an empty one, where there is no file yet."""
    try:
        return read_profile(path)
    except ProfileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return CapacityProfile()
        raise


def _about(path: str | os.PathLike[str], done: str, error: OSError | ValueError) -> str:
    why = getattr(error, "strerror", None) or str(error)
    return f"the capacity profile {os.fspath(path)} can't be {done}: {why}"


class _Table:
    """A table of the file, whose values are looked at twice, and named where they are wrong."""

    def __init__(self, source: str, values: dict[str, Any], path: str) -> None:
        self._source = source
        self._values = values
        self._path = path

    def check_known(self, names: Collection[str]) -> None:
        for name in self._values.keys() - names:
            close = difflib.get_close_matches(name, names, n=1)
            known = f"known are {', '.join(sorted(names))}"
            self._refuse(name, f"is not known: {f'did you mean {close[0]}?' if close else known}")

    def tables(self, name: str) -> list[tuple[str, _Table]]:
        """Return the tables in the table of that name, if there is one."""
        found = self._table(name) if name in self._values else _Table("", {}, "")
        return [(each, found._table(each)) for each in found._values]

    def _table(self, name: str) -> _Table:
        found = self._values[name]
        if not isinstance(found, dict):
            self._refuse(name, "must be a table")
        return _Table(self._source, found, f"{self._path}{name}.")

    def number(self, name: str, most: int, default: Any = None, kind: Any = int) -> Any:
        found = self._values.get(name, default)
        if found is None:
            self._refuse(name, "is missing: write how many instances are needed")
        # Not what it is instead: Python refuses to write numbers of thousands of digits.
        if type(found) not in {int, kind} or not 0 <= found <= most:
            whole = "whole " if kind is int else ""
            self._refuse(name, f"must be a {whole}number from 0 to {most:,}")
        return found

    def _refuse(self, name: str, what: str) -> NoReturn:
        message = f"{self._source}: {self._path}{name} {what}"
        raise ProfileError(message)


def _scene_of(table: _Table) -> SceneNeeds:
    table.check_known({"runs", "seconds", "pools"})
    needs = {}
    for name, pool in table.tables("pools"):
        pool.check_known({"peak", "peak_rate"})  # which earlier versions wrote
        needs[name] = Need(pool.number("peak", _MOST_INSTANCES))
    runs, seconds = table.number("runs", _MOST, 0), table.number("seconds", _MOST, 0.0, float)
    return SceneNeeds(needs, runs, float(seconds))


# -- recording ------------------------------------------------------------------------------------


def record_profile(
    path: str | os.PathLike[str],
    system: PoolingSystem = pools,
    *,
    scene: str | None = None,
) -> ProfileRecorder:
    """Keep what the pools of `system` need from now on in the profile at `path`.

    Whenever a scene ends, and when the process does, its needs are merged into the file, so that
    many runs add up. A file that can't be used is left alone: that is said in the log `poolkit`,
    and the game goes on.

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
        self._in_use: dict[str, int] = {}
        try:
            _read_or_begin(self.path)
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
        """Count those as in use, too, that only the coming update makes reusable."""
        del dt
        for pool in self._system.all_pools():
            in_use = pool.capacity - len(pool._inactive)
            if in_use > self._in_use.get(pool.name, 0):
                self._in_use[pool.name] = in_use

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

    def _forget(self) -> None:
        self._system._context.unwatch_time(self)
        atexit.unregister(self.stop)

    def _keep(self, report: SceneReport) -> None:
        in_use, self._in_use = self._in_use, {}
        peaks: dict[str, int] = {}
        for pool in report:
            if pool.stats.spawned:  # what was not used at all says nothing
                name = _writable(pool.name)
                peak = max(pool.stats.peak_active, in_use.get(pool.name, 0))
                peaks[name] = max(peak, peaks.get(name, 0))
        if not peaks:
            return
        scene = _writable(report.scene if self.scene is None else self.scene)
        needs = {name: Need(peak) for name, peak in peaks.items()}
        played = CapacityProfile({scene: SceneNeeds(needs, 1, report.seconds)})
        try:
            write_profile(self.path, _read_or_begin(self.path) | played)
        except ProfileError as error:
            self._complain(error)
        else:
            self.error = ""

    def _complain(self, error: ProfileError) -> None:
        self.error = str(error)
        _log.error("nothing is recorded: %s", error)


# -- applying -------------------------------------------------------------------------------------


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
        margin: The share of each peak that is prespawned besides, rounded to whole instances: a
            tenth of one player is none.
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
        # By the pool's name (the pool itself is to be freed with its scene): what it had before,
        # and what it was given, for the game may change it meanwhile.
        self._given: dict[str, tuple[PoolSettings, PoolSettings]] = {}
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
        self._size(self._pools())
        self._make()

    def stop(self) -> None:
        """Give the pools their own settings back. What was made stays."""
        if self in self._system._context.time_watchers:
            self._system._context.unwatch_time(self)
            for pool in self._pools():
                self._assign(pool, self._own(pool))
            self._given.clear()

    def pool_begun(self, pool: PrefabPool[Any]) -> None:
        """Size a pool that is used for the first time, before it makes anything."""
        self._size((pool,))

    def scene_beginning(self, name: str) -> Mapping[Any, int]:
        """Size all pools for the scene, and have the loading screen make what it needs."""
        del name  # the system calls it so by now
        self._is_due = False
        known = self._size(self._pools())
        _log.info("%s", self)
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

    def _pools(self) -> tuple[PrefabPool[Any], ...]:
        """Return all pools, those included that a reset forgot and the profile has a say in."""
        system = self._system
        for name in (*self.counts(), *self._given):
            prefab = system._registry.named(name)
            if prefab is not None:
                system._pool_of(prefab)
        return system.all_pools()

    def _own(self, pool: PrefabPool[Any]) -> PoolSettings:
        """Return the settings that the game wants a pool to have."""
        before, given = self._given.get(pool.name, (None, None))
        return pool.settings if before is None or pool.settings != given else before

    def _size(self, every: Iterable[PrefabPool[Any]]) -> list[PrefabPool[Any]]:
        """Give pools the sizes that the scene needs; return those that the profile knows."""
        counts = self.counts()
        known = []
        for pool in every:
            own = wanted = self._own(pool)
            count = counts.get(_writable(pool.name))
            if count is not None:
                known.append(pool)
                wanted = replace(
                    own, prespawn=min(count, count if own.limit is None else own.limit)
                )
                self._given[pool.name] = own, wanted
            self._assign(pool, wanted)
        return known

    @staticmethod
    def _assign(pool: PrefabPool[Any], settings: PoolSettings) -> None:
        if settings != pool.settings:
            pool.settings = settings

    def _make(self) -> None:
        counts = self.counts()
        for pool in self._pools():
            if _writable(pool.name) in counts:
                self._system.prespawn(pool.prefab)
        _log.info("%s", self)
