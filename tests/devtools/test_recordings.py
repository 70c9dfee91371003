"""Recordings: what is played again is equal, and the first difference is named."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import small_game
from poolkit import Animation, PooledSprite, PoolingSystem, Prefab, pools
from poolkit.devtools import RecordingError, ReplayDifference, record, replay
from poolkit.devtools.recordings import changed, changes, first_difference
from poolkit.devtools.shell import main as shell
from poolkit.devtools.tape_file import TapeHead, TapeWriter, _Seal, read_tape
from poolkit.swarms import Swarm
from small_game import SmallGame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest_plugins = ["pytester"]

FRAMES = 60


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    pools.reset()
    pygame.display.init()
    yield
    pools.reset()
    pygame.display.quit()


def recorded(path: Path, fault: str = "", frames: int = FRAMES) -> list[Any]:
    """Record a small game; return how it ended."""
    with record(path, seed=7) as tape:
        game = SmallGame(fault)
        for number in range(frames):
            events = [pygame.Event(pygame.KEYDOWN, key=pygame.K_a)] * (number % 9 == 0)
            if number == 30:
                events.append(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(5.25, 7), button=1))
            game.step(*tape.frame(events, (10 + number % 5) / 999))
    end = [(bat.position, bat.speed, bat.mood, bat.health.current) for bat in game.bats]
    pools.reset()
    return end


def replayed(path: Path, fault: str = "") -> list[Any]:
    with replay(path) as tape:
        game = SmallGame(fault)
        for events, dt in tape:
            game.step(events, dt)
    end = [(bat.position, bat.speed, bat.mood, bat.health.current) for bat in game.bats]
    pools.reset()
    return end


def difference(path: Path, fault: str) -> ReplayDifference:
    """Replay with a fault until it shows: the dice may fall as they fell before."""
    for _ in range(20):
        pools.reset()
        try:
            replayed(path, fault)
        except ReplayDifference as error:
            return error
    raise AssertionError(fault)


def test_what_was_recorded_is_replayed_equal_events_frame_times_and_dice(tmp_path: Path) -> None:
    path = tmp_path / "run.rec"
    random.seed(1)  # which is not the seed of the recording
    end = recorded(path)
    random.seed(2)
    assert replayed(path) == end


def test_keys_and_mouse_say_in_a_replay_what_they_said_when_it_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.rec"
    moves = iter(range(1000))
    with monkeypatch.context() as patch:
        patch.setattr(pygame.mouse, "get_pos", lambda: (3, next(moves) // 20))

        class Pressed:
            def __getitem__(self, key: int) -> bool:
                return key == pygame.K_SPACE

        patch.setattr(pygame.key, "get_pressed", Pressed)
        end = recorded(path)
    functions = pygame.key.get_pressed, pygame.mouse.get_pos
    assert replayed(path) == end
    assert recorded(tmp_path / "other.rec") != end  # they had a say in it
    assert (pygame.key.get_pressed, pygame.mouse.get_pos) == functions


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("unseeded dice", r"frame 21: bat #\d{4}\.Health\.current: recorded \d+, replayed \d+"),
        ("the wall clock", r"frame 21: bat #\d{4}\.position: recorded \["),
        ("order by id", r"frame 21: bat #\d{4}\.rank: recorded \d, replayed \d"),
        ("one too many", r"frame 21: bat #\d{4} live[sd] "),
    ],
)
def test_a_planted_fault_is_found_in_its_frame_and_named(
    tmp_path: Path, fault: str, says: str
) -> None:
    path = tmp_path / "run.rec"
    recorded(path, fault)
    found = difference(path, fault)
    assert found.frame == 21
    assert re.match(says, str(found))


class Lost(PooledSprite):
    """Has a distance that isn't a number."""

    def __init__(self) -> None:
        super().__init__()
        self.distance = float("nan")


def test_not_a_number_is_recorded_and_replayed_as_equal(tmp_path: Path) -> None:
    for open_tape in (record, replay):
        with open_tape(tmp_path / "run.rec") as tape:
            pools.spawn(Lost)
            tape.frame([], 0.1)
        pools.reset()


class Standing(PooledSprite):
    """Is where its feet are."""

    anchor = "midbottom"


class Plain(pygame.sprite.Sprite):
    """A sprite of pygame's own."""


@pytest.mark.parametrize("kind", [Standing, Plain])
def test_a_difference_of_place_is_told_in_the_numbers_that_the_game_uses(
    tmp_path: Path, kind: Any
) -> None:
    def build() -> Any:
        sprite = kind()
        sprite.rect = pygame.FRect(0, 0, 6, 4)
        return sprite

    def play(tape: Any, place: tuple[int, int]) -> None:
        pools.spawn(Prefab(build, name="bat"), place)
        tape.frame([], 0.1)
        tape.frame([], 0.1)
        pools.reset()

    path = tmp_path / "run.rec"
    with record(path) as tape:
        play(tape, (7, 8))
    says = re.escape("bat #0001.position: recorded [7.0, 8.0], replayed [9.0, 8.0]")
    with pytest.raises(ReplayDifference, match=says), replay(path) as tape:
        play(tape, (9, 8))


def test_a_difference_between_frames_with_attributes_is_named_in_the_next_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkit.devtools.recordings._AT_FIRST", 0.0)
    monkeypatch.setattr("poolkit.devtools.recordings._ALWAYS", 40.0)
    path = tmp_path / "run.rec"
    recorded(path, "the wall clock")
    entries = read_tape(path).entries
    numbers = [number for number, entry in enumerate(entries) if "a" in entry]
    later = next(number for number in numbers if number > 21)
    with pytest.raises(ReplayDifference, match=rf"frame 2[12]: bat .* \(seen in frame {later}\)"):
        replayed(path, "the wall clock")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        # A byte of a digest may be the same by chance.
        ("the wall clock", "frame 2[12]: some of the 9 lives are not where they were"),
        ("one too many", r"frame 21: \d+ lives were recorded, \d+ replayed"),
    ],
)
def test_a_difference_that_no_attributes_can_name_is_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, says: str
) -> None:
    monkeypatch.setattr("poolkit.devtools.recordings._AT_FIRST", 0.0)
    monkeypatch.setattr("poolkit.devtools.recordings._ALWAYS", 0.0)
    path = tmp_path / "run.rec"
    recorded(path, fault, frames=24)
    found = difference(path, fault)
    assert re.fullmatch(says, str(found))


def fly(tape: Any, drift: float = 0.0, more: int = 0) -> None:
    """Let sparks of a swarm fly for some frames, and differ from the fourth on."""
    sparks = Swarm(pygame.Surface((2, 2)), name="sparks", limit=100)
    for number in range(8):
        _, dt = tape.frame([], 0.1)
        sparks.spawn_many(3, position=(10.0 * number, 5.0))
        if number == 3:
            sparks.spawn_many(more, position=(0, 0))
            sparks.position[:, 0] += drift
        sparks.update(dt)


@pytest.mark.parametrize(
    ("difference", "says"),
    [
        ({"drift": 0.5}, r"frame 4: sparks\.mean position: recorded \[15\.0, 5\.0\], replayed"),
        ({"more": 1}, r"frame 4: sparks\.lives: recorded 12, replayed 13"),
    ],
)
def test_the_lives_of_a_swarm_are_compared_as_well(
    tmp_path: Path, difference: dict[str, Any], says: str
) -> None:
    path = tmp_path / "run.rec"
    with record(path) as tape:
        fly(tape)
    with replay(path) as again:
        fly(again)
    with pytest.raises(ReplayDifference, match=says), replay(path) as again:
        fly(again, **difference)


def test_a_swarm_may_be_gone_with_the_function_that_played(tmp_path: Path) -> None:
    path = tmp_path / "run.rec"
    with record(path) as tape:
        fly(tape)
    sparks = Swarm(pygame.Surface((2, 2)), name="sparks", limit=100)
    with replay(path) as again:
        for number, (_, dt) in enumerate(again):
            sparks.spawn_many(3, position=(10.0 * number, 5.0))
            sparks.update(dt)
    assert len(sparks) == 24


def test_a_crash_comes_again_in_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "crash.rec"
    for play in (recorded, replayed):
        with pytest.raises(RuntimeError, match="the game crashed"):
            play(path, "crash")
        pools.reset()


def test_the_frames_tape_hands_out_what_was_recorded_and_asks_to_quit_at_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.rec"
    recorded(path, frames=5)
    with replay(path) as tape:
        game = SmallGame()
        for _ in range(5):
            game.step(*tape.frame([pygame.Event(pygame.USEREVENT)], 9.0))
        events, _ = tape.frame([], 9.0)
        assert [event.type for event in events] == [pygame.QUIT]
        with pytest.raises(RecordingError, match="is over, and the game did not quit"):
            tape.frame([], 9.0)


def test_a_recording_changes_nothing_of_a_run_but_the_seed(tmp_path: Path) -> None:
    end = recorded(tmp_path / "run.rec")
    random.seed(7)
    game = SmallGame()
    for number in range(FRAMES):
        events = [pygame.Event(pygame.KEYDOWN, key=pygame.K_a)] * (number % 9 == 0)
        if number == 30:
            events.append(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(5.25, 7), button=1))
        game.step(events, (10 + number % 5) / 999)
    assert [(b.position, b.speed, b.mood, b.health.current) for b in game.bats] == end


# -- the file ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "can't be read"),
        (b"", "is not a recording"),
        (b"\x00\xff\n", "is not a recording"),
        (b"[" * 100_000, "is not a recording"),
        (b'{"kind": "poolkit recording"}\n', "of version None, and this poolkit reads"),
        (b'{"kind": "poolkit recording", "version": 2}\n', "is damaged"),
        (
            b'{"kind": "poolkit recording", "version": 99}\n',
            "of version 99, and this poolkit reads",
        ),
    ],
)
def test_what_is_no_recording_is_refused_by_name(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "other.rec"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordingError, match=says) as caught:
        replay(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt, PermissionError])
def test_a_recording_that_can_not_be_compressed_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    path = tmp_path / "run.rec"
    writer = TapeWriter(path, TapeHead(7))
    writer.write({"c": 3, "d": 4})

    def kill(*_: Path) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", kill)
    with contextlib.suppress(KeyboardInterrupt):
        writer.close()
    assert list(tmp_path.iterdir()) == [path]
    assert "packed" not in path.read_text()
    assert list(read_tape(path).entries) == [{"c": 3, "d": 4}]


def test_a_recording_may_go_nowhere() -> None:
    with record(os.devnull) as tape:
        tape.frame([], 0.1)
    assert not Path(os.devnull).is_file()


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars | st.binary() | st.tuples(*[st.integers(0, 255)] * 4).map(pygame.Color),
    lambda parts: (
        st.lists(parts, max_size=12)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.tuples(st.integers()), parts, max_size=3)
        | st.builds(pygame.Vector2, st.floats(-9, 9), st.integers(-9, 9))
    ),
)
names = st.text().filter(lambda name: name != "type")
events = st.builds(pygame.Event, st.integers(0, 65534), st.dictionaries(names, values, max_size=3))


def written(path: Path, frames: list[list[pygame.Event]]) -> tuple[bytes, bytes]:
    """Record some events; return the file as a crash leaves it, and when it was closed."""
    with record(path, seed=7, system=PoolingSystem()) as tape:
        for frame in frames:
            tape.frame(frame, 0.1)
        killed = path.read_bytes()
    return killed, path.read_bytes()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(events, max_size=3), max_size=9))
def test_any_event_is_the_same_in_a_replay_of_a_recording_that_was_closed_or_killed(
    tmp_path_factory: pytest.TempPathFactory, frames: list[list[pygame.Event]]
) -> None:
    path = tmp_path_factory.mktemp("tape") / "x.rec"
    for content in written(path, frames):
        path.write_bytes(content)
        with replay(path, system=PoolingSystem()) as tape:
            replayed = [events for events, _ in tape]
        assert replayed == frames
        assert repr(replayed) == repr(frames)  # True is no 1, and -0.0 no 0.0


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 9), st.sampled_from([0, 1]), st.integers(0, 10**4), st.integers(-99, 255))
def test_a_damaged_file_is_an_error_and_only_its_last_line_may_be_cut(
    tmp_path_factory: pytest.TempPathFactory, size: int, is_packed: int, place: int, flip: int
) -> None:
    path = tmp_path_factory.mktemp("tape") / "x.rec"
    content = written(path, [[pygame.Event(n, n=n)] for n in range(size)])[is_packed]
    whole = list(read_tape(path).entries)[:size]
    place, is_cut = place % len(content), flip <= 0
    rest = b"" if is_cut else bytes([content[place] ^ flip]) + content[place + 1 :]
    path.write_bytes(content[:place] + rest)
    head, lines = content.index(b"\n"), content[:place].count(b"\n")
    try:
        entries = list(read_tape(path).entries)
    except RecordingError:
        assert is_packed or place <= head or not is_cut
    else:
        assert not is_packed
        assert entries == whole[: max(lines - 1, 0)]  # as a crash may leave it
        assert is_cut or place == len(content) - 1


anything = st.recursive(
    scalars,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.sampled_from(["list", "dict", "keys", "Rect", "x"]), parts, max_size=2)
    ),
)
shapes = anything | st.fixed_dictionaries(
    {"c": anything, "d": st.just(0)},
    optional={
        **dict.fromkeys("tpa", anything),
        "e": st.lists(st.tuples(st.integers(), anything)) | anything,
    },
)


@settings(deadline=None, max_examples=300)
@given(st.lists(shapes, max_size=2), st.dictionaries(st.sampled_from("tcdepa"), anything))
def test_a_file_of_a_wrong_shape_raises_nothing_but_a_recording_error(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Any], columns: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("tape") / "x.rec"
    writer = TapeWriter(path, TapeHead(7))
    for entry in entries:
        writer.write(entry)
    lines = path.read_bytes()
    writer._file.close()
    packed = zlib.compress(json.dumps(columns).encode())
    head = {**json.loads(lines.partition(b"\t")[0]), "packed": zlib.crc32(packed)}
    for content in (lines, _Seal().write(head) + packed):
        path.write_bytes(content)
        with (
            contextlib.suppress(RecordingError, ReplayDifference),
            replay(path, system=PoolingSystem()) as tape,
        ):
            list(tape)


def test_a_small_file_that_unpacks_to_much_is_refused_and_a_frame_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.rec"
    written(path, [[]] * 100)
    monkeypatch.setattr("poolkit.devtools.tape_file._MOST_UNPACKED", 300)
    with pytest.raises(RecordingError, match="is damaged"):
        replay(path)
    monkeypatch.setattr("poolkit.devtools.tape_file._LONGEST", 300)
    with pytest.raises(RecordingError, match=r"a frame takes .* at most 300 fit"):
        written(path, [[], [pygame.Event(pygame.USEREVENT, text="x" * 300)]])
    monkeypatch.undo()
    assert read_tape(path).num_frames == 1  # what was before it is kept


def test_what_an_event_can_not_keep_is_logged_once_for_each_type(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    deep: list[Any] = []
    deep.append(deep)
    event = pygame.Event(pygame.USEREVENT, orc=object(), orcs=[object()], deep=deep, n=10**9999)
    event.kept = 3
    written(tmp_path / "run.rec", [[event]] * 2)
    assert re.findall(r"write (\w+) of UserEvent, a value of type (\w+):", caplog.text) == [
        *(("orc", "object"), ("deep", "list"), ("n", "int"))
    ]
    (entry, *_) = read_tape(tmp_path / "run.rec").entries
    assert entry["e"] == [pygame.Event(pygame.USEREVENT, kept=3)]


plain = st.integers(0, 3) | st.text("ab", max_size=2) | st.lists(st.integers(0, 1), max_size=2)
lives = st.sampled_from(["orc #0001\t1\t", "orc #0001\t1\thp", "orc #0002\t1\t"])


@given(st.lists(st.dictionaries(lives, plain)))
def test_states_are_told_by_what_has_changed_in_them(states: list[Any]) -> None:
    before: dict[str, Any] = {}
    told: dict[str, Any] = {}
    for state in states:
        told = changed(told, json.loads(json.dumps(changes(before, state))))
        assert told == state
        assert first_difference(told, state) is None
        assert (first_difference(before, state) is None) == (before == state)
        before = state


# -- in other processes -----------------------------------------------------------------------


def begin(*words: str, hash_seed: str = "0") -> subprocess.Popen[str]:
    needed = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = os.environ | needed | {"SDL_VIDEODRIVER": "dummy"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, *words], env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
    )


def run(*words: str, hash_seed: str = "0") -> tuple[int, str]:
    with begin(*words, hash_seed=hash_seed) as process:
        said, _ = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("option", [[], ["-O"]])
def test_another_process_with_another_hash_seed_replays_it_equal(
    tmp_path: Path, option: list[str]
) -> None:
    path = str(tmp_path / "run.rec")
    assert run(small_game.__file__, path, "60")[0] == 0
    shell_words = ["-m", "poolkit", "replay", path, f"{small_game.__name__}:again"]
    code, said = run(*option, *shell_words, hash_seed="1")
    assert (code, "replayed as it was recorded" in said) == (0, True)


def test_a_game_that_is_killed_replays_to_the_frame_in_which_it_was(tmp_path: Path) -> None:
    path = tmp_path / "killed.rec"
    with begin(small_game.__file__, str(path), "1000000000") as process:
        while not (path.exists() and path.stat().st_size > 60_000):
            time.sleep(0.01)
        process.kill()
    frames = len(list(read_tape(path).entries))
    assert frames > 50
    with replay(path) as tape:
        game = SmallGame()
        for events, dt in tape:
            game.step(events, dt)
    assert game.frames == frames


def test_the_shell_tells_what_differs_and_what_can_not_be_replayed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "run.rec")
    recorded(Path(path), "the wall clock")

    def replays(name: str, file: str = path) -> tuple[int, str]:
        pools.reset()
        code = shell(["replay", file, f"small_game:{name}"])
        return code, "".join(capfd.readouterr())

    def by_tape(tape: Any) -> None:
        game = SmallGame("the wall clock")
        for events, dt in tape:
            game.step(events, dt)

    def crash(tape: Any) -> None:
        SmallGame()
        next(iter(tape))
        message = "boom"
        raise RuntimeError(message)

    def leave(tape: Any = None, *, by_exit: bool = False) -> None:
        game = SmallGame("the wall clock")
        for _ in range(10):
            game.step(*tape.frame([], 0.1))
        if by_exit:
            sys.exit()

    def leave_alone() -> None:
        with record("unused") as tape:
            leave(tape, by_exit=True)

    says: dict[str, tuple[Callable[..., object], int, str]] = {
        "by_tape": (by_tape, 1, "poolkit replay: frame 21: bat "),
        "crash": (crash, 1, "RuntimeError: boom"),
        "leave": (leave, 1, "frame 10: the game left after 10 of 60 frames\n"),
        "exit": (lambda tape: leave(tape, by_exit=True), 1, "left after 10 of 60 frames\n"),
        "leave_alone": (leave_alone, 1, "left after 10 of 60 frames\n"),
        "never": (lambda tape: None, 1, "0 of 60 frames: it never asked"),  # noqa: ARG005
        "alone": (lambda: None, 2, "() must take the tape, as in def "),
        "exit_alone": (sys.exit, 2, "() must take the tape, as in def "),
    }
    for name, (function, code, words) in says.items():
        monkeypatch.setattr(small_game, name, function, raising=False)
        code_of_shell, said = replays(name)
        assert (code_of_shell, words in said, "as it was" in said) == (code, True, False), said
    code, said = replays("nothing")
    assert (code, "small_game:nothing names no scene and no function" in said) == (2, True)
    code, said = replays("by_tape", str(tmp_path / "no.rec"))
    assert (code, "no.rec can't be read" in said) == (2, True)


def test_the_fixture_replays_and_fails_a_test_that_differs(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    path = tmp_path / "run.rec"
    recorded(path, frames=10)
    pytester.makepyfile(f"""
        from small_game import SmallGame
        from poolkit import pools
        def play(tape, wrong=False, frames=10):
            pools.reset()
            game = SmallGame()
            for events, dt in tape:
                game.step(events, dt)
                if wrong:
                    game.bats.sprites()[0].rect.y += 1
                if game.frames == frames:
                    return
        def test_equal(replay):
            play(replay({str(path)!r}))
        def test_different(replay):
            play(replay({str(path)!r}), wrong=True)
        def test_early(replay):
            play(replay({str(path)!r}), frames=1)
        def test_early_for_a_reason(replay):
            play(replay({str(path)!r}), frames=1)
            assert False
    """)
    result = pytester.runpytest_subprocess("-p", "pytest_poolkit")
    result.assert_outcomes(passed=2, failed=2, errors=1)
    result.stdout.fnmatch_lines(["*ReplayDifference: frame 1: the game left after 1 of 10 frames"])
    result.stdout.fnmatch_lines(["*ReplayDifference: frame 1: bat #0001.position: recorded*"])


def test_the_lives_of_one_system_are_recorded_and_of_no_other(tmp_path: Path) -> None:
    system, path = PoolingSystem(), tmp_path / "run.rec"
    with record(path, seed=1, system=system) as tape:
        tape.frame([], 0.1)
        pools.spawn(Prefab(list))
    with replay(path, system=system) as again:
        assert [dt for _, dt in again] == [0.1]


def test_a_replay_begins_with_the_time_of_the_clock_unless_something_waits(tmp_path: Path) -> None:
    path = tmp_path / "run.rec"
    prefab: Prefab[Any] = Prefab(list, name="list")
    frames = pygame.Surface((1, 1)), pygame.Surface((2, 2))

    class Flag(PooledSprite):
        def __init__(self) -> None:
            super().__init__(frames[0])
            self.add_component(Animation(frames[: 1 + (wait < 0)], fps=1))

    for tool, seconds, wait, begins in (
        *((record, 8.5, 0.0, 8.5), (replay, 0.0, 0.0, 8.5), (replay, 20.0, 0.0, 8.5)),
        *((replay, 20.0, 0.5, 20.0), (replay, 20.0, -1, 20.0)),
    ):
        system = PoolingSystem()
        system.update(seconds)
        life = system.spawn(prefab)
        flag = system.spawn(Flag)
        if wait > 0:
            system.despawn_after(life, wait)
        with tool(path, system=system) as tape:
            tape.frame([], 0.1)
            assert system._context.clock.now == begins
        assert system.report().seconds == seconds
        system.despawn_after(life, abs(wait))
        system.update(abs(wait))  # in which it is due, whatever the clock was set to
        assert not system.is_spawned(life)
        assert flag.image is frames[wait < 0]
