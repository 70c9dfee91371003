"""The demo of the monsters does what its keys say, in memory and as a program of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from arena import stage
from arena.levels import DUNGEON, LAVA
from demo_fixture import SCENE, ended, hit, playing, start
from monsters import KINDS, MonstersDemo, orc
from poolkit import Prefab, pools
from poolkit.devtools import audit
from poolkit.devtools.inspector.figures import FLASH
from poolkit.devtools.inspector.panel import ACTIVE
from shared.effects import effects, puff
from shared.scene_demo import SIDE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = [kind.name for kind in KINDS]
SPAWN = (pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4)
DESPAWN = (pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r)


@pytest.fixture
def demo() -> Iterator[MonstersDemo]:
    """The demo in its first level, empty of monsters."""
    with playing(MonstersDemo) as demo:
        pools.despawn_all()
        pools.despawn_all(puff)  # in which the others have vanished
        yield demo


def alive() -> list[int]:
    return [pools.pool(kind).active_count for kind in KINDS]


def first_cells(demo: MonstersDemo) -> list[bool]:
    """Tell which cells of the first row of the inspector, that of the orcs, are filled."""
    for _ in range(FLASH + 20):  # until nothing flashes, and all figures are those of now
        demo.draw(demo.screen)
    left, top = SIDE.left + 2 * (6 + 21), SIDE.top + 2 * (88 + 15)
    middles = [(left + 16 * number + 6, top) for number in range(3)]
    return [demo.screen.get_at(middle)[:3] == ACTIVE for middle in middles]


def test_u10_a_key_each_spawns_one_of_five_that_are_there_and_another_despawns_one(
    demo: MonstersDemo,
) -> None:
    pooled = [pools.pool(kind) for kind in KINDS]
    for count, key in enumerate(SPAWN, 1):
        hit(demo, key)
        assert alive() == [1] * count + [0] * (4 - count)
    assert all(SCENE.contains(monster.rect) for monster in stage.monsters)
    hit(demo, *[pygame.K_1] * 4)
    assert [(pool.stats.created, pool.stats.late) for pool in pooled] == [(5, 0)] * 4
    hit(demo, pygame.K_1)
    assert pooled[0].stats.created == 6
    for key in DESPAWN:
        hit(demo, key)
    assert alive() == [5, 0, 0, 0]
    hit(demo, pygame.K_0)
    assert alive() == [0, 0, 0, 0]
    assert not stage.world.space.bodies


def test_u10_the_inspector_shows_how_many_are_alive(demo: MonstersDemo) -> None:
    assert first_cells(demo) == [False] * 3
    one, _ = pools.spawn_many(orc, [(300, 300), (600, 300)])
    assert first_cells(demo) == [True, True, False]
    pools.despawn(one)
    assert first_cells(demo) == [True, False, False]


def test_p11_what_is_typed_into_the_filter_spawns_nothing(demo: MonstersDemo) -> None:
    hit(demo, pygame.K_F4)
    hit(demo, *SPAWN, pygame.K_n, pygame.K_p)
    assert alive() == [0, 0, 0, 0]
    assert demo.level.place is DUNGEON
    hit(demo, pygame.K_ESCAPE)
    hit(demo, *SPAWN)
    assert alive() == [1, 1, 1, 1]


def test_u11_the_next_level_leaves_nothing_of_the_old_one(demo: MonstersDemo) -> None:
    hit(demo, *SPAWN, pygame.K_SPACE, frames=30)
    space = stage.world.space
    old, old_things = [*stage.monsters, *effects], {*space.bodies, *space.shapes}
    hit(demo, pygame.K_n)
    assert demo.shown.name == "lava cave"
    assert len(old) > 8
    assert not any(pools.is_spawned(sprite) or sprite.alive() for sprite in old)
    assert not old_things & {*space.bodies, *space.shapes}
    # What is there is the new level: its first wave, its walls and ledges.
    assert alive() == [2, 2, 2, 2]
    assert len(stage.monsters) == len(space.bodies) == 8
    assert len(space.shapes) == 8 + 3 + len(LAVA.ledges)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@pytest.mark.usefixtures("demo")
def test_n01_monsters_are_good_as_new_in_their_next_life(kind: Prefab[Any]) -> None:
    def fight(monster: Any) -> None:
        monster.hit(monster.hit_points / 2)
        for _ in range(60):
            pools.update(1 / 60)
            stage.monsters.update(1 / 60)
            stage.world.step(1 / 60)

    assert audit(kind, fight, system=pools).ok


def test_n06_a_profile_kept_by_one_run_makes_the_next_runs_late_spawns_0(tmp_path: Path) -> None:
    late = []
    for _ in range(2):
        options = ("--headless", "--frames", 120, "--seed", 20, "--profile", "profile.toml")
        code, out, err = ended(start("monsters", *options, folder=tmp_path))
        assert (code, err) == (0, "")
        assert "kept what was needed in profile.toml" in out
        lines = [line.split() for line in out.splitlines()]
        [head] = [line for line in lines if line[:1] == ["prefab"]]
        rows = [line for line in lines if line and line[0] in NAMES]
        late.append([int(line[head.index("late")]) for line in rows])
    first, second = late
    assert sum(first) > 0
    assert second == [0] * len(KINDS)
    assert "[scenes.dungeon.pools]" in (tmp_path / "profile.toml").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_it_plays_itself(tmp_path: Path) -> None:
    absent = start("monsters", "--frames", 5, folder=tmp_path)
    dead = start(
        "monsters", "--frames", 5, "--screenshot", "dead.png", folder=tmp_path, DISPLAY=":987654"
    )
    for program in (absent, dead):
        code, out, _ = ended(program)  # SDL itself may complain
        assert code == 0
        assert "orc" in out
    assert (tmp_path / "screenshots" / "monsters.png").is_file()
    assert (tmp_path / "dead.png").is_file()


def test_bad_input_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    options = ("--frames", 20, "--headless", "--screenshot", "folder.png")
    refused = {text: start("monsters", "--frames", text, folder=tmp_path) for text in (0, "many")}
    lost = start("monsters", *options, folder=tmp_path)
    for text, program in refused.items():
        code, _, err = ended(program)
        assert code == 2
        problem = f"argument --frames: a number of frames is 1 or more, not {text}"
        assert err == f"monsters: {problem} (see --help)\n"
    code, out, err = ended(lost)
    assert code == 1
    assert "orc" in out  # the report comes all the same
    assert err.startswith("the screenshot can't be saved: ")
    assert err.count("\n") == 1
