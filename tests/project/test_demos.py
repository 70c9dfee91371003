"""The demos do what their keys say, in memory and as programs, the same from the same seed."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import cubes
from arena import stage
from arena.bestiary import KINDS as MONSTERS
from arena.bestiary import book
from arena.shelf import WORDS
from browser import Browser, find_demos
from browser import main as browse
from cubes import CubesDemo, real_games_heap
from demo_fixture import SCENE, ended, hit, pixels, playing, plays_the_same_twice, start
from flight.balloon import balloons
from flight.dragon import dragon, dragons
from flight.riders import KINDS as RIDERS
from flight.riders import riders
from fountain.garden import others
from fountain.solids import LIFETIME, left, right
from monsters import MonstersDemo
from poolkit import Prefab, pools
from poolkit.content.export import check_level
from poolkit.devtools import audit, shell
from shared.effects import effects, puff
from shared.letters import text_image
from shared.loop import Tape, shown
from shared.pictures import ASSETS, picture
from shared.scene_demo import WINDOW, SceneDemo, self_play
from spawner import SpawnerDemo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

every_demo = pytest.mark.parametrize("kind", [MonstersDemo, CubesDemo, SpawnerDemo])


def run_on(demo: SceneDemo, frames: int) -> None:
    """Let frames pass without drawing them."""
    for _ in range(frames):
        demo.update(1 / 60)


def alive(kinds: Sequence[Prefab[Any]]) -> list[int]:
    return [pools.pool(kind).active_count for kind in kinds]


# How many frames to play, what pixels of it are the same again, and its prefabs.
PLAYED: dict[str, tuple[int, tuple[int, int], Sequence[Any]]] = {
    "monsters": (120, (960, 640), MONSTERS),
    "cubes": (20, (1280, 420), [*left.kinds]),
    "spawner": (300, (960, 640), [dragon, *RIDERS]),
}


@pytest.mark.parametrize("name", PLAYED)
def test_the_same_seed_plays_the_same_game_and_leaves_picture_and_report(
    name: str, tmp_path: Path
) -> None:
    frames, size, prefabs = PLAYED[name]
    out = plays_the_same_twice(name, frames, tmp_path, pygame.Rect((0, 0), size))
    assert all(f"\n{prefab.name} " in out for prefab in prefabs)


@every_demo
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


@every_demo
def test_escape_closes_the_window(kind: type[SceneDemo]) -> None:
    with playing(kind) as demo:
        hit(demo, pygame.K_SPACE)
        assert not pygame.event.peek(pygame.QUIT)
        hit(demo, pygame.K_ESCAPE)
        assert pygame.event.peek(pygame.QUIT)


def test_a_demo_plays_itself_leaves_and_keeps_what_is_for_its_inspector() -> None:
    with playing(SpawnerDemo) as demo:
        tape = Tape(demo, 3)
        demo.inspector.shown = False
        events, dt = tape.frame([pressed(pygame.K_F2), pressed(pygame.K_x)], 9.0)
        assert (events[0].key, dt) == (pygame.K_x, 1 / 60)
        assert demo.inspector.shown
        keys = [event.key for _ in range(2) for event in tape.frame([], 9.0)[0]]
        assert keys[-1] == pygame.K_ESCAPE
        assert [event.type for event in tape.frame([], 9.0)[0]] == [pygame.QUIT]


@pytest.mark.parametrize("kind", [MonstersDemo, SpawnerDemo])
def test_p_builds_again_each_time_until_it_is_pressed_once_more(kind: type[SceneDemo]) -> None:
    with playing(kind) as demo:
        hit(demo, pygame.K_p, frames=3)
        assert not any(pool.inactive_count for pool in pools.all_pools())
        hit(demo, pygame.K_p)
        for pool in pools.all_pools():
            if not pool.prefab.persistent:
                pools.despawn_all(pool.prefab)
        hit(demo, frames=3)
        assert any(pool.inactive_count for pool in pools.all_pools())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_they_play_themselves(tmp_path: Path) -> None:
    options = ("--frames", 5, "--screenshot", "dead.png")
    absent = start("monsters", "--frames", 5, folder=tmp_path)
    dead = start("monsters", *options, folder=tmp_path, DISPLAY=":987654")
    for program in (absent, dead):
        code, out, _ = ended(program)  # SDL itself may complain
        assert code == 0
        assert "orc" in out
    assert (tmp_path / "screenshots" / "monsters.png").is_file()
    assert (tmp_path / "dead.png").is_file()


def test_bad_input_is_refused_in_a_line_and_help_shows_an_example(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    options = ("--frames", 20, "--headless", "--screenshot", "folder.png")
    helped = start("monsters", "--help", folder=tmp_path)
    refused = {text: start("monsters", "--frames", text, folder=tmp_path) for text in (0, "many")}
    lost = start("monsters", *options, folder=tmp_path)
    assert "example: python demos/monsters.py" in ended(helped)[1]
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


SPAWN = (pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4)
DESPAWN = (pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r)


@pytest.fixture
def arena() -> Iterator[MonstersDemo]:
    """The demo in its first level, empty of monsters, with five of each at rest."""
    with playing(MonstersDemo) as demo:
        pools.despawn_all()
        for kind in MONSTERS:
            pools.prespawn(kind, 5)
        pools.despawn_all(puff)  # in which the others have vanished
        yield demo


def test_a_key_each_spawns_one_of_five_that_are_there_and_another_despawns_one(
    arena: MonstersDemo,
) -> None:
    pooled = [pools.pool(kind) for kind in MONSTERS]
    for count, key in enumerate(SPAWN, 1):
        hit(arena, key)
        assert alive(MONSTERS) == [1] * count + [0] * (4 - count)
    assert all(SCENE.contains(monster.rect) for monster in stage.monsters)
    hit(arena, *[pygame.K_1] * 4)
    assert [pool.stats.late for pool in pooled] == [0] * 4
    assert pooled[0].active_count == 5
    hit(arena, *DESPAWN)
    assert alive(MONSTERS) == [4, 0, 0, 0]
    hit(arena, pygame.K_0)
    assert alive(MONSTERS) == [0, 0, 0, 0]
    assert not stage.world.space.bodies


def test_each_event_of_a_pool_is_explained_once_and_joins_the_monster_with_its_cell(
    arena: MonstersDemo,
) -> None:
    shelf = arena.shelf
    hit(arena, frames=60)
    shelf.words.clear()
    assert not shelf.lines
    hit(arena, *[pygame.K_2] * 5)
    assert [*shelf.words] == ["reused"]
    hit(arena, pygame.K_w)
    assert [*shelf.words] == ["reused", "inactive"]
    at_rest = pools.pool("troll").inactive_count
    hit(arena, *[pygame.K_2] * (at_rest + 1))
    assert [*shelf.words] == ["reused", "inactive", "late"]
    assert len(shelf.lines) == 5 + 1 + at_rest + 1
    hit(arena, *[pygame.K_2] * 11, pygame.K_0, pygame.K_p)
    assert {*shelf.words} == {*WORDS}
    ends = dict(shelf.words)
    hit(arena, pygame.K_1, pygame.K_q, frames=60)
    assert (shelf.words, shelf.lines) == (ends, [])


def test_while_a_level_is_played_its_pools_grow_until_no_spawn_can_be_late(
    arena: MonstersDemo,
) -> None:
    run_on(arena, 200)
    pooled = [pools.pool(kind) for kind in MONSTERS]
    assert [pool.stats.created for pool in pooled] == [16, 16, 16, 8]
    hit(arena, *SPAWN * 16)
    assert alive(MONSTERS) == [16, 16, 16, 8]
    assert not any(pool.stats.late for pool in pooled[:3])


def test_a_key_that_is_held_spawns_on(arena: MonstersDemo, monkeypatch: pytest.MonkeyPatch) -> None:
    held = dict.fromkeys(SPAWN, False) | {pygame.K_2: True}
    monkeypatch.setattr(pygame.key, "get_pressed", lambda: held)
    run_on(arena, 24)
    assert alive(MONSTERS) == [0, 0, 0, 0]
    run_on(arena, 8)
    assert alive(MONSTERS) == [0, 2, 0, 0]


def test_without_pooling_a_dragon_takes_longer_than_with_it_and_the_picture_says_so(
    arena: MonstersDemo,
) -> None:
    words = pygame.Rect(500, 46, 460, 24)
    hit(arena, pygame.K_4)
    pooled, usual = arena.shelf.spawn_ms, pixels(arena, words)
    hit(arena, pygame.K_p, pygame.K_4)
    assert arena.shelf.spawn_ms > 5 * pooled
    assert pixels(arena, words) != usual
    [*_, last], [first, *_] = stage.monsters, stage.monsters
    assert last.frames is not first.frames  # scales of its own


def test_the_next_level_leaves_nothing_of_the_old_one(arena: MonstersDemo) -> None:
    hit(arena, *SPAWN, pygame.K_SPACE, frames=30)
    space = stage.world.space
    old, old_things = [*stage.monsters, *effects], {*space.bodies, *space.shapes}
    hit(arena, pygame.K_n)
    assert arena.shown.name == "lava cave"
    assert len(old) > 8
    assert not any(pools.is_spawned(sprite) or sprite.alive() for sprite in old)
    assert not old_things & {*space.bodies, *space.shapes}
    # What is there is the new level: its first wave, its walls and ledges.
    assert alive(MONSTERS) == [2, 2, 2, 2]
    assert len(stage.monsters) == len(space.bodies) == 8
    assert len(space.shapes) == 8 + 6  # the floor, two walls, three ledges


def test_f5_takes_what_was_saved_and_shows_a_fault_in_it(
    arena: MonstersDemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "monsters.toml"
    text = book._paths[0].read_text("utf-8").replace("../", f"{ASSETS.as_posix()}/")
    file.write_text(text)
    monkeypatch.setattr(book, "_paths", [file])
    hit(arena, pygame.K_1)
    file.write_text(text.replace("maximum = 45", "maximum = 900"))
    hit(arena, pygame.K_F5)
    [orc] = pools.pool("orc").active
    assert orc.health.current == 900
    message = pygame.Rect(0, 160, 400, 40)
    usual = pixels(arena, message)
    file.write_text("[orc")
    hit(arena, pygame.K_F5)
    assert arena.faults[0].startswith("monsters.toml:1: ")
    assert pixels(arena, message) != usual
    assert orc.alive()
    monkeypatch.undo()
    hit(arena, pygame.K_F5)
    assert not arena.faults


def test_no_level_has_an_object_without_a_meaning() -> None:
    for path in (ASSETS / "arena").glob("*.tmx"):
        faults, left = check_level(path, book)
        assert (faults, left) == ([], ["floor", "ledge", "left wall", "right wall"])


DEMOS = Path(cubes.__file__).parent
MODULES = [
    ".".join(path.relative_to(DEMOS).with_suffix("").parts)
    for path in sorted(DEMOS.rglob("*.py"))
    if re.search(r"\bPrefab(File)?\(", path.read_text())
]


def test_every_prefab_of_every_demo_is_in_a_module_that_is_audited() -> None:
    assert len(MODULES) >= 12


@pytest.mark.parametrize("module", MODULES)
def test_every_prefab_of_every_demo_is_audited_clean_from_the_shell(
    module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pools.reset()
    pygame.display.set_mode(WINDOW)  # pictures are loaded for it
    assert shell.main(["audit", module]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(": clean (" in line for line in lines), lines


@pytest.mark.usefixtures("arena")
def test_monsters_are_good_as_new_in_their_next_life() -> None:
    def fight(monster: Any) -> None:
        monster.hit(monster.health.maximum / 2)
        for _ in range(60):
            pools.update(1 / 60)
            stage.monsters.update(1 / 60)
            stage.world.step(1 / 60)

    assert all(audit(kind, fight, system=pools).ok for kind in MONSTERS)


def test_what_the_profile_kept_by_one_run_says_the_next_run_has_ready(tmp_path: Path) -> None:
    def created(frames: int) -> dict[str, int]:
        options = ("--headless", "--frames", frames, "--seed", 20, "--profile", "profile.toml")
        code, out, err = ended(start("monsters", *options, folder=tmp_path))
        assert (code, err) == (0, "")
        assert "kept what was needed in profile.toml" in out
        lines = [line.split() for line in out.splitlines()]
        [head] = [line for line in lines if line[:1] == ["prefab"]]
        rows = [line for line in lines if line and line[0] in {kind.name for kind in MONSTERS}]
        return {row[0]: int(row[head.index("created")]) for row in rows if len(row) > 8}

    made, profile = created(20), tmp_path / "profile.toml"
    text = profile.read_text()
    assert "[scenes.dungeon]" in text
    assert re.search(r"^orc = 6$", text, re.MULTILINE)
    assert made["orc"] < 10
    profile.write_text(text.replace("orc = 6", "orc = 12"))
    assert created(1)["orc"] >= 12


LIFE = round(LIFETIME * 60)  # frames
FOUNTAINS = (left, right)


@pytest.fixture
def fountain() -> Iterator[CubesDemo]:
    """Both fountains in their first frame."""
    with playing(CubesDemo) as demo:
        yield demo


@pytest.mark.parametrize(("key", "rate"), [(pygame.K_1, 1), (pygame.K_2, 2)])
def test_as_many_as_a_key_says_fly_out_of_each_fountain_and_differ(
    fountain: CubesDemo, key: int, rate: int
) -> None:
    hit(fountain, key, frames=60)
    for half in FOUNTAINS:
        thrown = [*half.solids, *half.by_hand]
        assert len(thrown) == len(half.world.space.bodies) == 60 * rate
        velocities = {solid.body.velocity for solid in thrown}
        assert len(velocities) == 60 * rate
        assert {velocity.x > 0 for velocity in velocities} == {True, False}
    assert {solid.prefab for solid in left.solids} == {*left.kinds}
    assert not left.by_hand
    cube, *_ = left.kinds
    assert len({solid.pictures for solid in left.solids if solid.prefab is cube}) > 3
    some = next(iter(left.solids))
    seen = set()
    for _ in range(60):
        run_on(fountain, 1)
        seen.add(some.image)
    assert len(seen) > 4  # it tumbles


def test_cubes_older_than_five_seconds_are_despawned(fountain: CubesDemo) -> None:
    run_on(fountain, 1)
    [first] = left.solids
    life, made = first.handle(), [pools.pool(kind).stats.created for kind in left.kinds]
    run_on(fountain, LIFE - 1)
    assert life
    assert len(left.solids) == LIFE
    run_on(fountain, 2)
    assert not life
    run_on(fountain, 100)
    assert LIFE - 1 <= len(left.solids) <= LIFE + 1
    assert [pools.pool(kind).stats.created for kind in left.kinds] == made


def test_both_fountains_throw_the_same_but_only_the_left_one_pools_until_p(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("solids", "garden"):  # a fifth in the air shows the same as all of it
        monkeypatch.setattr(f"fountain.{module}.LIFETIME", 1.0)
    with playing(CubesDemo) as demo:
        hit(demo, pygame.K_2)
        run_on(demo, 49)
        flights = [
            sorted(tuple(solid.body.position) for solid in (*half.solids, *half.by_hand))
            for half in FOUNTAINS
        ]
        assert flights[0] == flights[1]
        run_on(demo, 90)
        assert abs(len(right.by_hand) - len(left.solids)) <= 4
        assert {pool.stats.late for pool in pools.all_pools()} == {0}
        assert not others.all_pools()
        hit(demo, pygame.K_p)
        run_on(demo, 90)
        assert not right.by_hand
        assert any(pool.stats.reused for pool in others.all_pools())
        hit(demo, pygame.K_p)
        run_on(demo, 90)
        assert not right.solids
        hit(demo, pygame.K_n)
        for half in FOUNTAINS:
            assert len(half.world.space.bodies) == 2


@pytest.mark.parametrize("key", [pygame.K_2, pygame.K_h, pygame.K_p])
def test_the_figures_count_young_collections_too_and_not_the_frame_that_prepares_them(
    key: int, fountain: CubesDemo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cubes, "real_games_heap", lambda: real_games_heap(2000))
    boards = [half.board for half in fountain.halves]
    hit(fountain, frames=8)
    assert [len(board.frames) for board in boards] == [7, 7]  # without the first of all
    hit(fountain, key, frames=4)
    assert [len(board.frames) for board in boards] == [3, 3]
    for half in fountain.halves:
        with half.turn():
            gc.collect(0)
            gc.collect()
    before = [(sum(board.pauses), board.pauses[2]) for board in boards]
    hit(fountain, frames=1)
    after = [(sum(board.pauses), board.pauses[2]) for board in boards]
    for (all_before, full_before), (all_after, full_after) in zip(before, after, strict=True):
        assert all_after >= all_before + 2
        assert full_after == full_before + 1
    assert all(board.longest <= board.total for board in boards)


@pytest.fixture
def browser() -> Browser:
    """The menu of all demos, as it opens."""
    pygame.display.set_mode(WINDOW)
    pygame.event.clear()
    return Browser()


def test_each_demo_has_a_card_with_a_picture_and_words_that_fit(browser: Browser) -> None:
    assert {"rabbits", "monsters", "cubes", "spawner"} <= {*browser.names}
    assert "browser" not in browser.names
    assert browser.names[0] == "rabbits"
    for name in browser.names:
        browser.chosen = browser.names.index(name)
        browser.draw(shown())
        place = browser.place(browser.chosen)
        assert pygame.Rect(0, 0, *WINDOW).contains(place.inflate(8, 8).move(0, 4))
        assert all(text_image(line, "white", 2).width <= 352 for line in browser.summaries[name])
        assert picture(f"demos/{name}").get_size() == (352, 198)


def pressed(key: int) -> pygame.Event:
    return pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode="")


def test_arrows_and_pads_choose_a_demo_and_do_not_leave_the_cards(browser: Browser) -> None:
    browser.names = list("abcde")  # in two rows
    right = pygame.Event(pygame.JOYHATMOTION, value=(1, 0))
    steps = [*[pressed(pygame.K_LEFT)], *[right] * 2, *map(pressed, [pygame.K_UP, pygame.K_DOWN])]
    steps += [pressed(pygame.K_LEFT), pressed(pygame.K_DOWN), pressed(pygame.K_UP)]
    seen = []
    for step in steps:
        browser.handle_event(step)
        seen.append(browser.chosen)
    assert seen == [0, 1, 2, 2, 2, 1, 4, 1]
    assert not pygame.event.peek(pygame.QUIT)
    browser.handle_event(pressed(pygame.K_ESCAPE))
    assert pygame.event.get(pygame.QUIT)
    assert not browser.is_played
    for event in (pressed(pygame.K_RETURN), pygame.Event(pygame.JOYBUTTONDOWN, button=0)):
        browser.is_played = False
        browser.handle_event(event)
        assert browser.is_played
        assert pygame.event.get(pygame.QUIT)
    assert browser.chosen == 1


def test_a_click_plays_the_demo_below_the_pointer_and_other_places_none(browser: Browser) -> None:
    for number in range(len(browser.names)):
        place = browser.place(number).center
        browser.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=place))
        assert (browser.chosen, browser.is_played) == (number, False)
        browser.handle_event(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=place, button=1))
        assert browser.is_played
        browser.is_played = False
    browser.handle_event(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(3, 3), button=1))
    assert not browser.is_played


def test_the_chosen_demo_is_played_with_the_options_that_the_menu_got(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    keys = [pygame.K_RIGHT] * [*find_demos()].index("cubes") + [pygame.K_RETURN]
    events = iter([[*map(pressed, keys)], [], [pressed(pygame.K_ESCAPE)]])
    get = pygame.event.get
    monkeypatch.setattr(pygame.event, "get", lambda: [*next(events, []), *get()])
    shot = tmp_path / "shot.png"
    assert browse(["--headless", "--frames", "9", "--screenshot", str(shot)]) == 0
    assert "cube" in capfd.readouterr().out
    assert pygame.image.load(shot).get_size() == WINDOW
    assert next(events, None) is None


@pytest.fixture
def sky() -> Iterator[SpawnerDemo]:
    """The flight as it begins, with nobody in the sky but the balloon, which is paused."""
    with playing(SpawnerDemo) as demo:
        demo.scene.balloon.pause_or_go_on()
        pools.despawn_all(dragon)
        for effect in effects.sprites():
            effect.kill()
        yield demo


def test_the_coroutine_spawns_under_random_parents_or_despawns(sky: SpawnerDemo) -> None:
    hit(sky, pygame.K_d, pygame.K_d, pygame.K_d, pygame.K_SPACE)
    parents: set[Any] = set()
    counts = set()
    for _ in range(1200):
        sky.update(1 / 60)
        parents |= {rider.parent for rider in riders}
        counts.add(len(riders))
        assert all(rider.parent in dragons for rider in riders)
    assert len(parents) > 2
    assert len(counts) > 4
    stats = [pools.pool(kind).stats for kind in RIDERS]
    assert all(figures.spawned for figures in stats)
    assert sum(figures.despawned for figures in stats) > 5
    assert sum(figures.reused for figures in stats) > 5


def test_n_clears_the_sky_but_for_the_persistent_spawner_whose_coroutine_goes_on(
    sky: SpawnerDemo,
) -> None:
    there = sky.scene.balloon
    life = there.handle()
    hit(sky, pygame.K_SPACE, pygame.K_d, frames=30)
    old = [*dragons, *riders, *effects]
    night = pixels(sky, SCENE)
    hit(sky, pygame.K_n)
    assert sky.shown.name == "dawn flight"
    assert pixels(sky, SCENE) != night
    assert not any(sprite.alive() for sprite in old)
    assert [*balloons] == [there]
    assert life
    counts = [pools.pool(kind).stats.spawned for kind in RIDERS]
    run_on(sky, 600)
    assert [pools.pool(kind).stats.spawned for kind in RIDERS] > counts
    hit(sky, pygame.K_SPACE)
    counts = [pools.pool(kind).stats.spawned for kind in RIDERS]
    run_on(sky, 600)
    assert [pools.pool(kind).stats.spawned for kind in RIDERS] == counts
