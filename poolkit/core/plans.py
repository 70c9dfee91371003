"""All pools' settings in one place, in several named plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError, did_you_mean
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from poolkit.core.system import AnyPrefab, PoolingSystem


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

    def __init__(self, **plans: Mapping[Any, PoolSettings]) -> None:
        self._plans: dict[str, dict[AnyPrefab, PoolSettings]] = {}
        for name, plan in plans.items():
            is_mapping = isinstance(plan, Mapping)
            if not is_mapping or not all(isinstance(each, PoolSettings) for each in plan.values()):
                message = f"plan {name!r} must map prefabs to PoolSettings(...), not be {plan!r}"
                raise TypeError(message)
            self._plans[name] = dict(plan)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plans."""
        return tuple(self._plans)

    def apply(self, name: str, system: PoolingSystem) -> None:
        """Put a plan in force in `system`: best at a scene load, as a reset hook.

        Prefabs that only other plans mention get their own settings back. What a plan prespawns
        is made at the next use of its prefab.

        Raises:
            PoolError: There is no plan of that name.
            BaseException: What pools raised, as where one shrinks and a hook fails, or where the
                plan mentions what is no prefab, or a name that the system does not know; the
                others have their settings.
        """
        plan = self._plans.get(name)
        if plan is None:
            known = f"there are {', '.join(self._plans) or 'none'}"
            hint = did_you_mean(str(name), self._plans, known)
            message = f"there is no capacity plan named {name!r}: {hint}"
            raise PoolError(message)
        errors = ErrorCollector()
        others = [key for each in self._plans.values() for key in each if key not in plan]
        for key in dict.fromkeys((*others, *plan)):  # whose own settings count, then the plan's
            if key in plan or not isinstance(key, str) or key in system._prefabs:
                with errors:
                    pool = system._pool_of(key)
                    pool.settings = plan.get(key, pool.prefab.settings)
        errors.raise_all(f"the capacity plan {name!r} is in force, but pools raised")

    def __repr__(self) -> str:
        """Return ``<CapacityPlans(low, high)>``."""
        return f"<{type(self).__name__}({', '.join(self._plans)})>"
