"""The audit: what of one life is still there in the next?"""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
from typing import TYPE_CHECKING, Any

from poolkit.core.clock import checked_seconds
from poolkit.core.errors import PoolError
from poolkit.core.hooks import BUILT_IN_DATA
from poolkit.core.settings import PoolSettings
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.audit.body_access import reading_of_callbacks
from poolkit.devtools.audit.cached import Caches
from poolkit.devtools.audit.comparing import compare
from poolkit.devtools.audit.explaining import explained
from poolkit.devtools.audit.leftovers import (
    Before,
    leak_of_an_ungrouped_life,
    leaks_after,
    leaks_of_timers,
)
from poolkit.devtools.audit.playing import play
from poolkit.devtools.audit.reading import Surroundings
from poolkit.devtools.audit.report import AuditReport, Leak
from poolkit.devtools.audit.setting_aside import SetAside
from poolkit.devtools.audit.snapshot import DEEPEST, MOST, Snapshot, take_snapshot
from poolkit.devtools.audit.writes import WriteRecorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from poolkit.core.prefab import AnyPrefab
    from poolkit.core.pool import Pool
    from poolkit.core.record import PoolablePrefabData

__all__ = ["audit"]

# Fresh ones that are built where something differs, to see whether it differs by chance.
_MORE_FRESH_ONES = 8
_AT_LEAST = 2
_ENOUGH_VALUES = 40_000


def audit(
    prefab: AnyPrefab,
    live: Callable[[Any], object] | None = None,
    *,
    system: PoolingSystem | None = None,
    data: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
    seconds: float = 3.0,
    ignore: str | Iterable[str] = (),
) -> AuditReport:
    """Let an instance live twice, and tell what of its first life is left in the second.

    A new instance is spawned, and everything that can be reached from it is recorded: attributes,
    slots, components, children, bodies, pictures by their pixels, containers with all that is in
    them (a thousand entries each, twenty thousand values in all). It lives, is despawned, and
    spawned again in the same way. What differs then is a leak, unless other new instances differ
    in it too: numbers, counters, random starting values, the time. Values are compared by what
    they mean; no property is called, and no `__eq__` of the game's own.

    While this goes on, the game's pools, physics worlds, and the prefab's groups are set aside:
    hooks find them under their names, but empty, and the game finds them afterwards as they were.
    What else hooks and `live` do, they do: to modules, files, the mixer.

    A class declares what it keeps from life to life as ``audit_ignore``: names of attributes, or
    paths from there on, with the wildcards of `fnmatch` (``("best_score", "stats.*")``).

    Args:
        prefab: A `Prefab`, a class or function, or a registered name.
        live: Lets the instance, its one argument, live; it may end its life. Default: so many
            `seconds` of updates at 60 a second, of the system, the instance, and the physics;
            where it has a `handle_event`, with keys and mouse buttons pressed by chance. The
            more that happens in that life, the more is found: let it be hit, scared and promoted.
        system: Whose names are meant, and what spawns the instance; default: `pools`.
        data: What every spawn is given: data for the `spawned` hooks, position, rotation, parent,
            groups. Or a function that returns it, called once, when the game is set aside: it may
            spawn the parent.
        seconds: How long the default life lasts.
        ignore: More names or paths, from the instance on, that are not looked at.

    Returns:
        A report that is true if nothing was found, and reads as text.

    Raises:
        PoolError: It is called inside a hook or a physics step; or the instance ends its own life
            in `spawned`, or leaves its pool while it lives.
        PrefabError: `prefab` is none.
        TypeError: A hook requires data that is not given; an `audit_ignore` is no names.
        BaseException: What the instance raised while it was built, spawned, lived, or was
            despawned, with a note that says what was being done. Nothing is left behind.

    Examples:
        >>> from poolkit import IPoolableComponent
        >>> class Orc(IPoolableComponent):
        ...     health = 30
        >>> def fight(orc):
        ...     orc.health -= 18
        >>> bool(audit(Orc)), bool(audit(Orc, fight))
        (True, False)
    """
    checked_seconds(seconds, "audit(seconds=)")
    if live is not None and not callable(live):
        message = f"live must be a function that takes the instance, not {live!r}"
        raise TypeError(message)
    target = pools if system is None else system
    patterns = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    with SetAside(target) as aside:
        return _Audit(prefab, target, aside, data).run(live, seconds, patterns)


class _Audit:
    """One audit, in a game that is set aside."""

    def __init__(
        self,
        prefab: AnyPrefab,
        system: PoolingSystem,
        aside: SetAside,
        data: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None,
    ) -> None:
        """Prepare to spawn `prefab` in `system`."""
        found = system._catalogue.resolve(prefab)
        if not found.pooling:  # what it would leak if it were pooled
            name = found.name
            system._catalogue._by_name.pop(name, None)
            found = found.variant(pooling=True, name=name)
        self.prefab = found
        self.name = found.name
        self.system = system
        self.aside = aside
        # None beforehand, whatever its settings say, nor is it ever in the way of the others.
        system.assign_settings(found, PoolSettings())
        self.pool: Pool[Any] = system.pool(found)
        with self._doing("asking for its groups"):
            aside.groups((*self.pool.groups, *self.pool.groups_now()))
        with self._doing("asking for the data of its spawns"):
            self.data = dict(data() if callable(data) else data or {})
        self.spared = aside.lives()

    def run(
        self,
        live: Callable[[Any], object] | None,
        seconds: float,
        ignore: tuple[str, ...],
    ) -> AuditReport:
        """Let instances live, and compare them."""
        other = self._fresh_one(1)
        data = self._built(2)
        before = Before.look(data, self.aside)
        self._spawn(data, 3, "its first spawn")
        fresh = self._look(data)
        leaks: list[Leak] = []
        notes: tuple[str, ...] = ()
        owners = [node.source for node in fresh.nodes.values() if node.reading.has_attributes]
        with WriteRecorder(owners) as writes:
            with self._doing("its life"):
                if live is not None:
                    live(data.instance)
                else:
                    notes = play(data, self.aside.systems, self.aside.worlds, seconds)
            ungrouped = leak_of_an_ungrouped_life(data)
            if ungrouped is not None:
                leaks.append(ungrouped)
            writes.phase = "despawn"
            with self._doing("its despawn"):
                if data.active:
                    self.pool._end(data)
                leaks += leaks_of_timers(data, self.aside, before)  # of lives that it began, too
                self.aside.end_lives(self.spared)
                self._let_cool(data)
            if data.detached or data.destroyed:
                message = (
                    f"{self.name} left its pool while it lived: it was detached or destroyed, "
                    "so there is no second life to look at"
                )
                raise PoolError(message)
            leaks += leaks_after(data, self.aside, before, (self._look(data), other))
            writes.phase = "respawn"
            self.pool._inactive.remove(data)  # others may have been despawned before it
            self.pool._inactive.appendleft(data)
            self._spawn(data, 3, "its second spawn")
        respawned = self._look(data)
        found = compare(self.name, fresh, respawned, [other], ignore)
        if found.differences:
            caches = Caches(found.differences, Surroundings(data, self._find))
            self._clear()
            more = min(_MORE_FRESH_ONES, max(_AT_LEAST, _ENOUGH_VALUES // fresh.size))
            others = [other, *map(self._fresh_one, range(4, 4 + more))]
            found = compare(self.name, fresh, respawned, others, ignore)
            found = found._replace(differences=caches.judged(found.differences))
        kinds = {type(owner) for owner in owners}
        kinds |= {
            type(node.source) for node in respawned.nodes.values() if node.reading.has_attributes
        }
        leaks = [explained(each, writes, kinds) for each in found.differences] + leaks
        if fresh.is_cut or respawned.is_cut:
            notes += (f"it holds more than {MOST:,} values, or some {DEEPEST} steps away",)
        return AuditReport(self.name, _told_once(leaks, ignore, self.name), found.values, notes)

    def _fresh_one(self, seed: int) -> Snapshot:
        """Return another instance as it is at the start of its first life, which is ended."""
        data = self._built(seed)
        self._spawn(data, seed, "the first spawn of another one")
        snapshot = self._look(data)
        self._clear()
        return snapshot

    def _built(self, seed: int) -> PoolablePrefabData[Any]:
        with self._doing("being built"):
            self._throw(seed)
            self.pool.increase_capacity(1)
        data = self.pool._inactive[-1]
        self.aside.groups(_home_groups(data))
        return data

    def _spawn(self, data: PoolablePrefabData[Any], seed: int, what: str) -> None:
        """Begin a life, with the same dice each time."""
        missing = dict.fromkeys(_required_by(data) - set(self.data), ...)
        hint = f"audit(..., data={missing!r}) gives it".replace("Ellipsis", "...")
        with self._doing(what, hint if missing else ""):
            self._throw(seed)
            self.system.spawn(self.prefab, **self.data)
        if not data.active:
            message = (
                f"{self.name} ended its own life in {what}: there is nothing to compare; "
                "pass what it needs to live as data="
            )
            raise PoolError(message)

    def _look(self, data: PoolablePrefabData[Any]) -> Snapshot:
        around = Surroundings(data, self._find)
        return take_snapshot(data.instance, around, reading_of_callbacks(self.aside.worlds))

    def _find(self, value: object) -> PoolablePrefabData[Any] | None:
        """Return the record of any instance, of the game's own pools as well."""
        try:
            record = object.__getattribute__(value, "_pool_data")
        except AttributeError:
            record = self.system._context._managed.get(id(value))
        return record if hasattr(type(record), "generation") else None

    def _let_cool(self, data: PoolablePrefabData[Any]) -> None:
        """Update the systems where a life has told them to reuse nothing before that."""
        if data not in self.pool._inactive:
            for system in self.aside.systems:
                system.update(0.0)

    def _clear(self) -> None:
        with self._doing("being destroyed"):
            self.pool.clear()
            self.aside.end_lives(self.spared)

    def _throw(self, seed: int) -> None:
        """Let the dice fall as they always do after `seed`."""
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None and hasattr(numpy, "random"):
            numpy.random.seed(seed)

    @contextlib.contextmanager
    def _doing(self, what: str, hint: str = "") -> Iterator[None]:
        """Say in a note what was being done when something was raised."""
        try:
            yield
        except BaseException as error:
            error.add_note(f"while auditing {self.name}: in {what}")
            if hint:
                error.add_note(hint)
            raise


def _home_groups(data: PoolablePrefabData[Any]) -> tuple[Any, ...]:
    """Return the groups that an instance and its parts join at each spawn."""
    memberships = (*getattr(data, "_homes", ()), *_of_a_plain_sprite(data))
    return tuple(group for membership in memberships for group in membership.groups)


def _of_a_plain_sprite(data: PoolablePrefabData[Any]) -> tuple[Any, ...]:
    return (data._membership,) if hasattr(data, "_membership") else ()


def _required_by(data: PoolablePrefabData[Any]) -> set[str]:
    """Return the names of the data that the hooks of an instance can't do without."""
    return {
        parameter.name
        for part in data.parts()
        for parameter in inspect.signature(part.spawned).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
        and parameter.name not in BUILT_IN_DATA
    }


def _told_once(leaks: list[Leak], ignore: tuple[str, ...], name: str) -> tuple[Leak, ...]:
    """Drop what was asked not to be told, and what is told twice."""
    found: dict[tuple[str, str], Leak] = {}
    for leak in leaks:
        if leak.path.removeprefix(f"{name}.") not in ignore:
            found.setdefault((leak.path, repr(leak.respawned)), leak)
    return tuple(found.values())
