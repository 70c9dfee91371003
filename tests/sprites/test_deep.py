"""Chains of children far deeper than Python's own limit of calls within calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import PooledGroup, PooledSprite, Prefab

if TYPE_CHECKING:
    from poolkit import PoolingSystem

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
