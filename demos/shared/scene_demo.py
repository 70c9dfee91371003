"""What all demos are made of: a scene, the inspector beside it, and a line of keys below."""

import time
from collections.abc import Sequence
from typing import ClassVar

import pygame

from poolkit import Progress, pools
from poolkit.devtools import Inspector
from poolkit.scenes import Scene, SceneManager
from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import STEP, Demo, leave, shown
from shared.pictures import nine_slice, picture

SIZE = 960, 640  # pixels: the scene
SIDE = pygame.Rect(SIZE[0], 0, 320, SIZE[1])
FOOT = pygame.Rect(0, SIZE[1], SIDE.right, 40)
WINDOW = FOOT.right, FOOT.bottom
BRIGHT, TEXT = (236, 240, 246), (158, 170, 190)
GREEN, RED, DARK = (126, 210, 110), (255, 96, 88), (18, 21, 30)


class DemoScene(Scene):
    """A scene with a name, and with a picture for what is behind all else."""

    name: str
    backdrop: str


class SceneDemo(Demo):
    """A demo that plays scenes; a subclass adds what else it shows."""

    keys: ClassVar[Sequence[tuple[str, str]]]  # in addition to those of all demos
    # What it presses when it plays itself, evenly spread; None is a pause.
    self_play_keys: ClassVar[Sequence[int | None]]
    self_play_frames = 400
    most_steps: ClassVar[int] = 4  # a frame: beyond it the game slows down rather than fall behind
    loading_budget_ms: ClassVar[float] = 0.0  # 0: the bar moves for each instance
    side: ClassVar[pygame.Rect | None] = SIDE  # of the inspector; `None`: over the scene
    pooling_key: ClassVar[str] = "pooling"

    def __init__(self) -> None:
        self.is_pooling = True
        self.owed = 0.0  # seconds that passed and aren't played yet
        self.began = 0.0  # the present frame
        self.frame_seconds: float | None = None
        self.inspector: Inspector = Inspector(shown=self.side is not None)
        self.scenes = SceneManager()  # of what the demo plays

    def enter(self) -> None:
        """Load the first scene."""
        self.next_scene()

    def exit(self) -> None:
        """Say what the pools did, and let go of what the demo watches."""
        self.inspector.shown = False
        print(pools.report(), flush=True)
        self.scenes.close()

    def choose_scene(self) -> DemoScene:
        """Return the scene that comes next."""
        raise NotImplementedError

    def next_scene(self) -> None:
        """Leave the scene with all that is in it, and load the next."""
        self.shown = self.choose_scene()
        self.scenes.load(self.shown, self.draw_loading, budget_ms=self.loading_budget_ms)
        self.has_just_loaded = True

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event on: to the scene, and to the keys of the demo."""
        self.scenes.handle_event(event)
        if event.type == pygame.KEYDOWN:
            self.key_pressed(event.key)

    def key_pressed(self, key: int) -> None:
        """Do what the keys of all demos say; a subclass adds its own."""
        if key == pygame.K_ESCAPE:
            leave()
        elif key == pygame.K_n:
            self.next_scene()
        elif key == pygame.K_p:
            self.switch_pooling()

    def switch_pooling(self) -> None:
        """Build and destroy every time, to compare; or pool again."""
        self.is_pooling = not self.is_pooling
        pools.configure(pooling=self.is_pooling)

    def update(self, dt: float) -> None:
        """Let time pass in equal steps."""
        self.began = time.perf_counter()
        # A clock that is a few milliseconds off would make the game stutter: it is exact.
        self.owed += STEP if abs(dt - STEP) < STEP / 4 else dt
        self.owed = min(self.owed, self.most_steps * STEP)
        while self.owed > STEP / 2:
            self.step(STEP)
            self.owed -= STEP

    def step(self, dt: float) -> None:
        """Let `dt` seconds pass: the timers of all lives first, then the scene."""
        pools.update(dt)
        self.scenes.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the scene and what is around it."""
        self.scenes.draw(surface)
        self.draw_frame(surface)
        self.frame_took(time.perf_counter() - self.began)

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw everything around the scene."""
        if self.side is None:
            self.inspector.draw(surface, self.frame_seconds)
        else:  # a game draws it on its whole screen; here there is a place for it beside the scene
            surface.fill(DARK, self.side)
            surface.blit(nine_slice("panel", SIDE.size), self.side)
            self.inspector.draw(surface.subsurface(self.side), self.frame_seconds)
        surface.fill(DARK, FOOT)
        surface.fill((44, 52, 68), (FOOT.left, FOOT.top, FOOT.width, 2))
        name, color = (self.shown.name, BRIGHT) if self.is_pooling else ("no pooling", RED)
        draw_text(surface, name, (16, FOOT.top + 14), color, scale=2)
        every = (*self.keys, ("P", self.pooling_key), ("F2", "inspector"), ("esc", "leave"))
        draw_keys(surface, every, FOOT.right - 14, FOOT.top + 10)

    def draw_loading(self, progress: Progress) -> None:
        """Show how far prewarming is: a bar, and the cells that fill up in the inspector."""
        surface = shown()
        surface.blit(picture(self.shown.backdrop), (0, 0))
        surface.fill((60, 60, 72), (0, 0, *SIZE), special_flags=pygame.BLEND_RGB_MULT)
        x, y = SIZE[0] // 2, SIZE[1] // 2
        draw_text(surface, self.shown.name, (x, y - 50), BRIGHT, scale=4, align=0.5)
        bar = pygame.Rect(x - 150, y, 300, 16)
        pygame.draw.rect(surface, (96, 108, 132), bar, 2)
        surface.fill(GREEN, (bar.x + 4, bar.y + 4, round(292 * progress.fraction), 8))
        words = f"prewarming {progress.done} of {progress.total}"
        draw_text(surface, words, (x, y + 28), BRIGHT, scale=2, align=0.5)
        self.draw_frame(surface)
        pygame.display.flip()
        pygame.event.pump()  # so that the window answers

    def frame_took(self, seconds: float) -> None:
        """Remember how long the work of a frame took, without the wait for the next."""
        self.frame_seconds = seconds
        if self.has_just_loaded:  # the game isn't to blame for that frame
            self.has_just_loaded = False
            self.inspector.clear()

    def self_play(self, frames: int, frame: int) -> Sequence[int]:
        """Press all keys evenly, and Escape in the last frame."""
        return self_play(self.self_play_keys, frames, frame)


def self_play(keys: Sequence[int | None], frames_in_all: int, frame: int) -> Sequence[int]:
    """Return which of `keys` to press in a frame, so that all are pressed in so many frames."""
    span = max(1, frames_in_all * 8 // 10)
    due = [(number * span // len(keys), key) for number, key in enumerate(keys)]
    now = [key for when, key in due if when == frame and key is not None]
    return [*now, pygame.K_ESCAPE] if frame == frames_in_all - 1 else now
