"""Components: attached at any moment, hooks in order, and gone without a trace."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import IPoolableComponent, PooledSprite, PoolingSystem, Prefab
from recorder import Noted, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = pygame.Surface((4, 4))


class Host(PooledSprite):
    """A sprite that components are given to."""

    def __init__(self, *components: IPoolableComponent) -> None:
        super().__init__(IMAGE)
        for component in components:
            self.add_component(component)


# -- added to what is in play --------------------------------------------------------------------


def test_u13_a_component_added_late_may_name_where_the_sprite_is(system: PoolingSystem) -> None:
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
def test_u13_order4_a_late_component_whose_hook_raises_ends_as_in_a_failing_spawn(
    system: PoolingSystem, hook: str, ran: list[str]
) -> None:
    log: list[str] = []
    orc = system.spawn(Prefab(Host, name="orc"))
    bad = Noted(log, acts={hook: raising(ZeroDivisionError())})
    with pytest.raises(ZeroDivisionError) as caught:
        orc.add_component(bad)
    assert caught.value.__notes__ == [f"in Noted.{hook} of orc #0001"]
    assert log == [f"c.{each}" for each in ran]
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
    with pytest.raises(LookupError, match="it has none"):
        system.spawn(Host).get_component(Health)


def test_a_removed_component_is_despawned_destroyed_and_free_again(system: PoolingSystem) -> None:
    log: list[str] = []
    orc, other = system.spawn(Host), system.spawn(Host)
    component = orc.add_component(Noted(log))
    orc.remove_component(component)
    assert log == ["c.awake", "c.spawned", "c.despawned", "c.destroyed"]
    assert orc.components == ()
    with pytest.raises(AttributeError, match="attached to no sprite"):
        _ = component.sprite
    other.add_component(component)
    log.clear()
    orc.kill()
    assert log == []
    orc.remove_component(orc.add_component(Noted(log)))  # while it is inactive
    assert log == ["c.awake", "c.destroyed"]


# -- update --------------------------------------------------------------------------------------


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
        return [each for each in log if " " in each]

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
def test_u13_a_component_removed_by_anothers_hook_is_not_called_any_more(
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


@pytest.mark.parametrize("act", [_and_kill, _and_raise])
def test_12_3_what_was_spawned_before_a_component_took_itself_off_is_despawned(
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
def test_12_4_a_component_taken_off_whose_hook_ends_the_life_is_despawned_once(
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
