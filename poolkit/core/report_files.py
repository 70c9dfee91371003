"""Scene reports as texts for other programs, and back."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.statistics import PoolReport, PoolStats, SceneReport

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["as_csv", "as_json", "report_of"]

_FORMAT = "poolkit scene report"
_VERSION = 1

_EXPECTED: Mapping[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a text"),
    "int | None": ((int, type(None)), "a whole number or null"),
    "float | None": ((int, float, type(None)), "a number or null"),
    "tuple[PoolReport, ...]": ((list,), "a list"),
    "PoolStats": ((dict,), "an object"),
}


def as_csv(report: SceneReport) -> str:
    """Return a line of names, then a line a pool."""
    text = io.StringIO()
    names = PoolReport("", PoolStats(), 0.0).as_row()
    writer = csv.DictWriter(text, ["scene", *names], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"scene": report.scene, **pool.as_row()} for pool in report)
    return text.getvalue()


def as_json(report: SceneReport) -> str:
    """Return the report as JSON."""
    return json.dumps({"format": _FORMAT, "version": _VERSION, **asdict(report)}, indent=2)


def report_of(text: str) -> SceneReport:
    """Return the report that `as_json` made `text` of.

    Raises:
        PoolError: It is no such text. The message says what is wrong, and where.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        message = f"this is no JSON: {error}"
        raise PoolError(message) from None
    except RecursionError:
        message = f"this is no {_FORMAT}: it is nested too deeply"
        raise PoolError(message) from None
    if not isinstance(found, dict) or found.pop("format", None) != _FORMAT:
        message = f"this is no {_FORMAT}: write one with report.to_json()"
        raise PoolError(message)
    version = found.pop("version", None)
    if version != _VERSION:
        message = (
            f"this report has version {version!r}, and only {_VERSION} can be read: "
            "make it again with this poolkit"
        )
        raise PoolError(message)
    values = _checked(SceneReport, found, "$")
    values["pools"] = tuple(
        _pool_of(pool, f"$.pools[{place}]") for place, pool in enumerate(values["pools"])
    )
    return SceneReport(**values)


def _pool_of(found: object, path: str) -> PoolReport:
    values = _checked(PoolReport, found, path)
    values["stats"] = PoolStats(**_checked(PoolStats, values["stats"], f"{path}.stats"))
    return PoolReport(**values)


def _checked(kind: type[Any], values: Any, path: str) -> dict[str, Any]:
    """Return `values` if they are all that `kind` is made of, and nothing else."""
    names = {field.name: str(field.type) for field in fields(kind)}
    if not isinstance(values, dict):
        message = f"{path} must be an object, not {values!r}"
        raise PoolError(message)
    wrong = sorted(set(values) ^ set(names))
    if wrong:
        what = "is missing" if wrong[0] in names else "is not known"
        message = f"{path}.{wrong[0]} {what}: there must be {', '.join(names)}"
        raise PoolError(message)
    for name, value in values.items():
        types, expected = _EXPECTED[names[name]]
        if not isinstance(value, types) or isinstance(value, bool):
            message = f"{path}.{name} must be {expected}, not {value!r}"
            raise PoolError(message)
    return values
