"""README and docs: every block runs, every step plays, every public name is on a page."""

from __future__ import annotations

import ast
import functools
import importlib
import random
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pygame
import pytest

import bench
import pages
import signatures
import whole_text
from poolkit import Handle, PoolingSystem, PoolSettings, Scope, pools
from poolkit.devtools import shell
from poolkit.devtools.chaos import ChaosPolicy
from poolkit.physics import PhysicsWorld
from poolkit.scenes import SceneManager

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
DOCS, README = ROOT / "docs", ROOT / "README.md"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(DOCS.glob("[!_]*.md")),
    *sorted(DOCS.glob("[!_]*/*.md")),
]
NAMES = {str(path.relative_to(ROOT)): path for path in PAGES}
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES}
STEPS = DOCS / "tutorial"
ROOMS = tuple(
    f"poolkit{room}"
    for room in (
        *("", ".sprites", ".physics", ".swarms", ".scenes", ".content", ".checkpoints"),
        ".devtools",
    )
)

every_page = pytest.mark.parametrize("page", NAMES.values(), ids=NAMES)


@every_page
def test_the_blocks_of_each_page_run_in_order_as_one_program(page: Path, tmp_path: Path) -> None:
    printed = pages.run_page(page, tmp_path)
    for block in pages.blocks(page):
        assert block.kind != "toml" or block.text in printed


COUNTS = {"profiling"}  # what was made late, which chaos makes more of


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent.name == "howto" and page.stem not in COUNTS],
    ids=lambda page: page.stem,
)
def test_how_tos_rely_on_nothing_that_pools_leave_open(page: Path, tmp_path: Path) -> None:
    for seed in range(3):
        chaos = ChaosPolicy(f"{seed} {page.stem}")
        chaos.watch_all()
        try:
            pages.run_page(page, tmp_path)
        finally:
            chaos.unwatch_all()


@every_page
def test_no_python_hides_in_a_block_of_another_kind(page: Path) -> None:
    kinds = {block.kind.split()[0] for block in pages.blocks(page)}
    directives = {"{toctree}", "{literalinclude}", "{eval-rst}"}
    assert kinds <= {"python", "pyi", "sh", "toml", "text", "diff"} | directives


@every_page
def test_the_whole_text_of_a_page_has_the_code_that_it_includes(page: Path) -> None:
    text = whole_text.with_code(page)
    assert not re.search(r"^`+\{", text, re.MULTILINE)
    for file, lines in re.findall(r"\{literalinclude\} (\S+\.py)\n((?::.*\n)*)", TEXTS[page]):
        program = (page.parent / file).read_text(encoding="utf-8")
        shown = re.search(r":pyobject: (\w+)", lines)
        first = f"class {shown[1]}" if shown else program.splitlines()[0]
        assert shown is None or first in text or f"def {shown[1]}" in text
        assert shown is not None or ":start-at:" in lines or program.rstrip() in text


def test_the_tests_that_pages_show_pass(tmp_path: Path) -> None:
    shown = {
        f"test_{page.stem.replace('-', '_')}.py": "".join(
            block.text for block in pages.blocks(page) if block.kind == "python"
        )
        for page, text in TEXTS.items()
        if "\ndef test_" in text
    }
    shown |= {path.name: path.read_text(encoding="utf-8") for path in STEPS.glob("*.py")}
    for name, program in shown.items():
        (tmp_path / name).write_text(program, encoding="utf-8")
    tests = [name for name in shown if name.startswith("test_")]
    assert len(tests) == 3
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(((?!http)[^)]+)\)", pages.prose(page)):
        path, _, heading = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", TEXTS[there], re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert heading in slugs, target


STIFF = re.compile(r"(?i)\b(anew|whom|shall|meanwhile|of late|told of|belongs? into|takes of)\b")


@every_page
def test_pages_are_written_in_plain_english(page: Path) -> None:
    assert not STIFF.findall(pages.prose(page))


@pytest.mark.parametrize("folder", ["tutorial", "howto", "reference", "explanation"])
def test_every_page_of_a_folder_is_linked_from_its_index(folder: str) -> None:
    names = {page.name for page in PAGES if page.parent == DOCS / folder} - {"index.md"}
    assert names == {*re.findall(r"\]\(([\w-]+\.md)\)", TEXTS[DOCS / folder / "index.md"])}


THINGS = {
    "pools": PoolingSystem,
    "scope": Scope,
    "world": PhysicsWorld,
    "manager": SceneManager,
    "handle": Handle,
}


@every_page
def test_what_a_page_says_one_can_call_is_there(page: Path) -> None:
    for code in re.findall(r"`([^`]+)`", pages.prose(page)):
        for thing, name in re.findall(r"\b(pools|scope|world|manager|handle)\.(\w+)", code):
            assert hasattr(THINGS[thing], name), code


def test_the_commands_and_options_of_the_pages_are_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shell.main(["demo"])
    demos = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    commands = {"new", "audit", "verdict", "run", "replay", "content", "show", "demo"}
    known = dict.fromkeys(("scripts/play.py", "scripts/soak.py"), demos)
    known |= {"scripts/bench.py": {*bench.BENCHMARKS, "all"}}
    scripts = ("test", "package", "storm", "bots", "shares")
    known |= {f"scripts/{script}.py": set() for script in scripts}
    known |= {"python -m poolkit": commands}
    said = re.findall(r"(scripts/\w+\.py|python -m poolkit)\b ?(\w*)", "\n".join(TEXTS.values()))
    assert len(said) > 20
    assert all(name in {*known[command], ""} for command, name in said)
    for command in commands:
        with pytest.raises(SystemExit, match="0"):
            shell.main([command, "--help"])
    options = re.findall(r"^\| `(--\w+)", TEXTS[DOCS / "reference/shell.md"], re.MULTILINE)
    assert len(options) > 5
    helped = capsys.readouterr().out
    assert all(option in helped for option in options)


def test_the_audit_finds_what_the_page_shows_and_the_readme_quotes(tmp_path: Path) -> None:
    found = pages.blocks(DOCS / "howto/test-a-game.md")
    (source,) = (block.text for block in found if "import audit" in block.text)
    (tmp_path / "monsters.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "monsters.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (shown,) = (block.text for block in found if block.kind == "text")
    assert done.stdout.endswith(shown)
    (quoted,) = (block.text for block in pages.blocks(README) if block.kind == "text")
    assert {*quoted.splitlines()} < {*shown.splitlines()}


def test_the_first_program_of_the_readme_prespawned_enough(tmp_path: Path) -> None:
    first, *_ = pages.programs(README)
    with pages.running(tmp_path):
        spark = pages.run(README, [first])["spark"]
        stats = pools.pool(spark).stats
    assert (stats.spawned, stats.late) == (pages.FRAMES, 0)


class PlayersClock(pages.EndingClock):
    """A clock that plays as well: Return, and then Space twice a second."""

    def tick(self, framerate: float = 0) -> int:
        if self.frames == 2:
            self.press(pygame.K_RETURN)
        if self.frames % 30 == 10:
            self.press(pygame.K_SPACE)
        return super().tick(framerate)

    @staticmethod
    def press(key: int) -> None:
        pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key))


@pytest.mark.parametrize("step", range(1, 10))
def test_each_step_of_the_tutorial_is_a_game(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(STEPS)
    monkeypatch.setattr(pages, "EndingClock", PlayersClock)
    monkeypatch.setattr(pages, "FRAMES", 240)
    random.seed(step)
    with pages.running(tmp_path):
        runpy.run_path(str(STEPS / f"step{step}.py"), run_name="__main__")
        # From step 7 on `run` ends the scenes, and their reports are printed later.
        report = max((*(pools._past or ()), pools.report()), key=lambda report: len(report.pools))
    assert report["rabbit"].stats.spawned > 0
    if step > 1:
        assert report["phone"].stats.spawned > 5
        assert report["phone"].stats.late == 0


def test_the_audit_finds_in_the_tutorial_what_its_page_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(STEPS)
    assert shell.main(["audit", "step7:dino"]) == 1
    (shown,) = (block.text for block in pages.blocks(STEPS / "step8.md") if block.kind == "text")
    assert capsys.readouterr().out == shown


DOCUMENTED = re.compile(r"\.\. (?:auto[cdef]\w+|data|class):: (?:poolkit\.)?([\w.]+)")


@pytest.mark.parametrize("room", list(map(importlib.import_module, ROOMS)), ids=ROOMS)
def test_every_public_name_is_on_a_page_of_the_reference(room: ModuleType) -> None:
    told = "\n".join(text for page, text in TEXTS.items() if page.parent.name == "reference")
    documented = set(DOCUMENTED.findall(told))
    inside = room.__name__.removeprefix("poolkit").lstrip(".")
    missing = [
        name for name in room.__all__ if not {name, f"{inside}.{name}".lstrip(".")} & documented
    ]
    assert not missing


@every_page
def test_what_a_page_documents_it_shows_in_use(page: Path) -> None:
    program = "".join(block.text for block in pages.programs(page))
    names = {name.rpartition(".")[2] for name in DOCUMENTED.findall(TEXTS[page])}
    assert names - {"RotationCache"} <= set(re.findall(r"\w+", program))


@pytest.mark.parametrize("page", signatures.PAGES, ids=lambda page: page.stem)
def test_the_signatures_on_a_page_are_those_of_the_source(page: Path) -> None:
    text = TEXTS[page]
    assert signatures.with_stub(text) == text, "run docs/signatures.py"


def test_every_setting_is_in_the_table_of_settings() -> None:
    text = TEXTS[DOCS / "reference/pool-settings.md"]
    assert all(f"\n| `{setting}` |" in text for setting in PoolSettings.__match_args__)


@pytest.mark.parametrize("name", ["errors", "log"])
def test_the_messages_that_are_explained_are_those_of_the_source(name: str) -> None:
    text = TEXTS[DOCS / f"reference/{name}.md"]
    column = 2 if name == "log" else 1
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", text, re.MULTILINE)]
    quoted = [re.findall(r"`([^`]+)`", row[column - 1]) for row in rows]
    messages = [message for found in quoted for message in found]
    assert len(messages) > 7
    source = messages_of_the_source()
    for message in messages:
        for piece in message.split("…"):
            assert piece.strip() in source, message


@functools.cache
def messages_of_the_source() -> str:
    """Return all texts in poolkit, with an ellipsis where something is filled in."""
    texts = []
    for path in (ROOT / "poolkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts.append("".join(_filled(part) for part in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(re.sub(r"%[sd]", "…", node.value))
    return "\n".join(texts)


def _filled(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def test_the_pictures_of_a_life_are_drawn_from_the_table_of_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(DOCS / "explanation")
    draw_life = importlib.import_module("draw_life")
    assert draw_life.STATES.keys() == {state.name for state in draw_life.TRANSITIONS}
    for name, draw in draw_life.PICTURES.items():
        assert (DOCS / "explanation" / name).read_text(encoding="utf-8") == draw(), name


def test_the_pictures_of_the_how_tos_are_what_their_script_draws_and_are_on_a_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(DOCS / "howto")
    draw_howtos = importlib.import_module("draw_howtos")
    pygame.font.init()
    shown = [text for page, text in TEXTS.items() if page.parent.name == "howto"]
    for name, draw in draw_howtos.PICTURES.items():
        drawn, kept = draw(), pygame.image.load(DOCS / "howto" / name)
        same = pygame.image.tobytes(drawn, "RGB") == pygame.image.tobytes(kept, "RGB")
        assert same, f"{name}: run docs/howto/draw_howtos.py"
        assert any(re.search(rf"!\[.{{30,}}\]\({name}\)", text) for text in shown), name


def test_what_building_costs_are_figures_of_the_table_of_lives() -> None:
    lives = TEXTS[DOCS / "explanation/figures.md"]
    rows = re.findall(
        r"^\| (a .+) \| ([\d.]+) \| ([\d.]+) \|$", TEXTS[DOCS / "explanation/why.md"], re.MULTILINE
    )
    assert len(rows) == 3
    for name, built, ours in rows:
        assert re.search(rf"^\| .+ \| {ours} \| .+ \| {built} \|", lives, re.MULTILINE), name


def test_the_table_of_the_readme_has_five_figures_that_are_among_all_figures() -> None:
    rows = [row.split(" | ") for row in re.findall(r"^\| (a .+) \|$", TEXTS[README], re.MULTILINE)]
    assert len(rows) == 5
    everything = TEXTS[DOCS / "explanation/figures.md"]
    for name, ours, anew, by_hand, ratio in rows:
        measured = [figure for figure in (ours, anew, by_hand) if figure[0].isdigit()]
        units = {figure.split()[-1] for figure in measured}
        assert len(units) == 1, name
        figures = {figure.split()[0] for figure in (*measured, ratio)}
        found = [line for line in everything.splitlines() if line.startswith("| ")]
        assert any(figures <= {*line.strip("| ").split(" | ")} for line in found), name
