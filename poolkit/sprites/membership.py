"""Joining and leaving pygame groups, quickly where they are pygame's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygame.sprite import AbstractGroup, Sprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Membership", "flat"]

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
        leave: Removes the sprite from every group it is in, joined by whomever.
    """

    __slots__ = ("_direct", "_mine", "_sprite", "groups", "leave")

    def __init__(self, sprite: Sprite, groups: Iterable[AbstractGroup[Any]]) -> None:
        """Prepare `sprite` to join `groups`, each once."""
        self._sprite = sprite
        self.groups = tuple(dict.fromkeys(flat(groups)))
        kind = type(sprite)
        mine: dict[Any, Any] | None = sprite.__dict__.get(_MINE)
        self._mine = mine
        self._direct = (
            mine is not None
            and kind.add_internal is Sprite.add_internal
            and kind.remove_internal is Sprite.remove_internal
        )
        self.leave: Callable[[], None] = self.leave_plainly
        if mine is not None and self._direct:
            self.leave = _quick_leave(sprite, mine)

    def join(self) -> None:
        """Add the sprite to its groups."""
        Sprite.add(self._sprite, *self.groups)

    def leave_plainly(self) -> None:
        """Remove the sprite from every group it is in: what `leave` means."""
        sprite, before = self._sprite, None
        # Again where a group handed it on to another; not where the sprite refuses to leave.
        while (groups := sprite.groups()) and groups != before:
            Sprite.remove(sprite, *groups)
            before = groups

    def dismantle(self) -> None:
        """Cut the cycle of its chosen way."""
        del self.leave

    def direct(
        self,
    ) -> tuple[dict[Any, Any], tuple[tuple[AbstractGroup[Any], dict[Any, Any]], ...]] | None:
        """Return what is to be written instead of calling `join`, where it may be.

        Returns:
            pygame's dict of the sprite's groups, and the groups with their dicts of sprites:
            to join is ``members[sprite] = None; mine[group] = members``. `None` if the sprite
            or a group has its own way of joining.
        """
        if self._mine is None or not self._direct or not all(map(_is_plain, self.groups)):
            return None
        return self._mine, tuple((group, group.spritedict) for group in self.groups)


def _quick_leave(sprite: Sprite, mine: dict[Any, Any]) -> Callable[[], None]:
    take = mine.popitem

    def leave() -> None:
        while mine:
            group, members = take()
            if not members:
                if members == 0:  # pygame's own mark; a dict that is empty was left already
                    group.remove_internal(sprite)
                continue
            drawn = members.pop(sprite, None)
            if drawn:  # for clear() to erase
                group.lostsprites.append(drawn)

    return leave


def _is_plain(group: AbstractGroup[Any]) -> bool:
    kind = type(group)
    return (
        kind.add_internal is AbstractGroup.add_internal
        and kind.remove_internal is AbstractGroup.remove_internal
    )
