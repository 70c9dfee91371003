"""Sees every attribute that is written while an instance lives, and from where."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from poolkit.devtools.audit.object_readers import plain_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

__all__ = ["Phase", "Write", "WriteRecorder", "place_of"]

Phase = Literal["life", "despawn", "respawn"]

_LIBRARIES = frozenset({"poolkit", "pygame", "pymunk"})
_OURS = "poolkit.devtools.audit"
_CHANGEABLE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by a class statement
_NEVER = object()


class Write(NamedTuple):
    """Where an attribute was written last.

    Attributes:
        place: ``Health.hit (monsters.py:41)``.
        phase: Whether that was while it lived, at the despawn, or at the second spawn.
    """

    place: str
    phase: Phase


class WriteRecorder:
    """Records, while it is entered, which attributes of some objects are written.

    Their classes are given a `__setattr__` and a `__delattr__` that take notes and then do what
    the class's own do. The objects' types stay what they are, slots and properties work on, and
    the classes get back what they had, whatever is raised.

    Attributes:
        phase: What is going on now.
    """

    def __init__(self, objects: Iterable[object]) -> None:
        """Watch `objects`."""
        self.phase: Phase = "life"
        self._objects = {id(each): each for each in objects}
        self._last: dict[tuple[int, str], Write] = {}
        self._restore = contextlib.ExitStack()

    def last(self, owner: object, attribute: str) -> Write | None:
        """Return the last write of an attribute, or `None` where none was seen."""
        return self._last.get((id(owner), attribute))

    def __enter__(self) -> Self:
        """Begin to take notes."""
        kinds = {type(each) for each in self._objects.values()}
        # Asked for before any class is changed: a class may inherit from another of them.
        originals = [
            (kind, name, getattr(kind, name))
            for kind in kinds
            if kind.__flags__ & _CHANGEABLE
            for name in ("__setattr__", "__delattr__")
        ]
        try:
            for kind, name, original in originals:
                self._replace(kind, name, self._noting(original))
        except BaseException:
            self._restore.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the classes back what they had."""
        self._restore.close()

    def _replace(self, kind: type, name: str, function: Callable[..., None]) -> None:
        own = vars(kind).get(name, _NEVER)
        try:
            setattr(kind, name, function)
        except (TypeError, AttributeError):  # its metaclass refuses: what it writes is not known
            return
        if own is _NEVER:
            self._restore.callback(delattr, kind, name)
        else:
            self._restore.callback(setattr, kind, name, own)

    def _noting(self, original: Callable[..., None]) -> Callable[..., None]:
        def note_and_write(owner: Any, name: str, *value: Any) -> None:
            original(owner, name, *value)
            if id(owner) in self._objects:
                place = place_of(sys._getframe(1))
                if place is not None:
                    key = id(owner), plain_name(type(owner), name)
                    self._last[key] = Write(place, self.phase)

        return note_and_write


def place_of(frame: FrameType | None) -> str | None:
    """Return the game's place that a call came from: ``Health.hit (monsters.py:41)``.

    Libraries are passed over. `None` where the audit itself is met before any place of the game.
    """
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith(_OURS):
            return None
        code = frame.f_code
        if module.partition(".")[0] not in _LIBRARIES and not code.co_filename.startswith("<"):
            name = code.co_qualname.rpartition("<locals>.")[2]
            return f"{name} ({os.path.basename(code.co_filename)}:{frame.f_lineno})"  # noqa: PTH119 - no path is touched
        frame = frame.f_back
    return None
