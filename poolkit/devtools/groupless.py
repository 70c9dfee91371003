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
from itertools import chain
from typing import TYPE_CHECKING, Any

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.seams import TimeWatcher, home_groups_of, lives_of
from poolkit.sprites.membership import HomeGroups, groups_dict_of

if TYPE_CHECKING:
    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool, PrefabPool

_log = logging.getLogger("poolkit")
_MESSAGE = (
    "%d %s of %s %s active, but in no group any more that the game holds, so nothing draws or "
    "updates them: Group.empty(), Group.remove(), a GroupSingle that takes another and a group "
    "that is replaced don't despawn. End them with kill() or despawn_all(), or all of a scene with "
    "reset(); and name groups that are replaced by a function, as in "
    "Prefab(..., groups=lambda: [game.bullets])"
)


def _unreferenced() -> float:
    """Return the reference count of what only a set holds.

    It is exact in CPython with its global lock; elsewhere less than any count is returned.
    """
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)
    if sys.implementation.name != "cpython" or not has_lock():
        return float("-inf")
    return next(map(sys.getrefcount, {object()}))


_UNREFERENCED = _unreferenced()

_held: dict[int, weakref.ref[Any]] = {}
"""The groups that sprites were in while the game held them, by their ids."""


class GrouplessWatch(TimeWatcher):
    """Looks at the groups of all lives of one system, at each update."""

    def __init__(self, context: SystemContext) -> None:
        self._context = context
        self._named: Counter[int] = Counter()  # how often prefabs refer to groups, by their ids
        # Pools that were warned of, and those whose lives belong in groups: all of them were once.
        self._warned: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()
        self._grouped: weakref.WeakSet[Pool[Any]] = weakref.WeakSet()

    def on_pool_added(self, pool: PrefabPool[Any]) -> None:
        """Warn again of a pool that is used again after a reset."""
        self._warned.discard(pool)
        self._grouped.discard(pool)

    def on_updating(self, dt: float) -> None:
        """Warn of each pool once that has lives in no group."""
        del dt
        groups_by_pool = {
            pool: [groups_dict_of(s) for s in lives_of(pool).values() if isinstance(s, Sprite)]
            for pool in self._context.pools
        }
        # No `union(*...)`: CPython keeps each tuple that it makes of an iterator and cuts.
        abandoned = self._abandoned(
            set(chain.from_iterable(chain.from_iterable(groups_by_pool.values())))
        )
        for pool, groups_of_lives in groups_by_pool.items():
            is_complete = all(groups_of_lives)
            if groups_of_lives and (is_complete or home_groups_of(pool)):
                self._grouped.add(pool)
            if pool not in self._warned and (abandoned or not is_complete):
                self._warn_of_lost(pool, groups_of_lives, abandoned)

    def _warn_of_lost(
        self, pool: Pool[Any], groups_of_lives: list[dict[Any, Any]], abandoned: set[Any]
    ) -> None:
        """Warn if lives of a pool are in abandoned groups alone, or in none where all were once."""
        is_grouped = pool in self._grouped
        num_lost = sum(
            abandoned.issuperset(groups) and (bool(groups) or is_grouped)
            for groups in groups_of_lives
        )
        if num_lost:
            self._warned.add(pool)
            life, verb = ("life", "is") if num_lost == 1 else ("lives", "are")
            _log.warning(_MESSAGE, num_lost, life, pool.name, verb)

    def _abandoned(self, groups: set[Any]) -> set[Any]:
        """Return the groups that the game held before, and holds no more, not even weakly.

        A group that it never held is reached through its prefab or its sprites.
        """
        before = self._named
        self._named = Counter(id(e) for pool in self._context.pools for e in home_groups_of(pool))
        for group_id in self._named - before:
            _held.pop(group_id, None)  # a prefab that is new here may have held it
        abandoned, by_home_groups = set(), HomeGroups.count_references()
        for count, group in zip(map(sys.getrefcount, groups), groups, strict=True):
            if not isinstance(group, AbstractGroup):
                continue  # a game's own kind, of which nothing is known
            group_id = id(group)
            size = len(group.spritedict) or len(group)  # a GroupSingle holds one elsewhere
            num_internal = by_home_groups[group_id] + self._named[group_id] + size
            if count - _UNREFERENCED > num_internal:
                if group_id not in _held:
                    _held[group_id] = weakref.ref(group, partial(_held.pop, group_id))
            elif group_id in _held and weakref.getweakrefcount(group) == 1:
                abandoned.add(group)
        return abandoned
