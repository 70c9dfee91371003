"""What an audit found: a leak a line, each with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolkit.devtools.audit.comparing import Kind

__all__ = ["AuditReport", "Leak"]


@dataclass(frozen=True, slots=True, repr=False)
class Leak:
    """Something of one life that is still there in the next.

    Attributes:
        path: Where: ``orc.health.current``.
        fresh: What a fresh instance has there: the value, if it is a plain one; else words for it.
        respawned: What one has there that lived before.
        kind: ``"changed"``; ``"grown"``: a container with more in it; ``"new"`` and
            ``"missing"``: an attribute; ``"component"``: one that came late, or was taken off;
            ``"shared"``: one object that several instances have, and one of them changed;
            ``"group"``: alive in no group, or in a group after the life; ``"timer"``,
            ``"subscription"`` and ``"space"``: what outlives the life.
        where: Where it was last written, if that is known: ``Health.hit (monsters.py:41)``.
        verb: What was done there: ``"set in"``, ``"changed in"`` (in place), ``"calls"``.
        reason: The last part of the message: where it comes from, or what to do.
    """

    path: str
    fresh: object
    respawned: object
    kind: Kind
    where: str | None = None
    verb: str = "set in"
    reason: str = "never reset in spawned or despawned"

    def __str__(self) -> str:
        """Return the message.

        Examples:
            >>> place = "Health.hit (monsters.py:41)"
            >>> print(Leak("orc.health.current", 30, 12, "changed", place))
            ... # doctest: +NORMALIZE_WHITESPACE
            orc.health.current: fresh 30, respawned 12: set in Health.hit (monsters.py:41),
            never reset in spawned or despawned
        """
        values = f"fresh {self.fresh!r}, respawned {self.respawned!r}"
        place = f"{self.verb} {self.where}, " if self.where else ""
        return f"{self.path}: {values}: {place}{self.reason}"

    def __repr__(self) -> str:
        """Return ``<Leak(orc.health.current, changed)>``."""
        return f"<{type(self).__name__}({self.path}, {self.kind})>"


@dataclass(frozen=True, slots=True, repr=False)
class AuditReport:
    """The outcome of an audit. True if it is clean, as `ok`.

    Attributes:
        name: The name of the prefab.
        leaks: What was found, the nearest to the instance first.
        values: How many values of the instance were compared.
        notes: What the audit could not look at, and why.

    Examples:
        >>> print(AuditReport("orc", (), 143))
        orc: clean (143 values compared)
    """

    name: str
    leaks: tuple[Leak, ...]
    values: int
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.leaks

    def __bool__(self) -> bool:
        """Return `ok`, so that ``assert audit(orc)`` says what it seems to."""
        return self.ok

    def __str__(self) -> str:
        """Return a headline, and a line for each leak and each note."""
        if self.ok:
            headline = f"{self.name}: clean ({self.values} values compared)"
        else:
            count = len(self.leaks)
            headline = f"{self.name}: {count} {'leak' if count == 1 else 'leaks'} between lives"
        lines = (str(leak) for leak in self.leaks)
        notes = (f"note: {note}" for note in self.notes)
        return "\n".join([headline, *(f"  {line}" for line in (*lines, *notes))])

    def __repr__(self) -> str:
        """Return ``<AuditReport('orc', leaks=2, values=143)>``."""
        counts = f"leaks={len(self.leaks)}, values={self.values}"
        return f"<{type(self).__name__}({self.name!r}, {counts})>"
