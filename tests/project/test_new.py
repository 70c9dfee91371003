"""`python -m poolkit new` makes a game that plays, passes its tests, its types and its audit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from poolkit.devtools import new, shell

ROOT = Path(__file__).parents[2]
PLAY = """
import runpy, pygame
import pages
from poolkit import pools
pygame.Clock = pages.EndingClock
spawned = []
pools.on_spawn(spawned.append)
runpy.run_path("main.py", run_name="__main__")
print(len(spawned))
"""

# Hands each line to `python -m poolkit`; a game that is played there leaves after some frames.
COMMANDS = """
import sys
import pygame, pages
from poolkit.devtools import shell

for line in sys.argv[1:]:
    pygame.Clock = pages.EndingClock
    print("ends with", shell.main(line.split()), line, flush=True)
shell.main(["--help"])
"""
LINES = [
    "audit level:gem",
    "verdict level:ruby --rounds 3",
    "content check level:book",
    "content schema level:book",
    "content tiled level:book",
    "show level:book --frames 2",
    "new another",
    "demo",
    "run level:Level --record run.rec --strict",  # strict mode stays on
    "replay run.rec level:Level",
]


def done(folder: Path, *words: str) -> str:
    """Run Python in a folder; return what it printed."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests/support")])
    environment = os.environ | {"PYTHONPATH": path, "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment | {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("options", [[], ["--physics"]], ids=["plain", "physics"])
def test_a_new_game_plays_and_passes_its_own_checks(options: list[str], tmp_path: Path) -> None:
    game = tmp_path / "meteors"
    assert shell.main(["new", str(game), *options]) == 0
    files = {str(path.relative_to(game)): path for path in game.rglob("*") if path.is_file()}
    assert ("world.step" in files["gem.py"].read_text(encoding="utf-8")) is bool(options)
    are_binary = {".png", ".ttf"}
    texts = {
        name: path.read_text(encoding="utf-8")
        for name, path in files.items()
        if path.suffix not in are_binary
    }
    assert "mygame" not in "".join(texts.values())
    assert 'name = "meteors"' in texts["pyproject.toml"]
    assert sum(text.count("\n") for text in texts.values()) <= 250
    assert int(done(game, "-c", PLAY).split()[-1]) > 1
    assert "5 passed" in done(game, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "clean" in done(game, "-m", "poolkit", "audit", "level")
    assert "no issues" in done(game, "-m", "mypy", "--cache-dir", str(tmp_path))
    (game / "commands.py").write_text(COMMANDS, encoding="utf-8")
    told = done(game, "commands.py", *LINES)
    assert re.findall(r"ends with (.+)", told) == [f"0 {line}" for line in LINES]
    assert re.search(r"^ruby: .*(pays|not pay|to call)$", told, re.MULTILINE)
    commands = re.findall(r"^    (\w+)  ", told, re.MULTILINE)
    assert set(commands) == {line.split()[0] for line in LINES}
    said = re.findall(r"python (?:-m )?([\w.]+)", texts["README.md"])
    assert said == ["main.py", "pytest", "mypy", "poolkit", "poolkit", "pygbag"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("here", "here is there already: choose another name"),
        (".", ". is there already: choose another name"),
        ("a b", "'a b' can't name a game"),
        ("-x-", "'-x-' can't name a game"),
        ("pygame", "'pygame' is the name of a module or package, which the game would hide"),
        ("Pygame-CE", "'Pygame-CE' is the name of a module or package"),
        ("random", "'random' is the name of a module or package"),
        ("poolkit", "'poolkit' is the name of a module or package"),
        ("here/file/game", "Not a directory"),
    ],
)
def test_bad_input_a_folder_that_can_not_be_made_is_told_in_a_line(
    name: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here/file").touch()
    assert shell.main(["new", "--", name]) == 2
    assert why in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_what_installers_compile_is_no_part_of_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "plain/__pycache__"
    kept.mkdir(parents=True)
    (kept / "main.pyc").write_bytes(b"\xff")
    monkeypatch.setattr(new, "_TEMPLATES", tmp_path)
    assert new.new_game(tmp_path / "game") == ["letters.ttf"]
