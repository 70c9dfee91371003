"""What all demos are made of: a scene, the inspector beside it, and a line of keys below."""

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import pygame

from poolkit import Progress, pools
from poolkit.devtools import Inspector, apply_profile, record_profile
from poolkit.scenes import Scene, SceneManager
from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import open_window, parse_options, press, save_screenshot
from shared.pictures import nine_slice, picture
from shared.window import Window

SIZE = 960, 640  # pixels: the scene
SIDE = pygame.Rect(SIZE[0], 0, 320, SIZE[1])
FOOT = pygame.Rect(0, SIZE[1], SIDE.right, 40)
WINDOW = FOOT.right, FOOT.bottom
BRIGHT, TEXT = (236, 240, 246), (158, 170, 190)
GREEN, RED, DARK = (126, 210, 110), (255, 96, 88), (18, 21, 30)
STEP = 1 / 60  # seconds: the game advances in equal steps, so that equal seeds give equal games


class DemoScene(Scene):
    """A scene with a name, and with a picture for what is behind all else."""

    name: str
    backdrop: str


class SceneDemo:
    """A demo that plays scenes; a subclass adds what else it shows."""

    keys: ClassVar[Sequence[tuple[str, str]]]  # in addition to those of all demos
    # What it presses when it plays itself, evenly spread; None is a pause.
    self_play_keys: ClassVar[Sequence[int | None]]
    self_play_frames: ClassVar[int] = 400
    most_steps: ClassVar[int] = 4  # a frame: beyond it the game slows down rather than fall behind
    loading_budget_ms: ClassVar[float] = 0.0  # 0: the bar moves for each instance
    side: ClassVar[pygame.Rect | None] = SIDE  # of the inspector; `None`: over the scene
    pooling_key: ClassVar[str] = "pooling"
    inspector_key: ClassVar[int] = pygame.K_F2

    def __init__(self, window: Window) -> None:
        """Load the first scene; `window` is for showing how far that is, too."""
        self.window, self.screen = window, window.canvas
        self.running = True
        self.is_pooling = True
        self.frame_seconds: float | None = None
        self.empty_side = nine_slice("panel", SIDE.size)
        self.inspector = Inspector(key=self.inspector_key, shown=self.side is not None)
        self.scenes = SceneManager()
        self.next_scene()

    def close(self) -> None:
        """Let go of what the demo watches."""
        self.inspector.shown = False

    def choose_scene(self) -> DemoScene:
        """Return the scene that comes next."""
        raise NotImplementedError

    def next_scene(self) -> None:
        """Leave the scene with all that is in it, and load the next."""
        self.shown = self.choose_scene()
        self.scenes.load(self.shown, self.draw_loading, budget_ms=self.loading_budget_ms)
        self.has_just_loaded = True

    def play(
        self, frames: int | None = None, script: Callable[[int], Sequence[int]] | None = None
    ) -> None:
        """Play, for so many frames at most; with a script of keys, as fast as it can."""
        clock = pygame.Clock()
        owed = 0.0
        frame = 0
        while self.running and frame != frames:
            elapsed = STEP if script else clock.tick(60) / 1000
            for key in script(frame) if script else ():
                press(key)
            began = time.perf_counter()
            for event in pygame.event.get():
                self.handle_event(event)
            # A clock that is a few milliseconds off would make the game stutter: it is exact.
            owed += STEP if abs(elapsed - STEP) < STEP / 4 else elapsed
            owed = min(owed, self.most_steps * STEP)
            while owed > STEP / 2:
                self.update(STEP)
                owed -= STEP
            self.draw(self.screen)
            self.frame_took(time.perf_counter() - began)
            self.show()
            frame += 1

    def show(self) -> None:
        """Show on the screen what was drawn."""
        self.window.paint()
        self.window.flip()

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event on: to the inspector, or else to the scene and the keys of the demo."""
        if hasattr(event, "pos"):
            event.pos = self.window.to_canvas(event.pos)
        if self.inspector.handle_event(event):
            return
        self.scenes.handle_event(event)
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            self.key_pressed(event.key)

    def key_pressed(self, key: int) -> None:
        """Do what the keys of all demos say; a subclass adds its own."""
        if key == pygame.K_ESCAPE:
            self.running = False
        elif key == pygame.K_F11:
            self.window.switch_full()
        elif key == pygame.K_n:
            self.next_scene()
        elif key == pygame.K_p:
            self.switch_pooling()

    def switch_pooling(self) -> None:
        """Build and destroy every time, to compare; or pool again."""
        self.is_pooling = not self.is_pooling
        pools.configure(pooling=self.is_pooling)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: the timers of all lives first, then the scene."""
        pools.update(dt)
        self.scenes.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the scene and what is around it."""
        self.scenes.draw(surface)
        self.draw_frame(surface)

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw everything around the scene."""
        if self.side is None:
            self.inspector.draw(surface, self.frame_seconds)
        else:  # a game draws it on its whole screen; here there is a place for it beside the scene
            surface.fill(DARK, self.side)
            surface.blit(self.empty_side, self.side)
            self.inspector.draw(surface.subsurface(self.side), self.frame_seconds)
        surface.fill(DARK, FOOT)
        surface.fill((44, 52, 68), (FOOT.left, FOOT.top, FOOT.width, 2))
        name, color = (self.shown.name, BRIGHT) if self.is_pooling else ("no pooling", RED)
        draw_text(surface, name, (16, FOOT.top + 14), color, scale=2)
        inspector = pygame.key.name(self.inspector_key).upper(), "inspector"
        every = (*self.keys, ("P", self.pooling_key), inspector, ("esc", "leave"))
        draw_keys(surface, every, FOOT.right - 14, FOOT.top + 10)

    def draw_loading(self, progress: Progress) -> None:
        """Show how far prewarming is: a bar, and the cells that fill up in the inspector."""
        surface = self.screen
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
        self.show()

    def frame_took(self, seconds: float) -> None:
        """Remember how long the work of a frame took, without the wait for the next."""
        self.frame_seconds = seconds
        if self.has_just_loaded:  # the game isn't to blame for that frame
            self.has_just_loaded = False
            self.inspector.clear()


def self_play(keys: Sequence[int | None], frames_in_all: int, frame: int) -> Sequence[int]:
    """Return which of `keys` to press in a frame, so that all are pressed in so many frames."""
    span = max(1, frames_in_all * 8 // 10)
    due = [(number * span // len(keys), key) for number, key in enumerate(keys)]
    now = [key for when, key in due if when == frame and key is not None]
    return [*now, pygame.K_ESCAPE] if frame == frames_in_all - 1 else now


def run(
    make: Callable[[Window], SceneDemo],
    name: str,
    description: str | None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Play a demo as its command line says, and return its exit code."""
    options = parse_options(name, description, arguments)
    random.seed(options.seed)
    window = open_window(f"poolkit: {name}", WINDOW, headless=options.headless)
    recorder = None
    if options.profile:
        apply_profile(options.profile)
        recorder = record_profile(options.profile)
    demo = make(window)
    count = options.frames or (demo.self_play_frames if window.is_headless else None)
    if window.is_headless and count:
        demo.play(count, lambda frame: self_play(demo.self_play_keys, count, frame))
    else:
        demo.play(count)
    demo.close()
    if recorder:
        recorder.stop()
        print(recorder.error or f"kept what was needed in {recorder.path}")
    shot = options.screenshot or (Path(f"screenshots/{name}.png") if window.is_headless else None)
    print(pools.report(), flush=True)
    if shot:
        save_screenshot(demo.screen, shot)
    pygame.quit()
    return 0
