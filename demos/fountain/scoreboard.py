"""What the frames of a fountain took, drawn below it."""

import gc
import time
from collections import deque
from collections.abc import Sequence

import pygame

from shared.letters import draw_text
from shared.scene_demo import BRIGHT, DARK, GREEN, RED, TEXT

LATEST = 1200  # frames that count, the latest twenty seconds
PAUSED, CALM, LIMIT = (255, 164, 84), (80, 146, 176), 1 / 60
LOWEST, HIGHEST = 2 * LIMIT, 5 * LIMIT  # seconds that a graph is high; longer frames are cut


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
        self.clear()

    def clear(self) -> None:
        """Forget all frames, and the one under way: work is done in it that no game does then."""
        self.frames: deque[tuple[float, float]] = deque(maxlen=LATEST)  # seconds, of them paused
        self.longest, self.total = 0.0, 0.0  # pauses, in seconds
        self.pauses = [0, 0, 0]  # of each generation
        self.left_over: deque[int] = deque(maxlen=300)  # objects for the collector, a frame
        self.skips_next = True

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

    def figures(self) -> list[tuple[str, str]]:
        """Return names and values, in milliseconds of processor time."""
        times = sorted(seconds for seconds, _ in self.frames) or [0.0]
        mean, p99 = sum(times) / len(times), times[(len(times) - 1) * 99 // 100]
        figures = {"mean frame": mean, "99 in 100": p99, "longest": times[-1]}
        figures |= {"longest pause": self.longest, "all pauses": self.total}
        shown = [(name, f"{1000 * seconds:.1f} ms") for name, seconds in figures.items()]
        shown.append(("pauses", f"{sum(self.pauses)}, {self.pauses[2]} full"))
        objects = sum(self.left_over) / max(1, len(self.left_over))
        return [*shown, ("left to collect", f"{max(0, objects):.0f} a frame")]

    @property
    def highest(self) -> float:
        """How many seconds a bar must reach."""
        return max((seconds for seconds, _ in self.frames), default=0.0)

    def draw(self, surface: pygame.Surface, highest: float) -> None:
        """Draw a graph that is so many seconds high, and the figures below it."""
        graph = pygame.Rect(self.place.left + 12, self.place.top + 8, self.place.width - 24, 88)
        surface.fill(DARK, self.place)
        surface.fill((12, 15, 22), graph)
        latest = list(self.frames)[-graph.width // 2 :]
        for number, (seconds, paused) in enumerate(latest):
            x, scale = graph.left + 2 * number, graph.height / highest
            high, top = (min(graph.height, round(each * scale)) for each in (seconds, paused))
            color = RED if seconds > LIMIT else CALM
            surface.fill(color, (x, graph.bottom - high, 2, high))
            surface.fill(PAUSED, (x, graph.bottom - high, 2, min(top, high)))
        line = graph.bottom - round(LIMIT * graph.height / highest)
        surface.fill((96, 108, 132), (graph.left, line, graph.width, 1))
        draw_text(surface, "16.7 ms", (graph.right - 4, line - 10), TEXT, align=1)
        for number, (name, words) in enumerate(self.figures()):
            column, row = divmod(number, 4)
            x, y = graph.left + column * graph.width // 2, graph.bottom + 12 + 22 * row
            draw_text(surface, name, (x, y), TEXT, scale=2)
            end = x + graph.width // 2 - 16
            color = GREEN if name.startswith(("longest", "mean")) else BRIGHT
            draw_text(surface, words, (end, y), color, scale=2, align=1)
