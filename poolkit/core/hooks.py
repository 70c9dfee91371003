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

    @property
    def label(self) -> str:
        """Return its name in messages: ``Orc.spawned``."""
        return name_of(self.call)


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


class Hooks:
    """The hooks of one instance in order, found once and cached beside it.

    Attributes:
        components: All components, by ascending `execution_order`, then order of attachment.
        awake: `awake` methods in order.
        spawned: `spawned` methods in order.
        despawned: `despawned` methods in the reverse order.
        destroyed: `destroyed` methods in the reverse order.
        spawned_hooks: As `spawned`, with what each one takes.
        despawned_hooks: As `despawned`, with what each one takes.
        spawn_is_plain: Whether every `spawned` can be called without arguments when no data is
            given: none names built-in data, none requires any.
        despawn_is_plain: Whether no `despawned` takes arguments.
    """

    __slots__ = (
        "awake",
        "components",
        "despawn_is_plain",
        "despawned",
        "despawned_hooks",
        "destroyed",
        "spawn_is_plain",
        "spawned",
        "spawned_hooks",
    )

    def __init__(self, components: Iterable[IPoolableComponent]) -> None:
        """Collect the overridden hooks of `components`, given in order of attachment."""
        ordered = sorted(components, key=_execution_order)
        self.components = tuple(ordered)
        awake: list[Callable[..., Any]] = []
        spawned: list[Hook] = []
        despawned: list[Hook] = []
        destroyed: list[Callable[..., Any]] = []
        for place, component in enumerate(ordered):
            kind = type(component)
            if kind.awake is not IPoolableComponent.awake:
                awake.append(_hook(component.awake, place).call)
            if kind.spawned is not IPoolableComponent.spawned:
                spawned.append(_hook(component.spawned, place))
            if kind.despawned is not IPoolableComponent.despawned:
                despawned.append(_hook(component.despawned, place))
            if kind.destroyed is not IPoolableComponent.destroyed:
                destroyed.append(_hook(component.destroyed, place).call)
        self.awake = tuple(awake)
        self.spawned_hooks = tuple(spawned)
        self.despawned_hooks = tuple(reversed(despawned))
        self.destroyed = tuple(reversed(destroyed))
        self.spawned = tuple([hook.call for hook in self.spawned_hooks])
        self.despawned = tuple([hook.call for hook in self.despawned_hooks])
        self.spawn_is_plain = True
        for hook in spawned:
            if hook.names.required or hook.names.accepted & BUILT_IN_DATA:
                self.spawn_is_plain = False
        self.despawn_is_plain = True
        for hook in despawned:
            self.despawn_is_plain &= "reason" not in hook.names.accepted
            if hook.names.required and set(hook.names.required) - {"reason"}:
                message = (
                    f"{hook.label} requires {', '.join(hook.names.required)}, "
                    "but despawned hooks are given reason alone"
                )
                raise PrefabError(message)

    def place_of(self, component: object) -> int:
        """Return where `component` stands in the order of execution."""
        return next(i for i, other in enumerate(self.components) if other is component)

    def components_before(self, call: Callable[..., Any]) -> tuple[IPoolableComponent, ...]:
        """Return the components that come before the one whose method `call` is."""
        owner = getattr(call, "__self__", None)
        return self.components[: self.place_of(owner)] if owner is not None else ()

    def check_data(self, data: Mapping[str, Any], label: str) -> None:
        """Check the data of a spawn before anything of it has happened.

        Raises:
            TypeError: No hook names some of it, or a hook requires what is not there.
        """
        hooks = self.spawned_hooks
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


def _execution_order(component: IPoolableComponent) -> int:
    return component.execution_order


def _hook(call: Callable[..., Any], place: int) -> Hook:
    # Of a method, the function: that of another instance is the same, so it is read only once.
    return Hook(call, place, _names_of(getattr(call, "__func__", call), call))


def _names_of(function: Any, call: Callable[..., Any]) -> _Names:
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
