"""Finding the hooks an instance overrides, and handing each the spawn data that it names."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PrefabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["BUILT_IN_DATA", "Hook", "Hooks", "Removed", "name_of"]

BUILT_IN_DATA = frozenset({"position", "rotation", "parent"})
"""What every `spawned` hook may name beside the game's own data."""

_SPAWNED_PARAMETERS = "name its data as parameters, as in def spawned(self, velocity)"


def name_of(call: Callable[..., object]) -> str:
    """Return the name of a hook in messages: ``Orc.spawned``."""
    return getattr(call, "__qualname__", None) or repr(call)


class _Names(NamedTuple):
    """The parameters of a hook function."""

    accepted: frozenset[str]
    required: tuple[str, ...]
    takes_any: bool


_names_of_function: WeakKeyDictionary[Callable[..., Any], _Names] = WeakKeyDictionary()


class Hook(NamedTuple):
    """One overridden hook of one component.

    Attributes:
        call: The bound method.
        place: The component's place in the order of execution.
        names: The parameters it takes.
    """

    call: Callable[..., Any]
    place: int
    names: _Names

    def arguments(
        self, data: Mapping[str, Any], built_in: frozenset[str] = BUILT_IN_DATA
    ) -> dict[str, Any]:
        """Return the part of `data` that this hook names.

        A hook with ``**data`` is given all of the game's own data, and of the built-in data what
        it names.
        """
        accepted, _, takes_any = self.names
        if takes_any:
            return {
                name: value
                for name, value in data.items()
                if name in accepted or name not in built_in
            }
        return {name: data[name] for name in accepted if name in data}

    def wanted(self, data: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the names of what it gets of `data` and the built-in data; `None`: just `data`."""
        wanted = tuple(self.arguments(dict.fromkeys((*data, *BUILT_IN_DATA))))
        return None if set(wanted) == set(data) else wanted

    @property
    def label(self) -> str:
        """Return its name in messages: ``Orc.spawned``."""
        return name_of(self.call)


_Deal = tuple[tuple[int, tuple[str, ...] | None], ...]
"""Of each `spawned` method: its component's place, and the names that it gets; `None`: all."""

_KEPT_DEALS = 64  # hooks with **data take any name, so there could be any number


class Removed:
    """Takes the place of a hook whose component was taken off while the hooks were running."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., object]) -> None:
        """Stand for `call`."""
        self._call = call

    def __call__(self) -> None:
        """Do nothing."""

    def __eq__(self, other: object) -> bool:
        """Return whether `other` is what it stands for."""
        return self._call == other

    __hash__ = None  # type: ignore[assignment]


class _Plan:
    """Which components, by place, override which hooks: the same for all instances of a kind."""

    __slots__ = (
        "awake",
        "deals",
        "despawn_is_plain",
        "despawned",
        "destroyed",
        "spawn_is_plain",
        "spawned",
    )

    def __init__(self, components: tuple[IPoolableComponent, ...]) -> None:
        """Look at the hooks of `components`, given in their order."""
        overridden = {
            name: tuple(
                (place, _names_of(getattr(component, name)))
                for place, component in enumerate(components)
                if getattr(type(component), name) is not getattr(IPoolableComponent, name)
            )
            for name in ("awake", "spawned", "despawned", "destroyed")
        }
        self.deals: dict[tuple[str, ...], _Deal] = {}
        self.awake = tuple(place for place, _ in overridden["awake"])
        self.destroyed = tuple(place for place, _ in reversed(overridden["destroyed"]))
        self.spawned = overridden["spawned"]
        self.despawned = overridden["despawned"][::-1]
        self.spawn_is_plain = not any(
            names.required or names.accepted & BUILT_IN_DATA for _, names in self.spawned
        )
        self.despawn_is_plain = not any("reason" in names.accepted for _, names in self.despawned)
        for place, names in self.despawned:
            if set(names.required) - {"reason"}:
                message = (
                    f"{name_of(components[place].despawned)} requires "
                    f"{', '.join(names.required)}, but despawned hooks are given reason alone"
                )
                raise PrefabError(message)


class Hooks:
    """The hooks of one instance in order.

    Attributes:
        components: All components, by ascending `execution_order`, then order of attachment.
    """

    __slots__ = ("_plan", "components")

    def __init__(
        self, components: Iterable[IPoolableComponent], plans: dict[Any, _Plan] | None = None
    ) -> None:
        """Find the overridden hooks of `components`, given in order of attachment.

        Args:
            components: The components.
            plans: What is known of instances with the same hooks: looked at, and added to. An
                instance then keeps little more than its components, which lie close in memory.
        """
        ordered = tuple(sorted(components, key=_execution_order))
        self.components = ordered
        self._plan = _plan_of(ordered, {} if plans is None else plans)

    @property
    def awake(self) -> tuple[Callable[[], object], ...]:
        """`awake` methods in order."""
        return tuple([self.components[place].awake for place in self._plan.awake])

    @property
    def destroyed(self) -> tuple[Callable[[], object], ...]:
        """`destroyed` methods in the reverse order."""
        return tuple([self.components[place].destroyed for place in self._plan.destroyed])

    @property
    def spawned(self) -> tuple[Hook, ...]:
        """`spawned` methods in order, with what each takes."""
        parts = self.components
        return tuple(
            [Hook(parts[place].spawned, place, names) for place, names in self._plan.spawned]
        )

    @property
    def despawned(self) -> tuple[Hook, ...]:
        """`despawned` methods in the reverse order, with what each takes."""
        parts = self.components
        return tuple(
            [Hook(parts[place].despawned, place, names) for place, names in self._plan.despawned]
        )

    def plain_spawned(self) -> list[Callable[[], object]] | None:
        """Return the `spawned` methods where all can be called without arguments, else `None`.

        None of them names built-in data then, and none requires any.
        """
        plan = self._plan
        if not plan.spawn_is_plain:
            return None
        return [self.components[place].spawned for place, _ in plan.spawned]

    def plain_despawned(self) -> list[Callable[[], object]] | None:
        """Return the `despawned` methods where none takes arguments, else `None`."""
        plan = self._plan
        if not plan.despawn_is_plain:
            return None
        return [self.components[place].despawned for place, _ in plan.despawned]

    def place_of(self, component: object) -> int:
        """Return where `component` stands in the order of execution."""
        return next(i for i, other in enumerate(self.components) if other is component)

    def components_before(self, call: Callable[..., Any]) -> tuple[IPoolableComponent, ...]:
        """Return the components that come before the one whose method `call` is."""
        owner = getattr(call, "__self__", None)
        return self.components[: self.place_of(owner)] if owner is not None else ()

    def deal(self, data: Mapping[str, Any], label: str) -> _Deal:
        """Return which `spawned` method gets what of the data of a spawn, and check that first.

        Raises:
            TypeError: No hook names some of it, or a hook requires what is not there.
        """
        deals = self._plan.deals
        key = tuple(data)
        deal = deals.get(key)
        if deal is None:
            self._check(data, label)
            deal = tuple([(hook.place, hook.wanted(data)) for hook in self.spawned])
            if len(deals) < _KEPT_DEALS:
                deals[key] = deal
        return deal

    def _check(self, data: Mapping[str, Any], label: str) -> None:
        hooks = self.spawned
        if data and not any(hook.names.takes_any for hook in hooks):
            accepted = sorted({name for hook in hooks for name in hook.names.accepted})
            for name in data:
                if name not in accepted:
                    raise TypeError(_unknown_data(name, accepted, label))
        for hook in hooks:
            for name in hook.names.required:
                if name not in data and name not in BUILT_IN_DATA:
                    message = f"spawning {label} needs {name}=...: {hook.label} requires it"
                    raise TypeError(message)


def _unknown_data(name: str, accepted: list[str], label: str) -> str:
    own = [other for other in accepted if other not in BUILT_IN_DATA]
    close = difflib.get_close_matches(name, own, n=1)
    guess = f"; did you mean {close[0]!r}?" if close else ""
    named = f"they name {', '.join(own)}" if own else f"they name none: {_SPAWNED_PARAMETERS}"
    return f"no spawned hook of {label} names {name!r} ({named}){guess}"


def _plan_of(components: tuple[IPoolableComponent, ...], plans: dict[Any, _Plan]) -> _Plan:
    classes: Any = map(type, components)
    # Not the classes themselves: a test may have replaced a method of one meanwhile.
    kind = tuple([(each.awake, each.spawned, each.despawned, each.destroyed) for each in classes])
    try:
        plan = plans.get(kind)
    except TypeError:  # a callable that can't be hashed
        return _Plan(components)
    if plan is None:
        plan = plans[kind] = _Plan(components)
    return plan


def _execution_order(component: IPoolableComponent) -> int:
    return component.execution_order


def _names_of(call: Callable[..., Any]) -> _Names:
    function = getattr(call, "__func__", call)  # another instance's is the same: read it once
    try:
        known = _names_of_function.get(function)
    except TypeError:  # a callable that can't be weakly referenced
        return _read_names(call)
    if known is None:
        known = _names_of_function[function] = _read_names(call)
    return known


def _read_names(call: Callable[..., Any]) -> _Names:
    accepted: set[str] = set()
    required: list[str] = []
    takes_any = False
    for parameter in inspect.signature(call).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_any = True
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            message = (
                f"{name_of(call)} takes {parameter.name!r} by position only, "
                "but spawn data is given by name: remove the '/'"
            )
            raise PrefabError(message)
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            accepted.add(parameter.name)
            if parameter.default is parameter.empty:
                required.append(parameter.name)
    return _Names(frozenset(accepted), tuple(required), takes_any)
