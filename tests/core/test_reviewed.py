"""What hostile readers found: each as a sentence, so that it is not found again."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import pygame
import pytest

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolError,
    PoolExhaustedError,
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


def test_order3_equal_components_are_told_apart_when_a_life_ends_as_it_begins(
    system: PoolingSystem,
) -> None:
    logs: list[list[str]] = [[], []]

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.late = self.add_component(Part(logs[0]))
            self.late.execution_order = 9

        def spawned(self) -> None:
            self.add_component(Part(logs[1]))
            self.kill()

    system.spawn(Orc)
    assert logs == [[], ["spawned", "despawned"]]


def test_order4_spawn_many_despawns_all_it_made_also_where_that_is_interrupted(
    system: PoolingSystem,
) -> None:
    class Orc(IPoolableComponent):
        born = 0

        def spawned(self) -> None:
            Orc.born += 1
            if Orc.born == 4:
                message = "fourth"
                raise RuntimeError(message)

        def despawned(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(BaseExceptionGroup) as caught:
        system.spawn_many(Orc, [(0, 0)] * 5)
    assert caught.group_contains(RuntimeError, match="fourth")
    assert caught.group_contains(KeyboardInterrupt)
    assert system.pool(Orc).active_count == 0


class Ghost(IPoolableComponent):
    """Neither sprite nor body."""

    def spawned(self) -> None: ...


@pytest.mark.parametrize("kind", [Ghost, PooledSprite, pygame.sprite.Sprite])
def test_p01_a_handle_does_not_keep_a_detached_instance_alive(
    system: PoolingSystem, kind: type
) -> None:
    orc: Any = system.spawn(kind)
    handle = system.handle(orc)
    reference = weakref.ref(orc)
    system.detach(orc)
    del orc
    gc.collect()
    assert reference() is None
    assert not handle


def test_p08_an_instance_that_detaches_itself_in_spawned_is_still_returned(
    system: PoolingSystem,
) -> None:
    class Orc(IPoolableComponent):
        def spawned(self) -> None:
            system.detach(self)

    orc = system.spawn(Orc)
    assert isinstance(orc, Orc)
    assert not system.is_spawned(orc)


def test_p06_what_a_hook_detaches_is_not_counted_as_despawned(system: PoolingSystem) -> None:
    class Orc(IPoolableComponent):
        other: Any = None

        def despawned(self) -> None:
            if self.other is not None:
                system.detach(self.other)

    one, other = system.spawn(Orc), system.spawn(Orc)
    one.other = other
    assert system.despawn_all() == 1


def test_k04_try_spawn_passes_on_a_refusal_that_is_not_its_own(system: PoolingSystem) -> None:
    scarce = Prefab(PooledSprite, name="scarce", settings=PoolSettings(limit=1))
    system.spawn(scarce)
    group: Any = pygame.sprite.Group()

    def groups() -> list[Any]:
        system.spawn(scarce)
        return [group]

    rich = Prefab(PooledSprite, name="rich", groups=groups)
    with pytest.raises(PoolExhaustedError, match="scarce"):
        system.try_spawn(rich)
    assert system.pool(rich).stats.destroyed == 0


def test_u19_data_called_reason_reaches_a_hook_that_takes_all(system: PoolingSystem) -> None:
    class Orc(IPoolableComponent):
        def spawned(self, **data: Any) -> None:
            self.data = data

    orc = system.spawn(Orc, reason="boss", hp=3)
    assert orc.data == {"reason": "boss", "hp": 3}


@pytest.mark.parametrize("groups", [[5], ["monsters"], [None]])
def test_bad_input_groups_that_are_none_cost_no_instance(
    system: PoolingSystem, groups: list[Any]
) -> None:
    pool = system.pool(PooledSprite)
    pool.prespawn(1)
    before = pool.stats
    with pytest.raises(TypeError, match="PooledSprite can't join"):
        system.spawn(PooledSprite, groups=groups)
    assert pool.stats == before

    class Plain:
        pass

    with pytest.raises(PoolError, match="only sprites can"):
        system.spawn(Plain, groups=[pygame.sprite.Group()])
    wrong: Any = lambda: None  # noqa: E731 - what the test is about
    with pytest.raises(TypeError, match=r"the groups function of orc returned None"):
        system.spawn(Prefab(PooledSprite, name="orc", groups=wrong))


def test_k03_a_copied_prefab_is_the_prefab() -> None:
    orc = Prefab(PooledSprite, name="orc")
    assert copy.copy(orc) is orc
    assert copy.deepcopy({"level": [orc]}) == {"level": [orc]}


def test_f07_what_is_doomed_while_it_leaves_its_groups_is_not_handed_out_again(
    system: PoolingSystem,
) -> None:
    class Meddling(pygame.sprite.Group):  # type: ignore[type-arg]
        def remove_internal(self, sprite: Any) -> None:
            super().remove_internal(sprite)
            system.pool(orc).clear()

    orc = Prefab(PooledSprite, name="orc", groups=[Meddling()])
    system.spawn(orc)
    first = system.spawn(orc)
    first.kill()
    assert system.pool(orc).capacity == 0
    assert system.spawn(orc) is not first


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


def test_p06_spawn_many_under_a_parent_that_alone_could_make_room_ends_no_life(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Ghost, name="orc", settings=PoolSettings(limit=2, overflow=RecycleOldest()))
    parent, other = system.spawn_many(orc, [(0, 0)] * 2)
    with pytest.raises(PoolExhaustedError):
        system.spawn_many(orc, [(0, 0)] * 2, parent=parent)
    assert system.is_spawned(parent)
    assert system.is_spawned(other)


def test_k07_is_spawned_asks_the_instance_not_a_list(system: PoolingSystem) -> None:
    many = system.spawn_many(Ghost, [(0, 0)] * 50)
    assert all(system.is_spawned(each) for each in many)
    system.despawn(many[7])
    assert not system.is_spawned(many[7])
    assert not system.is_spawned(Ghost())
    # Any object may be asked about, hashable or not.
    assert not system.is_spawned([])
    assert not system.is_spawned(None)


def test_u13_hooks_without_an_instance_are_called_though_components_come_and_go(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Static(IPoolableComponent):
        execution_order = 5

        @staticmethod
        def spawned() -> None:
            log.append("static")

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.add_component(Static())

        def spawned(self) -> None:
            self.add_component(Part(log))

    system.pool(Orc).prespawn(1)
    system.spawn(Orc)
    assert log == ["spawned", "static"]
