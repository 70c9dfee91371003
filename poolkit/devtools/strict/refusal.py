"""Objects that refuse to be used: their class is swapped for a subclass that raises.

What asks about such an object without using it is answered: its class, its repr, its equality and
hash, copying and pickling, `vars` and `dir`, debuggers and the module `inspect`. So is poolkit
itself, which has dead instances to look after, and an instance's own `destroyed` hook.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from abc import ABCMeta
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

    from poolkit.core.context import SystemContext
    from poolkit.devtools.strict.watch import Death


class _Grave(NamedTuple):
    """What a refusing object has to say.

    Attributes:
        name: What it is called in messages: ``Health of orc #0007``.
        death: How the last life of that instance ended.
        reach: Returns the object; `None` where it is being freed.
    """

    name: str
    death: Death
    reach: Callable[[], Any]


# By id: what refuses may have no hash, and must not be asked. The grave of what is being freed is
# gone before finalizers run, which may use it therefore.
_graves: dict[int, _Grave] = {}


def refuse(instance: Any, name: str, death: Death) -> None:
    """Let `instance` refuse to be used, if its class can be swapped for that.

    It can't for builtin types, and for those with a layout of their own.
    """
    if _is_refusing(instance):
        return
    try:
        _swap(instance, _refusing(kind_of(instance)))
    except TypeError:
        return
    _graves[id(instance)] = _Grave(name, death, lambda: instance)


def accept(instance: Any) -> None:
    """Let `instance` be used again, if it refuses to be."""
    kind = vars(type(instance)).get(_REFUSED)
    if kind is not None:
        _graves.pop(id(instance), None)
        _swap(instance, kind)


def accept_all(context: SystemContext) -> None:
    """Let everything of a system be used again."""
    for _, death, reach in list(_graves.values()):
        if death.record.pool._context is context:
            accept(reach())


def let_go(instance: Any) -> None:
    """Let a destroyed object refuse only for as long as somebody keeps it."""
    key = id(instance)
    grave = _graves.get(key)
    if grave is not None:
        try:
            ghost = weakref.ref(instance, lambda _: _graves.pop(key, None))
            _graves[key] = grave._replace(reach=ghost)
        except TypeError:  # nobody tells when it is freed
            accept(instance)


def death_of(record: Any) -> Death | None:
    """Return how the life of a destroyed instance ended, if somebody still keeps that."""
    deaths = (grave.death for grave in _graves.values())
    return next((death for death in deaths if death.record is record), None)


def _is_refusing(instance: object) -> bool:
    return _REFUSED in vars(type(instance))


# Not instance.__class__ = kind: a refusing class answers to that name with the class it refuses.
_swap: Callable[[Any, type], None] = object.__dict__["__class__"].__set__

_REFUSED = "__poolkit_refused__"


@contextlib.contextmanager
def _as_it_was(*objects: Any) -> Iterator[None]:
    """Let refusing objects among `objects` be what they were, for as long as this lasts."""
    swapped = [(each, type(each)) for each in objects if _is_refusing(each)]
    for each, refusing in swapped:
        _swap(each, vars(refusing)[_REFUSED])
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


# -- what a refusing class consists of --------------------------------------------------------

_GROUPS = "_Sprite__g"  # pygame keeps the groups of a sprite under this private name


def _read(self: Any, name: str) -> Any:
    __tracebackhide__ = True
    grave = _graves.get(id(self))
    if name == "_pool_data" and grave is not None:
        return grave.death.record  # a destroyed object of any kind finds it
    is_special = name[:2] == "__" == name[-2:]
    if is_special or name == _GROUPS or name in vars(type(self)):
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
    """Return ``<Orc orc #0007, despawned at monsters.py:41 in Orc.hit>``."""
    grave = _graves.get(id(self))
    what = f"{grave.death.record.label}, {grave.death}" if grave else "that is being freed"
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
    if grave is not None and not grave.death.record.pool._context.closed:
        raise grave.death.again()


def _join(self: Any, group: Any) -> NoReturn:
    group.remove_internal(self)  # it has taken the sprite in already
    raise _misuse(_graves[id(self)], "add", "called, to join a group")


def _answered_as_before(method: Callable[..., Any]) -> Callable[..., Any]:
    def answer(self: Any, *arguments: Any) -> Any:
        with _as_it_was(self, *arguments):
            return method(self, *arguments)

    return answer


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
    if issubclass(kind, pygame.sprite.Sprite):
        names |= _OF_SPRITES
    if issubclass(kind, PooledSprite):
        names["active"] = property(lambda _: False)
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
