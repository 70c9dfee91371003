"""What the inspector draws: its letters, cells, bars and colours, at three sizes."""

from __future__ import annotations

import itertools
import random
import unicodedata
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.devtools import CollectorPause, Inspector
from poolkit.devtools.inspector import palette
from poolkit.devtools.inspector.canvas import Canvas, scale_for
from poolkit.devtools.inspector.cells import draw_cells, ruler
from poolkit.devtools.inspector.columns import COLUMNS, columns_in
from poolkit.devtools.inspector.frame_graph import FrameGraph
from poolkit.devtools.inspector.frame_times import FrameTimes
from poolkit.devtools.inspector.letters import LETTERS
from poolkit.devtools.inspector.palette import (
    ACTIVE,
    BRIGHT,
    CELL,
    DIM,
    GENERATIONS,
    GROUND,
    LATE,
    QUIET,
    RECYCLED,
    REFUSED,
    ROOM,
)
from poolkit.devtools.inspector.pixel_font import draw_text, fitted, text_image, text_width
from poolkit.devtools.inspector.readings import Reading
from poolkit.devtools.inspector.thumbnails import thumbnail

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [(640, 360), (1280, 720), (1920, 1080)]
Color = tuple[int, ...]


def at(surface: pygame.Surface, x: int, y: int) -> Color:
    return tuple(surface.get_at((x, y)))[:3]


def colors(surface: pygame.Surface) -> set[Color]:
    width, height = surface.get_size()
    return {at(surface, x, y) for x in range(width) for y in range(height)}


def contrast(one: Color, other: Color) -> float:
    """The contrast of two colours as the WCAG reckon it."""

    def light(color: Color) -> float:
        parts = [part / 255 for part in color]
        linear = [
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def reading(active: int, inactive: int, peak: int = 0, limit: int | None = None) -> Reading:
    return Reading(active, inactive, peak, limit, late=0, recycled=0, refused=0, idle=0.0)


def busy_system() -> PoolingSystem:
    system = PoolingSystem()
    for number, name in enumerate(("orc", "troll", "Zauberlehrling für Ångström", "ゴブリン")):

        def make(shade: int = 60 * number) -> PooledSprite:
            image = pygame.Surface((20, 20))
            image.fill((shade, 200, 90))
            return PooledSprite(image)

        prefab = Prefab(make, name=name, settings=PoolSettings(prespawn=4, limit=6))
        for _ in range(number + 3):
            system.try_spawn(prefab)
    return system


def noise(size: tuple[int, int]) -> pygame.Surface:
    dice = random.Random(1)  # noqa: S311 - a picture, no secrets
    return pygame.image.frombytes(dice.randbytes(size[0] * size[1] * 3), size, "RGB")


BACKGROUNDS: dict[str, Callable[[pygame.Surface], object]] = {
    "dark": lambda surface: surface.fill((10, 8, 14)),
    "light": lambda surface: surface.fill((246, 248, 252)),
    "noisy": lambda surface: surface.blit(noise(surface.get_size()), (0, 0)),
}


@pytest.mark.parametrize("is_pooling", [True, False])
@pytest.mark.parametrize(
    ("size", "count", "left_out"),
    [((640, 360), 3, False), ((640, 360), 3_000_000, True), ((160, 144), 300, True)],
)
def test_p11_what_is_written_at_the_top_keeps_apart_and_the_lesser_is_left_out(
    size: tuple[int, int],
    count: int,
    left_out: bool,  # noqa: FBT001 - a parameter of the test
    is_pooling: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[tuple[int, int, str]] = []
    text = Canvas.text

    def noting(
        canvas: Canvas,
        words: str,
        place: tuple[int, int],
        color: palette.Color,
        *,
        align: float = 0.0,
    ) -> int:
        left = place[0] - round(text_width(words) * align)
        if place[1] == 7:
            written.append((left, left + text_width(words), words))
        return text(canvas, words, place, color, align=align)

    monkeypatch.setattr(Canvas, "text", noting)
    system = busy_system()
    system.configure(pooling=is_pooling)
    inspector = Inspector(system, shown=True)
    row = inspector._listing.all_rows[0]
    row.reading = row.reading._replace(active=count, inactive=count)
    monkeypatch.setattr(type(row), "refresh", lambda *_: None)
    inspector.draw(pygame.Surface(size))
    inspector.shown = False
    assert all(one[1] + 4 < other[0] for one, other in itertools.pairwise(sorted(written)))
    texts = " ".join(words for _, _, words in sorted(written))
    assert " active" in texts
    assert ("inactive" in texts) == (is_pooling or not left_out)
    assert ("pooling off" in texts) == (not is_pooling)
    assert ("pools" in texts) == (is_pooling and not left_out)


@pytest.mark.parametrize("size", SIZES)
def test_p11_the_panel_is_the_same_on_any_background(size: tuple[int, int]) -> None:
    pictures = []
    for paint in BACKGROUNDS.values():
        screen = pygame.Surface(size, depth=32)
        paint(screen)
        inspector = Inspector(busy_system(), shown=True)
        inspector._panel._blocks_before = 0
        for _ in range(3):
            inspector.draw(screen, 0.004)
        area = inspector._panel.area
        # All but the count of memory blocks, which is on the right of the second line.
        area = pygame.Rect(area.left, area.top + area.height // 3, area.width, area.height // 2)
        pictures.append(pygame.image.tobytes(screen.subsurface(area), "RGB"))
        inspector.shown = False
        assert at(screen, 0, size[1] - 1) != GROUND  # the game's own picture is left alone
    assert pictures[0] == pictures[1] == pictures[2]


@pytest.mark.parametrize(("size", "scale"), list(zip(SIZES, (1, 2, 3), strict=True)))
def test_p11_it_is_scaled_by_whole_pixels(size: tuple[int, int], scale: int) -> None:
    assert scale_for(size) == scale
    screen = pygame.Surface(size, depth=32)
    inspector = Inspector(PoolingSystem(), shown=True)
    inspector.draw(screen, 0.004)
    panel = screen.subsurface(inspector._panel.area)
    inspector.shown = False
    small = pygame.transform.scale_by(panel, 1 / scale)
    again = pygame.transform.scale_by(small, scale)
    assert pygame.image.tobytes(again, "RGB") == pygame.image.tobytes(panel, "RGB")
    assert size[0] // 4 < panel.get_width() < size[0] // 2


@pytest.mark.parametrize("color", [BRIGHT, DIM, QUIET, LATE, RECYCLED, REFUSED])
def test_p11_what_is_written_stands_out_from_the_ground(color: Color) -> None:
    assert contrast(color, GROUND) >= 4.5


def test_p11_colors_with_a_meaning_are_not_mistaken_for_each_other() -> None:
    for meanings in ((ACTIVE, LATE, RECYCLED, REFUSED, DIM), (*GENERATIONS, palette.CALM)):
        for one, other in itertools.combinations(meanings, 2):
            assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 60


def test_p11_a_cell_is_filled_hollow_or_a_dot() -> None:
    canvas = Canvas((80, 9), 1)
    canvas.surface.fill(GROUND)
    assert ruler(80, 5, 8) == (1, 8)
    draw_cells(canvas, (0, 2, 80), reading(2, 3, peak=4, limit=8), lit=0)
    rims = [at(canvas.surface, 8 * number, 2) for number in range(10)]
    assert rims == [ACTIVE] * 2 + [CELL] * 3 + [GROUND] * 5
    middles = [at(canvas.surface, 8 * number + 3, 4) for number in range(10)]
    assert middles == [ACTIVE] * 2 + [GROUND] * 3 + [ROOM] * 3 + [GROUND] * 2
    assert at(canvas.surface, 31, 1) == BRIGHT  # the peak, beside the fourth cell


def test_p11_the_latest_cells_are_lit_up_where_they_were_made_late() -> None:
    canvas = Canvas((80, 9), 1)
    draw_cells(canvas, (0, 2, 80), reading(4, 1, peak=4), lit=1)
    rims = [at(canvas.surface, 8 * number, 2) for number in range(5)]
    assert rims == [ACTIVE] * 3 + [LATE] + [CELL]


@pytest.mark.parametrize("limit", [None, 1, 100, 5_000_000])
@pytest.mark.parametrize("capacity", [0, 1, 3, 40, 84, 85, 1000, 1_000_000])
def test_p11_any_number_of_instances_fits_the_row(capacity: int, limit: int | None) -> None:
    instances, pitch = ruler(168, capacity, limit)
    assert -(-capacity // instances) * pitch <= 168
    assert pitch >= 2
    canvas = Canvas((170, 9), 1)
    canvas.surface.fill((1, 2, 3))
    draw_cells(canvas, (0, 2, 168), reading(capacity // 2, capacity - capacity // 2, 1, limit), 0)
    assert at(canvas.surface, 169, 4) == (1, 2, 3)


def bars(graph: FrameGraph, canvas: Canvas) -> list[list[Color]]:
    """Draw; return the graph's columns, from the left, each from the bottom up."""
    graph.draw(canvas, (0, 0))
    return [[at(canvas.surface, x, y) for y in range(19, -1, -1)] for x in range(60)]


def pause(generation: int, seconds: float) -> CollectorPause:
    return CollectorPause(generation, seconds, 0)


def frame_times(*added: tuple[float, list[CollectorPause], bool]) -> FrameTimes:
    times = FrameTimes(60)
    times.add(9, [], pooling=True)  # the one that loads
    for seconds, pauses, pooling in added:
        assert times.add(seconds, pauses, pooling=pooling)
    return times


def test_n05_the_collectors_part_of_a_bar_has_its_generations_color() -> None:
    quiet: list[Any] = [(0.002, [], True)] * 50
    half = [(0.002, [pause(1, 0.001)], True), (0.002, [pause(0, 0.0), pause(2, 0.002)], True)]
    times = frame_times(*quiet, *half)
    assert times.top == 0.004
    columns = bars(FrameGraph(times, (60, 20), 1), Canvas((60, 20), 1))
    *_, before, middle, full = columns
    assert before.count(palette.CALM) == 10
    assert middle[:10] == [palette.CALM] * 5 + [GENERATIONS[1]] * 5
    assert full[:10] == [GENERATIONS[2]] * 10
    assert columns[0].count(palette.CALM) == 0
    assert times.collections == [1, 1, 1]
    assert times.seconds_paused == [0.0, 0.001, 0.002]


def test_n05_frames_without_pooling_are_underlined() -> None:
    times = frame_times((0.002, [], True), (0.002, [], False))
    columns = bars(FrameGraph(times, (60, 20), 1), Canvas((60, 20), 1))
    assert columns[-1][:2] == [REFUSED] * 2
    assert REFUSED not in columns[-2]


def test_n05_the_graph_moves_on_bar_by_bar_as_if_it_were_drawn_anew() -> None:
    dice = random.Random(5)  # noqa: S311 - frames, no secrets
    times = frame_times(*[(0.0021, [], True)] * 20)
    moving, canvas = FrameGraph(times, (60, 20), 2), Canvas((60, 20), 2)
    for _ in range(150):
        pauses = [pause(dice.randrange(3), 0.0005)] if dice.random() < 0.2 else []
        latest = times.add(0.0022 + dice.random() * 0.0003, pauses, pooling=dice.random() < 0.9)
        assert latest
        moving.add(latest)
        moving.rescale()
    anew = Canvas((60, 20), 2)
    FrameGraph(times, (60, 20), 2).draw(anew, (0, 0))
    moving.draw(canvas, (0, 0))
    drawn, expected = (pygame.image.tobytes(each.surface, "RGB") for each in (canvas, anew))
    assert drawn == expected


def test_n05_the_graph_fits_the_usual_frame_and_marks_the_longest() -> None:
    times = frame_times(*[(0.0166, [], True)] * 59)
    assert times.top == 0.033
    graph, canvas = FrameGraph(times, (60, 20), 1), Canvas((60, 20), 1)
    plain = bars(graph, canvas)
    assert times.worst == 0.0166
    latest = times.add(0.25, [], pooling=True)
    assert latest
    graph.add(latest)
    for _ in range(20):
        again = times.add(0.0166, [], pooling=True)
        assert again
        graph.add(again)
    graph.rescale()
    assert times.top == 0.033
    assert times.worst == 0.25
    assert bars(graph, canvas) != plain
    assert BRIGHT in colors(canvas.surface)


def test_n05_of_long_frames_side_by_side_the_longest_has_its_length_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    seconds = [0.01] * 50 + [0.228, 0.39, 0.1] + [0.01] * 45
    times = frame_times(*[(each, [], True) for each in seconds])
    graph, canvas = FrameGraph(times, (98, 20), 1), Canvas((98, 20), 1)
    monkeypatch.setattr(Canvas, "text", lambda _, words, *__: written.append(words))
    graph.draw(canvas, (0, 0))
    assert written == ["33 ms", "390"]


def test_n05_the_frame_in_which_a_scene_is_loaded_does_not_count() -> None:
    times = FrameTimes(4)
    assert times.add(3.0, [pause(2, 1.0)], pooling=True) is None
    assert (len(times), times.worst, times.collections) == (0, 0.0, [0, 0, 0])
    assert times.add(0.01, [], pooling=True)
    times.skip()
    assert times.add(2.0, [], pooling=True) is None
    assert times[-1].seconds == times.latest == 0.01
    times.clear()
    assert list(times) == []


def test_p11_every_printable_letter_of_ascii_is_drawn_and_all_differ() -> None:
    letters = [chr(code) for code in range(33, 127)]
    assert set(letters) <= set(LETTERS)
    pictures = {
        letter: pygame.image.tobytes(text_image(letter, BRIGHT), "RGBA") for letter in letters
    }
    alike = [
        pair
        for pair in itertools.combinations(letters, 2)
        if pictures[pair[0]] == pictures[pair[1]]
    ]
    assert alike == [("0", "O")]
    assert len({text_width(figure) for figure in "0123456789"}) == 1


@pytest.mark.parametrize("word", ["für", "Ångström", "çédille", "żółw", "ČEŠTINA", "ñandú"])
def test_p11_accents_are_drawn_on_their_letters(word: str) -> None:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)
    )
    assert text_width(word) <= text_width(plain) + 3
    drawn, without = (
        pygame.image.tobytes(text_image(each, BRIGHT), "RGBA") for each in (word, plain)
    )
    assert drawn != without
    decomposed = unicodedata.normalize("NFD", word)
    assert pygame.image.tobytes(text_image(decomposed, BRIGHT), "RGBA") == drawn


def test_p11_letters_that_are_not_known_are_boxes_that_differ() -> None:
    goblin, slime = (
        pygame.image.tobytes(text_image(each, BRIGHT), "RGBA") for each in ("ゴ", "ス")
    )
    assert goblin != slime
    assert text_width("ゴブ") == 11
    assert text_width("\N{ZERO WIDTH JOINER}") == 0
    assert text_width("\N{PILE OF POO}\n") == 11


def test_p11_long_names_keep_their_beginning_and_their_end() -> None:
    name = "enemy_projectile_fireball_large"
    short = fitted(name, 80)
    assert text_width(short) <= 80
    assert short.startswith("enemy_")
    assert short.endswith("large")
    assert fitted(name, 800) == name
    assert fitted(name, 0) == ""
    assert fitted("", 10) == ""
    assert text_width(fitted(name * 1000, 50)) <= 50


def test_p11_text_is_aligned_by_the_top_of_its_capitals() -> None:
    surface = pygame.Surface((60, 30), depth=32)
    assert draw_text(surface, "H", (10, 10), BRIGHT, scale=2) == 8
    assert at(surface, 10, 10) == BRIGHT
    assert at(surface, 10, 9) == (0, 0, 0)
    assert at(surface, 10, 23) == BRIGHT
    assert at(surface, 10, 24) == (0, 0, 0)
    draw_text(surface, "H", (60, 10), BRIGHT, scale=2, align=1)
    assert at(surface, 59, 10) == BRIGHT


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0"), (9999, "9999"), (10_000, "10k"), (2_500_000, "2M")]
)
def test_p11_large_counts_keep_to_their_column(count: int, words: str) -> None:
    assert COLUMNS[0].words(count) == words


@pytest.mark.parametrize("width", [0, 20, 100, 187, 188, 300])
def test_p11_columns_keep_apart_and_those_without_room_are_left_out(width: int) -> None:
    columns = columns_in(width)
    ends = [0, *(end for _, end in columns)]
    for (column, end), before in zip(columns, ends, strict=False):
        assert end - text_width(column.key) >= before + (3 if before else 0)
    assert ends[-1] <= width
    assert (len(columns) == len(COLUMNS)) == (width >= 188)


def test_p11_what_did_not_happen_is_a_dot() -> None:
    assert [column.words(0) for column in COLUMNS] == ["0", "0", "·", "·", "·", "0%"]


@pytest.mark.parametrize(
    "image",
    [
        pygame.Surface((300, 20)),
        pygame.Surface((2, 2), pygame.SRCALPHA),
        pygame.Surface((40, 40), 0, 8),
        pygame.Surface((3000, 10), pygame.SRCALPHA, 32),
    ],
    ids=["wide", "transparent", "palette", "huge"],
)
def test_p11_a_row_shows_what_its_instances_look_like(
    system: PoolingSystem, image: pygame.Surface
) -> None:
    prefab = Prefab(lambda: PooledSprite(image), name="one")
    pool = system.pool(prefab)
    assert thumbnail(pool, 16) is None
    system.spawn(prefab)
    picture = thumbnail(pool, 16)
    assert picture
    assert max(picture.get_size()) <= 16


def test_p11_a_small_picture_is_enlarged_by_whole_pixels(system: PoolingSystem) -> None:
    image = pygame.Surface((20, 20), pygame.SRCALPHA)
    image.fill((255, 0, 0), (4, 4, 6, 6))  # the transparent rim is left out
    sprite = system.spawn(Prefab(lambda: PooledSprite(image), name="spark"))
    assert sprite.prefab
    picture = thumbnail(system.pool(sprite.prefab), 16)
    assert picture
    assert picture.get_size() == (12, 12)
    assert at(picture, 0, 0) == (255, 0, 0)


def test_p11_no_picture_where_there_is_none(system: PoolingSystem) -> None:
    class Bare:
        image = "none"

    class Empty:
        image = pygame.Surface((0, 5))

    class Failing:
        @property
        def image(self) -> pygame.Surface:
            message = "not now"
            raise RuntimeError(message)

    for kind in (Bare, Empty, Failing):
        system.spawn(kind)
        assert thumbnail(system.pool(kind), 16) is None
