"""Coverage is measured where a test reaches new lines, not while it goes the same ways for long."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEW = 25  # examples
MOST = int(os.environ.get("TESTS_MOST_EXAMPLES", "1000000"))  # of each test; `test.py --quick`


@contextmanager
def unmeasured() -> Iterator[None]:
    """Don't measure coverage in this block, which makes Python code three times as slow."""
    coverage: Any = sys.modules.get("coverage")
    measuring = coverage and coverage.Coverage.current()
    if measuring is None:
        yield
        return
    measuring.stop()
    try:
        yield
    finally:
        measuring.start()


@contextmanager
def few_measured() -> Iterator[Callable[[], None]]:
    """Yield a function to call before each example: the first few of this block are measured."""
    with ExitStack() as stack:
        numbers = count()

        def begin() -> None:
            if next(numbers) == FEW:
                stack.enter_context(unmeasured())

        yield begin
