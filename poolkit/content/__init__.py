"""Content: prefabs and levels as data, read from text files that designers change."""

from poolkit.content.faults import ContentError
from poolkit.content.objects import spawn_objects
from poolkit.content.prefab_file import PrefabFile

__all__ = ["ContentError", "PrefabFile", "spawn_objects"]
