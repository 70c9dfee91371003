"""Every Python block of the README runs, in order, as one program."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bench
import pages
from poolkit import pools
from poolkit.devtools import shell

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def test_every_python_block_of_the_readme_runs(tmp_path: Path) -> None:
    assert "orc" in pages.run_page(README, tmp_path)
    assert len(pages.programs(README)) > 5


def test_the_first_program_of_the_readme_prespawned_enough(tmp_path: Path) -> None:
    first, *_ = pages.programs(README)
    with pages.running(tmp_path):
        spark = pages.run(README, [first])["spark"]
        stats = pools.pool(spark).stats
    assert stats.spawned == pages.FRAMES
    assert stats.late == 0


@pytest.mark.parametrize("page", ["README.md", "docs/howto/test-a-game.md"])
def test_n11_the_audit_finds_what_the_page_shows(page: str, tmp_path: Path) -> None:
    found = pages.blocks(ROOT / page)
    (source,) = (block.text for block in found if "import audit" in block.text)
    (tmp_path / "monsters.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "monsters.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (shown,) = (block.text for block in found if block.kind == "text")
    assert done.stdout.endswith(shown)


def test_what_the_readme_links_to_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    for path in re.findall(r"\]\(((?!http)[^)#]+)\)", text):
        assert (README.parent / path).exists(), path
    for script in re.findall(r"python3 (scripts/\w+\.py)", text):
        assert (README.parent / script).exists(), script


def test_a_wheel_holds_no_picture_that_only_readme_and_docs_show() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    kept_out = project["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"]
    texts = [page.read_text("utf-8") for page in (README, *(ROOT / "docs").rglob("*.md"))]
    shown = re.findall(r"]\([./]*(/?assets/\w+\.png)\)", "\n".join(texts))
    assert kept_out == sorted({f"/{picture}" for picture in shown})


def test_the_commands_of_the_readme_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    text = README.read_text(encoding="utf-8")
    shell.main(["demo"])
    known = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert set(re.findall(r"scripts/play\.py (\w+)", text)) == known
    benchmarks = set(re.findall(r"scripts/bench\.py (\w+)", text))
    assert benchmarks
    assert benchmarks <= bench.BENCHMARKS.keys()
    commands = set(re.findall(r"python -m poolkit (\w+)", text))
    assert commands
    for command in commands:
        with pytest.raises(SystemExit) as told:
            shell.main([command, "--help"])
        assert told.value.code == 0
