"""The scripts get their lists right, see a broken venv, and speak clearly when stuck."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
import venv
from typing import TYPE_CHECKING, Any

import pytest

import environment
import play
from environment import Environment, SetupError

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: dict[str, Any] = {
    "project": {
        "name": "sample",
        "version": "1.0",
        "description": "one",
        "requires-python": ">=3.11",
        "dependencies": ["sand", "water>=2"],
    },
    "dependency-groups": {"dev": ["sieve"]},
    "build-system": {"requires": ["kiln"]},
}


def changed(table: str, key: str, value: object) -> dict[str, Any]:
    project = copy.deepcopy(PROJECT)
    project[table][key] = value
    return project


@pytest.fixture
def made(tmp_path: Path) -> Environment:
    """A real venv, without pip and so made at once."""
    venv.create(tmp_path / ".venv", symlinks=os.name != "nt")
    return Environment(tmp_path)


def test_playing_needs_only_the_run_time_dependencies() -> None:
    assert environment.requirements(PROJECT) == ["sand", "water>=2"]


def test_testing_needs_the_dev_group_as_well() -> None:
    assert environment.requirements(PROJECT, "dev") == ["sand", "water>=2", "sieve"]


def test_the_real_project_asks_for_nothing_but_the_two_libraries_at_run_time() -> None:
    names = [line.split(">")[0] for line in environment.requirements(Environment().project())]
    assert names == ["pygame-ce", "pymunk"]


def test_t05_the_benchmarks_need_nothing_that_the_tests_have_not() -> None:
    project = Environment().project()
    ours, theirs = (set(environment.requirements(project, name)) for name in ("dev", "bench"))
    assert theirs <= ours


def test_the_scripts_want_the_same_python_as_the_project() -> None:
    oldest = ".".join(map(str, environment.OLDEST))
    assert Environment().project()["project"]["requires-python"] == f">={oldest}"


@pytest.mark.parametrize(
    "project",
    [
        changed("project", "dependencies", ["sand"]),
        changed("project", "version", "1.1"),
        changed("build-system", "requires", ["oven"]),
    ],
)
def test_the_digest_changes_with_whatever_is_installed(project: dict[str, Any]) -> None:
    assert environment.digest(project) != environment.digest(PROJECT)


def test_the_digest_changes_when_the_checkout_moves(tmp_path: Path) -> None:
    assert environment.digest(PROJECT, root=tmp_path) != environment.digest(PROJECT)


def test_the_digest_of_playing_does_not_care_about_the_dev_group() -> None:
    other = changed("dependency-groups", "dev", ["sieve", "scale"])
    assert environment.digest(other) == environment.digest(PROJECT)
    assert environment.digest(other, "dev") != environment.digest(PROJECT, "dev")


def test_the_digest_does_not_care_about_words() -> None:
    other = changed("project", "description", "two")
    assert environment.digest(other) == environment.digest(PROJECT)


def test_a_missing_venv_is_seen(tmp_path: Path) -> None:
    assert Environment(tmp_path).fault() == "there is none"


def test_a_sound_venv_has_no_fault(made: Environment) -> None:
    assert made.fault() == ""


def test_an_interrupted_venv_is_seen(made: Environment) -> None:
    made.unfinished.touch()
    assert made.fault() == "an earlier run was interrupted"


def test_a_venv_whose_python_is_gone_is_seen(made: Environment) -> None:
    made.python.unlink()
    assert made.fault() == "its Python does not start"


def test_a_venv_that_would_leak_into_the_system_is_seen(made: Environment) -> None:
    (made.folder / "pyvenv.cfg").unlink()
    assert made.fault() != ""


def test_a_venv_of_another_python_is_seen(
    made: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "PROBE", "print('cpython-27')")
    assert made.fault() == f"it is for cpython-27, not {sys.implementation.cache_tag}"


def test_a_garbled_stamp_says_nothing(made: Environment) -> None:
    for text in ("{", "[]", ""):
        made.stamp.write_text(text, encoding="utf-8")
        assert made.stamps() == {}


def test_with_the_right_stamp_nothing_is_installed(
    made: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(made, "project", lambda: PROJECT)
    monkeypatch.setattr(made, "install", lambda _: pytest.fail("installed again"))
    digest = environment.digest(PROJECT, "dev", made.root)
    made.stamp.write_text(json.dumps({"dev": digest}), encoding="utf-8")
    assert made.ready("dev") == made.python


def test_what_is_ready_for_testing_is_ready_for_playing(
    made: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(made, "project", lambda: PROJECT)
    monkeypatch.setattr(environment, "_output", lambda _: sys.implementation.cache_tag)
    monkeypatch.setattr(environment, "_work", lambda *_: None)
    made.ready("dev")
    assert not made.unfinished.exists()
    monkeypatch.setattr(made, "install", lambda _: pytest.fail("installed again"))
    made.ready()


def test_a_failing_pip_is_told_by_its_last_words_and_costs_no_venv(made: Environment) -> None:
    # This venv has no pip, so running it is a failure that needs no network.
    with pytest.raises(SetupError, match=r"pip could not install.*\n.*No module named pip"):
        made.install(["sand"])
    assert made.fault() == ""


def test_a_python_without_venv_names_the_package_to_install(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SetupError, match="python3-venv"):
        Environment(tmp_path).make("there is none")


def test_the_venv_in_use_is_not_torn_down(
    made: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "prefix", str(made.folder))
    with pytest.raises(SetupError, match="deactivate"):
        made.make("any reason")
    assert made.fault() == ""


def test_an_old_python_is_told_which_one_is_needed() -> None:
    environment.require_python((3, 11, 0))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, but this is Python 3\.8"):
        environment.require_python((3, 8, 18))


def test_without_a_name_the_default_demo_gets_all_options() -> None:
    assert play.choose(["--seed", "3"], ["monsters"]) == ("monsters", ["--seed", "3"])


def test_a_named_demo_gets_the_options_behind_its_name() -> None:
    assert play.choose(["rain", "-v"], ["monsters", "rain"]) == ("rain", ["-v"])


def test_a_misspelt_demo_is_answered_with_the_near_one_and_all_there_are() -> None:
    with pytest.raises(SetupError) as caught:
        play.choose(["monster"], ["monsters", "rain"])
    told = "unknown demo 'monster' - did you mean monsters? (the demos: monsters, rain)"
    assert str(caught.value) == told


def test_only_public_python_files_are_demos(tmp_path: Path) -> None:
    (tmp_path / "demos").mkdir()
    for name in ("rain.py", "_shared.py", "notes.txt", "bees.py"):
        (tmp_path / "demos" / name).touch()
    assert play.demos(tmp_path) == ["bees", "rain"]


def run_inside(demo: Path, *options: str) -> subprocess.CompletedProcess[str]:
    script = str(environment.ROOT / "scripts" / "play.py")
    command = [sys.executable, script, play.INSIDE, str(demo), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_demo_gets_its_options_and_its_exit_code_comes_through(tmp_path: Path) -> None:
    demo = tmp_path / "demo.py"
    demo.write_text("import sys; print(__name__, sys.argv[1:]); sys.exit(7)", encoding="utf-8")
    done = run_inside(demo, "--fast")
    assert (done.returncode, done.stdout.strip()) == (7, "__main__ ['--fast']")


def test_ctrl_c_ends_a_demo_without_a_traceback(tmp_path: Path) -> None:
    demo = tmp_path / "demo.py"
    demo.write_text("raise KeyboardInterrupt", encoding="utf-8")
    done = run_inside(demo)
    assert (done.returncode, done.stderr) == (130, "")
