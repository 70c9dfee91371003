"""What all demos do: play themselves, the same game from the same seed, and end when asked to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import cubes
import monsters
import spawner
from demo_fixture import ROOT, ended, hit, playing, plays_the_same_twice, start
from flight.dragon import dragon
from flight.riders import KINDS as RIDERS
from fountain.solids import KINDS as SOLIDS
from poolkit import pools
from shared.scene_demo import SceneDemo, self_play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# Each demo: how many frames to play, what pixels of it are the same again, and its prefabs.
DEMOS: dict[str, tuple[int, tuple[int, int], Sequence[Any]]] = {
    "monsters": (120, (960, 640), monsters.KINDS),
    "cubes": (20, (960, 500), [*SOLIDS]),
    "spawner": (300, (960, 640), [dragon, *RIDERS]),
}
KINDS = monsters.MonstersDemo, cubes.CubesDemo, spawner.SpawnerDemo


@pytest.mark.parametrize("name", DEMOS)
def test_the_same_seed_plays_the_same_game_and_leaves_picture_and_report(
    name: str, tmp_path: Path
) -> None:
    frames, size, prefabs = DEMOS[name]
    out = plays_the_same_twice(name, frames, tmp_path, pygame.Rect((0, 0), size))
    assert all(f"\n{prefab.name} " in out for prefab in prefabs)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frames", [1, 10, 120, 400])
def test_playing_itself_presses_every_key_and_escape_last(
    kind: type[SceneDemo], frames: int
) -> None:
    keys = kind.self_play_keys
    pressed = [key for frame in range(frames) for key in self_play(keys, frames, frame)]
    assert pressed == [*filter(None, keys), pygame.K_ESCAPE]
    letters = {pygame.key.name(key).upper() for key in pressed}
    assert {name.upper() for names, _ in kind.keys for name in names.split()} <= letters
    assert {"P", "N"} <= letters


@pytest.mark.parametrize("kind", KINDS)
def test_escape_and_closing_the_window_end_the_loop(kind: type[SceneDemo]) -> None:
    asked: list[int] = []

    def script(frame: int) -> Sequence[int]:
        asked.append(frame)
        return [pygame.K_ESCAPE] if frame == 3 else ()

    with playing(kind) as demo:
        demo.play(50, script)
        assert asked == [0, 1, 2, 3]
        demo.running = True
        pygame.event.post(pygame.Event(pygame.QUIT))
        hit(demo, frames=50)
        assert not demo.running


@pytest.mark.parametrize("kind", KINDS)
def test_t05_p_builds_anew_each_time_until_it_is_pressed_again(kind: type[SceneDemo]) -> None:
    with playing(kind) as demo:
        hit(demo, pygame.K_p, frames=3)
        assert not any(pool.inactive_count for pool in pools.all_pools())
        hit(demo, pygame.K_p)
        for pool in pools.all_pools():
            if not pool.prefab.persistent:
                pools.despawn_all(pool.prefab)
        hit(demo, frames=3)
        assert any(pool.inactive_count for pool in pools.all_pools())


def test_importing_the_demos_opens_nothing() -> None:
    code = "import cubes, monsters, spawner, pygame; assert not pygame.display.get_init()"
    path = os.pathsep.join((str(ROOT), str(ROOT / "demos")))
    env = {**os.environ, "PYTHONPATH": path}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True)


def test_help_shows_an_example(tmp_path: Path) -> None:
    programs = {name: start(name, "--help", folder=tmp_path) for name in DEMOS}
    for name, program in programs.items():
        code, out, _ = ended(program)
        assert code == 0
        assert f"example: python demos/{name}.py" in out
