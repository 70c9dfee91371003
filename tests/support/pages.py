"""Runs the Python blocks of a page in order, as one program, with no window and no waiting."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import logging
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import pygame

from poolkit import pools
from poolkit.core.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FRAMES = 90

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>[^\n`]*)\n(?P<text>.*?)^(?P=fence)`*$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A fenced block of a page."""

    kind: str
    line: int
    text: str


class EndingClock:
    """A clock that closes the window after a while, and never waits."""

    def __init__(self) -> None:
        self.frames = 0

    def tick(self, framerate: float = 0) -> int:
        self.frames += 1
        if self.frames == FRAMES:
            pygame.event.post(pygame.Event(pygame.QUIT))
        return round(1000 / (framerate or 60))


def blocks(page: Path) -> list[Block]:
    """Return all fenced blocks of a page, with the line above each one's text."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(match["kind"].strip(), text[: match.start("text")].count("\n"), match["text"])
        for match in _BLOCK.finditer(text)
    ]


def prose(page: Path) -> str:
    """Return what a page says outside its blocks."""
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def programs(page: Path) -> list[Block]:
    """Return the Python blocks of a page that can run here: numpy need not be there."""
    found = [block for block in blocks(page) if block.kind == "python"]
    is_of_swarms = any("poolkit.swarms" in block.text for block in found)
    return [] if is_of_swarms and importlib.util.find_spec("numpy") is None else found


def run_page(page: Path, folder: Path) -> str:
    """Run a page's program in a folder of its own; return what it printed."""
    with running(folder) as printed:
        run(page, programs(page))
    return printed.getvalue()


def run(page: Path, parts: list[Block]) -> dict[str, Any]:
    """Run some of a page's blocks as one program; return its global variables."""
    program: dict[str, Any] = {"__name__": "__main__", "__file__": "game.py"}
    for block in parts:
        # Blank lines before it give errors the line numbers of the page.
        code = compile("\n" * block.line + block.text, str(page), "exec")
        exec(code, program)  # noqa: S102 - our own page
    return program


@contextlib.contextmanager
def running(folder: Path) -> Iterator[io.StringIO]:
    """Let a program of ours have a folder, a fresh process system, and a clock that ends it."""
    printed = io.StringIO()
    watching, log = list(gc.callbacks), logging.getLogger("poolkit")
    level = log.level
    _forget()
    try:
        with (
            contextlib.chdir(folder),
            patch.object(sys, "path", list(sys.path)),
            patch.object(pygame.time, "Clock", EndingClock),
            patch.object(pygame, "Clock", EndingClock),
            contextlib.redirect_stdout(printed),
        ):
            yield printed
    finally:
        log.setLevel(level)
        sys.modules.pop("monsters", None)  # a page writes a module of that name
        gc.callbacks[:] = watching  # an inspector that was shown watches the collector
        _forget()
        pygame.quit()


def _forget() -> None:
    """Let the process's system be as new: without what an earlier program has left."""
    context = pools._context
    context.time_watchers.clear()
    for pool in pools.all_pools():
        pool.clear()  # persistent lives too
    pools.reset()
    context.clock = Clock()  # a scene that nobody ended has timers there
    context.scene = "main"
    pools.configure(reuse="at_once", report_at_exit=False)
    context.reuse = None
