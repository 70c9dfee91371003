"""The window that shows a book: who is in it, what is saved while it runs, and what keys do."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from poolkit import PooledGroup, PooledSprite, PoolingSystem
from poolkit.content import ContentError, PrefabFile
from poolkit.devtools import gallery
from poolkit.devtools.bitmap_font import draw_text
from poolkit.devtools.gallery import SIZE, Gallery, show
from poolkit.devtools.shell import main
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.scenes import SceneManager

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

world = PhysicsWorld(gravity=(0, 900))
monsters = PooledGroup[Any]()
FILE = """
[orc]
class = "Orc"
groups = ["monsters"]
data = { hp = 30 }

[arrow]
class = "Arrow"
data.speed = 4000.0

[stone]
class = "Stone"
"""


class Orc(PooledSprite):
    def __init__(self) -> None:
        picture = pygame.Surface((20, 20))
        picture.fill("red")
        super().__init__(picture)

    def spawned(self, hp: int = 10) -> None:
        self.hp, self.frames = hp, 0
        if hp < 0:
            message = "it is dead"
            raise ValueError(message)

    def update(self, _: float) -> None:
        self.frames += 1
        if self.hp == 13:
            message = "unlucky"
            raise RuntimeError(message)
        if self.hp == 14:
            self.image = "orc.png"  # type: ignore[assignment]


class Arrow(Orc):
    def spawned(self, speed: float = 100.0) -> None:
        self.speed = speed

    def update(self, dt: float) -> None:
        self.rect.x += self.speed * dt


class Stone(Orc):
    def __init__(self) -> None:
        super().__init__()
        body = pymunk.Body(1, 1)
        self.add_component(RigidBody(world, body, pymunk.Circle(body, 10)))


class Shown:
    """A gallery of a file, and what it writes."""

    def __init__(self, folder: Path, text: str) -> None:
        self.path = folder / "monsters.toml"
        self.path.write_text(text)
        self.system = PoolingSystem()
        classes, groups = [Orc, Arrow, Stone], {"monsters": monsters}
        book = PrefabFile(self.path, classes=classes, groups=groups, system=self.system)
        self.gallery = Gallery(lambda: book)
        self.manager = SceneManager()
        self.manager.load(self.gallery)
        self.screen = pygame.Surface(SIZE)
        self.words: list[str] = []

    def frames(self, count: int) -> str:
        """Let frames pass, and return all that the last one wrote."""
        for _ in range(count):
            self.words.clear()
            self.manager.update(1 / 60)
            self.manager.draw(self.screen)
        return " ".join(self.words)

    def save(self, old: str, new: str) -> None:
        text = self.path.read_text()
        assert old in text
        self.path.write_text(text.replace(old, new))
        stamp = self.path.stat()
        os.utime(self.path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 10**9))

    def press(self, key: int) -> None:
        self.gallery.handle_event(pygame.Event(pygame.KEYDOWN, key=key))

    def alive(self, name: str) -> list[Any]:
        return list(self.system.pool(name).active)


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    pygame.display.set_mode(SIZE, pygame.HIDDEN)
    made = Shown(tmp_path, FILE)

    def note(surface: Any, words: str, *place: Any, **options: Any) -> int:
        made.words.append(words)
        return draw_text(surface, words, *place, **options)

    monkeypatch.setattr(gallery, "draw_text", note)
    yield made
    made.manager.close()


def test_each_prefab_is_alive_in_a_pen_of_its_own_with_name_count_and_data(shown: Shown) -> None:
    words = shown.frames(30)
    pens = shown.gallery._pens
    assert list(pens) == ["orc", "arrow", "stone"]
    for name in ("orc", "stone"):
        [one] = shown.alive(name)
        assert pens[name].collidepoint(one.rect.center)
    assert shown.alive("orc")[0].frames in {29, 30}  # once a frame, in whatever groups it is
    assert all(text in words for text in ("orc", "arrow", "stone", "1 alive", "hp 30"))
    assert "speed 4000.0" in words


def test_bodies_stay_in_their_pens_and_what_leaves_one_is_despawned_and_comes_again(
    shown: Shown,
) -> None:
    shown.frames(1)
    [stone] = shown.alive("stone")
    shown.frames(200)
    assert shown.alive("stone") == [stone]
    assert stone.rect.bottom == pytest.approx(shown.gallery._pens["stone"].bottom, abs=2)
    assert shown.system.pool("arrow").stats.spawned in {4, 5}  # one in 0.7 seconds
    assert len(shown.alive("arrow")) <= 1


def test_when_it_is_closed_nothing_of_it_is_left(shown: Shown) -> None:
    shown.frames(3)
    assert world.space.shapes
    shown.manager.close()
    world.step(1 / 60)
    assert not [*world.space.shapes, *world.space.bodies, *shown.gallery._living]
    shown.system.spawn("orc")
    assert not shown.gallery._living


def test_what_is_saved_is_seen_within_a_second(shown: Shown) -> None:
    shown.frames(10)
    [orc] = shown.alive("orc")
    shown.save("hp = 30", "hp = 55")
    assert "hp 55" in shown.frames(60)
    [orc] = shown.alive("orc")
    assert orc.hp == 55
    assert shown.gallery._is_new("orc", "data.hp")
    shown.frames(180)
    assert not shown.gallery._is_new("orc", "data.hp")
    shown.save("[stone]", "[boulder]")
    words = shown.frames(60)
    assert "boulder" in words
    assert "stone" not in words
    shown.path.write_text("")
    assert "no prefabs in the files" in shown.frames(60)


def test_a_fault_is_shown_with_its_line_until_the_file_is_mended(shown: Shown) -> None:
    shown.save("hp = 30", "hpp = 30")
    words = shown.frames(60)
    assert "monsters.toml:5: orc.data.hpp: 'hpp' is not known" in words
    assert "monsters.toml:5" in shown.frames(60)
    assert shown.alive("orc")  # the file before is in force
    shown.save("hpp = 30", "hp = 30")
    assert "monsters.toml:5" not in shown.frames(60)


def test_what_hooks_raise_is_shown_and_all_others_live_on(shown: Shown) -> None:
    shown.save("hp = 30", "hp = -1")
    assert "ValueError: it is dead" in shown.frames(60)
    assert not shown.alive("orc")
    assert shown.alive("stone")
    shown.save("hp = -1", "hp = 13")
    assert "RuntimeError: unlucky" in shown.frames(60)
    shown.save("hp = 13", "hp = 14")
    assert "draw: TypeError" in shown.frames(60)
    shown.save("hp = 14", "hp = 30")
    words = shown.frames(60)
    assert "ValueError" not in words
    assert "RuntimeError" not in words


def test_a_click_spawns_one_more_of_the_prefab_in_that_pen(shown: Shown) -> None:
    shown.frames(1)
    place = shown.gallery._pens["orc"].move(20, 10).center
    for button, pos in (1, place), (3, place), (1, (0, 0)):
        shown.gallery.handle_event(pygame.Event(pygame.MOUSEBUTTONDOWN, button=button, pos=pos))
    assert len(shown.alive("orc")) == 2
    assert place in [orc.rect.center for orc in shown.alive("orc")]
    assert "2 alive" in shown.frames(2)


@pytest.mark.parametrize(
    "event", [pygame.Event(pygame.QUIT), pygame.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE)]
)
def test_the_player_closes_the_window(tmp_path: Path, event: pygame.Event) -> None:
    path = tmp_path / "monsters.toml"
    for text in ("[orc]", "[orc"):
        path.write_text(text)

        def load() -> PrefabFile:
            pygame.event.post(event)
            return PrefabFile(path, system=PoolingSystem())

        show(load)
        assert not pygame.display.get_init()


@pytest.mark.parametrize("count", [1, 2, 7, 40, 100])
def test_many_prefabs_are_shown_page_by_page(shown: Shown, count: int) -> None:
    shown.path.write_text("".join(f'[orc{number}]\nclass = "Orc"\n' for number in range(count)))
    shown.gallery.update(1.0)
    seen: list[str] = []
    shown.press(pygame.K_PAGEUP)  # there is none before
    while True:
        shown.frames(2)
        pens = list(shown.gallery._pens)
        alive = [sprite.prefab.name for sprite in shown.gallery._living]
        assert set(alive) <= set(pens)
        assert alive == pens
        if pens == seen[-len(pens) :]:
            break
        seen += pens
        shown.press(pygame.K_PAGEDOWN)
    assert seen == [f"orc{number}" for number in range(count)]
    shown.path.write_text("[orc")
    shown.gallery.update(1.0)
    assert "orc" in shown.frames(1)  # the fault


GAME = """
import pathlib
from poolkit import PooledSprite
from poolkit.content import ContentError, PrefabFile
import pygame
pygame.Surface((1, 1)).convert_alpha()  # needs a screen
path = pathlib.Path(__file__).with_name("{name}.toml")
path.write_text("[{name}]")
book = PrefabFile(path)
"""


def test_a_book_that_cannot_be_used_is_shown_when_it_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said, books = tmp_path / "monsters.toml", list[str](), list[PrefabFile]()
    path.write_text("[orc]\nclass = 'Ork'")

    def load() -> PrefabFile:
        if said:
            path.write_text("[orc]\nclass = 'Orc'")
        books.append(PrefabFile(path, classes=[Orc], system=PoolingSystem()))
        return books[0]

    def note(surface: Any, words: str, *place: Any, **options: Any) -> int:
        said.append(words)
        return draw_text(surface, words, *place, **options)

    monkeypatch.setattr(gallery, "draw_text", note)
    monkeypatch.setattr(gallery, "_RELOAD_INTERVAL", 0.0)
    show(load, 5)
    assert any("monsters.toml:2: orc.class" in words for words in said)
    assert list(books[0]) == ["orc"]
    path.write_text("[orc]\nclass = 'Ork'")
    said.clear()
    with pytest.raises(ContentError, match="'Ork'"):
        show(lambda: PrefabFile(path, classes=[Orc], system=PoolingSystem()), 3)


def test_the_shell_shows_a_book_for_so_many_frames(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gallery_game.py").write_text(GAME.format(name="gallery_orc"))
    assert main(["show", "gallery_game:book", "--frames", "3"]) == 0
    assert main(["show", "gallery_game:path", "--frames", "3"]) == 2
    assert "is not a PrefabFile" in capsys.readouterr().err
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "none")
    assert main(["show", "gallery_game:book"]) == 2
    assert "a window needs a display" in capsys.readouterr().err
