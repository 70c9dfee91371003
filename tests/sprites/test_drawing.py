"""PooledGroup draws, in layers, turned and seen through a camera, what the naive way draws."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from measuring import unmeasured
from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = (64, 48)
IMAGES = [pygame.Surface((9 + number, 14 - number), pygame.SRCALPHA) for number in range(3)]
for _image, _color in zip(IMAGES, ["red", "blue", "gold"], strict=True):
    _image.fill(_color)
    _image.fill((10, 200, 30, 90), (0, 0, 5, 4))


ACTS = ["spawn", "spawn", "spawn", "kill", "plain", "drop", "part", "part", "ride", "get off"]
ACTS += ["member", "member", "again", "again", "again", "hide", "layer"]


class Card(PooledSprite):
    """Something that covers what lies below it."""

    def __init__(self, image: pygame.Surface = IMAGES[0]) -> None:
        super().__init__(image)


def screen() -> pygame.Surface:
    surface = pygame.Surface(SIZE)
    surface.fill((20, 30, 40))
    return surface


def pixels(surface: pygame.Surface) -> bytes:
    return pygame.image.tobytes(surface, "RGB")


def erase(surface: pygame.Surface, area: Any) -> None:
    surface.blit(screen(), area, area)


def bottom_of(sprite: Any) -> float:
    return 0.0 if sprite.rect is None else sprite.rect.bottom


def layer_of(sprite: Any) -> int:
    return getattr(sprite, "_layer", None) or 0


def both_of(sprite: Any) -> tuple[int, float]:
    return layer_of(sprite), bottom_of(sprite)


ORDERS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "joined": (False, lambda _: 0),
    "layers": (True, layer_of),
    "bottom": (bottom_of, bottom_of),
    "both": (both_of, both_of),
}


def _turn(sprite: Any, _: int, amount: int) -> None:
    if isinstance(sprite, PooledSprite) and sprite.rect is not None:
        sprite.rotation = amount * 15


def _move(sprite: Any, number: int, amount: int) -> None:
    if sprite.rect is not None:
        sprite.rect.move_ip(amount, number - 3)


CHANGES: dict[str, Callable[[Any, int, int], object]] = {
    "turn": _turn,
    "move": _move,
    "image": lambda sprite, number, _: setattr(sprite, "image", IMAGES[number % 3]),
    "none": lambda sprite, *_: setattr(sprite, "image", None if sprite.image else IMAGES[0]),
    "rect": lambda sprite, number, _: setattr(
        sprite, "rect", None if number == 3 else pygame.Rect(number * 6, 12, 4, 4)
    ),
}


def _grouped_ancestor(sprite: Any) -> Any:
    """Return the sprite in groups that another one follows, or hangs on."""
    above = getattr(sprite, "parent", None)
    while above is not None and not above.groups():
        is_hidden = above._link is not None and above._link.is_hidden
        above = None if is_hidden else above.parent
    return above


def _with_attached(sprite: Any) -> list[Any]:
    """Return a sprite with all that is attached to it, from below to above."""
    seen = [
        child._link for child in getattr(sprite, "children", ()) if child._link.is_drawn_with_parent
    ]
    below = [child for link in seen if link.is_below for child in _with_attached(link.child)]
    above = [child for link in seen if not link.is_below for child in _with_attached(link.child)]
    return [*below, sprite, *above]


class Scene:
    """A group, and which sprites have joined it in which order."""

    def __init__(self, layers: Any) -> None:
        self.group = PooledGroup(layers=layers)
        self.is_layered = layers is not False
        self.joined: list[Any] = []
        self._system = PoolingSystem()
        self._prefab = Prefab(Card, groups=[self.group])

    def change(self, what: str, number: int, amount: int) -> None:
        self.do(what, number, amount)
        stayed = [sprite for sprite in self.joined if self.group in sprite.groups()]
        self.joined = stayed + [sprite for sprite in self.group.sprites() if sprite not in stayed]

    def do(self, what: str, number: int, amount: int) -> None:  # noqa: C901, PLR0912 - a table of acts
        if what == "spawn" or not self.joined:
            self._system.spawn(self._prefab, (8 * number, 20 + amount), amount * 20)
            return
        sprite = self.joined[number % len(self.joined)]
        if what == "plain":
            plain: Any = pygame.sprite.Sprite(self.group)
            plain.image, plain.rect = IMAGES[1], IMAGES[1].get_rect(topleft=(number * 5, amount))
        elif what == "kill":
            sprite.kill()
        elif what == "drop":
            self.group.remove(sprite)
        elif what == "again":  # so that a part has joined before what it is a part of
            above = _grouped_ancestor(sprite)
            sprite = sprite if above not in self.joined else above
            self.joined.remove(sprite)
            self.group.remove(sprite)
            self.group.add(sprite)
        elif what in {"part", "member"}:
            self.add_part(sprite, number, amount, is_member=what == "member")
        elif what == "ride":
            if isinstance(sprite, PooledSprite) and sprite.rect is not None:
                self._system.spawn(Card, (8 * number, 20), parent=sprite)
        elif what == "get off":
            for child in getattr(sprite, "children", ()):
                if self._system.is_spawned(child):
                    sprite.release_child(child)
        elif what == "hide":
            for part in getattr(sprite, "children", ()):
                part.kill()
        elif what == "layer":
            if self.is_layered:
                self.group.change_layer(sprite, amount)
        else:
            CHANGES[what](sprite, number, amount)

    def add_part(self, sprite: Any, number: int, amount: int, *, is_member: bool) -> None:
        """Add a part to a sprite, or to what is attached to it; a member of the group or not."""
        while amount % 3 and list(getattr(sprite, "children", ())):
            sprite, amount = sprite.children[0], amount + 1
        if isinstance(sprite, PooledSprite) and sprite.rect is not None:
            part = sprite.add_child(Card(IMAGES[number % 3]), (amount, 4), below=number > 4)
            if is_member:
                part.layer = number % 2
                part.add(self.group)

    def naive_order(self, key: Callable[[Any], Any]) -> list[Any]:
        """Return what is drawn: members, with what hangs on them; parts above what they are of."""
        ordered = sorted(self.joined, key=key)

        def place(sprite: Any) -> int:
            index, above = ordered.index(sprite), _grouped_ancestor(sprite)
            is_moved = above in ordered and key(above) == key(sprite)
            return max(index, place(above)) if is_moved else index

        def drawn(sprite: Any) -> list[Any]:
            late = [
                e for e in ordered if _grouped_ancestor(e) is sprite and place(e) > ordered.index(e)
            ]
            return [*_with_attached(sprite), *(follower for one in late for follower in drawn(one))]

        return [e for one in ordered if place(one) == ordered.index(one) for e in drawn(one)]

    def draw_naively(
        self, surface: pygame.Surface, key: Callable[[Any], Any], offset: Any, flags: int
    ) -> list[pygame.Rect]:
        """Draw all on a surface; return where."""
        return [
            surface.blit(sprite.image, sprite.rect.move(*offset), special_flags=flags)
            for sprite in self.naive_order(key)
            if sprite.image is not None and sprite.rect is not None
        ]


ACTS += CHANGES


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=80)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(ACTS),
            st.integers(0, 7),
            st.integers(-4, 9),
        ),
        min_size=5,
        max_size=40,
    ),
    offset=st.sampled_from([(0, 0), (3, 0), (0, -2), (-4.5, 0.25), None]),
    flags=st.sampled_from([0, 0, pygame.BLEND_ADD, pygame.BLEND_RGBA_MULT]),
    clears=st.sampled_from(["", "from the start", "from the second frame", "by a function"]),
)
@example([("spawn", 0, 0), ("member", 0, 0), ("again", 0, 0), ("kill", 0, 0)], None, 0, "")
@example([("spawn", 0, 0), ("member", 0, 0), ("member", 0, 1)] + 3 * [("again", 1, 0)], None, 0, "")
def test_a_group_draws_what_the_naive_way_draws_after_any_changes(
    order: str,
    steps: list[tuple[str, int, int]],
    offset: tuple[float, float] | None,
    flags: int,
    clears: str,
) -> None:
    layers, naive_key = ORDERS[order]
    scene = Scene(layers)
    if clears == "from the start":
        scene.group.clear(screen(), screen())
    for number, step in enumerate(steps):
        surface, expected = screen(), screen()
        assert scene.group.draw(surface, offset, special_flags=flags) == []
        areas = scene.draw_naively(expected, naive_key, offset or (0, 0), flags)
        assert pixels(surface) == pixels(expected)
        assert scene.group.sprites() == scene.joined
        scene.change(*step)  # what was drawn may be dead or elsewhere when it is erased
        if clears:
            surface.fill("white")  # for whatever the game has drawn since
            expected.fill("white")
            if number == 0 and clears != "from the start":
                areas = [surface.get_rect()]
            for area in areas:
                erase(expected, area)
            scene.group.clear(surface, erase if clears == "by a function" else screen())
            assert pixels(surface) == pixels(expected)


def test_a_copy_of_a_group_draws_in_the_same_order() -> None:
    one, two = Card(IMAGES[1]), Card(IMAGES[2])
    one.layer = 5
    for group, color in (
        (PooledGroup(one, [two], layers=True), "blue"),
        (PooledGroup(one, two), "gold"),
    ):
        for drawing in (group, group.copy()):
            surface = screen()
            drawing.draw(surface)
            assert surface.get_at((7, 7)) == pygame.Color(color)


class Blinking(Card):
    def update(self, dt: float) -> None:
        self.image = IMAGES[1 if dt else 2]


class Flagged(Card):
    def __init__(self) -> None:
        super().__init__()
        self.add_child(Blinking(), (0, -4))


@pytest.mark.parametrize(
    ("offset", "layers"), [((0, 0), False), ((2.5, -1), True), ((2.5, -1), bottom_of)]
)
@unmeasured()
def test_frames_in_which_sprites_move_come_and_go_call_no_collector(
    system: PoolingSystem, offset: tuple[float, float], layers: Any
) -> None:
    group = PooledGroup[Any](layers=layers)
    prefab = Prefab(Flagged, groups=[group])
    alive = system.spawn_many(prefab, [(number % 60, number % 40) for number in range(1200)])
    for number, sprite in enumerate(alive):
        if layers:
            group.change_layer(sprite, number * 7 % 5)
        sprite.rotation = number
    surface = screen()

    def frame() -> None:
        for sprite in alive[100:500]:
            sprite.rotation += 1
        for sprite in alive[:20]:
            sprite.kill()
        alive[:20] = [system.spawn(prefab, (number, 5)) for number in range(20)]
        for sprite in alive[::3]:
            sprite.rect.y += 1 if sprite.rect.y < 30 else -20
        alive[30].image = None if alive[30].image is not None else IMAGES[0]
        group.update(0.1)
        group.draw(surface, offset)

    for _ in range(90):
        frame()
    gc.collect()
    for _ in range(40):  # a collection empties Python's lists of free objects: they fill again
        frame()
    before, blocks = gc.get_stats(), sys.getallocatedblocks()
    for _ in range(40):
        frame()
    assert gc.get_stats() == before
    assert sys.getallocatedblocks() - blocks < 200  # of 800 lives
    ghost = weakref.ref(alive[0])
    system.reset()
    alive.clear()
    del sprite
    assert ghost() is None


def test_a_rect_that_is_empty_once_a_sprite_is_built_takes_the_size_of_its_image() -> None:
    class Bomb(PooledSprite):
        anchor = "midbottom"

        def __init__(self) -> None:
            super().__init__()
            self.image = pygame.Surface((12, 8))

    system = PoolingSystem()
    assert tuple(system.spawn(Bomb, (50, 50)).rect) == (44, 42, 12, 8)
    (bomb := Bomb()).position = (50, 50)
    system.adopt(Bomb, bomb)
    assert tuple(bomb.rect) == (44, 42, 12, 8)  # it grows where it is
