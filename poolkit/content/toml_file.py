"""`TomlFile`: the tables of a file, and the line of each key, which tomllib doesn't tell."""

from __future__ import annotations

import functools
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Table = dict[str, Any]
Keys = tuple[str, ...]
Stamp = tuple[int, ...] | None  # of one state of a file; `None`: it is gone

_STRING = r'"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'"
_KEY = rf"(?:[\w-]+|{_STRING})"
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
# Strings and comments are matched to be skipped: they may hold what only looks like a key.
_TOKEN = re.compile(
    rf'"""(?s:\\.|.)*?"""|\'\'\'(?s:.)*?\'\'\''
    rf"|(?m:^)[ \t]*(?:\[\[?\s*(?P<table>{_KEYS})\s*\](?!,)|(?P<key>{_KEYS})\s*=)"
    rf"|{_STRING}|\#[^\n]*"
)
_HEADER = re.compile(r"^\[+\s*([^\s.\]]+)", re.MULTILINE)


def stamp_of(path: Path) -> Stamp:
    """Return what tells one state of a file from another."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class TomlFile:
    """One file as it was read.

    Args:
        path: Where it is.
        text: What is in it.
        stamp: Of this state of it.
        former: The same file, read before: of the parts that are as they were, the tables are the
            same objects, and aren't parsed again.
    """

    def __init__(self, path: Path, text: str, stamp: Stamp, former: TomlFile | None = None) -> None:
        self.path: Path = path
        self.stamp: Stamp = stamp
        self._text = text
        self.parts: dict[str, Table] = {}
        self.tables: Table = self._tables_of_parts(former) or tomllib.loads(text)

    def _tables_of_parts(self, former: TomlFile | None) -> Table | None:
        """Return all tables, each part parsed by itself; `None`: only the whole can be parsed."""
        if '"""' in self._text or "'''" in self._text:  # a line in it may look like a header
            return None
        tables: Table = {}
        known = former.parts if former else {}
        for part in _parts_of(self._text):
            try:
                part_tables = known.get(part) or tomllib.loads(part)
            except ValueError:  # the whole has a better line for it; or it is within an array
                return None
            if not tables.keys().isdisjoint(part_tables):
                return None
            self.parts[part] = part_tables
            tables |= part_tables
        return tables

    def has_key(self, keys: Keys) -> bool:
        """Return whether it has the key at the end of a path from the root."""
        table: Any = self.tables
        for key in keys:
            if not (isinstance(table, dict) and key in table):
                return False
            table = table[key]
        return True

    def line_of(self, keys: Keys) -> int:
        """Return the line of a key, from 1; of one that has none, that of the nearest above it."""
        while keys and keys not in self._lines:
            keys = keys[:-1]
        return self._lines.get(keys, 1)

    @functools.cached_property
    def _lines(self) -> dict[Keys, int]:
        """The line of each table and each key, but of those in inline tables, by their paths."""
        lines: dict[Keys, int] = {}
        table: Keys = ()
        line, counted = 1, 0
        for token in _TOKEN.finditer(self._text):
            if token["table"]:
                path = table = _split(token["table"])
            elif token["key"]:
                path = table + _split(token["key"])
            else:
                continue
            line, counted = line + self._text.count("\n", counted, token.end()), token.end()
            for length in range(1, len(path) + 1):
                lines.setdefault(path[:length], line)
        return lines


def _split(keys: str) -> Keys:
    return tuple(key.strip("\"'") for key in re.findall(_KEY, keys))


def _parts_of(text: str) -> Iterator[str]:
    """Yield the parts of a text that define one prefab each, by the first words of headers."""
    start, last = 0, None
    for header in _HEADER.finditer(text):
        if header[1] != last:
            yield text[start : header.start()]
            start, last = header.start(), header[1]
    yield text[start:]
