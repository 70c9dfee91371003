"""Objects that refuse to be used: their class is swapped for a subclass that raises.

What asks about such an object without using it is answered: its class, its repr, its equality and
hash, copying and pickling, `vars` and `dir`, debuggers and the module `inspect`. So is poolkit
itself, which has dead instances to look after, and an instance's own `destroyed` hook.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pygame

from poolkit.core.errors import UseAfterDespawnError
from poolkit.core.record import State
from poolkit.devtools.code import is_of_the_game, is_poolkits, kind_of
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.strict.watch import Death


class Grave(NamedTuple):
    """What a refusing object has to say.

    Attributes:
        role: What it is to the instance that it is, or is a part of: ``Health of {}``.
        record: The record of that instance.
        death: How its last life ended.
    """

    role: str
    record: PoolablePrefabData[Any]
    death: Death


_graves: dict[int, Grave] = {}  # by id: what refuses may have no hash, and must not be asked
# The collector tells of an object's end, and its grave is forgotten, before it runs finalizers.
_BEING_FREED = "that is being freed"


def refuse(instance: Any, grave: Grave) -> bool:
    """Let `instance` refuse to be used; return whether its class could be swapped for that.

    It can't for builtin types, and for those with a layout of their own.
    """
    if is_refusing(instance):
        return False
    try:
        _swap(instance, _refusing(kind_of(instance)))
    except TypeError:
        return False
    _graves[id(instance)] = grave
    return True


def accept(instance: Any) -> None:
    """Let `instance` be used again, if it refuses to be."""
    kind = vars(type(instance)).get(_REFUSED)
    if kind is not None:
        _graves.pop(id(instance), None)
        _swap(instance, kind)


def forget(key: int) -> None:
    """Drop what a refusing object had to say whose `id` was `key`: it is gone."""
    _graves.pop(key, None)


def is_refusing(instance: object) -> bool:
    """Return whether `instance` refuses to be used."""
    return _REFUSED in vars(type(instance))


# Not instance.__class__ = kind: a refusing class answers to that name with the class it refuses.
_swap: Callable[[Any, type], None] = object.__dict__["__class__"].__set__

_REFUSED = "__poolkit_refused__"
_ANSWERED = "__poolkit_answered__"


@contextmanager
def _as_it_was(*objects: Any) -> Iterator[None]:
    """Let refusing objects among `objects` be what they were, for as long as this lasts."""
    swapped = [(each, type(each)) for each in objects if is_refusing(each)]
    for each, _ in swapped:
        _swap(each, vars(type(each))[_REFUSED])
    try:
        yield
    finally:
        for each, refusing in swapped:
            _swap(each, refusing)


# -- who may use it all the same --------------------------------------------------------------

_LOOKING_ONLY = frozenset({"inspect", "pydoc", "rlcompleter", "_pydevd_bundle", "debugpy"})


def _check(instance: Any, name: str, how: str, frame: FrameType) -> None:
    """Let through who only looks.

    Raises:
        UseAfterDespawnError: It is a use.
    """
    __tracebackhide__ = True  # pytest shows the line of the game's that misused it
    if is_poolkits(frame.f_code.co_filename):
        return
    module = frame.f_globals.get("__name__") or ""
    grave = _graves.get(id(instance))
    is_looked_at = module.partition(".")[0] in _LOOKING_ONLY
    # Its `destroyed` hooks are running, which are the last to use an instance.
    is_last_use = grave is not None and (
        grave.record.state is State.DESTROYED and grave.record.instance is not None
    )
    if not is_looked_at and not is_last_use:
        raise _misuse(instance, name, how)


def _misuse(instance: Any, name: str, how: str) -> UseAfterDespawnError:
    who, end = f"{type(instance).__name__} {_BEING_FREED}", "destroyed"
    grave = _graves.get(id(instance))
    if grave is not None:
        who, end = grave.role.format(grave.record.label), str(grave.death)
    message = (
        f"{who} was used after its despawn: its {name!r} was {how}, but it was {end}. "
        "Where a life may end, keep a handle, and use what handle.get() returns"
    )
    return UseAfterDespawnError(message)


# -- what a refusing class consists of --------------------------------------------------------


def _read(self: Any, name: str) -> Any:
    __tracebackhide__ = True
    if name in vars(type(self))[_ANSWERED] or (name[:2] == "__" == name[-2:]):
        return object.__getattribute__(self, name)
    _check(self, name, "read", sys._getframe(1))
    with _as_it_was(self):
        return getattr(self, name)


def _read_in_vain(self: Any, name: str) -> Any:
    """Stand for the game's own ``__getattr__``, which would use the object to find an answer."""
    grave = _graves.get(id(self))
    if name == "_pool_data" and grave:  # so that a destroyed object of any kind finds its record
        return grave.record
    message = f"{type(self).__name__!r} object has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=self)


def _changing(how: str, change: Callable[..., None]) -> Callable[..., None]:
    def use(self: Any, name: str, *value: object) -> None:
        __tracebackhide__ = True
        _check(self, name, how, sys._getframe(1))
        with _as_it_was(self):
            change(self, name, *value)

    return use


def _describe(self: Any) -> str:
    """Return ``<Orc orc #0007, despawned at monsters.py:41 in Orc.hit>``."""
    grave = _graves.get(id(self))
    what = f"{grave.record.label}, {grave.death}" if grave else _BEING_FREED
    return f"<{type(self).__name__} {what}>"


def _update(self: Any, *_: object, **__: object) -> None:
    """Do nothing for a group, which updates sprites that were killed earlier in the same pass."""
    __tracebackhide__ = True
    caller = sys._getframe(1)
    if is_of_the_game(caller.f_code.co_filename):
        _check(self, "update", "called", caller)


def _kill(self: Any) -> None:
    grave = _graves.get(id(self))
    # Of a system that was disposed of, despawns are ignored.
    if grave is not None and not grave.record.pool._context.closed:
        raise grave.death.again(grave.record)


def _join(self: Any, group: Any) -> NoReturn:
    group.remove_internal(self)  # it has taken the sprite in already
    raise _misuse(self, "add", "called, to join a group")


def _answered_as_before(method: Callable[..., Any]) -> Callable[..., Any]:
    def answer(self: Any, *arguments: Any) -> Any:
        with _as_it_was(self, *arguments):
            return method(self, *arguments)

    return answer


_OF_ALL: dict[str, Any] = {
    "__slots__": (),
    "__getattribute__": _read,
    "__getattr__": _read_in_vain,
    "__setattr__": _changing("written", setattr),
    "__delattr__": _changing("deleted", delattr),
    "__repr__": _describe,
    "__str__": _describe,
    "__format__": lambda self, form: format(_describe(self), form),
}
_OF_SPRITES: dict[str, Any] = {
    name: vars(pygame.sprite.Sprite)[name]
    for name in ("alive", "groups", "remove", "remove_internal")
} | {"add_internal": _join, "update": _update, "kill": _kill}
_GROUPS = "_Sprite__g"  # pygame keeps the groups of a sprite under this private name

# Of the special methods, which Python finds without asking the object, these are no uses of it:
# they are answered as ever. What any other asks of the object is refused.
_ANSWERED_AS_EVER = {"__eq__", "__ne__", "__hash__", "__copy__", "__deepcopy__", "__del__"}
_ANSWERED_AS_EVER |= {"__reduce__", "__reduce_ex__"}


@cache
def _refusing(kind: Any) -> type:
    """Return the subclass of `kind` that refuses.

    Raises:
        TypeError: There can be none.
    """
    names: dict[str, Any] = {
        **_OF_ALL,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "__class__": property(lambda _: kind),
        _REFUSED: kind,
    }
    answered = {"_pool_data"}
    if issubclass(kind, pygame.sprite.Sprite):
        names |= _OF_SPRITES
        answered |= {*_OF_SPRITES, _GROUPS}
    if issubclass(kind, PooledSprite):
        names["active"] = property(lambda _: False)
        answered.add("active")
    names[_ANSWERED] = frozenset(answered)
    for name in _ANSWERED_AS_EVER:
        method = getattr(kind, name, None)
        if method is not None and ("reduce" in name or method is not getattr(object, name, None)):
            names[name] = _answered_as_before(method)
    names.setdefault("__hash__", kind.__hash__)  # every object's, or none
    return _subclass(kind, names)


def _subclass(kind: type, names: dict[str, Any]) -> type:
    """Make a subclass of which neither the game's metaclass nor its `__init_subclass__` hears.

    They may count subclasses, register or forbid them.
    """
    meta = type(kind)
    new = ABCMeta.__new__ if issubclass(meta, ABCMeta) else type.__new__
    hook = "__init_subclass__"
    own = vars(kind).get(hook)
    type.__setattr__(kind, hook, classmethod(lambda _: None))
    try:
        return new(meta, kind.__name__, (kind,), names)
    finally:
        if own is None:
            type.__delattr__(kind, hook)
        else:
            type.__setattr__(kind, hook, own)
