"""Groups that instances join, as core knows them: by their attributes, without pygame."""

from __future__ import annotations

from typing import Any


def is_group(groups: object) -> bool:
    """Return whether `groups` is a single group, of pygame's kind or a game's."""
    # By attributes that sprites don't have; the class of a group has them too.
    is_marked = hasattr(groups, "has_internal") or hasattr(groups, "_spritegroup")
    return is_marked and not isinstance(groups, type)


def flat_groups(groups: Any, whose: str) -> tuple[Any, ...]:
    """Return groups in one tuple. As in pygame, there may be lists of groups among them."""
    if type(groups) in {list, tuple}:  # nearly always, so written out: each is a group
        for group in groups:
            if not hasattr(group, "has_internal") or isinstance(group, type):
                break
        else:
            return tuple(groups)
    if is_group(groups):  # which is iterable too
        return (groups,)
    try:
        several = iter(None if isinstance(groups, str) else groups)  # type: ignore[arg-type]
    except TypeError:
        message = f"{whose} can't join {groups!r}, which isn't a group: list them in groups=[...]"
        raise TypeError(message) from None
    flat: list[Any] = []
    for group in several:
        if is_group(group):
            flat.append(group)
        else:
            flat += flat_groups(group, whose)
    return tuple(flat)
