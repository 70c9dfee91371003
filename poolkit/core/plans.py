"""All pools' settings in one place, in several named plans."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkit.core.prefab import Prefab
    from poolkit.core.system import PoolingSystem

__all__ = ["CapacityPlans"]


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
        **plans: The plans by name; each maps prefabs to their settings.

    Raises:
        TypeError: A plan does not map prefabs to `PoolSettings`.
    """

    __slots__ = ("_plans",)

    def __init__(self, **plans: Mapping[Prefab[Any], PoolSettings]) -> None:
        """Check every plan once."""
        for name, plan in plans.items():
            for prefab, settings in plan.items():
                if not isinstance(settings, PoolSettings):
                    message = f"plan {name!r} gives {prefab!r} {settings!r}, not PoolSettings(...)"
                    raise TypeError(message)
        self._plans = {name: dict(plan) for name, plan in plans.items()}

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
        """
        plan = self._plans.get(name)
        if plan is None:
            close = difflib.get_close_matches(name, self._plans, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self._plans)}"
            message = f"there is no capacity plan named {name!r}: {hint}"
            raise PoolError(message)
        for prefab in dict.fromkeys(p for each in self._plans.values() for p in each):
            system.assign_settings(prefab, plan.get(prefab, prefab.settings))

    def __repr__(self) -> str:
        """Return ``<CapacityPlans(low, high)>``."""
        return f"<{type(self).__name__}({', '.join(self._plans)})>"
