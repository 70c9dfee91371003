"""Check programs as users write them, and that all types of poolkit are known to pyright.

With pyright all programs of the docs, with mypy too what is strict. Whoever writes a game in VS
Code sees what pyright says, and mypy alone wouldn't notice.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from environment import ROOT

sys.path.append(str(ROOT / "tests/support"))
import pages

ANNOTATED = {  # what the README and the pages below leave out
    "(self):": "(self) -> None:",
    "(self, velocity):": "(self, velocity: tuple[float, float]) -> None:",
    "(self, dt):": "(self, dt: float) -> None:",
    "(self, done):": "(self, done: float) -> None:",
    "(self, rows):": "(self, rows: Any) -> None:",
    "(self, rage=1.0):": "(self, rage: float = 1.0) -> None:",
    "calm_down(self) -> None:": "calm_down(self) -> Generator[float, None, None]:",
    "attack(self) -> None:": "attack(self) -> Generator[float, None, None]:",
    "texts = PooledGroup()": "texts: PooledGroup[TextSprite] = PooledGroup()",
}
STRICT = {"README", "docs/howto/type-checking", "docs/howto/animation", "docs/howto/parts"}
STRICT |= {"docs/howto/ten-thousand-bullets", "docs/reference/pooled-sprite"}
LEFT_OUT = {
    "docs/comparison": "a sprite of pygame's, whose rect may be None for its types",
    "docs/howto/convert-a-game": "as above",
    "docs/reference/errors": "it shows mistakes",
    "docs/reference/object-pool": "it gives a class an attribute from outside",
}
WRONG = {"yield None": "yield 'soon'", "hits += 2": "hitz += 2"}  # must be noticed in type-checking


def annotated(program: str) -> str:
    """Return a program with the annotations that its page leaves out."""
    for bare, typed in ANNOTATED.items():
        program = program.replace(bare, typed)
    future = "from __future__ import annotations\n"
    head = f"{future}from collections.abc import Generator\nfrom typing import Any\n"
    return head + program.replace(future, "")


def write(folder: Path) -> None:
    """Write all programs into folders: `plain` as they are, `strict` with types, `wrong`."""
    for kind in ("plain", "strict", "wrong"):
        (folder / kind).mkdir()
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        name = str(page.relative_to(ROOT).with_suffix(""))
        program = "\n".join(block.text for block in pages.programs(page))
        file = name.replace("/", "_").replace("-", "_").replace(".", "_") + ".py"
        if program and name not in LEFT_OUT:
            (folder / "plain" / file).write_text(program, encoding="utf-8")
        if name in STRICT:
            (folder / "strict" / file).write_text(annotated(program), encoding="utf-8")
        if name == "docs/howto/type-checking":
            for right, wrong in WRONG.items():
                program = program.replace(right, wrong)
            (folder / "wrong" / file).write_text(program, encoding="utf-8")


def errors_of(tool: str, *paths: str) -> tuple[str, int]:
    """Return what a tool says, and in how many lines it finds errors."""
    command = [sys.executable, "-m", tool, *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    places = {*re.findall(r"(\S+\.py:\d+).* error: ", said)}
    return said, len(places) or done.returncode


def unknown_types(folder: Path) -> str:
    """Return what pyright says of types of poolkit that checkers would have to guess, if any."""
    # As installed: it looks for `py.typed`, and takes no editable installation.
    shutil.copytree(ROOT / "poolkit", folder / "poolkit", ignore=shutil.ignore_patterns("new_game"))
    path = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
    words = [f"--pythonpath={sys.executable}", "--ignoreexternal", "--verifytypes", "poolkit"]
    command = [sys.executable, "-m", "pyright", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if "Type completeness score: 100%" in done.stdout else done.stdout + done.stderr


def main() -> int:
    """Return 1 if a program is refused, or a wrong one isn't, or a type of poolkit is unknown."""
    with tempfile.TemporaryDirectory(prefix="programs") as name:
        unknown = unknown_types(Path(name))
        write(Path(name))
        strict, wrong = f"{name}/strict", f"{name}/wrong"
        typed = "tests/project/test_typing.py"  # mypy reads it with all tests
        python = f"--pythonpath={sys.executable}"
        right = [errors_of("pyright", python, f"{name}/plain", strict, typed)]
        right.append(errors_of("mypy", strict))
        caught = [errors_of("pyright", python, wrong), errors_of("mypy", wrong)]
    for said, number in right:
        print(said if number else said.splitlines()[-1])
    for said, number in caught:
        if number != len(WRONG):
            print(f"{len(WRONG)} mistakes, {number} noticed:\n{said}")
    print(unknown or "The types of all public and private names are known.")
    is_right = not any(number for _, number in right) and not unknown
    return int(not (is_right and all(number == len(WRONG) for _, number in caught)))


if __name__ == "__main__":
    sys.exit(main())
