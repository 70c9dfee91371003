"""The command line: python -m poolkit audit, verdict, run and demo."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from demo_fixture import ROOT
from poolkit import PoolingSystem, UseAfterDespawnError, pools
from poolkit.devtools import disable_strict
from poolkit.devtools.shell import main, named_prefabs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLEAN = """
    import pygame
    from poolkit import PooledSprite, PoolSettings, Prefab, pools

    IMAGE = pygame.Surface((8, 8)).convert_alpha()  # needs a screen

    class Orc(PooledSprite):
        def __init__(self):
            super().__init__(IMAGE)

        def spawned(self, level=1):
            self.level = level

        def update(self, dt):
            self.level += 1

    orc = Prefab(Orc, name="an orc")
"""
LEAKY = """
    class Elf(Orc):
        arrows = 9

        def update(self, dt):
            self.arrows -= 1

    elf = Prefab(Elf)
    pools.spawn(elf)  # as a game that was left does
"""
FAILING = """
    class Needy(Orc):
        def spawned(self, target):
            self.target = target

    class Broken(Orc):
        def __init__(self):
            raise ValueError("no image")

    needy, broken, last = Prefab(Needy), Prefab(Broken), Prefab(Orc, name="last")
"""


class Shell:
    """The command line, in an empty folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
        return path

    def run(self, *words: object) -> tuple[int, str, str]:
        """Return the exit code, and what was printed."""
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = int(str(end.code))
        out, err = self.capsys.readouterr()
        return code, out, err

    def refused(self, *words: object) -> str:
        """Return the single line that says why something could not be done."""
        code, out, err = self.run(*words)
        assert (code, out) == (2, "")
        [line] = err.splitlines()
        return line


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Shell]:
    """Lend a shell, and leave no trace of what was imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "argv", sys.argv)
    modules = set(sys.modules)
    others = vars(pools).copy()
    vars(pools).update(vars(PoolingSystem()))
    yield Shell(tmp_path, capsys)
    vars(pools).update(others)
    pygame.display.quit()
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


# -- audit ----------------------------------------------------------------------------------------


def test_audit_of_a_leaky_prefab_ends_with_1(shell: Shell) -> None:
    shell.write("game.py", CLEAN + LEAKY)
    code, out, _ = shell.run("audit", "game.py", "--seconds", "0.1")
    assert code == 1
    assert "an orc: clean" in out
    assert re.search(r"Elf\.arrows: fresh 9, respawned \d", out)
    code, out, _ = shell.run("audit", "game:elf", "--seconds", "0.1", "--ignore", "arrows")
    assert (code, out.count("clean")) == (0, 1)
    assert shell.run("audit", "game:an orc", "--seconds", "0.1", "--data", "level=3")[0] == 0


def test_audit_ends_with_2_where_a_prefab_could_not_run_and_looks_at_the_others(
    shell: Shell,
) -> None:
    shell.write("game.py", CLEAN + FAILING)
    code, out, err = shell.run("audit", "game.py", "--seconds", "0.1")
    assert code == 2
    assert [line.split(":")[0] for line in out.splitlines()] == ["an orc", "last"]
    needy, broken = err.splitlines()
    assert needy.startswith("poolkit audit: Needy could not run: TypeError: ")
    assert "target=..." in needy
    assert needy.endswith("; give it with --data, or as Prefab(sample_data=...)")
    assert broken == ("poolkit audit: Broken could not run: ValueError: no image (game.py:25)")


@pytest.mark.usefixtures("small_heap")
def test_verdict_says_a_sentence_for_each_prefab(shell: Shell) -> None:
    shell.write("game/__init__.py", "")
    shell.write(
        "game/monsters.py",
        """
        from poolkit import IPoolableComponent, Prefab

        class Orc(IPoolableComponent):
            def spawned(self, target, word):
                assert target == (3, 0) and word == "hello"

        class Spark(IPoolableComponent):
            def spawned(self, **rest):
                pass

        ALL = {"orc": Prefab(Orc, name="orc"), "spark": Prefab(Spark, name="spark")}
        """,
    )
    words = ("verdict", "game/monsters.py", "--rounds", "3")
    code, out, err = shell.run(*words, "--data", "target=(3,0)", "--data", "word=hello")
    assert (code, err) == (0, "")
    pays = "(pooling pays|pooling does not pay|too close to call)"  # the machine says which
    told = re.findall(rf"^(\w+): .* µs .*; {pays}$", out, re.MULTILINE)
    assert [name for name, _ in told] == ["orc", "spark"]
    code, _, err = shell.run(*words[:1], "game.monsters", *words[2:])
    assert code == 2
    assert "verdict: orc could not run: TypeError: spawning Orc needs target=..." in err


NEEDS_IMAGES = """
    import pygame
    from poolkit import PooledSprite, Prefab

    images = {}

    class Orc(PooledSprite):
        def __init__(self):
            if not images:
                raise pygame.error("No video mode has been set")
            super().__init__(images["orc"])

    def load():
        pygame.display.set_mode((320, 200))
        images["orc"] = pygame.Surface((8, 8)).convert_alpha()

    orc = Prefab(Orc, name="orc")
"""


def test_what_prepares_display_and_images_is_called_before_prefabs_are_looked_for(
    shell: Shell,
) -> None:
    shell.write("game.py", NEEDS_IMAGES)
    line = shell.refused("audit", "game:orc")
    assert line.startswith("poolkit audit: orc could not run: error: No video mode")
    assert "needs a display or images, name what prepares them with --setup" in line
    code, out, err = shell.run("audit", "game.py", "--setup", "game.py:load")
    assert (code, err) == (0, "")
    assert out.startswith("orc: ")
    sys.modules["game"].images.clear()
    for setup, why in {
        "game:lood": "--setup game:lood names no function: write it as game.main:load_images",
        "gmae:load": "gmae can't be imported: ModuleNotFoundError: No module named 'gmae'",
        "game:Orc": "--setup game:Orc raised error: No video mode has been set (game.py:10)",
        "game": "name a module, as in",
    }.items():
        assert why in shell.refused("audit", "game:orc", "--setup", setup)


# -- finding prefabs ------------------------------------------------------------------------------


def test_a_module_has_the_prefabs_it_defines_not_those_it_imports(shell: Shell) -> None:
    shell.write("orcs.py", CLEAN)
    shell.write(
        "game.py",
        """
        from orcs import *
        from orcs import Orc, orc
        from poolkit import pools
        chief = Prefab(Orc, name="chief")
        again = [chief, Prefab(Orc, name="second"), 5]
        pools.register(Prefab(Orc, name="registered"))
        """,
    )
    assert list(named_prefabs("game")) == ["chief", "second", "registered"]
    assert list(named_prefabs("game:orc")) == ["orc"]  # asked for by name, it is found
    assert list(named_prefabs("game:Orc")) == ["Orc"]
    [(name, prefab)] = named_prefabs("game:second").items()
    assert (name, prefab.name) == ("second", "second")


def test_a_file_may_have_the_name_of_another_module(shell: Shell) -> None:
    shell.write("json.py", CLEAN)
    assert list(named_prefabs("json.py")) == ["an orc"]
    assert sys.modules["json"].__name__ == "json"
    assert hasattr(sys.modules["json"], "dumps")


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("gmae", "gmae can't be imported: ModuleNotFoundError: No module named 'gmae'"),
        ("gmae.py", "there is no file gmae.py"),
        ("game.orcs", "game.orcs can't be imported: .* No module named 'game.orcs'"),
        ("alias:Imq", "alias has no prefab 'Imq': did you mean 'Imp'?"),
        ("alias:Orc", "alias has no prefab 'Orc': its prefabs and classes are Imp"),
        ("game:ork", "game has no prefab 'ork': did you mean 'orc'?"),
        ("game:_private", "game has no prefab '_private': its prefabs and classes are"),
        ("game:IMAGE", "game has no prefab 'IMAGE'"),
        ("empty", "empty defines no prefab: it needs a Prefab"),
        ("classes", "classes defines no prefab: .*; for a class write classes:Orc"),
        ("broken", r"broken can't be imported: ZeroDivisionError: .* \(broken.py:1\)"),
        ("wrong.py", r"wrong.py can't be imported: SyntaxError: .*"),
        ("wrong", r"wrong can't be imported: SyntaxError: .* \(wrong.py, line 1\)$"),
        ("missing", r"missing can't be imported: ModuleNotFoundError: No module named 'nowhere'"),
        (
            "leaving",
            "importing leaving ends the program: what plays the game belongs under if __na",
        ),
        ("sys", "sys defines no prefab"),
        ("", "name a module, as in game.monsters:orc"),
        (":orc", "name a module"),
        (".game", "can't be imported"),
    ],
)
def test_bad_input_a_module_or_a_prefab_that_is_none(shell: Shell, target: str, line: str) -> None:
    shell.write("game.py", CLEAN)
    for name, text in {
        "empty": "",
        "alias": "import poolkit\nclass Orc(poolkit.PooledSprite): ...\nImp = Orc\ndel Orc",
        "classes": CLEAN.replace("orc = Prefab", "# orc = Prefab"),
        "broken": "1 / 0",
        "wrong": "def (",
        "missing": "import nowhere",
        "leaving": "import sys; sys.exit()",
    }.items():
        shell.write(f"{name}.py", text)
    assert re.search(f"^poolkit audit: .*{line}", shell.refused("audit", target))


def test_a_module_that_plays_can_be_interrupted_which_says_why_it_does_not_end(
    shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.write("playing.py", "raise KeyboardInterrupt")
    assert main(["audit", "playing"]) == 130
    assert "importing playing was interrupted: what plays the game" in capsys.readouterr().err


# -- demo -----------------------------------------------------------------------------------------


def test_demo_lists_the_demos_ends_as_the_demo_does_and_refuses_what_is_none(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = dict(line.split(maxsplit=1) for line in shell.run("demo")[1].splitlines())
    assert {"cubes", "monsters", "rabbits", "spawner"} <= set(lines)
    assert lines["monsters"].startswith("Orcs, trolls, ogres and dragons")
    shell.write("demos/shared/loop.py", "")
    shell.write("demos/_hidden.py", "")
    shell.write("demos/code.py", "import sys; sys.exit(len(sys.argv))")
    shell.write("demos/stopped.py", "raise KeyboardInterrupt")
    shell.write("demos/none/__main__.py", "'''A folder.'''")
    places = (shell.write("demos/quiet.py", "'''Does nothing.'''\n").parent,)
    monkeypatch.setattr("poolkit.devtools.shell._DEMOS", places)
    for name, code in {"quiet": 0, "code": 3, "none": 0, "stopped": 130}.items():
        assert shell.run("demo", name, "--more", "words")[0] == code
    assert "none     A folder.\nquiet    Does nothing.\n" in shell.run("demo")[1]
    line = shell.refused("demo", "quit")
    assert line == "poolkit demo: there is no demo 'quit': did you mean 'quiet'?"
    assert "the demos are code, none, quiet, stopped" in shell.refused("demo", "xyz")
    monkeypatch.setattr("poolkit.devtools.shell._DEMOS", ())
    assert "the demos are not installed" in shell.refused("demo")


# -- the process ----------------------------------------------------------------------------------


def in_a_process(*words: str, folder: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run ``python -m poolkit`` with no display, in a terminal of few letters, as a user would."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_AUDIODRIVER"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PYTHONPATH": str(ROOT), "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    env["PYTHONIOENCODING"] = "ascii"
    command = [sys.executable, "-m", "poolkit", *words]
    how = {"stdout": subprocess.PIPE} | how
    done = subprocess.run(
        command, cwd=folder, env=env, stderr=subprocess.PIPE, text=True, check=False, **how
    )
    assert done.stderr == ""
    return done


def test_the_current_folder_is_importable_and_no_display_nor_letter_is_needed(shell: Shell) -> None:
    shell.write("game.py", CLEAN.replace("an orc", "\N{GREEK SMALL LETTER OMEGA}rc"))
    assert in_a_process("audit", "game", folder=shell.folder).stdout.startswith("?rc: clean")


def test_a_command_whose_reader_has_gone_ends_without_a_word(shell: Shell) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    assert in_a_process("demo", folder=shell.folder, stdout=writer).returncode == 2
    os.close(writer)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "the following arguments are required: COMMAND"),
        (("adit", "game"), "invalid choice: 'adit'"),
        (("audit",), "the following arguments are required: MODULE"),
        (("audit", "game", "--data", "level"), "'level' is not of the form NAME=VALUE"),
        (("audit", "game", "--seconds", "soon"), "--seconds: invalid float value: 'soon'"),
        (("verdict", "game", "--rounds", "many"), "--rounds: invalid int value: 'many'"),
    ],
)
def test_bad_input_words_that_make_no_sense(
    words: tuple[str, ...], message: str, shell: Shell
) -> None:
    line = shell.refused(*words)
    assert message in line
    assert line.endswith("--help)")


SCENE = """
    import random, sys, pygame
    from poolkit import PooledSprite, pools
    from poolkit.scenes import Scene, run

    LENGTH = 5

    class Title(Scene):
        frames = 0

        def update(self, dt):
            pools.update(dt)
            self.frames += 1
            pools.spawn(PooledSprite, (random.random(), LENGTH))
            if self.frames == LENGTH:
                pygame.event.post(pygame.Event(pygame.QUIT))

        def draw(self, surface):
            print(*surface.get_size())

    title = Title()

    def alone():
        print("alone")

    def main(tape=None):
        run(Title(), (8, 4), tape=tape)

    def leave(tape):
        sys.exit(3)
"""


def test_run_plays_a_scene_its_class_or_a_function(shell: Shell) -> None:
    shell.write("game.py", SCENE)
    assert shell.run("run", "game:Title") == (0, "640 360\n" * 5, "")
    assert shell.run("run", "game:title", "--size", "8x2") == (0, "8 2\n" * 5, "")
    assert shell.run("run", "game:main") == (0, "8 4\n" * 5, "")
    assert shell.run("run", "game:alone") == (0, "alone\n", "")
    assert shell.run("run", "game:leave")[0] == 3
    assert "names no scene and no function: write it as" in shell.refused("run", "game:LENGTH")
    assert "'8' is not of the form WIDTHxHEIGHT" in shell.refused("run", "game:Title", "--size", 8)


def test_what_run_records_is_replayed_with_the_same_scene(shell: Shell) -> None:
    shell.write("game.py", SCENE)
    for game in ("game:Title", "game:main"):
        code, out, _ = shell.run("run", game, "--record", "run.rec")
        assert (code, len(out.splitlines())) == (0, 5)
        code, out, _ = shell.run("replay", "run.rec", game)
        assert (code, out.splitlines()[5:]) == (0, ["run.rec: replayed as it was recorded"])
    sys.modules["game"].LENGTH = 3  # type: ignore[attr-defined]
    code, _, err = shell.run("replay", "run.rec", "game:Title")
    assert (code, "PooledSprite #0001.position: recorded" in err) == (1, True)
    assert "game:alone takes no tape" in shell.refused("run", "game:alone", "--record", "a.rec")
    line = shell.refused("run", "game:Title", "--record", "nowhere/a.rec")
    assert "the recording can't be written" in line


def test_run_with_strict_finds_what_uses_a_life_that_is_over(shell: Shell) -> None:
    used = SCENE.replace("self.frames += 1", "self.use_what_is_over()")
    used += """
    def use_what_is_over(self):
        self.frames += 1
        if self.frames == 1:
            self.sprite = pools.spawn(PooledSprite)
            self.sprite.kill()
        self.sprite.position = 3, 4

    Title.use_what_is_over = use_what_is_over
    """
    shell.write("game.py", used)
    try:
        with pytest.raises(UseAfterDespawnError):
            shell.run("run", "game:Title", "--strict")
    finally:
        disable_strict()
