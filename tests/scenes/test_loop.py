"""`run` opens a window, hands a scene its events, its time and the screen, and ends at QUIT."""

from __future__ import annotations

import asyncio
import random
import sys
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest import mock

import pygame
import pytest

from poolkit import PooledSprite, pools
from poolkit.devtools import record, replay
from poolkit.scenes import Scene, run, run_async

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

dice: Any = random  # the one that recordings seed
SIZE = 320, 180
LOST, GAINED = pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED


@pytest.fixture(autouse=True)
def pygame_as_before() -> Iterator[None]:
    """The other tests go on with the window that they have opened."""
    was_open = pygame.display.get_surface() is not None
    yield
    if was_open and pygame.display.get_surface() is None:
        pygame.display.set_mode((640, 360))


class Script:
    """A tape that hands out the events of each frame, then a QUIT."""

    is_replay = True  # so that nothing waits

    def __init__(self, *frames: list[pygame.Event], dt: float = 0.05) -> None:
        self.frames, self.dt = list(frames), dt
        self.seconds: list[float] = []  # that really passed

    def frame(self, events: Iterable[pygame.Event], dt: float) -> tuple[list[pygame.Event], float]:
        del events
        self.seconds.append(dt)
        quitting = [pygame.Event(pygame.QUIT)]
        return (self.frames.pop(0) if self.frames else quitting), self.dt


class Level(Scene):
    """Notes what it is asked to do."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.image = pygame.Surface((4, 4)).convert_alpha()  # which takes a window

    def enter(self) -> None:
        self.calls.append("enter")

    def exit(self) -> None:
        self.calls.append("exit")

    def pause(self) -> None:
        self.calls.append("pause")

    def handle_event(self, event: pygame.Event) -> None:
        self.calls.append(pygame.event.event_name(event.type))

    def update(self, dt: float) -> None:
        self.calls.append(dt)

    def draw(self, surface: pygame.Surface) -> None:
        self.calls.append(surface.get_size())


class Kept:
    """Makes the scene when the window is open, and keeps it."""

    def __init__(self, kind: type[Level] = Level) -> None:
        self.kind = kind

    def __call__(self) -> Level:
        self.scene = self.kind()
        return self.scene


def played(*frames: list[pygame.Event], kind: type[Level] = Level) -> Level:
    run(make := Kept(kind), SIZE, tape=Script(*frames))
    return make.scene


def key(code: int) -> pygame.Event:
    return pygame.Event(pygame.KEYDOWN, key=code, mod=0, unicode="")


def test_each_frame_has_its_events_its_time_and_the_screen_until_the_window_is_closed() -> None:
    scene = played([], [key(pygame.K_a)])
    frame = [0.05, SIZE]
    assert scene.calls == ["enter", *frame, "KeyDown", *frame, "Quit", "exit"]


def test_a_class_is_called_when_the_window_is_open_and_a_scene_is_taken_as_it_is() -> None:
    pygame.display.set_mode(SIZE)
    scene = Level()
    run(scene, SIZE, tape=Script())
    assert scene.calls == ["enter", "Quit", "exit"]
    run(Level, SIZE, tape=Script())


def test_the_window_has_the_title_or_the_name_of_the_scene() -> None:
    with mock.patch("pygame.display.set_caption") as set_caption:
        run(Level, SIZE, tape=Script())
        run(Level, SIZE, title="Orcs", tape=Script())
    assert [call.args for call in set_caption.mock_calls] == [("Level",), ("Orcs",)]


def test_a_scene_changes_scenes_by_its_manager_and_ends_the_game_by_a_quit() -> None:
    later = Kept()

    class First(Level):
        def update(self, dt: float) -> None:
            super().update(dt)
            self.manager.load(later())

    class Last(Level):
        def update(self, _: float) -> None:
            pygame.event.post(pygame.Event(pygame.QUIT))

    first = played([], [], kind=First)
    assert first.calls == ["enter", 0.05, "exit"]
    assert later.scene.calls == ["enter", SIZE, 0.05, SIZE, "Quit", "exit"]
    run(Last, SIZE, fps=1000)  # without a tape: it ends by itself


def test_what_lives_is_over_when_the_game_is() -> None:
    class Spawning(Level):
        def enter(self) -> None:
            self.calls.append(pools.spawn(PooledSprite))
            self.scope.callback(lambda: self.calls.append("scope closed"))

    scene = played([], kind=Spawning)
    assert not scene.calls[0].active
    assert scene.calls[-2:] == ["exit", "scope closed"]


@pytest.mark.parametrize(
    ("events", "pauses"),
    [([LOST], ["pause"]), ([LOST, GAINED], []), ([GAINED, LOST], ["pause"]), ([GAINED], [])],
)
def test_a_window_that_loses_the_focus_pauses_the_scene(
    events: list[int], pauses: list[str]
) -> None:
    scene = played([pygame.Event(kind) for kind in events])
    assert [call for call in scene.calls if call == "pause"] == pauses


def test_a_scene_may_have_a_flag_called_pause_and_a_number_for_a_name() -> None:
    class Numbered(Level):
        name = 5
        pause: Any = False

    with mock.patch("pygame.display.set_caption") as set_caption:
        assert "exit" in played([pygame.Event(LOST)], kind=Numbered).calls
    set_caption.assert_called_once_with("Numbered")


def test_losing_the_focus_is_nothing_to_a_scene_without_a_pause() -> None:
    run(Scene, SIZE, tape=Script([pygame.Event(LOST)]))


def test_f11_switches_to_the_full_screen_and_the_scene_does_not_see_the_key() -> None:
    with mock.patch("pygame.display.toggle_fullscreen") as toggle:
        scene = played([key(pygame.K_F11)])
    toggle.assert_called_once_with()
    assert "KeyDown" not in scene.calls


def test_f2_shows_the_inspector_over_the_scene() -> None:
    with mock.patch("poolkit.devtools.Inspector.draw") as draw:
        scene = played([], [key(pygame.K_F2)], [])
    assert draw.call_count == 2
    assert "KeyDown" not in scene.calls


def test_without_devtools_f2_is_a_key_like_any_other() -> None:
    with mock.patch.dict(sys.modules, {"poolkit.devtools": None}):
        assert "KeyDown" in played([key(pygame.K_F2)]).calls


def test_a_long_break_counts_as_a_tenth_of_a_second() -> None:
    tape = Script([], [])
    with mock.patch("pygame.Clock") as clock:
        clock.return_value.tick.return_value = 5000
        run(Level, SIZE, tape=tape)
    assert set(tape.seconds) == {0.1}


def test_equal_seeds_give_equal_dice() -> None:
    class Rolling(Level):
        def enter(self) -> None:
            self.calls.append(dice.random())
            pygame.event.post(pygame.Event(pygame.QUIT))

    rolled = []
    for _ in range(2):
        run(make := Kept(Rolling), SIZE, seed=7)
        rolled.append(make.scene.calls[0])
    assert rolled == [dice.Random(7).random()] * 2


def test_a_run_is_recorded_and_replayed(tmp_path: Path) -> None:
    class Throwing(Level):
        def update(self, dt: float) -> None:
            super().update(dt)
            pools.update(dt)
            pools.spawn(PooledSprite, (dice.random(), dt))
            if len(self.calls) > 6:
                pygame.event.post(pygame.Event(pygame.QUIT))

    calls = []
    for open_tape in (partial(record, seed=3), replay):
        with open_tape(tmp_path / "a.rec") as tape:
            run(make := Kept(Throwing), SIZE, fps=1000, tape=tape)
        calls.append(make.scene.calls)
    assert calls[0] == calls[1]


def test_closing_the_window_while_the_scene_loads_ends_the_game() -> None:
    class Large(Level):
        def prewarm(self) -> dict[Any, int]:
            pygame.event.post(pygame.Event(pygame.QUIT))
            return {PooledSprite: 3}

    run(make := Kept(Large), SIZE)
    assert make.scene.calls == []
    pools.spawn(PooledSprite)


def test_an_error_of_the_scene_reaches_the_caller() -> None:
    class Faulty(Level):
        def update(self, _: float) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        played([], kind=Faulty)


def test_run_async_lets_others_run_between_frames() -> None:
    make, turns = Kept(), []

    async def other() -> None:
        while True:
            turns.append(len(make.scene.calls) if hasattr(make, "scene") else 0)
            await asyncio.sleep(0)

    async def main() -> None:
        task = asyncio.create_task(other())
        await run_async(make, SIZE, tape=Script([], []))
        task.cancel()

    asyncio.run(main())
    assert make.scene.calls == ["enter", 0.05, SIZE, 0.05, SIZE, "Quit", "exit"]
    assert {3, 5} <= set(turns)


def test_pygame_goes_on_if_it_was_initialised_before() -> None:
    pygame.init()
    run(Level, SIZE, tape=Script())
    assert pygame.get_init()
    pygame.quit()
    run(Level, SIZE, tape=Script())
    assert not pygame.get_init()
