"""Scenes, and the change from one to the next."""

from poolkit.scenes.manager import Scene, SceneManager, settle

__all__ = ["Scene", "SceneManager", "settle"]
