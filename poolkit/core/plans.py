"""All pools' settings in one place, in several named plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError, did_you_mean
from poolkit.core.prefab import Prefab, is_plain_factory
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from poolkit.core.prefab import AnyPrefab
    from poolkit.core.system import PoolingSystem


class CapacityPlans:
    """Settings for many prefabs, in plans such as ``"low"`` and ``"high"``.

    Examples:
        >>> from poolkit import PoolingSystem, Prefab
        >>> class Orc: ...
        >>> orc = Prefab(Orc, name="orc")
        >>> plans = CapacityPlans(
        ...     low={orc: PoolSettings(prespawn=5, limit=10)},
        ...     high={orc: PoolSettings(prespawn=50)},
        ... )
        >>> system = PoolingSystem()
        >>> plans.apply("low", system)
        >>> system.pool(orc).settings.limit
        10

    Args:
        **plans: The plans by name; each maps prefabs to their settings. A prefab is meant by
            itself, by a class or function, or by its name, as for `PoolingSystem.pool`.

    Raises:
        TypeError: A plan does not map prefabs to `PoolSettings`.
    """

    __slots__ = ("_plans",)

    def __init__(self, **plans: Mapping[Any, PoolSettings]) -> None:
        for name, plan in plans.items():
            _check(name, plan)
        self._plans: dict[str, dict[AnyPrefab, PoolSettings]] = {
            name: dict(plan) for name, plan in plans.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plans."""
        return tuple(self._plans)

    def apply(self, name: str, system: PoolingSystem) -> None:
        """Put a plan in force in `system`: best at a scene load, as a reset hook.

        Prefabs that only other plans mention get their own settings back. What a plan prespawns
        is made at the next use of its prefab.

        Raises:
            TypeError: `name` is no text.
            PoolError: There is no plan of that name.
            BaseException: What pools raised, as where one shrinks and a hook fails, or where the
                plan names a prefab that the system does not know; the others have their settings.
        """
        prefabs = self._prefabs_by_name(system)

        def meant(key: AnyPrefab) -> AnyPrefab:
            return prefabs.get(key, key) if isinstance(key, str) else key

        wanted = {meant(key): settings for key, settings in self._plan(name).items()}
        mentioned = dict.fromkeys(meant(key) for plan in self._plans.values() for key in plan)
        errors = ErrorCollector()
        for prefab in mentioned:
            settings = wanted.get(prefab)
            if settings is None:
                if isinstance(prefab, str):
                    continue  # the system does not know it, so there is nothing to give back
                settings = prefab.settings if isinstance(prefab, Prefab) else PoolSettings()
            with errors:
                system._pool_of(prefab).settings = settings
        errors.raise_all(f"the capacity plan {name!r} is in force, but pools raised")

    def _plan(self, name: str) -> dict[AnyPrefab, PoolSettings]:
        if not isinstance(name, str):
            message = f"a capacity plan is applied by its name, a text, not {name!r}"
            raise TypeError(message)
        plan = self._plans.get(name)
        if plan is None:
            hint = did_you_mean(name, self._plans, f"there are {', '.join(self._plans) or 'none'}")
            message = f"there is no capacity plan named {name!r}: {hint}"
            raise PoolError(message)
        return plan

    def _prefabs_by_name(self, system: PoolingSystem) -> dict[str, AnyPrefab]:
        known: list[Prefab[Any]] = [pool.prefab for pool in system.all_pools()]
        known += [key for plan in self._plans.values() for key in plan if isinstance(key, Prefab)]
        # The system's own come first: another of the same name is an error that it reports.
        return {prefab.name: prefab for prefab in reversed(known) if prefab.is_named}

    def __repr__(self) -> str:
        """Return ``<CapacityPlans(low, high)>``."""
        return f"<{type(self).__name__}({', '.join(self._plans)})>"


def _check(name: str, plan: object) -> None:
    if not isinstance(plan, Mapping):
        message = f"plan {name!r} must map prefabs to their PoolSettings(...), not be {plan!r}"
        raise TypeError(message)
    for prefab, settings in plan.items():
        if not (isinstance(prefab, Prefab | str) or is_plain_factory(prefab)):
            message = (
                f"plan {name!r} mentions {prefab!r}, which is no prefab: use a Prefab, "
                "a class or a named function that builds an instance, or a prefab's name"
            )
            raise TypeError(message)
        if not isinstance(settings, PoolSettings):
            message = f"plan {name!r} gives {prefab!r} {settings!r}, not PoolSettings(...)"
            raise TypeError(message)
