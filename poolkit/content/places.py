"""What TOML files say that changed, and where a key stands: tomllib doesn't tell."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from typing import Any

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


# -- what has changed -------------------------------------------------------------------------

Tables = dict[str, Any]
_TRIES = 8  # then the whole text is parsed, which is dear for a thousand tables


def tables_of(text: str, former_text: str = "", former: Tables | None = None) -> Tables:
    """Return the tables of a text; those that are as in a former text are the former ones."""
    changed = _with_changes(text, former_text, former) if former else None
    return tomllib.loads(text) if changed is None else changed


def _with_changes(text: str, former_text: str, former: Tables) -> Tables | None:
    """Parse the part that has changed alone, from a header to a header; `None`: it can't be."""
    # In such a string a line may look like a header. In an array it may too, but parses as none.
    if any(quotes in both for quotes in ('"""', "'''") for both in (text, former_text)):
        return None
    shorter = min(len(text), len(former_text))
    start = _first(shorter, lambda n: text[: n + 1] != former_text[: n + 1])
    rest = shorter - start  # what ends alike mustn't begin before that
    same = _first(rest, lambda n: text[-1 - n :] != former_text[-1 - n :])
    for _ in range(_TRIES):
        start = max(0, former_text.rfind("\n[", 0, start) + 1)
        stop = former_text.find("\n[", len(former_text) - same) + 1 or len(former_text)
        same = len(former_text) - stop
        try:
            before = tomllib.loads(former_text[start:stop])
            after = tomllib.loads(text[start : len(text) - same])
        except ValueError:
            before = after = {}
        if before and all(former.get(name) == table for name, table in before.items()):
            if (after.keys() - before.keys()) & former.keys():
                return None
            return _replaced(former, before, after)
        start, same = max(0, start - 1), max(0, same - 1)
    return None


def _first(stop: int, is_past: Any) -> int:
    """Return the first number below `stop` that is past something, as all after it are."""
    return bisect_left(range(stop), 1, key=is_past)


def _replaced(former: Tables, before: Tables, after: Tables) -> Tables:
    """Return the former tables, with those of `after` where those of `before` were."""
    tables: Tables = {}
    for name, table in former.items():
        if name in before:
            tables.update(after)
        else:
            tables[name] = table
    return tables
