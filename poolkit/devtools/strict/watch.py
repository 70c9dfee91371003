"""Strict mode: it sees lives end, and from the next update on their instances refuse to be used."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.core.context import LifeWatcher, TimeWatcher
from poolkit.core.errors import ErrorCollector, PoolError, UseAfterDespawnError
from poolkit.core.hooks import DespawnReason
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.code import place_of_caller
from poolkit.devtools.spawn_log import SpawnLog
from poolkit.devtools.strict.moved import RectWatch, Rest
from poolkit.devtools.strict.refusal import Grave, accept, forget, refuse
from poolkit.devtools.strict.remains import (
    Belongings,
    Bodies,
    connected,
    groups_left,
    look_again,
    objects_left,
    signals_near,
    stored,
)
from poolkit.sprites.groupless import told

if TYPE_CHECKING:
    from poolkit.core.context import SystemContext
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.code import Place

_log = logging.getLogger("poolkit")
_FRAMES_TO_LOOK_AGAIN = 60  # for signals that modules have got meanwhile


def enable_strict(system: PoolingSystem = pools) -> None:
    """Let misuse raise where it happens: for developing a game, and for its tests.

    An instance that is despawned is not handed out again before the next `update`
    (``reuse="next_update"``), and from that on refuses to be used: reading, writing or deleting
    an attribute or calling a method, its own or its poolable components', raises a
    `UseAfterDespawnError` that names the instance, the attribute, and the line that despawned it.
    It is usable again from its next spawn on; one that is destroyed, never. What only asks about
    it is answered: `isinstance`, `repr`, ``==``, `hash`, `vars`, copying, pickling, debuggers;
    of a sprite also `active`, `alive()`, `groups()`; a group updates it in vain. Its `type` is a
    subclass of its class, which `__subclasses__` lists too.

    These raise as well:

    - despawning in a later frame what is despawned already (in the same frame it is `False`);
    - spawn, despawn, prespawn and update in another thread than the one that calls this;
    - a sprite that is still in a group after its despawn, a body still in a space, a method still
      connected to a signal. They are looked for at the despawn, and again at the next `update`. A
      body that the game handles itself must be an attribute of the sprite or a component, in no
      space when the life began, or made in it and known to nobody else. A signal has `connect`
      and `disconnect`; one that holds methods weakly, as blinker's, is found wherever it is;
      others beside the class (its attributes, its module's, variables around its methods), and
      anywhere when the first life of a class ends. A lambda that a signal holds is not found:
      using the instance in it raises.

    Aliases are not refused, for they are no part of the instance: a rect, an image, a body, a list
    or a bound method that the game has kept of it. But a rect written, or the body of a `RigidBody`
    moved, while its sprite is at rest is a `UseAfterDespawnError` of its next spawn. Drawing on a
    kept image, filling a kept list and calling a method that reads nothing of the instance go
    unseen, and so does all of it before the next `update`, or when there is no next life.

    In the log ``poolkit`` are told, once a life: active sprites that the game took out of all their
    groups, and sprites with a body whose rect alone was moved, which the next step undoes.

    Left alone: objects whose class can't be swapped (builtin types as `list`, some C types), what
    is destroyed and can't be weakly referenced, components that are no `IPoolableComponent`, for
    several sprites may share them, poolkit's own as `RigidBody`, and the objects of an
    `ObjectPool`, which is in no system.

    Args:
        system: The system whose instances shall refuse. Doing it twice is doing it once.

    Raises:
        TypeError: `system` is no pooling system.

    Examples:
        >>> from poolkit import PooledSprite, PoolingSystem
        >>> class Orc(PooledSprite):
        ...     def spawned(self):
        ...         self.hp = 30
        >>> system = PoolingSystem()
        >>> enable_strict(system)
        >>> orc = system.spawn(Orc)
        >>> orc.kill()
        >>> system.update(0.1)
        >>> orc.hp -= 10  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        poolkit.core.errors.UseAfterDespawnError: Orc #0001 was used after its despawn: ...
    """
    context = _context_of(system)
    if watch_of(context) is not None:
        return
    watch = _StrictWatch(context)
    system.configure(reuse="next_update")
    context.watch_lives(watch.spawns)
    context.watch_lives(watch)
    context.watch_time(watch)


def disable_strict(system: PoolingSystem = pools) -> None:
    """Let `system` be as before `enable_strict`: nothing refuses, and fast paths are taken.

    Raises:
        TypeError: `system` is no pooling system.
    """
    context = _context_of(system)
    watch = watch_of(context)
    if watch is None:
        return
    watch.end()
    context.unwatch_time(watch)
    context.unwatch_lives(watch)
    context.unwatch_lives(watch.spawns)
    former, was_open = watch.former_reuse
    system.configure(reuse=former)
    system._context.reuse_is_open = was_open


def is_strict(system: PoolingSystem = pools) -> bool:
    """Return whether `system` is in strict mode."""
    return watch_of(_context_of(system)) is not None


def watch_of(context: SystemContext) -> _StrictWatch | None:
    """Return what watches a system in strict mode; `None`: it is not."""
    return next((each for each in context.life_watchers if isinstance(each, _StrictWatch)), None)


def _context_of(system: PoolingSystem) -> SystemContext:
    if not isinstance(system, PoolingSystem):
        message = f"strict mode is a pooling system's, not {system!r}'s: pass a PoolingSystem"
        raise TypeError(message)
    return system._context


_HOW = {
    DespawnReason.DESPAWNED: "despawned at {}",
    DespawnReason.RECYCLED: "recycled, to make room for what was spawned at {}",
    DespawnReason.PARENT: "despawned with what it was spawned under, at {}",
    DespawnReason.RESET: "despawned by the reset at {}",
    DespawnReason.DISPOSED: "despawned when its pool or system was disposed of, or cleared, at {}",
    DespawnReason.FAILED: "taken back at {}, where its spawn failed",
}


class Death(NamedTuple):
    """The end of one life.

    Attributes:
        frame: How many updates strict mode had seen by then.
        place: The line that ended it; `None` where none of the game's did.
        reason: Why it ended; `None` where it ended before strict mode was on.
    """

    frame: int
    place: Place | None
    reason: DespawnReason | None

    def __str__(self) -> str:
        """Return ``despawned at monsters.py:41 in Orc.hit``."""
        if self.reason is None:
            return "despawned before strict mode was on"
        return _HOW[self.reason].format(self.place or "no line of the game's own")

    def again(self, record: PoolablePrefabData[Any]) -> UseAfterDespawnError:
        """Return the error that says that the instance is despawned once more, in a later frame."""
        message = (
            f"{record.label} was despawned again, at {place_of_caller()}, in a later frame than "
            f"the one in which it was {self}. What may be over by now is despawned by its handle: "
            "handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)


class _Watched:
    """What strict mode knows of one instance.

    Attributes:
        belongings: What it consists of.
        bodies: What its present life, or its last one, began with; `None` where that was not seen.
        death: How its last life ended; `None` while it lives, or before its first life.
        is_grouped: Whether it was seen in a group in this life.
        is_lost: Whether it was told that it is in none any more.
        refusing: What of it refuses to be used.
        rest: Where it is, while it refuses.
        signals: Those that may have held its methods when its last life ended, by `id`.
    """

    __slots__ = (
        "belongings",
        "bodies",
        "death",
        "is_grouped",
        "is_lost",
        "refusing",
        "rest",
        "signals",
    )

    def __init__(self, record: PoolablePrefabData[Any]) -> None:
        self.belongings = Belongings(record)
        self.bodies: Bodies | None = None
        self.death: Death | None = None
        self.is_grouped = self.is_lost = False
        self.refusing: list[Any] = []
        self.rest: Rest | None = None
        self.signals: dict[int, Any] = {}


class _StrictWatch(LifeWatcher, TimeWatcher):
    """Strict mode of one system.

    Attributes:
        spawns: Notes where lives begin.
        former_reuse: The system's `reuse` before, and whether that was still open.
    """

    def __init__(self, context: SystemContext) -> None:
        """Begin with the lives that are over by now, whose places are unknown."""
        self.former_reuse = context.reuse, context.reuse_is_open
        self.spawns = SpawnLog()
        self._context = context
        self._thread = threading.get_ident()
        self._thread_name = threading.current_thread().name
        self._frame = 0
        self._watched: dict[PoolablePrefabData[Any], _Watched] = {}
        self._fresh: dict[PoolablePrefabData[Any], _Watched] = {}  # died in this frame
        # What is destroyed is kept by nobody: weakly, by id, with what it has to say.
        self._ghosts: dict[int, tuple[weakref.ref[Any], Grave]] = {}
        self._fresh_ghosts: list[int] = []
        # How a destroyed instance ended, for who despawns it again.
        self._deaths: dict[PoolablePrefabData[Any], Death] = {}
        self._seen_kinds: set[type] = set()
        self._rects = RectWatch(context)
        for pool in context.pools:
            for record in pool._records:
                if record.is_at_rest and record.generation:
                    watched = self._fresh[record] = self._of(record)
                    watched.death = Death(0, None, None)

    def _of(self, record: PoolablePrefabData[Any]) -> _Watched:
        watched = self._watched.get(record)
        if watched is None:
            watched = self._watched[record] = _Watched(record)
        elif not watched.belongings.are_of(record):
            watched.belongings = Belongings(record)
        return watched

    def end(self) -> None:
        """Let everything be used again."""
        self._rects.end()
        for watched in self._watched.values():
            for each in watched.refusing:
                accept(each)
        for reference, _ in self._ghosts.values():
            accept(reference())

    # -- lives --------------------------------------------------------------------------------

    def called(self, what: str, name: str) -> None:
        """Refuse calls from another thread."""
        if threading.get_ident() != self._thread:
            thread = threading.current_thread().name
            message = (
                f"{what} of {name} was called in thread {thread!r}, but poolkit is for one thread, "
                f"and this system's is {self._thread_name!r}: put the wish into a queue.Queue, "
                "and fulfil it in your game loop"
            )
            raise PoolError(message)

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Let the instance be used again; see that nobody has moved it."""
        self._fresh.pop(data, None)
        watched = self._watched.get(data)
        if watched is not None and watched.refusing:
            for each in watched.refusing:
                accept(each)
            watched.refusing = []
        watched = self._of(data)
        death, watched.death = watched.death, None
        rest, watched.rest = watched.rest, None
        watched.is_grouped = watched.is_lost = False
        physics, _ = stored(watched.belongings)
        watched.bodies = Bodies(physics)
        disturbed = [] if rest is None else list(rest.disturbed(data.label))
        if disturbed:
            message = (
                f"{data.label} was used after its despawn: {'; '.join(disturbed)} since it was "
                f"{death}. Somebody has kept that, as in a variable, a list or a closure: "
                "referrers(instance) says who keeps what"
            )
            raise UseAfterDespawnError(message)

    def ended(self, data: PoolablePrefabData[Any], reason: DespawnReason) -> None:
        """Note where the life ended, and see what it has left behind."""
        watched = self._fresh[data] = self._of(data)
        watched.death = Death(self._frame, place_of_caller(), reason)
        watched.is_grouped = watched.is_lost = False
        belongings = watched.belongings
        kind: Any = type(data.instance)
        is_first = kind not in self._seen_kinds
        self._seen_kinds.add(kind)
        physics, signals = stored(belongings)
        left = groups_left(belongings)
        left += objects_left(data.label, belongings, watched.bodies, physics)
        watched.signals = signals_near(belongings, signals, thoroughly=is_first)
        if watched.signals:
            names = {id(each): name for name, each in belongings.named}
            for texts in connected(names, watched.signals.values()).values():
                left += texts
        if left:
            raise _left_behind(left, watched.death)

    def ended_again(self, data: PoolablePrefabData[Any]) -> None:
        """Refuse to despawn what was despawned in an earlier frame."""
        self.called("despawn", data.pool.name)
        watched = self._watched.get(data)
        death = self._deaths.get(data) if watched is None else watched.death
        if death is not None and death.frame < self._frame:
            raise death.again(data)

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        """Let go of an instance that is destroyed or detached; what is destroyed still refuses."""
        self._fresh.pop(data, None)
        self._rects.forget(data)
        watched = self._watched.pop(data, None)
        if watched is None or watched.death is None or data.detached:
            return
        self._deaths[data] = watched.death
        for name, each in Belongings(data).named:
            self._haunt(each, Grave(name, data, watched.death), is_root=each is data.instance)

    def _haunt(self, instance: Any, grave: Grave, *, is_root: bool) -> None:
        """Remember, weakly, what a destroyed object has to say, where that can be."""
        key = id(instance)
        deaths = self._deaths
        ghosts = self._ghosts

        def vanish(_: object) -> None:
            ghosts.pop(key, None)
            forget(key)
            if is_root:
                deaths.pop(grave.data, None)

        try:
            ghosts[key] = weakref.ref(instance, vanish), grave
        except TypeError:  # kept by nobody and followed by nobody: it is let go
            accept(instance)
            if is_root:
                deaths.pop(grave.data, None)
        else:
            self._fresh_ghosts.append(key)

    # -- time ---------------------------------------------------------------------------------

    def updating(self, dt: float) -> None:
        """Begin the next frame: what died in the one before refuses to be used from now on."""
        del dt
        self.called("update", "the pools")
        self._frame += 1
        if self._frame % _FRAMES_TO_LOOK_AGAIN == 0:
            look_again()
        self._rects.begin()
        errors = self._left_in_this_frame()
        fresh, self._fresh = self._fresh, {}
        for record, watched in fresh.items():
            self._refuse(record, watched)
        ghosts, self._fresh_ghosts = self._fresh_ghosts, []
        for key in ghosts:
            reference, grave = self._ghosts.get(key, (None, None))
            ghost = reference() if reference is not None else None
            if ghost is not None and grave is not None:
                refuse(ghost, grave)
        self._look_for_groupless()
        errors.raise_all("lives that are over are still in the game")

    def _refuse(self, record: PoolablePrefabData[Any], watched: _Watched) -> None:
        death = watched.death
        if death is None:
            return
        belongings = watched.belongings
        if not any(rigid.is_leaving for rigid in belongings.rigids):
            watched.rest = Rest(belongings)
        watched.refusing = [
            each for name, each in belongings.named if refuse(each, Grave(name, record, death))
        ]
        watched.bodies = None
        watched.signals = {}

    def check(self) -> None:
        """See what the lives that ended in this frame have left behind.

        Raises:
            PoolError: Something. Several are raised together.
        """
        self._left_in_this_frame().raise_all("lives that are over are still in the game")

    def _left_in_this_frame(self) -> ErrorCollector:
        """Look again at what has ended in this frame; at each signal once for all of them."""
        signals: dict[int, Any] = {}
        names: dict[int, str] = {}
        for watched in self._fresh.values():
            if watched.signals:
                signals |= watched.signals
                names |= {id(each): name for name, each in watched.belongings.named}
        held = connected(names, signals.values()) if signals else {}
        errors = ErrorCollector()
        for record, watched in self._fresh.items():
            belongings, death = watched.belongings, watched.death
            left = groups_left(belongings)
            left += objects_left(record.label, belongings, watched.bodies, [])
            for _, each in belongings.named if held else ():
                left += held.get(id(each), ())
            if left and death is not None:
                errors.add(_left_behind(left, death))
        return errors

    def _look_for_groupless(self) -> None:
        """Tell, once a life, of active sprites that the game took out of their last group."""
        for pool in self._context.pools:
            for record in list(pool._active):
                watched = self._of(record)
                if watched.is_lost or not watched.belongings.sprites:
                    continue
                _, sprite, homes = watched.belongings.sprites[0]
                if sprite is not record.instance:
                    continue
                if getattr(sprite, "_Sprite__g", ()):
                    watched.is_grouped = True
                elif watched.is_grouped or homes:
                    watched.is_lost = True
                    told.add(pool)
                    _log.warning(
                        "%s is active, but in no group any more, so nothing draws or updates it: "
                        "Group.empty() and Group.remove() don't despawn. It was spawned at %s",
                        record.label,
                        self.spawns.places.get(record) or "a place that was not noted",
                    )


def _left_behind(left: list[str], death: Death) -> PoolError:
    message = (
        f"{'; '.join(left)}: but it was {death}. End in despawned() what spawned() begins, "
        "or begin it with self.scope, which ends it"
    )
    return PoolError(message)
