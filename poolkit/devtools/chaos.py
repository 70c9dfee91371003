"""Pools at their most awkward, so that tests show what a game wrongly relies on."""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING

from poolkit.core.home import PoolHome, home_callbacks
from poolkit.core.system import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["disable_chaos", "enable_chaos", "enable_chaos_everywhere"]

_DROPPED_ONE_IN = 8
_RECYCLED_ONE_IN = 8


def enable_chaos(system: PoolingSystem = pools, *, seed: int | str = 0) -> None:
    """Reuse instances in random order, drop one now and then, and recycle before it is needed.

    All are a pool's good right, so a game that notices relies on what was never promised: that it
    gets the instance back which it despawned last, that an instance lives for ever, or that a
    pool that recycles will not do so yet. Recycled is, as if the limit were reached, whom the
    pool's own policy chooses: never a life spawned with ``reclaimable=False``, and nothing at all
    in a pool without a limit, or one that refuses or exceeds.

    Args:
        system: The system whose pools shall behave so.
        seed: The same seed gives the same disorder.

    Examples:
        >>> system = PoolingSystem()
        >>> enable_chaos(system, seed=3)
        >>> disable_chaos(system)
    """
    _use(system.home, _Disorder(seed))


def disable_chaos(system: PoolingSystem = pools) -> None:
    """Let the pools of `system` keep to their settings again."""
    _use(system.home, None)


def enable_chaos_everywhere(seed: int | str = 0) -> Callable[[], None]:
    """Do so in every pooling system and `ObjectPool` there is, and every one made from now on.

    Each has dice of its own, which fall as `seed` says. What the pytest plugin does for
    ``--poolkit-chaos``.

    Returns:
        A function that ends it everywhere.

    Examples:
        >>> end = enable_chaos_everywhere(seed=3)
        >>> end()
    """

    def begin(home: PoolHome) -> None:
        _use(home, _Disorder(seed))

    def end() -> None:
        if begin in home_callbacks:
            home_callbacks.remove(begin)
            for home in _homes():
                _use(home, None)

    for home in _homes():
        begin(home)
    home_callbacks.append(begin)
    return end


def _homes() -> list[PoolHome]:
    # A game in play keeps no list of its systems for this; the collector knows them all.
    return [each for each in gc.get_objects() if type(each) is PoolHome]


def _use(home: PoolHome, disorder: _Disorder | None) -> None:
    home.disorder = disorder
    home.retune()


class _Disorder:
    """The dice."""

    __slots__ = ("_dice",)

    def __init__(self, seed: int | str) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - dice for tests, no secrets

    def pick(self, count: int) -> int:
        """Return which of `count` instances at rest is handed out."""
        return self._dice.randrange(count)

    def drops(self) -> bool:
        """Return whether an instance is destroyed instead of put to rest."""
        return not self._dice.randrange(_DROPPED_ONE_IN)

    def recycles(self) -> bool:
        """Return whether a pool that recycles does so although there is room."""
        return not self._dice.randrange(_RECYCLED_ONE_IN)
