"""What the frames of a fountain took, drawn below it."""

import gc
import time
from collections import deque
from collections.abc import Iterator, Sequence

import pygame

from shared.letters import draw_text
from shared.scene_demo import BRIGHT, DARK, GREEN, RED, TEXT

LATEST = 1200  # frames that count, the latest twenty seconds
PAUSED, CALM, GROUND = (255, 164, 84), (80, 146, 176), (12, 15, 22)
LIMIT = 1 / 60  # seconds
LOWEST, HIGHEST = 1.25 * LIMIT, 5 * LIMIT  # seconds that a graph spans; longer frames are cut
CALM_FRAMES = 13  # between two rounds of writing the figures


class PauseProbe:
    """Notes which generations the collector collects, and the processor time that it takes."""

    def __init__(self) -> None:
        self.pauses: list[tuple[int, float]] = []
        self.began = 0.0
        self.counted = 0  # new objects when collections began

    def __enter__(self) -> None:
        gc.callbacks.append(self.watch)

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self.watch)

    def watch(self, phase: str, info: dict[str, int]) -> None:
        """Be called by the collector."""
        if phase == "start":
            self.counted += gc.get_count()[0]  # it counts from zero again
            self.began = time.thread_time()
        else:
            self.pauses.append((info["generation"], time.thread_time() - self.began))

    def take(self) -> list[tuple[int, float]]:
        """Return the pauses since the last call."""
        pauses, self.pauses = self.pauses, []
        return pauses


class Scoreboard:
    """A bar a frame, the collector's part in another colour; and the figures of all of them."""

    def __init__(self, place: pygame.Rect) -> None:
        self.place = place
        self.graph = pygame.Rect(12, 8, place.width - 24, 88).move(place.topleft)
        self.bars = pygame.Surface(self.graph.size)
        self.table = pygame.Surface((self.graph.width, place.bottom - self.graph.bottom))
        self.clear()

    def clear(self) -> None:
        """Forget all frames, and the one under way: work is done in it that no game does then."""
        self.frames: deque[tuple[float, float]] = deque(maxlen=LATEST)  # seconds, of them paused
        self.longest, self.total = 0.0, 0.0  # pauses, in seconds
        self.pauses = [0, 0, 0]  # of each generation
        self.left_over: deque[int] = deque(maxlen=300)  # objects for the collector, a frame
        self.skips_next = True
        self.highest = LOWEST  # seconds that the graph must span
        self.span = 0.0  # ... and those it was drawn with
        self.table.fill(DARK)
        self.writing = self.write()

    def add(self, seconds: float, pauses: Sequence[tuple[int, float]], left_over: int) -> None:
        """Add a frame and the collections in it, the young ones as well."""
        if self.skips_next:
            self.skips_next = False
            return
        lengths = [length for _, length in pauses]
        self.frames.append((seconds, sum(lengths)))
        self.total += sum(lengths)
        self.left_over.append(left_over)
        self.longest = max([self.longest, *lengths])
        for generation, _ in pauses:
            self.pauses[generation] += 1
        self.highest = max(self.highest, min(seconds, HIGHEST))
        self.bars.scroll(-2)
        self.draw_bar(self.bars.width - 2, seconds, self.frames[-1][1])

    def figures(self) -> list[tuple[str, str]]:
        """Return names and values, in milliseconds of processor time."""
        times = sorted(seconds for seconds, _ in self.frames) or [0.0]
        mean, p99 = sum(times) / len(times), times[(len(times) - 1) * 99 // 100]
        figures = {"mean frame": mean, "99 in 100": p99, "longest": times[-1]}
        figures |= {"longest pause": self.longest, "all pauses": self.total}
        shown = [(name, f"{1000 * seconds:.1f} ms") for name, seconds in figures.items()]
        shown.append(("pauses", f"{sum(self.pauses)}, {self.pauses[2]} full"))
        objects = sum(self.left_over) / max(1, len(self.left_over))
        shown.append(("left to collect", f"{max(0, objects):.0f} a frame"))
        if self.pauses[0]:
            shown.append(("next full pause", f"{gc.get_count()[2]} of {gc.get_threshold()[2]}"))
        return shown

    def draw(self, surface: pygame.Surface, span: float) -> None:
        """Draw a graph that spans so many seconds, and the figures below it."""
        if span != self.span:
            self.span = span
            self.bars.fill(GROUND)
            latest = list(self.frames)[-self.bars.width // 2 :]
            for x, frame in zip(range(self.bars.width - 2, -1, -2), reversed(latest), strict=False):
                self.draw_bar(x, *frame)
        next(self.writing)
        surface.fill(DARK, self.place)
        surface.blit(self.bars, self.graph)
        line = self.graph.bottom - round(LIMIT * self.graph.height / span)
        surface.fill((96, 108, 132), (self.graph.left, line, self.graph.width, 1))
        draw_text(surface, "16.7 ms", (self.graph.left + 4, line + 6), TEXT, scale=2)
        surface.blit(self.table, self.graph.bottomleft)

    def draw_bar(self, x: int, seconds: float, paused: float) -> None:
        """Draw a frame at a place of the graph."""
        height = self.bars.height
        self.bars.fill(GROUND, (x, 0, 2, height))
        if not self.span:  # all of them are drawn when it is known
            return
        high, top = (
            min(height, round(seconds_shown * height / self.span))
            for seconds_shown in (seconds, paused)
        )
        self.bars.fill(RED if seconds > LIMIT else CALM, (x, height - high, 2, high))
        self.bars.fill(PAUSED, (x, height - high, 2, min(top, high)))

    def write(self) -> Iterator[None]:
        """Write the figures over and over, one a frame, so that no frame pays for all."""
        while True:
            for number, (name, words) in enumerate(self.figures()):
                column, row = divmod(number, 4)
                x, y = column * self.table.width // 2, 12 + 22 * row
                end = x + self.table.width // 2 - 16
                self.table.fill(DARK, (x, y - 6, end - x, 22))
                draw_text(self.table, name, (x, y), TEXT, scale=2)
                color = GREEN if name.startswith(("longest", "mean")) else BRIGHT
                draw_text(self.table, words, (end, y), color, scale=2, align=1)
                yield
            yield from [None] * CALM_FRAMES
