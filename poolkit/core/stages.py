"""How an instance is put into play and taken out of it: stages that each kind overrides."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkit.core.pool import Pool

__all__ = ["ALIVE", "BEGINNING", "CLOSING", "ENDING", "RESTING", "UNUSUAL", "InstanceStages"]

# The state of a record, as plain numbers: it is looked at in every spawn and despawn.
CLOSING = -2  # not alive: its scope and its children are being ended
ENDING = -1  # not alive: its `despawned` hooks are running
RESTING = 0  # not alive
BEGINNING = 1  # alive, and its `spawned` hooks are running
ALIVE = 2  # alive, with nothing that ending it has to look at
UNUSUAL = 3  # alive, with a scope, children, a parent, or options of its own

T = TypeVar("T")


class InstanceStages(Generic[T]):
    """The stages of an instance of any kind: they place nothing and join nothing.

    That is left to its hooks. A room that knows more of a kind of instance overrides them.

    What a spawn and a despawn look at comes first, and is all here: CPython lays out the slots of a
    class side by side, and among a hundred thousand instances each further line of memory is one
    more to wait for. For the same reason, and because CPython 3.11 calls a function that it has
    seen before much faster, `entrance` and `departure` are shared by all instances of a kind.

    Attributes:
        departure: What does the work of `leave`, called with the record.
        entrance: What does the work of `enter`, called with the record and the place.
        first_despawned: Its first `despawned` method where none takes arguments, else `None`.
        first_spawned: Its first `spawned` method where all can do without arguments, else `None`.
        generation: How many lives it has had, the present one included. Never wraps.
        holds: For how many reasons it may not be reused yet, although its life is over.
        _context: What its pool shares with the others of its system.
        instance: The pooled object; `None` once it is destroyed.
        later_despawned: The `despawned` methods after the first.
        later_spawned: The `spawned` methods after the first.
        number: Its number in the pool, from 1, as in ``orc #0007``.
        pool: The pool it belongs to.
        props: What `entrance` and `departure` need of this instance, side by side.
        rare: Whether this life is `UNUSUAL`, or will be once its hooks have run.
        running: The last `spawned` hook that was begun.
        state: `RESTING`, `BEGINNING`, `ALIVE`, `UNUSUAL`, `ENDING` or `CLOSING`.
    """

    __slots__ = (
        "_context",
        "departure",
        "entrance",
        "first_despawned",
        "first_spawned",
        "generation",
        "holds",
        "instance",
        "later_despawned",
        "later_spawned",
        "number",
        "pool",
        "props",
        "rare",
        "running",
        "state",
    )

    def __init__(self, instance: T, pool: Pool[T]) -> None:
        """Begin with no hooks, and with the stages of the class."""
        self.instance = instance
        self.pool = pool
        self._context = pool._context
        self.number = 0
        self.generation = 0
        self.state = RESTING
        self.rare = False
        self.holds = 0
        self.running: Callable[[], object] | None = None
        # The first one by itself: most instances have one hook, which then needs no list.
        self.first_spawned: Callable[[], object] | None = None
        self.first_despawned: Callable[[], object] | None = None
        self.later_spawned: Sequence[Callable[[], object]] = ()
        self.later_despawned: Sequence[Callable[[], object]] = ()
        kind: Any = type(self)
        self.entrance: Callable[[Any, float, float, float], None] = kind.enter
        self.departure: Callable[[Any], None] = kind.leave
        self.props: Any = None

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

    def set_free(self) -> None:
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
        self.first_spawned = self.first_despawned = None
        self.later_spawned = self.later_despawned = ()
        self.running = self.props = None
        self.entrance = self.departure = _gone
        self.instance = None  # type: ignore[assignment]  # nobody asks for it any more


def _gone(*_: object) -> None:
    """Do nothing: the instance is destroyed."""
