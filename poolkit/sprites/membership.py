"""Joining and leaving pygame groups, quickly where they are pygame's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pygame.sprite import AbstractGroup, Sprite

from poolkit.core.errors import ErrorCollector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# pygame keeps a sprite's groups as the keys of a private dict, and a group's sprites as the keys
# of `spritedict`; add() and kill() look both up several times. All that relies on it is in here,
# and a test compares it with add() and kill().
_MINE = "_Sprite__g"


def flat(groups: Iterable[Any]) -> Iterator[AbstractGroup[Any]]:
    """Yield groups one by one: where pygame takes groups, it takes lists of them as well."""
    for group in groups:
        if hasattr(group, "_spritegroup"):
            yield group
        else:
            yield from flat(group)


class Membership:
    """The groups that one sprite joins at the start of each life.

    pygame's dict of the groups that a sprite is in has values that mean nothing to pygame. Here,
    the value is the group's own dict of sprites where that was written directly.

    Attributes:
        groups: The groups it joins, each once.
        is_direct: Whether the sprite may leave its groups by `leave_fast`.
        props: The sprite, pygame's dict of its groups, and whatever else is needed besides.
        sprite: The sprite.
        ties: Nothing: see `HasProps`.
    """

    ties = None
    __slots__ = ("groups", "is_direct", "props", "sprite")

    def __init__(self, sprite: Any, groups: Iterable[AbstractGroup[Any]]) -> None:
        """Prepare `sprite` to join `groups`, each once."""
        self.sprite = sprite
        self.groups = tuple(dict.fromkeys(flat(groups)))
        kind = type(sprite)
        # Not by `__dict__`, which makes CPython 3.11 build a real one for each sprite.
        mine: dict[Any, Any] | None = getattr(sprite, _MINE, None)
        self.is_direct = (
            mine is not None
            and kind.add_internal is Sprite.add_internal
            and kind.remove_internal is Sprite.remove_internal
        )
        self.props: tuple[Any, ...] = (sprite, mine)

    @property
    def is_plain(self) -> bool:
        """Whether sprite and groups join each other in pygame's own way, so that it may be written.

        To join is ``members[sprite] = None; mine[group] = members`` then.
        """
        return self.is_direct and all(map(_is_plain, self.groups))

    @property
    def members(self) -> tuple[tuple[AbstractGroup[Any], dict[Any, Any]], ...]:
        """The groups that it joins, each with its dict of sprites."""
        return tuple((group, group.spritedict) for group in self.groups)

    def join(self) -> None:
        """Add the sprite to its groups: to all of them, or to none where one raises."""
        try:
            Sprite.add(self.sprite, *self.groups)
        except BaseException:
            put_out(self.sprite, self.groups)
            raise

    def leave_fully(self) -> None:
        """Remove the sprite from every group it is in: what `leave` means."""
        _leave_all(self.sprite, ErrorCollector())

    def leave(self) -> None:
        """Remove the sprite from every group it is in, joined by whomever."""
        if self.is_direct:
            leave_fast(self)
        else:
            self.leave_fully()


class HasProps(Protocol):
    """What holds the sprite and its groups together with whatever else is needed of them.

    Attributes:
        props: These, side by side.
        ties: What its life has beyond the everyday; nothing where it is no life.
    """

    props: tuple[Any, ...]
    ties: Any


def leave_fast(holder: HasProps) -> None:
    """Do what `leave_fully` does: ``props`` begins with the sprite and its dict of groups."""
    props = holder.props
    sprite, mine = props[0], props[1]
    while mine:
        group, members = mine.popitem()
        if not members:
            if members == 0:  # pygame's own mark; a dict that is empty was left already
                try:
                    group.remove_internal(sprite)
                except BaseException as error:
                    put_out(sprite, (group,))
                    _leave_all(sprite, ErrorCollector(error))
            continue
        drawn = members.pop(sprite, None)
        if drawn:  # for clear() to erase
            group.lostsprites.append(drawn)


def put_out(sprite: Sprite, groups: Iterable[Any]) -> None:
    """Make sure that `sprite` is in none of `groups`, whatever they or it made of joining.

    In the way of pygame's own class, or poolkit's, that theirs extend: theirs has failed.
    """
    for group in flat(groups):
        if group.has_internal(sprite):
            kind: Any
            for kind in type(group).__mro__:
                is_game = kind.__module__.partition(".")[0] not in {"poolkit", "pygame"}
                if not is_game and "remove_internal" in vars(kind):
                    kind.remove_internal(group, sprite)
                    break
        if group in groups_of(sprite):
            Sprite.remove_internal(sprite, group)


def _leave_all(sprite: Sprite, errors: ErrorCollector) -> None:
    """Leave every group in pygame's own way, all the same where one raises.

    Raises:
        BaseException: `errors`, and what groups or the sprite raised. The sprite is in no group.
    """
    before = None
    # Again where a group handed it on to another; not where the sprite refuses to leave.
    while (groups := groups_of(sprite)) and groups != before:
        for group in groups:
            try:
                Sprite.remove(sprite, group)
            except BaseException as error:
                errors.add(error)
                put_out(sprite, (group,))
        before = groups
    errors.raise_all("leaving groups")


def joins_at_once(groups: Any) -> bool:
    """Return whether groups are a list of such as need no more than `join_at_once`."""
    kind = type(groups)
    return (kind is list or kind is tuple) and all(map(_is_plain, groups))


def join_at_once(holder: HasProps, groups: Iterable[Any]) -> None:
    """Join more groups of pygame's own for the present life."""
    sprite, mine = holder.props[0], holder.props[1]
    for group in groups:
        members = mine[group] = group.spritedict
        members.setdefault(sprite)


def join_more(sprite: Sprite, groups: Iterable[Any]) -> None:
    """Join more groups for the present life: all of them, or none where one raises."""
    groups = tuple(groups)
    try:
        sprite.add(*groups)
    except BaseException:
        put_out(sprite, groups)
        raise


def groups_of(sprite: Sprite) -> list[AbstractGroup[Any]]:
    """Return the groups that a sprite is in, also where a game calls something else `groups`."""
    return Sprite.groups(sprite)


def _is_plain(group: AbstractGroup[Any]) -> bool:
    kind: Any = type(group)
    return (
        getattr(kind, "add_internal", None) is AbstractGroup.add_internal
        and kind.remove_internal is AbstractGroup.remove_internal
    )
