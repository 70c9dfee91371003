"""Joins and leaves pygame groups, quickly if they are pygame's own, and logs what goes wrong."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.errors import ErrorCollector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import Record

_log = logging.getLogger("poolkit")
_told: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

# pygame keeps a sprite's groups as the keys of a private dict, and a group's sprites as the keys of
# `spritedict`. add() and kill() look both up several times. Only this file relies on that, and a
# test compares it with add() and kill().
mine_of = attrgetter("_Sprite__g")  # not `__dict__`: CPython 3.11 builds a real one when asked
_ways_of = attrgetter("add_internal", "remove_internal")
_PLAIN_WAYS = _ways_of(AbstractGroup)


class Homes:
    """The groups that sprites join at each spawn, shared by all sprites that join the same."""

    __slots__ = ("__weakref__", "entry", "groups", "is_plain")

    references: ClassVar[Counter[int]] = Counter()  # how often homes refer to a group, by its id
    _known: ClassVar[Any] = WeakValueDictionary()

    @classmethod
    def of(cls, groups: tuple[Any, ...]) -> Homes:
        """Return the homes made of these groups, each counted once."""
        # There is nearly always one group: this takes a third of the time.
        ids = (id(groups[0]),) if len(groups) == 1 else tuple(map(id, groups))
        known = cls._known.data.get(ids)  # one call, not two
        homes: Homes | None = None if known is None else known()
        if homes is None:
            once = tuple(dict.fromkeys(groups))
            homes = cls._known.setdefault(tuple(map(id, once)), cls(once))
        return homes

    def __init__(self, groups: tuple[AbstractGroup[Any], ...]) -> None:
        self.groups = groups
        # If so, to join one is to write ``members[sprite] = None; mine[group] = members``.
        self.is_plain = groups != () and all(map(is_plain, groups))
        # The first group, its dict of sprites, and the other groups with theirs; empty if they
        # mustn't be written to.
        pairs: list[Any] = [(group, group.spritedict) for group in groups if self.is_plain]
        self.entry = (*(pairs[0] if pairs else (None, {})), tuple(pairs[1:]) or None)
        self.references.update(self._ids())

    def __del__(self) -> None:
        self.references.subtract(self._ids())
        for group in self.groups:
            if not self.references[id(group)]:
                del self.references[id(group)]

    def _ids(self) -> Iterable[int]:
        """Return the ids of the groups, twice if `entry` refers to them as well."""
        return map(id, self.groups * (1 + self.is_plain))


class Membership:
    """The groups that one sprite joins at the start of each life.

    pygame keeps a sprite's groups in a dict and ignores its values. A group that was joined
    directly has its own dict of sprites there.
    """

    __slots__ = ("entry", "homes", "mine", "sprite")

    def __init__(self, sprite: Any, groups: tuple[Any, ...]) -> None:
        self.sprite: Any = sprite
        self.homes = homes = Homes.of(groups)
        self.entry = homes.entry
        self.mine: Any = mine_of(sprite)

    def join(self) -> None:
        """Add the sprite to its groups."""
        if self.homes.is_plain:
            self.join_at_once(self.homes.groups)
        else:
            join_more(self.sprite, self.homes.groups)

    def join_at_once(self, groups: Iterable[Any]) -> None:
        """Add the sprite to groups of pygame's own kind."""
        sprite, mine = self.sprite, self.mine
        for group in groups:
            members = mine[group] = group.spritedict
            members.setdefault(sprite)

    def leave_found(self, record: Record[Any]) -> None:
        """Leave the groups that the sprite joined after its last life, and warn."""
        warn_once(
            record.pool,
            "%s was still in %s, for it was put there when its life was over, and played on; it "
            "has left. To be seen dying, let it live: despawn it later, or spawn something else in "
            "its place",
            record.label,
            list(self.mine),
        )
        self.leave()

    def leave(self) -> None:
        """Leave all groups, the last one first, even if one raises.

        The sprite forgets a group only after leaving it, so that Ctrl-C can't leave it there.
        """
        errors, sprite, mine = ErrorCollector(), self.sprite, self.mine
        while mine:  # leaving one may make it join another
            group = next(reversed(mine))
            try:
                if mine[group] == 0:  # joined by pygame's add()
                    group.remove_internal(sprite)
                else:
                    _drop(group, sprite)
            except BaseException as error:
                errors.add(error)
                put_out(sprite, (group,))
            mine.pop(group, None)
        errors.raise_all("leaving groups")


def leave_fast(holder: Any) -> None:
    """Leave all groups, as `Membership.leave` does, if the home groups are plain.

    The sprite forgets no group before it has left it here, too.
    """
    own = holder.snapshot
    sprite, mine = own.sprite, own.mine
    group, members, _ = own.entry
    drawn = members.pop(sprite, None)
    if drawn:  # for clear() to erase
        group.lostsprites.append(drawn)
    try:
        del mine[group]
    except KeyError:  # the game has left it
        own.leave()
        return
    if mine:
        for group, members in mine.items():
            if not members:  # joined by pygame's add()
                own.leave()
                return
            drawn = members.pop(sprite, None)
            if drawn:
                group.lostsprites.append(drawn)
        mine.clear()


def leave_any(holder: Any) -> None:
    """Leave all groups, of any kind."""
    if holder.snapshot.mine:
        holder.snapshot.leave()


def had_groups(member: Membership) -> bool:
    """Return whether a sprite that is in no group was in one, in this life or another.

    A dict from which keys were deleted keeps their room in CPython; elsewhere nobody knows.
    """
    return sys.implementation.name == "cpython" and sys.getsizeof(member.mine) > sys.getsizeof({})


def _drop(group: Any, sprite: Any) -> None:
    """Remove a sprite from a group of pygame's own kind, if it's still in it."""
    drawn = group.spritedict.pop(sprite, None)
    if drawn:
        group.lostsprites.append(drawn)


def put_out(sprite: Sprite, groups: Iterable[Any]) -> None:
    """Make sure that `sprite` is in none of `groups`, even if their own code fails.

    Removes it by the method of the class of pygame's or poolkit's that they extend.
    """
    for group in groups:
        if group.has_internal(sprite):
            kind: Any
            for kind in type(group).__mro__:
                is_game = kind.__module__.partition(".")[0] not in {"poolkit", "pygame"}
                if not is_game and "remove_internal" in vars(kind):
                    try:
                        kind.remove_internal(group, sprite)
                    except (LookupError, ValueError):  # it was only half in
                        for name in ("spritedict", "_spritelayers"):
                            getattr(group, name, {}).pop(sprite, None)
                    break
        mine_of(sprite).pop(group, None)


def join_more(sprite: Sprite, groups: tuple[Any, ...]) -> None:
    """Join all groups, or none if one raises."""
    try:
        Sprite.add(sprite, *groups)
    except BaseException:
        put_out(sprite, groups)
        raise


groups_of = Sprite.groups
"""Return the groups that a sprite is in, even if its class has an attribute `groups`."""


def is_plain(group: Any) -> bool:
    """Whether sprites join and leave a group in pygame's own way."""
    try:
        found: bool = _ways_of(type(group)) == _PLAIN_WAYS
    except AttributeError:  # a game's own kind
        return False
    return found


def warn_once(about: Any, words: str, *names: object) -> None:
    """Log a warning about a class or a pool, the first time only."""
    told = _told.setdefault(about, set())
    if words not in told:
        told.add(words)
        _log.warning(words, *names)


def warn_built_again(record: Record[Any]) -> None:
    """Warn that pygame's constructor ran in a life, which makes a sprite forget its groups."""
    warn_once(
        type(record.instance),
        "Sprite.__init__ of %s was called while it was alive: call it in __init__, which runs once "
        "for all lives, not in spawned()",
        record.label,
    )
