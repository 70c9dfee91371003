"""A scene: one level, menu or screen of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pygame

__all__ = ["Scene", "scene_name"]


class Scene:
    """Override what the scene needs; each method does nothing by itself.

    Reports and capacity profiles call it by its `name`, if it has one, else by its class's name.
    """

    def prewarm(self) -> Mapping[Any, int]:
        """Return how many inactive instances of which prefab shall wait when it begins.

        A scene may have a dict of this name instead.
        """
        return {}

    def enter(self) -> None:
        """Begin: spawn what is there from the start."""

    def exit(self) -> None:
        """End: called before the pools are reset, while everything is still alive."""

    def handle_event(self, event: pygame.Event) -> None:
        """Take an event."""

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw everything."""


def scene_name(scene: object) -> str:
    """Return what reports call a scene: its `name`, if that is a text, else its class's name."""
    name = getattr(scene, "name", None)
    return name if isinstance(name, str) and name.strip() else type(scene).__name__
