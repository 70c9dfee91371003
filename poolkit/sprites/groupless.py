"""Tells, in the log, of lives that the game took out of their groups and never ended."""

from __future__ import annotations

import logging
import weakref
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.context import SystemContext, frame_callbacks

if TYPE_CHECKING:
    from poolkit.core.pool import Pool

_log = logging.getLogger("poolkit")
_INSTANCES = 256  # looked at in a frame, beside pools whose groups are too small for their lives
_POOLS = 32  # looked at in a frame
_groups_of = attrgetter("_Sprite__g")  # pygame's dict of the groups that a sprite is in


class _Look:
    """What was seen of one pool.

    Attributes:
        all_grouped: Whether all its lives were in groups when all were last looked at.
        place: Where among its active instances to go on looking.
        sizes: How many lives it had, and of what size their groups were, when all were looked at.
    """

    __slots__ = ("all_grouped", "place", "sizes")

    def __init__(self) -> None:
        self.all_grouped = False
        self.place = 0
        self.sizes: tuple[int, ...] = ()


_starts: weakref.WeakKeyDictionary[SystemContext, int] = weakref.WeakKeyDictionary()
_looks: weakref.WeakKeyDictionary[Pool[Any], _Look] = weakref.WeakKeyDictionary()
told: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
"""Pools whose lives in no group were told of, once each, by strict mode or here."""


def look_for_groupless(context: SystemContext) -> None:
    """Tell of pools with lives that are in no group any more; look at a few instances a frame.

    A pool whose groups hold fewer sprites than it has lives is looked at as a whole, once for each
    such state: so that an emptied group is told of in the same update.
    """
    budget = _INSTANCES
    pools = context.pools
    start = _starts.get(context, 0) if len(pools) > _POOLS else 0
    for pool in list(islice(pools, start, start + _POOLS)):
        if pool._active and pool not in told:
            budget -= _look_at(pool, budget)
    if len(pools) > _POOLS:
        _starts[context] = start + _POOLS if start + _POOLS < len(pools) else 0


def _look_at(pool: Pool[Any], budget: int) -> int:
    """Look at some lives of a pool, as many as `budget`; return how many it were."""
    active = pool._active
    first = next(iter(active))
    if not isinstance(first.instance, pygame.sprite.Sprite):
        told.add(pool)  # there is nothing to tell of it
        return 0
    look = _looks.get(pool)
    if look is None:
        look = _looks[pool] = _Look()
    homes = first.props.homes.groups
    count = len(active)
    sizes = (count, *map(_size_of, homes))
    if look.sizes != sizes and any(size < count for size in sizes[1:]):
        look.sizes = sizes
        begin, end = 0, count
    else:
        begin = look.place if look.place < count else 0
        end = min(count, begin + max(0, budget))
    look.place = end
    seen = islice(active.values(), begin, end)
    if all(map(_groups_of, seen)):  # without a line of Python for each
        look.all_grouped = look.all_grouped or end - begin == count
    else:
        lost = sum(not _groups_of(sprite) for sprite in list(active.values()))
        if homes or look.all_grouped:
            _tell(pool, lost)
        look.all_grouped = False
    return end - begin


def _size_of(group: Any) -> int:
    """Return how many sprites a group holds; pygame's own `len` makes a list of them first."""
    is_single = isinstance(group, pygame.sprite.GroupSingle)
    return len(group if is_single else group.spritedict)


def _tell(pool: Pool[Any], lost: int) -> None:
    told.add(pool)
    _log.warning(
        "%d %s of %s %s active, but in no group any more, so nothing draws or updates them: "
        "Group.empty(), Group.remove() and a GroupSingle that takes another don't despawn. End "
        "them with kill() or despawn_all(), or all of a scene with reset()",
        lost,
        "life" if lost == 1 else "lives",
        pool.name,
        "is" if lost == 1 else "are",
    )


frame_callbacks.append(look_for_groupless)
