"""How Sphinx makes HTML of these pages: `python3 scripts/test.py --docs`."""

from __future__ import annotations

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
    """Run before Napoleon, whose priority is 500, and after it."""
    app.connect("build-finished", write_llms)
    app.connect("autodoc-process-docstring", read_as_a_method, priority=400)
    app.connect("autodoc-process-docstring", restore, priority=600)
