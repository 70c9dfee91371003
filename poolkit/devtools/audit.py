"""The audit: finds what one life leaves to the next, by playing and by reading."""

from __future__ import annotations

import contextlib
import random
import re
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.clock import checked_seconds
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.seams import context_of, home_groups_of
from poolkit.core.states import State
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools import leftovers
from poolkit.devtools.code import Place, is_class_of_the_game, is_of_the_game, kind_of
from poolkit.devtools.differences import Difference, Kind, find_differences
from poolkit.devtools.heap import is_held_by_the_game, methods_of, whole_heap, with_dicts
from poolkit.devtools.methods import Event, model_of
from poolkit.devtools.recorder import Recording, recorded
from poolkit.devtools.trial import Trial, checked_system
from poolkit.devtools.unplayed import BODY_MOTION, UnplayedLeak, unplayed_leaks, unread_classes
from poolkit.devtools.values import MISSING, Described, Snapshot, changeable_values, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.record import Record
    from poolkit.core.system import AnyPrefab
    from poolkit.devtools.trial import SpawnData

    _Record = Record[Any]

# -- the report -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Leak:
    """Something that one life leaves to the next.

    Attributes:
        path: Where: ``orc.health.current``.
        fresh: What a fresh instance has there: a plain value, or words for it.
        respawned: What an instance has there that lived before.
        kind: ``"changed"``; ``"grown"``: a container with more in it; ``"new"`` and
            ``"missing"``: an attribute; ``"component"``: one that came late, or was taken off;
            ``"shared"``: one thing that several instances have, and one of them changed;
            ``"group"``: alive in no group, or in a group after the life; ``"timer"``,
            ``"subscription"``, ``"space"`` and ``"reference"``: what outlives the life.
        where: Where it was last written, if known: ``Health.hit (monsters.py:41)``.
        verb: What was done there: ``"set in"``, ``"changed in"`` (in place), ``"calls"``.
        reason: The last part of the message: where it comes from, or what to do.
    """

    path: str
    fresh: object
    respawned: object
    kind: Kind
    where: str | None = None
    verb: str = "set in"
    reason: str = "never reset in spawned or despawned"

    def __str__(self) -> str:
        """Return ``orc.hp: fresh 30, respawned 12: set in Orc.hit (monsters.py:41), never ...``."""
        place = f"{self.verb} {self.where}, " if self.where else ""
        values = f"fresh {self.fresh!r}, respawned {self.respawned!r}"
        return f"{self.path}: {values}: {place}{self.reason}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self.path}, {self.kind})>"


@dataclass(frozen=True, slots=True, repr=False)
class AuditReport:
    """The outcome of an audit: true if it is clean.

    Attributes:
        name: The name of the prefab.
        leaks: What was found by playing, the nearest to the instance first.
        values: How many values of the instance were compared.
        notes: What the audit could not look at, and why.
        unplayed: What methods that didn't run would leave behind, found by reading them.

    Examples:
        >>> print(AuditReport("orc", (), 143))
        orc: clean (143 values compared)
    """

    name: str
    leaks: tuple[Leak, ...]
    values: int
    notes: tuple[str, ...] = ()
    unplayed: tuple[UnplayedLeak, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found, neither by playing nor by reading."""
        return not self.leaks and not self.unplayed

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        """Return a headline, and a line for each leak, each finding and each note."""
        headline = f"clean ({self.values} values compared)"
        if self.leaks:
            count = len(self.leaks)
            headline = f"{count} {'leak' if count == 1 else 'leaks'} between lives"
        elif self.unplayed:
            headline = "nothing leaked in the life that was played"
        lines = [f"  {leak}" for leak in self.leaks]
        if self.unplayed:
            lines.append("  not played, but by their source these leak (pass live= to see):")
            lines += [f"    {finding}" for finding in self.unplayed]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join([f"{self.name}: {headline}", *lines])

    def __repr__(self) -> str:
        counts = f"leaks={len(self.leaks)}, values={self.values}"
        counts += f", unplayed={len(self.unplayed)}" if self.unplayed else ""
        return f"<{type(self).__name__}({self.name!r}, {counts})>"


# -- the audit --------------------------------------------------------------------------------

# Where something differs, more fresh instances show whether that is by chance: so many values.
_ENOUGH_VALUES = 40_000
_HOW_TO_GIVE = "spawn data is given by audit(..., data={...}), or by Prefab(..., sample_data={...})"
_NONE = Described("none")


def audit(
    prefab: AnyPrefab,
    live: Callable[[Any], object] | None = None,
    *,
    system: PoolingSystem | None = None,
    data: SpawnData = None,
    seconds: float = 3.0,
    ignore: str | Iterable[str] = (),
) -> AuditReport:
    """Let an instance live twice, and report what of its first life is left in the second.

    Everything that can be reached from a new instance is recorded: attributes, slots, components,
    children, bodies, pictures by their pixels, containers and their entries. It lives, is
    despawned, and is spawned again in the same way. What differs then is a leak, unless it differs
    between new instances too, as numbers, random values and the time do. No property is called,
    and no `__eq__` of the game's. Methods that didn't run are read.

    It plays in the game's own system, in a pool of its own, while nothing is alive there. What
    hooks and `live` do to modules, worlds and files stays done.

    A class declares what it keeps from life to life as ``audit_ignore``: names of attributes, or
    paths from there on, with the wildcards of `fnmatch` (``("best_score", "stats.*")``); or by a
    comment ``# poolkit: kept``, on a line that changes or makes it, or at the head of a method or
    class.

    Args:
        prefab: A `Prefab`, a class or function, or a registered name.
        live: A function that lets the instance live; it may end its life. Default: `seconds` of
            updates at 60 a second, of the system, the instance and the physics. An `update` that
            doesn't take seconds is read instead. The more happens in that life, the more is found:
            let it be hit, scared and promoted.
        system: Where names are looked up and instances spawned; default: `pools`.
        data: What every spawn is given: data for the `spawned` hooks, position, rotation, parent,
            groups. Or a function that returns it, called once, which may spawn the parent. Changes
            of what is handed in are not leaks. Default: the prefab's `sample_data`.
        seconds: How long the default life lasts.
        ignore: More names or paths, from the instance on, that are not looked at.

    Raises:
        PoolError: Something is alive in the system, or it is called inside a hook or a physics
            step; or the instance ends its own life in `spawned`, or leaves its pool.
        PrefabError: `prefab` isn't a prefab.
        TypeError: A hook requires data that is not given; an `audit_ignore` isn't names.
        ValueError: An `ignore` is empty, which would ignore everything.
        BaseException: What the instance raised, with a note that says what was being done. It is
            destroyed.
    """
    checked_seconds(seconds, "audit(seconds=)")
    if live is not None and not callable(live):
        message = f"live must be a function that takes the instance, not {live!r}"
        raise TypeError(message)
    patterns: Any = (ignore,) if isinstance(ignore, str) else ignore
    patterns = tuple(patterns) if isinstance(patterns, Iterable) else (patterns,)
    if not all(isinstance(pattern, str) and pattern.strip() for pattern in patterns):
        message = f"ignore must be names or paths of attributes, as 'health.*', not {ignore!r}"
        raise ValueError(message)
    try:
        system = checked_system(pools if system is None else system, "audit()")
        with _TestBench(prefab, system) as bench:
            bench.ask_for(data)
            return _audited(bench, live, seconds, patterns)
    finally:
        model_of.cache_clear()  # or no class would ever be freed


class _TestBench:
    """Where lives are played: a pool of its own in an idle system, which it leaves as it was.

    Lives may begin in its system, and in the process's own, where a game may go on.
    """

    def __init__(self, prefab: AnyPrefab, system: PoolingSystem) -> None:
        systems = (system,) if system is pools else (system, pools)
        for used in systems:
            context_of(used).refuse_if_busy("audit()")
        counts = ((pool.active_count, pool.name) for pool in system.all_pools())
        alive = ", ".join(f"{count} of {name}" for count, name in counts if count)
        if alive:
            message = (
                f"audit() needs a system in which nothing is alive, and there are {alive}: "
                "call it before the game spawns, after reset(), or give it a system= of its own"
            )
            raise PoolError(message)
        self.system = system
        self._trial = Trial(prefab, *systems)
        self.name = self._trial.name
        self.worlds = leftovers.physics_worlds()
        self._in_spaces = frozenset(leftovers.objects_in_spaces(self.worlds))
        self.doing = ""  # for the note of an error
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Switch to plain pooling without watchers, and remember the state of the dice."""
        self._undo.enter_context(whole_heap())  # the collector is asked who holds what
        self._undo.callback(random.setstate, random.getstate())
        for context in map(context_of, self._trial.systems):
            plain: dict[str, Any] = {"pooling": True, "reuse": "at_once"}
            plain |= {"life_watchers": (), "time_watchers": []}
            self._undo.callback(context.notify_pools)
            changes = [(context, name, value) for name, value in plain.items()]
            # Its time may be too short for an update: don't warn of timers that wait for one.
            for owner, name, value in [*changes, (context.clock, "_has_warned_timers", True)]:
                self._undo.callback(setattr, owner, name, getattr(owner, name))
                setattr(owner, name, value)
            context.notify_pools()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End what was begun, whatever raises."""
        errors = ErrorCollector()
        self._trial.close(errors)
        for world in self.worlds:
            inside = leftovers.objects_in_spaces([world]).items()
            strays = [thing for key, thing in inside if key not in self._in_spaces]
            world.space.remove(*reversed(strays))  # shapes and joints before their bodies
        self._undo.close()
        if error is None:
            errors.raise_all("the audit is over, but hooks raised")
            return
        error.add_note(f"while auditing {self.name}: in {self.doing}")
        if isinstance(error, TypeError) and " spawn" in self.doing:
            error.add_note(_HOW_TO_GIVE)
        for later in errors.errors:
            error.add_note(f"then ending what the audit had begun raised {later!r}")

    # -- lives --------------------------------------------------------------------------------

    def ask_for(self, data: SpawnData) -> None:
        """Ask for the data of its spawns; lives that begin in this last until the end."""
        self.doing = "asking for the data of its spawns"
        self._trial.ask_for_data(self._trial.sample_data if data is None else data)
        self._handed_in = changeable_values(self._trial.data)
        self.pool = self.system.pool(self._trial.prefab)

    def build(self, seed: int) -> _Record:
        self.doing = "being built"
        random.seed(seed)
        self.system.prespawn(self._trial.prefab, 1)
        record: _Record = next(reversed(self.pool._records))
        return record

    def spawn(self, record: _Record, seed: int, what: str) -> Snapshot:
        """Begin a life of the one inactive instance, with dice of that seed; look at it."""
        self.doing = what
        random.seed(seed)
        self.system.spawn(self._trial.prefab, **self._trial.data)
        if not record.active:
            message = (
                f"{self.name} ended its own life in {what}: there is nothing to compare; "
                "pass what it needs to live as data="
            )
            raise PoolError(message)
        return self.snapshot_of(record)

    def snapshot_of(self, record: _Record) -> Snapshot:
        return snapshot(record.instance, record, self._trial.find_record, self._handed_in)

    def fresh_one(self, seed: int) -> Snapshot:
        """Return another instance as it is at the start of its first life."""
        fresh = self.spawn(self.build(seed), seed, "the first spawn of another one")
        self.clear()
        return fresh

    def clear(self) -> None:
        self.doing = "being destroyed"
        self.pool.clear()
        self._trial.end_lives()

    def step(self) -> None:
        """Step the worlds that the instance is in, unless the game uses them."""
        for world in self.worlds:
            inside = leftovers.objects_in_spaces([world]).keys()
            is_the_games = self._trial.foreign_lives and not self._in_spaces.isdisjoint(inside)
            if inside - self._in_spaces and not is_the_games:
                world.step(_FRAME)

    # -- what a life leaves behind ------------------------------------------------------------

    def note_references(self, record: _Record) -> None:
        """Note what refers to an instance before its life."""
        self._before = leftovers.references_to_life(record, self._trial.systems, self.worlds)
        self._methods = methods_of(leftovers.parts_of(record.instance))

    def end_life(self, record: _Record, twin: Snapshot) -> list[Leak]:
        """End a life, and return what is left; what `twin` has too isn't the instance's own."""
        self.doing = "its despawn"
        leaks = _groupless_leaks(record, self.name)
        if record.active:
            self.system.despawn(record.instance)
        systems = self._trial.systems
        references = leftovers.timers_of(record, systems)  # before others' lives end
        self._trial.end_lives()
        if record.state is State.DETACHED or record.state is State.DESTROYED:
            message = (
                f"{self.name} left its pool while it lived: it was detached or destroyed, "
                "so there is no second life to look at"
            )
            raise PoolError(message)
        references |= leftovers.references_to_life(record, systems, self.worlds)
        left = [entry for key, entry in references.items() if key not in self._before]
        shared = {id(part.source) for part in twin.parts.values()}
        sources = [part.source for part in self.snapshot_of(record).parts.values()]
        internal = set(with_dicts(source for source in sources if id(source) not in shared))
        reported = [entry.thing for entry in left]
        parts = leftovers.parts_of(record.instance)
        left += leftovers.subscriptions_left(parts, self._methods, internal, reported)
        for kind, _, words, sentence, place in left:
            path = f"{self.name}.{kind}" if kind == "space" else f"{self.name}.{kind}s"
            leaks.append(Leak(path, _NONE, Described(words), kind, place, "calls", sentence))
        return leaks


def _groupless_leaks(record: _Record, name: str) -> list[Leak]:
    groups_fn: Any = record.pool._groups_fn or tuple
    groups = (*home_groups_of(record.pool), *groups_fn())
    instance = record.instance
    is_sprite = record.active and isinstance(instance, pygame.sprite.Sprite)
    if not groups or not is_sprite or leftovers.groups_of(instance):
        return []
    kinds = Described(", ".join(type(group).__name__ for group in groups))
    reason = "alive in no group, so nobody updates or draws it; kill() it instead of removing it"
    return [Leak(f"{name}.groups", kinds, _NONE, "group", reason=reason)]


# -- from life to life ------------------------------------------------------------------------


def _audited(
    bench: _TestBench,
    live: Callable[[Any], object] | None,
    seconds: float,
    ignore: tuple[str, ...],
) -> AuditReport:
    name = bench.name
    twin = bench.fresh_one(1)
    record = bench.build(2)
    bench.note_references(record)
    fresh = bench.spawn(record, 3, "its first spawn")
    notes: list[str] = []
    with recorded(fresh.objects()) as seen:
        bench.doing = "its life"
        if live is not None:
            live(record.instance)
        else:
            notes += _play(record, bench, seconds, seen)
        left = bench.end_life(record, twin)
        respawned = bench.spawn(record, 3, "its second spawn")
    differences, num_compared = find_differences(name, fresh, respawned, [twin], ignore)
    if differences:  # is it chance? only more fresh instances can tell
        bench.clear()
        num_more = max(2, min(8, _ENOUGH_VALUES // len(fresh.parts)))
        twins = [twin, *map(bench.fresh_one, range(4, 4 + num_more))]
        differences, num_compared = find_differences(name, fresh, respawned, twins, ignore)
    kinds = {type(thing) for thing in (*fresh.objects(), *respawned.objects())}
    of_the_game = _GamesOwn(twin, respawned, kinds)
    leaks = [
        _explained(difference, seen, kinds)
        for difference in differences
        if not (_is_meant(difference) or of_the_game.include(difference.path[len(name) :]))
    ]
    reported: dict[tuple[str, str], Leak] = {}
    for leak in leaks + left:
        if leak.path.removeprefix(f"{name}.") not in ignore:
            reported.setdefault((leak.path, repr(leak.respawned)), leak)
    cut = fresh.cut or respawned.cut
    notes += [f"not looked at: {cut}"] if cut else []
    unplayed, unread = _unplayed(kinds, seen, leaks, respawned, ignore)
    return AuditReport(name, tuple(reported.values()), num_compared, (*notes, *unread), unplayed)


class _GamesOwn:
    """What all instances share because the game handed it to them: its player, its camera."""

    def __init__(self, twin: Snapshot, respawned: Snapshot, kinds: set[type]) -> None:
        self._twin, self._respawned, self._kinds = twin.parts, respawned.parts, kinds
        self._known: dict[int, bool] = {}

    def include(self, path: str | None) -> bool:
        """Return whether what is at a path belongs to the game, or to something that does."""
        while path is not None and path in self._respawned:
            thing = self._respawned[path].source
            if thing is not None and self._twin.get(path, MISSING).source is thing:
                if id(thing) not in self._known:
                    sources = (part.source for part in self._respawned.values())
                    internal = (source for source in sources if type(source) in self._kinds)
                    is_held = is_held_by_the_game(thing, with_dicts(internal), self._kinds)
                    self._known[id(thing)] = is_held
                if self._known[id(thing)]:
                    return True
            path = self._respawned[path].parent
        return False


def _unplayed(
    kinds: Iterable[type],
    seen: Recording,
    leaks: list[Leak],
    respawned: Snapshot,
    ignore: tuple[str, ...],
) -> tuple[tuple[UnplayedLeak, ...], list[str]]:
    """Return what methods leak that didn't run, or didn't come so far; and what can't be read."""
    leaking = {leak.path.partition("[")[0].rpartition(".")[2] for leak in leaks}
    written = {name for _, name in seen.last_places}

    def is_known(event: Event) -> bool:
        name = [step for step in event.path if step != "[]"][-1]
        is_seen = name in written or event.verb != "set"
        return name in leaking or (event.method.function.__code__ in seen.played and is_seen)

    root = type(respawned.parts[""].source)
    poolable = [kind for kind in kinds if kind is root or issubclass(kind, IPoolableComponent)]
    classes = sorted(filter(is_class_of_the_game, poolable), key=_by_name)
    reported = []
    for unplayed in unplayed_leaks(classes, is_known):
        paths = [
            f"{path}.{unplayed.attribute}".lstrip(".")
            for path, part in respawned.parts.items()
            if type(part.source).__name__ == unplayed.owner
        ]
        if not any(fnmatchcase(path, pattern) for path in paths for pattern in ignore):
            reported.append(unplayed)
    return tuple(reported), unread_classes(classes)


def _by_name(kind: type) -> str:
    return kind.__qualname__


# -- playing ----------------------------------------------------------------------------------

_FRAME = 1 / 60  # seconds
_HOW_TO_PLAY = "to play it, pass live=, as in audit(prefab, lambda it: it.update(...))"


def _play(record: _Record, bench: _TestBench, seconds: float, seen: Recording) -> list[str]:
    """Let an instance live for some seconds; return what could not be done, and why."""
    instance, life = record.instance, record.generation
    is_updated = callable(getattr(instance, "update", None))
    calls: list[tuple[float, ...]] = [(_FRAME,), ()] if is_updated else []  # arguments to try
    notes: list[str] = []
    for _ in range(round(seconds / _FRAME)):
        bench.system.update(_FRAME)
        while calls and record.active and record.generation == life:
            try:
                instance.update(*calls[0])
                break
            except (TypeError, AttributeError) as error:
                why = _why_not(error, calls, seen)
                if not calls:
                    notes = [f"{why} the seconds of a frame: {_HOW_TO_PLAY}"]
        bench.step()
        if not record.active or record.generation != life:
            break
    return notes


def _why_not(error: Exception, calls: list[tuple[float, ...]], seen: Recording) -> str:
    """Take from the `calls` of an `update` those that it refuses; return why it does.

    An error of the game's own goes on its way.
    """
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    ran = [code.co_qualname for code in codes if is_of_the_game(code.co_filename)]
    refused = re.match(r"(\S+)\(\) (takes|missing|got) ", str(error))
    if not ran and refused:
        del calls[0]
        name, why = refused[1], "takes something else than"
    elif ran and calls[0] and "float" in str(error):
        calls.clear()
        seen.played.difference_update(codes)  # it is read as if it had not run
        name, why = ran[0], f"raised {error!r} when given"
    else:
        raise error
    return f"{name.rpartition('<locals>.')[2]} was not played, because it {why}"


# -- in words ---------------------------------------------------------------------------------

_OF_THE_CLASS = "the class has it, for all of them: each life goes on where the last one ended"
_OF_ALL = "one object that all of them share; build one for each in __init__ or spawned"


def _is_meant(difference: Difference) -> bool:
    """Return whether a comment says that it is kept, or each use of it writes it first."""
    model, name = model_of(kind_of(difference.owner.source)), difference.attribute
    return bool(name) and (model.keeps_all(name) or model.is_scratch(name))


def _explained(difference: Difference, seen: Recording, kinds: Iterable[type]) -> Leak:
    path, fresh, respawned, owner, attribute, kind = difference
    place = seen.last_places.get((id(owner.source), attribute))
    verb, where = "changed in" if kind == "component" else "set in", place.brief if place else None
    if attribute and (place is None or kind == "shared"):
        verb, where = "changed in", " or ".join(_places_that_change(attribute, kinds)) or where
    reason = "never reset in spawned or despawned"
    if kind == "shared":
        reason = _OF_THE_CLASS if fresh.is_of_class else _OF_ALL
    elif place is not None and place.function.endswith("spawned"):  # or despawned
        reason = "from what the life before left there"
    elif owner.kind == "pymunk.body.Body" and attribute in BODY_MOTION:
        reason += "; a ResetPooledBodyComponent does it"
    shown = fresh.beside(respawned), respawned.beside(fresh)
    return Leak(path, *shown, kind, where, verb, reason)


def _places_that_change(attribute: str, kinds: Iterable[type]) -> list[str]:
    """Return three places at most where methods change what `attribute` holds.

    They are read, for nothing tells when a list is appended to.
    """
    places: dict[str, None] = {}
    for kind in sorted(kinds, key=_by_name):
        for event in model_of(kind).events:
            method, is_set = event.method, event.verb == "set" and event.path[-1] == attribute
            if attribute in event.path and event.is_change and not is_set:
                function = f"{method.owner.__name__}.{method.name}"
                places[Place(method.file, event.node.lineno, function).brief] = None
    return list(places)[:3]
