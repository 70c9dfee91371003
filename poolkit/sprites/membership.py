"""Joining and leaving pygame groups, quickly where they are pygame's own."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.errors import ErrorCollector
from poolkit.sprites.log import warn_found

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import Record

# pygame keeps a sprite's groups as the keys of a private dict, and a group's sprites as the keys
# of `spritedict`; add() and kill() look both up several times. All that relies on it is in here,
# and a test compares it with add() and kill().
mine_of = attrgetter("_Sprite__g")  # not `__dict__`: CPython 3.11 builds a real one when asked
_ways_of = attrgetter("add_internal", "remove_internal")
_PLAIN_WAYS = _ways_of(AbstractGroup)


class Homes:
    """Groups that sprites join at each spawn: one object for all sprites that join the same."""

    __slots__ = ("__weakref__", "entry", "groups", "is_plain")

    references: ClassVar[Counter[int]] = Counter()  # how often homes refer to a group, by its id
    _known: ClassVar[Any] = WeakValueDictionary()

    @classmethod
    def of(cls, groups: tuple[Any, ...]) -> Homes:
        """Return the object for these groups, each taken once."""
        # By hand where there is one, as nearly always: a third of the time.
        ids = (id(groups[0]),) if len(groups) == 1 else tuple(map(id, groups))
        known = cls._known.data.get(ids)  # one call, not two
        homes: Homes | None = None if known is None else known()
        if homes is None:
            once = tuple(dict.fromkeys(groups))
            homes = cls._known.setdefault(tuple(map(id, once)), cls(once))
        return homes

    def __init__(self, groups: tuple[AbstractGroup[Any], ...]) -> None:
        self.groups = groups
        # Whether they let sprites join and leave in pygame's own way, so that this may be written:
        # ``members[sprite] = None; mine[group] = members``.
        self.is_plain = all(map(is_plain, groups))
        # The first group, its dict of sprites, and the others with theirs, if any: most are in one.
        # Nothing where these may not be written.
        pairs: list[Any] = [(group, group.spritedict) for group in groups if self.is_plain]
        self.entry = (*(pairs[0] if pairs else (None, {})), tuple(pairs[1:]) or None)
        self.references.update(self._ids())

    def __del__(self) -> None:
        self.references.subtract(self._ids())
        for group in self.groups:
            if not self.references[id(group)]:
                del self.references[id(group)]

    def _ids(self) -> Iterable[int]:
        """Return the ids of the groups, once for each reference: here, and in `entry`."""
        return map(id, self.groups * (1 + self.is_plain))


class Membership:
    """The groups that one sprite joins at the start of each life.

    pygame's dict of the groups that a sprite is in has values that mean nothing to pygame. Here,
    the value is the group's own dict of sprites where that was written directly.
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
        """Add the sprite to groups that need no more than this."""
        sprite, mine = self.sprite, self.mine
        for group in groups:
            members = mine[group] = group.spritedict
            members.setdefault(sprite)

    def leave_found(self, record: Record[Any]) -> None:
        """Leave the groups that the sprite is found in as it is handed out, and say so."""
        warn_found(record, list(self.mine))
        self.leave()

    def leave(self) -> None:
        """Remove the sprite from every group it is in, joined by whomever: the last one first.

        From all of them, also where one raises. It forgets a group only once it is out of it: else
        an interrupt would leave it there for ever.
        """
        errors, sprite, mine = ErrorCollector(), self.sprite, self.mine
        while mine:  # a group may hand it on to another
            group = next(reversed(mine))
            try:
                if mine[group] == 0:  # pygame's own mark
                    group.remove_internal(sprite)
                else:  # it was written directly, and so may this be
                    _drop(group, sprite)
            except BaseException as error:
                errors.add(error)
                put_out(sprite, (group,))
            mine.pop(group, None)
        errors.raise_all("leaving groups")


def leave_fast(holder: Any) -> None:
    """Do what `Membership.leave` does for a sprite at home in groups of pygame's own."""
    own = holder.snapshot
    sprite, mine = own.sprite, own.mine
    group, members, others = own.entry
    drawn = members.pop(sprite, None)
    if drawn:  # for clear() to erase
        group.lostsprites.append(drawn)
    mine.pop(group, None)
    if others is not None:
        for group, members in others:
            drawn = members.pop(sprite, None)
            if drawn:
                group.lostsprites.append(drawn)
            mine.pop(group, None)
    if mine:
        own.leave()


def _drop(group: Any, sprite: Any) -> None:
    """Remove a sprite from a group of pygame's own, if it is in there still."""
    drawn = group.spritedict.pop(sprite, None)
    if drawn:
        group.lostsprites.append(drawn)


def put_out(sprite: Sprite, groups: Iterable[Any]) -> None:
    """Make sure that `sprite` is in none of `groups`, whatever they or it made of joining.

    In the way of pygame's own class, or poolkit's, that theirs extend: theirs has failed.
    """
    for group in groups:
        if group.has_internal(sprite):
            kind: Any
            for kind in type(group).__mro__:
                is_game = kind.__module__.partition(".")[0] not in {"poolkit", "pygame"}
                if not is_game and "remove_internal" in vars(kind):
                    try:
                        kind.remove_internal(group, sprite)
                    except (LookupError, ValueError):  # it had not joined as far as that
                        for name in ("spritedict", "_spritelayers"):
                            getattr(group, name, {}).pop(sprite, None)
                    break
        mine_of(sprite).pop(group, None)


def join_more(sprite: Sprite, groups: tuple[Any, ...]) -> None:
    """Join groups: all of them, or none where one raises."""
    try:
        Sprite.add(sprite, *groups)
    except BaseException:
        put_out(sprite, groups)
        raise


groups_of = Sprite.groups
"""Return the groups that a sprite is in, also where a game calls something else `groups`."""


def is_plain(group: Any) -> bool:
    """Whether sprites join and leave a group in pygame's own way."""
    try:
        return bool(_ways_of(type(group)) == _PLAIN_WAYS)
    except AttributeError:  # a game's own kind
        return False
