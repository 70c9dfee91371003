"""PooledGroup updates only the living; the quick ways into groups mean what pygame's own mean."""

from __future__ import annotations

import weakref
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab
from recorder import Orc, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable


def screen() -> pygame.Surface:
    return pygame.Surface((64, 48))


class Low(PooledSprite):
    anchor = "midbottom"


class Bare(pygame.sprite.Sprite):
    """Has a rect, and no position."""


PLACES = st.tuples(st.integers(-9, 9), st.integers(-9, 9))


@given(st.lists(st.tuples(st.sampled_from([Low, PooledSprite, Bare]), PLACES)), PLACES)
def test_near_has_all_members_within_a_radius_by_their_distance(
    placed: list[tuple[Any, tuple[int, int]]], point: tuple[int, int]
) -> None:
    group: PooledGroup[Any] = PooledGroup(PooledSprite(None))
    system, places = PoolingSystem(), dict[Any, Any]()
    for kind, (x, y) in placed:
        sprite = kind(group)
        sprite.rect = pygame.FRect(x, y, 2, 4)
        places[sprite] = (x + 1, y + 4) if kind is Low else (x + 1, y + 2)
    rider = system.spawn(Low, (0, 0), groups=[group], parent=(mount := system.spawn(Low)))
    mount.rect.move_ip(3, 0)  # what follows it is moved before anything is measured
    places[rider] = (3, 0)
    group.remove(group.sprites()[0])
    here = pygame.Vector2(point)
    by_distance = sorted(places, key=lambda sprite: here.distance_to(places[sprite]))
    assert group.near(point) == by_distance
    assert group.near(here, 5) == [s for s in by_distance if here.distance_to(places[s]) <= 5]


# -- updating ------------------------------------------------------------------------------------


class Play:
    """Sprites with parts, and plain ones, which do to each other in `update` what is written."""

    def __init__(self, reuse: Any, script: dict[int, list[tuple[str, int]]]) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.cast: list[Any] = []
        self.script = {number: list(acts) for number, acts in script.items()}
        self.group = PooledGroup()
        self.system = PoolingSystem()
        self.system.configure(reuse=reuse)
        play = self

        class Actor(PooledSprite):
            def __init__(self, hands: int = 0) -> None:
                super().__init__()
                play.cast.append(self)
                if hands:
                    hand = self.add_child(Actor(hands - 1), (1, 1))
                    self.add_child(PooledSprite(), (0, 0)).add_child(Mask(), (2, 2))
                    hand.add_child(Mask(), (0, 0), below=True)
                    play.cast.append(hand.add_child(PooledSprite(), (0, 0)))

            def update(self, *args: Any, **kwargs: Any) -> None:
                play.updated(self, args, kwargs)

        class Extra(pygame.sprite.Sprite):
            update = Actor.update

        class Mask(PooledSprite):
            """Nothing but its component is updated."""

            def __init__(self) -> None:
                super().__init__()
                play.cast.append(self)
                self.add_component(SimpleNamespace(update=partial(Actor.update, self)))  # type: ignore[arg-type]

        settings = PoolSettings(order="lifo")  # who died last is the first to live again
        groups = [self.group, PooledGroup()]
        self.prefab = Prefab(lambda: Actor(2), groups=groups, settings=settings)
        self.rider = Prefab(Actor, settings=settings)
        for _ in range(2):
            self.system.spawn(self.prefab)
            self.cast.append(Extra(self.group))

    def updated(self, sprite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        number = self.cast.index(sprite)
        self.log.append((number, args, kwargs))
        if self.script.get(number):
            what, who = self.script[number].pop(0)
            above = getattr(sprite, "parent", None)
            self.perform(what, self.cast.index(above) if who < 0 and above in self.cast else who)

    def perform(self, what: str, number: int) -> None:  # noqa: C901, PLR0912 - a table of acts
        sprite = self.cast[number % len(self.cast)]
        is_alive = getattr(sprite, "active", True)
        is_pooled = is_alive and isinstance(sprite, PooledSprite)
        if what == "kill":
            sprite.kill()
        elif what == "begin":
            self.system.spawn(self.prefab)
        elif what == "swap":
            sprite.kill()
            self.system.spawn(self.prefab)
        elif what == "leave":
            self.group.remove(sprite)
        elif what == "detach":
            if is_pooled and self.system.is_spawned(sprite):
                self.system.detach(sprite)
        elif what == "ride":
            if is_pooled:
                self.system.spawn(self.rider, parent=sprite)
        elif what == "learn":
            if is_pooled:
                learnt = partial(self.updated, sprite)
                sprite.add_component(SimpleNamespace(update=lambda *a, **k: learnt(a, k)))
        elif what == "get off":
            for child in getattr(sprite, "children", ()):
                if self.system.is_spawned(child):
                    sprite.release_child(child)
        elif is_alive:
            if what == "to the end":
                self.group.remove(sprite)
            self.group.add(sprite)

    def naive_update(self, *args: Any, **kwargs: Any) -> None:
        """Update members, and after each what hung on it before all of this and still does."""
        for sprite, parts in [(sprite, attached_to(sprite)) for sprite in self.group]:
            if sprite in self.group:
                sprite.update(*args, **kwargs)
            for part in parts:
                if sprite in self.group and part in attached_to(sprite):
                    part.update(*args, **kwargs)


def attached_to(sprite: Any) -> list[PooledSprite]:
    """Return what is seen with a sprite, each after what it hangs on."""
    found = []
    for child in getattr(sprite, "children", ()):
        if not (child.groups() or child._link.is_hidden):
            found += [child, *attached_to(child)]
    return found


ACTS = ["kill", "kill", "begin", "swap", "leave", "detach", "to the end", "join", "ride", "get off"]


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@settings(max_examples=150)
@given(data=st.data(), cleared=st.booleans())
def test_update_reaches_whom_the_naive_way_reaches_whoever_comes_and_goes(
    reuse: str,
    data: st.DataObject,
    cleared: bool,  # noqa: FBT001 - one of the cases
) -> None:
    act = st.tuples(st.sampled_from(ACTS), st.integers(-9, 15))  # below 0: on what one hangs on
    script = data.draw(st.dictionaries(st.integers(0, 15), st.lists(act, max_size=3)))
    ours, naive = Play(reuse, script), Play(reuse, script)
    if cleared:
        ours.group.clear(screen(), screen())
        ours.group.draw(screen())
    arguments: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((0.1,), {}),
        ((0.1, "more"), {}),
        ((0.1,), {"fast": True}),
    ]
    for args, kwargs in arguments:
        ours.group.update(*args, **kwargs)
        naive.naive_update(*args, **kwargs)
        assert ours.log == naive.log
        for play in (ours, naive):
            play.system.update(0.1)
            assert play.group.lostsprites == []
        if cleared:
            ours.group.draw(screen())
            ours.group.clear(screen(), screen())


# -- in and out of groups ------------------------------------------------------------------------


def new_group(*sprites: Any) -> Any:
    """Return a plain group of pygame's."""
    return pygame.sprite.Group(*sprites)


class Counting(pygame.sprite.Group):  # type: ignore[type-arg]
    """A game's own group, which must see every joining and leaving."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        self.log.append("add")
        super().add_internal(sprite, layer)

    def remove_internal(self, sprite: Any) -> None:
        self.log.append("remove")
        super().remove_internal(sprite)


class OnlyRemoves(pygame.sprite.Group):  # type: ignore[type-arg]
    """Overrides one of the two."""

    log: Any = ()

    def remove_internal(self, sprite: Any) -> None:
        self.log += ("remove",)
        super().remove_internal(sprite)


KINDS: list[Any] = [
    pygame.sprite.Group,
    PooledGroup,
    pygame.sprite.RenderUpdates,
    pygame.sprite.LayeredUpdates,
    pygame.sprite.GroupSingle,
    Counting,
    OnlyRemoves,
]


def _facts(group: Any) -> tuple[object, ...]:
    """Return all that a group knows about its sprites, without naming them."""
    return (
        len(group),
        list(group.spritedict.values()),
        list(group.lostsprites),
        list(getattr(group, "log", ())),
    )


class Part(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((4, 4)))


class Stage:
    """A sprite, its home groups, and what can happen to them: by the plain or the quick ways."""

    def __init__(self, kinds: list[int], others: int, *, quick: bool) -> None:
        self.homes = [KINDS[kind]() for kind in kinds]
        self.groups = [*self.homes, new_group()]
        for group in self.homes:
            for _ in range(others):
                group.add(PooledSprite(pygame.Surface((2, 2))))
        self.pool = PoolingSystem().pool(Prefab(Part, groups=self.homes))
        self.pool.prespawn(1)
        self.record: Any = next(iter(self.pool._records))
        self.sprite = self.record.instance
        self.go_in: Callable[..., object] = self.record.enter if quick else self.enter_plainly
        self.go_out: Callable[[], object] = self.record.leave if quick else self.kill
        self.surface, self.background = pygame.Surface((60, 60)), pygame.Surface((60, 60))
        self.is_in = False

    def enter_plainly(self, x: float, y: float, rotation: float) -> None:
        self.record.enter(0.0, 0.0, 0.0, joins=False)
        self.sprite.rect.center = x, y
        self.sprite.rotation = rotation
        self.sprite.add(*self.homes)

    def enter(self, x: int, rotation: float) -> None:
        if not self.is_in:
            self.kill()
            self.go_in(float(x), 2.5, rotation)
        self.is_in = True

    def leave(self) -> None:
        if self.is_in:
            self.go_out()
        self.is_in = False

    def kill(self) -> None:
        pygame.sprite.Sprite.kill(self.sprite)

    def draw(self) -> None:
        for group in self.homes:
            group.draw(self.surface)

    def clear(self) -> None:
        for group in self.homes:
            group.clear(self.surface, self.background)

    def join(self, number: int) -> None:
        self.groups[number % len(self.groups)].add(self.sprite)

    def part(self, number: int) -> None:
        self.groups[number % len(self.groups)].remove(self.sprite)

    def facts(self) -> list[object]:
        sprite = self.sprite
        return [
            *map(_facts, self.groups),
            sorted(self.groups.index(group) for group in sprite.groups()),
            (sprite.rect.topleft, sprite.rect.size, sprite.rotation),
        ]


@settings(max_examples=200)
@given(
    kinds=st.lists(st.sampled_from(range(len(KINDS))), max_size=4),
    others=st.integers(0, 2),
    script=st.lists(
        st.one_of(
            st.tuples(
                st.just("enter"), st.sampled_from([-50, 9]), st.sampled_from([0.0, 90.0, 30.5])
            ),
            st.tuples(st.sampled_from(["leave", "draw", "clear", "kill"])),
            st.tuples(st.sampled_from(["join", "part"]), st.integers(0, 3)),
        ),
        max_size=12,
    ),
)
def test_quick_ways_agree_with_their_plain_twins(
    kinds: list[int], others: int, script: list[tuple[Any, ...]]
) -> None:
    plain, quick = (Stage(kinds, others, quick=quick) for quick in (False, True))
    for action, *arguments in script:
        for stage in (plain, quick):
            getattr(stage, action)(*arguments)
        assert plain.facts() == quick.facts()


class Plain(pygame.sprite.Sprite):
    """No sprite of poolkit's."""


class Family(PooledSprite):
    """Has a part, and a component."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))
        self.add_child(PooledSprite(pygame.Surface((4, 4))), (1, 1))
        self.add_component(Recorder())


class Turned(PooledSprite):
    """Is turned in each life."""

    def spawned(self) -> None:
        self.rotation = 45


WAYS_IN: list[Callable[[Any, Any], object]] = [
    lambda sprite, group: group.add(sprite),
    lambda sprite, group: sprite.add(group),
    lambda sprite, group: group.add([sprite]),
    lambda sprite, group: (group.add(sprite), sprite._rotate_image(30)),
]


@pytest.mark.parametrize("way", WAYS_IN)
@pytest.mark.parametrize("strange", [pygame.sprite.Group, PooledGroup, Counting])
@pytest.mark.parametrize("kind", [PooledSprite, Turned, Family, Plain])
def test_what_was_put_into_a_group_after_its_life_leaves_it_as_the_next_begins(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    way: Callable[[Any, Any], object],
    strange: Any,
    kind: Any,
) -> None:
    if kind is Plain and way is WAYS_IN[3]:
        pytest.skip("a plain sprite has no rotation")
    home, group = new_group(), strange()
    prefab = Prefab(kind, groups=[home])
    for _ in range(2):
        sprite = system.spawn(prefab, (3, 4))
        assert sprite.groups() == [home]
        assert kind is Plain or sprite.rect.center == (3, 4)
        system.despawn(sprite)
        way(sprite, group)
        assert sprite in group
    system.spawn(prefab)
    assert len(group) == 0
    said = [words for words in caplog.messages if "#0001 was still in [" in words]
    assert len(said) == 1  # once a prefab


SPRITE_KINDS = [PooledSprite, Family, Plain]


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("kind", [Recorder, Orc, *SPRITE_KINDS])
@pytest.mark.parametrize("grouped", [True, False])
def test_a_destroyed_instance_is_freed_without_the_collector_whoever_has_a_handle(
    system: PoolingSystem, kind: Any, *, grouped: bool
) -> None:
    prefab = Prefab(kind, groups=[new_group()] if grouped and kind in SPRITE_KINDS else [])
    sprite = system.spawn(prefab)
    handle, ghost = system.handle(sprite), weakref.ref(sprite)
    system.despawn(sprite)
    assert system.spawn(prefab) is sprite
    timers = system.scope(sprite)
    timers.after(0.1, lambda: None)  # is over soon
    timers.after(9, lambda: None)()  # cancelled
    timers.after(9, lambda: None)
    timers.every(0.1, lambda: None)
    system.update(0.2)
    del sprite, timers
    system.reset()
    assert ghost() is None
    assert not handle


# -- off the screen --------------------------------------------------------------------------------


class Flying(PooledSprite):
    """Has a shield, a shadow in a group of its own, and ends another life when its own is over."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.add_child(PooledSprite(pygame.Surface((50, 50))), (200, 0))
        self.shadow = self.add_child(PooledSprite(pygame.Surface((5, 5)), group), (900, 0))

    def spawned(self, shape: pygame.FRect, takes: PooledSprite | None = None) -> None:
        self.rect.update(shape)
        self.takes = takes

    def despawned(self) -> None:
        if self.takes is not None:
            self.takes.kill()


class Wreck(pygame.sprite.Sprite):
    """A plain sprite."""

    rect: Any = None


edges = st.integers(-40, 140)
sizes = st.sampled_from([0, 1, 30, 60])
shapes = st.builds(pygame.FRect, edges, edges, sizes, sizes)


@given(
    shapes=st.lists(
        st.tuples(shapes, st.sampled_from(["pooled", "takes", "on it", "managed", "plain", "none"]))
    ),
    area=st.builds(pygame.Rect, st.integers(0, 20), st.just(5), st.just(80), st.integers(60, 80)),
    moved=st.sampled_from([0, 30]),
)
def test_what_has_left_an_area_wholly_is_ended_and_nothing_else(
    shapes: list[tuple[pygame.FRect, str]], area: pygame.Rect, moved: int
) -> None:
    system, group = PoolingSystem(), PooledGroup()
    flying, wreck = Prefab(lambda: Flying(group)), Prefab(Wreck)
    sprites: list[Any] = []
    above: dict[Any, Any] = {}  # whose life ends with whose
    for shape, kind in shapes:
        if kind in {"managed", "plain", "none"}:
            made = system.spawn(wreck) if kind == "managed" else Wreck()
            made.rect = None if kind == "none" else shape.copy()
            made.add(group)
            sprites.append(made)
            continue
        last = next((one for one in sprites[::-1] if isinstance(one, Flying)), None)
        takes, parent = (last if kind == word else None for word in ("takes", "on it"))
        sprites.append(
            system.spawn(flying, groups=[group], shape=shape, takes=takes, parent=parent)
        )
        above |= {takes: sprites[-1]} if takes and takes not in above else {}
        above |= {sprites[-1]: parent} if parent else {}
    left = []
    for sprite, (shape, kind) in zip(sprites, shapes, strict=True):
        if sprite.rect is not None and getattr(sprite, "parent", None) is None:
            sprite.rect.move_ip(moved, 0)  # and what is on it follows
        shape.move_ip(moved, 0)
        is_beside = shape.right <= area.left or shape.left >= area.right
        is_above = shape.bottom <= area.top or shape.top >= area.bottom
        is_point = not shape.w or not shape.h
        is_gone = not area.collidepoint(shape.center) if is_point else is_beside or is_above
        if kind != "none" and is_gone:
            left.append(sprite)
    assert group.despawn_outside(area) == len(left)
    for sprite, (_, kind) in zip(sprites, shapes, strict=True):
        one, is_ended = sprite, False
        while one is not None and not is_ended:
            is_ended = one in left
            one = above.get(one)
        assert (sprite in group) is not is_ended
        if isinstance(sprite, Flying):
            assert (sprite.shadow in group) is not is_ended
        if kind not in {"plain", "none"}:
            assert system.is_spawned(sprite) is not is_ended
