"""Where an instance is in its pool, and where it may go from there."""

from __future__ import annotations

from enum import Enum, auto


class State(Enum):
    """Where an instance is in its pool."""

    INACTIVE = auto()
    """It has no life: it rests in a queue, or it is being made or about to begin one."""
    SPAWNING = auto()
    """Alive; its `spawned` hooks are running."""
    ACTIVE = auto()
    """Alive."""
    DESPAWNING = auto()
    """No longer alive; its `despawned` hooks are running."""
    LEAVING = auto()
    """Its hooks have run. It leaves play, and waits until nothing holds it."""
    DESTROYED = auto()
    """Given up for good."""
    DETACHED = auto()
    """Alive, and no longer the pool's."""


INACTIVE, SPAWNING, ACTIVE = State.INACTIVE, State.SPAWNING, State.ACTIVE
DESPAWNING, LEAVING = State.DESPAWNING, State.LEAVING
DESTROYED, DETACHED = State.DESTROYED, State.DETACHED

TRANSITIONS: dict[State, frozenset[State]] = {
    INACTIVE: frozenset({SPAWNING, DESTROYED}),
    SPAWNING: frozenset({ACTIVE, DESPAWNING, DETACHED}),
    ACTIVE: frozenset({DESPAWNING, DETACHED}),
    DESPAWNING: frozenset({LEAVING}),
    LEAVING: frozenset({INACTIVE, DESTROYED}),
    DESTROYED: frozenset(),
    DETACHED: frozenset(),
}
"""The states that may follow each state. Only tests check it."""
