"""Named presets of settings for many prefabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError, did_you_mean
from poolkit.core.seams import context_of
from poolkit.core.settings import PoolSettings

if TYPE_CHECKING:
    from poolkit.core.system import AnyPrefab, PoolingSystem


class SettingsPresets:
    """Settings for many prefabs, in presets such as ``"low"`` and ``"high"``.

    Examples:
        >>> from poolkit import PoolingSystem, Prefab
        >>> class Orc: ...
        >>> orc = Prefab(Orc, name="orc")
        >>> presets = SettingsPresets(
        ...     low={orc: PoolSettings(prespawn=5, limit=10)},
        ...     high={orc: PoolSettings(prespawn=50)},
        ... )
        >>> system = PoolingSystem()
        >>> presets.apply("low", system)
        >>> system.pool(orc).settings.limit
        10

    Args:
        **presets: The presets by name; each maps prefabs (or what names one, as for
            `PoolingSystem.pool`) to their settings.

    Raises:
        TypeError: A preset doesn't map prefabs to `PoolSettings`.
    """

    def __init__(self, **presets: Mapping[Any, PoolSettings]) -> None:
        self._presets: dict[str, dict[AnyPrefab, PoolSettings]] = {}
        for name, preset in presets.items():
            is_mapping = isinstance(preset, Mapping)
            if not is_mapping or not all(
                isinstance(settings, PoolSettings) for settings in preset.values()
            ):
                message = (
                    f"preset {name!r} must map prefabs to PoolSettings(...), not be {preset!r}"
                )
                raise TypeError(message)
            self._presets[name] = dict(preset)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the presets."""
        return tuple(self._presets)

    def apply(self, name: str, system: PoolingSystem) -> None:
        """Apply a preset to `system`, best between scenes.

        Prefabs that only other presets mention get their own settings back. What a preset prespawns
        is made at the next use of each prefab.

        Raises:
            PoolError: There is no preset of that name.
            BaseException: What pools raised (a hook failed as instances were destroyed, or the
                preset mentions something that isn't a prefab); the others have their settings.
        """
        preset = self._presets.get(name)
        if preset is None:
            known = f"there are {', '.join(self._presets) or 'none'}"
            hint = did_you_mean(str(name), self._presets, known)
            message = f"there is no settings preset named {name!r}: {hint}"
            raise PoolError(message)
        errors, registry = ErrorCollector(), context_of(system).registry
        all_keys = [key for other in self._presets.values() for key in other]
        others = [key for key in all_keys if key not in preset]
        for key in dict.fromkeys((*others, *preset)):
            if key in preset or not isinstance(key, str) or key in registry.prefabs:
                with errors:
                    pool = registry.pool_of(key)
                    pool.settings = preset.get(key, pool.prefab.settings)
        errors.raise_all(f"the settings preset {name!r} is in force, but pools raised")

    def __repr__(self) -> str:
        """Return ``<SettingsPresets(low, high)>``."""
        return f"<{type(self).__name__}({', '.join(self._presets)})>"
