"""Strict mode: it sees lives end, and from the next update on their instances refuse to be used."""

from __future__ import annotations

import threading
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

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
from poolkit.devtools.strict.refusal import accept, accept_all, death_of, let_go, refuse
from poolkit.devtools.unreturned import SpawnLog
from poolkit.sprites.membership import flat
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
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
    unwatch_rects(context)
    accept_all(context)
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
    None: "despawned before strict mode was on",
    DespawnReason.DESPAWNED: "despawned at {}",
    DespawnReason.RECYCLED: "recycled, to make room for what was spawned at {}",
    DespawnReason.PARENT: "despawned with what it was spawned under, at {}",
    DespawnReason.RESET: "despawned by the reset at {}",
    DespawnReason.DISPOSED: "despawned when its pool or system was disposed of, or cleared, at {}",
    DespawnReason.FAILED: "taken back at {}, where its spawn failed",
}


@cache
def _may_refuse(kind: type) -> bool:
    """Tell whether a part of this class refuses.

    Components that several sprites may share do not, nor poolkit's own, which it uses afterwards.
    """
    bases = (each for each in kind.__mro__ if each is not IPoolableComponent)
    is_own = all(each.__module__.partition(".")[0] != "poolkit" for each in bases)
    return issubclass(kind, PooledSprite) or (is_own and issubclass(kind, IPoolableComponent))


class Death:
    """The end of one life, and what is over with it.

    Attributes:
        record: The record of the instance.
        parts: What of it refuses, each with its name, as ``Health of orc #0007``.
    """

    __slots__ = ("_place", "_reason", "_rest", "_rigids", "_sprites", "parts", "record")

    def __init__(
        self, record: Record, reason: DespawnReason | None = None, place: Place | None = None
    ) -> None:
        """Note how a life ended; without a reason that was before strict mode was on."""
        self.record = record
        self.parts: list[tuple[str, Any]] = []
        self._reason, self._place = reason, place

    def __str__(self) -> str:
        """Return ``despawned at monsters.py:41 in Orc.hit``."""
        return _HOW[self._reason].format(self._place or "no line of the game's own")

    def again(self) -> UseAfterDespawnError:
        """Return the error that says that the instance is despawned once more, in a later frame."""
        message = (
            f"{self.record.label} was despawned again, at {place_of_caller()}, in a later frame "
            f"than the one in which it was {self}. What may be over by now is despawned by its "
            "handle: handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)

    def take_parts(self) -> None:
        """Find what the instance consists of, as long as its record knows that."""
        if not self.parts:
            root, *others = parts_of(self.record)
            kinds = [(kind_of(each), each) for each in others]
            self._rigids = [each for kind, each in kinds if hasattr(kind, "objects_in_space")]
            label = self.record.label
            own = [(f"{kind.__name__} of {label}", e) for kind, e in kinds if _may_refuse(kind)]
            self.parts = [(label, root), *own]
            self._sprites = [e for e in self.parts if isinstance(e[1], pygame.sprite.Sprite)]

    def refuse(self) -> None:
        """Let all of it refuse from now on, until `accept`."""
        self._rest = self._places()
        for name, part in self.parts:
            refuse(part, name, self)

    def accept(self) -> None:
        """Let all of it be used.

        Raises:
            UseAfterDespawnError: It was moved meanwhile, which aliases of it can do.
        """
        for _, part in self.parts:
            accept(part)
        pairs = zip(self._rest, self._places(), strict=False)
        # As text where they differ: an angle may be no number.
        moved = [
            words.format(name)
            for (words, name, then), (_, _, now) in pairs
            if then != now and repr(then) != repr(now)
        ]
        if moved:
            message = (
                f"{self.record.label} was used after its despawn: {'; '.join(moved)} since it was "
                f"{self}. Somebody has kept that, as in a variable, a list or a closure: "
                "referrers(instance) says who keeps what"
            )
            raise UseAfterDespawnError(message)

    def let_go(self) -> None:
        """Keep none of it any more: it is destroyed."""
        for _, part in self.parts:
            let_go(part)
        self.parts = self._sprites = self._rigids = []

    def _places(self) -> list[tuple[str, str, object]]:
        found: list[tuple[str, str, object]] = []
        for name, sprite in self._sprites:
            rect = getattr(sprite, "rect", None)
            found.append(
                ("the rect of {} was written", name, None if rect is None else tuple(rect))
            )
        for body in (each for rigid in self._rigids for each in rigid.bodies):
            motion = body.position, body.angle, body.velocity, body.angular_velocity
            found.append(("a body of {} was moved", self.parts[0][0], motion))
        return found

    def left(self) -> list[str]:
        """Return what is left of it in groups and spaces, in words."""
        homes, label = self.record.pool._groups, self.record.label
        found = [
            f"{name} is still in {group!r}"
            for name, sprite in self._sprites
            for group in groups_of(sprite, flat(getattr(sprite, "_home_groups", homes)))
        ]
        bodies = [each for rigid in self._rigids for each in rigid.objects_in_space()]
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
        self._ended: Counter[type] = Counter()  # lives of each class
        known = [record for pool in context.pools for record in pool._records]
        # What died since the last update, destroyed perhaps; and what refuses, and is to be reused.
        self._fresh = {each: Death(each) for each in known if each.is_at_rest and each.generation}
        self._resting: dict[Record, Death] = {}

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
        death = self._resting.pop(data, None)
        if death is not None:
            death.accept()

    def ended(self, data: Record, reason: DespawnReason) -> None:
        self._fresh[data] = Death(data, reason, place_of_caller())

    def ended_again(self, data: Record) -> None:
        self.called("despawn", data.pool.name)
        death = None if data in self._fresh else self._resting.get(data) or death_of(data)
        if death is not None:
            raise death.again()

    def gone(self, data: Record) -> None:
        if data in self._fresh:  # it refuses from the next update on, and is kept until then
            self._fresh[data].take_parts()
        elif data in self._resting:
            self._resting.pop(data).let_go()

    # -- time ---------------------------------------------------------------------------------

    def updating(self, dt: float) -> None:
        """Begin the next frame: what died in the one before refuses to be used from now on."""
        del dt
        self.called("update", "the pools")
        watch_rects(self._context)
        over = self._over()
        try:
            self.check()
        finally:
            for death in over:
                record = death.record
                self._resting[record] = self._fresh.pop(record)
                death.refuse()
                if record.destroyed:
                    self.gone(record)

    def _over(self) -> list[Death]:
        """Return the ends of lives in this frame, but those that a step or a spawn still holds."""
        over = [each for each in self._fresh.values() if each.record.state is not State.HELD]
        for death in over:
            death.take_parts()
        return over

    def check(self) -> None:
        """See what the lives that ended in this frame have left behind.

        Raises:
            PoolError: Something. Several are raised together.
        """
        over, errors = self._over(), ErrorCollector()
        connected: dict[int, list[str]] = {}
        for owner, signal, name in self._connections(over):
            text = f"is still connected to {signal!r}, by its method {name!r}"
            connected.setdefault(id(owner), []).append(text)
        for death in over:
            left = death.left()
            for name, part in death.parts if connected else ():
                left += [f"{name} {text}" for text in connected.get(id(part), ())]
            if left:
                message = (
                    f"{'; '.join(left)}: but it was {death}. End in despawned() what spawned() "
                    "begins, or begin it with self.scope, which ends it"
                )
                errors.add(PoolError(message))
        errors.raise_all("lives that are over are still in the game")

    def _connections(self, deaths: list[Death]) -> list[Any]:
        """Return who is connected to what; the signals of all are looked for together."""
        owners = {id(part): part for death in deaths for _, part in death.parts}
        asked = []
        for death in deaths:
            kind = type(death.parts[0][1])
            self._ended[kind] = count = self._ended[kind] + 1
            if not count & (count - 1):
                asked += [part for _, part in death.parts]
        receivers = list(weak_methods(owners.values()))
        if not receivers and not asked:
            return []
        with whole_heap():
            receivers += methods_of(asked).values()
            return list(connections(owners, receivers))
