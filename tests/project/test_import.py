"""Importing poolkit does next to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import poolkit
from poolkit.sprites import membership

ROOT = Path(__file__).parents[2]


def run(program: str) -> None:
    """Run a program in a process of its own, without a hint of a display; it asserts by itself."""
    hidden = {key: value for key, value in os.environ.items() if not key.startswith("SDL_")}
    path = os.pathsep.join((str(ROOT), str(ROOT / "demos")))
    known = {**hidden, "PYTHONPATH": path, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    command = [sys.executable, "-c", f"import sys\n{program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=known)
    assert (done.stderr, done.returncode) == ("", 0)


def test_rooms_are_imported_by_name_and_games_get_no_physics_and_no_development_tools() -> None:
    run("""
import poolkit
heavy = {"pymunk", "pytest", "rich", "poolkit.physics", "poolkit.scenes", "poolkit.devtools"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
assert not any(hasattr(poolkit, room) for room in ("physics", "scenes", "devtools"))
from poolkit.devtools import audit
assert audit(poolkit.PooledSprite)
assert not {"pymunk", "numpy", "rich", "pytest"} & sys.modules.keys()
from poolkit.physics import PhysicsWorld
from poolkit.scenes import SceneManager
""")


def test_importing_every_room_and_demo_opens_nothing_and_starts_nothing() -> None:
    run("""
import gc, threading
def collector():
    return gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), len(gc.callbacks)
before = collector()
import poolkit, poolkit.physics, poolkit.scenes, poolkit.devtools, pygame
assert collector() == before
assert not any(part.get_init() for part in (pygame, pygame.display, pygame.mixer, pygame.font))
assert pygame.display.get_surface() is None
assert threading.active_count() == 1
assert not poolkit.pools.all_pools()
import cubes, monsters, spawner
assert not pygame.display.get_init()
""")


def test_the_core_is_of_the_standard_library_alone() -> None:
    run(f"""
from types import ModuleType
sys.modules["pygame"] = sys.modules["pymunk"] = None
package = sys.modules["poolkit"] = ModuleType("poolkit")
package.__path__ = [{str(ROOT / "poolkit")!r}]
from poolkit.core.system import pools
class Spark: ...
assert isinstance(pools.spawn(Spark), Spark)
""")


def test_the_package_has_a_version_and_is_typed() -> None:
    assert poolkit.__version__.count(".") == 2
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in about["project"]["dynamic"]  # it is written in the package alone
    assert about["tool"]["hatch"]["version"] == {"path": "poolkit/__init__.py"}
    assert (ROOT / "poolkit" / "py.typed").is_file()


def test_a_pygame_that_keeps_groups_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere:
        def add_internal(self, _: object) -> None: ...

    membership.check_pygame()
    monkeypatch.setattr(membership, "Sprite", Elsewhere)
    with pytest.raises(ImportError, match=r"how pygame-ce 2\.\S+ keeps the groups"):
        membership.check_pygame()
