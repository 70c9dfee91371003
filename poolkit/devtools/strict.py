"""Strict mode: watches a running game, and lets misuse raise where it happens."""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.clock import ROUNDING
from poolkit.core.errors import ErrorCollector, PoolError, UseAfterDespawnError
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.object_pool import ObjectPool
from poolkit.core.seams import LifeWatcher, TimeWatcher, context_of, is_to_rest, lives_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools import guard
from poolkit.devtools.chaos import ChaosPolicy
from poolkit.devtools.code import is_of_the_game, kind_of, place_of_caller, unwrapped
from poolkit.devtools.groupless import GrouplessWatch
from poolkit.devtools.leftovers import bodies_in_space, groups_with, parts_of, physics_worlds
from poolkit.devtools.trial import checked_system
from poolkit.sprites.components import PlayComponent
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record
    from poolkit.devtools.code import Place

    _Record = Record[Any]
    _Life = tuple[_Record, int]  # whose, and its number

_log = logging.getLogger("poolkit")


def enable_strict(system: PoolingSystem = pools, *, chaos: int | str | None = None) -> None:
    """Let misuse raise where it happens: for developing a game, and for its tests.

    A despawned instance isn't handed out again within a second of game time, as `update` counts it,
    so that who still has it meets a dead instance even where a pool is small; the pool makes more
    meanwhile, at a limit too. Of each pool at most 1,000 are kept back; the longest dead come back
    before their time, and where `update` is never called, only then. From the next `update` on
    until its next spawn, any use of an attribute or method of it or of its
    poolable components raises a `UseAfterDespawnError`, which names the instance, the attribute,
    the line that despawned it, and what still refers to it. You may still ask about it:
    `isinstance`, `repr`, ``==``, `hash`, `vars`, copying, pickling; of a sprite also `active`,
    `alive()` and `groups()`. Its `type` is a subclass of its class then.

    These raise as well:

    - to despawn what was despawned in an earlier frame (in the same frame it is `False`);
    - to spawn, despawn, prespawn or update in another thread than the one that calls this;
    - an `update` where a sprite is still in a group, or a body of a `RigidBody` in its space,
      although its life ended in the frame before. `audit` finds what else a life leaves behind;
    - to write the rect, or move the body, of an inactive sprite, which aliases can do: its next
      spawn raises. Other aliases, as an image, a list or a bound method, are not refused.

    The log ``poolkit`` tells of sprites whose rect is moved but not their body, of pools whose
    lives are in no group that the game holds, of an `update` that doesn't call ``super().update``,
    and of a system that is updated in milliseconds. Strict mode notes where every life begins, for
    `unreturned`.

    Left alone are objects whose class can't be swapped (as `list`), components that are not an
    `IPoolableComponent`, poolkit's own, and the objects of an `ObjectPool`.

    Args:
        system: The system whose instances refuse. To call it twice changes nothing.
        chaos: A seed for dice by which the pools do all that they may: reuse instances in random
            order, destroy one now and then, and recycle before it is needed, where the pool's own
            policy recycles. A game that notices relies on what nothing promises.

    Raises:
        TypeError: `system` is not a pooling system.
    """
    watch = watch_of(system)
    if watch is None:
        watch = _StrictWatch(context_of(system))
        watch.start()
    if chaos is not None:
        watch.start_chaos(chaos)


def disable_strict(system: PoolingSystem = pools) -> None:
    """Let `system` be as before `enable_strict`.

    Raises:
        TypeError: `system` is not a pooling system.
    """
    watch = watch_of(system)
    if watch is not None:
        watch.stop()


def is_strict(system: PoolingSystem = pools) -> bool:
    """Return whether `system` is in strict mode."""
    return watch_of(system) is not None


def watch_of(system: PoolingSystem) -> _StrictWatch | None:
    """Return what watches a system in strict mode, or `None`."""
    return watch_in(context_of(checked_system(system, "strict mode")))


def watch_in(context: SystemContext) -> _StrictWatch | None:
    """Return what watches the system of a context in strict mode, or `None`."""
    watchers = context.life_watchers
    return next((watcher for watcher in watchers if isinstance(watcher, _StrictWatch)), None)


# -- lives that have ended --------------------------------------------------------------------


@cache
def _can_be_locked(kind: type) -> bool:
    # Several sprites may share other components, and poolkit uses its own after the life.
    bases = (base for base in kind.__mro__ if base not in IPoolableComponent.__mro__)
    is_the_games = all(base.__module__.partition(".")[0] != "poolkit" for base in bases)
    return issubclass(kind, PooledSprite) or (is_the_games and issubclass(kind, IPoolableComponent))


class _EndedLife:
    """The end of one life, and what ended with it."""

    def __init__(
        self,
        record: _Record,
        reason: DespawnReason = DespawnReason.DESPAWNED,
        place: Place | None = None,
    ) -> None:
        self.record, self._reason, self._place = record, reason, place
        *parts, root = parts_of(record.instance)
        # What is locked, each with its name, as "Health of orc #0007"; and its rigid bodies.
        self._parts = [(record.label, root)]
        self._parts += [
            (f"{kind_of(part).__name__} of {record.label}", part)
            for part in parts
            if _can_be_locked(kind_of(part))
        ]
        self._rigids: Any = [part for part in parts if issubclass(kind_of(part), PlayComponent)]
        self._places_when_locked: dict[str, str] = {}
        self.referrers: str | None = None  # that a message has named

    def __str__(self) -> str:
        why = "" if self._reason is DespawnReason.DESPAWNED else f" ({self._reason.value})"
        return f"despawned at {self._place or 'a place that was not noted'}{why}"

    def despawned_again(self) -> UseAfterDespawnError:
        """Return the error for a second despawn."""
        message = (
            f"{self.record.label} was despawned again, at {place_of_caller()}, in a later frame "
            f"than the one in which it was {self}. What may be over by now is despawned by its "
            "handle: handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)

    def lock(self) -> None:
        """Let the instance and its parts refuse."""
        self._places_when_locked = self._places()
        for name, part in self._parts:
            guard.lock(part, name, self)

    def unlock(self) -> None:
        """Let them be used again; raise if an alias moved one while it was inactive."""
        for _, part in self._parts:
            guard.unlock(part)
        now = self._places()
        moved = [what for what, place in self._places_when_locked.items() if now[what] != place]
        if moved:
            message = (
                f"{self.record.label} was used after its despawn: {'; '.join(moved)} since it was "
                f"{self}. Something of the game still has it, or its rect or body, as a variable, "
                "a list or a closure"
            )
            raise guard.UseOfEndedLifeError(message, self)

    def forget_instance(self) -> None:
        """Keep nothing of an instance that is destroyed."""
        for _, part in self._parts:
            guard.weaken(part)
        self._parts = self._rigids = []

    def leftovers(self) -> list[str]:
        """Return what groups and spaces it is still in."""
        label = self.record.label
        left = [
            f"{name} is still in {group!r}"
            for name, sprite in self._sprites()
            for group in groups_with(sprite, self.record)
        ]
        bodies = (body for rigid in self._rigids for body in bodies_in_space(rigid))
        return left + [f"{body!r} of {label} is still in its space" for body in bodies]

    def _sprites(self) -> list[tuple[str, Any]]:
        return [entry for entry in self._parts if isinstance(entry[1], pygame.sprite.Sprite)]

    def _places(self) -> dict[str, str]:
        """Return where its rects and bodies are, by what to say if they have moved."""
        places = {}
        for name, sprite in self._sprites():
            rect = getattr(sprite, "rect", None)
            places[f"the rect of {name} was written"] = str(rect and [*rect])
        bodies = [body for rigid in self._rigids for body in rigid.bodies]
        motion = [(b.position, b.angle, b.velocity, b.angular_velocity) for b in bodies]
        return places | {f"a body of {self.record.label} was moved": str(motion)}


_QUARANTINE = 1.0  # seconds
_MOST_HELD = 1_000  # of each pool, so that memory is bounded whatever a game does


class _Quarantine:
    """Keeps instances from their pools for a while after their lives."""

    def __init__(self) -> None:
        self._now = 0.0  # seconds of game time
        # When to release which instances, by pool; the longest dead come first.
        self._held: dict[Pool[Any], dict[_Record, float]] = {}

    def count(self, pool: Pool[Any]) -> int:
        return len(self._held.get(pool, ()))

    def holds_alone(self, record: _Record) -> bool:
        return record.hold_count == 1 and record in self._held.get(record.pool, ())

    def hold(self, record: _Record) -> None:
        """Hold an instance whose life has just ended, unless it is to be destroyed."""
        if is_to_rest(record):
            record.add_hold()
            held = self._held.setdefault(record.pool, {})
            held[record] = self._now + _QUARANTINE
            if len(held) > _MOST_HELD:
                self._release(held, [next(iter(held))])

    def advance(self, dt: float) -> None:
        """Release those whose time has come, and those that are to be destroyed after all."""
        self._now += dt
        now = self._now + ROUNDING
        for held in list(self._held.values()):
            due = [record for record, until in held.items() if until <= now or record.is_doomed]
            self._release(held, due)

    def forget(self) -> None:
        """Forget all that it holds, without giving it back."""
        self._held.clear()

    def release(self, name: str | None = None) -> None:
        """Release those of pools of that name, or all."""
        for pool in [pool for pool in self._held if name in {None, pool.name}]:
            held = self._held.pop(pool)
            self._release(held, list(held))

    @staticmethod
    def _release(held: dict[_Record, float], records: list[_Record]) -> None:
        for record in records:
            if held.pop(record, None) is not None:  # else a `destroyed` hook has released it
                record.release_hold()


# -- what it sees -----------------------------------------------------------------------------

_LONGEST_FRAME = 5.0  # seconds


class _StrictWatch(LifeWatcher, TimeWatcher):
    """Strict mode of one system."""

    def __init__(self, context: SystemContext) -> None:
        self.quarantine: _Quarantine = _Quarantine()
        self._context = context
        self._life_watchers: list[LifeWatcher] = [self]
        self._time_watchers = [self, GrouplessWatch(context)]
        self._chaos: ChaosPolicy | None = None
        self._thread = threading.current_thread()
        self.places_of_spawn: dict[_Record, Place | None] = {}  # for `unreturned`
        records = [record for pool in context.pools for record in pool._records]
        # Lives that ended since the last update, maybe destroyed; and those locked until reuse.
        self._ended_this_frame = {
            record: _EndedLife(record)
            for record in records
            if not record.active and record.generation
        }
        self._locked: dict[_Record, _EndedLife] = {}
        self._warned: set[object] = set()  # what was said, as it is said once

    # -- on and off ---------------------------------------------------------------------------

    def start(self) -> None:
        for watcher in self._life_watchers:
            self._context.watch_lives(watcher)
        self._context.time_watchers += self._time_watchers

    def start_chaos(self, seed: int | str) -> None:
        if self._chaos is None:
            self._chaos = ChaosPolicy()
            self._life_watchers.append(self._chaos)
            self._context.watch_lives(self._chaos)
        self._chaos.restart(seed)

    def stop(self) -> None:
        context = self._context
        for world in physics_worlds():  # other strict systems watch it from their next update on
            if isinstance(vars(world).get("step"), _WatchedStep):
                del vars(world)["step"]
        self._unlock_all()
        context.time_watchers = [
            watcher for watcher in context.time_watchers if watcher not in self._time_watchers
        ]
        for watcher in self._life_watchers:
            context.unwatch_lives(watcher)
        self.quarantine.release()

    def _unlock_all(self) -> None:
        for entry in list(guard.guarded.values()):
            if entry.life.record.context is self._context:
                guard.unlock(entry.get())

    # -- lives --------------------------------------------------------------------------------

    def on_call(self, what: str, name: str) -> None:
        thread = threading.current_thread()
        if thread is not self._thread:
            message = (
                f"{what} of {name} was called in thread {thread.name!r}, but poolkit is for one "
                f"thread, and this system's is {self._thread.name!r}: put the request into a "
                "queue.Queue, and carry it out in your game loop"
            )
            raise PoolError(message)
        if what in {"reset()", "dispose()", "clear()"}:
            self.quarantine.release(None if name == "the pools" else name)

    def on_acquiring(self, pool: Pool[Any], protected: Collection[_Record]) -> None:
        del protected
        num_held = self.quarantine.count(pool)
        if num_held and num_held == pool.inactive_count:
            context_of(pool).clock.warn_if_never_updated(num_held)

    def on_restoring(self) -> None:
        self._unlock_all()
        self._ended_this_frame.clear()
        self._locked.clear()
        self.quarantine.forget()

    def on_spawning(self, record: _Record) -> None:
        self.places_of_spawn[record] = place_of_caller()
        self._ended_this_frame.pop(record, None)
        life = self._locked.pop(record, None)
        if life is not None:
            life.unlock()
        kind = kind_of(record.instance)
        if kind not in self._warned:
            self._warned.add(kind)
            _check_update(record.instance)

    def on_despawned(self, record: _Record, reason: DespawnReason) -> None:
        self._ended_this_frame[record] = _EndedLife(record, reason, place_of_caller())
        if reason is not DespawnReason.DISPOSED and not record.context.resetting:
            self.quarantine.hold(record)

    def on_double_despawn(self, record: _Record) -> None:
        # Only of what can't refuse, or of what is destroyed.
        guarded = (entry.life for entry in guard.guarded.values())
        for life in (*self._locked.values(), *guarded):
            if life.record is record:
                raise life.despawned_again()

    def on_removed(self, record: _Record) -> None:
        self.places_of_spawn.pop(record, None)
        if record in self._locked:  # else it is locked from the next update on
            self._locked.pop(record).forget_instance()

    # -- frames -------------------------------------------------------------------------------

    def on_updating(self, dt: float) -> None:
        """Begin a frame: what ended in the one before refuses from now on."""
        self.on_call("update", "the pools")
        if dt >= _LONGEST_FRAME and "dt" not in self._warned:
            self._warned.add("dt")
            _log.warning(
                "update(%(dt)g) lets %(dt)g seconds pass in one frame: if these are milliseconds, "
                "as clock.tick() returns, divide them by 1000",
                {"dt": dt},
            )
        for world in physics_worlds():
            vars(world).setdefault("step", _WatchedStep(world))
        ended = self._settled_lives()
        try:
            self.check()
        finally:
            for life in ended:
                record = life.record
                self._locked[record] = self._ended_this_frame.pop(record)
                life.lock()
                if record.destroyed:
                    self.on_removed(record)
            self.quarantine.advance(dt)

    def _settled_lives(self) -> list[_EndedLife]:
        """Return the lives that ended in this frame, except those that a step still holds."""
        is_free = self.quarantine.holds_alone
        lives = self._ended_this_frame.values()
        return [life for life in lives if not life.record.hold_count or is_free(life.record)]

    def check(self) -> None:
        """Raise if lives that ended in this frame left something behind."""
        errors = ErrorCollector()
        for life in self._settled_lives():
            left = life.leftovers()
            if left:
                message = (
                    f"{'; '.join(left)}: but it was {life}. End in despawned() what spawned() "
                    "begins, or begin it with self.scope, which ends it"
                )
                errors.add(PoolError(message))
        errors.raise_all("lives that are over are still in the game")


def _check_update(instance: Any) -> None:
    """Warn of an `update` of the game's that doesn't call that of its components, as ours does."""
    updates = getattr(instance, "_updates", ()) if isinstance(instance, PooledSprite) else ()
    for kind in type(instance).__mro__ if updates else ():
        code = getattr(unwrapped(vars(kind).get("update")), "__code__", None)
        if code is not None and not is_of_the_game(code.co_filename):
            return
        if code is not None and "update" not in code.co_names:
            names = ", ".join(type(getattr(fn, "__self__", fn)).__name__ for fn in updates)
            words = "%s.update does not call super().update(dt), so these are never updated: %s"
            _log.warning(words, kind.__name__, names)
            return


# -- lives that were not returned -------------------------------------------------------------

_UNKNOWN = "places that were not noted"


class Unreturned(dict[str, tuple[Any, ...]]):
    """Active instances by the place that spawned them, as ``monsters.py:41 in spawn_wave``.

    The place with the most comes first, and of each the oldest instance; ``str()`` is a list.
    """

    def __init__(self, records: Mapping[str, list[Record[Any]]]) -> None:
        places = sorted(records, key=lambda place: (place == _UNKNOWN, -len(records[place]), place))
        super().__init__({place: tuple(e.instance for e in records[place]) for place in places})
        self._names = {place: Counter(e.pool.name for e in records[place]) for place in places}

    @property
    def total(self) -> int:
        """How many instances there are in all."""
        return sum(map(len, self.values()))

    def __str__(self) -> str:
        if not self:
            return "every instance was returned"
        were = "instance was" if self.total == 1 else "instances were"
        lines = [f"{self.total} {were} spawned and not returned:"]
        for place, names in self._names.items():
            kinds = ", ".join(f"{count} {name}" for name, count in names.most_common())
            lines.append(f"  {kinds}: {place}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Unreturned(num_places={len(self)}, num_instances={self.total})>"


def unreturned(
    system: PoolingSystem | ObjectPool[Any] = pools, *, persistent: bool = True
) -> Unreturned:
    """Group the active instances of a system or an object pool by the place that spawned them.

    Strict mode notes the places; without it all are in one entry.

    Args:
        system: The system or object pool.
        persistent: Whether to list lives that survive a reset.
    """
    context = context_of(checked_system(system, "unreturned()", ObjectPool))
    watch = watch_in(context)
    places = watch.places_of_spawn if watch else {}
    records: dict[str, list[Record[Any]]] = {}
    for pool in context.pools:
        for record in list(lives_of(pool)):
            if persistent or not record.is_persistent:
                records.setdefault(str(places.get(record) or _UNKNOWN), []).append(record)
    return Unreturned(records)


# -- rects that are moved without their bodies ------------------------------------------------

_MOVED = (
    "the rect of %s was moved from %s to %s, but its body was not, so the next step moves it back: "
    "assign sprite.position, which moves its bodies too"
)


class _WatchedStep:
    """Replaces the method `step` of a world, to warn of rects that were moved without a body."""

    def __init__(self, world: Any) -> None:
        self._world = weakref.ref(world)  # no cycle, so the world is freed as before
        self._last_places: dict[_Life, tuple[float, ...]] = {}  # where the last step put sprites
        self._warned: set[_Life] = set()

    def __call__(self, dt: float) -> int:
        __tracebackhide__ = True
        world: Any = self._world()
        sprites = list(self._sprites_with_body(world))
        for life, sprite, body in sprites:
            here = tuple(sprite.position)
            place = self._last_places.get(life, here)
            # Pixels: a rect is one of whole ones, or keeps fewer digits than a body.
            allowed = 1.0 if isinstance(sprite.rect, pygame.Rect) else 0.01
            is_moved = math.dist(here, place) > allowed < math.dist(here, body.position)
            if is_moved and life not in self._warned and watch_in(life[0].context):
                self._warned.add(life)
                places = [tuple(map(round, point)) for point in (place, here)]
                _log.warning(_MOVED, life[0].label, *places)
        try:
            steps: int = type(world).step(world, dt)
            return steps
        finally:
            self._last_places = {life: tuple(sprite.position) for life, sprite, _ in sprites}
            self._warned &= self._last_places.keys()

    @staticmethod
    def _sprites_with_body(world: Any) -> Iterator[tuple[_Life, Any, Any]]:
        for body in world.space.bodies:
            sprite = world.sprite_of(body)
            is_alive = sprite is not None and sprite.active and sprite.rect is not None
            if is_alive and sprite._play_handlers[0].body is body:  # which the sprite follows
                yield (sprite._pool_record, sprite._pool_record.generation), sprite, body
