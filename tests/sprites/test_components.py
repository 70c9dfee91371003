"""Components: attached at any moment, hooks in order, and gone without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import IPoolableComponent, PooledSprite, PoolingSystem
from recorder import Noted

if TYPE_CHECKING:
    from poolkit import PoolingSystem

IMAGE = pygame.Surface((4, 4))


class Host(PooledSprite):
    """Does in each of its hooks what a test wants."""

    def __init__(self) -> None:
        super().__init__(IMAGE)

    def awake(self) -> None:
        self.do_awake()

    def spawned(self) -> None:
        self.do_spawned()

    def despawned(self) -> None:
        self.do_despawned()

    def do_awake(self) -> None:
        """Do nothing, unless a test overrides it."""

    def do_spawned(self) -> None:
        """Do nothing, unless a test overrides it."""

    def do_despawned(self) -> None:
        """Do nothing, unless a test overrides it."""


# -- U13: at every moment ------------------------------------------------------------------------


def test_u13_a_component_added_in_awake_is_woken_at_once_and_spawned_in_order(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Waking(Host):
        def do_awake(self) -> None:
            self.add_component(Noted(log, "early", -1))
            log.append("host.awake")

        def do_spawned(self) -> None:
            log.append("host.spawned")

    system.prespawn(Waking, 1)
    assert log == ["early.awake", "host.awake"]
    system.spawn(Waking)
    assert log[2:] == ["early.spawned", "host.spawned"]


@pytest.mark.parametrize("order", [-1, 1])
def test_u13_a_component_added_in_a_spawned_hook_begins_at_once_and_ends_with_the_life(
    system: PoolingSystem, order: int
) -> None:
    log: list[str] = []

    class Late(Host):
        def do_spawned(self) -> None:
            if not self.components:
                self.add_component(Noted(log, order=order))
            log.append("host.spawned")

    late = system.spawn(Late)
    assert log == ["c.awake", "c.spawned", "host.spawned"]
    late.kill()
    assert log[3:] == ["c.despawned"]
    system.spawn(Late)
    assert sorted(log[4:]) == ["c.spawned", "host.spawned"]


def test_u13_a_component_added_late_may_name_where_the_sprite_is(system: PoolingSystem) -> None:
    seen = []

    class Asks(IPoolableComponent):
        def spawned(self, position: Any, rotation: float, parent: Any, speed: int = 3) -> None:
            seen.append((position, rotation, parent, speed))

    king = system.spawn(Host)
    orc = system.spawn(Host, (3, 4), rotation=90, parent=king)
    orc.add_component(Asks())
    assert seen == [((3, 4), 90, king, 3)]


def test_order4_a_late_component_whose_spawned_raises_ends_as_in_a_failing_spawn(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Bad(Noted):
        def spawned(self) -> None:
            super().spawned()
            raise ZeroDivisionError

    orc = system.spawn(Host)
    bad = Bad(log)
    with pytest.raises(ZeroDivisionError):
        orc.add_component(bad)
    assert log == ["c.awake", "c.spawned", "c.despawned", "c.destroyed"]
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


def test_a_removed_component_is_despawned_and_destroyed_and_free_again(
    system: PoolingSystem,
) -> None:
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
    inactive = orc.add_component(Noted(log, "d"))
    orc.remove_component(inactive)
    assert log == ["d.awake", "d.destroyed"]


# -- update --------------------------------------------------------------------------------------


def test_update_reaches_components_until_one_ends_the_life(system: PoolingSystem) -> None:
    calls = []

    class Ticks(IPoolableComponent):
        def __init__(self, name: str, *, deadly: bool = False, back: bool = False) -> None:
            self.name, self.deadly, self.back = name, deadly, back

        def update(self, dt: float, *, slow: bool = False) -> None:
            calls.append((self.name, dt, slow))
            if self.deadly:
                self.sprite.kill()
            if self.back:
                system.spawn(Host)

    orc = system.spawn(Host)
    orc.add_component(Ticks("a"))
    deadly = orc.add_component(Ticks("b"))
    orc.add_component(Ticks("c"))
    orc.update(0.1, slow=True)
    assert calls == [("a", 0.1, True), ("b", 0.1, True), ("c", 0.1, True)]
    calls.clear()
    deadly.deadly = True
    orc.update(0.1)
    assert [name for name, *_ in calls] == ["a", "b"]
    calls.clear()
    deadly.back = True
    assert system.spawn(Host) is orc
    orc.update(0.1)
    assert orc.active  # in a new life, which is not updated in the old one's pass
    assert [name for name, *_ in calls] == ["a", "b"]
    orc.remove_component(deadly)
    calls.clear()
    orc.update(0.1)
    assert [name for name, *_ in calls] == ["a", "c"]


class Part(IPoolableComponent):
    """Writes down its calls; equal to every other part."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part)

    __hash__ = None  # type: ignore[assignment]

    def spawned(self) -> None:
        self.log.append("spawned")

    def despawned(self) -> None:
        self.log.append("despawned")

    def destroyed(self) -> None:
        self.log.append("destroyed")


@pytest.mark.parametrize("data", [{}, {"rush": True}])
def test_u13_a_component_removed_by_a_spawned_hook_is_not_called_any_more(
    system: PoolingSystem, data: dict[str, Any]
) -> None:
    log: list[str] = []

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.part = self.add_component(Part(log))

        def spawned(self, *, rush: bool = False) -> None:
            del rush
            if self.components:
                self.remove_component(self.part)

    orc = system.spawn(Orc, **data)
    assert orc.active
    assert log == ["destroyed"]


def test_u13_a_component_removed_by_a_despawned_hook_is_not_called_any_more(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.part = self.add_component(Part(log))
            self.add_component(Remover())

    class Remover(IPoolableComponent):
        execution_order = 5  # so first at the despawn

        def despawned(self) -> None:
            self.sprite.remove_component(self.sprite.part)

    orc = system.spawn(Orc)
    assert system.despawn(orc)
    assert log == ["spawned", "destroyed"]
    assert system.spawn(Orc) is orc
