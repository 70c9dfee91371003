"""What hostile readers found: each as a sentence, so that it is not found again."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)


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


class Ghost(IPoolableComponent):
    """Neither sprite nor body."""

    def spawned(self) -> None: ...


def test_k03_a_copied_prefab_is_the_prefab() -> None:
    orc = Prefab(PooledSprite, name="orc")
    assert copy.copy(orc) is orc
    assert copy.deepcopy({"level": [orc]}) == {"level": [orc]}


def test_p03_a_spawn_never_recycles_its_own_parent_nor_what_that_hangs_under(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Ghost, name="orc", settings=PoolSettings(limit=3, overflow=RecycleOldest()))
    grandparent = system.spawn(orc)
    parent = system.spawn(orc, parent=grandparent)
    other = system.spawn(orc)
    child = system.spawn(orc, parent=parent)
    assert child is other
    assert system.is_spawned(grandparent)
    assert system.is_spawned(parent)


def test_order6_nothing_is_spawned_under_a_hidden_part(system: PoolingSystem) -> None:
    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.hand = PooledSprite()
            self.add_child(self.hand, (5, 0))

    orc = system.spawn(Orc)
    orc.hand.kill()
    with pytest.raises(PoolError, match="which is hidden"):
        system.spawn(PooledSprite, parent=orc.hand)
    assert system.pool(PooledSprite).active_count == 0


def test_k07_is_spawned_asks_the_instance_not_a_list(system: PoolingSystem) -> None:
    many = system.spawn_many(Ghost, [(0, 0)] * 50)
    assert all(system.is_spawned(each) for each in many)
    system.despawn(many[7])
    assert not system.is_spawned(many[7])
    assert not system.is_spawned(Ghost())
    # Any object may be asked about, hashable or not.
    assert not system.is_spawned([])
    assert not system.is_spawned(None)
