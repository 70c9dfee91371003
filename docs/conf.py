"""How Sphinx makes HTML of these pages: `python3 scripts/test.py --docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.ext.napoleon import GoogleDocstring

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import poolkit  # noqa: E402 - the one of this checkout

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "poolkit"
author = "the poolkit authors"
release = poolkit.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

# Pages are Markdown; the docstrings write `spawn`, which becomes a link where there is one.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "py:obj"

# The docstrings say what things are; signatures with all overloads would hide it.
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
napoleon_use_ivar = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"poolkit {release}"
html_show_copyright = False
html_theme_options = {"light_css_variables": {"code-font-size": "75%"}}

# Napoleon takes the docstring of a property for "type: description", and ours are sentences with
# colons in them. So it reads them as those of methods, and its other reading is undone.
sentences: dict[str, list[str]] = {}


def read_as_a_method(app: Sphinx, what: str, name: str, *rest: Any) -> None:
    """Keep what the docstring of a property or an attribute really says."""
    if what in {"property", "attribute"}:
        obj, options, lines = rest
        method = GoogleDocstring(list(lines), app.config, app, "method", name, obj, options)
        sentences[name] = method.lines()


def restore(_app: Sphinx, _what: str, name: str, *rest: Any) -> None:
    """Put that in the place of Napoleon's reading."""
    lines = rest[-1]
    lines[:] = sentences.pop(name, lines)


def setup(app: Sphinx) -> None:
    """Come before Napoleon, which has the priority 500, and after it."""
    app.connect("autodoc-process-docstring", read_as_a_method, priority=400)
    app.connect("autodoc-process-docstring", restore, priority=600)
