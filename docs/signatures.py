#!/usr/bin/env python3
"""Write the signatures of what a page of the reference documents into the page, as a stub.

In HTML the directives below show them with links; who reads the Markdown itself sees the stub.
A test finds pages that are out of date: `python docs/signatures.py` writes them again.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs/reference").glob("*.md"))
STUB = re.compile(r"```pyi\n.*?^```\n\n", re.MULTILINE | re.DOTALL)
DIRECTIVES = re.compile(r"```\{eval-rst\}\n.*?^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(
    r"^\.\. (?P<kind>auto(?:class|function|exception)|currentmodule):: (?P<name>[\w.]+).*\n"
    r"(?P<options>(?:   .*\n|\n(?=   ))*)",
    re.MULTILINE,
)
RUFF = ["-m", "ruff", "format", "-q", "--stdin-filename", "stub.pyi", "-"]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def with_stub(text: str) -> str:
    """Return a page with stubs of what its directives document, above them."""
    return DIRECTIVES.sub(_with_stub, STUB.sub("", text))


def _with_stub(directives: re.Match[str]) -> str:
    module, parts = "", []
    for found in DIRECTIVE.finditer(directives[0]):
        name = found["name"]
        if found["kind"] == "currentmodule":
            module = f"{name}."
        else:
            qualified = name if name.startswith("poolkit.") else module + name
            parts.append("\n".join(_stub(qualified, found["options"])))
    if not parts:
        return directives[0]
    stub = "\n\n".join(parts)
    command = [sys.executable, *RUFF]
    done = subprocess.run(command, input=stub, capture_output=True, text=True, check=True)
    return f"```pyi\n{done.stdout}```\n\n{directives[0]}"


def _stub(name: str, options: str) -> Iterator[str]:
    place, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(place), last)
    node = _parsed(thing)
    if isinstance(node, Function):
        yield _declared(node)
        return
    bases = [base for base in map(ast.unparse, node.bases) if not base.startswith("_")]
    yield f"class {last}({', '.join(bases)}):" if bases else f"class {last}:"
    yield textwrap.indent(_summary(node), "    ") if ast.get_docstring(node) else ""
    for line in _members(thing, node, options):
        yield textwrap.indent(line, "    ")


def _members(kind: type, node: ast.ClassDef, options: str) -> Iterator[str]:
    """Give what the options of a directive ask for, as autodoc understands them."""
    asked = re.search(r":members:(.*)", options)
    named = {name.strip() for name in asked[1].split(",")} - {""} if asked else set[str]()
    seen = set[str]()
    bodies = list(_flat(node.body))
    if named or ":inherited-members:" in options:
        bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("poolkit")]
        bodies += [node_of_base for base in bases for node_of_base in _flat(_parsed(base).body)]
    is_data = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    for statement, following in zip(bodies, [*bodies[1:], None], strict=True):
        name = _name(statement)
        if name is None or (name in seen and not _is_overload(statement)):
            continue
        shown = name in named or bool(asked and not named and not name.startswith("_"))
        if isinstance(statement, Function):
            if name == "__init__" or (shown and ast.get_docstring(_last(bodies, name))):
                seen |= set() if _is_overload(statement) else {name}
                yield _declared(statement)
        elif (is_data or shown) and not name.startswith("_"):
            told = [ast.unparse(following)] if isinstance(following, ast.Expr) else []
            if is_data or told or isinstance(statement, ast.Assign):
                seen.add(name)
                yield "\n".join([_assigned(statement), *told])


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            yield from _flat(statement.body)
        else:
            yield statement


def _last(bodies: list[ast.stmt], name: str) -> Any:
    """Return the function itself, behind its overloads."""
    return next(
        statement
        for statement in bodies
        if _name(statement) == name and not _is_overload(statement)
    )


def _name(node: ast.stmt) -> str | None:
    if isinstance(node, Function):
        setters = (".setter", ".deleter")
        names = [ast.unparse(decorator) for decorator in node.decorator_list]
        return None if any(name.endswith(setters) for name in names) else node.name
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else None


def _is_overload(node: ast.stmt) -> bool:
    return isinstance(node, Function) and "overload" in map(ast.unparse, node.decorator_list)


def _declared(node: Function) -> str:
    shown = ("property", "overload", "classmethod", "staticmethod")
    lines = [
        f"@{name}" for decorator in node.decorator_list if (name := ast.unparse(decorator)) in shown
    ]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    lines.append(f"def {node.name}({ast.unparse(node.args)}){returned}:")
    lines.append(textwrap.indent(_summary(node), "    ") if ast.get_docstring(node) else "    ...")
    return "\n".join(lines)


def _assigned(node: Any) -> str:
    value = node.value
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        made = given.get("default_factory")
        value = given.get("default")
        if made is not None:
            value = ast.parse(f"({ast.unparse(made)})()", mode="eval").body
    if isinstance(node, ast.Assign):
        return f"{ast.unparse(node.targets[0])} = {ast.unparse(value)}"
    if shown := re.fullmatch(r"ClassVar\[_RecordAttribute\[(.+)\]\]", ast.unparse(node.annotation)):
        return f"{ast.unparse(node.target)}: {shown[1]}"  # what reading it gives
    default = f" = {ast.unparse(value)}" if value is not None else ""
    return f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}{default}"


def _summary(node: Function | ast.ClassDef) -> str:
    """Return the first sentence of a docstring, and what it says of arguments."""
    text = ast.get_docstring(node) or ""
    paragraph = text.split("\n\n")[0]
    sentence = re.split(r"(?<=\.)\s", " ".join(paragraph.split()))[0]
    found = re.search(r"^Args:\n(?:(?: .*)?\n?)*", text, re.MULTILINE)
    return f'"""{sentence}\n\n{found[0].rstrip()}\n"""' if found else f'"""{sentence}"""'


def _parsed(thing: Any) -> Any:
    return ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]


def main() -> None:
    """Write what is new into all pages of the reference."""
    for page in PAGES:
        text = page.read_text("utf-8")
        if (new := with_stub(text)) != text:
            page.write_text(new, "utf-8")
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
