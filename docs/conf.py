"""How Sphinx makes HTML of these pages: `python3 scripts/test.py --docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.ext.napoleon import GoogleDocstring

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import inventories  # noqa: E402 - beside this file
import poolkit  # noqa: E402 - the one of this checkout
import whole_text  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "poolkit"
author = "the poolkit authors"
SUMMARY = "A pooling framework for games made with pygame-ce and pymunk, Python 3.11 and newer."
release = poolkit.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]

# Pages are Markdown; the docstrings write `spawn`, which becomes a link where there is one.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "py:obj"

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 70
python_display_short_literal_types = True
intersphinx_mapping = inventories.write(ROOT / "docs/_build/inventories")
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
napoleon_use_ivar = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"poolkit {release}"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["poolkit.css"]
html_theme_options = {"light_css_variables": {"code-font-size": "75%"}}

# Napoleon reads the docstring of a property as "type: description", but ours are sentences that
# may have colons. So let it read them as those of methods, and undo its own reading.
sentences: dict[str, list[str]] = {}


def read_as_a_method(app: Sphinx, what: str, name: str, *rest: Any) -> None:
    """Read the docstring of a property or an attribute as that of a method."""
    if what in {"property", "attribute"}:
        obj, options, lines = rest
        method = GoogleDocstring(list(lines), app.config, app, "method", name, obj, options)
        sentences[name] = method.lines()


def restore(_app: Sphinx, _what: str, name: str, *rest: Any) -> None:
    """Replace Napoleon's reading by that."""
    lines = rest[-1]
    lines[:] = sentences.pop(name, lines)


# What Python tells of these is less than their pages' readers want to know: all options of a spawn,
# and the defaults of settings.
OPTIONS = (
    "rotation: float = 0.0, *, parent: Any = None, groups: Iterable[Group] = (), "
    "persistent: bool | None = None, reclaimable: bool = True, **data: Any"
)
PREFAB = "prefab: Prefab[T] | Callable[[], T] | str"
SIGNATURES = {
    "PoolingSystem.try_spawn": f"({PREFAB}, position: Iterable[float] = (0, 0), {OPTIONS})",
    "PoolingSystem.spawn_many": f"({PREFAB}, positions: Iterable[Iterable[float]], {OPTIONS})",
    "PrefabPool.spawn": f"(position: Iterable[float] = (0, 0), {OPTIONS})",
    "PoolSettings": (
        "(prespawn: int = 0, limit: int | None = None, grow_by: int = 1, "
        'overflow: OverflowPolicy = Refuse(), order: Literal["fifo", "lifo"] = "fifo", '
        "trim_after: float | None = None, max_idle: int | None = None, "
        "prespawn_delay: float = 0.0, prespawn_per_update: float | None = None, "
        "budget: Budget | None = None)"
    ),
    "Prefab": (
        "(factory: Callable[[], T], *, name: str | None = None, "
        "groups: Iterable[Group] | Callable[[], Iterable[Group]] = (), "
        "settings: PoolSettings = PoolSettings(), persistent: bool = False, "
        "awake_on_first_spawn: bool = False, pooling: bool = True, "
        "data: Mapping[str, Any] | None = None, "
        "sample_data: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None)"
    ),
}


def show_all_options(
    _app: Sphinx, _what: str, name: str, *rest: Any
) -> tuple[str, str | None] | None:
    """Return the signature of `SIGNATURES`, if it has one."""
    signature = SIGNATURES.get(name.removeprefix("poolkit."))
    return (signature, rest[-1]) if signature else None


def list_pages(_app: Sphinx, name: str, source: list[str]) -> None:
    """Make tables of contents of the lists on the index of a folder, one for each heading."""
    if not name.endswith("/index") or "{toctree}" in source[0]:
        return
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE):
        if pages := re.findall(r"^- \[.+?\]\(([\w-]+)\.md\)", section, re.MULTILINE):
            caption = section.partition("\n")[0].removeprefix("# ")
            lines = ["```{toctree}", f":caption: {caption}", ":hidden:", "", *pages, "```"]
            source[0] += "\n" + "\n".join(lines) + "\n"


def write_llms(app: Sphinx, error: Exception | None) -> None:
    """Write `llms.txt`, a list of all pages, and `llms-full.txt`, their whole text."""
    if error or app.builder.name != "html":
        return
    pages = sorted(app.env.found_docs, key=lambda page: (page.count("/"), page != "index", page))
    texts = {page: whole_text.with_code(app.env.doc2path(page)) for page in pages}
    lines = [f"# poolkit {release}", "", f"> {SUMMARY}", "", "## Pages", ""]
    lines += [f"- [{app.env.titles[page].astext()}](_sources/{page}.md.txt)" for page in texts]
    folder = Path(app.outdir)
    (folder / "llms.txt").write_text("\n".join([*lines, ""]), "utf-8")
    (folder / "llms-full.txt").write_text("\n\n".join(texts.values()), "utf-8")


def setup(app: Sphinx) -> None:
    """Take part in the making of the pages; Napoleon, in the middle of two, has priority 500."""
    app.connect("build-finished", write_llms)
    app.connect("source-read", list_pages)
    app.connect("autodoc-process-signature", show_all_options)
    app.connect("autodoc-process-docstring", read_as_a_method, priority=400)
    app.connect("autodoc-process-docstring", restore, priority=600)
