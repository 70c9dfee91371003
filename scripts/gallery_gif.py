#!/usr/bin/env python3
"""Draw ``assets/gallery.gif``: a file of prefabs is edited, ``python -m poolkit show`` follows.

Run it with the Python of the venv: ``.venv/bin/python scripts/gallery_gif.py [FILE]``.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "demos"))


from arena.dragon import Dragon
from arena.gaits import gait
from arena.monster import Health, Monster
from arena.stage import monsters
from poolkit.content import PrefabFile
from poolkit.devtools.bitmap_font import draw_text, text_width
from poolkit.devtools.gallery import SIZE, Gallery
from poolkit.scenes import SceneManager
from shared.pictures import ASSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FPS, STEPS = 10, 6  # frames of the film a second, and those of the game for each
EDITOR = 236  # pixels wide
COLORS = 63
GROUND, TEXT, DIM, NEW = (13, 15, 21), (206, 214, 228), (112, 124, 146), (255, 164, 84)
FILE = """\
[orc]
class = "Monster"
groups = ["monsters"]
build.picture = "orc.png"
build.size = [30, 40]
build.mass = 5
components.Health.maximum = 45
components.gait.kind = "hop"

[orc.data]
speed = 150
jump = 430
pause = 0.35
"""
# What is typed, one after the other: after how many seconds, what is replaced, and by what.
TYPED = (
    (1.5, "pause = 0.35", "pause = 0.1"),
    (0.4, "jump = 430", "jump = 520"),
    (1.8, 'kind = "hop"', 'kind = "flap"'),
    (1.8, "speed = 150", 'speed = "fast"'),
    (1.8, 'speed = "fast"', "speed = 90"),
)
END = 1.8  # seconds after the last of them


def rest_of_the_file() -> str:
    """Return the other monsters of the demo, each without a base."""
    whole = (ASSETS / "arena/monsters.toml").read_text("utf-8")
    rest = whole[whole.index("[troll]") : whole.index("[torch]")]
    groups = 'groups = ["monsters"]\n'
    rest = rest.replace('"Dragon"\nvariant_of = "orc"\n', f'"Dragon"\n{groups}')
    rest = rest.replace('variant_of = "orc"\n', f'class = "Monster"\n{groups}')
    return rest.replace("../", "").replace(" jump = 0 }", " jump = 0, pause = 0.35 }")


def typed_texts() -> Iterator[tuple[str, str, bool]]:
    """Yield, for each frame of the film, what the editor shows, what of it is new, and a save."""
    text, new = FILE, ""
    for pause, old, wanted in TYPED:
        for _ in range(round(pause * FPS)):
            yield text, new, False
        head = next(old[:at] for at in range(len(old)) if old[: at + 1] != wanted[: at + 1])
        for end in (old[:length] for length in range(len(old), len(head), -2)):
            yield text.replace(old, end), end, False
        for length in range(len(head), len(wanted) + 1):
            yield text.replace(old, wanted[:length]), wanted[:length], False
        text, new = text.replace(old, wanted), wanted
        yield text, new, True
    for _ in range(round(END * FPS)):
        yield text, new, False


def draw_editor(area: pygame.Surface, text: str, new: str, *, is_saved: bool) -> None:
    """Draw the file as an editor shows it."""
    area.fill(GROUND)
    draw_text(area, "monsters.toml", (12, 12), DIM)
    if not is_saved:
        pygame.draw.circle(area, DIM, (20 + text_width("monsters.toml"), 15), 2)
    for number, line in enumerate(text.splitlines(), start=1):
        y = 22 + number * 14
        draw_text(area, str(number), (22, y), DIM, align=1)
        is_new = bool(new) and new in line
        width = draw_text(area, line, (32, y), NEW if is_new else TEXT)
        if is_new and not is_saved:
            area.fill(TEXT, (32 + width + 1, y - 2, 1, 11))


def frames_of_the_film(folder: Path) -> Iterator[pygame.Surface]:
    """Play it, and yield a picture for each frame."""
    path, rest = folder / "monsters.toml", rest_of_the_file()
    for name in ("orc.png", "troll.png", "ogre.png", "dragon.png"):
        shutil.copy(ASSETS / name, folder)
    path.write_text(FILE + rest, "utf-8")
    classes: list[Callable[..., Any]] = [Monster, Dragon, Health, gait]
    groups = {"monsters": monsters}
    manager = SceneManager()
    manager.load(Gallery(lambda: PrefabFile(path, classes=classes, groups=groups)))
    screen = pygame.Surface(SIZE)
    last_saved = FILE
    for number, (text, new, is_saved) in enumerate(typed_texts()):
        if is_saved:
            last_saved = text
            path.write_text(text + rest, "utf-8")
            os.utime(path, ns=(number * 10**9, number * 10**9))  # clocks of files are coarse
        for _ in range(STEPS):
            manager.update(1 / 60)
            manager.draw(screen)
        small = pygame.transform.scale_by(screen, 0.5)  # all of it is of doubled pixels
        picture = pygame.Surface((EDITOR + small.width, small.height))
        editor = picture.subsurface((0, 0, EDITOR, small.height))
        draw_editor(editor, text, new, is_saved=text == last_saved)
        picture.blit(small, (EDITOR, 0))
        yield picture


def save(frames: list[Any], target: Path) -> None:
    """Write a GIF of as few bytes as go without being seen."""
    pixels = np.stack(frames).astype("uint32")
    whole = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
    every, places, counts = np.unique(whole, return_inverse=True, return_counts=True)
    colors = np.stack([every >> 16, every >> 8 & 255, every & 255], axis=-1).astype("uint8")
    # What is frequent keeps its color; the rest share some, however seldom: eyes are small.
    order = counts.argsort()[::-1]
    usual, seldom = order[: COLORS // 3], order[COLORS // 3 :]
    usual, weights = colors[usual], (counts[seldom] ** 0.4).astype(int) + 1
    seen = Image.fromarray(np.repeat(colors[seldom], weights, axis=0)[None])
    strip = seen.quantize(COLORS - len(usual), kmeans=3, dither=Image.Dither.NONE)
    shared = np.array(strip.getpalette(), "uint8").reshape(-1, 3)[: COLORS - len(usual)]
    palette = np.concatenate([usual, shared])
    apart = (colors[:, None].astype(int) - palette[None].astype(int)) ** 2
    film_of_indices = (
        apart.sum(axis=-1).argmin(axis=-1).astype("uint8")[places.reshape(whole.shape)]
    )
    same = film_of_indices[1:] == film_of_indices[:-1]
    film_of_indices[1:][same] = COLORS  # transparent: what has not changed is not said again
    first, *others = [Image.fromarray(picture, "P") for picture in film_of_indices]
    for picture in (first, *others):
        picture.putpalette([*palette.ravel().tolist(), 0, 0, 0])
    options: dict[str, Any] = {"loop": 0, "transparency": COLORS, "disposal": 1}
    options |= {"duration": 1000 // FPS, "optimize": False}
    first.save(target, save_all=True, append_images=others, **options)


def main(words: list[str]) -> None:
    """Draw the film, and say how large it has become."""
    random.seed(4)
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    target = Path(words[0]) if words else ASSETS / "gallery.gif"
    pygame.display.set_mode(SIZE, pygame.HIDDEN)
    with tempfile.TemporaryDirectory() as folder:
        frames = [
            pygame.surfarray.array3d(frame).swapaxes(0, 1)
            for frame in frames_of_the_film(Path(folder))
        ]
    save(frames, target)
    print(f"{target}: {len(frames)} frames, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
