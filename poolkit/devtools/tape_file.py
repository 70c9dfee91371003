"""The file of a recording: a head, then a line of JSON for each frame, compressed in the end.

Each line is written at once. After a crash the lines just stay as they are.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.devtools.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_KIND, _VERSION = "poolkit recording", 1

Entry = dict[str, Any]


class RecordingError(PoolError):
    """A recording can't be read or used."""


class TapeWriter:
    """Writes the entries of a recording."""

    def __init__(self, path: Path, seed: int) -> None:
        self._head = {"kind": _KIND, "version": _VERSION, "seed": seed}
        self._path, self._file = path, path.open("w+b", buffering=0)
        self._start = self.write(self._head)

    def write(self, entry: Entry) -> int:
        """Write the next entry; return its length in bytes."""
        return self._file.write(_line(entry)) or 0

    def close(self) -> None:
        """Compress what was written, and close the file."""
        self._file.seek(self._start)
        entries = list(_parsed(self._file.read()))
        # As columns, which compress far better.
        names = {name: None for entry in entries for name in entry}
        columns = {name: [entry.get(name) for entry in entries] for name in names}
        packed = zlib.compress(_line(columns), 9)
        self._file.close()
        if self._path.is_file():  # not os.devnull
            with contextlib.suppress(OSError):  # it stays as it is, which can be read as well
                write_whole(self._path, _line({**self._head, "packed": len(packed)}) + packed)


def read_tape(path: Path) -> tuple[int, Iterator[Entry]]:
    """Return the seed of a recording, and its entries.

    Raises:
        RecordingError: It can't be read, isn't a recording, or is of another version.
    """
    try:
        first, _, rest = path.read_bytes().partition(b"\n")
    except OSError as error:
        message = f"the recording {path} can't be read: {error}"
        raise RecordingError(message) from None
    head = next(_parsed(first), {})
    if head.get("kind") != _KIND:
        message = f"{path} is not a recording: record(...) writes them"
        raise RecordingError(message)
    if head.get("version") != _VERSION:
        message = (
            f"{path} is a recording of version {head.get('version')}, and this poolkit reads "
            f"version {_VERSION}: replay it with the poolkit that wrote it, or record it again"
        )
        raise RecordingError(message)
    try:
        seed = head["seed"]
        if "packed" not in head:
            return seed, _parsed(rest)
        columns = json.loads(zlib.decompress(rest[: head["packed"]]))
    except (zlib.error, KeyError, TypeError, ValueError):
        message = f"the recording {path} is damaged: replay it from a copy that is complete"
        raise RecordingError(message) from None
    rows = zip(*columns.values(), strict=True)
    present = (
        {name: value for name, value in zip(columns, row, strict=True) if value is not None}
        for row in rows
    )
    return seed, present


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _parsed(lines: bytes) -> Iterator[Entry]:
    for line in lines.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):  # a crash cut it, or it never was one
            return
        if isinstance(entry, dict):
            yield entry
