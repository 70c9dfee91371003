"""Records which code runs, and where attributes of an instance are written."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.devtools.code import place_of_caller
from poolkit.devtools.values import plain_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType, FrameType

    from poolkit.devtools.code import Place

_AUDITING = "poolkit.devtools.audit"


class Recording(NamedTuple):
    """What was seen."""

    played: set[CodeType]  # the byte code of all functions that ran
    last_places: dict[tuple[int, str], Place]  # of writing attributes, by owner's id and name


@contextlib.contextmanager
def recorded(objects: Iterable[object]) -> Iterator[Recording]:
    """Record which code runs, and which attributes of some objects are written.

    Their classes get a `__setattr__` and a `__delattr__` that take notes, until this ends.
    """
    seen, watched = Recording(set(), {}), {id(thing): thing for thing in objects}

    def noting(original: Callable[..., None]) -> Callable[..., None]:
        def note_and_write(owner: Any, name: str, *value: Any) -> None:
            original(owner, name, *value)
            place = place_of_caller(below=_AUDITING) if id(owner) in watched else None
            if place is not None:
                seen.last_places[id(owner), plain_name(name)] = place

        return note_and_write

    def note_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.played.add(frame.f_code)

    # Before any class is changed, as a class may inherit from another of them.
    originals = [
        (kind, name, vars(kind).get(name), getattr(kind, name))
        for kind in set(map(type, watched.values()))
        for name in ("__setattr__", "__delattr__")
    ]
    with contextlib.ExitStack() as undo:
        for kind, name, defined, original in originals:
            # A class of C, or a metaclass, may refuse; then nothing is noted.
            with contextlib.suppress(Exception):
                setattr(kind, name, noting(original))
                restore = (
                    (delattr, kind, name) if defined is None else (setattr, kind, name, defined)
                )
                undo.callback(*restore)
        former: Any = sys.getprofile()
        undo.callback(getattr(former, "enable", functools.partial(sys.setprofile, former)))
        sys.setprofile(note_call)
        yield seen
