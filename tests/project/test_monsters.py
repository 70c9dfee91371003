"""The demo of the monsters does what its keys say, in memory and as a program of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from arena import stage
from arena.levels import DUNGEON, LAVA
from demo_fixture import SCENE, ended, hit, playing, start
from monsters import KINDS, MonstersDemo, ogre, orc
from poolkit import Prefab, pools
from poolkit.devtools.inspector import ACTIVE, FLASH
from shared.effects import effects, puff, spark
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


def settled(demo: MonstersDemo) -> None:
    """Draw until nothing flashes in the inspector, and all its figures are those of now."""
    for _ in range(FLASH + 20):
        demo.draw(demo.screen)


def first_cells(demo: MonstersDemo, count: int = 6) -> list[bool]:
    """Tell which cells of the first row, that of the orcs, are filled."""
    settled(demo)
    top = SIDE.top + 2 * (88 + 15)
    left = SIDE.left + 2 * (6 + 21)
    middles = [(left + 16 * number + 6, top) for number in range(count)]
    return [demo.screen.get_at(middle)[:3] == ACTIVE for middle in middles]


def test_u10_a_number_key_spawns_one_of_its_kind(demo: MonstersDemo) -> None:
    for count, key in enumerate(SPAWN, 1):
        hit(demo, key)
        assert alive() == [1] * count + [0] * (4 - count)
    assert sorted(type(monster).__name__.lower() for monster in stage.monsters) == sorted(NAMES)
    assert all(SCENE.contains(monster.rect) for monster in stage.monsters)


def test_u10_a_letter_key_despawns_one_of_its_kind(demo: MonstersDemo) -> None:
    for prefab in KINDS:
        pools.spawn_many(prefab, [(100 + 200 * n, 300) for n in range(2)])
    for count, key in enumerate(DESPAWN, 1):
        hit(demo, key)
        assert alive() == [1] * count + [2] * (4 - count)
    assert pools.pool(puff).active_count >= 4


def test_u10_space_drops_two_of_each_from_above(demo: MonstersDemo) -> None:
    hit(demo, pygame.K_SPACE)
    assert alive() == [2, 2, 2, 2]
    assert all(monster.rect.top < 60 for monster in stage.monsters)


def test_u10_0_resets_every_life_ends_and_the_pools_begin_anew(demo: MonstersDemo) -> None:
    hit(demo, *SPAWN, pygame.K_SPACE, frames=10)
    hit(demo, pygame.K_0)
    assert alive() == [0, 0, 0, 0]
    assert not stage.monsters
    assert not stage.world.space.bodies
    hit(demo, *SPAWN)
    assert alive() == [1, 1, 1, 1]


def test_u10_five_of_each_are_there_beforehand_and_a_sixth_is_new(demo: MonstersDemo) -> None:
    stats = [pools.pool(kind).stats for kind in KINDS]
    assert [(each.created, each.late) for each in stats] == [(5, 0)] * 4
    hit(demo, *[pygame.K_1] * 5)
    assert pools.pool(orc).stats.created == 5
    hit(demo, pygame.K_1)
    assert pools.pool(orc).stats.created == 6


def test_u10_the_inspector_shows_how_many_are_alive(demo: MonstersDemo) -> None:
    assert demo.inspector.shown
    assert first_cells(demo) == [False] * 6
    one = pools.spawn(orc, (300, 300))
    assert first_cells(demo) == [True] + [False] * 5
    pools.spawn(orc, (600, 300))
    assert first_cells(demo) == [True] * 2 + [False] * 4
    pools.despawn(one)
    assert first_cells(demo) == [True] + [False] * 5


def test_p11_what_is_typed_into_the_filter_spawns_nothing(demo: MonstersDemo) -> None:
    hit(demo, pygame.K_F4)
    hit(demo, *SPAWN, pygame.K_n, pygame.K_p)
    assert alive() == [0, 0, 0, 0]
    assert demo.level.place is DUNGEON
    hit(demo, pygame.K_ESCAPE)
    assert demo.running
    hit(demo, *SPAWN)
    assert alive() == [1, 1, 1, 1]


def test_u11_the_next_level_leaves_nothing_of_the_old_one(demo: MonstersDemo) -> None:
    hit(demo, *SPAWN, pygame.K_SPACE, frames=30)
    old = [*stage.monsters, *effects]
    old_bodies = set(stage.world.space.bodies)
    old_walls = set(stage.world.space.shapes)
    reset: list[str] = []
    demo.scenes.add_reset_hook(lambda: reset.append(demo.shown.name))
    hit(demo, pygame.K_n)
    assert reset == ["lava cave"]
    assert len(old) > 8
    assert not any(pools.is_spawned(sprite) or sprite.alive() for sprite in old)
    space = stage.world.space
    assert not old_bodies & set(space.bodies)
    assert not old_walls & set(space.shapes)
    # What is there is the new level: its first wave, its walls and ledges.
    assert alive() == [2, 2, 2, 2]
    assert len(stage.monsters) == len(space.bodies) == 8
    assert len(space.shapes) == 8 + 3 + len(LAVA.ledges)
    assert [pools.pool(kind).capacity for kind in KINDS] == [5, 5, 5, 5]


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_monsters_are_good_as_new_in_their_next_life(demo: MonstersDemo, kind: Prefab[Any]) -> None:
    first = pools.spawn(kind, (480, 200), facing=-1)
    hit(demo, frames=5)
    first.hit(first.hit_points / 2)
    hit(demo, frames=5)
    first.kill()
    pools.update(0.0)  # what died in a frame is not handed out in the same frame
    others = pools.spawn_many(kind, [(100, 100)] * 4)
    again = pools.spawn(kind, (480, 200), facing=1)
    assert again is first
    assert again.health.fraction == 1
    assert not again.dazed
    assert again.mover.facing == 1
    assert again.image is again.animation.frames[1][0]
    assert again.animation.frames == others[0].animation.frames  # made once, shared by all
    assert again.physics.body.velocity == (0, 0)


def test_an_ogre_that_comes_down_on_an_orc_costs_it_health(demo: MonstersDemo) -> None:
    victim = pools.spawn(orc, (480, 560))
    handle = pools.handle(victim)
    victim.dazed = True  # it stays where it is
    heavy = pools.spawn(ogre, (480, 300))
    for _ in range(60):
        hit(demo)
        if not handle or victim.health.fraction < 1:
            break
    assert not handle or victim.health.fraction < 1
    assert heavy.health.fraction > 0.9
    assert pools.pool(spark).stats.spawned > 0


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
