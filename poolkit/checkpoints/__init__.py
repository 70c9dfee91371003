"""Checkpoints: a running pooled world taken down between two frames, and put back in place."""

from poolkit.checkpoints.checkpoint import Checkpoint
from poolkit.checkpoints.rewind import Rewind
from poolkit.checkpoints.values import CheckpointError

__all__ = ("Checkpoint", "CheckpointError", "Rewind")
