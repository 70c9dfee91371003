"""How Sphinx makes HTML of these pages: `python3 scripts/test.py --docs`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import poolkit  # noqa: E402 - the one of this checkout

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
