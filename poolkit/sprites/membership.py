"""Joining and leaving pygame groups, quickly where they are pygame's own."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.errors import ErrorCollector

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        pairs: list[Any] = [(group, getattr(group, "spritedict", None)) for group in groups]
        # The first group, its dict of sprites, and the others with theirs, if any: most are in one.
        self.entry = (*(pairs[0] if pairs else (None, {})), tuple(pairs[1:]) or None)
        self.references.update(map(id, groups * 2))  # here, and in `entry`

    def __del__(self) -> None:
        self.references.subtract(map(id, self.groups * 2))
        for group in self.groups:
            if not self.references[id(group)]:
                del self.references[id(group)]


class Membership:
    """The groups that one sprite joins at the start of each life.

    pygame's dict of the groups that a sprite is in has values that mean nothing to pygame. Here,
    the value is the group's own dict of sprites where that was written directly.
    """

    __slots__ = ("entry", "homes", "mine", "sprite")

    def __init__(self, sprite: Any, groups: tuple[Any, ...]) -> None:
        self.sprite = sprite
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

    def leave(self) -> None:
        """Remove the sprite from every group it is in, joined by whomever."""
        _leave_all(self.sprite, ErrorCollector())


def leave_fast(holder: Any) -> None:
    """Do what `Membership.leave` does, in fewer steps."""
    own = holder.snapshot
    mine = own.mine
    while mine:
        group, members = mine.popitem()
        if not members:
            if members == 0:  # pygame's own mark; a dict that is empty was left already
                try:
                    group.remove_internal(own.sprite)
                except BaseException as error:
                    put_out(own.sprite, (group,))
                    _leave_all(own.sprite, ErrorCollector(error))
            continue
        drawn = members.pop(own.sprite, None)
        if drawn:  # for clear() to erase
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
                    kind.remove_internal(group, sprite)
                    break
        mine_of(sprite).pop(group, None)


def _leave_all(sprite: Sprite, errors: ErrorCollector) -> None:
    """Leave every group, all the same where one raises; then raise that, and `errors`."""
    mine = mine_of(sprite)
    while mine:  # a group may hand it on to another
        group, _ = mine.popitem()
        try:
            group.remove_internal(sprite)
        except BaseException as error:
            errors.add(error)
            put_out(sprite, (group,))
    errors.raise_all("leaving groups")


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
