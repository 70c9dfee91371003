"""Sprites that move, live and die with another: parts of a prefab, and pooled children."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import DespawnReason, PooledGroup, PooledSprite, PoolError, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld
from poolkit.sprites.links import follow_all, roots
from recorder import Noted

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import PoolingSystem

IMAGE = pygame.Surface((4, 8))


def new_group(*sprites: Any) -> Any:
    """Return a plain group of pygame's."""
    return pygame.sprite.Group(*sprites)


class Part(PooledSprite):
    def __init__(self, *groups: Any) -> None:
        super().__init__(IMAGE, *groups)


def tank(log: list[str] | None = None, groups: tuple[Any, ...] = ()) -> Callable[[], PooledSprite]:
    """Return a factory of a sprite with a turret, which has a flag."""

    def build() -> PooledSprite:
        hull: Any = Part(*groups)
        hull.turret, hull.flag = Part(*groups), Part(*groups)
        if log is not None:
            for name in ("hull", "turret", "flag"):
                getattr(hull, name, hull).add_component(Noted(log, name))
        hull.turret.add_child(hull.flag, (0, -5))
        hull.add_child(hull.turret, (10, 0))
        return hull  # type: ignore[no-any-return]

    return build


# -- parts of a prefab ---------------------------------------------------------------------------


def test_u14_k11_hooks_of_components_on_parts_run_with_their_roots(system: PoolingSystem) -> None:
    log: list[str] = []
    prefab = Prefab(tank(log))
    hull: Any = system.spawn(prefab)
    names = ["hull", "turret", "flag"]
    assert log == [f"{n}.awake" for n in names] + [f"{n}.spawned" for n in names]
    assert hull.flag.system is system
    assert hull.flag.prefab is prefab
    log.clear()
    hull.kill()
    system.reset()
    back = names[::-1]
    assert log == [f"{n}.despawned" for n in back] + [f"{n}.destroyed" for n in back]


def test_u13_u14_a_part_added_to_an_active_sprite_begins_at_once(system: PoolingSystem) -> None:
    log: list[str] = []
    group = new_group()
    hull = system.spawn(Part, (5, 5))
    late = Part(group)
    late.add_component(Noted(log, "late"))
    hull.add_child(late, (1, 1))
    assert log == ["late.awake", "late.spawned"]
    assert late.active
    assert late in group
    assert late.position == (6, 6)
    hull.kill()
    assert late not in group
    assert system.spawn(Part, (20, 20)) is hull
    assert late in group
    assert late.position == (21, 21)
    assert log[2:] == ["late.despawned", "late.spawned"]


def test_parts_turn_with_their_parent_and_around_it(system: PoolingSystem) -> None:
    hull: Any = system.spawn(Prefab(tank()), (100, 50), rotation=90)
    assert hull.turret.position == pytest.approx((100, 40), abs=1e-3)
    assert hull.turret.rotation == 90
    assert hull.flag.position == pytest.approx((95, 40), abs=1e-3)
    hull.rotation = 180
    assert hull.turret.position == pytest.approx((90, 50), abs=1e-3)
    assert hull.flag.rotation == 180


def test_a_part_may_keep_upright(system: PoolingSystem) -> None:
    def with_bar() -> PooledSprite:
        orc: Any = Part()
        orc.bar = Part()
        orc.add_child(orc.bar, (0, -10), follow_rotation=False)
        return orc  # type: ignore[no-any-return]

    orc: Any = system.spawn(with_bar, (50, 50), rotation=90)
    assert orc.bar.position == (50, 40)
    assert orc.bar.rotation == 0
    orc.rotation = 45
    assert orc.bar.position == (50, 40)


def test_a_new_life_restores_a_parts_offset_and_turn(system: PoolingSystem) -> None:
    prefab = Prefab(tank())
    hull: Any = system.spawn(prefab, (100, 50))
    hull.turret.position = (200, 200)
    hull.turret.rotation = 45
    hull.position = (110, 50)
    assert hull.turret.position == (210, 200)  # kept for this life
    hull.kill()
    system.spawn(prefab, (0, 0))
    assert hull.turret.position == (10, 0)
    assert hull.turret.rotation == 0
    hull.rect.center = (1, 1)
    follow_all()
    assert hull.turret.position == (11, 1)


def test_order6_a_killed_part_is_hidden_until_its_parents_next_spawn(
    system: PoolingSystem,
) -> None:
    log: list[str] = []
    group = new_group()
    prefab = Prefab(tank(log, (group,)))
    hull: Any = system.spawn(prefab)
    log.clear()
    hull.turret.kill()
    assert group.sprites() == [hull]  # what is on the turret goes with it
    assert (hull.active, hull.turret.active, hull.flag.active) == (True, False, False)
    assert log == []
    hull.kill()
    system.spawn(prefab)
    assert (hull.turret.active, hull.flag.active) == (True, True)
    assert len(group) == 3


# -- pooled children -----------------------------------------------------------------------------


def test_k05_k06_p07_a_pooled_child_keeps_its_offset_and_dies_with_its_parent(
    system: PoolingSystem,
) -> None:
    seen: list[Any] = []

    class Rider(Part):
        def spawned(self, parent: Any) -> None:
            seen.append(parent)

        def despawned(self, reason: DespawnReason) -> None:
            seen.append((self.parent, reason))

    horse = system.spawn(Part, (100, 100))
    rider = system.spawn(Rider, (100, 90), parent=horse)
    assert rider.position == (100, 90)
    assert horse.children == (rider,)
    horse.position = (150, 100)
    assert rider.position == (150, 90)
    horse.rotation = 90
    assert rider.position == pytest.approx((140, 100), abs=1e-3)
    assert rider.rotation == 90
    horse.kill()
    assert not rider.active
    assert seen == [horse, (horse, DespawnReason.PARENT)]
    assert rider.parent is None
    assert not horse.children
    assert system.pool(Rider).inactive_count == 1
    assert system.spawn(Rider, (1, 1)) is rider
    assert rider.parent is None
    system.spawn(Part, (0, 0))
    follow_all()
    assert rider.position == (1, 1)


@pytest.mark.parametrize("how", ["update", "group.update", "group.draw", "world.step"])
def test_k06_children_follow_a_rect_that_was_moved_unnoticed(
    system: PoolingSystem, how: str
) -> None:
    group, world = PooledGroup(), PhysicsWorld()
    horse = system.spawn(Part, (100, 100), groups=[group])
    rider = system.spawn(Part, (100, 90), parent=horse)
    hat = system.spawn(Part, (100, 80), parent=rider)
    actions: dict[str, Callable[[], object]] = {
        "update": lambda: system.update(0.1),
        "group.update": group.update,
        "group.draw": lambda: group.draw(pygame.Surface((4, 4))),
        "world.step": lambda: world.step(1 / 60),
    }
    for x in (50, 60.5):
        horse.rect.center = (x, 0)
        actions[how]()
        assert (rider.position, hat.position) == ((x, -10), (x, -20))


def test_k06_an_offset_is_kept_under_a_parent_that_is_turned_already(
    system: PoolingSystem,
) -> None:
    horse = system.spawn(Part, (0, 0), rotation=90)
    rider = system.spawn(Part, (0, -10), parent=horse)
    assert (rider.position, rider.rotation) == ((0, -10), 0)
    horse.rotation = 0
    assert rider.position == pytest.approx((10, 0), abs=1e-3)
    assert rider.rotation == -90


def test_k06_ten_thousand_turns_do_not_make_a_child_drift(system: PoolingSystem) -> None:
    horse = system.spawn(PooledSprite, (500, 500))
    rider = system.spawn(PooledSprite, (520, 500), parent=horse)
    for step in range(10_000):
        horse.rotation = step * 7.3
    horse.rotation = 0
    assert rider.position == pytest.approx((520, 500), abs=1e-3)
    assert math.dist(rider.position, horse.position) == pytest.approx(20, abs=1e-3)


def test_a_child_may_hang_on_a_part_and_on_a_plain_object(system: PoolingSystem) -> None:
    class Ship:
        pass

    hull: Any = system.spawn(Prefab(tank()), (0, 0))
    shell = system.spawn(Part, (20, 0), parent=hull.turret)
    assert shell.parent is hull.turret
    hull.position = (5, 0)
    assert shell.position == (25, 0)
    hull.kill()
    assert not shell.active
    ship = system.spawn(Ship)
    sailor = system.spawn(Part, (3, 3), parent=ship)
    assert sailor.parent is None
    system.despawn(ship)
    assert not sailor.active


def test_a_child_let_go_lives_on_and_its_own_children_follow_it(system: PoolingSystem) -> None:
    horse = system.spawn(Part, (0, 0))
    rider: Any = system.spawn(Prefab(tank()), (10, 0), parent=horse)
    horse.remove_child(rider)
    horse.kill()
    assert rider.active
    assert rider.parent is None
    rider.rect.center = (50, 50)
    follow_all()
    assert rider.turret.position == (60, 50)


def test_children_stand_still_while_the_parent_or_child_has_no_rect(system: PoolingSystem) -> None:
    horse: Any = system.spawn(Part, (0, 0))
    rider: Any = system.spawn(Part, (10, 0), parent=horse)
    rect, horse.rect = horse.rect, None
    follow_all()
    assert rider.position == (10, 0)
    horse.rect, rider.rect = rect, None
    horse.rotation = 30
    follow_all()
    horse.kill()
    assert system.spawn(Part, (4, 4)).position == (4, 4)


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


DEEP = sys.getrecursionlimit() + 200


class Segment(PooledSprite):
    """A piece of a snake."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((4, 4)))


class Snake(Segment):
    """All segments are parts of one prefab."""

    segment = Segment

    def __init__(self) -> None:
        super().__init__()
        self.segments = [self.segment() for _ in range(DEEP)]
        for tail, head in zip(self.segments, self.segments[1:], strict=False):
            head.add_child(tail, (1, 0))  # from the tail on, as a game may
        self.add_child(self.segments[-1], (1, 0))


@pytest.mark.parametrize("anchor", ["center", "midbottom"])
def test_k06_a_chain_of_parts_of_any_depth_spawns_moves_turns_hides_and_despawns(
    system: PoolingSystem, anchor: str
) -> None:
    group = PooledGroup()

    class Shown(Snake):
        segment: Any = type("Anchored", (Segment,), {"anchor": anchor})

        def __init__(self) -> None:
            super().__init__()
            for segment in self.segments:
                segment.add(group)

    prefab = Prefab(Shown, groups=[group])
    snake = system.spawn(prefab, (10, 20))
    tail = snake.segments[0]
    assert tail.position == (10 + DEEP, 20)
    snake.position = (50, 60)
    assert tail.position == (50 + DEEP, 60)
    snake.rotation = 90
    assert tail.position == pytest.approx((50, 60 - DEEP), abs=1)
    assert tail.rotation == 90
    snake.rect.x += 7
    system.update(0.1)
    assert tail.position == pytest.approx((57, 60 - DEEP), abs=1)
    assert len(group) == DEEP + 1
    snake.segments[-1].kill()  # hides it, and all that hang on it
    assert group.sprites() == [snake]
    assert not tail.active
    snake.kill()
    assert system.spawn(prefab, (0, 0)) is snake
    assert tail.active
    assert len(group) == DEEP + 1


def test_k06_a_queue_of_followers_of_any_depth_moves_after_the_first(
    system: PoolingSystem,
) -> None:
    prefab = Prefab(Segment)
    queue: list[Any] = [system.spawn(prefab, (0, 0))]
    for place in range(1, DEEP):
        queue.append(system.spawn(prefab, (place, 0), parent=queue[-1]))
    queue[0].position = (5, 6)
    assert queue[-1].position == (4 + DEEP, 6)
    queue[0].rect.y += 10
    system.update(0.1)
    assert queue[-1].position == (4 + DEEP, 16)
    for follower in reversed(queue):
        follower.kill()
    assert system.pool(prefab).active_count == 0


def test_only_sprites_in_play_are_looked_at_each_frame(system: PoolingSystem) -> None:
    made: list[Any] = []

    def build() -> Any:
        made.append(tank()())
        return made[-1]

    def looked_at() -> list[Any]:
        return [one() for one in roots.values() if any(one() is each for each in made)]

    prefab = Prefab(build)
    system.prespawn(prefab, 3)
    assert looked_at() == []
    hull, horse = system.spawn(prefab), system.spawn(prefab)
    rider = system.spawn(prefab, parent=horse)
    assert rider in made
    assert looked_at() == [hull, horse]
    for sprite in (hull, horse):
        sprite.kill()
    assert looked_at() == []
    system.reset()
    assert looked_at() == []


def test_p08_a_hidden_part_is_no_longer_hidden_once_its_parent_is_adopted_again(
    system: PoolingSystem,
) -> None:
    prefab = Prefab(tank())
    hull: Any = system.spawn(prefab)
    hull.turret.kill()
    assert not hull.turret.active
    system.detach(hull)
    system.adopt(prefab, hull)
    assert hull.turret.active
