"""Writes files that are there whole or not at all, whatever happens in between."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file.

    Raises:
        OSError: It can't be written; it is as it was before.
    """
    target = path.resolve()  # a symbolic link stays one
    # A name that nobody can guess, and "x": nothing is written through a link.
    draft = target.with_name(f".{secrets.token_hex(8)}.draft")
    try:
        with draft.open("xb") as file:
            file.write(content)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
