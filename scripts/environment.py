"""Makes the venv that the other scripts run in, and installs what they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info < (3, 11):  # noqa: UP036 - older ones load it too, and get this message
    sys.exit("poolkit needs Python 3.11 or newer, but this is Python " + sys.version.split()[0])

import tomllib

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
VERSION = "import sys; print(*sys.version_info[:2])"
OF_A_VENV = "import sys, pip; assert sys.prefix != sys.base_prefix; print(*sys.version_info[:2])"


def ready(group: str = "", python: str = sys.executable, folder: str = ".venv") -> Path:
    """Return the Python of a venv that has what poolkit and a dependency group need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = project["project"]["dependencies"] + project["dependency-groups"].get(group, [])
    # Install again if the checkout moved, or if its metadata changed.
    wanted = [repr([str(ROOT), project["project"], project["build-system"]]), *needed]
    inside = ROOT / folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = ROOT / folder / "poolkit-installed.txt"
    version = _printed_by(python, VERSION)
    if not version:
        sys.exit(f"{python} is not installed, or does not start")
    if _printed_by(inside, OF_A_VENV) != version:
        _tell_and_do(f"making {folder}", [python, "-m", "venv", "--clear", ROOT / folder])
    elif installed.exists() and {*wanted} <= {*installed.read_text("utf-8").splitlines()}:
        return inside
    pip: list[str | Path] = [inside, "-m", "pip", "-q", "--no-input", "--disable-pip-version-check"]
    _tell_and_do(f"installing into {folder}", [*pip, "install", *needed, "--editable", ROOT])
    installed.write_text("\n".join(wanted), "utf-8")
    return inside


def run_script(main: Callable[[list[str]], int]) -> None:
    """Run a script's main and exit; after Ctrl-C without a traceback."""
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


def _printed_by(python: str | Path, code: str) -> str:
    try:
        return subprocess.check_output([python, "-Ic", code], stderr=subprocess.DEVNULL, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""


def _tell_and_do(what: str, command: list[str | Path]) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)  # a demo's own output stays clean
    if subprocess.call(command, stdout=sys.stderr):
        sys.exit(f"{what} did not work: see above")
