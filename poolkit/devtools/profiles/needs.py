"""What pools needed, scene by scene, and how the needs of several runs become one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from poolkit.core.errors import PoolError
from poolkit.core.statistics import with_margin

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CapacityProfile", "Need", "ProfileError", "SceneNeeds"]


class ProfileError(PoolError):
    """A file is no capacity profile, or can't be read or written. The message names it."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one pool needed in one scene.

    Attributes:
        peak: The most instances that were in use at once.
        peak_rate: The most spawns within a second, counted every quarter of one.
    """

    peak: int
    peak_rate: int = 0

    def __or__(self, other: Need) -> Need:
        """Return what is enough for both."""
        return Need(max(self.peak, other.peak), max(self.peak_rate, other.peak_rate))


@dataclass(frozen=True, slots=True)
class SceneNeeds:
    """What the pools of one scene needed.

    Attributes:
        pools: By the prefab's name.
        runs: How often the scene was played.
        seconds: For how long in all.
    """

    pools: Mapping[str, Need]
    runs: int = 0
    seconds: float = 0.0

    def __or__(self, other: SceneNeeds) -> SceneNeeds:
        """Return what is enough for both."""
        pools = dict(self.pools)
        for name, need in other.pools.items():
            pools[name] = pools.get(name, need) | need
        return SceneNeeds(pools, self.runs + other.runs, self.seconds + other.seconds)


@dataclass(frozen=True, slots=True)
class CapacityProfile:
    """What a game's pools needed in each of its scenes.

    Attributes:
        scenes: By the scene's name; ``"main"`` in a game without scenes.

    Examples:
        >>> short = CapacityProfile({"cave": SceneNeeds({"orc": Need(peak=7)})})
        >>> long = CapacityProfile({"cave": SceneNeeds({"orc": Need(peak=30)})})
        >>> (short | long).counts("cave", margin=0.1)
        {'orc': 33}
    """

    scenes: Mapping[str, SceneNeeds] = field(default_factory=dict)

    def __or__(self, other: CapacityProfile) -> CapacityProfile:
        """Return what is enough for both."""
        scenes = dict(self.scenes)
        for name, needs in other.scenes.items():
            scenes[name] = scenes[name] | needs if name in scenes else needs
        return CapacityProfile(scenes)

    def counts(self, scene: str, margin: float) -> dict[str, int]:
        """Return how many to prespawn of each prefab: its peak and that share of it more."""
        needs = self.scenes.get(scene)
        if needs is None:
            return {}
        return {name: with_margin(need.peak, margin) for name, need in needs.pools.items()}

    def __repr__(self) -> str:
        """Return ``<CapacityProfile(num_scenes=2, num_pools=9)>``."""
        count = sum(len(needs.pools) for needs in self.scenes.values())
        return f"<CapacityProfile(num_scenes={len(self.scenes)}, num_pools={count})>"
