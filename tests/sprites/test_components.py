"""Components, `awake` and groups: what comes at any moment holds in every life from then on."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from physics_kit import Ball
from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolingSystem, Prefab
from recorder import Noted, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.physics import PhysicsWorld


IMAGE = pygame.Surface((4, 4))


class Host(PooledSprite):
    """A sprite that components are given to."""

    def __init__(self, *components: IPoolableComponent) -> None:
        super().__init__(IMAGE)
        for component in components:
            self.add_component(component)


# -- added to what is in play --------------------------------------------------------------------


def test_a_component_added_late_may_name_where_the_sprite_is(system: PoolingSystem) -> None:
    seen = []

    class Asks(IPoolableComponent):
        def spawned(self, position: Any, rotation: float, parent: Any, speed: int = 3) -> None:
            seen.append((position, rotation, parent, speed))

    king = system.spawn(Host)
    orc = system.spawn(Host, (3, 4), rotation=90, parent=king)
    orc.add_component(Asks())
    assert seen == [((3, 4), 90, king, 3)]


@pytest.mark.parametrize(
    ("hook", "ran"),
    [("awake", ["awake"]), ("spawned", ["awake", "spawned", "despawned", "destroyed"])],
)
def test_a_late_component_whose_hook_raises_ends_as_in_a_failing_spawn(
    system: PoolingSystem, hook: str, ran: list[str]
) -> None:
    log: list[str] = []
    orc = system.spawn(Prefab(Host, name="orc"))
    bad = Noted(log, acts={hook: raising(ZeroDivisionError())})
    with pytest.raises(ZeroDivisionError) as caught:
        orc.add_component(bad)
    assert caught.value.__notes__ == [f"in Noted.{hook} of orc #0001"]
    assert log == [f"c.{hook}" for hook in ran]
    assert orc.components == ()
    Host().add_component(bad)  # free again


# -- finding and removing ------------------------------------------------------------------------


class Health(IPoolableComponent):
    pass


class Shield(Health):
    pass


def test_components_are_found_by_type(system: PoolingSystem) -> None:
    orc = system.spawn(Host)
    health, shield = orc.add_component(Health()), orc.add_component(Shield())
    note = orc.add_component("any object may be one")
    assert orc.components == (health, shield, note)
    assert orc.get_component(Health) is health
    assert orc.get_component(Shield) is shield
    assert orc.get_components(Health) == (health, shield)
    assert orc.get_components(int) == ()
    with pytest.raises(LookupError, match=r"no component of type Noted; it has Health, Shield"):
        orc.get_component(Noted)


def test_a_removed_component_is_despawned_destroyed_and_free_again(system: PoolingSystem) -> None:
    log: list[str] = []
    orc, other = system.spawn(Host), system.spawn(Host)
    component = orc.add_component(Noted(log))
    orc.remove_component(component)
    assert log == ["c.awake", "c.spawned", "c.despawned", "c.destroyed"]
    assert orc.components == ()
    with pytest.raises(AttributeError, match="isn't attached to a sprite"):
        _ = component.sprite
    other.add_component(component)
    log.clear()
    orc.kill()
    assert log == []
    orc.remove_component(orc.add_component(Noted(log)))  # while it is inactive
    assert log == ["c.awake", "c.destroyed"]


class Ticks(Noted):
    """Notes its updates, and acts in them."""

    def update(self, dt: float, *, slow: bool = False) -> None:
        self.log.append(f"{self.name} {dt} {slow}")
        if "update" in self.acts:
            self.acts["update"](self)


def test_update_reaches_components_until_one_ends_the_life(system: PoolingSystem) -> None:
    log: list[str] = []
    ticks = [Ticks(log, name) for name in "abc"]
    prefab = Prefab(lambda: Host(*ticks))
    orc = system.spawn(prefab)

    def updated(**options: bool) -> list[str]:
        log.clear()
        orc.update(0.1, **options)
        return [line for line in log if " " in line]

    assert updated(slow=True) == ["a 0.1 True", "b 0.1 True", "c 0.1 True"]
    ticks[1].acts["update"] = lambda _: orc.kill()
    assert updated() == ["a 0.1 False", "b 0.1 False"]

    def live_again(_: object) -> None:
        orc.kill()
        system.spawn(prefab)

    ticks[1].acts["update"] = live_again
    assert system.spawn(prefab) is orc
    assert updated() == ["a 0.1 False", "b 0.1 False"]
    assert orc.active  # in a new life, which is not updated in the old one's pass
    orc.remove_component(ticks[1])
    assert updated() == ["a 0.1 False", "c 0.1 False"]


# -- taken off while hooks run -------------------------------------------------------------------


class Alike(Noted):
    """Equal to every other of its kind."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike)

    __hash__ = None  # type: ignore[assignment]


def take_off(component: Noted) -> None:
    """Take a component off the sprite it is attached to."""
    component.sprite.remove_component(component)


def _and_kill(component: Noted) -> None:
    sprite = component.sprite
    take_off(component)
    sprite.kill()


def _and_raise(component: Noted) -> None:
    take_off(component)
    raise ValueError(component.name)


@pytest.mark.parametrize("data", [{}, {"rush": True}])
@pytest.mark.parametrize(("hook", "ran"), [("spawned", []), ("despawned", ["c.spawned"])])
def test_a_component_removed_by_anothers_hook_is_not_called_any_more(
    system: PoolingSystem, hook: str, ran: list[str], data: dict[str, Any]
) -> None:
    log: list[str] = []
    order = -5 if hook == "spawned" else 5  # first at the spawn, or at the despawn
    acts = {hook: lambda remover: [*map(take_off, remover.sprite.components[1:])]}

    class Orc(Host):
        def spawned(self, *, rush: bool = False) -> None:
            del rush

    prefab = Prefab(lambda: Orc(Noted([], "remover", order, acts), Alike(log)))
    orc = system.spawn(prefab, **data)
    assert orc.active
    orc.kill()
    assert log == ["c.awake", *ran, "c.destroyed"]
    assert system.spawn(prefab, **data) is orc


@pytest.mark.parametrize("data", [{}, {"rush": True}])
@pytest.mark.parametrize("hook", ["spawned", "despawned"])
def test_the_hooks_after_one_that_takes_its_component_off_run_all_the_same(
    system: PoolingSystem, hook: str, data: dict[str, Any]
) -> None:
    class Orc(Host):
        execution_order = 9

        def spawned(self, *, rush: bool = False) -> None:
            del rush

    log: list[str] = []
    order = 0 if hook == "spawned" else 5  # first at the spawn, or at the despawn
    parts = [Noted(log, "leaver", order, {hook: take_off}), *[Noted(log, name) for name in "ab"]]
    orc = system.spawn(Prefab(lambda: Orc(*parts)), **data)
    del log[:3]  # they are awake
    orc.kill()
    leaver = ["leaver.despawned", "leaver.destroyed"]
    begun = ["leaver.spawned", *leaver, "a.spawned", "b.spawned"]
    if hook == "despawned":
        begun = ["a.spawned", "b.spawned", "leaver.spawned", *leaver]
    assert log == [*begun, "b.despawned", "a.despawned"]


@pytest.mark.parametrize("act", [_and_kill, _and_raise])
def test_what_was_spawned_before_a_component_took_itself_off_is_despawned(
    system: PoolingSystem, act: Callable[..., object]
) -> None:
    log: list[str] = []
    parts = [Noted(log, "first"), Noted(log, "second", acts={"spawned": act}), Noted(log, "third")]
    raises = pytest.raises(ValueError, match="second") if act is _and_raise else nullcontext()
    with raises:
        assert not system.spawn(Prefab(lambda: Host(*parts))).active
    notes = sorted(note for note in log if "spawned" in note)
    hooks = ("despawned", "spawned")
    assert notes == [f"{name}.{hook}" for name in ("first", "second") for hook in hooks]
    assert_counts(system)


@pytest.mark.parametrize("hook", ["despawned", "destroyed"])
@pytest.mark.parametrize("respawns", [False, True])
def test_a_component_taken_off_whose_hook_ends_the_life_is_despawned_once(
    system: PoolingSystem, hook: str, *, respawns: bool
) -> None:
    log: list[str] = []

    def end(component: Noted) -> None:
        component.acts.clear()
        orc.kill()
        if respawns:
            system.spawn(prefab)

    prefab = Prefab(lambda: Host(Noted(log, "kept")))
    orc = system.spawn(prefab)
    extra = orc.add_component(Noted(log, "extra", acts={hook: end}))
    orc.remove_component(extra)
    ran = [note for note in log if note.startswith("extra.")]
    assert ran == ["extra.awake", "extra.spawned", "extra.despawned", "extra.destroyed"]
    assert log.count("kept.despawned") == 1
    assert len(orc.components) == 1
    assert orc.active is respawns
    system.despawn_all()
    system.spawn(prefab)
    assert log.count("extra.spawned") == 1
    assert_counts(system)


# -- what `awake` does ---------------------------------------------------------------------------


class Joining(PooledSprite):
    """Joins a group when it wakes, and grows."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group

    def awake(self) -> None:
        self.group.add(self)
        self.add_component(Noted([]))
        self.add_child(PooledSprite(), (1, 1))


class PlainJoining(pygame.sprite.Sprite, IPoolableComponent):
    """Does the same, without being a pooled sprite."""

    rect = pygame.FRect(0, 0, 4, 4)

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group

    def awake(self) -> None:
        self.group.add(self)


@pytest.mark.parametrize("kind", [Joining, PlainJoining])
@pytest.mark.parametrize("way", ["at once", "at the first spawn", "adopted"])
def test_groups_that_awake_joins_are_home_groups_left_until_the_first_life(
    system: PoolingSystem, kind: Callable[[Any], Any], way: str
) -> None:
    group, other = PooledGroup(), PooledGroup()
    groups = [] if way == "adopted" else [other]
    late = way == "at the first spawn"
    prefab = Prefab(lambda: kind(group), groups=groups, awake_on_first_spawn=late)
    if way == "adopted":
        one = kind(group)
        other.add(one)
        system.adopt(prefab, one)
        assert set(one.groups()) == {group, other}
        system.despawn(one)
    else:
        system.prespawn(prefab, 2)
    for _ in range(3):
        assert len(group) == len(other) == 0
        one = system.spawn(prefab)
        assert set(one.groups()) == {group, other}
        system.despawn(one)


class Dressing(PooledSprite):
    """Gets its image, size, rotation and layer when it wakes."""

    def awake(self) -> None:
        self.image = pygame.Surface((8, 6))
        self.rect = self.image.get_frect()
        self.rotation = 90
        self.layer = 3


class Knight(Dressing):
    """Has one part from its constructor and one from its `awake`, all dressed late."""

    def __init__(self, group: Any) -> None:
        super().__init__()
        self.group = group
        self.sword = self.add_child(Dressing(), (5, 0))

    def awake(self) -> None:
        super().awake()
        self.shield = self.add_child(Joining(self.group), (-5, 0))


@pytest.mark.parametrize("late", [False, True])
def test_what_awake_makes_of_a_sprite_and_its_parts_is_restored_at_every_spawn(
    system: PoolingSystem, *, late: bool
) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Knight(group), awake_on_first_spawn=late)
    system.prespawn(prefab, 1)
    for _ in range(2):
        assert len(group) == 0
        knight = system.spawn(prefab, (50, 40))
        image: Any = knight.image
        assert image.get_size() == knight.rect.size == knight.sword.rect.size == (8, 6)
        assert (knight.position, knight.rotation, knight.layer) == ((50, 40), 0, 3)
        assert (knight.sword.position, knight.shield.position) == ((55, 40), (45, 40))
        assert knight.shield in group
        knight.image = None
        knight.rect.size = (1, 1)
        knight.kill()
        knight.layer = 9


# -- groups that act -----------------------------------------------------------------------------


class Door(pygame.sprite.Group):  # type: ignore[type-arg]
    """Acts on every sprite that joins it, once it is told what to do."""

    act: Callable[[Any], object] | None = None

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        super().add_internal(sprite, layer)
        if self.act is not None:
            self.act(sprite)


@pytest.mark.parametrize("life", ["the first life", "a later life", "with options"])
@pytest.mark.parametrize("parts", ["none", "one", "one at the door"])
def test_a_life_that_a_group_ends_is_over_before_any_hook(
    system: PoolingSystem, world: PhysicsWorld, life: str, parts: str
) -> None:
    door = Door()
    others: Any = pygame.sprite.Group()
    log: list[str] = []

    class Orc(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.add(others)
            self.add_component(Noted(log))
            if parts != "none":
                part = Ball(world)
                part.add(door if parts == "one at the door" else others)
                self.add_child(part, (50, 0))

    orc = Prefab(Orc, groups=[] if parts == "one at the door" else [door])
    chieftain = system.spawn(Prefab(PooledSprite))
    system.prespawn(orc, 1)
    if life != "the first life":
        system.spawn(orc).kill()
    log.clear()
    door.act = lambda sprite: system.despawn(sprite.parent or sprite)
    options: dict[str, Any] = {"parent": chieftain} if life == "with options" else {}
    first = system.spawn(orc, (3, 4), **options)
    assert (first.active, first.parent, log) == (False, None, [])
    left = [world.space.bodies, world.space.shapes, others, door, chieftain.children]
    assert list(map(len, left)) == [0, 0, 0, 0, 0]
    door.act = None
    second = system.spawn(orc, (5, 6))
    assert (second is first, log) == (True, ["c.spawned"])
    assert len(world.space.bodies) == (1 if parts == "none" else 2)


@pytest.mark.parametrize("moment", ["awake", "door", "spawned", "later"])
def test_a_component_added_at_any_moment_is_spawned_once_and_in_order_from_then_on(
    system: PoolingSystem, moment: str
) -> None:
    log: list[str] = []
    door = Door()

    def add(sprite: Any) -> None:
        if len(sprite.components) == 1:
            sprite.add_component(Noted(log, "late", order=-1))

    acts = {moment: lambda early: add(early.sprite)}
    prefab = Prefab(lambda: Host(Noted(log, "early", acts=acts)), groups=[door])
    system.prespawn(prefab, 1)
    door.act = add if moment == "door" else None
    guest = system.spawn(prefab)
    if moment == "later":
        add(guest)
    late = ["late.awake", "late.spawned"]
    expected = {
        "awake": [*late, "early.spawned"],
        "door": ["late.awake", "early.spawned", "late.spawned"],  # after those that it found
    }.get(moment, ["early.spawned", *late])
    assert log == ["early.awake", *expected]
    guest.kill()
    assert log[4:] == ["early.despawned", "late.despawned"]
    assert system.spawn(prefab) is guest
    assert log[6:] == ["late.spawned", "early.spawned"]
