"""Strict mode: it sees lives end, and from the next update on their instances refuse to be used."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.context import LifeWatcher, TimeWatcher
from poolkit.core.errors import ErrorCollector, PoolError, UseAfterDespawnError
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.record import State
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.code import kind_of, place_of_caller
from poolkit.devtools.heap import methods_of, weak_methods, whole_heap
from poolkit.devtools.leftovers import connections, groups_of, own_bodies_left, parts_of
from poolkit.devtools.strict.moved import unwatch_rects, watch_rects
from poolkit.devtools.strict.refusal import Grave, accept, forget, refuse
from poolkit.devtools.unreturned import SpawnLog
from poolkit.sprites.membership import flat
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.context import SystemContext
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.code import Place

    Record = PoolablePrefabData[Any]


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
    - an `update` after which a sprite would still be in a group, a body in a space, or a method
      connected to a signal, although its life ended in the frame before. A body that the game
      handles itself is found where it is an attribute, and nobody else knows it. A signal has
      `connect` and `disconnect`; one that holds methods weakly, as blinker's, is found wherever it
      is, others when the 1st, 2nd, 4th, 8th, ... life of a class ends; lambdas are not found.

    Aliases are no part of the instance, and not refused: a rect, an image, a body, a list or a
    bound method that the game has kept. But a rect written, or the body of a `RigidBody` moved,
    while its sprite is at rest is a `UseAfterDespawnError` of its next spawn.

    In the log ``poolkit`` are told, once a life, sprites with a body whose rect alone was moved,
    which the next step undoes.

    Left alone: objects whose class can't be swapped (builtin types as `list`), components that are
    no `IPoolableComponent`, for several sprites may share them, poolkit's own as `RigidBody`, and
    the objects of an `ObjectPool`, which is in no system.

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

    def again(self, record: Record) -> UseAfterDespawnError:
        """Return the error that says that the instance is despawned once more, in a later frame."""
        message = (
            f"{record.label} was despawned again, at {place_of_caller()}, in a later frame than "
            f"the one in which it was {self}. What may be over by now is despawned by its handle: "
            "handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)


@cache
def _role_of(kind: type) -> str:
    """Return what a part of this class is called in messages.

    Empty: it is left alone, as are components that several sprites may share, and poolkit's own,
    which it uses afterwards.
    """
    if issubclass(kind, PooledSprite):
        return f"{kind.__name__}, a part of {{}},"
    bases = (each for each in kind.__mro__ if each is not IPoolableComponent)
    is_own = all(each.__module__.partition(".")[0] != "poolkit" for each in bases)
    return f"{kind.__name__} of {{}}" if is_own and issubclass(kind, IPoolableComponent) else ""


class _Over:
    """A life that is over.

    Attributes:
        record: The record of the instance.
        parts: What it consists of, each with its role, as ``Health of {}``.
        rigids: Its rigid bodies.
        refusing: What of it refuses to be used.
        rest: Where it is while it is at rest.
    """

    __slots__ = ("_sprites", "parts", "record", "refusing", "rest", "rigids")

    def __init__(self, record: Record) -> None:
        root, *others = parts_of(record)
        self.record = record
        self.parts = [("{}", root)]
        self.parts += [(role, e) for e in others if (role := _role_of(kind_of(e)))]
        self._sprites = [each for each in self.parts if isinstance(each[1], pygame.sprite.Sprite)]
        self.rigids = [each for each in others if hasattr(kind_of(each), "objects_in_space")]
        self.refusing: list[Any] = []
        self.rest: list[tuple[str, object]] = []

    def refuse(self, death: Death) -> None:
        """Let all of it refuse from now on, until `accept`."""
        self.rest = [] if self._is_leaving else self._places()
        graves = [(part, Grave(role, self.record, death)) for role, part in self.parts]
        self.refusing = [part for part, grave in graves if refuse(part, grave)]

    def accept(self) -> list[str]:
        """Let all of it be used; return what was moved meanwhile: what aliases of it can do."""
        for each in self.refusing:
            accept(each)
        now = self._places() if self.rest else []
        if now == self.rest:
            return []
        # As text where they differ: an angle may be no number.
        moved = (
            w
            for (w, then), (_, here) in zip(self.rest, now, strict=False)
            if repr(then) != repr(here)
        )
        return [words.format(self.record.label) for words in moved]

    def _places(self) -> list[tuple[str, object]]:
        rects = ((role, getattr(sprite, "rect", None)) for role, sprite in self._sprites)
        found: list[tuple[str, object]] = [
            (f"the rect of {role} was written", rect if rect is None else tuple(rect))
            for role, rect in rects
        ]
        for each in (body for rigid in self.rigids for body in rigid.bodies):
            motion = each.position, each.angle, each.velocity, each.angular_velocity
            found.append(("a body of {} was moved", motion))
        return found

    @property
    def _is_leaving(self) -> bool:
        """Whether a step is under way, and its bodies leave when that is over."""
        return any(rigid.is_leaving for rigid in self.rigids)

    def left(self) -> list[str]:
        """Return what is left of it in groups and spaces, in words."""
        homes, label = self.record.pool._groups, self.record.label
        found = [
            f"{role.format(label)} is still in {group!r}"
            for role, sprite in self._sprites
            for group in groups_of(sprite, flat(getattr(sprite, "_home_groups", homes)))
        ]
        if self._is_leaving:
            return found
        bodies = [each for rigid in self.rigids for each in rigid.objects_in_space()]
        bodies += own_bodies_left([part for _, part in self.parts])
        return found + [f"{each!r} of {label} is still in its space" for each in bodies]


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
        self._thread = threading.current_thread()
        self._frame = 0
        self._deaths: dict[Record, Death] = {}  # of what is over, destroyed perhaps
        self._fresh: dict[Record, None] = {}  # what died in this frame
        self._resting: dict[Record, _Over] = {}  # what refuses
        # What is destroyed is kept by nobody: weakly, by id, with what it has to say.
        self._ghosts: dict[int, tuple[weakref.ref[Any], Grave]] = {}
        self._ended: Counter[type] = Counter()  # lives of each class
        self._errors = ErrorCollector()  # about what was destroyed in this frame
        for pool in context.pools:
            for record in pool._records:
                if record.is_at_rest and record.generation:
                    self._fresh[record] = None
                    self._deaths[record] = Death(0, None, None)

    def end(self) -> None:
        """Let everything be used again."""
        unwatch_rects(self._context)
        for over in self._resting.values():
            over.accept()
        for reference, _ in self._ghosts.values():
            accept(reference())

    # -- lives --------------------------------------------------------------------------------

    def called(self, what: str, name: str) -> None:
        thread = threading.current_thread()
        if thread is not self._thread:
            message = (
                f"{what} of {name} was called in thread {thread.name!r}, but poolkit is for one "
                f"thread, and this system's is {self._thread.name!r}: put the wish into a "
                "queue.Queue, and fulfil it in your game loop"
            )
            raise PoolError(message)

    def beginning(self, data: Record) -> None:
        self._fresh.pop(data, None)
        death, over = self._deaths.pop(data, None), self._resting.pop(data, None)
        moved = "; ".join(over.accept()) if over is not None else ""
        if moved:
            message = (
                f"{data.label} was used after its despawn: {moved} since it was "
                f"{death}. Somebody has kept that, as in a variable, a list or a closure: "
                "referrers(instance) says who keeps what"
            )
            raise UseAfterDespawnError(message)

    def ended(self, data: Record, reason: DespawnReason) -> None:
        self._fresh[data] = None
        self._deaths[data] = Death(self._frame, place_of_caller(), reason)

    def ended_again(self, data: Record) -> None:
        self.called("despawn", data.pool.name)
        death = self._deaths.get(data)
        if death is not None and death.frame < self._frame:
            raise death.again(data)

    def gone(self, data: Record) -> None:
        """Let go of an instance that is destroyed or detached; what is destroyed still refuses."""
        is_fresh = data in self._fresh
        self._fresh.pop(data, None)
        self._resting.pop(data, None)
        death = self._deaths.get(data)
        if death is None or data.state is State.DETACHED:
            return
        over = _Over(data)
        if is_fresh:
            self._look_at([over])
        for role, part in over.parts:
            self._haunt(part, Grave(role, data, death), is_root=part is data.instance)

    def _haunt(self, instance: Any, grave: Grave, *, is_root: bool) -> None:
        """Remember, weakly, what a destroyed object has to say, where that can be."""
        key, deaths, ghosts = id(instance), self._deaths, self._ghosts

        def vanish(_: object) -> None:
            ghosts.pop(key, None)
            forget(key)
            if is_root:
                deaths.pop(grave.record, None)

        try:
            ghosts[key] = weakref.ref(instance, vanish), grave
        except TypeError:  # kept by nobody and followed by nobody: it is let go
            accept(instance)
            vanish(None)

    # -- time ---------------------------------------------------------------------------------

    def updating(self, dt: float) -> None:
        """Begin the next frame: what died in the one before refuses to be used from now on."""
        del dt
        self.called("update", "the pools")
        self._frame += 1
        watch_rects(self._context)
        lives = {record: _Over(record) for record in self._fresh}
        self._fresh = {}
        self._look_at(lives.values())
        for record, over in lives.items():
            over.refuse(self._deaths[record])
        self._resting |= lives
        for reference, grave in list(self._ghosts.values()):
            ghost = reference()
            if ghost is not None:
                refuse(ghost, grave)
        self._errors.raise_all("lives that are over are still in the game")

    def check(self) -> None:
        """See what the lives that ended in this frame have left behind.

        Raises:
            PoolError: Something. Several are raised together.
        """
        self._look_at([_Over(record) for record in self._fresh])
        self._errors.raise_all("lives that are over are still in the game")

    def _look_at(self, lives: Collection[_Over]) -> None:
        """Gather what some lives have left behind; the signals of all are looked at together."""
        connected: dict[int, list[str]] = {}
        for owner, signal, name in self._connections(lives):
            text = f"is still connected to {signal!r}, by its method {name!r}"
            connected.setdefault(id(owner), []).append(text)
        for over in lives:
            left = over.left()
            for role, part in over.parts if connected else ():
                who = role.format(over.record.label)
                left += [f"{who} {text}" for text in connected.get(id(part), ())]
            if left:
                message = (
                    f"{'; '.join(left)}: but it was {self._deaths[over.record]}. End in "
                    "despawned() what spawned() begins, or begin it with self.scope, which ends it"
                )
                self._errors.add(PoolError(message))

    def _connections(self, lives: Collection[_Over]) -> list[Any]:
        owners = {id(part): part for over in lives for _, part in over.parts}
        asked = []
        for over in lives:
            kind = type(over.parts[0][1])
            self._ended[kind] = count = self._ended[kind] + 1
            if not count & (count - 1):
                asked += [part for _, part in over.parts]
        receivers = list(weak_methods(owners.values()))
        if not receivers and not asked:
            return []
        with whole_heap():
            receivers += methods_of(asked).values()
            return list(connections(owners, receivers))
