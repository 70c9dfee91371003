"""The hooks that a game can override, and the data that each of them takes.

A component names, as parameters of its hooks, the data it wants. `plan` calls them with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.core.errors import PoolError, PrefabError

if TYPE_CHECKING:
    from typing import Generic

    from typing_extensions import TypeVar

    from poolkit.core.scope import Scope


class DespawnReason(Enum):
    """Why a life ended, for `despawned` hooks with a parameter `reason`."""

    DESPAWNED = "despawned"
    """The game asked for it: `despawn`, `kill`, a timer of the life."""
    RECYCLED = "recycled"
    """The pool was full, and this life made room for a new one."""
    PARENT = "parent"
    """The instance it was spawned under was despawned."""
    RESET = "reset"
    """The system was reset, as before a level is loaded."""
    DISPOSED = "disposed"
    """The system was disposed of, or the pool cleared."""
    FAILED = "failed"
    """A hook raised while the life began."""


class _SpriteOfComponent:
    """`component.sprite` until attaching the component sets an attribute of that name."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the instance itself if it is a pooled object, which has hooks of its own."""
        if instance is None:
            return self
        if getattr(instance, "_pool_record", None) is not None:
            return instance
        message = (
            f"{type(instance).__name__} isn't attached to a sprite (yet, or any more): "
            "call sprite.add_component(...) first, and use self.sprite from awake() on"
        )
        raise AttributeError(message)


if TYPE_CHECKING:
    SpriteT = TypeVar("SpriteT", default=Any)

    class _OfSprite(Generic[SpriteT]):
        sprite: SpriteT

else:
    SpriteT = None

    class _OfSprite:
        """Ignores the type of the sprite in brackets, which is for type checkers."""

        __slots__ = ()

        sprite = _SpriteOfComponent()

        def __class_getitem__(cls, _: object) -> type:
            return cls


class IPoolableComponent(_OfSprite[SpriteT]):
    """Mixin for components and objects that want to know when a life begins and ends.

    Override any of `awake`, `spawned`, `despawned` and `destroyed`; the others cost nothing.
    `spawned` names the spawn data it wants as parameters (``def spawned(self, velocity)`` for
    ``spawn(..., velocity=(300, 0))``) and may also name ``position``, ``rotation`` and ``parent``;
    `despawned` may name ``reason``.

    Attributes:
        execution_order: `awake` and `spawned` hooks run in ascending order; where it is equal,
            components in order of attachment, then each part after its own components, and the
            sprite last. `despawned` and `destroyed` hooks run in the reverse order.
        sprite: The sprite that this component is attached to. For type checkers it is an `Orc` if
            the class says so: ``class Health(IPoolableComponent[Orc])``.
    """

    __slots__ = ()

    execution_order: int = 0

    @property
    def scope(self) -> Scope:
        """The present life's `Scope`: what you start with it is undone when the life ends.

        Raises:
            PoolError: There is no life now.
        """
        sprite = self.sprite
        record = getattr(sprite, "_pool_record", None)
        if record is None:
            message = f"{sprite!r} isn't managed by a pool (yet): use self.scope in spawned()"
            raise PoolError(message)
        whole: bool = record.instance is sprite
        scope: Scope = record.open_scope() if whole else record.scope_of(sprite)
        return scope

    def awake(self) -> None:
        """Run once, after the instance was built and before its first life."""

    def spawned(self, *args: Any, **data: Any) -> None:
        """Run at the start of every life."""

    def despawned(self, *args: Any, **data: Any) -> None:
        """Run at the end of every life, in the reverse order of `spawned`."""

    def destroyed(self) -> None:
        """Run once, when the pool gives up the instance for good."""


# -- which hooks a class has ------------------------------------------------------------------

Components = tuple[IPoolableComponent, ...]

get_hooks: Callable[[Any], tuple[Any, ...]] = attrgetter(
    "awake", "spawned", "despawned", "destroyed"
)
"""Return the hooks of a class of components, as attribute look-up finds them."""


def name_of(call: Callable[..., object]) -> str:
    """Return the name of a hook in messages: ``Orc.spawned``."""
    if not callable(call):
        return f"a hook that the attribute {call!r} hides: call that something else;"
    return getattr(call, "__qualname__", None) or repr(call)


def _hooks_along(cls: type, name: str) -> tuple[dict[type, Any], dict[type, Any]]:
    """Return the hooks of the mixins of `cls`, and the others, by the classes that define them."""
    bases = [
        base
        for base in cls.__bases__
        if issubclass(base, IPoolableComponent) and base is not IPoolableComponent
    ]
    # What a pool manages may have mixins; so may what has several bases. A class with one base
    # overrides its hooks, as everywhere in Python.
    managed = [base for base in bases if hasattr(base, "_pool_record")]
    main = managed[0] if managed else bases[0] if len(bases) == 1 else None
    mixins: dict[type, Any] = {}
    main_hooks: dict[type, Any] = {}
    for base in bases:
        base_mixins, base_hooks = _hooks_along(base, name)
        mixins |= base_mixins
        if base is main:
            main_hooks = base_hooks
        else:
            mixins |= base_hooks
    if name in vars(cls):
        main_hooks = {cls: vars(cls)[name]}
    return mixins, main_hooks


def _taken_over(function: Any, name: str, definer: type, line: tuple[type, ...]) -> set[type]:
    """Return the classes whose hooks a hook of `definer` calls itself, or overrides."""
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    called = () if code is None else (*code.co_names, *code.co_freevars)
    # What overrides a hook of its bases doesn't override those of its own mixins.
    bases = set(definer.__mro__[1:]) - _hooks_along(definer, name)[0].keys()
    if name in called:
        if "super" in called:
            bases.update(line[line.index(definer) + 1 :])
        for base in definer.__mro__[1:]:  # as in ``Burns.spawned(self)``
            if base.__name__ in called:
                found = next(one for one in base.__mro__ if name in vars(one) or one is object)
                bases.update(base.__mro__)
                bases |= _taken_over(vars(found).get(name), name, found, line)
    return bases


def functions_of(cls: type, name: str) -> list[Any]:
    """Return what to call for a hook of a class, in order; `None` stands for the attribute itself.

    The hooks of mixins come before the class's own. A hook that calls `super` has those behind it
    called, as everywhere in Python, so they are left out; so are those that it calls by class.
    """
    if getattr(cls, name) is getattr(IPoolableComponent, name):
        return []
    looked_up = inspect.getattr_static(cls, name)
    mixins, main_hooks = _hooks_along(cls, name)
    line = cls.__mro__
    # The hook that attribute look-up finds may be of a base that is no component.
    found = next(base for base in line if name in vars(base))
    hooks = {**mixins, **main_hooks}
    hooks.setdefault(found, looked_up)
    for definer, function in list(hooks.items()):
        left_out = _taken_over(function, name, definer, line)
        hooks = {cls: hook for cls, hook in hooks.items() if cls not in left_out}
    return [None if function is looked_up else function for function in hooks.values()]


class Hook(NamedTuple):
    """One hook of one component, and what it takes.

    Attributes:
        place: That of the component in spawning order.
        function: A mixin's hook; `None`: the attribute of that name.
        label: What it is called in messages: ``Orc.spawned``.
        accepted: The names of its parameters.
        required: Those without a default.
        positional: Those that may be given by position, in order.
        takes_any: Whether it has ``**data``.
    """

    place: int
    function: Callable[..., object] | None
    label: str
    accepted: frozenset[str]
    required: tuple[str, ...]
    positional: tuple[str, ...]
    takes_any: bool

    def bind(self, name: str, components: Components) -> Callable[..., object]:
        """Return the hook of that name, to be called."""
        component: Any = components[self.place]
        return _bound(component, name, self.function)


def _bound(component: Any, name: str, function: Any) -> Callable[..., object]:
    bound: Callable[..., object]
    if function is None:
        bound = getattr(component, name)
    else:
        bind = getattr(function, "__get__", None)
        bound = function if bind is None else bind(component, type(component))
    return bound


def find_hooks(name: str, components: Components) -> tuple[Hook, ...]:
    """Return all hooks of that name, in the order of the components."""
    return tuple(
        [
            _read_hook(index, component, name, function)
            for index, component in enumerate(components)
            for function in functions_of(type(component), name)
        ]
    )


_RUN_NOTHING = (  # kinds of functions that run nothing when they are called
    inspect.isgeneratorfunction,
    inspect.iscoroutinefunction,
    inspect.isasyncgenfunction,
)
_STAND_INS = {"__wrapped__", "__signature__"}  # they name another function's parameters

SPAWN_OPTIONS = frozenset({"groups", "persistent", "reclaimable"})
"""Options of a spawn that hooks don't get. (They do get `parent`.)"""


def _read_hook(index: int, component: Any, name: str, function: Any) -> Hook:
    """Return what a hook takes; refuse one that can't be called as a hook."""
    label = f"{type(component).__name__}.{name}"
    call = _bound(component, name, function)
    if not callable(call):
        message = f"{label} is {call!r}, but {name} is the name of a hook: call it something else"
        raise PrefabError(message)
    if any(is_kind(call) for is_kind in _RUN_NOTHING):
        message = (
            f"{label} yields or awaits, so calling it runs nothing: put that into a method of "
            "another name, and start it with self.scope.start(self.patrol())"
        )
        raise PrefabError(message)
    try:
        parameters = inspect.signature(call).parameters.values()
    except ValueError as error:
        message = f"{name_of(call)} can't be called as a hook ({error}): has it a self?"
        raise PrefabError(message) from None
    for parameter in parameters:
        if parameter.name in SPAWN_OPTIONS:
            message = (
                f"{name_of(call)} names {parameter.name!r}, which is an option of spawn(), not "
                "data: give the parameter another name"
            )
            raise PrefabError(message)
    # A wrapper may take parameters by name only.
    plain = getattr(call, "__func__", None)
    is_plain = isinstance(plain, FunctionType) and not vars(plain).keys() & _STAND_INS
    named = [parameter for parameter in parameters if parameter.kind not in _VARIADIC]
    return Hook(
        index,
        function,
        name_of(call),
        frozenset(parameter.name for parameter in named),
        tuple([parameter.name for parameter in named if parameter.default is parameter.empty]),
        tuple([p.name for p in named if is_plain and p.kind is not p.KEYWORD_ONLY]),
        any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters),
    )


_VARIADIC = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


# -- listeners --------------------------------------------------------------------------------

Listeners = dict[object, Callable[..., object]]
"""Functions by a key of their own: the same function may listen twice."""


def listen(
    listeners: Listeners,
    fn: Callable[..., object],
    changed: Callable[[], object] = lambda: None,
) -> Callable[[], None]:
    """Add a listener, call `changed`, and return a function that removes it again."""
    if not callable(fn):
        message = f"a listener is a function to call, not {fn!r}"
        raise TypeError(message)
    key = object()
    listeners[key] = fn
    changed()

    def remove() -> None:
        listeners.pop(key, None)
        changed()

    return remove
