"""pygame's own example, converted as its page says, plays like the original from the same seed."""

from __future__ import annotations

import importlib.util
import random
import zlib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame

import pages
from poolkit import pools

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "convert-a-game.md"


def converted(source: str) -> str:
    """Change what the page changes; each of its hunks fits in one place alone."""
    (diff,) = (block.text for block in pages.blocks(PAGE) if block.kind == "diff")
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old, new = ("".join(line[1:] for line in lines if line[0] in kind) for kind in (" -", " +"))
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


class Hand:
    """Plays games of one source, as their clock: it sees each frame, and presses keys."""

    def __init__(self, source: str, file: str) -> None:
        self.game: dict[str, Any] = {"__name__": "aliens", "__file__": file}
        exec(compile(source, file, "exec"), self.game)  # noqa: S102 - pygame's own, and ours
        self.frames: list[Any] = []
        self.keys = defaultdict[int, bool](bool)
        self.reused = 0

    def play(self, seed: int) -> None:
        random.seed(seed)
        self.dice = random.Random(seed)  # noqa: S311 - the same keys every time
        self.game["SCORE"] = 0
        self.game["main"]()

    def tick(self, framerate: int) -> int:
        sprites = self.game["Player"].containers  # everything there is, as it is drawn
        places = [(type(sprite).__name__, *sprite.rect) for sprite in sprites]
        screen: Any = pygame.display.get_surface()
        self.frames.append((self.game["SCORE"], places, zlib.crc32(screen.get_buffer())))
        self.reused += sum(pool.stats.reused for pool in pools.all_pools())
        for key in (pygame.K_LEFT, pygame.K_RIGHT, pygame.K_SPACE):
            self.keys[key] ^= self.dice.random() < 0.1
        return 1000 // framerate


def test_aliens_converted_plays_frame_by_frame_like_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.find_spec("pygame.examples.aliens")
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    original, ours = (Hand(text, spec.origin) for text in (source, converted(source)))
    monkeypatch.setattr(pygame.mixer.music, "fadeout", lambda _: None)
    monkeypatch.setattr(pygame.time, "wait", lambda _: None)
    with pages.running(tmp_path):
        for hand in (original, ours):
            monkeypatch.setattr(pygame, "Clock", lambda hand=hand: hand)
            monkeypatch.setattr(pygame.key, "get_pressed", lambda hand=hand: hand.keys)
            for seed in range(8):
                hand.play(seed)
    assert len(original.frames) > 1_000
    for frame, both in enumerate(zip(original.frames, ours.frames, strict=True)):
        assert both[0] == both[1], frame
    assert ours.reused > original.reused == 0
