"""Tells of what hangs on a sprite, or was spawned under one, and is drawn by nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygame.sprite import Sprite

from poolkit.core.seams import frame_callbacks
from poolkit.sprites.group import PooledGroup
from poolkit.sprites.log import warn_once
from poolkit.sprites.membership import mine_of

if TYPE_CHECKING:
    from poolkit.core.record import Record
    from poolkit.sprites.links import Link

_waiting: dict[type, tuple[Record[Any], int]] = {}  # children, with the numbers of their lives


def look_at_link(link: Link) -> None:
    """Tell of what hangs on a sprite that is in groups, but in no `PooledGroup`."""
    bearer = link.bearer
    if bearer is None or not link.is_seen:
        return
    if not any(isinstance(group, PooledGroup) for group in mine_of(bearer)):
        warn_once(
            type(bearer),
            "%r hangs on %r and has no groups of its own, so only a PooledGroup updates and draws "
            "it, which is none of %s: use a PooledGroup, or give the part groups of its own",
            link.child,
            bearer,
            list(mine_of(bearer)),
        )


def look_at_child(record: Record[Any]) -> None:
    """Tell of what was spawned under a sprite if nobody draws it.

    Its hooks may put it into groups: then it is looked at when the frame is over.
    """
    if record.spawned:
        _waiting[type(record.instance)] = record, record.generation
    else:
        _look_at(record)


def _look_at(record: Record[Any]) -> None:
    child, parent = record.instance, record.life and record.life.instance
    link = getattr(child, "_link", None)
    if link is not None:
        look_at_link(link)
    elif isinstance(parent, Sprite) and not mine_of(child):
        warn_once(
            type(child),
            "%r was spawned under %r and has no groups, so nobody updates or draws it: only a "
            "PooledSprite hangs on another. Name groups in its Prefab, or where it is spawned",
            child,
            parent,
        )


def _look_at_those_waiting(_: object) -> None:
    while _waiting:
        _, (record, generation) = _waiting.popitem()
        if record.lasts(generation):
            _look_at(record)


frame_callbacks.append(_look_at_those_waiting)
