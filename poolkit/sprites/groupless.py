"""Tells, in the log, of lives that are in no group any more that the game holds.

Some were taken out of their groups. Others are in groups that were made anew, at a restart say:
they live on in the old ones, which nobody draws or updates. The number of references tells of
those: each sprite in a group refers to it once, poolkit's own references are known, and where there
are no more than these, none is the game's.
"""

from __future__ import annotations

import logging
import sys
import weakref
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pygame.sprite import AbstractGroup, Group, Sprite

from poolkit.core.context import SystemContext, frame_callbacks
from poolkit.sprites.membership import Homes, Membership

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.pool import Pool

_log = logging.getLogger("poolkit")
_INSTANCES = 64  # looked at in a frame
_POOLS = 32  # looked at in a frame
_groups_of = attrgetter("_Sprite__g")  # pygame's dict of the groups that a sprite is in

told: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
"""Pools of which there is nothing more to tell, here or by strict mode."""


# -- groups that the game has let go ----------------------------------------------------------


def _unreferenced() -> float:
    """Return what is counted for what is in a set alone; less than any count where that is vague.

    It is exact in CPython with its global lock, where pygame's sprites refer to a group once.
    """
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
    if sys.implementation.name == "cpython" and has_lock():
        sprite = Sprite(Group())
        [alone] = map(sys.getrefcount, {Group()})
        [joined] = map(sys.getrefcount, set(sprite.groups()))
        if joined == alone + 1:
            return alone
    return float("-inf")


_UNREFERENCED = _unreferenced()


class _Known:
    """What is known of a group in which sprites were seen.

    Attributes:
        by_prefabs: How many references are prefabs' own.
        is_held: Whether the game was seen to hold it.
        num_pools: How many pools there were when prefabs were asked.
    """

    __slots__ = ("_group", "by_prefabs", "is_held", "num_pools")

    def __init__(self, group: Any) -> None:
        self._group = weakref.ref(group, partial(_known.pop, id(group)))
        self.by_prefabs = 0
        self.is_held = False
        self.num_pools = 0


_known: dict[int, _Known] = {}  # by the id of the group


def _let_go_of(
    groups: set[Any], pools: Collection[Pool[Any]], *, exactly: bool = False
) -> set[Any]:
    """Return those of `groups` that the game held once and holds no more, not even weakly.

    A group that it never held is its prefab's, or its sprites', and is reached by these.

    Args:
        groups: Groups that sprites are in.
        pools: Of the prefabs that may refer to groups.
        exactly: Whether prefabs are asked again, of which some may be gone.
    """
    let_go = set()
    named: dict[int, int] | None = None
    for count, group in zip(map(sys.getrefcount, groups), groups, strict=True):
        if not isinstance(group, AbstractGroup):
            continue  # a game's own kind, of which nothing is known
        number = id(group)
        known = _known.get(number)
        if known is None:
            known = _known[number] = _Known(group)
        own = Homes.references.get(number, 0) + _size_of(group)
        others = count - _UNREFERENCED - own
        is_settled = known.is_held and known.num_pools == len(pools)
        if exactly or (others > known.by_prefabs and not is_settled):
            if named is None:
                named = _count_named(pools)
            if named.get(number, 0) > known.by_prefabs:
                known.is_held = False  # who held it may have been a prefab that was not used yet
            known.by_prefabs = named.get(number, 0)
            known.num_pools = len(pools)
        if others > known.by_prefabs:
            known.is_held = True
        elif known.is_held and weakref.getweakrefcount(group) == 1:
            let_go.add(group)
    return let_go


def _count_named(pools: Collection[Pool[Any]]) -> dict[int, int]:
    """Return how often prefabs refer to groups, by the ids of these.

    Prefabs share their tuple of groups with their variants. One that the game has too is left out.
    """
    tuples: dict[int, tuple[Any, ...]] = {}
    times: dict[int, int] = {}
    for pool in pools:
        number = id(pool._groups)
        tuples[number] = pool._groups
        times[number] = times.get(number, 0) + 1
    named: dict[int, int] = {}
    counts = map(sys.getrefcount, tuples.values())
    for count, groups in zip(counts, tuples.values(), strict=True):
        if count <= _UNREFERENCED + 2 * times[id(groups)]:  # each prefab's, and its pool's
            for group in groups:
                named[id(group)] = named.get(id(group), 0) + 1
    return named


def _size_of(group: Any) -> int:
    """Return how many sprites a group holds; pygame's own `len` makes a list of them first."""
    return len(group.spritedict) or len(group)  # a GroupSingle holds one elsewhere


def _is_consistent(group: Any) -> bool:
    """Whether each sprite that a group holds knows of it, and so refers to it."""
    return all(group in getattr(sprite, "_Sprite__g", ()) for sprite in group.sprites())


# -- looking, a little a frame ----------------------------------------------------------------


class _Lookout:
    """Looks at the lives of one system, a few a frame, all in turn; at each pool's oldest always.

    So what befalls all lives of a pool is noticed at once, a group that was emptied or made anew.
    """

    def __init__(self) -> None:
        self._places: weakref.WeakKeyDictionary[Pool[Any], int] = weakref.WeakKeyDictionary()
        self._grouped: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()  # once, with all their lives
        self._start = 0

    def look(self, context: SystemContext) -> None:
        """Look at some lives of some pools."""
        num_pools = len(context.pools)
        start = self._start if self._start < num_pools else 0
        some = list(islice(context.pools, start, start + _POOLS))
        self._start = start + _POOLS if start + _POOLS < num_pools else 0
        budget = _INSTANCES // len(some)
        seen = {pool: self._seen_of(pool, budget) for pool in some if pool._active}
        if seen:
            for pool in self._losing(seen, context.pools):
                self._tell(pool, context.pools)

    def _seen_of(self, pool: Pool[Any], budget: int) -> list[Any]:
        """Return in which groups some lives of a pool are."""
        active = pool._active
        oldest = next(iter(active))
        if not isinstance(oldest.props, Membership):  # it is no sprite
            return []
        if len(active) <= budget:
            seen = list(map(_groups_of, active.values()))
            if all(seen) and not oldest.props.homes.groups:
                self._grouped.add(pool)
            return seen
        place = self._places.get(pool, 0)
        self._places[pool] = place + budget if place + budget < len(active) else 0
        some = islice(active.values(), place, place + budget)
        return [_groups_of(oldest.instance), *map(_groups_of, some)]

    def _losing(
        self, seen: dict[Pool[Any], list[Any]], pools: Collection[Pool[Any]]
    ) -> list[Pool[Any]]:
        """Return those pools of whose lives some seem to be in no group that the game holds."""
        # No `union(*...)`: each tuple that CPython makes of an iterator and cuts is kept for reuse.
        groups = set(chain.from_iterable(chain.from_iterable(seen.values())))
        let_go = _let_go_of(groups, pools)
        return [
            pool
            for pool, memberships in seen.items()
            if (not all(memberships) and self._had_groups(pool))
            or (let_go and any(map(let_go.issuperset, memberships)))
            if pool not in told
        ]

    def _had_groups(self, pool: Pool[Any]) -> bool:
        """Whether those of its lives that are in no group at all were in one before."""
        oldest = next(iter(pool._active))
        return bool(oldest.props.homes.groups) or pool in self._grouped

    def _tell(self, pool: Pool[Any], pools: Collection[Pool[Any]]) -> None:
        """Look at all lives of a pool, and tell how many are in no group that the game holds."""
        memberships = list(map(_groups_of, pool._active.values()))
        let_go = _let_go_of(set(chain.from_iterable(memberships)), pools, exactly=True)
        if not all(map(_is_consistent, let_go)):
            told.add(pool)  # a group with ways of its own: nothing is certain
            return
        had_groups = self._had_groups(pool)
        lost = sum((bool(each) or had_groups) and let_go.issuperset(each) for each in memberships)
        if not lost:
            return
        told.add(pool)
        _log.warning(
            "%d %s of %s %s active, but in no group any more that the game holds, so nothing draws "
            "or updates them: Group.empty(), Group.remove(), a GroupSingle that takes another and "
            "a group that is made anew don't despawn. End them with kill() or despawn_all(), or "
            "all of a scene with reset(); and name groups that are made anew by a function, as in "
            "Prefab(..., groups=lambda: [game.bullets])",
            lost,
            "life" if lost == 1 else "lives",
            pool.name,
            "is" if lost == 1 else "are",
        )


_lookouts: dict[int, _Lookout] = {}  # by the id of their system's context


def look_for_groupless(context: SystemContext) -> None:
    """Tell of pools with lives that are in no group any more; look at a few instances a frame."""
    lookout = _lookouts.get(id(context))
    if lookout is None:
        lookout = _lookouts[id(context)] = _Lookout()
        weakref.finalize(context, _lookouts.pop, id(context))
    if context.pools:
        lookout.look(context)


frame_callbacks.append(look_for_groupless)
