"""What poolkit restores by itself, and what the methods of well-known things do to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent

if TYPE_CHECKING:
    from poolkit.devtools.lint.attributes import Attribute

__all__ = [
    "BODY_MOTION",
    "EMPTYING",
    "FILLING",
    "NEVER_STATE",
    "PAINTING",
    "RESTORED_ON_SPRITES",
    "is_body",
    "is_component",
    "is_plain_object",
    "is_value",
]

NEVER_STATE = frozenset({"sprite", "scope", "__class__", "__dict__", "__doc__", "audit_ignore"})

RESTORED_ON_SPRITES = frozenset({"image", "rect", "position", "rotation", "layer", "_layer"})
"""What every spawn restores on a `PooledSprite`."""

BODY_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
"""What a `ResetPooledBodyComponent` resets; a `RigidBody` restores the rest of its objects."""

FILLING = {
    "list": frozenset(
        {"append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "remove"}
    )
    | {"clear", "heappop", "heappush", "heappushpop", "heapreplace", "insort"}
    | {"insort_left", "insort_right"},
    "dict": frozenset({"clear", "pop", "popitem", "setdefault", "update"}),
    "set": frozenset(
        {"add", "clear", "difference_update", "discard", "intersection_update", "pop", "remove"}
    )
    | {"symmetric_difference_update", "update"},
    "value": frozenset({"update", "scale_to_length", "rotate_rad_ip"}),
}
"""Methods that change a container, or one of pygame's vectors and rects (with ``..._ip``)."""

EMPTYING = frozenset({"cancel", "clear", "empty", "fill", "reset", "restart", "stop", "update"})
"""Methods by which a hook resets what an attribute holds."""

PAINTING = frozenset({"blit", "blits", "fblits", "fill", "scroll", "set_alpha", "set_at"})
PAINTING |= {"set_colorkey", "set_palette", "set_palette_at"}
"""Methods that change the pixels or the look of a surface."""

_VALUES = (
    pygame.Vector2,
    pygame.Vector3,
    pygame.Rect,
    pygame.FRect,
    pygame.Color,
)


def is_value(attribute: Attribute) -> bool:
    """Return whether it holds a vector, a rect or a colour of the instance's own."""
    return any(issubclass(each, _VALUES) for each in attribute.classes)


def is_component(cls: type[Any]) -> bool:
    """Return whether instances of `cls` have hooks of their own."""
    return issubclass(cls, IPoolableComponent)


def is_body(attribute: Attribute) -> bool:
    """Return whether it holds a pymunk body that the class made."""
    # By name: the lint of a game without physics loads no pymunk.
    return any(
        base.__name__ == "Body" and base.__module__.partition(".")[0] == "pymunk"
        for cls in attribute.classes
        for base in cls.__mro__
    )


def is_plain_object(attribute: Attribute) -> bool:
    """Return whether it holds an object of the game's own that has no hooks, made by the class."""
    if attribute.is_attached or attribute.is_shared:
        return False
    foreign = ("pygame", "pymunk", "poolkit", "builtins")
    return any(
        not issubclass(each, IPoolableComponent | pygame.sprite.Sprite)
        and each.__module__.partition(".")[0] not in foreign
        for each in attribute.classes
    )
