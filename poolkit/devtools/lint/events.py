"""What a method does to the instance it is called on: the facts that the lint judges by."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import ast

__all__ = ["ANYTHING", "CERTAIN", "Call", "Certainty", "Event", "Facts", "Kind", "Path", "Write"]

Path = tuple[str, ...]
"""Attributes from the instance on: ``("health", "current")`` for ``self.health.current``."""

ANYTHING: Path = ("*",)
"""Written where nobody can say by reading what is written, as in ``vars(self).update(data)``."""


class Kind(Enum):
    """What is done to an attribute; the value is how a finding says it."""

    ASSIGNED = "set"
    CHANGED = "changed"
    ITEM = "given items"
    MUTATED = "changed in place"
    DELETED = "deleted"


class Certainty(NamedTuple):
    """Whether something is done in every run of a method.

    Attributes:
        always: It is.
        unless_idle: Else, attributes that every condition on the way looks at. To reset one of
            these only if it needs it, as in ``if self.timer: self.timer = None``, is to reset it.
    """

    always: bool = True
    unless_idle: frozenset[str] = frozenset()

    def under(self, condition: Certainty) -> Certainty:
        """Return how certain it is where it happens under `condition` as well."""
        if condition.always:
            return self
        if self.always:
            return condition
        return Certainty(always=False, unless_idle=self.unless_idle & condition.unless_idle)

    def covers(self, path: Path) -> bool:
        """Return whether a reset of `path` that is so certain can be relied on."""
        return self.always or path[0] in self.unless_idle


CERTAIN = Certainty()


class Write(NamedTuple):
    """A change of an attribute.

    Attributes:
        path: What is changed.
        kind: How.
        lines: The first and the last line of the statement.
        certainty: Whether every run of the method does it.
        value: What is assigned.
    """

    path: Path
    kind: Kind
    lines: tuple[int, int]
    certainty: Certainty = CERTAIN
    value: ast.expr | None = None


class Call(NamedTuple):
    """A call that may change the instance.

    Attributes:
        target: Whose method is called: its own, its base classes', that of an object it holds;
            or a function within the method; or another function that is given the instance.
        path: The object that it holds.
        name: The method or function.
        lines: The first and the last line of the statement.
        certainty: Whether every run of the method does it.
        how: ``"drain"`` runs a generator to its end, ``"start"`` to its first yield, and
            ``"change"`` calls a property's setter with something made of what was there.
        function: The expression of the function that is given the instance.
        place: As which of its positional arguments.
    """

    target: Literal["self", "super", "part", "local", "function"]
    path: Path
    name: str
    lines: tuple[int, int]
    certainty: Certainty = CERTAIN
    how: Literal["call", "start", "drain", "change"] = "call"
    function: ast.expr | None = None
    place: int = 0


Event = Write | Call


@dataclass(slots=True)
class Facts:
    """What one function does to the instance.

    Attributes:
        events: What it does, in order.
        at_end: What it leaves to the end of the life: what `scope.callback` is given.
        inner: Functions within it, by name; lambdas have none, but a line.
        stray: The names of inner functions that are more than called, so that they may run later.
        mentioned: Attributes of the instance that it reads: a method may be called by that later.
        returned: Attributes that what it returns is read from.
        balanced: What it sets back in a ``finally``.
        first_yield: How many events come before the first ``yield``; `None` if there is none.
    """

    events: list[Event] = field(default_factory=list)
    at_end: list[Event] = field(default_factory=list)
    inner: dict[str, Facts] = field(default_factory=dict)
    stray: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)
    balanced: set[Path] = field(default_factory=set)
    first_yield: int | None = None
