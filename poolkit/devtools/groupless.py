"""Tells in the log of lives that are in no group any more that the game holds: strict mode does.

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

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.seams import TimeWatcher, home_groups_of, lives_of
from poolkit.sprites.membership import Homes, Membership, mine_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool

_log = logging.getLogger("poolkit")
_INSTANCES = 64  # looked at in a frame
_POOLS = 32  # looked at in a frame

told: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
"""Pools of which there is nothing more to tell."""

_grouped: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
"""Pools whose lives belong in groups: all of them were in some once."""

_held: dict[int, weakref.ref[Any]] = {}
"""The groups that sprites were in while the game held them, by their ids."""


def _unreferenced() -> float:
    """Return what is counted for what is in a set alone; less than any count where that is vague.

    It is exact in CPython with its global lock.
    """
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
    if sys.implementation.name != "cpython" or not has_lock():
        return float("-inf")
    return next(map(sys.getrefcount, {object()}))


_UNREFERENCED = _unreferenced()


class GrouplessWatch(TimeWatcher):
    """Looks at the lives of one system, a few a frame, all in turn; at each pool's oldest always.

    So what happens to all lives of a pool is noticed at once: a group was emptied, or replaced.
    """

    def __init__(self, context: SystemContext) -> None:
        self._context = context
        self._frames = 0
        self._named: Counter[int] = Counter()  # how often prefabs refer to groups, by their ids
        self._num_pools = 0  # when these were counted

    def updating(self, dt: float) -> None:
        """Look at some lives of some pools."""
        del dt
        pools = self._context.pools
        if not pools:
            return
        if self._num_pools != len(pools):
            self._ask_prefabs(pools)
        some, rounds = _share(pools, _POOLS, self._frames)
        self._frames += 1
        budget = _INSTANCES // min(len(pools), _POOLS)
        seen = {pool: _memberships(pool, budget, rounds) for pool in some if lives_of(pool)}
        if seen:
            for pool, lost in self._lost(seen).items():
                if lost and pool not in told:
                    self._tell(pool, pools)

    def _ask_prefabs(self, pools: Collection[Pool[Any]]) -> None:
        before = self._named
        self._named = Counter(id(one) for pool in pools for one in home_groups_of(pool))
        self._num_pools = len(pools)
        for number in self._named - before:
            _held.pop(number, None)  # who held it may have been a prefab not used till now

    def _lost(self, seen: dict[Pool[Any], list[Any]]) -> dict[Pool[Any], int]:
        """Return how many of some lives are in no group that the game holds, by their pools.

        A group that it held once and holds no more, not even weakly. One that it never held is its
        prefab's, or its sprites', and is reached by these.
        """
        # No `union(*...)`: each tuple that CPython makes of an iterator and cuts is kept for reuse.
        groups = set(chain.from_iterable(chain.from_iterable(seen.values())))
        let_go = set()
        for count, group in zip(map(sys.getrefcount, groups), groups, strict=True):
            if not isinstance(group, AbstractGroup):
                continue  # a game's own kind, of which nothing is known
            number = id(group)
            size = len(group.spritedict) or len(group)  # a GroupSingle holds one elsewhere
            own = Homes.references.get(number, 0) + self._named.get(number, 0) + size
            if count - _UNREFERENCED > own:
                if number not in _held:
                    _held[number] = weakref.ref(group, partial(_held.pop, number))
            elif number in _held and weakref.getweakrefcount(group) == 1:
                let_go.add(group)
        return {
            pool: sum(
                (bool(each) or pool in _grouped) and let_go.issuperset(each) for each in memberships
            )
            for pool, memberships in seen.items()
            if let_go or not all(memberships)
        }

    def _tell(self, pool: Pool[Any], pools: Collection[Pool[Any]]) -> None:
        """Look at all lives of a pool, and tell how many are in no group that the game holds."""
        self._ask_prefabs(pools)  # of which some may be gone
        lost = self._lost({pool: _groups_of_each(lives_of(pool).values())}).get(pool)
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


def _memberships(pool: Pool[Any], budget: int, number: int) -> list[Any]:
    """Return in which groups some lives of a pool are, its oldest among them."""
    active = lives_of(pool)
    oldest = next(iter(active))
    if not isinstance(oldest.snapshot, Membership):  # it is no sprite
        return []
    some, _ = _share(active.values(), budget, number)
    seen = _groups_of_each([oldest.instance, *some])
    if oldest.snapshot.homes.groups or (len(active) <= budget and all(seen)):
        _grouped.add(pool)
    return seen


def _groups_of_each(instances: Collection[Any]) -> list[Any]:
    """Return in which groups each is that is a sprite."""
    try:
        return list(map(mine_of, instances))
    except AttributeError:  # rare: a pool may have adopted something else
        return [mine_of(each) for each in instances if isinstance(each, Sprite)]


def _share(all_of_them: Collection[Any], count: int, number: int) -> tuple[Iterable[Any], int]:
    """Return so many of them, other ones for each number, and how often all have had their turn."""
    if len(all_of_them) <= count:
        return all_of_them, number
    rounds, turn = divmod(number, -(-len(all_of_them) // count))
    return list(islice(all_of_them, turn * count, (turn + 1) * count)), rounds
