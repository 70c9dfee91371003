"""What every test starts from: no screen, no sound, and a pooling system of its own."""

from __future__ import annotations

import os

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"

import pytest

from poolkit import PoolingSystem


@pytest.fixture
def system() -> PoolingSystem:
    """Return a pooling system that nothing else uses."""
    return PoolingSystem()
