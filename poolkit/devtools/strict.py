"""Strict mode: instances refuse to be used when their life is over."""

from __future__ import annotations

import contextlib
import logging
import math
import sys
import threading
import types
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pygame

from poolkit.core.clock import ROUNDING
from poolkit.core.errors import ErrorCollector, PoolError, UseAfterDespawnError
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.prefab import flat_groups
from poolkit.core.seams import (
    LifeWatcher,
    TimeWatcher,
    context_of,
    home_groups_of,
    is_to_rest,
    swap,
    unheard_subclass,
)
from poolkit.core.states import State
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.code import is_of_the_game, is_poolkits, kind_of, place_of_caller, unwrapped
from poolkit.devtools.given import checked_system
from poolkit.devtools.groupless import GrouplessWatch
from poolkit.devtools.leftovers import groups_of, parts_of, physics_worlds
from poolkit.devtools.unreturned import SpawnLog
from poolkit.sprites.components import PlayComponent
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record
    from poolkit.devtools.code import Place

    _Record = Record[Any]
    _Life = tuple[_Record, int]  # whose, and its number

_log = logging.getLogger("poolkit")


def enable_strict(system: PoolingSystem = pools) -> None:
    """Let misuse raise where it happens: for developing a game, and for its tests.

    A despawned instance isn't handed out again within a second of game time, as `update` counts it,
    so that who still has it meets a dead instance even where a pool is small; the pool makes more
    meanwhile, at a limit too. Of each pool at most 1,000 are kept back; the longest dead come back
    before their time, and where `update` is never called, only then. From the next `update` on
    until its next spawn, any use of an attribute or method of it or of its
    poolable components raises a `UseAfterDespawnError`, which names the instance, the attribute and
    the line that despawned it. You may still ask about it: `isinstance`, `repr`, ``==``, `hash`,
    `vars`, copying, pickling; of a sprite also `active`, `alive()` and `groups()`. Its `type` is a
    subclass of its class then.

    These raise as well:

    - to despawn what was despawned in an earlier frame (in the same frame it is `False`);
    - to spawn, despawn, prespawn or update in another thread than the one that calls this;
    - an `update` where a sprite is still in a group, or a body of a `RigidBody` in its space,
      although its life ended in the frame before. `audit` finds what else a life leaves behind;
    - to write the rect, or move the body, of a sprite at rest, which aliases can do: its next spawn
      raises. Other aliases, as an image, a list or a bound method, are not refused.

    The log ``poolkit`` tells of sprites whose rect is moved but not their body, of pools whose
    lives are in no group that the game holds, of an `update` that doesn't call ``super().update``,
    and of a system that is updated in milliseconds.

    Left alone are objects whose class can't be swapped (as `list`), components that are not an
    `IPoolableComponent`, poolkit's own, and the objects of an `ObjectPool`.

    Args:
        system: The system whose instances refuse. To call it twice changes nothing.

    Raises:
        TypeError: `system` is not a pooling system.
    """
    if is_strict(system):
        return
    context = context_of(system)
    watch = _StrictWatch(context)
    for each in watch.life_watchers:
        context.watch_lives(each)
    context.time_watchers += watch.time_watchers


def disable_strict(system: PoolingSystem = pools) -> None:
    """Let `system` be as before `enable_strict`.

    Raises:
        TypeError: `system` is not a pooling system.
    """
    watch = watch_of(system)
    if watch is None:
        return
    context = context_of(system)
    for world in physics_worlds():  # other systems in strict mode watch it from their next update
        if isinstance(vars(world).get("step"), _WatchedStep):
            del vars(world)["step"]
    for grave in list(_graves.values()):
        if grave.death.record.context is context:
            _accept(grave.reach())
    ours = watch.time_watchers
    context.time_watchers = [each for each in context.time_watchers if each not in ours]
    for each in watch.life_watchers:
        context.unwatch_lives(each)
    watch.quarantine.release()


def is_strict(system: PoolingSystem = pools) -> bool:
    """Return whether `system` is in strict mode."""
    return watch_of(system) is not None


def watch_of(system: PoolingSystem) -> _StrictWatch | None:
    """Return what watches a system in strict mode, or `None`."""
    return _watch_in(context_of(checked_system(system, "strict mode")))


def _watch_in(context: SystemContext) -> _StrictWatch | None:
    watchers = context.life_watchers
    return next((each for each in watchers if isinstance(each, _StrictWatch)), None)


# -- lives that are over ----------------------------------------------------------------------


@cache
def _may_refuse(kind: type) -> bool:
    # Several sprites may share other components, and poolkit uses its own after the life.
    bases = (each for each in kind.__mro__ if each not in IPoolableComponent.__mro__)
    is_own = all(each.__module__.partition(".")[0] != "poolkit" for each in bases)
    return issubclass(kind, PooledSprite) or (is_own and issubclass(kind, IPoolableComponent))


class _Death:
    """The end of one life, and what is over with it."""

    def __init__(
        self,
        record: _Record,
        reason: DespawnReason = DespawnReason.DESPAWNED,
        place: Place | None = None,
    ) -> None:
        self.record, self._reason, self._place = record, reason, place
        *others, root = parts_of(record)
        kinds = [(kind_of(each), each) for each in others]
        own = [(f"{kind.__name__} of {record.label}", e) for kind, e in kinds if _may_refuse(kind)]
        # What refuses, each with its name, as "Health of orc #0007"; and its rigid bodies.
        self._parts = [(record.label, root), *own]
        self._rigids: Any = [e for kind, e in kinds if issubclass(kind, PlayComponent)]
        self._at_rest: dict[str, str] = {}

    def __str__(self) -> str:
        why = "" if self._reason is DespawnReason.DESPAWNED else f" ({self._reason.value})"
        return f"despawned at {self._place or 'a place that was not noted'}{why}"

    def again(self) -> UseAfterDespawnError:
        message = (
            f"{self.record.label} was despawned again, at {place_of_caller()}, in a later frame "
            f"than the one in which it was {self}. What may be over by now is despawned by its "
            "handle: handle.despawn() does nothing then"
        )
        return UseAfterDespawnError(message)

    def refuse(self) -> None:
        self._at_rest = self._places()
        for name, part in self._parts:
            _refuse(part, name, self)

    def accept(self) -> None:
        """Let it be used again; raise if an alias moved it while it was at rest."""
        for _, part in self._parts:
            _accept(part)
        now = self._places()
        moved = [what for what, place in self._at_rest.items() if now[what] != place]
        if moved:
            message = (
                f"{self.record.label} was used after its despawn: {'; '.join(moved)} since it was "
                f"{self}. Something of the game still has it, as a variable, a list or a closure: "
                "referrers(instance) says who keeps what"
            )
            raise UseAfterDespawnError(message)

    def let_go(self) -> None:
        """Keep nothing of it: it is destroyed."""
        for _, part in self._parts:
            _let_go(part)
        self._parts = self._rigids = []

    def left(self) -> list[str]:
        """Return what groups and spaces it is still in."""
        homes, label = home_groups_of(self.record.pool), self.record.label
        found = []
        for name, sprite in self._sprites():
            own = flat_groups(getattr(sprite, "_home_groups", homes), "a sprite")
            found += [f"{name} is still in {group!r}" for group in groups_of(sprite, own)]
        bodies = [e for own in self._rigids for e in own.bodies if e.space is own.world.space]
        return found + [f"{each!r} of {label} is still in its space" for each in bodies]

    def _sprites(self) -> list[tuple[str, Any]]:
        return [each for each in self._parts if isinstance(each[1], pygame.sprite.Sprite)]

    def _places(self) -> dict[str, str]:
        """Return where its rects and bodies are, by what to say if they have moved."""
        found = {}
        for name, sprite in self._sprites():
            rect = getattr(sprite, "rect", None)
            found[f"the rect of {name} was written"] = str(rect and [*rect])
        bodies = [body for rigid in self._rigids for body in rigid.bodies]
        motion = str([(e.position, e.angle, e.velocity, e.angular_velocity) for e in bodies])
        return found | {f"a body of {self.record.label} was moved": motion}


class _Quarantine:
    """Keeps instances from their pools for a while after their lives."""

    def __init__(self) -> None:
        self._now = 0.0  # seconds of game time
        # When to release which instances, by pool; the longest dead come first.
        self._until: dict[Pool[Any], dict[_Record, float]] = {}

    def count(self, pool: Pool[Any]) -> int:
        return len(self._until.get(pool, ()))

    def holds_alone(self, record: _Record) -> bool:
        return record.hold_count == 1 and record in self._until.get(record.pool, ())

    def take(self, record: _Record) -> None:
        """Hold an instance whose life has just ended, unless it is to be destroyed."""
        if is_to_rest(record):
            record.add_hold()
            held = self._until.setdefault(record.pool, {})
            held[record] = self._now + _QUARANTINE
            if len(held) > _MOST_HELD:
                self._release(held, [next(iter(held))])

    def pass_time(self, dt: float) -> None:
        """Release those whose time has come, and those that are to be destroyed after all."""
        self._now += dt
        now = self._now + ROUNDING
        for held in list(self._until.values()):
            self._release(held, [e for e, until in held.items() if until <= now or e.is_doomed])

    def release(self, name: str | None = None) -> None:
        """Release those of pools of that name, or all."""
        for pool in [pool for pool in self._until if name in {None, pool.name}]:
            held = self._until.pop(pool)
            self._release(held, list(held))

    @staticmethod
    def _release(held: dict[_Record, float], records: list[_Record]) -> None:
        for record in records:
            if held.pop(record, None) is not None:  # else a `destroyed` hook has released it
                record.release_hold()


_QUARANTINE = 1.0  # seconds
_MOST_HELD = 1_000  # of each pool, so that memory is bounded whatever a game does


# -- what it sees -----------------------------------------------------------------------------


class _StrictWatch(LifeWatcher, TimeWatcher):
    """Strict mode of one system."""

    def __init__(self, context: SystemContext) -> None:
        self.quarantine = _Quarantine()
        self.life_watchers = (SpawnLog(), self)
        self.time_watchers = (self, GrouplessWatch(context))
        self._thread = threading.current_thread()
        known = [record for pool in context.pools for record in pool._records]
        # What died since the last update, maybe destroyed; and what refuses until it is reused.
        self._fresh = {each: _Death(each) for each in known if not each.active and each.generation}
        self._resting: dict[_Record, _Death] = {}
        self._told: set[object] = set()  # what was said, as it is said once

    def called(self, what: str, name: str) -> None:
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

    def acquiring(self, pool: Pool[Any], spared: Collection[_Record]) -> None:
        del spared
        num_held = self.quarantine.count(pool)
        if num_held and num_held == pool.inactive_count:
            context_of(pool).clock.expect_update(num_held)

    def beginning(self, record: _Record) -> None:
        self._fresh.pop(record, None)
        death = self._resting.pop(record, None)
        if death is not None:
            death.accept()
        kind = kind_of(record.instance)
        if kind not in self._told:
            self._told.add(kind)
            _look_at_update(record.instance)

    def ended(self, record: _Record, reason: DespawnReason) -> None:
        self._fresh[record] = _Death(record, reason, place_of_caller())
        if reason is not DespawnReason.DISPOSED and not record.context.resetting:
            self.quarantine.take(record)

    def ended_again(self, record: _Record) -> None:
        # Only of what can't refuse, or of what is destroyed.
        for death in (*self._resting.values(), *(grave.death for grave in _graves.values())):
            if death.record is record:
                raise death.again()

    def gone(self, record: _Record) -> None:
        if record in self._resting:  # else it refuses from the next update on
            self._resting.pop(record).let_go()

    def updating(self, dt: float) -> None:
        """Begin a frame: what died in the one before refuses from now on."""
        self.called("update", "the pools")
        if dt >= _LONGEST_FRAME and "dt" not in self._told:
            self._told.add("dt")
            _log.warning(
                "update(%(dt)g) lets %(dt)g seconds pass in one frame: if these are milliseconds, "
                "as clock.tick() returns, divide them by 1000",
                {"dt": dt},
            )
        for world in physics_worlds():
            vars(world).setdefault("step", _WatchedStep(world))
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
            self.quarantine.pass_time(dt)

    def _over(self) -> list[_Death]:
        """Return the lives that ended in this frame, except those that a step still holds."""
        is_free = self.quarantine.holds_alone
        every = self._fresh.values()
        return [e for e in every if not e.record.hold_count or is_free(e.record)]

    def check(self) -> None:
        """Raise if lives that ended in this frame left something behind."""
        errors = ErrorCollector()
        for death in self._over():
            left = death.left()
            if left:
                message = (
                    f"{'; '.join(left)}: but it was {death}. End in despawned() what spawned() "
                    "begins, or begin it with self.scope, which ends it"
                )
                errors.add(PoolError(message))
        errors.raise_all("lives that are over are still in the game")


_LONGEST_FRAME = 5.0  # seconds


def _look_at_update(instance: Any) -> None:
    """Say which `update` of the game doesn't call that of its components, as ours does."""
    updated = getattr(instance, "_updates", ()) if isinstance(instance, PooledSprite) else ()
    for kind in type(instance).__mro__ if updated else ():
        code = getattr(unwrapped(vars(kind).get("update")), "__code__", None)
        if code is not None and not is_of_the_game(code.co_filename):
            return
        if code is not None and "update" not in code.co_names:
            names = ", ".join(type(getattr(each, "__self__", each)).__name__ for each in updated)
            words = "%s.update does not call super().update(dt), so these are never updated: %s"
            _log.warning(words, kind.__name__, names)
            return


# -- refusing: the class of an object is swapped for a subclass that raises -------------------

# An object that refuses still answers what only looks at it: its class, repr, equality and hash,
# copying and pickling, `vars` and `dir`, debuggers, the module `inspect`. It also answers poolkit,
# which looks after dead instances, and its own `destroyed` hook.


class _Grave(NamedTuple):
    """What is known of an object that refuses."""

    name: str  # in messages: "Health of orc #0007"
    death: _Death
    reach: Callable[[], Any]  # the object, or `None` where it is being freed


# By id: what refuses may have no hash. The grave is gone before the object's finalizer runs, which
# may use it.
_graves: dict[int, _Grave] = {}


def _refuse(instance: Any, name: str, death: _Death) -> None:
    if id(instance) not in _graves:
        try:
            swap(instance, _refusing(kind_of(instance)))
        except TypeError:  # a builtin type, or one with a layout of its own
            return
        _graves[id(instance)] = _Grave(name, death, lambda: instance)


def _accept(instance: Any) -> None:
    kind = vars(type(instance)).get(_REFUSED)
    if kind is not None:
        _graves.pop(id(instance), None)
        swap(instance, kind)


def _let_go(instance: Any) -> None:
    """Let a destroyed object refuse for as long as something refers to it."""
    key = id(instance)
    grave = _graves.get(key)
    if grave is not None:
        try:
            ghost = weakref.ref(instance, lambda _: _graves.pop(key, None))
            _graves[key] = grave._replace(reach=ghost)
        except TypeError:  # it can't be told when it is freed
            _accept(instance)


_REFUSED = "__poolkit_refused__"


@contextlib.contextmanager
def _as_it_was(*objects: Any) -> Iterator[None]:
    """Give objects that refuse their own class back while this lasts."""
    swapped = [(each, kind) for each in objects if _REFUSED in vars(kind := type(each))]
    for each, refusing in swapped:
        swap(each, vars(refusing)[_REFUSED])
    try:
        yield
    finally:
        for each, refusing in swapped:
            swap(each, refusing)


_LOOKING_ONLY = frozenset({"inspect", "pydoc", "rlcompleter", "_pydevd_bundle", "debugpy"})


def _check(instance: Any, name: str, how: str, frame: FrameType) -> None:
    __tracebackhide__ = True  # pytest shows the line of the game's that misused it
    grave = _graves.get(id(instance))
    if grave is None or is_poolkits(frame.f_code.co_filename):
        return
    module = frame.f_globals.get("__name__") or ""
    record = grave.death.record
    # Its `destroyed` hooks are running, which are the last to use an instance.
    is_last_use = record.state is State.DESTROYED and record.instance is not None
    if module.partition(".")[0] not in _LOOKING_ONLY and not is_last_use:
        raise _misuse(grave, name, how)


def _misuse(grave: _Grave, name: str, how: str) -> UseAfterDespawnError:
    message = (
        f"{grave.name} was used after its despawn: its {name!r} was {how}, but it was "
        f"{grave.death}. Where a life may end, keep a handle, and use what handle.get() returns"
    )
    return UseAfterDespawnError(message)


def _read(self: Any, name: str) -> Any:
    __tracebackhide__ = True
    grave = _graves.get(id(self))
    if name == "_pool_record" and grave is not None:
        return grave.death.record  # a destroyed object of any kind finds it
    is_special = name == "_Sprite__g" or name[:2] == "__" == name[-2:]  # pygame's: its groups
    if is_special or name in vars(type(self)):
        return object.__getattribute__(self, name)
    _check(self, name, "read", sys._getframe(1))
    with _as_it_was(self):
        return getattr(self, name)


def _changing(how: str, change: Callable[..., None]) -> Callable[..., None]:
    def use(self: Any, name: str, *value: object) -> None:
        __tracebackhide__ = True
        _check(self, name, how, sys._getframe(1))
        with _as_it_was(self):
            change(self, name, *value)

    return use


def _describe(self: Any) -> str:
    grave = _graves.get(id(self))
    what = f"{grave.death.record.label}, {grave.death}" if grave else "that is being freed"
    return f"<{type(self).__name__} {what}>"


def _update(self: Any, *_: object, **__: object) -> None:
    # A group may call it for sprites that were killed earlier in the same pass.
    __tracebackhide__ = True
    caller = sys._getframe(1)
    if is_of_the_game(caller.f_code.co_filename):
        _check(self, "update", "called", caller)


def _kill(self: Any) -> None:
    grave = _graves.get(id(self))
    # Of a system that was disposed of, despawns are ignored.
    if grave is not None and not grave.death.record.context.closed:
        raise grave.death.again()


def _join(self: Any, group: Any) -> NoReturn:
    group.remove_internal(self)  # it has taken the sprite in already
    raise _misuse(_graves[id(self)], "add", "called, to join a group")


def _as_ever(method: Callable[..., Any]) -> Callable[..., Any]:
    def use(*objects: Any) -> Any:
        with _as_it_was(*objects):
            return method(*objects)

    return use


_OF_ALL: dict[str, Any] = {
    "__slots__": (),
    "__getattribute__": _read,
    "__getattr__": object.__getattribute__,  # not the game's own, which would use the object
    "__setattr__": _changing("written", setattr),
    "__delattr__": _changing("deleted", delattr),
    "__repr__": _describe,
    "__str__": _describe,
}
_OF_SPRITES: dict[str, Any] = {
    name: vars(pygame.sprite.Sprite)[name]
    for name in ("alive", "groups", "remove", "remove_internal")
} | {"add_internal": _join, "update": _update, "kill": _kill}

# These don't count as uses. Python finds them without asking the object.
_ANSWERED_AS_EVER = {"__eq__", "__ne__", "__hash__", "__copy__", "__deepcopy__", "__del__"}
_ANSWERED_AS_EVER |= {"__dir__", "__reduce__", "__reduce_ex__"}


@cache
def _refusing(kind: Any) -> type:
    """Return the subclass of `kind` that refuses.

    Raises:
        TypeError: It can have no such subclass.
    """
    names: dict[str, Any] = {**_OF_ALL, _REFUSED: kind}
    if issubclass(kind, pygame.sprite.Sprite):
        names |= _OF_SPRITES
    if issubclass(kind, PooledSprite):
        names["active"] = property(lambda _: False)
    for name in _ANSWERED_AS_EVER:
        method: Any = getattr(kind, name, None)
        if isinstance(method, types.FunctionType) or "__reduce" in name:
            names[name] = _as_ever(method)
    names.setdefault("__hash__", kind.__hash__)  # every object's, or none
    return unheard_subclass(kind, names)


# -- rects that are moved without their bodies ------------------------------------------------


_MOVED = (
    "the rect of %s was moved from %s to %s, but its body was not, so the next step moves it back: "
    "assign sprite.position, which moves its bodies too"
)


class _WatchedStep:
    """Replaces the method `step` of a world, to tell of rects that were moved without a body."""

    def __init__(self, world: Any) -> None:
        self._world = weakref.ref(world)  # no cycle, so the world is freed as before
        self._put: dict[_Life, tuple[float, ...]] = {}  # where the last step put sprites
        self._told: set[_Life] = set()

    def __call__(self, dt: float) -> int:
        __tracebackhide__ = True
        world: Any = self._world()
        driven = list(self._driven(world))
        for life, sprite, body in driven:
            here = tuple(sprite.position)
            place = self._put.get(life, here)
            # Pixels: a rect is one of whole ones, or keeps fewer digits than a body.
            allowed = 1.0 if isinstance(sprite.rect, pygame.Rect) else 0.01
            is_moved = math.dist(here, place) > allowed < math.dist(here, body.position)
            if is_moved and life not in self._told and _watch_in(life[0].context):
                self._told.add(life)
                _log.warning(_MOVED, life[0].label, *(tuple(map(round, e)) for e in (place, here)))
        try:
            steps: int = type(world).step(world, dt)
            return steps
        finally:
            self._put = {life: tuple(sprite.position) for life, sprite, _ in driven}
            self._told &= self._put.keys()

    @staticmethod
    def _driven(world: Any) -> Iterator[tuple[_Life, Any, Any]]:
        for body in world.space.bodies:
            sprite = world.sprite_of(body)
            is_alive = sprite is not None and sprite.active and sprite.rect is not None
            if is_alive and sprite._play_handlers[0].body is body:  # which the sprite follows
                yield (sprite._pool_record, sprite._pool_record.generation), sprite, body
