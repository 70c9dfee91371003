"""Which changes of a class last beyond the life in which they are made."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from poolkit.devtools.lint.anatomy import is_framework
from poolkit.devtools.lint.events import ANYTHING, Call, Kind, Path, Write
from poolkit.devtools.lint.flow import HOOKS, Deed, Flow
from poolkit.devtools.lint.knowledge import (
    BODY_MOTION,
    EMPTYING,
    FILLING,
    NEVER_STATE,
    PAINTING,
    RESTORED_ON_SPRITES,
    is_body,
    is_component,
    is_plain_object,
    is_value,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.devtools.lint.anatomy import Anatomy
    from poolkit.devtools.lint.attributes import Attribute
    from poolkit.devtools.lint.outside import Outside

__all__ = ["Judge", "Leak"]


class Leak(NamedTuple):
    """A change that no hook takes back.

    Attributes:
        deed: The change.
        path: What is changed.
        kind: How.
        reset: A reset that is not made every time, if there is one.
        in_hook: Whether a hook itself makes the change.
    """

    deed: Deed
    path: Path
    kind: Kind
    reset: Deed | None
    in_hook: bool


class Judge:
    """Compares what methods change with what hooks reset."""

    def __init__(self, anatomy: Anatomy, outside: Outside) -> None:
        """Judge one class, knowing what others reset of its instances."""
        self.anatomy = anatomy
        self.flow = Flow(anatomy)
        self._outside = outside
        self._is_sprite = issubclass(anatomy.cls, PooledSprite)

    def leaks(self) -> Iterator[Leak]:
        """Yield one leak an attribute: the first change of it that no comment silences."""
        told: set[Path] = set()
        for deed, in_hook in self._changes():
            change = self._as_change(deed)
            if change is None:
                continue
            path, kind = change
            if path in told or not self._is_state(deed, path, kind):
                continue
            certain, reset = self.reset_of(path, kind)
            if certain or self._is_kept(deed, path):
                continue
            told.add(path)
            yield Leak(deed, path, kind, reset, in_hook)

    def _changes(self) -> Iterator[tuple[Deed, bool]]:
        for deed in self.flow.of_lives():
            yield deed, False
        for deed in self.flow.of_hooks:
            event = deed.event
            if deed.method.node is not None and not (
                isinstance(event, Write)
                and event.kind in {Kind.ASSIGNED, Kind.DELETED, Kind.ITEM}
                and deed.certainty.covers(event.path)
            ):
                yield deed, True

    def _is_kept(self, deed: Deed, path: Path) -> bool:
        """Return whether the class says that it keeps this, or the class of the part it is in."""
        return self.anatomy.is_kept(deed.method, path, deed.event.lines) or any(
            part.keeps(path[1:]) for part in self._parts_at(path)
        )

    def _parts_at(self, path: Path) -> Iterator[Anatomy]:
        """Yield the game's own classes that what a path of two leads to is an attribute of."""
        if len(path) == 2:  # noqa: PLR2004 - ("stats", "buffs")
            attribute = self.anatomy.attribute(path[0])
            for cls in attribute.classes | attribute.declared:
                if not is_framework(cls):
                    yield self._outside.judge_of(cls).anatomy

    # -- is it a change of the instance's own state? ------------------------------------------

    def _as_change(self, deed: Deed) -> tuple[Path, Kind] | None:
        event = deed.event
        if isinstance(event, Write):
            return (event.path, event.kind) if event.path != ANYTHING else None
        if event.target != "part":
            return None
        if len(event.path) > 1:
            holders = [part.attribute(event.path[-1]) for part in self._parts_at(event.path)]
            is_changing = any(_fills(each, event.name) for each in holders)
            return (event.path, Kind.MUTATED) if is_changing else None
        attribute = self.anatomy.attribute(event.path[0])
        is_painting = self._is_sprite and event.path == ("image",) and event.name in PAINTING
        return (event.path, Kind.MUTATED) if is_painting or _fills(attribute, event.name) else None

    def _is_state(  # noqa: PLR0911 - a reason each
        self, deed: Deed, path: Path, kind: Kind
    ) -> bool:
        first = path[0]
        if first in NEVER_STATE or (first.startswith("__") and first.endswith("__")):
            return False
        if self._is_memo(deed, path) or path in deed.method.facts.balanced:
            return False
        if self._is_sprite and first in RESTORED_ON_SPRITES:
            return path == ("image",) and kind is Kind.MUTATED and not self._replaces_image
        attribute = self.anatomy.attribute(first)
        if len(path) == 1:
            if kind is Kind.DELETED:
                return not self._is_computed(first)
            if kind in {Kind.ITEM, Kind.MUTATED}:
                owned = attribute.containers or is_value(attribute)
                return bool(owned) and not attribute.is_shared and not first.isupper()
            return True
        if len(path) > 2:  # noqa: PLR2004 - what is further away is another object's business
            return False
        return self._is_part_state(path)

    def _is_part_state(self, path: Path) -> bool:
        first, last = path
        attribute = self.anatomy.attribute(first)
        if self.component_of(path) is not None or is_value(attribute):
            return True
        if is_body(attribute):
            is_reset = self.anatomy.mentions("ResetPooledBodyComponent")
            return last in BODY_MOTION and self.anatomy.mentions("RigidBody") and not is_reset
        return is_plain_object(attribute)

    def component_of(self, path: Path) -> type | None:
        """Return the class of the component that a path of two leads to."""
        attribute = self.anatomy.attribute(path[0])
        known = attribute.classes | attribute.declared if attribute.is_attached else set()
        for cls in known:
            if is_component(cls) and not issubclass(cls, PooledSprite):
                return cls
        return None

    @staticmethod
    def _is_memo(deed: Deed, path: Path) -> bool:
        """Return whether something is made when it is first asked for, and returned."""
        looked_at = path[0] in deed.event.certainty.unless_idle
        return looked_at and path[0] in deed.method.facts.returned

    def _is_computed(self, name: str) -> bool:
        """Return whether an attribute is made anew when it is asked for: a `cached_property`."""
        for cls in self.anatomy.layers:
            if name in vars(cls):
                return hasattr(vars(cls)[name], "__get__")
        return False

    @cached_property
    def _replaces_image(self) -> bool:
        """Whether lives give the sprite images of their own."""
        deeds = [*self.flow.of_lives(), *self.flow.of_hooks]
        return any(isinstance(d.event, Write) and d.event.path == ("image",) for d in deeds)

    # -- is it reset? -------------------------------------------------------------------------

    def reset_of(self, path: Path, kind: Kind) -> tuple[bool, Deed | None]:
        """Return whether a change is reset for certain, else a reset that is made at times."""
        if self._outside.resets(self.anatomy, path):
            return True, None
        perhaps: Deed | None = None
        for deed in (*self.flow.of_hooks, *self._outside.calls_into(self)):
            if self._resets(deed, path, kind):
                if deed.certainty.covers(path):
                    return True, None
                perhaps = perhaps or deed
        component = self.component_of(path) if len(path) > 1 else None
        if component is not None:
            return self._outside.judge_of(component).reset_of(path[1:], kind)
        return False, perhaps

    def _resets(self, deed: Deed, path: Path, kind: Kind) -> bool:
        event = deed.event
        if isinstance(event, Write):
            return self._write_resets(event, path, kind)
        return self._call_resets(event, path, kind)

    def _write_resets(self, event: Write, path: Path, kind: Kind) -> bool:
        if event.kind in {Kind.ASSIGNED, Kind.DELETED}:
            if event.path == ANYTHING or event.path == path[: len(event.path)]:
                return True
            # velocity.xy = 0, 0 for velocity.x += 1, or for velocity += pull
            is_near = len(event.path) == 2 and event.path[0] == path[0]  # noqa: PLR2004
            in_place = len(path) == 1 and kind in {Kind.CHANGED, Kind.MUTATED}
            attribute = self.anatomy.attribute(path[0])
            return is_near and (is_value(attribute) or (in_place and not attribute.containers))
        return event.kind is Kind.ITEM and event.path == path and kind in {Kind.ITEM, Kind.MUTATED}

    def _call_resets(self, event: Call, path: Path, kind: Kind) -> bool:
        if event.target != "part":
            return False
        if event.path == path[:-1] and len(path) > 1:
            return True  # self.stats.reset(): what an object does to itself is its business
        if event.path != path:
            return False
        if path == ("image",) and self._is_sprite:
            return event.name in PAINTING
        if kind is Kind.ASSIGNED:  # another object by now: to stop it is not to reset the attribute
            return event.name == "clear"
        is_adding = event.name == "update" and "set" in self.anatomy.attribute(path[0]).containers
        return event.name in EMPTYING and not is_adding

    # -- for hints ----------------------------------------------------------------------------

    def forgotten_super(self, path: Path, kind: Kind) -> tuple[str, type, type] | None:
        """Return the hook that resets `path` in a base class, but is overridden: (name, by, in)."""
        for name in HOOKS:
            used = self.anatomy.find(name)
            for methods in self.anatomy.layers.values():
                method = methods.get(name)
                if method is None or used is None or method in self.flow.used:
                    continue
                for deed in self.flow.of_method(method):
                    if deed.certainty.covers(path) and self._resets(deed, path, kind):
                        return name, used.owner, method.owner
        return None


def _fills(attribute: Attribute, name: str) -> bool:
    """Return whether a method changes the container or the value that an attribute holds."""
    if is_value(attribute) and (name.endswith("_ip") or name in FILLING["value"]):
        return True
    return not attribute.is_shared and any(name in FILLING[each] for each in attribute.containers)
