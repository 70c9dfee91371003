"""Notes what a checkpoint puts back of many sprites at once, besides their slots."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from pygame import FRect

from poolkit.sprites.membership import groups_dict_of

if TYPE_CHECKING:
    from collections.abc import Collection

_rect_of = attrgetter("rect")


class Notes(Protocol):
    """What is noted: functions that put values back, with what they put them into."""

    notes: list[Any]

    def follow(self, values: Collection[Any]) -> None:
        """Have values noted next."""


def note_sprites(sprites: list[Any], walk: Notes) -> None:
    """Note where sprites are, and their groups; what hangs on them is noted next."""
    memberships = list(map(groups_dict_of, sprites))
    groups = list(map(dict.copy, memberships))
    walk.notes.append((_put_back_groups, memberships, groups))
    walk.follow(dict.fromkeys(chain.from_iterable(groups)))
    rects = list(map(_rect_of, sprites))
    if set(map(type, rects)) != {FRect}:
        walk.follow(rects)
        rects = [rect for rect in rects if type(rect) is FRect]
    walk.notes.append((_put_back_rects, rects, list(map(FRect.copy, rects))))


def _put_back_groups(memberships: list[Any], groups: list[Any]) -> None:
    for membership, held in zip(memberships, groups, strict=True):
        # Their order is the one in which the sprite leaves them.
        if membership != held or (len(held) > 1 and list(membership) != list(held)):
            membership.clear()
            membership.update(held)


def _put_back_rects(rects: list[FRect], copies: list[FRect]) -> None:
    for rect, copy in zip(rects, copies, strict=True):
        rect.update(copy)
