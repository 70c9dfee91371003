"""The scripts make what is missing and nothing else, run what is asked, and say what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import environment
import film
import package
from recorder import raising

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_at_run_time_two_libraries_are_needed_and_by_other_scripts_what_tests_have() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = [line.split(">")[0] for line in project["project"]["dependencies"]]
    assert names == ["pygame-ce", "pymunk"]
    groups = project["dependency-groups"]
    assert set(groups["bench"] + groups["release"]) <= set(groups["dev"])


@pytest.fixture
def done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to a checkout that has a sound venv, in which nothing is installed yet."""
    done: list[str] = []
    for name, value in (("ROOT", tmp_path), ("VERSION", environment.VERSION)):
        monkeypatch.setattr(environment, name, value)  # whatever a test makes of them
    monkeypatch.setattr(environment, "_tell_and_do", lambda what, _: done.append(what.split()[0]))
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    venv.create(tmp_path / ".venv", symlinks=os.name != "nt")  # without pip, and so made at once
    [packages] = (tmp_path / ".venv").glob("[Ll]ib/**/site-packages")
    (packages / "pip.py").touch()
    return done


def needed(old: str, new: str) -> None:
    file = environment.ROOT / "pyproject.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def broken(name: str) -> None:
    next((environment.ROOT / ".venv").rglob(name)).unlink()


def moved() -> None:
    environment.ROOT = environment.ROOT.rename(environment.ROOT.with_name("moved"))


AGAIN, ANEW = ["installing"], ["making", "installing"]
CHANGES: dict[str, tuple[Callable[[], None], list[str]]] = {
    "nothing": (lambda: None, []),
    "a dependency": (partial(needed, '"sand"', '"sand<9"'), AGAIN),
    "one of a group": (partial(needed, '"sieve"', '"scale"'), AGAIN),
    "how it is built": (partial(needed, "kiln", "oven"), AGAIN),
    "its name": (partial(needed, "sample", "other"), AGAIN),
    "its place": (moved, AGAIN),
    "no venv": (partial(broken, "pyvenv.cfg"), ANEW),
    "no Python": (partial(broken, "python"), ANEW),
    "no pip": (partial(broken, "pip.py"), ANEW),
    "another Python": (lambda: setattr(environment, "VERSION", "print(3, 99)"), ANEW),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_there_is_not_made_again_but_what_is_broken_or_needed_anew_is(
    done: list[str], what: str
) -> None:
    change, is_done = CHANGES[what]
    python = environment.ready("dev")
    assert python.is_relative_to(environment.ROOT / ".venv")
    change()
    environment.ready("dev")
    assert done == ["installing", *is_done]
    if what == "nothing":
        environment.ready("play")  # who can test can play
        assert done == ["installing"]


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


def test_a_film_has_a_picture_for_each_fourth_frame(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    file = tmp_path / "rabbits.webp"
    options = [film.INSIDE, "rabbits", str(file), "--begin", "4", "--frames", "12"]
    command = [sys.executable, film.__file__, *options]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    with image.open(file) as found:
        assert found.n_frames == 3


def test_ctrl_c_ends_a_script_without_a_word() -> None:
    with pytest.raises(SystemExit) as caught:
        environment.run_script(raising(KeyboardInterrupt()))
    assert caught.value.code == 130


ROOMS = "checkpoints", "content", "core", "devtools", "physics", "scenes", "sprites", "swarms"
PLAYING = "bullets", "demos", "docs", "rabbits", "recorded_demos"
PLAYED = [f"tests/project/test_{name}.py" for name in PLAYING]
REST = " ".join(["tests/project", *(f"--ignore={file}" for file in PLAYED)])
MEASURED = [
    f"pytest -p no:cacheprovider {place}"
    for place in sorted(["poolkit", *(f"tests/{room}" for room in ROOMS), REST])
]
DEMOS = " ".join(["pytest -p no:cacheprovider", *PLAYED])
EVERY = sorted([*MEASURED, DEMOS])
RUN: dict[str, tuple[list[str], str]] = {
    "play": (["poolkit demo browser"], "play"),
    "play --seed 3": (["poolkit demo browser --seed 3"], "play"),
    "play cubes --headless": (["poolkit demo cubes --headless"], "play"),
    "test --only lint format": (["ruff check .", "ruff format --check ."], "dev"),
    "test --docs": (["sphinx -q -E -a -W --keep-going docs docs/_build"], "dev"),
    "test -- -x tests/core": (["pytest -x tests/core"], "dev"),
    "test --python 3.13": (EVERY, "dev python3.13 .venv-3.13"),
    "test --python python3.13": (EVERY, "dev python3.13 .venv-3.13"),
}


class Script:
    """A script that only notes what it would run; of that, mypy fails."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran: list[str] = []
        self.codes = {"mypy": 1}
        self.venv = ""
        names: dict[str, Any] = {"__name__": name}
        exec((ROOT / f"scripts/{name}.py").read_text(encoding="utf-8"), names)  # noqa: S102 - ours
        names["ready"], self.main = self.ready, names["main"]
        monkeypatch.setattr("subprocess.run", self.run)
        monkeypatch.setattr("subprocess.call", lambda command: self.run(command).returncode)

    def ready(self, *about: str) -> str:
        self.venv = " ".join(about)
        return "python"

    def run(self, command: list[str], **_: Any) -> Any:
        self.ran.append(" ".join(map(str, command)).removeprefix("python -m "))
        code = next((code for word, code in self.codes.items() if word in command), 0)
        return subprocess.CompletedProcess(command, code, stdout=b"said")


@pytest.mark.parametrize("words", RUN)
def test_what_is_asked_for_runs_alone(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, *options = words.split()
    script = Script(name, monkeypatch)
    assert script.main(options) == 0
    assert (sorted(script.ran), script.venv) == RUN[words]


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_who_asks_how_to_play_is_told_before_anything_is_installed(
    word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Script("play", monkeypatch)
    assert script.main([word]) == 0
    assert (script.ran, script.venv) == ([], "")
    said = capsys.readouterr().out
    assert said.startswith("usage: play.py")
    assert "\ndemos: browser, bullets, cubes, monsters, rabbits, rewind, spawner" in said


def test_a_quick_check_plays_no_demo_builds_nothing_and_measures_no_coverage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TESTS_MOST_EXAMPLES", "")  # what the script sets ends with the test
    script = Script("test", monkeypatch)
    assert script.main(["--quick"]) == 1  # mypy fails here
    assert {"mypy", "ruff check .", "pytest -p no:cacheprovider tests/core"} <= {*script.ran}
    left_out = "demos", "coverage", "package", "sphinx", "check_programs"
    assert not [line for line in script.ran if any(word in line for word in left_out)]
    assert os.environ["TESTS_MOST_EXAMPLES"] == "10"


def test_every_check_runs_even_if_one_fails_and_the_table_says_which(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Script("test", monkeypatch)
    assert script.main([]) == 1
    assert {"mypy", "ruff check ."} <= set(script.ran)
    assert {DEMOS, *(f"coverage run -m {run}" for run in MEASURED)} <= set(script.ran)
    assert script.ran[0] == "coverage erase"
    assert "report" in script.ran[-1]
    lines = capsys.readouterr().out.splitlines()[-20:]
    assert {tuple(line.split()[:2]) for line in lines} >= {("types", "FAILED"), ("lint", "ok")}


@pytest.mark.parametrize(("host", "result"), [("", "SKIPPED"), ("true", "FAILED")])
def test_without_an_index_nothing_is_packaged_and_only_a_host_of_the_project_minds(
    host: str, result: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", host) if host else monkeypatch.delenv("CI", raising=False)
    script = Script("test", monkeypatch)
    script.codes = {"scripts/package.py": package.OFFLINE, "index": 1}
    assert script.main(["--only", "package", "lint"]) == (result == "FAILED")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in sorted(lines[-2:])] == ["ok", result]
    monkeypatch.setattr(package, "ready", lambda _: Path("python"))
    assert package.main([]) == package.OFFLINE
