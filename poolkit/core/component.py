"""What a game writes to take part in the lives of pooled instances: the component mixin."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from poolkit.core.scope import Scope

__all__ = ["DespawnReason", "IPoolableComponent"]


class DespawnReason(Enum):
    """Why a life ended; `despawned` hooks that name a parameter `reason` are given it."""

    DESPAWNED = "despawned"
    """The game asked for it: `despawn`, `kill`, a timer of the life."""
    RECYCLED = "recycled"
    """The pool was at its limit and this life made room for a new one."""
    PARENT = "parent"
    """The instance it was spawned under was despawned."""
    RESET = "reset"
    """The system was reset, as before a level is loaded."""
    DISPOSED = "disposed"
    """The system was disposed of, or the pool cleared."""
    FAILED = "failed"
    """A hook raised while the life began."""


class _SelfHosted:
    """`component.sprite` where no attribute of that name was set.

    A non-data descriptor, so that the plain attribute that attaching a component sets is found
    first and costs an ordinary attribute look-up.
    """

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the instance itself if it is a pooled object, for it has no sprite above it."""
        if instance is None:
            return self
        if getattr(instance, "_pool_data", None) is not None:
            return instance
        message = (
            f"{type(instance).__name__} is attached to no sprite (yet, or any more): "
            "call sprite.add_component(...) first, and use self.sprite from awake() on"
        )
        raise AttributeError(message)


class IPoolableComponent:
    """Mixin for what wants to know when a life begins and ends.

    Override any of `awake`, `spawned`, `despawned` and `destroyed`; what is not overridden is
    never called and costs nothing. `spawned` names the spawn data it wants as parameters
    (``def spawned(self, velocity)`` for ``spawn(..., velocity=(300, 0))``) and may also name
    ``position``, ``rotation`` and ``parent``; `despawned` may name ``reason``.

    Attributes:
        execution_order: Hooks run by ascending order at spawn, and the other way round at despawn;
            equals run in the order in which they were attached.
        sprite: The sprite this component is attached to.
    """

    __slots__ = ()

    execution_order: int = 0
    if TYPE_CHECKING:
        sprite: Any
    else:
        sprite = _SelfHosted()

    @property
    def scope(self) -> Scope:
        """The current life's `Scope`: what is started with it is undone when the life ends.

        Raises:
            PoolError: There is no life now.
        """
        data = getattr(self.sprite, "_pool_data", None)
        if data is None:
            message = f"{self.sprite!r} is managed by no pool: it has no life, and so no scope"
            raise PoolError(message)
        scope: Scope = data.scope
        return scope

    def awake(self) -> None:
        """Run once, after the instance was built and before its first life."""

    def spawned(self, *args: Any, **data: Any) -> None:
        """Run at the start of every life."""

    def despawned(self, *args: Any, **data: Any) -> None:
        """Run at the end of every life, in the reverse order of `spawned`."""

    def destroyed(self) -> None:
        """Run once, when the pool gives the instance up for good."""
