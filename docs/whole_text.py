"""A page as one text for who reads no HTML: with the code that it includes, without directives."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FENCED = re.compile(r"```\{([\w-]+)\} ?(.*)\n((?::.*\n)*)(?:.*\n)*?```\n")


def with_code(page: Path) -> str:
    """Return the text of a page with the code that it includes, and without Sphinx's directives."""

    def replaced(found: re.Match[str]) -> str:
        directive, file, lines = found.groups()
        if directive != "literalinclude":
            return ""
        options = dict(re.findall(r'^:([\w-]+): ?"?(.*?)"?$', lines, re.MULTILINE))
        text = part_of((page.parent / file).read_text("utf-8"), options)
        return f"```{options['language']}\n{text.rstrip()}\n```\n"

    return FENCED.sub(replaced, page.read_text("utf-8"))


def part_of(text: str, options: dict[str, str]) -> str:
    """Return the part of a file that a literalinclude with these options shows."""
    if name := options.get("pyobject"):
        node = next(node for node in ast.parse(text).body if getattr(node, "name", "") == name)
        return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    lines = text.splitlines()
    for option, is_kept in (("start-at", True), ("end-before", False), ("end-at", True)):
        if option not in options:
            continue
        number = next(number for number, line in enumerate(lines) if options[option] in line)
        lines = lines[number:] if option == "start-at" else lines[: number + is_kept]
    return "\n".join(lines)
