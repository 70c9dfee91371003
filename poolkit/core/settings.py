"""How one pool behaves: its sizes, and what it does when it is full."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field
from typing import Literal, cast

from poolkit.core.overflow import OverflowPolicy, Refuse

__all__ = ["PoolSettings", "checked_count"]


def checked_count(count: object, what: str, *, least: int = 0) -> int:
    """Return `count` if it is a whole number of at least `least`.

    Raises:
        TypeError: It is not an `int` (a `bool` is not one either).
        ValueError: It is less than `least`.
    """
    if not isinstance(count, int) or isinstance(count, bool):
        message = f"{what} must be a whole number, not {count!r}"
        raise TypeError(message)
    if count < least:
        message = f"{what} must be {least} or more, not {count}"
        raise ValueError(message)
    return count


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """The settings of one pool; immutable, so that prefabs can share them.

    Attributes:
        prespawn: How many instances are made when the prefab is registered or first used.
        limit: The most instances, active and inactive, that the pool may hold; `None`: no limit.
        grow_by: How many are made at once when a spawn finds none inactive.
        overflow: What happens when `limit` is reached.
        order: Which inactive instance is handed out: ``"fifo"``, the one that rested longest, or
            ``"lifo"``, the one despawned last.
        trim_after: Seconds after which inactive instances that were never needed are destroyed;
            `None`: never.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of range, or `prespawn` is over `limit`.

    Examples:
        >>> PoolSettings(prespawn=20, limit=64).limit
        64
        >>> PoolSettings(prespawn=20, limit=8)
        Traceback (most recent call last):
        ...
        ValueError: prespawn=20 is more than limit=8: raise the limit, or prespawn fewer
    """

    prespawn: int = 0
    limit: int | None = None
    grow_by: int = 1
    overflow: OverflowPolicy = field(default_factory=Refuse)
    order: Literal["fifo", "lifo"] = "fifo"
    trim_after: float | None = None

    def __post_init__(self) -> None:
        """Check everything once, here, so that no spawn has to."""
        checked_count(self.prespawn, "prespawn")
        checked_count(self.grow_by, "grow_by", least=1)
        if self.limit is not None:
            checked_count(self.limit, "limit", least=1)
            if self.prespawn > self.limit:
                message = (
                    f"prespawn={self.prespawn} is more than limit={self.limit}: "
                    "raise the limit, or prespawn fewer"
                )
                raise ValueError(message)
        if not isinstance(self.order, str):
            message = f"order must be the text 'fifo' or 'lifo', not {self.order!r}"
            raise TypeError(message)
        if self.order not in {"fifo", "lifo"}:
            message = f"order must be 'fifo' or 'lifo', not {self.order!r}"
            raise ValueError(message)
        _check_policy(self.overflow)
        if self.trim_after is not None:
            _check_seconds(self.trim_after)


def _check_policy(policy: object) -> None:
    if isinstance(policy, type):
        # A class has the method as well, which the protocol alone is content with.
        message = (
            f"overflow must be a policy, not the class {policy.__name__}: "
            f"make one, as in overflow={policy.__name__}(...)"
        )
        raise TypeError(message)
    if not callable(getattr(policy, "choose_victim", None)):
        message = (
            f"overflow must be a policy such as Refuse(), not {policy!r}: "
            "an object with a method choose_victim(pool)"
        )
        raise TypeError(message)


def _check_seconds(seconds: object) -> None:
    if not isinstance(seconds, numbers.Real) or isinstance(seconds, bool):
        message = f"trim_after must be a number of seconds, or None, not {seconds!r}"
        raise TypeError(message)
    if not 0 < cast("float", seconds) < math.inf:
        message = f"trim_after must be a number of seconds above 0, not {seconds!r}"
        raise ValueError(message)
