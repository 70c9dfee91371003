"""The pytest plugin: what its fixtures and its option do in the tests of a game."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import pytest_poolkit
from poolkit import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., pytest.RunResult]

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
GAME = """
    import os
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    from poolkit import PooledGroup, PooledSprite, Prefab, PoolSettings, pools as process

    monsters = PooledGroup()

    class Orc(PooledSprite):
        def spawned(self):
            self.hp = 30

    class Grunt(Orc):
        pass  # names the prefab: an explicit name would be taken in the next run here

    orc = Prefab(Grunt, groups=[monsters])

    def spawn_wave():
        return process.spawn_many(orc, [(0, 0)] * 3)  # the wave
"""


@pytest.fixture
def game(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a place with a game, where the plugin is found whether it is installed or not."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delitem(sys.modules, "game", raising=False)
    pytester.makepyfile(game=GAME)
    pytester.makeini("[pytest]\npythonpath = .\naddopts = --strict-markers -p pytest_poolkit\n")
    return pytester


@pytest.fixture
def run(game: pytest.Pytester) -> Run:
    """Return a function that runs tests of the game."""

    def run(tests: str, *options: str) -> pytest.RunResult:
        game.makepyfile(test_game="from game import *\nimport pytest\n" + textwrap.dedent(tests))
        return game.runpytest_inprocess("-p", "no:cacheprovider", *options)

    return run


def test_the_fixture_pools_is_a_fresh_strict_system_in_each_test(run: Run) -> None:
    result = run("""
        from poolkit import UseAfterDespawnError
        from poolkit.devtools import is_strict
        seen = []

        def test_one(pools):
            sprite = pools.spawn(orc)
            sprite.kill()
            pools.update(0.1)
            seen.append(pools)
            sprite.mood = "glad"

        def test_two(pools):
            assert is_strict(pools) and pools is not seen[0] and pools is not process
            assert len(pools._context.life_watchers) == 1  # no chaos
            assert pools.all_pools() == ()
            assert len(monsters) == 0
            with pytest.raises(Exception, match="disposed of"):
                seen[0].spawn(orc)
            pools.spawn(orc)  # it need not return anything

        def test_process(process_pools):
            spawn_wave()
    """)
    result.assert_outcomes(passed=2, failed=1)
    # The line that misused an instance is shown, and none of poolkit's own.
    result.stdout.re_match_lines([r">\s+sprite.mood = \"glad\"", r"E .*'mood' was written"])
    result.stdout.no_fnmatch_line("*strict.py*")
    result.stdout.no_fnmatch_line("poolkit: *")


def test_what_a_test_did_not_return_is_listed_by_place_of_spawn_if_it_is_to_blame(
    run: Run,
) -> None:
    result = run(
        """
        from poolkit.devtools import disable_strict

        def test_wave(pools):
            pools.spawn_many(orc, [(0, 0)] * 2)
            pools.spawn(Orc)
            pools.spawn(orc, persistent=True)

        def test_after():
            assert len(monsters) == 0

        @pytest.mark.poolkit_allow_unreturned
        def test_marked(pools):
            pools.spawn(orc)

        def test_failing_anyway(pools):
            pools.spawn(orc)
            assert False

        @pytest.fixture
        def player(pools):
            yield (player := pools.spawn(orc))
            player.kill()

        def test_with_a_fixture(player):
            assert player.active

        def test_closing_by_itself(pools):
            disable_strict(pools)
            pools.spawn(orc)
            pools.dispose()
        """,
        "-o",
        "poolkit_check_unreturned=true",
    )
    result.assert_outcomes(passed=5, failed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_wave*",
            "3 instances were spawned and not returned:",
            "  2 Grunt: test_game.py:7 in test_wave",
            "  1 Orc: test_game.py:8 in test_wave",
            "*poolkit_check_unreturned*@pytest.mark.poolkit_allow_unreturned",
        ]
    )


def test_what_is_left_in_the_last_frame_and_hooks_of_the_disposal_are_errors_of_that_test(
    run: Run,
) -> None:
    result = run("""
        def test_graveyard(pools):
            sprite = pools.spawn(orc)
            sprite.kill()
            monsters.add(sprite)

        class Sore(Orc):
            def despawned(self):
                raise RuntimeError("ouch")

        def test_sore(pools):
            pools.spawn(Sore)
    """)
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["*PoolError: Grunt #0001 is still in <PooledGroup(1 *"])
    result.stdout.fnmatch_lines(["*RuntimeError: ouch"])


def test_code_that_uses_the_processs_system_is_tested_with_process_pools(run: Run) -> None:
    pools.reset()
    reuse = pools._context.reuse
    result = run("""
        from poolkit.devtools import is_strict
        title = process.spawn(orc, persistent=True)

        @pytest.mark.poolkit_check_unreturned
        def test_wave(process_pools):
            assert process_pools is process and is_strict(process)
            spawn_wave()
            process.spawn(Orc, persistent=True)

        def test_after(process_pools):
            process.configure(pooling=False)
            assert list(monsters) == [title]
            assert process.pool(orc).active_count == 1

        def test_without():
            assert title.hp == 30 and not is_strict(process) and process._context.pooling
            process.detach(title)
            title.kill()
    """)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["  3 Grunt: game.py:17 in spawn_wave"])
    assert pools._context.life_watchers == ()
    assert pools._context.reuse == reuse
    pools.reset()


CHAOTIC = """
    from poolkit import ObjectPool, PoolingSystem

    def order(system):
        sprites = system.spawn_many(orc, [(0, 0)] * 30)
        numbers = {id(sprite): n for n, sprite in enumerate(sprites)}
        system.despawn_all()
        return [numbers.get(id(sprite)) for sprite in system.spawn_many(orc, [(0, 0)] * 30)]

    def test_own():
        order(PoolingSystem()) == list(range(30)) or pytest.fail("OWN")

    def test_of_the_process():
        numbers = order(process)
        process.reset()
        numbers == list(range(30)) or pytest.fail("PROCESS " + str(numbers))

    def test_fixture(pools):
        assert len(pools._context.life_watchers) == 2
        assert ObjectPool(list)._context.life_watchers
"""


def test_chaos_is_in_every_system_and_its_seed_is_told_to_be_given_again(run: Run) -> None:
    pools.reset()
    result = run(CHAOTIC, "--poolkit-chaos")
    result.assert_outcomes(passed=1, failed=2)
    text = result.stdout.str()
    header, *failures = re.findall(r"chaos with seed (\d+), repeated by --poolkit-chaos=\1", text)
    assert failures == [header, header]
    [order] = re.findall(r"Failed: (PROCESS .*\])$", text, re.MULTILINE)[:1]
    again = run(CHAOTIC, f"--poolkit-chaos={header}", "-k", "process")
    assert order in again.stdout.str()
    assert PoolingSystem()._context.life_watchers == ()
    assert pools._context.life_watchers == ()


def test_the_workers_of_xdist_throw_the_dice_of_the_seed_that_was_told_first(
    game: pytest.Pytester,
) -> None:
    main = game.parseconfigure("--poolkit-chaos")
    worker = game.parseconfig("--poolkit-chaos")
    node = SimpleNamespace(config=main, workerinput={})
    pytest_poolkit.pytest_configure_node(node)
    worker.workerinput = node.workerinput  # type: ignore[attr-defined]
    worker._do_configure()
    assert 0 <= main.option.poolkit_chaos == worker.option.poolkit_chaos
    worker._ensure_unconfigure()


def test_bad_input_a_seed_is_a_number(run: Run) -> None:
    result = run("def test_it(): ...", "--poolkit-chaos", "test_game.py")
    result.stderr.fnmatch_lines(
        ["*SEED must be a number, not 'test_game.py': write --poolkit-chaos=SEED, or*last, after*"]
    )


@pytest.mark.parametrize("options", [(), ("--poolkit-chaos=3",)])
def test_the_fixture_pool_audit_fails_a_test_with_the_report_and_no_line_of_poolkits_own(
    run: Run, options: tuple[str, ...]
) -> None:
    result = run(
        """
        class Leaky(Orc):
            def __init__(self):
                super().__init__()
                self.anger = 0

        def rage(sprite):
            sprite.anger += 1

        class Shot(Orc):
            def spawned(self):
                super().spawned()
                self.scope.after(0.05, self.kill)

        def test_clean(pool_audit):
            for turn in range(4):
                assert pool_audit(Prefab(Shot, settings=PoolSettings(limit=2))).ok

        def test_leaky(pool_audit):
            pool_audit(Prefab(Leaky, name="leaky"), rage)

        class Sore(Orc):
            def spawned(self):
                try:
                    self.get_component(int)
                except Exception as error:
                    raise RuntimeError("ouch") from error

        def test_sore(pool_audit):
            pool_audit(Sore)  # the audit

        def test_stranger(pool_audit):
            pool_audit(7)
        """,
        *options,
    )
    result.assert_outcomes(passed=1, failed=3)
    text = result.stdout.str()
    for shown in ("leaky.anger", "# the audit", 'raise RuntimeError("ouch")', "get_component(int)"):
        assert shown in text
    assert not re.findall(r"^.*poolkit[/\\\\].*:\d+", text, re.MULTILINE)
    result.stdout.no_fnmatch_line("*audit.py:*")


def test_it_is_loaded_where_poolkit_is_installed_and_imports_no_pygame_until_it_is_used(
    game: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = game.mkdir("poolkit-0.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: poolkit\nVersion: 0\n", "utf-8")
    (info / "entry_points.txt").write_text("[pytest11]\npoolkit = pytest_poolkit\n", "utf-8")
    game.makeini("[pytest]\n")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    game.makepyfile(
        test_it="""
        import sys

        def test_nothing_is_imported(pytestconfig):
            assert pytestconfig.pluginmanager.hasplugin("poolkit")
            assert "pytest_poolkit" in sys.modules
            assert not {"pygame", "poolkit"} & set(sys.modules)
        """
    )
    command = [sys.executable, "-m", "pytest", "test_it.py"]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout
