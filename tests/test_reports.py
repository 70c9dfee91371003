"""Reports: what surfaces hold, tables, pictures, and files that are read again."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pygame
import pytest

from poolkit import PooledSprite, PoolError, PoolingSystem, Prefab, SceneReport
from poolkit.core.statistics import surface_meters
from poolkit.devtools.profiles import CapacityProfile, Need, SceneNeeds
from poolkit.devtools.profiles.files import write_profile
from poolkit.devtools.reports import print_report, read_report, save_picture
from poolkit.sprites.surface_bytes import bytes_shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHEET = pygame.Surface((64, 16), pygame.SRCALPHA)
SHEET_BYTES = 64 * 16 * 4


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(SHEET.subsurface((16, 0, 16, 16)))


class Banner(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((10, 10), pygame.SRCALPHA))
        self.add_child(PooledSprite(pygame.Surface((2, 2), pygame.SRCALPHA)), (0, 0))


class Plain(pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4), pygame.SRCALPHA)
        self.rect: pygame.FRect = self.image.get_frect()


class Unhashable(pygame.Surface):
    __hash__ = None  # type: ignore[assignment]


def picture_of_no_hash() -> PooledSprite:
    return PooledSprite(Unhashable((4, 4), pygame.SRCALPHA))


class Blank(pygame.sprite.Sprite):
    image = rect = None


class Thing:
    image = SHEET


def held(system: PoolingSystem, factory: Callable[[], object], count: int) -> int:
    prefab = Prefab(factory, name="it")
    system.prespawn(prefab, count)
    return system.report()["it"].surface_bytes


@pytest.mark.parametrize(
    ("factory", "count", "expected"),
    [
        (Orc, 9, SHEET_BYTES),  # cut out of one sheet
        (Banner, 3, 3 * 4 * (10 * 10 + 2 * 2)),  # each draws its own, its part as well
        (Plain, 2, 2 * 4 * 4 * 4),
        (picture_of_no_hash, 2, 2 * 4 * 4 * 4),
        (PooledSprite, 2, 0),
        (Blank, 2, 0),
        (Thing, 2, 0),  # no sprite: what its image is for, nobody knows
    ],
)
def test_u17_a_report_tells_what_the_surfaces_of_a_pool_hold(
    system: PoolingSystem, factory: Callable[[], object], count: int, expected: int
) -> None:
    assert held(system, factory, count) == expected
    assert surface_meters.count(bytes_shown) == 1


def test_u17_turned_images_count_once_and_with_the_upright_one(system: PoolingSystem) -> None:
    prefab = Prefab(Orc, name="it")
    _, *sprites = [system.spawn(prefab, rotation=angle) for angle in (0, 90, 90, 180)]
    images = {sprite.image for sprite in sprites if sprite.image is not None}
    assert len(images) == 2
    turned = sum(image.get_pitch() * image.get_height() for image in images)
    assert system.report()["it"].surface_bytes == SHEET_BYTES + turned


def test_u17_the_closed_screen_holds_nothing(system: PoolingSystem) -> None:
    pygame.display.init()
    screen = pygame.display.set_mode((32, 32))
    system.spawn(Prefab(lambda: PooledSprite(screen), name="it"))
    pygame.display.quit()
    assert system.report()["it"].surface_bytes == 0


PROFILE = CapacityProfile(
    {
        "the [red] cave": SceneNeeds({"orc": Need(7, 14), "$elf$": Need(20, 3)}, 3, 12.5),
        "attic": SceneNeeds({"bat": Need(2, 2)}, 1, 1.0),
    }
)


@pytest.fixture
def report(system: PoolingSystem) -> SceneReport:
    system.prespawn(Prefab(Thing, name="[red] orc"), 20)
    system.spawn_many("[red] orc", [(0, 0)] * 7)
    system.spawn(Prefab(Thing, name="$elf$"))
    system.update(1.0)
    return system.report()


def printed(report: SceneReport | CapacityProfile) -> str:
    file = io.StringIO()
    print_report(report, file)
    return file.getvalue()


@pytest.fixture
def without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)


@pytest.mark.usefixtures("without_rich")
def test_u17_without_rich_a_report_is_printed_as_plain_text(report: SceneReport) -> None:
    assert printed(report) == f"{report}\n"


@pytest.mark.usefixtures("without_rich")
def test_n06_without_rich_a_profile_is_printed_as_plain_text() -> None:
    assert [line.rstrip() for line in printed(PROFILE).splitlines()] == [
        "attic, played once, 1.0 s in all",
        "prefab  peak  spawns a second  prespawned with 10% more",
        "bat        2                2                         3",
        "",
        "the [red] cave, played 3 times, 12.5 s in all",
        "prefab  peak  spawns a second  prespawned with 10% more",
        "$elf$     20                3                        22",
        "orc        7               14                         8",
    ]
    assert printed(CapacityProfile()) == "a capacity profile of no scene yet\nprefab\n"


def test_u17_with_rich_a_report_is_a_table_that_nothing_is_cut_off_of(
    report: SceneReport, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    text = printed(report)
    rows = [line.split("│")[1:-1] for line in text.splitlines() if line.startswith("│")]
    assert [row[0].strip() for row in rows] == ["[red] orc", "$elf$"]
    assert rows[0][1].strip() == "20"
    assert "[red] orc: 20 prespawned, 7 ever used; 8 would do\n" in text
    assert "surfaces" in text
    print_report(report)
    assert capsys.readouterr().out == text


def test_u17_a_terminal_too_narrow_for_the_table_shows_plain_text(
    report: SceneReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for columns, is_plain in {"80": True, "180": False}.items():
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("TERM", "xterm")
        terminal = Terminal()
        print_report(report, terminal)
        assert (terminal.getvalue() == f"{report}\n") is is_plain


def test_n06_with_rich_a_profile_is_a_table_a_scene() -> None:
    pytest.importorskip("rich")
    text = printed(PROFILE)
    assert "the [red] cave, played 3 times, 12.5 s in all" in text
    assert text.count("┏") == 2


def test_u17_a_report_and_a_profile_are_read_from_their_files(
    report: SceneReport, tmp_path: Path
) -> None:
    (tmp_path / "report.json").write_text(report.to_json(), "utf-8")
    assert read_report(tmp_path / "report.json") == report
    write_profile(tmp_path / "profile.toml", PROFILE)
    assert read_report(str(tmp_path / "profile.toml")) == PROFILE


def test_bad_input_a_file_that_is_neither_report_nor_profile(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(PoolError, match=r"file can't be read: No such file"):
        read_report(file)
    for content, message in {
        b"{}": "file is neither a scene report .* nor a capacity profile",
        b"": "file is neither",
        b"# title": "file is neither",
        b'{"format": "poolkit scene report"}': "file: this report has version None",
        b'{"poolkit scene report"': "file: this is no JSON",
        b'{"poolkit scene report": ' + b"[" * 100_000: "file: .* nested too deeply",
        b'format = "poolkit capacity profile': "file is no TOML",
        b"# poolkit capacity profile": "file is no capacity profile, for it lacks",
        b"\xff": "file is no report and no profile, for it is no text",
    }.items():
        file.write_bytes(content)
        with pytest.raises(PoolError, match=message):
            read_report(file)


def test_u17_where_matplotlib_is_installed_a_report_is_a_picture_too(
    report: SceneReport, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    reports: list[SceneReport | CapacityProfile] = [report, PROFILE]
    for number, what in enumerate(reports):
        path = tmp_path / f"{number}.png"
        save_picture(what, path)
        picture = pygame.image.load(path)
        assert picture.get_width() == 960
        assert len({tuple(picture.get_at((x, picture.height // 2))) for x in range(960)}) > 1
    with pytest.raises(PoolError, match="the picture can't be saved"):
        save_picture(report, tmp_path / "no" / "folder.png")
    with pytest.raises(PoolError, match="the picture can't be saved"):
        save_picture(report, tmp_path / "picture.of_nothing_known")
    with pytest.raises(PoolError, match="there is no pool to draw"):
        save_picture(CapacityProfile({"cave": SceneNeeds({})}), tmp_path / "empty.png")


def test_bad_input_a_picture_without_matplotlib(
    report: SceneReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PoolError, match="drawn by matplotlib, which is not installed: pip install"):
        save_picture(report, tmp_path / "it.png")
