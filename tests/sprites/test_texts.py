"""Texts: rendered once, shown as any image, and each life's own."""

from __future__ import annotations

import gc
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab, TextSprite

if TYPE_CHECKING:
    from collections.abc import Iterator


class CountingFont(pygame.font.Font):
    renders = 0

    def render(self, *arguments: Any) -> pygame.Surface:
        self.renders += 1
        return super().render(*arguments)


@pytest.fixture
def font() -> Iterator[CountingFont]:
    pygame.font.init()
    yield CountingFont(None, 20)
    TextSprite.cache.limit = 16 * 1024 * 1024


class Label(TextSprite):
    anchor = "midbottom"


STYLES = "bold", "italic", "underline", "strikethrough", "point_size", "align"


def test_a_text_is_rendered_once_for_all_that_show_it(
    system: PoolingSystem, font: CountingFont
) -> None:
    numbers = Prefab(partial(TextSprite, font, "white"), groups=[PooledGroup()])
    sprites = [system.spawn(numbers, text="12", color=color) for color in ("red", "red", "blue")]
    assert font.renders == 2
    sprites[1].text = "13"
    sprites[1].color = "blue"
    sprites[1].text = "12"
    assert font.renders == 4
    assert [sprite.color for sprite in sprites] == [
        pygame.Color(c) for c in ("red", "blue", "blue")
    ]
    assert sprites[1].text == "12"
    system.reset()
    system.spawn(numbers, text="12", color="red")
    assert font.renders == 4
    font.set_bold(True)
    system.spawn(numbers, text="12", color="red")
    assert font.renders == 5


def test_an_anchor_holds_its_text_whatever_the_class_says(
    system: PoolingSystem, font: CountingFont
) -> None:
    class Score(Label):
        def __init__(self, anchor: str | None = None) -> None:
            super().__init__(font, "white", anchor=anchor)

    for anchor in ("topleft", "center", "midbottom", None):
        score = system.spawn(Prefab(partial(Score, anchor)), (40, 30), text="1")
        score.text = "1,000"
        score.rotation = 90
        assert isinstance(score, Score)
        assert getattr(score.rect, anchor or "midbottom") == score.position == (40, 30)
        assert repr(score) == "<Score Score #0001 active>"
    system.update(0)


def test_alpha_colour_and_text_are_of_one_life(system: PoolingSystem, font: CountingFont) -> None:
    prefab = Prefab(lambda: TextSprite(font, "white"))
    faded, other = (system.spawn(prefab, text="9") for _ in range(2))
    assert faded.image is not None
    faded.image.set_alpha(40)
    faded.color = "red"
    faded.image.set_alpha(40)
    assert other.image is not None
    assert other.image.get_alpha() == 255
    faded.kill()
    again = system.spawn(prefab)
    assert again is faded
    assert (again.text, again.color) == ("", pygame.Color("white"))
    again.text = "9"
    assert again.image is not None
    assert again.image.get_alpha() == 255


def test_a_kind_of_its_own_words_itself_in_spawned(
    system: PoolingSystem, font: CountingFont
) -> None:
    class Damage(TextSprite):
        def __init__(self) -> None:
            super().__init__(font, "white")

        def spawned(self, hits: int) -> None:
            self.text = f"-{hits}"

    class Named(Damage):
        def spawned(self) -> None:  # type: ignore[override]
            self.begun = self.text

    assert system.spawn(Damage, hits=3).text == "-3"
    assert system.spawn(Named, text="orc", color="red").begun == "orc"
    label = TextSprite(font, "white")  # of no pool
    label.text = "Score"
    assert label.rect.size == font.render("Score", False, "red").get_size()  # noqa: FBT003


@settings(max_examples=50)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["text", "turn", "move", "again", "font"]), st.integers(-400, 400)
        ),
        max_size=20,
    )
)
def test_a_text_is_what_its_font_renders_now_at_the_anchor(steps: list[tuple[str, int]]) -> None:
    pygame.font.init()
    font = pygame.font.Font(None, 20)
    system = PoolingSystem()
    system.configure(reuse="at_once")
    prefabs = [Prefab(partial(Label, font, "white", antialias=smooth)) for smooth in (False, True)]
    smooth = False
    label, text, position, turn = system.spawn(prefabs[0], (0, 0), text="again"), "again", (0, 0), 0
    for act, amount in steps:
        if act == "text":
            label.text = text = f"{amount % 4}\nlines"
        elif act == "turn":
            label.rotation = turn = amount
        elif act == "move":
            label.position = position = (amount, 7)
        elif act == "font":
            style = STYLES[amount % len(STYLES)]
            setattr(font, style, 30 if style == "point_size" else not getattr(font, style))
            label.color = "white"
        else:
            label.kill()
            text, position, turn = "again", (amount, 9), amount // 100 * 90
            smooth = amount % 2 == 0
            label = system.spawn(prefabs[smooth], position, turn, text=text)
        twin = PooledSprite(font.render(text, smooth, "white"))
        twin.rotation = turn
        assert label.image is not None
        assert label.image.get_size() == label.rect.size == twin.rect.size
        assert twin.image is not None
        assert pygame.image.tobytes(label.image, "RGBA") == pygame.image.tobytes(twin.image, "RGBA")
        assert label.position == label.rect.midbottom == pytest.approx(position, abs=1e-3)


def test_the_cache_is_bounded_and_keeps_no_font(system: PoolingSystem, font: CountingFont) -> None:
    before = TextSprite.cache.bytes_held
    prefab = Prefab(lambda: TextSprite(font, "white"))
    sprite = system.spawn(prefab, text="1")
    one = TextSprite.cache.bytes_held - before
    TextSprite.cache.limit = before + 3 * one
    for number in (2, 3, 1, 4, 1):  # what was shown last is kept
        sprite.text = str(number)
    assert TextSprite.cache.bytes_held <= before + 3 * one
    assert font.renders == 4
    assert f"bytes_held={TextSprite.cache.bytes_held}" in repr(TextSprite.cache)
    other = CountingFont(None, 20)
    text: Any = TextSprite(other, "white")
    text.text = "gone"
    held = TextSprite.cache.bytes_held
    del text, other
    gc.collect()
    assert TextSprite.cache.bytes_held < held
    assert system.report().pools[0].surface_bytes >= one
