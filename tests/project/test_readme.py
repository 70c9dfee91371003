"""Every Python block of the README runs, in order, as one program."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest

import bench
from poolkit import pools
from poolkit.devtools import shell

README = Path(__file__).parents[2] / "README.md"
FRAMES = 90
TEXT_BLOCK = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


class EndingClock:
    """A clock that closes the window after a while, and never waits."""

    def __init__(self) -> None:
        self.frames = 0

    def tick(self, framerate: float = 0) -> int:
        self.frames += 1
        if self.frames == FRAMES:
            pygame.event.post(pygame.Event(pygame.QUIT))
        return round(1000 / framerate)


def blocks() -> list[tuple[int, str]]:
    text = README.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match.group(1)) for match in found]


def test_every_python_block_of_the_readme_runs_and_the_first_program_prespawned_enough(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pygame.time, "Clock", EndingClock)
    pools.reset()
    namespace: dict[str, Any] = {"__name__": "readme"}
    (line, first), *others = blocks()
    try:
        _run(first, line, namespace)
        stats = pools.pool(namespace["spark"]).stats
        assert stats.spawned == FRAMES
        assert stats.late == 0
        for line, source in others:
            if _can_run(source):
                _run(source, line, namespace)
        namespace["recorder"].stop()
        assert "[" in (tmp_path / "profile.toml").read_text(encoding="utf-8")
    finally:
        pools.reset()
        pygame.quit()
    assert len(others) > 8
    assert "orc" in capsys.readouterr().out


def _can_run(source: str) -> bool:
    """Whether what a block needs besides poolkit's own dependencies is there."""
    return "import numpy" not in source or importlib.util.find_spec("numpy") is not None


def _run(source: str, line: int, namespace: dict[str, Any]) -> None:
    # Blank lines before it give errors the line numbers of the README.
    exec(compile("\n" * line + source, str(README), "exec"), namespace)  # noqa: S102


def test_n11_the_audit_finds_what_the_readme_shows(tmp_path: Path) -> None:
    (source,) = (source for _, source in blocks() if "import audit" in source)
    program = f"from poolkit import PooledSprite, PoolingSystem, Prefab\n{source}"
    (tmp_path / "monsters.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "monsters.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (shown,) = TEXT_BLOCK.findall(README.read_text(encoding="utf-8"))
    assert done.stdout.endswith(shown)


def test_what_the_readme_links_to_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    for path in re.findall(r"\]\(((?!http)[^)#]+)\)", text):
        assert (README.parent / path).exists(), path
    for script in re.findall(r"python3 (scripts/\w+\.py)", text):
        assert (README.parent / script).exists(), script


def test_the_commands_of_the_readme_are_there() -> None:
    text = README.read_text(encoding="utf-8")
    benchmarks = set(re.findall(r"scripts/bench\.py (\w+)", text))
    assert benchmarks
    assert benchmarks <= bench.BENCHMARKS.keys()
    commands = set(re.findall(r"python -m poolkit (\w+)", text))
    assert commands
    for command in commands:
        with pytest.raises(SystemExit) as told:
            shell.main([command, "--help"])
        assert told.value.code == 0
