"""Importing poolkit does next to nothing, and brings the names that it promises."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import poolkit

ROOT = Path(__file__).parents[2]

PROMISED = {
    "poolkit": [
        "DespawnReason",
        "Handle",
        "IPoolableComponent",
        "NotManagedError",
        "PoolError",
        "PoolExhaustedError",
        "PoolSettings",
        "PooledGroup",
        "PooledSprite",
        "PoolingSystem",
        "Prefab",
        "PrefabError",
        "PrefabPool",
        "PrefabPoolingSystem",
        "Progress",
        "Refuse",
        "Scope",
        "UseAfterDespawnError",
        "pools",
    ],
    "poolkit.core": ["PoolingSystem", "Prefab", "pools"],
    "poolkit.sprites": ["PooledGroup", "PooledSprite"],
    "poolkit.physics": ["PhysicsWorld", "ResetPooledBodyComponent", "RigidBody"],
    "poolkit.scenes": ["Scene", "SceneManager", "settle"],
    "poolkit.devtools": [],
}


def in_a_new_process(code: str) -> Any:
    """Run `code`, which prints JSON, with no hint of a display; return what it printed."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("SDL_")},
        "PYTHONPATH": str(ROOT),
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    }
    result = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{code}"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert result.stderr == ""
    return json.loads(result.stdout)


@pytest.mark.parametrize("module", PROMISED)
def test_every_room_has_the_promised_names_and_a_sorted_all(module: str) -> None:
    room = importlib.import_module(module)
    names = room.__all__
    assert set(PROMISED[module]) <= set(names)
    # Constants first, then classes, then functions, as linters sort them.
    assert sorted(names, key=lambda name: (not name.isupper(), name)) == list(names)
    assert all(hasattr(room, name) for name in names)


def test_import_loads_no_physics_and_no_development_tools() -> None:
    heavy = ["pymunk", "pytest", "rich", "poolkit.physics", "poolkit.scenes", "poolkit.devtools"]
    code = f"import poolkit\nprint(json.dumps([name for name in {heavy} if name in sys.modules]))"
    assert in_a_new_process(code) == []


def test_importing_every_room_opens_nothing_and_starts_nothing() -> None:
    code = """
import gc, threading
collector = (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks))
import poolkit, poolkit.physics, poolkit.scenes, poolkit.devtools, pygame
print(json.dumps({
    "pygame": pygame.get_init(),
    "display": pygame.display.get_init(),
    "mixer": pygame.mixer.get_init() is not None,
    "font": pygame.font.get_init(),
    "window": pygame.display.get_surface() is not None,
    "threads": threading.active_count() > 1,
    "pools": len(poolkit.pools.all_pools()) > 0,
    "collector": collector
    != (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks)),
}))
"""
    assert set(in_a_new_process(code).values()) == {False}


def test_rooms_are_imported_by_name() -> None:
    code = """
import poolkit
missing = [room for room in ("physics", "scenes", "devtools") if not hasattr(poolkit, room)]
from poolkit.physics import PhysicsWorld
from poolkit.scenes import SceneManager
from poolkit.devtools import CollectorProbe
print(json.dumps(missing))
"""
    assert in_a_new_process(code) == ["physics", "scenes", "devtools"]


def test_the_core_is_of_the_standard_library_alone() -> None:
    code = f"""
from types import ModuleType
sys.modules["pygame"] = sys.modules["pymunk"] = None
package = sys.modules["poolkit"] = ModuleType("poolkit")
package.__path__ = [{str(ROOT / "poolkit")!r}]
import poolkit.core
class Spark: ...
print(json.dumps(isinstance(poolkit.core.pools.spawn(Spark), Spark)))
"""
    assert in_a_new_process(code) is True


def test_the_package_has_a_version_and_is_typed() -> None:
    assert poolkit.__version__.count(".") == 2
    assert (ROOT / "poolkit" / "py.typed").is_file()
