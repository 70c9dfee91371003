"""Joining and leaving pygame groups, quickly where they are pygame's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame.sprite
from pygame.sprite import AbstractGroup, Sprite

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Membership"]

# pygame keeps a sprite's groups as the keys of a private dict, and a group's sprites as the keys
# of `spritedict`; add() and kill() look both up several times. All that relies on it is in here,
# and a test compares it with add() and kill().
_MINE = "_Sprite__g"


class Membership:
    """The groups that one sprite joins at the start of each life.

    `_mine` is pygame's dict of the groups that the sprite is in. Its values mean nothing to
    pygame; here, the value is the group's dict of sprites where that may be written directly.
    """

    __slots__ = ("_all_plain", "_groups", "_mine", "_sprite")

    def __init__(self, sprite: Sprite, groups: Iterable[AbstractGroup[Any]]) -> None:
        """Prepare `sprite` to join `groups`, each once."""
        self._sprite = sprite
        mine: dict[Any, Any] | None = sprite.__dict__.get(_MINE)
        kind = type(sprite)
        direct = (
            mine is not None
            and kind.add_internal is Sprite.add_internal
            and kind.remove_internal is Sprite.remove_internal
        )
        self._mine = mine if mine is not None and direct else None
        self._groups = tuple(
            (group, group.spritedict if direct and _is_plain(group) else None)
            for group in dict.fromkeys(groups)
        )
        self._all_plain = all(members is not None for _, members in self._groups)

    @property
    def groups(self) -> tuple[AbstractGroup[Any], ...]:
        """The groups it joins."""
        return tuple(group for group, _ in self._groups)

    def join(self) -> None:
        """Add the sprite to its groups."""
        mine, sprite = self._mine, self._sprite
        if mine is not None and self._all_plain:
            for group, members in self._groups:
                members[sprite] = None  # type: ignore[index]  # a dict, as all are plain
                mine[group] = members
        else:
            for group, _ in self._groups:
                sprite.add(group)

    def leave(self) -> None:
        """Remove the sprite from every group it is in, joined by whomever."""
        mine, sprite = self._mine, self._sprite
        if mine is None:
            sprite.remove(*sprite.groups())
            return
        while mine:
            group, members = mine.popitem()
            if members:
                lost = members.pop(sprite, None)
                if lost:
                    group.lostsprites.append(lost)
            else:
                group.remove_internal(sprite)


def _is_plain(group: AbstractGroup[Any]) -> bool:
    kind = type(group)
    return (
        kind.add_internal is pygame.sprite.AbstractGroup.add_internal
        and kind.remove_internal is pygame.sprite.AbstractGroup.remove_internal
    )
