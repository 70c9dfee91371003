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
from collections import Counter
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pygame.sprite import AbstractGroup, Group, Sprite

from poolkit.core.context import SystemContext, frame_callbacks
from poolkit.sprites.membership import Homes, Membership, mine_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.pool import Pool

_log = logging.getLogger("poolkit")
_INSTANCES = 64  # looked at in a frame
_POOLS = 32  # looked at in a frame

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
_held: dict[int, weakref.ref[Any]] = {}
"""The groups that sprites were in while the game held them, by their ids."""


def _let_go_of(groups: set[Any], named: dict[int, int]) -> set[Any]:
    """Return those groups of sprites that the game held once and holds no more, not even weakly.

    A group that it never held is its prefab's, or its sprites', and is reached by these.
    """
    let_go = set()
    for count, group in zip(map(sys.getrefcount, groups), groups, strict=True):
        if not isinstance(group, AbstractGroup):
            continue  # a game's own kind, of which nothing is known
        number = id(group)
        size = len(group.spritedict) or len(group)  # a GroupSingle holds one elsewhere
        own = Homes.references.get(number, 0) + named.get(number, 0) + size
        if count - _UNREFERENCED > own:
            if number not in _held:
                _held[number] = weakref.ref(group, partial(_held.pop, number))
        elif number in _held and weakref.getweakrefcount(group) == 1:
            let_go.add(group)
    return let_go


def _count_named(pools: Collection[Pool[Any]]) -> dict[int, int]:
    """Return how often prefabs refer to groups, by the ids of these.

    Prefabs share their tuple of groups with their variants. One that the game has too is left out.
    """
    tuples = {id(pool._groups): pool._groups for pool in pools}
    times = Counter(id(pool._groups) for pool in pools)
    named: Counter[int] = Counter()
    for count, groups in zip(map(sys.getrefcount, tuples.values()), tuples.values(), strict=True):
        if count <= _UNREFERENCED + 2 * times[id(groups)]:  # each prefab's, and its pool's
            named.update(map(id, groups))
    return named


def _is_consistent(group: Any) -> bool:
    """Whether each sprite that a group holds knows of it, and so refers to it."""
    return all(group in getattr(sprite, "_Sprite__g", ()) for sprite in group.sprites())


# -- looking, a little a frame ----------------------------------------------------------------


class _Lookout:
    """Looks at the lives of one system, a few a frame, all in turn; at each pool's oldest always.

    So what befalls all lives of a pool is noticed at once, a group that was emptied or made anew.
    """

    def __init__(self) -> None:
        self._frames = 0
        self._grouped: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()  # once, with all their lives
        self._named: dict[int, int] = {}
        self._num_pools = 0  # when these were counted

    def look(self, pools: Collection[Pool[Any]]) -> None:
        """Look at some lives of some pools."""
        if self._num_pools != len(pools):
            self._ask_prefabs(pools)
        some, rounds = _share(pools, _POOLS, self._frames)
        budget = _INSTANCES // len(some)
        seen = {pool: self._seen_of(pool, budget, rounds) for pool in some if pool._active}
        self._frames += 1
        for pool in self._losing(seen):  # which refers to no group any more
            self._tell(pool, pools)

    def _losing(self, seen: dict[Pool[Any], list[Any]]) -> list[Pool[Any]]:
        """Return those pools of whose lives some seem to be in no group that the game holds."""
        # No `union(*...)`: each tuple that CPython makes of an iterator and cuts is kept for reuse.
        groups = set(chain.from_iterable(chain.from_iterable(seen.values())))
        let_go = _let_go_of(groups, self._named)
        return [
            pool
            for pool, memberships in seen.items()
            if (not all(memberships) and self._had_groups(pool))
            or (let_go and any(map(let_go.issuperset, memberships)))
            if pool not in told
        ]

    def _ask_prefabs(self, pools: Collection[Pool[Any]]) -> None:
        before, self._named = self._named, _count_named(pools)
        self._num_pools = len(pools)
        for number, times in self._named.items():
            if times > before.get(number, 0):
                _held.pop(number, None)  # who held it may have been a prefab not used till now

    def _seen_of(self, pool: Pool[Any], budget: int, number: int) -> list[Any]:
        """Return in which groups some lives of a pool are."""
        active = pool._active
        oldest = next(iter(active))
        if not isinstance(oldest.props, Membership):  # it is no sprite
            return []
        some, _ = _share(active.values(), budget, number)
        seen = [mine_of(oldest.instance), *map(mine_of, some)]
        if len(active) <= budget and all(seen):
            self._grouped.add(pool)
        return seen

    def _had_groups(self, pool: Pool[Any]) -> bool:
        """Whether those of its lives that are in no group at all were in one before."""
        oldest = next(iter(pool._active))
        return bool(oldest.props.homes.groups) or pool in self._grouped

    def _tell(self, pool: Pool[Any], pools: Collection[Pool[Any]]) -> None:
        """Look at all lives of a pool, and tell how many are in no group that the game holds."""
        self._ask_prefabs(pools)  # of which some may be gone
        memberships = list(map(mine_of, pool._active.values()))
        let_go = _let_go_of(set(chain.from_iterable(memberships)), self._named)
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


def _share(all_of_them: Collection[Any], count: int, number: int) -> tuple[list[Any], int]:
    """Return so many of them, other ones for each number, and how often all have had their turn."""
    rounds, turn = divmod(number, -(-len(all_of_them) // count))
    return list(islice(all_of_them, turn * count, (turn + 1) * count)), rounds


_lookouts: weakref.WeakKeyDictionary[SystemContext, _Lookout] = weakref.WeakKeyDictionary()


def look_for_groupless(context: SystemContext) -> None:
    """Tell of pools with lives that are in no group any more; look at a few instances a frame."""
    if context.pools:
        lookout = _lookouts.get(context) or _lookouts.setdefault(context, _Lookout())
        lookout.look(context.pools)


frame_callbacks.append(look_for_groupless)
