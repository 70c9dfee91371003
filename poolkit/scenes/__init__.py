"""Scenes, the change from one to the next, and a loop that plays them."""

from poolkit.scenes.loop import run, run_async
from poolkit.scenes.manager import Scene, SceneManager, settle

__all__ = ["Scene", "SceneManager", "run", "run_async", "settle"]
