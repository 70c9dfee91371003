#!/usr/bin/env python3
"""Build what is released, check it, install it in a clean venv and play it there.

That is poolkit's sdist and wheel, and a wheel of its own for the demos, which are larger than it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from environment import ROOT, ready, run_script
from readme_links import RELATIVE_LINK

LARGEST_WHEEL = 1_500_000  # bytes
DIST = ROOT / "dist"
OFFLINE = 75  # the exit code where no index answers, by convention "try again later"


def main(arguments: list[str]) -> int:
    """Leave what can be released in `dist/`, or exit with what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", metavar="v1.2.3", help="fail unless this is the version's tag")
    tag = parser.parse_args(arguments).tag
    python = ready("release")
    if not an_index_answers(python):
        print("no package index answers, and what is built here is installed from one", flush=True)
        return OFFLINE
    shutil.rmtree(DIST, ignore_errors=True)
    do(python, "-m", "build", "--outdir", DIST, ROOT)
    [wheel] = DIST.glob("*.whl")
    check_release(wheel, tag)
    do(python, "-m", "check_wheel_contents", wheel)
    with tempfile.TemporaryDirectory() as folder:
        stage_demos(Path(folder), wheel.name.split("-")[1])
        do(python, "-m", "build", "--wheel", "--outdir", DIST, folder)
    do(python, "-m", "twine", "check", "--strict", *DIST.iterdir())
    with tempfile.TemporaryDirectory() as folder:
        play(sorted(DIST.glob("*.whl")), Path(folder))
    for file in sorted(DIST.iterdir()):
        print(f"{file}: {file.stat().st_size:,} bytes")
    return 0


def an_index_answers(python: Path) -> bool:
    """Return whether pip reaches the tool that builds the wheels, wherever pip looks for it."""
    pip = "-m", "pip", "-q", "--disable-pip-version-check", "--retries", "1"
    command = [str(python), *pip, "index", "versions", "hatchling"]
    asked = subprocess.run(command, check=False, capture_output=True)
    return asked.returncode == 0


def stage_demos(folder: Path, version: str) -> None:
    """Lay out the project of the demos: they look for their assets two folders up."""
    package = folder / "poolkit_demos"
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    shown = re.findall(r"/?assets/(\w+\.\w+)\)", "".join(page.read_text("utf-8") for page in pages))
    left_out = shutil.ignore_patterns("__pycache__", *shown)
    for name in ("demos", "assets"):
        shutil.copytree(ROOT / name, package / name, ignore=left_out)
    (package / "__init__.py").write_text(
        f'"""The demos of poolkit."""\n\n__version__ = "{version}"\n'
    )
    shutil.copy(ROOT / "LICENSE", folder)
    (package / "demos/wheel.toml").rename(folder / "pyproject.toml")


def check_release(wheel: Path, tag: str | None) -> None:
    """Exit unless the wheel is small enough and, if it has a tag, fit for an index."""
    if (size := wheel.stat().st_size) > LARGEST_WHEEL:
        sys.exit(f"{wheel.name} has {size:,} bytes, more than {LARGEST_WHEEL:,}")
    version = wheel.name.split("-")[1]
    if tag is None:
        return
    if tag != f"v{version}":
        sys.exit(f"the tag {tag} is not that of version {version}: poolkit/__init__.py has it")
    with zipfile.ZipFile(wheel) as files:
        [about] = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        link = RELATIVE_LINK.search(files.read(about).decode())
    if link:
        sys.exit(
            f"an index can't follow {link[0]}: name where poolkit is as Source, in [project.urls]"
        )


def play(wheels: list[Path], folder: Path) -> None:
    """Install the wheels where nothing else is, play a demo, and make a game and audit it."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    do(python, "-m", "pip", "-q", "--disable-pip-version-check", "install", *wheels, folder=folder)
    poolkit = python, "-m", "poolkit"
    do(*poolkit, "demo", "rabbits", "--headless", "--frames", "120", folder=folder)
    do(*poolkit, "new", "mygame", "--physics", folder=folder)
    do(*poolkit, "audit", "level:gem", folder=folder / "mygame")


def do(*command: str | Path, folder: Path = ROOT) -> None:
    """Run a command in a folder, and exit if it fails."""
    if subprocess.call(command, cwd=folder):
        sys.exit(f"this failed: {' '.join(map(str, command))}")


if __name__ == "__main__":
    run_script(main)
