"""The tests of step 8: `pytest docs/tutorial/test_step8.py`, where poolkit is installed."""

import pygame
import pytest

import step8


@pytest.fixture(autouse=True)
def keyboard():
    pygame.display.set_mode((640, 360))
    yield
    pygame.quit()


@pytest.mark.parametrize("prefab", step8.everything, ids=lambda prefab: prefab.name)
def test_no_life_leaves_anything_to_the_next(prefab, pool_audit):
    pool_audit(prefab)


def test_a_dino_that_died_while_it_reloaded_can_throw_again(process_pools):
    dino = process_pools.spawn(step8.dino)
    dino.throw()
    dino.kill()
    process_pools.update(1.0)
    again = process_pools.spawn(step8.dino)
    assert again is dino
    assert again.ready
