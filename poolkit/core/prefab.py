"""`Prefab`, the recipe for instances, and `resolved`, which finds one by name or factory."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from poolkit.core.errors import ErrorCollector, PrefabError, did_you_mean
from poolkit.core.groups import flat_groups, is_group
from poolkit.core.plan import OPTIONS
from poolkit.core.saving import never_saved
from poolkit.core.settings import PoolSettings

T_co = TypeVar("T_co", covariant=True)

Groups = Iterable[Any] | Callable[[], Iterable[Any]]
"""Groups that instances join at spawn, or a function that returns them at each spawn."""


@never_saved
@dataclass(frozen=True, eq=False, repr=False)
class Prefab(Generic[T_co]):
    """What to spawn: a factory and how its instances are pooled. Immutable, hashed by identity.

    Args:
        factory: A class or function that builds a new instance at each call, without arguments.
        name: A name to spawn it by, from `register` or the first use on. It also names instances in
            logs and reprs (``orc #0007``).
        groups: The groups that every instance joins at spawn and leaves at despawn, or a function
            that returns them at each spawn.
        settings: The pool's sizes and policies.
        persistent: Whether instances survive a system's `reset`.
        awake_on_first_spawn: Run `awake` at an instance's first spawn, not when it is made.
        pooling: `False` builds and destroys an instance for each life, to compare.
        data: Spawn data for every life, unless its spawn says otherwise. Lists, dicts, sets,
            vectors, colors and rects in it are copied for each life.
        sample_data: Spawn data for tools that spawn by themselves, such as the audit; or a function
            that returns it, called in the system they play in, where it may spawn a target.

    Raises:
        PrefabError: `factory` can't be called, or the name is empty.
        TypeError: `settings`, `groups` or `data` is of the wrong type.

    Examples:
        >>> class Orc: ...
        >>> orc = Prefab(Orc, name="orc")
        >>> orc
        <Prefab('orc')>
        >>> orc.variant(name="veteran", persistent=True).persistent
        True
        >>> captain = orc.variant(name="captain", data={"hp": 90})
        >>> captain.variant(data={"speed": 2}).data
        {'hp': 90, 'speed': 2}
    """

    factory: Callable[[], T_co]
    _: KW_ONLY
    name: str = None  # type: ignore[assignment]  # that of the factory, from `__post_init__` on
    groups: Groups = ()
    settings: PoolSettings = field(default_factory=PoolSettings)
    persistent: bool = False
    awake_on_first_spawn: bool = False
    pooling: bool = True
    data: Mapping[str, Any] | None = None
    sample_data: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = field(default_factory=dict)
    is_named: bool = field(init=False)
    # By system, for the next pool of this prefab there.
    _assigned: WeakKeyDictionary[Any, PoolSettings] = field(
        init=False, default_factory=WeakKeyDictionary
    )
    _pools: WeakSet[Any] = field(init=False, default_factory=WeakSet)

    def __post_init__(self) -> None:
        name, groups = self.name, self.groups
        if not callable(self.factory):
            message = (
                f"Prefab needs a class or function that builds an instance, not {self.factory!r}: "
                "write Prefab(Orc), not Prefab(Orc())"
            )
            raise PrefabError(message)
        if name is not None and (not isinstance(name, str) or not name.strip()):
            message = f"a prefab's name must be a non-empty text, not {name!r}"
            raise PrefabError(message)
        if not isinstance(self.settings, PoolSettings):
            message = f"settings must be PoolSettings(...), not {self.settings!r}"
            raise TypeError(message)
        known_as = name or factory_name(self.factory)
        if not callable(groups) or is_group(groups):
            groups = flat_groups(groups, known_as)
        data = {} if self.data is None else self.data
        if not isinstance(data, Mapping) or not OPTIONS.isdisjoint(data):
            message = (
                f"data of {known_as} must map names of spawn data to values, as {{'hp': 30}}, "
                f"and no option of spawn(); not {data!r}"
            )
            raise TypeError(message)
        sample = self.sample_data if callable(self.sample_data) else dict(self.sample_data or {})
        vars(self).update(
            name=known_as,
            is_named=name is not None,
            groups=groups,
            data=dict(data),
            sample_data=sample,
        )

    def variant(self, **changes: Any) -> Prefab[T_co]:
        """Return another prefab, with its own pool, that differs in `changes`.

        `data` is merged over this one's. Without a `name` among the changes it has no name to
        spawn it by, because two prefabs can't share one.

        Raises:
            TypeError: A change isn't a parameter of `Prefab`.
        """
        if isinstance(changes.get("data"), Mapping):
            changes["data"] = {**(self.data or {}), **changes["data"]}
        return replace(self, **{"name": None, **changes})

    def _replace_with(self, other: Prefab[Any], *, respawn: bool = False) -> None:
        """Follow another prefab, under the same name; for prefabs that are read again."""
        kept = {"name", "is_named", "_assigned", "_pools"}
        vars(self).update({key: value for key, value in vars(other).items() if key not in kept})
        errors = ErrorCollector()
        for pool in list(self._pools):
            with errors:
                pool._on_prefab_changed(respawn=respawn)
        errors.raise_all(f"{self.name} has changed, but hooks raised")

    def __copy__(self, memo: object = None) -> Prefab[T_co]:
        """Return itself: it is immutable, and known by its identity."""
        return self

    __deepcopy__ = __copy__

    def __repr__(self) -> str:
        """Return ``<Prefab('orc')>``."""
        return f"<Prefab({self.name!r})>"


def factory_name(factory: Callable[[], object]) -> str:
    """Return the name of a class or function, also of one with arguments filled in."""
    while isinstance(factory, functools.partial):
        factory = factory.func
    name: str = getattr(factory, "__name__", type(factory).__name__)
    return name


# -- which prefab is meant --------------------------------------------------------------------


def resolved(prefab: object, known: MutableMapping[object, Prefab[Any]]) -> Prefab[Any]:
    """Return the prefab that is meant; `known` has a system's, by name and by factory."""
    if isinstance(prefab, Prefab):
        return prefab
    if isinstance(prefab, str):
        named = known.get(prefab)
        if named is not None:
            return named
        names = sorted(key for key in known if isinstance(key, str))
        listed = (
            f"known are {', '.join(names)}" if names else "no prefab with a name was registered"
        )
        hint = did_you_mean(prefab, names, listed)
        message = f"there is no prefab named {prefab!r}: {hint}"
    elif inspect.isclass(prefab) or (
        inspect.isroutine(prefab) and factory_name(prefab) != "<lambda>"
    ):
        wrapped = known.get(prefab)
        if wrapped is None:
            wrapped = known[prefab] = Prefab(prefab)
        return wrapped
    elif callable(prefab):  # a lambda, say: each call would make a new pool
        message = (
            f"{prefab!r} is a new object each time it is written down, so it can't be looked "
            "up: make it a Prefab(...) once, keep it, and spawn that"
        )
    else:
        message = (
            f"{prefab!r} isn't a prefab: pass a Prefab, a class or function that builds an "
            "instance, or a registered name"
        )
    raise PrefabError(message)
