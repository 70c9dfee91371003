"""Reads what a report or a profile was written to, whichever it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from poolkit.core.errors import PoolError
from poolkit.core.statistics import SceneReport
from poolkit.devtools.profiles.toml_text import profile_of

if TYPE_CHECKING:
    from poolkit.devtools.profiles.needs import CapacityProfile

__all__ = ["read_report"]

_KINDS = ("poolkit scene report", "poolkit capacity profile")  # what their formats are called


def read_report(path: str | os.PathLike[str]) -> SceneReport | CapacityProfile:
    """Read a scene report (JSON, by `SceneReport.to_json`) or a capacity profile (TOML).

    Raises:
        PoolError: The file can't be read, or is neither. The message names it.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{name} is no report and no profile, for it is no text: {error.reason}"
        raise PoolError(message) from None
    except OSError as error:
        message = f"{name} can't be read: {error.strerror or error}"
        raise PoolError(message) from error
    if not any(kind in text for kind in _KINDS):
        message = (
            f"{name} is neither a scene report (of report.to_json()) nor a capacity profile "
            "(of record_profile())"
        )
        raise PoolError(message)
    # What begins with a brace is no TOML.
    if not text.lstrip().startswith("{"):
        return profile_of(text, name)
    try:
        return SceneReport.from_json(text)
    except PoolError as error:
        message = f"{name}: {error}"
        raise PoolError(message) from None
