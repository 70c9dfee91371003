"""The scripts make what is missing and nothing else, run what is asked, and say what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from typing import TYPE_CHECKING, Any

import pytest

import environment
import play

if TYPE_CHECKING:
    from pathlib import Path

ROOT = environment.ROOT
PROJECT = """\
[build-system]
requires = ["kiln"]
[project]
name = "sample"
dependencies = ["sand", "water>=2"]
[dependency-groups]
dev = ["sieve"]
"""


def test_t05_at_run_time_two_libraries_are_needed_and_by_benchmarks_what_tests_have() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [line.split(">")[0] for line in project["project"]["dependencies"]]
    assert names == ["pygame-ce", "pymunk"]
    groups = project["dependency-groups"]
    assert set(groups["bench"]) <= set(groups["dev"])


# -- the venv ---------------------------------------------------------------------------------


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to a checkout that has a sound venv, in which nothing is installed yet."""
    done: list[str] = []
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "_tell_and_do", lambda what, _: done.append(what.split()[0]))
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    venv.create(tmp_path / ".venv", symlinks=os.name != "nt")  # without pip, and so made at once
    [packages] = (tmp_path / ".venv").glob("[Ll]ib/**/site-packages")
    (packages / "pip.py").touch()
    return done


def change(file: str, old: str, new: str) -> None:
    path = environment.ROOT / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_what_is_installed_once_is_not_installed_again_and_who_can_test_can_play(
    done: list[str],
) -> None:
    python = environment.ready("dev")
    assert python.is_relative_to(environment.ROOT / ".venv")
    assert done == ["installing"]
    environment.ready("dev")
    environment.ready()
    assert done == ["installing"]


@pytest.mark.parametrize(
    ("old", "new"),
    [('"sand"', '"sand<9"'), ('"sieve"', '"scale"'), ("kiln", "oven"), ("sample", "other")],
)
def test_what_is_needed_anew_is_installed(done: list[str], old: str, new: str) -> None:
    environment.ready("dev")
    change("pyproject.toml", old, new)
    environment.ready("dev")
    assert done == ["installing"] * 2


def test_a_checkout_that_was_moved_is_installed_anew(
    done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.ready()
    moved = environment.ROOT.rename(environment.ROOT.with_name("moved"))
    monkeypatch.setattr(environment, "ROOT", moved)
    environment.ready()
    assert done == ["installing"] * 2


@pytest.mark.parametrize("broken", ["pyvenv.cfg", "python", "pip.py", "version"])
def test_a_venv_that_is_broken_or_of_another_python_is_made_anew(
    done: list[str], broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = environment.ready()
    if broken == "version":
        monkeypatch.setattr(environment, "VERSION", "print(3, 99)")
    else:
        [path] = [python] if broken == "python" else (environment.ROOT / ".venv").rglob(broken)
        path.unlink()
    environment.ready()
    assert done == ["installing", "making", "installing"]


@pytest.mark.usefixtures("done")
def test_bad_input_a_python_that_is_not_installed_is_told_in_a_line() -> None:
    with pytest.raises(SystemExit, match=r"^python9\.9 is not installed, or does not start$"):
        environment.ready("dev", "python9.9", ".venv-9.9")


def test_a_step_that_fails_ends_the_script_with_its_own_words_and_a_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match=r"^making it did not work: see above$"):
        environment._tell_and_do("making it", [sys.executable, "-c", "print('no room'); exit(1)"])
    assert capfd.readouterr() == ("", "making it ...\nno room\n")


def test_bad_input_an_old_python_is_told_which_one_is_needed() -> None:
    script = f"import sys; sys.path[0] = {str(ROOT / 'scripts')!r}; sys.version_info = (3, 8)"
    command = [sys.executable, "-c", f"{script}; import environment"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("poolkit needs Python 3.11 or newer, but this is Python 3.")
    assert done.returncode == 1


def test_ctrl_c_ends_a_script_without_a_word() -> None:
    def interrupted(_: list[str]) -> int:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as caught:
        environment.run_script(interrupted)
    assert caught.value.code == 130


# -- what is run ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "monsters"),
        ("--seed 3", "monsters --seed 3"),
        ("cubes --headless", "cubes --headless"),
    ],
)
def test_play_plays_the_demo_that_is_named(
    words: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(play, "ready", lambda: "python")

    def call(command: list[str]) -> int:
        called.append(" ".join(command))
        return 7

    monkeypatch.setattr("subprocess.call", call)
    assert play.main(words.split()) == 7
    assert called == [f"python -m poolkit demo {told}"]


class Script:
    """`scripts/test.py`, which notes what it would run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: list[str] = []
        self.venvs: list[tuple[str, ...]] = []
        names: dict[str, Any] = {"__name__": "script"}
        exec((ROOT / "scripts" / "test.py").read_text(encoding="utf-8"), names)  # noqa: S102 - ours
        names["ready"], self.main = self.ready, names["main"]
        monkeypatch.setattr("subprocess.run", self.run)
        monkeypatch.setattr("subprocess.call", self.run)

    def ready(self, *about: str) -> str:
        self.venvs.append(about)
        return "python"

    def run(self, command: list[str], **_: Any) -> Any:
        self.ran.append(" ".join(command).removeprefix("python -m "))
        return subprocess.CompletedProcess(command, returncode="mypy" in command, stdout=b"said")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    return Script(monkeypatch)


def test_every_check_runs_even_if_one_fails_and_the_table_says_which(
    script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main([]) == 1
    assert script.venvs == [("dev",)]
    rooms = ("core", "sprites", "physics", "scenes", "devtools", "project")
    runs = [f"coverage run -m pytest -p no:cacheprovider tests/{room}" for room in rooms]
    assert {"mypy", "ruff check .", *runs} <= set(script.ran)
    assert script.ran[0] == "coverage erase"
    assert "report" in script.ran[-1]
    lines = capsys.readouterr().out.splitlines()[-13:]
    assert {tuple(line.split()[:2]) for line in lines} >= {("types", "FAILED"), ("lint", "ok")}


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        ("--only lint format", ["ruff check .", "ruff format --check ."]),
        ("--docs", ["sphinx -q -E -a -W --keep-going docs docs/_build"]),
        ("-- -x tests/core", ["pytest -x tests/core"]),
    ],
)
def test_x12_what_is_asked_for_runs_alone(script: Script, words: str, ran: list[str]) -> None:
    assert script.main(words.split()) == 0
    assert script.ran == ran


@pytest.mark.parametrize("asked", ["3.13", "python3.13"])
def test_another_python_runs_the_tests_in_a_venv_of_its_own(script: Script, asked: str) -> None:
    assert script.main(["--python", asked]) == 0
    assert script.venvs == [("dev", "python3.13", ".venv-3.13")]
    assert all(line.startswith("pytest -p no:cacheprovider ") for line in script.ran)
