"""The pytest plugin of poolkit: fixtures for a game's tests, and chaos in all its pools.

pytest loads it where poolkit is installed (``-p no:poolkit`` keeps it out). It is a module beside
the package, as importing the package imports pygame, which test runs that don't use it must not.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from poolkit import PoolingSystem
    from poolkit.devtools.chaos import ChaosPolicy
    from poolkit.devtools.recordings import ReplayTape
    from poolkit.devtools.strict import Unreturned

_CHECKED = "poolkit_check_unreturned"
_ALLOWED = "poolkit_allow_unreturned"
_ANY_SEED = -1
_SEEDS = 1_000_000
_SEED_OF_WORKERS = "poolkit_chaos"
_CHAOS: pytest.StashKey[ChaosPolicy] = pytest.StashKey()
_FAILED: pytest.StashKey[bool] = pytest.StashKey()


# -- fixtures ---------------------------------------------------------------------------------


@pytest.fixture
def pools(request: pytest.FixtureRequest) -> Iterator[PoolingSystem]:
    """Lend a fresh pooling system in strict mode; it is disposed of after the test.

    A test marked ``poolkit_check_unreturned`` must despawn what it spawns, or an error lists the
    instances by place of spawn. With the option of that name set in pytest's configuration, all
    tests must, except those marked ``poolkit_allow_unreturned``.
    """
    from poolkit.devtools.testing import fresh_system  # noqa: PLC0415 - it imports pygame

    with fresh_system(_teller(request)) as system:
        yield system


@pytest.fixture
def process_pools(request: pytest.FixtureRequest) -> Iterator[PoolingSystem]:
    """Lend `poolkit.pools`, the process's own system, for tests of code that uses it.

    It is reset before and after the test, in strict mode in it, and checked as in `pools`.
    """
    from poolkit.devtools.testing import process_system  # noqa: PLC0415 - it imports pygame

    with process_system(_teller(request)) as system:
        yield system


@pytest.fixture
def pool_audit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Lend a function that audits a prefab, and fails the test if something leaks.

    It takes what `poolkit.devtools.audit` takes, and returns its report. Tracebacks show only lines
    of the game and its tests.
    """

    def check(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        from poolkit.devtools import audit  # noqa: PLC0415 - it imports pygame

        for name, module in sys.modules.items():
            if name.startswith("poolkit."):
                monkeypatch.setattr(module, "__tracebackhide__", True, raising=False)
        report = audit(*arguments, **options)
        if not report.ok:
            pytest.fail(str(report), pytrace=False)
        return report

    return check


@pytest.fixture
def replay(request: pytest.FixtureRequest) -> Iterator[Callable[..., ReplayTape]]:
    """Lend a function that opens a recording; the test fails if the replay differs or ends early.

    It is `poolkit.devtools.replay` without ``with``: ``for events, dt in replay("crash.rec"): ...``
    """
    from poolkit.devtools.recordings import replay as replaying  # noqa: PLC0415 - imports pygame

    with contextlib.suppress(_TestFailedError), contextlib.ExitStack() as stack:
        yield lambda *given, **named: stack.enter_context(replaying(*given, **named))
        if request.node.stash.get(_FAILED, False):
            raise _TestFailedError  # so that it isn't told as well that frames are left


class _TestFailedError(Exception):
    """A test has failed already."""


def _teller(request: pytest.FixtureRequest) -> Callable[[Unreturned], None]:
    node = request.node

    def tell(left: Unreturned) -> None:
        is_checked = node.get_closest_marker(_CHECKED) or node.config.getini(_CHECKED)
        is_allowed = node.get_closest_marker(_ALLOWED) or node.stash.get(_FAILED, False)
        if left and is_checked and not is_allowed:
            pytest.fail(
                f"{left}\nThis test is to despawn what it spawns ({_CHECKED}); to let it leave "
                f"instances: @pytest.mark.{_ALLOWED}",
                pytrace=False,
            )

    return tell


# -- chaos ------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option and the setting."""
    parser.getgroup("poolkit").addoption(
        "--poolkit-chaos",
        nargs="?",
        type=_seed,
        const=_ANY_SEED,
        metavar="SEED",
        help="reuse pooled instances in random order, drop them and recycle them at random, in "
        "every pooling system; the seed of a failed run repeats it",
    )
    parser.addini(
        _CHECKED,
        "whether all tests must despawn what they spawn by the fixtures pools and process_pools",
        type="bool",
        default=False,
    )


def _seed(text: str) -> int:
    if not text.isdecimal():
        message = (
            f"SEED must be a number, not {text!r}: write --poolkit-chaos=SEED, or --poolkit-chaos "
            "last, after the files and folders"
        )
        raise argparse.ArgumentTypeError(message)
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    """Choose a seed if none was given; workers of pytest-xdist get that of the main process."""
    config.addinivalue_line(
        "markers",
        f"{_CHECKED}: the test must despawn what it spawns by the fixtures pools and process_pools",
    )
    config.addinivalue_line(
        "markers",
        f"{_ALLOWED}: the test may leave instances, although {_CHECKED} = true for all",
    )
    if config.option.poolkit_chaos == _ANY_SEED:
        received = getattr(config, "workerinput", {})
        seed = received.get(_SEED_OF_WORKERS, random.SystemRandom().randrange(_SEEDS))
        config.option.poolkit_chaos = seed


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Send a worker of pytest-xdist the seed."""
    node.workerinput[_SEED_OF_WORKERS] = node.config.option.poolkit_chaos


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say how to repeat a run in chaos."""
    return None if config.option.poolkit_chaos is None else f"poolkit: {_repeat(config)}"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin the chaos, in all present and later systems."""
    if session.config.option.poolkit_chaos is not None:
        from poolkit.devtools.chaos import ChaosPolicy  # noqa: PLC0415 - it imports pygame

        session.config.stash[_CHAOS] = chaos = ChaosPolicy()
        chaos.watch_all()


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the chaos."""
    chaos = config.stash.get(_CHAOS, None)
    if chaos is not None:
        chaos.unwatch_all()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Begin with new dice in each test, so that it fails alone as it fails among others."""
    chaos = item.config.stash.get(_CHAOS, None)
    if chaos is not None:
        chaos.restart(f"{item.config.option.poolkit_chaos} {item.nodeid}")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test failed, and say how to repeat it."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        if item.config.option.poolkit_chaos is not None:
            report.sections.append(("poolkit", _repeat(item.config)))
    return report


def _repeat(config: pytest.Config) -> str:
    seed = config.option.poolkit_chaos
    return f"chaos with seed {seed}, repeated by --poolkit-chaos={seed}"
