"""Adds sprites to pygame groups and removes them, directly where a group is of pygame's kind."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import pygame
from pygame.sprite import AbstractGroup, Group, Sprite

from poolkit.core.errors import collected
from poolkit.core.saving import never_saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.errors import Errors
    from poolkit.core.record import Record

_log = logging.getLogger("poolkit")
_warned: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

# pygame keeps a sprite's groups as the keys of a private dict, and a group's sprites as the keys of
# `spritedict`. add() and kill() look both up several times. Only this room relies on that, and a
# test compares it with add() and kill(). pygame ignores the values of the private dict: of a group
# that was joined directly, ours is its `spritedict`.
# Not `__dict__`, of which CPython 3.11 builds a real one.
groups_dict_of: Callable[[Any], Any] = attrgetter("_Sprite__g")
_ADD, _REMOVE = AbstractGroup.add_internal, AbstractGroup.remove_internal


def check_pygame() -> None:
    """Check that this pygame keeps groups where poolkit looks for them.

    Raises:
        ImportError: It doesn't: sprites would seem to be in no group.
    """
    sprite, group = Sprite(), Group[Any]()
    group.add(sprite)
    members = getattr(group, "spritedict", ())
    if group in getattr(sprite, "_Sprite__g", ()) and sprite in members:
        return
    message = (
        f"poolkit doesn't know how pygame-ce {pygame.version.ver} keeps the groups of a sprite: "
        "install a newer poolkit, or an older pygame-ce"
    )
    raise ImportError(message)


check_pygame()


@never_saved
class HomeGroups:
    """The groups that sprites join at each spawn, shared by all sprites that join the same."""

    __slots__ = ("__weakref__", "custom_groups", "groups", "pairs")

    _known: ClassVar[Any] = WeakValueDictionary()

    @classmethod
    def of(cls, groups: tuple[Any, ...]) -> HomeGroups:
        """Return the home groups made of these, each counted once."""
        # There is nearly always one group: this takes a third of the time.
        ids = (id(groups[0]),) if len(groups) == 1 else tuple(map(id, groups))
        reference = cls._known.data.get(ids)  # one call, not two
        home_groups: HomeGroups | None = None if reference is None else reference()
        if home_groups is None:
            once = tuple(dict.fromkeys(groups))
            home_groups = cls._known.setdefault(tuple(map(id, once)), cls(once))
        return home_groups

    def __init__(self, groups: tuple[AbstractGroup[Any], ...]) -> None:
        self.groups: tuple[Any, ...] = groups
        # To join a group of pygame's kind is to write ``members[sprite] = None;
        # groups_dict[group] = members``. If all are, these are the groups with their members.
        is_direct = all(map(uses_pygame_join, groups))
        self.pairs: tuple[tuple[Any, Any], ...] | tuple[()] = (
            tuple([(group, group.spritedict) for group in groups]) if is_direct else ()
        )
        self.custom_groups: tuple[()] | tuple[Any, ...] = (
            () if is_direct else groups
        )  # joined by their own methods, in order

    @classmethod
    def count_references(cls) -> Counter[int]:
        """Count how often home groups refer to each group, by its id.

        Less these, the count of all its references says whether the game still holds it.
        """
        ids: Counter[int] = Counter()
        for home_groups in list(cls._known.values()):
            ids.update(map(id, home_groups.groups))
            ids.update([id(group) for group, _ in home_groups.pairs])
        return ids


@never_saved
class Membership:
    """The groups that one sprite joins at the start of each life."""

    __slots__ = ("home_groups", "sprite")

    def __init__(self, sprite: Any, groups: tuple[Any, ...]) -> None:
        self.sprite: Any = sprite
        self.home_groups: HomeGroups = HomeGroups.of(groups)

    def join(self) -> None:
        """Add the sprite to its home groups."""
        sprite, home_groups = self.sprite, self.home_groups
        groups_dict = groups_dict_of(sprite)
        for group, members in home_groups.pairs:
            groups_dict[group] = members
            members[sprite] = None
        if home_groups.custom_groups:
            join_full(sprite, home_groups.custom_groups)

    def leave_stale_groups(self, record: Record[Any]) -> None:
        """Leave the groups that the sprite joined after its last life, and warn."""
        warn_once(
            record.pool,
            "%s was still in %s, for it was put there when its life was over, and played on; it "
            "has left. To be seen dying, let it live: despawn it later, or spawn something else in "
            "its place",
            record.label,
            groups_of(self.sprite),
        )
        leave_groups(self.sprite, groups_dict_of(self.sprite))


def leave_groups(sprite: Sprite, groups_dict: dict[Any, Any]) -> None:
    """Leave all groups, the last one first, even if one raises."""
    errors: Errors = None
    while groups_dict:  # leaving one may make it join another
        group, members = next(reversed(groups_dict.items()))
        try:
            if not members and uses_pygame_join(group):
                members = group.spritedict
            if members:  # it was joined directly, or can be left so
                drawn = members.pop(sprite, None)
                if drawn:
                    group.lostsprites.append(drawn)
            else:
                group.remove_internal(sprite)
        except BaseException as error:
            errors = collected(errors, error)
            _force_leave(sprite, group)
        groups_dict.pop(group, None)
    if errors is not None:
        errors.raise_now("leaving groups")


def had_groups(groups_dict: dict[Any, Any]) -> bool:
    """Return whether a sprite that is in no group was in one, in this life or another.

    A dict from which keys were deleted keeps their room in CPython; elsewhere nobody knows.
    """
    return sys.implementation.name == "cpython" and sys.getsizeof(groups_dict) > sys.getsizeof({})


def force_leave_groups(member: Membership) -> None:
    """Make sure that a sprite is in no group, even if the groups' own code fails."""
    groups_dict = groups_dict_of(member.sprite)
    for group in (*member.home_groups.groups, *groups_dict):
        _force_leave(member.sprite, group)
        groups_dict.pop(group, None)


def _force_leave(sprite: Sprite, group: Any) -> None:
    """Remove `sprite` by the method of the class of pygame's or poolkit's that a group extends."""
    classes: Any = type(group).__mro__ if group.has_internal(sprite) else ()
    for cls in classes:
        is_game = cls.__module__.partition(".")[0] not in {"poolkit", "pygame"}
        if not is_game and "remove_internal" in vars(cls):
            try:
                cls.remove_internal(group, sprite)
            except (LookupError, ValueError):  # it was only half in
                for name in ("spritedict", "_spritelayers"):
                    getattr(group, name, {}).pop(sprite, None)
            return


def join_full(sprite: Sprite, groups: tuple[Any, ...]) -> None:
    """Join groups of any kind, by their own methods."""
    Sprite.add(sprite, *groups)


groups_of: Callable[[Any], list[Any]] = Sprite.groups
"""Return the groups that a sprite is in, even if its class has an attribute `groups`."""


def uses_pygame_join(group: Any) -> bool:
    """Return whether sprites join and leave a group in pygame's own way."""
    cls = type(group)
    try:
        return cls.add_internal is _ADD and cls.remove_internal is _REMOVE
    except AttributeError:  # a game's own kind
        return False


def warn_once(about: Any, words: str, *names: object) -> None:
    """Log a warning about a class or a pool, the first time only."""
    warned = _warned.setdefault(about, set())
    if words not in warned:
        warned.add(words)
        _log.warning("%s", words % names)  # as text: what keeps it mustn't keep a sprite


def warn_built_again(record: Record[Any]) -> None:
    """Warn that pygame's constructor ran in a life, which makes a sprite forget its groups."""
    warn_once(
        type(record.instance),
        "Sprite.__init__ of %s was called while it was alive: call it in __init__, which runs once "
        "for all lives, not in spawned()",
        record.label,
    )
