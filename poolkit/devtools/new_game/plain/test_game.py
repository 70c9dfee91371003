"""The level plays, and no ball inherits anything from the life before: `python -m pytest`."""

from collections.abc import Callable

from poolkit import PoolingSystem
from poolkit.scenes import SceneManager

from ball import book
from level import Level


def test_a_thrown_ball_is_gone_again(process_pools: PoolingSystem) -> None:
    scenes = SceneManager()
    scenes.load(Level())
    ball = process_pools.spawn(book["ball"], (320, 340), velocity=(0, -400))
    scenes.update(0.5)
    assert ball.position.y < 340
    scenes.update(2.5)
    assert not ball.active


def test_balls_are_clean(pool_audit: Callable[..., object]) -> None:
    pool_audit(book["ball"])
