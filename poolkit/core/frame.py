"""What rooms above core do once a frame, when a pooling system is updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["frame_callbacks"]

frame_callbacks: list[Callable[[], None]] = []
"""Called at the end of every `PoolingSystem.update`."""
