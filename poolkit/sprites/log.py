"""What sprites and groups have to say in the log, each thing once."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poolkit.core.record import Record

_log = logging.getLogger("poolkit")
_told: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


def warn_once(about: Any, words: str, *names: object) -> None:
    """Say something of a class or a pool, unless it was said of it before.

    What a game does once, it does with all of a kind.
    """
    told = _told.setdefault(about, set())
    if words not in told:
        told.add(words)
        _log.warning(words, *names)


def warn_built_again(record: Record[Any]) -> None:
    """Say that pygame's constructor ran in a life: it makes a sprite forget its groups."""
    warn_once(
        type(record.instance),
        "Sprite.__init__ of %s was called while it was alive: call it in __init__, which runs once "
        "for all lives, not in spawned()",
        record.label,
    )


def warn_found(record: Record[Any], groups: list[Any]) -> None:
    """Say in which groups a sprite was found that was at rest, and is handed out next."""
    warn_once(
        record.pool,
        "%s was still in %s as it was spawned again, for it was put there when its life was over, "
        "and played on; it has left. To be seen dying, let it live: despawn it later, or spawn "
        "something else in its place",
        record.label,
        groups,
    )
