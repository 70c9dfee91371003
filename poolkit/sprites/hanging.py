"""What a group does with what hangs on its members: parts and children with no groups of their own.

They are no members: a rule that loops over enemies, or asks what collides with them, knows enemies
alone. They are updated right after the sprite that they hang on, and drawn with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.sprites.links import leaders

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from poolkit.sprites.links import Link, Links


def updated_with(group: object) -> dict[int, list[Link]]:
    """Return, by the `id` of members of a group, what hangs on each and is to be updated."""
    found: dict[int, list[Link]] = {}
    for links in leaders():
        if not links.every:
            links.all()
        if links.is_updated:
            for link in links:
                bearer = link.bearer if link.is_seen else None
                if bearer is not None and group in bearer._mine and id(bearer) not in found:
                    hanging = bearer._links.walk()
                    found[id(bearer)] = [each for each in hanging if each.is_updated]
    return found


def still_on(member: Any, group: Collection[Any], hanging: Iterable[Link]) -> Iterator[Any]:
    """Yield what hangs on a member of a group, in its place, unless that has changed meanwhile."""
    for link in hanging:
        if member in group and link.is_tied and link.is_seen and link.bearer is member:
            link.parent._links.catch_up()
            yield link.child


def with_hanging(
    members: Iterable[Any], group: object, layer_of: Callable[[Any], Any] | None
) -> list[Any]:
    """Return members of a group with all that is seen with them, in the order of drawing.

    What hangs on a member lies right above it, or right below. A member that follows another of the
    same layer waits for that, though it may have joined before: it lies above it.
    """
    drawn: list[Any] = []
    done: set[int] = set()  # members that are drawn already, by `id`, if members may follow them
    waiting: dict[int, list[Any]] = {}
    for sprite in members:
        links = getattr(sprite, "_links", None)  # a plain sprite has none
        if links is not None and sprite._link is not None:
            bearer = sprite._link.bearer
            if (
                bearer is not None
                and id(bearer) not in done
                and group in bearer._mine
                and (layer_of is None or layer_of(sprite) == layer_of(bearer))
            ):
                waiting.setdefault(id(bearer), []).append(sprite)
                continue
        if not links:
            drawn.append(sprite)
        elif _stack(sprite, links, drawn):
            late = [sprite]
            while late:
                each = late.pop()
                if each is not sprite:
                    _stack(each, each._links, drawn)
                done.add(id(each))
                late += reversed(waiting.pop(id(each), ()))
    return drawn


def _stack(sprite: Any, links: Links, drawn: list[Any]) -> bool:
    """Add a sprite, and what is seen with it, to what is drawn.

    Returns:
        Whether something may follow it that is drawn by itself.
    """
    may_lead = False
    if not links.every:
        links.all()
    for link in links.below:
        if link.groups or link.links:
            may_lead = True
        if link.is_seen:
            drawn += _in_order(link)
    drawn.append(sprite)
    for link in links.above:
        if link.groups:
            may_lead = True
        elif not link.is_hidden:
            if link.links:
                may_lead = True
                drawn += _in_order(link)
            else:
                drawn.append(link.child)
    return may_lead


def _in_order(link: Link) -> list[Any]:
    """Return a child, and what is seen with it, in the order of drawing, however much that is."""
    order = []
    waiting: list[tuple[Link, bool]] = [(link, False)]
    while waiting:  # no recursion, which has a limit
        link, is_next = waiting.pop()
        if is_next or not link.links:
            order.append(link.child)
            continue
        seen = [each for each in reversed(link.links) if each.is_seen]
        waiting += [(each, False) for each in seen if not each.is_below]
        waiting.append((link, True))
        waiting += [(each, False) for each in seen if each.is_below]
    return order
