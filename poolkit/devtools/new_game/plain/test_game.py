"""The wizard catches gems, and no life inherits anything from the one before: `pytest`."""

from collections.abc import Callable

import pygame
import pytest
from poolkit import PoolingSystem
from poolkit.scenes import SceneManager

from level import Level, book


def test_a_gem_that_the_wizard_catches_scores(process_pools: PoolingSystem) -> None:
    level, scenes = Level(), SceneManager()
    scenes.load(level)
    ruby = process_pools.spawn(book["ruby"], (200, 300))
    scenes.handle_event(pygame.Event(pygame.MOUSEMOTION, pos=(200, 100)))
    scenes.update(0.1)
    assert level.score == 0
    scenes.update(0.2)
    assert level.score == 5
    assert not ruby.active


@pytest.mark.parametrize("name", ["gem", "ruby", "wizard", "spark"])
def test_a_life_is_as_good_as_new(name: str, pool_audit: Callable[..., object]) -> None:
    pool_audit(book[name])
