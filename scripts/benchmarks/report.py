"""How figures are told: tables, bars, and the interpreter they hold for."""

from __future__ import annotations

import platform
import sysconfig
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Report(NamedTuple):
    """What a benchmark found: figures for a file, a text for people, and bars."""

    figures: dict[str, Any]
    text: str
    verdicts: Sequence[Verdict] = ()


@dataclass(frozen=True)
class Verdict:
    """One figure and its bar."""

    what: str  # was measured, in words
    figure: float
    at_most: float | None = None  # the bar, where less is better
    aim: float | None = None  # what it would be good to reach; it decides nothing
    at_least: float | None = None  # the bar, where more is better

    @property
    def met(self) -> bool:
        """Whether the bar is reached."""
        if self.at_most is not None:
            return self.figure <= self.at_most
        return self.at_least is not None and self.figure >= self.at_least

    def as_figures(self) -> dict[str, object]:
        """Return it as it is written as JSON."""
        return {**asdict(self), "met": self.met}

    def __str__(self) -> str:
        """Return ``NOT MET  12, at least 60 (aim 120): what was measured``."""
        bar = f"most {self.at_most:g}" if self.at_least is None else f"least {self.at_least:g}"
        aim = "" if self.aim is None else f" (aim {self.aim:g})"
        answer = "met" if self.met else "NOT MET"
        return f"{answer:<8} {self.figure:.3g}, at {bar}{aim}: {self.what}"


def interpreter() -> str:
    """Return which Python this is, for the ratio to code by hand differs from one to the next."""
    options = sysconfig.get_config_var("CONFIG_ARGS")
    built = "not saying how it was built"
    if options is not None:
        how = "with" if "--enable-optimizations" in options else "without"
        built = f"built {how} profile-guided optimisation"
    return f"{platform.python_implementation()} {platform.python_version()}, {built}"


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows with their columns aligned: the first to the left, the rest to the right."""
    rows = list(rows)
    first, *others = (max(map(len, column)) for column in zip_longest(*rows, fillvalue=""))
    return "\n".join(
        "   ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]).rstrip() for row in rows
    )


def bracketed(quartiles: Sequence[float]) -> str:
    """Return ``1.02 [0.98 - 1.07]`` of a lower quartile, a median and an upper quartile."""
    low, middle, high = quartiles
    return f"{middle:.2f} [{low:.2f} - {high:.2f}]"
