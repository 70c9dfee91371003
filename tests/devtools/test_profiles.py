"""Capacity profiles: recorded from play, kept in a file, applied at the next start."""

from __future__ import annotations

import logging
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poolkit import PoolingSystem, PoolSettings, Prefab, RecycleOldest, Refuse
from poolkit.devtools.profiles import (
    Profile,
    ProfileError,
    apply_profile,
    counts_with_margin,
    merge_profiles,
    read_profile,
    record_profile,
    write_profile,
)
from poolkit.scenes import Scene, SceneManager
from recorder import Orc, raising

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkit import OverflowPolicy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile.toml"


def play_scene(system: PoolingSystem, prefab: Any, count: int) -> None:
    """Let `count` live at once, twice in a second."""
    for _ in range(2):
        system.spawn_many(prefab, [(0, 0)] * count)
        system.update(0.25)
        system.despawn_all()
        system.update(0.25)


def record(path: Path, count: int, name: str = "orc") -> Mapping[str, int]:
    """Record a run; return what the file says then."""
    system = PoolingSystem()
    recorder = record_profile(path, system)
    play_scene(system, Prefab(Orc, name=name), count)
    recorder.stop()
    return read_profile(path)["main"]


def test_peaks_are_kept_over_many_runs(path: Path) -> None:
    path = path.parent / "saves" / path.name  # a folder that is not there yet
    peaks = [record(path, count)["orc"] for count in (7, 3, 10)]
    assert peaks == [7, 7, 10]
    assert record(path, 2, "elf") == {"orc": 10, "elf": 2}
    text = path.read_text("utf-8")  # for people, too
    assert text.startswith("# The most instances of each pool in use at once, by scene")
    assert text.endswith("\n\n[scenes.main]\nelf = 2\norc = 10\n")
    assert [file.name for file in path.parent.iterdir()] == ["profile.toml"]


class Level(Scene):
    """Spawns so many orcs, and asks for so many beforehand."""

    def __init__(self, system: PoolingSystem, name: str, orcs: int = 0, wanted: int = 0) -> None:
        self.system, self.name, self.orcs, self.wanted = system, name, orcs, wanted

    def prewarm(self) -> Mapping[Any, int]:
        return {"orc": self.wanted} if self.wanted else {}

    def enter(self) -> None:
        self.system.spawn_many("orc", [(0, 0)] * self.orcs)


def test_every_scene_of_a_manager_has_its_own_needs_and_what_is_not_used_is_none(
    path: Path, system: PoolingSystem
) -> None:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=9))
    system.register(orc)
    manager = SceneManager(system)
    recorder = record_profile(path, system)
    manager.load(Level(system, "title"))
    assert not path.exists()
    manager.load(Level(system, "cave", 3))
    manager.load(Level(system, "tower", 8))
    recorder.stop()
    assert read_profile(path) == {"cave": {"orc": 3}, "tower": {"orc": 8}}
    path.unlink()
    recorder.stop()  # again
    assert not path.exists()


def test_a_game_without_a_scene_manager_names_its_scenes(path: Path, system: PoolingSystem) -> None:
    recorder = record_profile(path, system, scene="level 1")
    play_scene(system, Orc, 5)
    system.reset()
    recorder.scene = "level 2"
    play_scene(system, Orc, 2)
    system.dispose()
    recorder.stop()
    assert read_profile(path) == {"level 1": {"Orc": 5}, "level 2": {"Orc": 2}}


def test_the_last_scene_is_kept_when_the_process_ends(path: Path) -> None:
    program = (
        "import sys; from poolkit import pools; from poolkit.devtools import record_profile\n"
        "class Orc: pass\n"
        "record_profile(sys.argv[1])\n"
        "pools.spawn_many(Orc, [(0, 0)] * 4)\n"
        "raise ZeroDivisionError"
    )
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=False)
    assert b"ZeroDivisionError" in run.stderr
    assert read_profile(path) == {"main": {"Orc": 4}}


def test_instances_that_are_not_reusable_yet_count_as_in_use(path: Path) -> None:
    late = []
    for _ in range(2):
        system = PoolingSystem()
        system.configure(reuse="next_update")
        apply_profile(path, system, margin=0)
        recorder = record_profile(path, system)
        for _ in range(4):
            system.despawn_all()
            system.spawn_many(Orc, [(0, 0)] * 5)
            system.update(0.1)
        late.append(system.pool(Orc).stats.late)
        recorder.stop()
    assert late == [10, 0]


@pytest.mark.parametrize("is_known_before", [True, False])
def test_a_profile_makes_the_late_spawns_of_the_next_run_none_and_says_its_margin(
    path: Path, system: PoolingSystem, caplog: pytest.LogCaptureFixture, *, is_known_before: bool
) -> None:
    record(path, 10)
    orc = Prefab(Orc, name="orc", settings=PoolSettings(limit=40, order="lifo"))
    if is_known_before:
        system.register(orc)
    with caplog.at_level(logging.INFO, "poolkit"):
        applied = apply_profile(path, system, margin=0.25)
    assert caplog.messages == [str(applied)] == [f"{path}: orc 13 (margin 25%)"]
    assert (applied.counts(), applied.counts("nowhere")) == ({"orc": 13}, {})
    assert repr(applied) == f"AppliedProfile(path={path!r}, margin=0.25, error='')"
    play_scene(system, orc, 10)
    assert system.pool(orc).stats.late == 0
    assert system.pool(orc).settings == PoolSettings(limit=40, order="lifo", prespawn=13)
    system.reset()
    system.update(0.1)
    assert system.pool(orc).inactive_count == 13


@pytest.mark.parametrize("overflow", [RecycleOldest(), Refuse()])
@pytest.mark.parametrize("how", ["known before", "known later", "a manager", "slowly"])
def test_what_a_pool_needs_beyond_its_limit_is_recorded_and_prespawned_as_well(
    path: Path, overflow: OverflowPolicy, how: str
) -> None:
    """These stand in for lives that a frame has ended, which wait for the next update."""
    late = []
    for _ in range(2):
        system = PoolingSystem()
        slowly = 5.0 if how == "slowly" else None
        settings = PoolSettings(
            prespawn=10, limit=10, overflow=overflow, prespawn_per_update=slowly
        )
        orc = Prefab(Orc, name="orc", settings=settings)
        if how == "known before":
            system.register(orc)
        manager, scene = SceneManager(system), "Scene" if how == "a manager" else None
        applied = apply_profile(path, system, scene=scene)
        recorder = record_profile(path, system, scene=scene)
        system.register(orc)
        if how == "a manager":
            manager.load(Scene())
        for _ in range(4):
            system.update(0.1)
        system.spawn_many(orc, [(0, 0)] * 10)
        for _ in range(9):
            for one in list(system.pool(orc).active)[:7]:
                system.despawn(one)
                system.spawn(orc)
            system.update(0.1)
        late.append(system.pool(orc).stats.late)
        recorder.stop()
    assert late == [7, 0]
    assert system.pool(orc).capacity == 17
    assert "orc = 17" in path.read_text("utf-8")
    assert applied.counts(scene) == {"orc": 19}
    system.pool(orc).settings = PoolSettings(limit=5, overflow=overflow)
    applied.stop()
    system.reset()
    assert system.pool(orc).capacity == 5  # they go with the settings that they belong to


@pytest.mark.parametrize(
    ("peak", "margin", "count"),
    [(1, 0.1, 1), (7, 0.1, 8), (5, 0.1, 6), (10, 0.25, 13), (1, 1, 2), (0, 9, 0)],
)
def test_a_profile_prespawns_what_was_needed_and_one_player_stays_one(
    peak: int, margin: float, count: int
) -> None:
    assert counts_with_margin({"player": peak}, margin) == {"player": count}


def test_each_scene_of_a_manager_is_sized_by_itself(path: Path, system: PoolingSystem) -> None:
    orc, elf = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=2)), Prefab(Orc, name="elf")
    write_profile(path, {"cave": {"orc": 10, "elf": 20}, "tower": {"elf": 100}})
    for prefab in (orc, elf):
        system.register(prefab)
    applied = apply_profile(path, system)
    manager = SceneManager(system)
    *_, last = manager.loading(Level(system, "cave", 0, 30), budget_ms=0)
    assert last.total == 52  # the loading screen shows what the profile asks for, too
    assert [system.pool(prefab).inactive_count for prefab in (orc, elf)] == [30, 22]
    manager.load(Level(system, "tower"))
    assert [system.pool(prefab).inactive_count for prefab in (orc, elf)] == [2, 110]
    manager.load(Level(system, "title"))
    assert system.pool(elf).settings == PoolSettings()
    manager.load(Level(system, "cave"))
    applied.stop()
    assert system.pool(orc).settings == orc.settings
    assert not system._context.time_watchers


@pytest.mark.parametrize(
    ("limits", "made"),
    [({"limit": 15}, 20), ({"limit": 6}, 12), ({"max_idle": 15}, 15), ({"limit": 20}, 20)],
)
def test_another_profile_takes_the_place_of_the_first_and_limits_stay_in_force(
    tmp_path: Path, system: PoolingSystem, limits: dict[str, int], made: int
) -> None:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(prespawn=3, **limits))  # type: ignore[arg-type]
    write_profile(tmp_path / "one", {"level 1": {"orc": 5}})
    write_profile(tmp_path / "two", {"level 2": {"orc": 20}})
    for file, scene, count in (("one", "level 1", 5), ("two", "level 2", made)):
        apply_profile(tmp_path / file, system, scene=scene, margin=0)
        assert system.pool(orc).inactive_count == count
        system.reset()
    applied = apply_profile(tmp_path / "two", system, scene="level 1")
    assert system._context.time_watchers == [applied]
    assert system.pool(orc).inactive_count == 3
    system.pool(orc).settings = PoolSettings(prespawn=1, limit=5)
    applied.stop()
    after = system.pool(orc).settings
    assert after == PoolSettings(prespawn=3, limit=5)  # the prefab's, the game's


NAMES = st.text()
PEAKS = st.dictionaries(NAMES, st.integers(1, 10**6), max_size=4)
PROFILES = st.dictionaries(NAMES, PEAKS, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(PROFILES, PROFILES)
@example({"\n": {"\x7f": 2, "€ orc": 3}}, {})
def test_what_is_written_is_read_again_and_merging_is_enough_for_both_whatever_the_names(
    path: Path, one: Profile, other: Profile
) -> None:
    merged = merge_profiles(one, other)
    write_profile(path, merged)
    assert read_profile(path) == merged == merge_profiles(other, one)
    assert merge_profiles(merged, one) == merged
    assert merged.keys() == {*one, *other}
    for scene, peaks in merged.items():
        parts = [profile.get(scene, {}) for profile in (one, other)]
        assert peaks.keys() == {*parts[0], *parts[1]}
        for name, peak in peaks.items():
            assert peak == max(part.get(name, 0) for part in parts)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_to_the_file_stays_one(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    record(path, 3)
    assert record(link, 5) == {"orc": 5}
    assert link.is_symlink()


def test_a_draft_is_never_written_through_a_link(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts: list[Path] = []
    replace = Path.replace

    def note_and_replace(draft: Path, target: Path) -> Path:
        drafts.append(draft)
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", note_and_replace)
    record(path, 3)
    victim = path.with_name("victim")
    victim.write_text("mine")
    drafts[0].symlink_to(victim)
    record(path, 5)
    assert victim.read_text() == "mine"
    assert not path.is_symlink()
    monkeypatch.setattr(secrets, "token_hex", lambda _: drafts[0].name[1:-6])
    with pytest.raises(ProfileError, match="can't be written: File exists"):
        write_profile(path, {})
    assert victim.read_text() == "mine"


def test_a_crash_while_writing_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(path, 3)
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", raising(OSError(28, "No space left on device")))
    with pytest.raises(ProfileError, match=r"profile.toml can't be written: No space left"):
        write_profile(path, {})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["profile.toml"]


HEAD = 'format = "poolkit capacity profile"\nversion = 1\n'
HUGE = "1" * 4301
TABLES = r"it must have tables as \[scenes.cave\], with lines as orc = 7"
MAIN = HEAD + "[scenes.main]\n"
BROKEN = {
    "x = 1\ny = ,": r"profile.toml can't be read: Invalid value \(at line 2, column 5\)",
    "": 'it lacks the lines format = "poolkit capacity profile" and version = 1',
    HEAD.replace("1", "0"): "it lacks the lines",
    HEAD + "scenes = 5": TABLES,
    HEAD + "[scenes]\nmain = 5": TABLES,
    MAIN + "orc = {}": "main.orc must be a whole number, not {}",
    MAIN + "orc = -1": "main.orc must be 0 or more, not -1",
    MAIN + "orc = true": "main.orc must be a whole number, not True",
    MAIN + f"orc = {HUGE}": "can't be read: Exceeds the limit",
    "a = " + "[" * 5000: "can't be read: .*recursion",
}


@pytest.mark.parametrize(("text", "message"), BROKEN.items())
def test_bad_input_a_broken_file_gives_a_clear_error_and_the_game_starts_all_the_same(
    path: Path, system: PoolingSystem, text: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_text(text, "utf-8")
    with pytest.raises(ProfileError, match=message):
        read_profile(path)
    applied = apply_profile(path, system)
    assert applied.profile == {}
    [entry] = caplog.records
    assert (entry.name, entry.levelno) == ("poolkit", logging.ERROR)
    assert entry.message.endswith(applied.error)
    assert str(applied) == f"no capacity profile is applied: {applied.error}"
    recorder = record_profile(path, system)
    system.spawn(Prefab(Orc, name="orc"))
    recorder.stop()
    [told] = caplog.messages[1:]  # in other words where the stack overflows somewhere else
    assert re.search(f"^nothing is recorded: .*{message}", told)
    assert path.read_text("utf-8") == text  # a file that is something else is never replaced


def test_a_file_edited_by_hand_is_read(path: Path) -> None:
    path.write_text("\ufeff" + HEAD + "scenes = { main = { orc = 3, elf = 0 } }", "utf-8")
    assert read_profile(path) == {"main": {"orc": 3, "elf": 0}}


def test_bad_input_files_that_are_not_there_or_no_text(
    tmp_path: Path, system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    applied = apply_profile(tmp_path / "none.toml", system)
    assert applied.error.endswith("none.toml can't be read: No such file or directory")
    assert not caplog.records  # the first start of all: nothing is wrong
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ProfileError, match=r"picture can't be read: .*codec can't decode"):
        read_profile(tmp_path / "picture")
    with pytest.raises(ProfileError, match="can't be written"):
        write_profile(tmp_path / "picture" / "deeper", {})


@pytest.mark.parametrize("name", ["", "/", "a\0b", "\ud800", "n" * 999])
def test_bad_input_a_name_that_no_file_can_have_stops_no_game(
    name: str,
    system: PoolingSystem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert apply_profile(name, system).error
    recorder = record_profile(name, system)
    system.spawn(Prefab(Orc, name="orc"))
    system.reset()
    recorder.stop()
    assert "nothing is recorded: the capacity profile " in caplog.messages[-1]
