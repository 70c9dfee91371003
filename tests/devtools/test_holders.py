"""Who holds what: instances that were never returned, and what refers to a dead one."""

from __future__ import annotations

import gc
import pickle
import re
import sys
import time
import types
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pytest

import recorder
from poolkit import (
    IPoolableComponent,
    ObjectPool,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    Prefab,
    UseAfterDespawnError,
)
from poolkit.devtools import enable_strict, unreturned
from poolkit.devtools.referrers import referrers

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

place = partial(recorder.place, __file__)


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health())
        self.shield = PooledSprite()
        self.add_child(self.shield, (4, 0))


orc = Prefab(Orc, name="orc")
troll = Prefab(Orc, name="troll")


def spawn_wave(system: PoolingSystem) -> list[Orc]:
    return system.spawn_many(orc, [(0, 0)] * 3)  # the wave


def test_strict_mode_knows_by_place_of_spawn_who_was_never_returned(
    system: PoolingSystem,
) -> None:
    early = system.spawn(troll)
    enable_strict(system)
    wave = spawn_wave(system)
    wave[1].kill()
    spawn_wave(system)
    boss = system.spawn(troll)  # the boss
    report = unreturned(system)
    assert report.total == 7
    assert [len(instances) for instances in report.values()] == [5, 1, 1]
    by_wave, by_boss, unknown = report
    assert by_wave.endswith(f"{place('the wave')} in spawn_wave")
    assert place("the boss") in by_boss
    assert report[by_boss] == (boss,)
    assert report[unknown] == (early,)
    assert str(report).splitlines() == [
        "7 instances were spawned and not returned:",
        f"  5 orc: {by_wave}",
        f"  1 troll: {by_boss}",
        "  1 troll: places that were not noted",
    ]
    assert repr(report) == "<Unreturned(num_places=3, num_instances=7)>"
    system.despawn_all()
    for prefab in (orc, troll, orc):  # one place may spawn several kinds
        system.spawn(prefab, persistent=prefab is troll)
    assert "\n  2 orc, 1 troll: " in str(unreturned(system))
    assert "\n  2 orc: " in str(unreturned(system, persistent=False))
    system.despawn_all()
    assert not unreturned(system)
    assert str(unreturned(system)) == "every instance was returned"


def test_loans_of_an_object_pool_are_listed_until_they_come_back() -> None:
    pool = ObjectPool[list[int]](list)
    kept, released = pool.get(), pool.get()
    pool.release(released)
    pool.close()
    report = unreturned(pool)
    [[loan]] = report.values()
    assert loan is kept
    assert str(report).endswith("not returned:\n  1 list: places that were not noted")
    pool.release(kept)
    assert not unreturned(pool)


class Holder:
    """Something of the game's that keeps what it should not."""

    shared: Any = None
    slot: Any
    __slots__ = ("__dict__", "slot")

    def __repr__(self) -> str:
        return "<the holder>"


boss: Any = None


@pytest.fixture
def dead(system: PoolingSystem) -> Iterator[list[Orc]]:
    """Return a box with a despawned orc, that no variable holds."""
    enable_strict(system)
    box = [system.spawn(orc)]
    box[0].kill()
    system.update(0.1)
    yield box
    globals()["boss"] = Holder.shared = None


def ways(box: list[Any]) -> list[str]:
    """Return what refers to the one in the box, but for the box itself."""
    return [
        text
        for text in referrers(box[0])
        if "local variable box" not in text and "dead" not in text
    ]


def test_what_poolkit_itself_and_the_parts_keep_is_left_out(dead: list[Orc]) -> None:
    assert ways(dead) == []
    assert any("dead[0]" in text for text in referrers(dead[0]))


def test_variables_attributes_slots_and_containers_are_named_with_their_owner(
    dead: list[Orc],
) -> None:
    globals()["boss"] = dead[0]
    holder: Any = Holder()
    Holder.shared = holder.slot = holder.target = dead[0]
    holder.orcs = [None, dead[0]]
    holder.by_name = {"grim": {"deep": (dead[0],)}}
    holder.recent = deque([dead[0]])
    holder.seen = {dead[0]}
    holder.scores = {dead[0]: 3}
    found = ways(dead)
    assert found == sorted(found, key=lambda text: (len(text), text))
    assert set(found) == {
        "test_holders.boss",
        "Holder.shared",
        "<the holder>.slot",
        "<the holder>.target",
        "<the holder>.orcs[1]",
        "<the holder>.by_name['grim']['deep'][0]",
        "<the holder>.recent[0]",
        "<the holder>.seen (a set)",
        "<the holder>.scores (a key of it)",
    }


def test_closures_partials_methods_generators_and_locals_are_named(dead: list[Orc]) -> None:
    def closing(sprite: Orc) -> Any:
        def later() -> None:
            sprite.kill()

        return later

    def waiting(mine: Orc) -> Generator[None, None, None]:
        yield
        mine.kill()

    holder = Holder()
    later = closing(dead[0])
    holder.call = partial(print, dead[0])  # type: ignore[attr-defined]
    generator = waiting(dead[0])
    next(generator)
    holder.update = types.MethodType(Orc.update, dead[0])  # type: ignore[attr-defined]
    found = ways(dead)
    assert later
    assert set(found) >= {
        "<the holder>.update (its method update)",
        "<the holder>.call (filled in)[0]",
    }
    assert any("generator (under way in waiting)" in way for way in found)
    assert any("later (the function later)[0] (a variable)" in way for way in found)
    generator.close()


def test_what_a_scene_has_set_aside_from_the_collector_is_found_too(dead: list[Orc]) -> None:
    globals()["boss"] = dead[0]
    gc.collect()
    gc.freeze()
    try:
        assert ways(dead) == ["test_holders.boss"]
        assert gc.get_freeze_count() > 1000
    finally:
        gc.unfreeze()


def test_a_local_variable_is_named_with_function_and_line(dead: list[Orc]) -> None:
    kept = dead[0]
    texts = referrers(dead[0])  # the question
    assert kept is dead[0]
    [text] = [text for text in texts if "variable kept" in text]
    assert text.startswith("local variable kept at ")
    assert place("the question") in text


def test_a_group_is_named(system: PoolingSystem) -> None:
    monsters = PooledGroup()
    box = [system.spawn(orc, groups=[monsters])]
    assert ways(box) == ["group <PooledGroup(1 sprites)>"]  # its part is seen there as well
    others = system.spawn_many(orc, [(0, 0)] * 20, groups=[monsters, pygame.sprite.Group()])
    assert ways(box) == ["group <PooledGroup(21 sprites)>"]  # and not once more by each other one
    box = [others.pop()]
    assert ways(box) == ["group <Group(20 sprites)>", "group <PooledGroup(21 sprites)>"]


def test_of_what_is_held_everywhere_some_ways_are_named_soon(dead: list[Orc]) -> None:
    keeper = types.SimpleNamespace(**{f"key_{number}": dead[0] for number in range(300)})
    assert referrers(dead[0])[0].endswith(".key_0")  # the shortest first
    del keeper
    for held_everywhere in (None, True, object):
        began = time.perf_counter()
        referrers(held_everywhere)
        assert time.perf_counter() - began < 5


def test_the_message_of_a_misuse_says_who_still_refers_to_it(dead: list[Orc]) -> None:
    globals()["boss"] = dead[0]
    Holder.shared = vars(dead[0])["health"]
    for owner, name in ((boss, "position"), (Holder.shared, "current")):
        with pytest.raises(UseAfterDespawnError) as caught:
            getattr(owner, name)
        assert re.search(r"Still referred to by: .*test_holders.boss", str(caught.value))
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


def test_asking_leaves_nothing_behind_that_refers_to_it(dead: list[Orc]) -> None:
    gc.collect()  # so that nothing of the tests before is in the figures
    before = sys.getrefcount(dead[0])
    referrers(dead[0])
    gc.collect()  # CPython 3.13 keeps the locals of a frame that was looked at in a cycle
    after = sys.getrefcount(dead[0])
    assert after == before
