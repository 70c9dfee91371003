"""The file of a recording: JSON lines, compressed as it grows, complete after any crash.

The first line is the head. Chunks of frames follow, each a line with the length and so many
compressed bytes, and then the frames that are not compressed yet, a line each. A chunk is written
over the lines of its frames. If a crash comes while it is, some of these lines remain behind it;
frames have numbers, so a reader skips what it has read.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = 1
_KIND = "poolkit recording"
_FRAMES = 14_400  # four minutes of them, compressed together
_LONGEST = 1 << 20  # bytes of lines that wait to be compressed

Entry = dict[str, Any]


class RecordingError(PoolError):
    """A recording can't be read or used."""


class TapeWriter:
    """Writes the entries of a recording."""

    def __init__(self, path: Path, head: Entry) -> None:
        self._file: BinaryIO = path.open("w+b", buffering=0)
        self._file.write(_line({"kind": _KIND, "version": VERSION, **head}))
        self._chunk_start = self._file.tell()
        self._waiting: list[Entry] = []
        self._size = 0
        self._number = 0

    def write(self, entry: Entry) -> int:
        """Write the next entry; return its bytes before compression."""
        line = _line({"n": self._number, **entry})
        self._number += 1
        self._file.write(line)
        self._waiting.append(entry)
        self._size += len(line)
        if len(self._waiting) >= _FRAMES or self._size > _LONGEST:
            self._compress()
        return len(line)

    def _compress(self) -> None:
        packed = zlib.compress(_line(_columns(self._waiting)), 9)
        head = {"chunk": len(packed), "n": self._number - len(self._waiting)}
        self._file.seek(self._chunk_start)
        self._file.write(_line(head) + packed)
        self._file.truncate()
        self._chunk_start = self._file.tell()
        self._waiting.clear()
        self._size = 0

    def close(self) -> None:
        """Compress the rest, and close the file."""
        if self._waiting:
            self._compress()
        self._file.close()


def _columns(entries: list[Entry]) -> Entry:
    """Return entries as columns, which compress far better."""
    digests = base64.b64encode(bytes(entry["d"] for entry in entries)).decode()
    columns: Entry = {"d": digests}
    for name in ("c", "t"):  # which all entries have but the last
        columns[name] = [entry.get(name) for entry in entries]
    for name in dict.fromkeys(name for entry in entries for name in entry):
        values = {place: entry[name] for place, entry in enumerate(entries) if name in entry}
        columns.setdefault(name, values)
    return columns


def _rows(columns: Entry) -> Iterator[Entry]:
    digests = base64.b64decode(columns.pop("d"))
    full = zip(digests, columns.pop("c"), columns.pop("t"), strict=True)
    for place, (digest, count, seconds) in enumerate(full):
        at = str(place)
        rest = {name: values[at] for name, values in columns.items() if at in values}
        yield {"d": digest, "c": count, "t": seconds, **rest}


def read_tape(path: Path) -> tuple[Entry, Iterator[Entry]]:
    """Return the head of a recording, and its entries.

    Raises:
        RecordingError: It can't be read, isn't a recording, or is of another version.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"the recording {path} can't be read: {error}"
        raise RecordingError(message) from None
    first, _, rest = content.partition(b"\n")
    head = _parsed(first)
    if head is None or head.get("kind") != _KIND:
        message = f"{path} is not a recording: record(...) writes them"
        raise RecordingError(message)
    if head.get("version") != VERSION:
        message = (
            f"{path} is a recording of version {head.get('version')}, and this poolkit reads "
            f"version {VERSION}: replay it with the poolkit that wrote it, or record it again"
        )
        raise RecordingError(message)
    return head, _entries(path, rest)


def _entries(path: Path, content: bytes) -> Iterator[Entry]:
    due = 0  # the number of the next entry
    for number, entry in _numbered(path, content):
        if number == due:  # else it remains from before a chunk was written
            due += 1
            yield entry


def _numbered(path: Path, content: bytes) -> Iterator[tuple[int, Entry]]:
    while content:
        line, _, content = content.partition(b"\n")
        entry = _parsed(line)
        if entry is None or "n" not in entry:  # a crash cut it
            continue
        number, size = entry.pop("n"), entry.get("chunk")
        if size is None:
            yield number, entry
            continue
        try:
            columns = json.loads(zlib.decompress(content[:size]))
        except (zlib.error, TypeError, ValueError):
            message = f"the recording {path} is damaged: replay it from a copy that is complete"
            raise RecordingError(message) from None
        yield from enumerate(_rows(columns), number)
        content = content[size:]


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _parsed(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None
