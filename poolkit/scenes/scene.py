"""A scene: one level, menu or screen of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pygame

__all__ = ["Scene"]


class Scene:
    """Override what the scene needs; each method does nothing by itself."""

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
