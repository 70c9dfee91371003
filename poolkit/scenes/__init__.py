"""Scenes, and the change from one to the next."""

from poolkit.scenes.collector import settle
from poolkit.scenes.manager import Scene, SceneManager

__all__ = ["Scene", "SceneManager", "settle"]
