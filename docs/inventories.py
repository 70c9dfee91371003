"""What pymunk's and pygame-ce's documentation has, worked out from the installed libraries.

Sphinx usually downloads such lists; here nothing is downloaded, so the pages build offline.
"""

from __future__ import annotations

import inspect
import zlib
from typing import TYPE_CHECKING

import pygame
import pymunk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

HOMES = {"pymunk": "https://www.pymunk.org/en/latest/", "pygame": "https://pyga.me/docs/"}


def write(folder: Path) -> dict[str, tuple[str, str]]:
    """Write the lists into a folder; return what `intersphinx_mapping` wants to know."""
    folder.mkdir(parents=True, exist_ok=True)
    mapping = {}
    for library, home in HOMES.items():
        lines = _pymunk() if library == "pymunk" else _pygame()
        head = f"# Sphinx inventory version 2\n# Project: {library}\n# Version: \n"
        head += "# The remainder of this file is compressed using zlib.\n"
        body = "".join(f"{line} -\n" for line in lines)
        file = folder / f"{library}.inv"
        file.write_bytes(head.encode() + zlib.compress(body.encode()))
        mapping[library] = (home, str(file))
    return mapping


def _pymunk() -> Iterator[str]:
    for name, kind in _classes(pymunk):
        for qualified in {f"pymunk.{name}", f"{kind.__module__}.{name}"}:
            yield f"{qualified} py:class 1 pymunk.html#pymunk.{name}"
        for member, value in vars(kind).items():
            if not member.startswith("_"):
                role = "method" if callable(value) else "property"
                yield f"pymunk.{name}.{member} py:{role} 1 pymunk.html#pymunk.{name}.{member}"


def _pygame() -> Iterator[str]:
    for name in ("Surface", "Rect", "FRect", "Vector2", "Color", "Window"):
        kind = getattr(pygame, name)
        page = {"FRect": "rect", "Vector2": "math"}.get(name, name.lower())
        anchor = f"pygame.math.{name}" if page == "math" else f"pygame.{name}"
        for qualified in {f"pygame.{name}", f"{kind.__module__}.{name}"}:
            yield f"{qualified} py:class 1 ref/{page}.html#{anchor}"
    for module in (pygame.sprite, pygame.time, pygame.mixer, pygame.font, pygame.mask):
        page = module.__name__.rpartition(".")[2]
        for name, _ in _classes(module):
            yield f"pygame.{page}.{name} py:class 1 ref/{page}.html#pygame.{page}.{name}"


def _classes(module: ModuleType) -> Iterator[tuple[str, type]]:
    for name, value in vars(module).items():
        # Not what the module imported for itself, such as `Any`.
        is_own = inspect.isclass(value) and value.__module__.startswith(("pymunk", "pygame"))
        if is_own and name[0].isupper():
            yield name, value
