"""How an instance is put into play and taken out of it: stages that each kind overrides."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError

if TYPE_CHECKING:
    from poolkit.core.pool import Pool

__all__ = ["InstanceStages"]

T = TypeVar("T")


class InstanceStages(Generic[T]):
    """The stages of an instance of any kind: they place nothing and join nothing.

    That is left to its hooks. A room that knows more of a kind of instance overrides them.

    Attributes:
        instance: The pooled object; `None` once it is destroyed.
        number: Its number in the pool, from 1, as in ``orc #0007``.
        pool: The pool it belongs to.
    """

    __slots__ = ("instance", "number", "pool")

    instance: T
    number: int
    pool: Pool[T]

    @property
    def label(self) -> str:
        """Return its name in messages: ``orc #0007``."""
        return f"{self.pool.name} #{self.number:04}"

    def attach(self) -> None:
        """Prepare a newly built instance: remember how it is, take it out of play.

        An instance that can take attributes learns of its record here, which is what gives its
        own hooks `self.scope`.

        Raises:
            PoolError: It is a component that takes no attributes.
            PrefabError: Its prefab names groups, which this kind of instance can't be in.
        """
        if self.pool.groups:
            message = (
                f"{self.label} can't join the groups of its prefab: only sprites can; "
                "leave out groups="
            )
            raise PrefabError(message)
        if isinstance(self.instance, IPoolableComponent):
            try:
                self.instance._pool_data = self  # type: ignore[attr-defined]
            except AttributeError:
                message = (
                    f"{type(self.instance).__name__} has __slots__ but no place for its pool data: "
                    "add '_pool_data' to its __slots__"
                )
                raise PoolError(message) from None

    def adopt(self) -> None:
        """Prepare an instance that is in play already: remember how it is, change nothing."""
        self.attach()

    def settle(self) -> None:
        """Remember how it is anew, and take it out of play again: its `awake` hooks have run."""

    def parts(self) -> Iterable[IPoolableComponent]:
        """Return what may have hooks, in order of attachment."""
        return (self.instance,) if isinstance(self.instance, IPoolableComponent) else ()

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the instance as good as new, and let it join its own groups and the physics."""

    def stay(self) -> None:
        """Be in play where it is: the stage of an instance that was adopted."""

    def pose(self) -> tuple[float, float, float]:
        """Return ``(x, y, rotation)``, for the hooks of an instance that was adopted."""
        return 0.0, 0.0, 0.0

    def join(self, groups: Iterable[Any]) -> None:
        """Let it join groups that were named for this life alone. `check_groups` comes first."""

    def follow(self, parent: Any) -> None:
        """Begin to move with `parent`, keeping the offset there is now."""

    def unfollow(self) -> None:
        """Stop moving with the parent."""

    def leave(self) -> None:
        """Take the instance out of its groups and the physics. May add to `holds`."""

    def reclaim(self) -> None:
        """Learn that its life was ended to make room for a new one."""

    def release(self) -> None:
        """Cut what ties the instance to the pool, when it is detached, alive."""
        if isinstance(self.instance, IPoolableComponent):
            with contextlib.suppress(AttributeError):  # it had no place for it
                self.instance._pool_data = None  # type: ignore[attr-defined]

    def dismantle(self) -> None:
        """Cut every reference cycle of an instance that is destroyed, so that it is freed."""
        self.forget()

    def check_groups(self, groups: Iterable[Any]) -> None:
        """See that the instance can join `groups`, before its life begins.

        Raises:
            PoolError: This kind of instance can't be in groups.
            TypeError: Something is no group.
        """
        if type(self).join is InstanceStages.join:
            message = (
                f"{self.label} can't join groups: only sprites can; "
                "leave out groups=, or pass the group as data of its own"
            )
            raise PoolError(message)
        for group in groups:
            if hasattr(group, "add_internal"):
                continue
            if isinstance(group, str) or not isinstance(group, Iterable):
                message = f"{self.pool.name} can't join {group!r}, which is no group"
                raise TypeError(message)
            self.check_groups(group)

    def forget(self) -> None:
        """Let go of the instance, also where a handle keeps this record."""
        self.instance = None  # type: ignore[assignment]  # nobody asks for it any more
