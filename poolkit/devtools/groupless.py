"""Warns of lives that are in no group that the game holds; part of strict mode.

Some were taken out of their groups. Others are in groups that the game replaced, at a restart for
example, so that nothing draws or updates them. Counting references finds those: each sprite in a
group refers to it once, poolkit's own references are known, and any more are the game's.
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
"""Pools that were warned of."""

_grouped: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
"""Pools whose lives belong in groups: all of them were in one at some time."""

_held: dict[int, weakref.ref[Any]] = {}
"""The groups that sprites were in while the game held them, by their ids."""


def _unreferenced() -> float:
    """Return the reference count of what only a set holds.

    It is exact in CPython with its global lock; elsewhere less than any count is returned.
    """
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
    if sys.implementation.name != "cpython" or not has_lock():
        return float("-inf")
    return next(map(sys.getrefcount, {object()}))


_UNREFERENCED = _unreferenced()


class GrouplessWatch(TimeWatcher):
    """Looks at some lives of one system a frame, in turns, and always at each pool's oldest.

    So it notices at once that a group was emptied or replaced.
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
            _held.pop(number, None)  # a prefab that is new here may have held it

    def _lost(self, seen: dict[Pool[Any], list[Any]]) -> dict[Pool[Any], int]:
        """Return how many of some lives are only in groups that the game has let go of, by pool.

        It held those groups before, and holds them no more, not even weakly. A group that it never
        held is reached through its prefab or its sprites.
        """
        # No `union(*...)`: CPython keeps each tuple that it makes of an iterator and cuts.
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
        self._ask_prefabs(pools)  # of which some may be gone
        lost = self._lost({pool: _groups_of_each(lives_of(pool).values())}).get(pool)
        if not lost:
            return
        told.add(pool)
        _log.warning(
            "%d %s of %s %s active, but in no group any more that the game holds, so nothing draws "
            "or updates them: Group.empty(), Group.remove(), a GroupSingle that takes another and "
            "a group that is replaced don't despawn. End them with kill() or despawn_all(), or "
            "all of a scene with reset(); and name groups that are replaced by a function, as in "
            "Prefab(..., groups=lambda: [game.bullets])",
            lost,
            "life" if lost == 1 else "lives",
            pool.name,
            "is" if lost == 1 else "are",
        )


def _memberships(pool: Pool[Any], budget: int, number: int) -> list[Any]:
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
    try:
        return list(map(mine_of, instances))
    except AttributeError:  # rare: a pool may have adopted something else
        return [mine_of(each) for each in instances if isinstance(each, Sprite)]


def _share(all_of_them: Collection[Any], count: int, number: int) -> tuple[Iterable[Any], int]:
    """Return `count` of them, others for each number; and how often all have had their turn."""
    if len(all_of_them) <= count:
        return all_of_them, number
    rounds, turn = divmod(number, -(-len(all_of_them) // count))
    return list(islice(all_of_them, turn * count, (turn + 1) * count)), rounds
