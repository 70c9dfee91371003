"""Findings in words: what is wrong, and the line that mends it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from poolkit.devtools.lint.events import Call, Kind, Path
from poolkit.devtools.lint.knowledge import BODY_MOTION, is_body
from poolkit.devtools.lint.report import LintFinding

if TYPE_CHECKING:
    from poolkit.devtools.lint.judging import Judge, Leak

__all__ = ["finding_for"]

_KEEP = "or say # poolkit: kept"


def finding_for(leak: Leak, judge: Judge) -> LintFinding:
    """Put a leak into words."""
    deed, path = leak.deed, leak.path
    method = deed.method
    component = judge.component_of(path) if len(path) > 1 else None
    owner = component or method.owner
    attribute = ".".join(path[1:] if component else path)
    where = f"{method.owner.__name__}.{_where(leak)}" if component else _where(leak)
    did = leak.kind.value
    if leak.kind is Kind.MUTATED and isinstance(deed.event, Call):
        did = f"changed by {deed.event.name}()"
    subject = f"{owner.__name__}.{attribute} is {did} in {where}"
    file = method.file.name if method.file is not None else ""
    return LintFinding(
        file,
        deed.event.lines[0],
        owner.__name__,
        attribute,
        f"{subject}{_but(leak, judge)}",
        f"hint: {_hint(leak, judge)}, {_KEEP}",
        certain=leak.reset is None,
    )


def _where(leak: Leak) -> str:
    name = leak.deed.method.name
    if name.endswith(".setter"):
        return f"the setter of {name.removesuffix('.setter')}"
    return f"{name}()"


def _but(leak: Leak, judge: Judge) -> str:
    forgotten = judge.forgotten_super(leak.path, leak.kind)
    if forgotten is not None:
        hook, by, base = forgotten
        return (
            f", but {by.__name__}.{hook} overrides {base.__name__}.{hook}, which resets it, "
            "without calling it"
        )
    if leak.reset is not None:
        line = leak.reset.event.lines[0]
        if leak.in_hook and leak.reset.event.lines == leak.deed.event.lines:
            return " only under a condition: else it is what the life before left"
        return f", but reset in {leak.reset.root} only under a condition (line {line})"
    if leak.in_hook:
        return " from what the life before left, for no hook resets it"
    return ", but reset in neither spawned nor despawned"


def _hint(leak: Leak, judge: Judge) -> str:
    path = leak.path
    forgotten = judge.forgotten_super(path, leak.kind)
    if forgotten is not None:
        hook, by, _ = forgotten
        return f"call super().{hook}() in {by.__name__}.{hook}"
    attribute = judge.anatomy.attribute(path[0])
    if len(path) > 1 and is_body(attribute) and path[1] in BODY_MOTION:
        return "attach a ResetPooledBodyComponent()"
    if judge.component_of(path) is not None:
        return f"in its spawned: self.{path[1]} = ..."
    if path == ("image",):
        return "in spawned: self.image = self.image.copy()"
    name = ".".join(path)
    value = _value_at_first(judge, path)
    is_changed = leak.kind in {Kind.ITEM, Kind.MUTATED} and attribute.containers
    if is_changed and value in {"...", "[]", "{}", "set()"}:
        return f"in spawned: self.{name}.clear()"
    return f"in spawned: self.{name} = {value}"


def _value_at_first(judge: Judge, path: Path) -> str:
    """Return what construction assigns, if `spawned` could assign it as well."""
    if len(path) > 1:
        return "..."
    value, local = judge.anatomy.value_at_first(path[0])
    if value is None:
        return "..."
    names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    return "..." if names & (local - {"self"}) else ast.unparse(value)
