"""The file of a recording: a head, then a line of JSON for each frame, compressed in the end.

Each line is written at once, with a checksum of all lines so far. After a crash the lines just stay
as they are, and the last one may be cut. Any other damage is an error.
"""

from __future__ import annotations

import contextlib
import io
import json
import zlib
from collections import defaultdict
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.errors import PoolError
from poolkit.devtools.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_KIND, _VERSION = "poolkit recording", 2
_BLOCK = 1 << 20  # bytes of lines that are compressed together
_LONGEST = 1 << 24  # bytes of a line
_MOST_UNPACKED = 2 * _LONGEST  # bytes of a block, with what columns add to its lines
_HEAD = 1 << 12  # bytes in which the head must end
# What files of a wrong shape raise as they are read.
_WRONG = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(pygame.error, zlib.error),
)

Entry = dict[str, Any]


class RecordingError(PoolError):
    """A recording can't be read or used."""


class TapeHead(NamedTuple):
    """What a recording begins with."""

    seed: int
    now: float = 0.0  # second of the system's clock


class Tape(NamedTuple):
    """What a file has."""

    head: TapeHead
    num_frames: int
    entries: Iterator[Entry]


class TapeWriter:
    """Writes the entries of a recording."""

    def __init__(self, path: Path, head: TapeHead) -> None:
        self._head = {"kind": _KIND, "version": _VERSION, **head._asdict()}
        self._path, self._file = path, path.open("w+b", buffering=0)
        self._seal = _Seal()
        self.write(self._head)

    def write(self, entry: Entry) -> int:
        """Write the next entry; return its length in bytes.

        Raises:
            RecordingError: It is so long that it couldn't be read again.
        """
        return self._file.write(self._seal.write(entry)) or 0

    def close(self) -> None:
        """Compress what was written, and close the file."""
        # Else it stays as it is, which can be read as well.
        with contextlib.suppress(OSError, ValueError):
            with io.BufferedReader(self._file) as file:
                file.seek(0)
                seal, packed = _Seal(), bytearray()
                seal.read(file.readline())
                while lines := file.readlines(_BLOCK):
                    packed += _block_of([seal.read(line) for line in lines])
            if self._path.is_file():  # not os.devnull
                head = {**self._head, "packed": zlib.crc32(packed)}
                write_whole(self._path, _Seal().write(head) + packed)


def read_tape(path: Path) -> Tape:
    """Return what is in a recording. All of it is checked now, and read again by and by.

    Raises:
        RecordingError: It can't be read, isn't a recording, is damaged, or is of another version.
    """
    try:
        with path.open("rb") as file:
            line = file.readline(_HEAD)
            head = _head_of(line, path)
            rest = file.read()
    except (OSError, ValueError) as error:
        message = f"the recording {path} can't be read: {error}"
        raise RecordingError(message) from None
    try:
        _Seal().read(line)
        start = TapeHead(head["seed"], head["now"])
        if not isinstance(start.seed, int | float | str) or not isfinite(start.now):
            raise ValueError(start)
        if "packed" in head and head["packed"] != zlib.crc32(rest):
            raise ValueError(rest)

        def read() -> Iterator[Entry]:
            return map(_checked, _unpacked(rest) if "packed" in head else _lines(line, rest))

        return Tape(start, sum("t" in entry for entry in read()), read())
    except _WRONG:
        message = f"the recording {path} is damaged: replay it from a copy that is complete"
        raise RecordingError(message) from None


def _head_of(line: bytes, path: Path) -> dict[str, Any]:
    try:
        head = json.loads(line.partition(b"\t")[0])
    except (ValueError, RecursionError):
        head = None
    if not isinstance(head, dict) or head.get("kind") != _KIND:
        message = f"{path} is not a recording: record(...) writes them"
        raise RecordingError(message)
    if head.get("version") != _VERSION:
        message = (
            f"{path} is a recording of version {head.get('version')}, and this poolkit reads "
            f"version {_VERSION}: replay it with the poolkit that wrote it, or record it again"
        )
        raise RecordingError(message)
    return head


class _Seal:
    """Ends each line with a checksum of all lines so far."""

    def __init__(self) -> None:
        self._checksum = 0

    def write(self, entry: Entry) -> bytes:
        """Return the line of an entry."""
        text = _json(entry)
        if len(text) > _LONGEST:
            message = (
                f"a frame takes {len(text):,} bytes, and at most {_LONGEST:,} fit: let events "
                "carry the names of large things, or record a smaller level"
            )
            raise RecordingError(message)
        self._checksum = zlib.crc32(text, self._checksum)
        return b"%s\t%08x\n" % (text, self._checksum)

    def read(self, line: bytes) -> Any:
        """Return the entry of a line; raise `ValueError` if it is damaged."""
        text, _, seal = line.rstrip(b"\n").rpartition(b"\t")
        self._checksum = zlib.crc32(text, self._checksum)
        if seal != b"%08x" % self._checksum or len(text) > _LONGEST:
            raise ValueError(line)
        return json.loads(text)


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _lines(head: bytes, rest: bytes) -> Iterator[Any]:
    seal = _Seal()
    seal.read(head)
    for line in io.BytesIO(rest):
        if line.endswith(b"\n"):  # else a crash cut it
            yield seal.read(line)


def _block_of(entries: list[Entry]) -> bytes:
    """Compress entries as columns, which takes far less than as rows."""
    names = {name: None for entry in entries for name in entry}
    return zlib.compress(_json({name: [e.get(name) for e in entries] for name in names}), 9)


def _unpacked(blocks: bytes) -> Iterator[Any]:
    while blocks:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(blocks, _MOST_UNPACKED)
        if not unpacker.eof:  # it is cut, or unpacks to far more than is ever written
            raise ValueError(text)
        blocks, columns = unpacker.unused_data, json.loads(text)
        for row in zip(*columns.values(), strict=True):
            pairs = zip(columns, row, strict=True)
            yield {name: value for name, value in pairs if value is not None}


_TYPES: dict[str, Any] = {"t": (int, float), "c": int, "d": int, "e": list, "p": dict, "a": dict}


def _checked(entry: Any) -> Entry:
    """Return an entry with its events and answers; raise what is wrong with its shape."""
    is_complete = "c" in entry and "d" in entry
    if not is_complete or not all(isinstance(entry[name], _TYPES[name]) for name in entry):
        raise TypeError(entry)
    if any(name.count("\t") < 2 for name in entry.get("a", ())):  # noqa: PLR2004
        raise ValueError(entry)
    if "e" in entry:
        entry["e"] = [_event_of(*event) for event in entry["e"]]
    if "p" in entry:
        entry["p"] = {name: _answers_of(*answers) for name, answers in entry["p"].items()}
    return entry  # type: ignore[no-any-return]


def _event_of(kind: int, data: dict[str, Any]) -> pygame.Event:
    return pygame.Event(kind, {name: decoded(value) for name, value in data.items()})


def _answers_of(first: Any, *others: Any) -> list[Any]:
    return [decoded(answer) for answer in (first, *others)]


# -- values of events ---------------------------------------------------------------------------

_DEEPEST = 50  # lists in lists: more of them, and Python can't read them again
_BITS = 14_000  # of an integer: Python reads no more digits
_BYTES: tuple[Any, ...] = (bytes, bytearray)
_CONTAINERS: tuple[Any, ...] = (
    *(list, dict, set, frozenset),
    *(pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color),
)


def _filled(kind: Any, items: Any) -> Any:
    return kind(decoded(items))


_READERS: dict[str, Callable[[Any], Any]] = {
    **{kind.__name__: kind.fromhex for kind in _BYTES},
    **{kind.__name__: partial(_filled, kind) for kind in _CONTAINERS},
    "keys": lambda keys: defaultdict(bool, dict.fromkeys(keys, True)),
}


def encoded(value: Any, deepest: int = _DEEPEST) -> Any:
    """Return a value for JSON: a tuple as an array, other containers as ``{"list": [...]}``.

    Raises:
        TypeError: It can't be written, or one that it contains can't; the message is its type.
    """
    kind = type(value)
    is_huge = isinstance(value, int) and value.bit_length() > _BITS
    if (value is None or isinstance(value, str | int | float)) and not is_huge:
        return value
    if kind in _BYTES:
        return {kind.__name__: value.hex()}
    if not deepest or (kind is not tuple and kind not in _CONTAINERS):
        raise TypeError(kind.__name__)
    values = value.items() if kind is dict else value
    items = [encoded(item, deepest - 1) for item in values]
    return items if kind is tuple else {kind.__name__: items}


def decoded(value: Any) -> Any:
    """Return what was encoded.

    Raises:
        ValueError, TypeError, LookupError: `encoded` makes no such value.
    """
    if isinstance(value, list):
        return tuple(map(decoded, value))
    if isinstance(value, dict):
        [(name, content)] = value.items()
        return _READERS[name](content)
    return value
