"""The hooks that a game writes, and the plan of which to call with what.

A component names, as parameters of its hooks, the data it wants. Who gets what is worked out once
for each kind of instance and each set of names, and a spawn looks it up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from itertools import repeat
from operator import attrgetter, itemgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from poolkit.core.errors import PoolError, PrefabError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
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


class _SelfHosted:
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

        sprite = _SelfHosted()

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


# -- what hooks want --------------------------------------------------------------------------

Components = tuple[IPoolableComponent, ...]

POSITION: Final = "position"
BUILT_IN_DATA = (POSITION, "rotation", "parent")
"""What a `spawned` hook may name besides the game's own data."""


def name_of(call: Callable[..., object]) -> str:
    """Return the name of a hook in messages: ``Orc.spawned``."""
    if not callable(call):
        return f"a hook that the attribute {call!r} hides: call that something else;"
    return getattr(call, "__qualname__", None) or repr(call)


class _Wanted(NamedTuple):
    """The name and the parameters of a hook; `first`: the one that may be given by place."""

    hook: str
    accepted: frozenset[str]
    required: tuple[str, ...]
    takes_any: bool
    first: str | None


Share = str | tuple[str, ...] | None
"""What one hook gets: data of these names; one thing, by place; or nothing."""

ALL_DATA: Final = ("**data",)
"""The share of a hook that gets all data of the spawn, and nothing else."""

BY_PLACE: Final = "reason"
"""The share of a `despawned` hook whose first parameter is the reason."""

SPAWN_OPTIONS = frozenset({"groups", "persistent", "reclaimable"})
"""Options of a spawn that hooks don't get. (They do get `parent`.)"""

_OPTIONS_MEANT = dict.fromkeys(("pos", "xy", "at"), POSITION) | {"angle": "rotation"}
"""What other libraries call the place and the rotation of a spawn."""

_MOST_DEALS = 64  # sets of names that a plan remembers

Deal = str | tuple[Share, ...]
"""What each hook gets; a text: what the only one gets by place; empty: none gets anything."""


def each_of(gets: Deal | None) -> Iterable[Share]:
    """Return what each hook gets."""
    return (gets,) if isinstance(gets, str) else gets or repeat(None)


def given_to(
    share: Share,
    data: Mapping[str, Any] | None,
    position: Any,
    rotation: float,
    parent: Any,
) -> dict[str, Any]:
    """Return the keyword arguments of a hook with that share of a spawn."""
    if not share:
        return {}
    if share is ALL_DATA:
        return dict(data or ())
    given = {}
    for name in (share,) if isinstance(share, str) else share:
        if name == "position":
            given[name] = position
        elif name == "rotation":
            given[name] = rotation
        elif name == "parent":
            given[name] = parent
        else:
            given[name] = data[name]  # type: ignore[index]  # else it wouldn't be in the share
    return given


class HookPlan:
    """Which components override which hooks, for all instances of a kind."""

    def __init__(self, components: Components = ()) -> None:
        orders = list(map(_execution_order, components))
        # Sorts what `Record.parts` returns into spawning order, which all below rely on.
        self.in_order = _picker(sorted(range(len(orders)), key=orders.__getitem__))
        components = self.in_order(components)
        self.awake = _places("awake", components)
        self.having_spawned = _picker(_places("spawned", components))
        self.having_despawned = _picker(_places("despawned", components)[::-1])
        self.having_destroyed = _picker(_places("destroyed", components)[::-1])
        spawned = self.having_spawned(components)
        self._wanted = tuple([_wanted_by(component.spawned) for component in spawned])
        self.deals: dict[tuple[str, ...], Deal] = {}  # by the names of a spawn's data
        if not any(set(wanted.required).difference(BUILT_IN_DATA) for wanted in self._wanted):
            self.deals[()] = self._shares(())
        despawned = [_wanted_by(each.despawned) for each in self.having_despawned(components)]
        for wanted in despawned:
            if set(wanted.required) - {BY_PLACE}:
                message = (
                    f"{wanted.hook} requires {', '.join(wanted.required)}, "
                    "but despawned hooks only get reason"
                )
                raise PrefabError(message)
        reasons = [_share_of(wanted, (), (BY_PLACE,)) for wanted in despawned]
        self.gets_reason = _deal_of(reasons) or None  # what each `despawned` hook gets

    def deal(self, names: tuple[str, ...], label: str) -> Deal:
        """Return what the `spawned` hooks get of data of these names, after checking them."""
        deal = self.deals.get(names)
        if deal is None:
            self._check(names, label)
            if len(self.deals) > _MOST_DEALS:  # each order of the same names counts
                del self.deals[next(filter(None, self.deals))]
            deal = self.deals[names] = self._shares(names)
        return deal

    def _shares(self, names: tuple[str, ...]) -> Deal:
        return _deal_of([_share_of(wanted, names, BUILT_IN_DATA) for wanted in self._wanted])

    def _check(self, names: tuple[str, ...], label: str) -> None:
        accepted = {name for wanted in self._wanted for name in wanted.accepted}
        takes_any = any(wanted.takes_any for wanted in self._wanted)
        for name in () if takes_any else names:
            if name not in accepted:
                own = sorted(accepted.difference(BUILT_IN_DATA))
                how = "name its data as parameters, as in def spawned(self, velocity)"
                named = f"they name {', '.join(own)}" if own else f"they name none: {how}"
                meant = _OPTIONS_MEANT.get(name)
                guess = f"did you mean {meant!r}?" if meant else did_you_mean(name, own)
                hint = f"({named}){guess and '; ' + guess}"
                message = f"no spawned hook of {label} names {name!r} {hint}"
                raise TypeError(message)
        for wanted in self._wanted:
            for name in wanted.required:
                if name not in names and name not in BUILT_IN_DATA:
                    message = f"spawning {label} needs {name}=...: {wanted.hook} requires it"
                    raise TypeError(message)


def _places(name: str, components: Components) -> list[int]:
    """Return the places of the components that override a hook."""
    plain = getattr(IPoolableComponent, name)
    kinds = enumerate(map(type, components))
    places = [place for place, kind in kinds if getattr(kind, name) is not plain]
    for component in map(components.__getitem__, places):
        hook, its = getattr(component, name), f"{type(component).__name__}.{name}"
        if not callable(hook):
            message = f"{its} is {hook!r}, but {name} is the name of a hook: call it something else"
            raise PrefabError(message)
        if any(asks(hook) for asks in _RUN_NOTHING):
            message = (
                f"{its} yields or awaits, so calling it runs nothing: put that into a method of "
                "another name, and start it with self.scope.start(self.patrol())"
            )
            raise PrefabError(message)
    return places


def _picker(places: Sequence[int]) -> Callable[[Components], Components]:
    """Return a fast function that picks the items at some places of a tuple, as a tuple."""
    start = places[0] if places else 0
    if list(places) == list(range(start, start + len(places))):
        return itemgetter(slice(start, start + len(places)))  # of all, the same tuple
    return itemgetter(*places)


def _deal_of(shares: Sequence[Share]) -> Deal:
    if not any(shares):
        return ()
    return shares[0] if len(shares) == 1 and isinstance(shares[0], str) else tuple(shares)


def _share_of(wanted: _Wanted, data: tuple[str, ...], built_in: tuple[str, ...]) -> Share:
    accepted, takes_any = wanted.accepted, wanted.takes_any
    own = [name for name in data if name not in built_in and (takes_any or name in accepted)]
    share = (*own, *[name for name in built_in if name in accepted])
    if share == (wanted.first,) and share[0] not in {"rotation", "parent"}:
        return share[0]
    return ALL_DATA if share and share == data else share or None


hooks_of = attrgetter("awake", "spawned", "despawned", "destroyed")
"""Return the hooks of a class of components."""

NO_HOOKS = hooks_of(IPoolableComponent)


def plan_of(components: Components, plans: dict[Any, HookPlan]) -> HookPlan:
    """Return the plan for what `Record.parts` returns; `plans` has those made before."""
    # Keyed by the hooks, not their classes: a test may replace a method.
    kind = *map(_execution_order, components), *map(hooks_of, map(type, components))
    plan = plans.get(kind)
    if plan is None:
        plan = plans[kind] = HookPlan(components)
    return plan


_execution_order = attrgetter("execution_order")


_RUN_NOTHING = (  # kinds of functions that run nothing when they are called
    inspect.isgeneratorfunction,
    inspect.iscoroutinefunction,
    inspect.isasyncgenfunction,
)
_STAND_INS = {"__wrapped__", "__signature__"}  # they name another function's parameters


def _wanted_by(call: Callable[..., Any]) -> _Wanted:
    accepted: set[str] = set()
    required: list[str] = []
    takes_any = False
    first = None
    # A wrapper may take parameters by name only.
    function = getattr(call, "__func__", None)
    is_plain = isinstance(function, FunctionType) and not vars(function).keys() & _STAND_INS
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
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_any = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            accepted.add(parameter.name)
            if is_plain and first is None and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                first = parameter.name
            if parameter.default is parameter.empty:
                required.append(parameter.name)
    return _Wanted(name_of(call), frozenset(accepted), tuple(required), takes_any, first)


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
