"""Makes the README's links absolute in the package: an index shows it far from its files.

Hatchling calls it while it builds. Where the files can be seen is `Source` in `[project.urls]`;
without one, the links stay as they are, and `package.py` releases nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ModuleNotFoundError:  # package.py and tests only want the patterns
    MetadataHookInterface = object

RELATIVE_LINK = re.compile(r"(?P<picture>!?)(?P<words>\[[^]]*\])\((?!https:|#)(?P<path>[^)]+)\)")


def with_absolute_links(text: str, source: str | None) -> str:
    """Return a page whose links lead to the files of the repository at `source`, an address."""
    if source is None:
        return text
    root = source.rstrip("/")

    def absolute(link: re.Match[str]) -> str:
        what = "raw" if link["picture"] else "blob"
        return f"{link['picture']}{link['words']}({root}/{what}/HEAD/{link['path']})"

    return RELATIVE_LINK.sub(absolute, text)


class ReadmeLinks(MetadataHookInterface):  # type: ignore[misc, unused-ignore] # hatchling's
    """The hook."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put in the README."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        text = with_absolute_links(text, metadata.get("urls", {}).get("Source"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
