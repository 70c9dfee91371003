"""What an audit takes for the same value: by property, against a plain twin."""

from __future__ import annotations

import datetime as dt
import functools
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit.devtools import audit
from poolkit.devtools.values import described

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

atoms: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-3, 3).map(float),
    st.just(math.nan),
    st.just(math.inf),
    st.sampled_from([Decimal("1.0"), Decimal(1), Decimal("NaN"), Decimal("sNaN")]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from([dt.date(2020, 1, 1), dt.date(2021, 1, 1), re.compile("a"), re.compile("b")]),
    st.binary(max_size=1),
)
values: SearchStrategy[Any] = st.recursive(
    atoms | st.sets(st.integers(0, 2), max_size=2) | st.frozensets(st.booleans(), max_size=1),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
    ),
    max_leaves=6,
)


def plainly_same(one: Any, other: Any) -> bool:
    """Compare as the audit should: NaN equals NaN, containers of one kind entry by entry."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 - NaN
    if type(one) is not type(other):
        return False
    if isinstance(one, Decimal):  # as they are written: 1.0 is not 1, but NaN is NaN
        return str(one) == str(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(plainly_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(plainly_same(one[k], other[k]) for k in one)
    return bool(one == other)


@given(values, values)
@settings(max_examples=60)
def test_n01_a_value_leaks_where_a_plain_comparison_says_so(first: Any, second: Any) -> None:
    class Holder:
        def __init__(self) -> None:
            self.value = first

    def live(holder: Holder) -> None:
        holder.value = second

    report = audit(Holder, live)
    assert report.ok == plainly_same(first, second)
    for leak in report.leaks:
        assert leak.path.startswith("Holder.value")
        assert len(str(leak)) < 400


def test_n01_a_set_is_shown_in_one_order_whatever_its_hashes() -> None:
    names = [f"name {number}" for number in range(5)]
    first, last = set(names), frozenset(reversed(names))
    assert described(first) == str(names).replace("[", "{").replace("]", "}")
    assert described(last) == f"frozenset({described(first)})"
    assert described(set()) == "set()"


def test_n01_a_cached_property_leaks_where_it_is_not_what_it_would_be_now() -> None:
    class Runner:
        factor = 1

        @functools.cached_property
        def slow(self) -> int:
            return 2 * Runner.factor

        @functools.cached_property
        def fast(self) -> int:
            return 9 * self.level

        def level_up(self) -> None:
            self.level = self.slow + self.fast

        level = 1

    report = audit(Runner, Runner.level_up)
    assert [leak.path for leak in report.leaks] == ["Runner.level", "Runner.fast"]
