"""Make `.venv` ready: how play.py and test.py come to a Python that has all they need.

Standard library only. The file must load on Python 3.8 too, to say there what is wrong.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
TAIL = 12  # how many closing lines of a failed tool are shown

# What a sound venv answers: the kind of Python it is, such as cpython-311.
PROBE = "import sys; print(sys.prefix != sys.base_prefix and sys.implementation.cache_tag)"


class SetupError(Exception):
    """A reason to stop that is told in plain words, without a traceback."""


def require_python(version: tuple[int, ...] = sys.version_info[:3]) -> None:
    """Stop with a clear message if this Python is too old."""
    if version[:2] < OLDEST:
        needed, found = (".".join(map(str, v[:2])) for v in (OLDEST, version))
        sys.exit(f"poolkit needs Python {needed} or newer, but this is Python {found}")


def requirements(project: Mapping[str, Any], group: str = "") -> list[str]:
    """List what pyproject.toml asks for at run time and, if named, for one group."""
    dependencies: list[str] = list(project["project"]["dependencies"])
    return dependencies + (list(project["dependency-groups"][group]) if group else [])


def digest(project: Mapping[str, Any], group: str = "", root: Path = ROOT) -> str:
    """Boil down to one hash all that an installation depends on."""
    about = project["project"]
    parts = [
        str(root),  # an editable installation points at its checkout
        sys.implementation.cache_tag,
        about["name"],
        about["version"],
        about["requires-python"],
        project["build-system"],
        requirements(project, group),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Environment:
    """The `.venv` of one checkout."""

    def __init__(self, root: Path = ROOT) -> None:
        """Look at the `.venv` beside the pyproject.toml in `root`, changing nothing yet."""
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        # What was installed for each group ("" is run time), as digests.
        self.stamp = self.folder / "poolkit-stamp.json"
        # Lies there while something is being made, so it outlives only an interruption.
        self.unfinished = self.folder / "poolkit-unfinished"

    def ready(self, group: str = "") -> Path:
        """Make or mend what is needed and give the path of the venv's Python."""
        project = self.project()
        wanted = digest(project, group, self.root)
        fault = self.fault()
        if not fault and self.stamps().get(group) == wanted:
            return self.python
        if not fault and _output([self.python, "-m", "pip", "--version"]) is None:
            fault = "it has no working pip"
        if fault:
            self.make(fault)
        self.install(requirements(project, group))
        # Whoever has a group has the run-time part as well.
        fresh = {"": digest(project, "", self.root), group: wanted}
        self.stamp.write_text(json.dumps({**self.stamps(), **fresh}), encoding="utf-8")
        self.unfinished.unlink()
        return self.python

    def project(self) -> dict[str, Any]:
        """Read pyproject.toml."""
        import tomllib  # noqa: PLC0415 - old Pythons must get as far as the message

        with (self.root / "pyproject.toml").open("rb") as file:
            return tomllib.load(file)

    def stamps(self) -> dict[str, str]:
        """Read what was installed; a stamp that is missing or garbled says nothing."""
        try:
            found = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def fault(self) -> str:
        """Say why the venv must be made anew, or give "" if it is sound."""
        if not self.folder.exists():
            return "there is none"
        if self.unfinished.exists():
            return "an earlier run was interrupted"
        kind = _output([self.python, "-I", "-c", PROBE])
        if kind is None:
            return "its Python does not start"
        if kind == "False":
            return "it is not a virtual environment"
        if kind != sys.implementation.cache_tag:
            return f"it is for {kind}, not {sys.implementation.cache_tag}"
        return ""

    def make(self, reason: str) -> None:
        """Make the venv from nothing, clearing away what is left of an older one."""
        if self.folder.exists() and Path(sys.prefix).resolve() == self.folder.resolve():
            # One cannot saw off the branch one sits on.
            message = f".venv must be remade ({reason}): deactivate it and run this again"
            raise SetupError(message)
        if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
            message = (
                "this Python cannot make virtual environments: "
                "install its venv module (on Debian and Ubuntu the package python3-venv)"
            )
            raise SetupError(message)
        _tell(f"making .venv ({reason}) ...")
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir()
            self.unfinished.touch()
        except OSError as error:
            message = f"cannot replace .venv: {error}"
            raise SetupError(message) from error
        _work([sys.executable, "-m", "venv", self.folder], "could not make .venv")

    def install(self, wanted: Sequence[str]) -> None:
        """Install requirements and, editable, the project itself."""
        _tell(f"installing what {self.root.name} needs into .venv, this may take a minute ...")
        self.unfinished.touch()
        pip = ("-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check")
        command: list[str | Path] = [self.python, *pip, "install", *wanted]
        command += ["--editable", self.root]
        try:
            _work(command, "pip could not install what is needed")
        except SetupError:
            # pip cleans up after a failure, so the venv can be kept for the next try.
            self.unfinished.unlink()
            raise


def call(command: Sequence[str | Path], **surroundings: Any) -> int:
    """Run a program in this terminal and give its exit code, as a shell would."""
    with subprocess.Popen(command, **surroundings) as child:
        try:
            code = child.wait()
        except KeyboardInterrupt:
            # The terminal has told the child too: leave it a moment to end by itself.
            try:
                child.wait(timeout=5)
            except (KeyboardInterrupt, subprocess.TimeoutExpired):
                child.terminate()
            raise
    return code if code >= 0 else 128 - code


def run_script(main: Callable[[list[str]], int]) -> None:
    """Run a script's main and exit, with troubles in one line and a quiet Ctrl-C."""
    require_python()
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _tell(line: str) -> None:
    # On stderr, so that a demo's own output stays clean.
    print(line, file=sys.stderr, flush=True)


def _output(command: Sequence[str | Path]) -> str | None:
    # What a short command prints, or None if it does not run well.
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _work(command: Sequence[str | Path], failure: str) -> None:
    # Run a long command in silence; only if it fails show how it ended.
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        end = "\n".join(f"  {line}" for line in done.stdout.splitlines()[-TAIL:])
        message = f"{failure}; it ended with:\n{end}"
        raise SetupError(message)
