"""Pools at their most awkward, so that tests show what a game wrongly relies on."""

from __future__ import annotations

import random

from poolkit.core.system import PoolingSystem, pools

__all__ = ["disable_chaos", "enable_chaos"]

_DROPPED_ONE_IN = 8


def enable_chaos(system: PoolingSystem = pools, *, seed: int = 0) -> None:
    """Reuse instances in random order, and drop one now and then instead of reusing it.

    Both are a pool's good right, so a game that notices relies on what was never promised: that
    it gets the instance back which it despawned last, or that an instance lives for ever.

    Args:
        system: The system whose pools shall behave so.
        seed: The same seed gives the same disorder.

    Examples:
        >>> system = PoolingSystem()
        >>> enable_chaos(system, seed=3)
        >>> disable_chaos(system)
    """
    _use(system, _Disorder(seed))


def disable_chaos(system: PoolingSystem = pools) -> None:
    """Let the pools of `system` keep to their settings again."""
    _use(system, None)


def _use(system: PoolingSystem, disorder: _Disorder | None) -> None:
    system.home.disorder = disorder
    system.home.retune()


class _Disorder:
    """The dice."""

    __slots__ = ("_dice",)

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - dice for tests, no secrets

    def pick(self, count: int) -> int:
        """Return which of `count` instances at rest is handed out."""
        return self._dice.randrange(count)

    def drops(self) -> bool:
        """Return whether an instance is destroyed instead of put to rest."""
        return not self._dice.randrange(_DROPPED_ONE_IN)
