"""What every test starts from: no screen, no sound, and a pooling system of its own."""

from __future__ import annotations

import os

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"

import functools
import gc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from measuring import MOST, few_measured
from poolkit import PoolingSystem
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# A busy machine is no failure, and a check finds the same today and tomorrow: storm.py explores.
settings.register_profile(
    "poolkit", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("poolkit")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Generator[None, Any, Any]:
    """Measure the coverage of a few examples of each test that Hypothesis plays."""
    with few_measured() as begin, pytest.MonkeyPatch.context() as patch:
        if (given := getattr(pyfuncitem.obj, "hypothesis", None)) is not None:
            play = given.inner_test

            @functools.wraps(play)
            def play_one(*args: Any, **named: Any) -> Any:
                begin()
                return play(*args, **named)

            patch.setattr(given, "inner_test", play_one)
            name = "_hypothesis_internal_use_settings"  # as `@settings` writes it
            chosen = getattr(pyfuncitem.obj, name)
            few = settings(chosen, max_examples=min(chosen.max_examples, MOST))
            patch.setattr(pyfuncitem.obj, name, few)
        return (yield)


@pytest.fixture
def system() -> PoolingSystem:
    """Return a pooling system that nothing else uses; its instances come back at once."""
    system = PoolingSystem()
    system.configure(reuse="at_once")
    return system


@pytest.fixture
def world() -> PhysicsWorld:
    """Return an empty world without gravity."""
    return PhysicsWorld()


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Keep the collector still, but for what a test asks of it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def small_heap() -> None:
    """Set aside what pytest and other tests have made: the collector would look through it."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _thaw() -> Iterator[None]:
    """Let no test find what another froze, as by loading a scene: it would never be freed."""
    yield
    gc.unfreeze()
