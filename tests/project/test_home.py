"""What the project's home is made of: workflows, forms, the package, and what they say of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import package
from readme_links import RELATIVE_LINK, with_absolute_links

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SCHEMAS = {
    "vendor.github-workflows": [
        *sorted((GITHUB / "workflows").glob("*.yml")),
        ROOT / "poolkit/devtools/new_game/plain/.github/workflows/tests.yml",
    ],
    "vendor.github-issue-forms": sorted((GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")),
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE/config.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.readthedocs": [ROOT / ".readthedocs.yaml"],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}


def run(tool: str, *words: str | Path) -> None:
    """Run a tool of the venv, which must find no fault."""
    found = shutil.which(tool, path=str(Path(sys.executable).parent))
    assert found, f"{tool} is not in the venv: python3 scripts/test.py installs it"
    done = subprocess.run([found, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_hosts_read_is_as_they_expect_it(schema: str) -> None:
    files = SCHEMAS[schema]
    assert files
    run("check-jsonschema", "--builtin-schema", schema, "--default-filetype", "yaml", *files)


def test_the_workflows_open_no_hole() -> None:
    run("zizmor", "--offline", "--quiet", GITHUB)


def test_the_pythons_and_the_pygame_that_are_promised_are_tested() -> None:
    workflow = yaml.safe_load((GITHUB / "workflows/tests.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert len(matrix["os"]) == 3
    [oldest] = matrix["include"]  # with other constraints, so that it's a run of its own
    assert matrix["constraints"] == [""]
    [version] = (ROOT / oldest["constraints"]).read_text(encoding="utf-8").splitlines()
    assert PROJECT["dependencies"][0] == version.replace("==", ">=")


def test_workflows_and_hooks_run_scripts_that_are_there() -> None:
    files = [*(GITHUB / "workflows").glob("*.yml"), ROOT / ".pre-commit-config.yaml"]
    said = re.findall(r"scripts/\w+\.py", "".join(file.read_text("utf-8") for file in files))
    assert {*said} == {"scripts/test.py", "scripts/package.py"}
    assert all((ROOT / script).exists() for script in said)


@pytest.mark.parametrize(
    ("size", "readme", "tag", "why"),
    [
        (100, "[a](b.md)", None, None),
        (100, "[a](https://b)", "v1.2", None),
        (100, "", "v1.3", "the tag v1.3 is not that of version 1.2"),
        (100, "![a](b.png)", "v1.2", "an index can't follow ![a](b.png): name where"),
        (package.LARGEST_WHEEL, "", "v1.2", "bytes, more than 1,500,000"),
    ],
)
def test_a_release_is_small_and_of_the_version_of_its_tag_and_its_links_lead_somewhere(
    size: int, readme: str, tag: str | None, why: str | None, tmp_path: Path
) -> None:
    wheel = tmp_path / "poolkit-1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("poolkit-1.2.dist-info/METADATA", readme)
        files.writestr("filling", b"0" * size)
    if why is None:
        package.check_release(wheel, tag)
    else:
        with pytest.raises(SystemExit, match=re.escape(why)):
            package.check_release(wheel, tag)


def test_the_wheel_of_the_demos_has_what_they_need_and_no_picture_of_the_pages(
    tmp_path: Path,
) -> None:
    package.stage_demos(tmp_path, "1.2")
    staged = tmp_path / "poolkit_demos"
    assert '__version__ = "1.2"' in (staged / "__init__.py").read_text("utf-8")
    assert (staged / "demos/rabbits/__main__.py").exists()
    kept = {path.name for path in (staged / "assets").iterdir()}
    pictures = {path.name for path in (ROOT / "assets").iterdir()}
    assert {"orc.png", "rabbits"} <= kept
    assert {"rabbits.webp", "churn.png"} <= pictures - kept
    about = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    assert "poolkit" in about["dependencies"]


def test_links_of_the_readme_are_absolute_where_there_is_a_place_for_them() -> None:
    text = "![a](x.png) [b](docs/y.md#z) [c](https://d) [e](#f)"
    assert with_absolute_links(text, None) == text
    assert with_absolute_links(text, "https://example.org/p/") == (
        "![a](https://example.org/p/raw/HEAD/x.png)"
        " [b](https://example.org/p/blob/HEAD/docs/y.md#z) [c](https://d) [e](#f)"
    )


@pytest.mark.parametrize("source", [None, "https://example.org/poolkit"])
def test_with_one_setting_all_of_the_readme_leads_to_files_of_the_repository(
    source: str | None,
) -> None:
    text = with_absolute_links((ROOT / "README.md").read_text("utf-8"), source)
    targets = re.findall(r"\]\((?!#)([^)]+)\)", text)
    assert len(targets) > 20
    assert bool(RELATIVE_LINK.search(text)) is (source is None)
    for target in targets:
        kind, _, path = target.removeprefix(f"{source}/").partition("/HEAD/")
        if path:
            assert kind in {"raw", "blob"}
            assert (ROOT / path.partition("#")[0]).exists()


def test_no_link_of_the_project_leads_to_somebody_elses() -> None:
    assert {*PROJECT.get("urls", {})} <= {"Source", "Documentation", "Changelog", "Issues"}


def test_a_release_has_attestations() -> None:
    steps = (GITHUB / "workflows/release.yml").read_text("utf-8").partition("publish:")[2]
    assert "pypi_attestations sign dist/*" in steps
    assert "twine upload --attestations dist/*" in steps


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PROJECT
    assert "version:" not in (ROOT / "CITATION.cff").read_text("utf-8").replace("cff-version:", "")


def test_what_fails_ends_the_packaging_in_words() -> None:
    with pytest.raises(SystemExit, match=r"^this failed: .*python.* -c exit\(3\)$"):
        package.do(sys.executable, "-c", "exit(3)")
