"""Where in a TOML file a key stands: tomllib doesn't say."""

from __future__ import annotations

import re

_STRING = r'"(?:\\.|[^"\\])*"' + r"|'[^']*'"
_KEY = rf"(?:[\w-]+|{_STRING})"
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_TOKEN = re.compile(
    rf'"""(?s:\\.|.)*?"""|\'\'\'(?s:.)*?\'\'\''
    rf"|(?P<header>(?m:^)[ \t]*\[\[?\s*(?P<table>{_KEYS})\s*\]\]?)"
    rf"|(?P<key>{_KEYS})\s*=|{_STRING}|\#[^\n]*|(?P<bracket>[\[\]{{}}])"
)

Path = tuple[str, ...]


def lines_of(text: str) -> dict[Path, int]:
    """Return the line of each table and each key, by its path from the root, from 1."""
    found: dict[Path, int] = {}
    table: Path = ()
    inside: list[Path] = []  # inline tables and arrays that are open: the path each is the value of
    last: Path = ()  # of the key that was read last
    line, counted = 1, 0
    for token in _TOKEN.finditer(text):
        start = token.start("table" if token["header"] else 0)
        line, counted = line + text.count("\n", counted, start), start
        if token["header"] and not inside:
            table = last = _parts(token["table"])
            _note(found, table, line)
        elif token["key"]:
            last = (inside[-1] if inside else table) + _parts(token["key"])
            _note(found, last, line)
        elif token["bracket"] in ("[", "{"):
            inside.append(last)
        elif token["bracket"] and inside:
            last = inside.pop()
    return found


def _note(found: dict[Path, int], path: Path, line: int) -> None:
    for length in range(1, len(path) + 1):
        found.setdefault(path[:length], line)


def _parts(keys: str) -> Path:
    return tuple(each.strip("\"'") for each in re.findall(_KEY, keys))


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Return the line of a path; where it stands in none, of the nearest above it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
