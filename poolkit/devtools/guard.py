"""Objects that refuse to be used: their class is swapped for a subclass that raises.

A locked object still answers what only looks at it: its class, repr, equality and hash, copying and
pickling, `vars` and `dir`, debuggers, the module `inspect`. It also answers poolkit, which looks
after ended lives, and its own `destroyed` hook.
"""

from __future__ import annotations

import contextlib
import sys
import types
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

import pygame

from poolkit.core.errors import UseAfterDespawnError
from poolkit.core.seams import set_class, silent_subclass
from poolkit.core.states import State
from poolkit.devtools.code import is_of_the_game, is_poolkits, kind_of
from poolkit.devtools.referrers import referrers
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from poolkit.core.record import Record


class EndedLife(Protocol):
    """The life whose end locked an object; `str()` says how it ended."""

    record: Record[Any]
    referrers: str | None  # who still refers to the instance, once that was asked

    def despawned_again(self) -> UseAfterDespawnError:
        """Return the error for a second despawn."""


class GuardedObject(NamedTuple):
    """What is known of a locked object."""

    name: str  # in messages: "Health of orc #0007"
    life: EndedLife
    get: Callable[[], Any]  # the object, or `None` where it is being freed


# By id: what is locked may have no hash. An entry is gone before the object's finalizer runs, which
# may use it.
guarded: dict[int, GuardedObject] = {}


class UseOfEndedLifeError(UseAfterDespawnError):
    """Says who still refers to an instance.

    It finds out when it is shown, once for each life: to look through the heap takes long, and a
    game may handle such errors in every frame.
    """

    def __init__(self, message: str, life: EndedLife) -> None:
        super().__init__(message)
        self._life = life

    def __str__(self) -> str:
        if self._life.referrers is None:
            self._life.referrers = ""
            instance = self._life.record.instance
            with contextlib.suppress(Exception), _OriginalClasses(instance):
                ways = referrers(instance)
                more = f" and {len(ways) - _MOST_WAYS} more" if len(ways) > _MOST_WAYS else ""
                names = ", ".join(ways[:_MOST_WAYS])
                self._life.referrers = f". Still referred to by: {names}{more}" if ways else ""
        return f"{super().__str__()}{self._life.referrers}"

    def __reduce__(self) -> tuple[Any, ...]:
        return UseAfterDespawnError, (str(self),)  # another process knows no lives


_MOST_WAYS = 3  # that a message names


def lock(instance: Any, name: str, life: EndedLife) -> None:
    """Let an object refuse, unless it does or can't."""
    if id(instance) not in guarded:
        try:
            set_class(instance, _refusing_class(kind_of(instance)))
        except TypeError:  # a builtin type, or one with a layout of its own
            return
        guarded[id(instance)] = GuardedObject(name, life, lambda: instance)


def unlock(instance: Any) -> None:
    """Let an object be used again."""
    kind = vars(type(instance)).get(_ORIGINAL)
    if kind is not None:
        guarded.pop(id(instance), None)
        set_class(instance, kind)


def weaken(instance: Any) -> None:
    """Keep a destroyed object locked while something else refers to it, but don't hold it."""
    key = id(instance)
    entry = guarded.get(key)
    if entry is not None:
        try:
            reference = weakref.ref(instance, lambda _: guarded.pop(key, None))
            guarded[key] = entry._replace(get=reference)
        except TypeError:  # nothing tells when it is freed
            unlock(instance)


_ORIGINAL = "__poolkit_refused__"  # where a refusing class has the class it stands for


class _OriginalClasses:
    """Gives locked objects their own class back while it is entered."""

    # No generator, which would be among the objects that refer to an instance.
    def __init__(self, *objects: Any) -> None:
        self._swapped = [(o, type(o)) for o in objects if _ORIGINAL in vars(type(o))]

    def __enter__(self) -> None:
        for thing, refusing in self._swapped:
            set_class(thing, vars(refusing)[_ORIGINAL])

    def __exit__(self, *_: object) -> None:
        for thing, refusing in self._swapped:
            set_class(thing, refusing)


# -- what raises ------------------------------------------------------------------------------

_LOOKING_ONLY = frozenset({"inspect", "pydoc", "rlcompleter", "_pydevd_bundle", "debugpy"})


def _ensure_allowed(instance: Any, name: str, how: str, frame: FrameType) -> None:
    __tracebackhide__ = True  # pytest shows the line of the game's that misused it
    entry = guarded.get(id(instance))
    if entry is None or is_poolkits(frame.f_code.co_filename):
        return
    module = frame.f_globals.get("__name__") or ""
    record = entry.life.record
    # Its `destroyed` hooks are running, which are the last to use an instance.
    is_last_use = record.state is State.DESTROYED and record.instance is not None
    if module.partition(".")[0] not in _LOOKING_ONLY and not is_last_use:
        raise _misuse(entry, name, how)


def _misuse(entry: GuardedObject, name: str, how: str) -> UseAfterDespawnError:
    message = (
        f"{entry.name} was used after its despawn: its {name!r} was {how}, but it was "
        f"{entry.life}. Where a life may end, keep a handle, and use what handle.get() returns"
    )
    return UseOfEndedLifeError(message, entry.life)


def _read(self: Any, name: str) -> Any:
    __tracebackhide__ = True
    entry = guarded.get(id(self))
    if name == "_pool_record" and entry is not None:
        return entry.life.record  # a destroyed object of any kind finds it
    is_special = name == "_Sprite__g" or name[:2] == "__" == name[-2:]  # pygame's: its groups
    if is_special or name in vars(type(self)):
        return object.__getattribute__(self, name)
    _ensure_allowed(self, name, "read", sys._getframe(1))
    with _OriginalClasses(self):
        return getattr(self, name)


def _changing(how: str, change: Callable[..., None]) -> Callable[..., None]:
    def use(self: Any, name: str, *value: object) -> None:
        __tracebackhide__ = True
        _ensure_allowed(self, name, how, sys._getframe(1))
        with _OriginalClasses(self):
            change(self, name, *value)

    return use


def _describe(self: Any) -> str:
    entry = guarded.get(id(self))
    what = f"{entry.life.record.label}, {entry.life}" if entry else "that is being freed"
    return f"<{type(self).__name__} {what}>"


def _update(self: Any, *_: object, **__: object) -> None:
    # A group may call it for sprites that were killed earlier in the same pass.
    __tracebackhide__ = True
    caller = sys._getframe(1)
    if is_of_the_game(caller.f_code.co_filename):
        _ensure_allowed(self, "update", "called", caller)


def _kill(self: Any) -> None:
    entry = guarded.get(id(self))
    # Of a system that was disposed of, despawns are ignored.
    if entry is not None and not entry.life.record.context.closed:
        raise entry.life.despawned_again()


def _join(self: Any, group: Any) -> NoReturn:
    group.remove_internal(self)  # it has taken the sprite in already
    raise _misuse(guarded[id(self)], "add", "called, to join a group")


def _answering(method: Callable[..., Any]) -> Callable[..., Any]:
    def use(*objects: Any) -> Any:
        with _OriginalClasses(*objects):
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
_ALWAYS_ANSWERED = {"__eq__", "__ne__", "__hash__", "__copy__", "__deepcopy__", "__del__"}
_ALWAYS_ANSWERED |= {"__dir__", "__reduce__", "__reduce_ex__"}


@cache
def _refusing_class(kind: Any) -> type:
    """Return the subclass of `kind` whose instances refuse.

    Raises:
        TypeError: It can have no such subclass.
    """
    members: dict[str, Any] = {**_OF_ALL, _ORIGINAL: kind}
    if issubclass(kind, pygame.sprite.Sprite):
        members |= _OF_SPRITES
    if issubclass(kind, PooledSprite):
        members["active"] = property(lambda _: False)
    for name in _ALWAYS_ANSWERED:
        method: Any = getattr(kind, name, None)
        if isinstance(method, types.FunctionType) or "__reduce" in name:
            members[name] = _answering(method)
    members.setdefault("__hash__", kind.__hash__)  # every object's, or none
    return silent_subclass(kind, members)
