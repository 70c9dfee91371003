"""What the lives of a swarm look like: images, or dots written into the pixels of a surface."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pygame

from poolkit.swarms.targets import Extents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.swarms.columns import Array
    from poolkit.swarms.rows import Rows

Pictures: TypeAlias = "Images | Dots"
_LARGEST_DOT = 3
_OPAQUE = 255


def pictures_of(images: Any, colors: Any, lifetime: float | None) -> Pictures:
    """Return what is drawn: images, or dots where a size is given.

    Raises:
        TypeError: `images` is neither, or there are colors for images.
        ValueError: A size is not from 1 to 3, a color is none, or colors have no lifetime to go by.
    """
    if isinstance(images, pygame.Surface):
        images = [images]
    size, *own = images if isinstance(images, Sequence) and len(images) else [images]
    if isinstance(size, int) and not isinstance(size, bool):
        if not 1 <= size <= _LARGEST_DOT:
            message = f"dots are 1 to {_LARGEST_DOT} pixels wide, not {size}: make an image instead"
            raise ValueError(message)
        if colors is not None and lifetime is None:
            message = "colors go along the age of a life: give a lifetime, or dots of (size, color)"
            raise ValueError(message)
        if colors is not None and own:
            message = "give dots their colors as (size, colors), or along their age by colors="
            raise TypeError(message)
        given = own[0] if len(own) == 1 and not _is_color(own[0]) else own
        found = list(map(pygame.Color, colors if colors is not None else given or ["white"]))
        return Dots(size, found, None if colors is None else lifetime)
    surfaces = [size, *own]
    if not all(isinstance(each, pygame.Surface) for each in surfaces):
        message = (
            "images are a surface, several, or a size in pixels and colors for dots, as in "
            f"(2, 'gold'); not {images!r}"
        )
        raise TypeError(message)
    if colors is not None:
        message = "colors= is for dots: images show their own"
        raise TypeError(message)
    return Images(surfaces)


def _is_color(value: Any) -> bool:
    is_channels = isinstance(value, Sequence) and all(isinstance(each, int) for each in value)
    return isinstance(value, str | int | pygame.Color) or is_channels


class Images:
    """One image or several, drawn by `Surface.fblits`: `frame` says which."""

    def __init__(self, surfaces: Sequence[pygame.Surface]) -> None:
        self.surfaces = surfaces
        self.extents = Extents([each.get_size() for each in surfaces])

    def draw(
        self, rows: Rows, surface: pygame.Surface, offset: tuple[float, float], flags: int
    ) -> None:
        """Draw the living, in the order of their births."""
        which = None if len(self.surfaces) == 1 else frames(rows, len(self.surfaces))
        corners = [self._corners(rows, which, axis, offset[axis]) for axis in (0, 1)]
        blit(rows, surface, self.surfaces, which, corners, flags)

    def _corners(self, rows: Rows, which: Array | None, axis: int, offset: float) -> Array:
        """Return where images begin: scratch, to use at once."""
        centers, found = rows.window(rows.lines["position"][axis]), rows.window(rows.floats[axis])
        if which is None or self.extents.is_uniform:
            np.add(centers, offset - self.extents.largest[axis], out=found)
            return found
        self.extents.halves[axis].take(which, out=found, mode="clip")
        np.subtract(centers, found, out=found)
        found += offset
        return found


def num_bytes(surfaces: Iterable[pygame.Surface]) -> int:
    """Return the bytes of the pixels that surfaces show, each sheet counted once."""
    sheets = {id(each.get_abs_parent()): each.get_abs_parent() for each in surfaces}
    return sum(each.get_pitch() * each.get_height() for each in sheets.values())


def frames(rows: Rows, count: int) -> Array:
    """Return the column `frame`, each value of which is one of `count`.

    Raises:
        IndexError: One is not.
    """
    which = rows.window(*rows.lines["frame"])
    if len(which) and not (which.min() >= 0 and which.max() < count):
        message = f"a frame is one of 0 to {count - 1}, not {which.min()} to {which.max()}"
        raise IndexError(message)
    return which


def blit(
    rows: Rows,
    surface: pygame.Surface,
    images: Sequence[pygame.Surface],
    which: Array | None,
    corners: Sequence[Array],
    flags: int,
) -> None:
    """Draw an image for each living row, with hardly an object of Python's."""
    alive = rows.window(rows.alive)
    if not alive.all():
        corners = [each[alive] for each in corners]
        which = None if which is None else which[alive]
    left, top = (each.tolist() for each in corners)
    shown: Iterable[pygame.Surface] = repeat(images[0])
    if which is not None:
        shown = map(images.__getitem__, which.tolist())
    surface.fblits(zip(shown, zip(left, top, strict=True), strict=False), flags)


class Dots:
    """Dots of one color or several: `frame` says which, or their age."""

    def __init__(self, size: int, colors: Sequence[pygame.Color], lifetime: float | None) -> None:
        self.size = size
        self.colors = colors
        self.lifetime = lifetime  # seconds in which they go through the colors, if they do
        self.extents = Extents([(size, size)])
        self.surfaces: list[pygame.Surface] = []
        self._is_opaque = all(color.a == _OPAQUE for color in colors)
        self._integers = np.empty((2, 0), np.int32)

    def draw(
        self, rows: Rows, surface: pygame.Surface, offset: tuple[float, float], flags: int
    ) -> None:
        """Draw the living, in the order of their births."""
        corners = [rows.window(each) for each in rows.floats]
        for line, part, found in zip(rows.lines["position"], offset, corners, strict=True):
            np.add(rows.window(line), part - self.size // 2, out=found)
        if flags or not self._is_opaque:  # what is there counts, too: that is for blits
            self._make_surfaces()
            blit(rows, surface, self.surfaces, self._which(rows), corners, flags)
        else:
            self._write(rows, surface, corners)

    def _which(self, rows: Rows) -> Array | None:
        """Return the color of each row, if there are several."""
        count = len(self.colors)
        if count == 1:
            return None
        if self.lifetime is None:
            return frames(rows, count)
        age = rows.window(*rows.lines["age"])
        return np.clip((age * (count / self.lifetime)).astype(np.intp), 0, count - 1)

    def _make_surfaces(self) -> None:
        if not self.surfaces:
            self.surfaces = [pygame.Surface((self.size,) * 2, pygame.SRCALPHA) for _ in self.colors]
            for image, color in zip(self.surfaces, self.colors, strict=True):
                image.fill(color)

    def _write(self, rows: Rows, surface: pygame.Surface, corners: Sequence[Array]) -> None:
        """Write colors into the pixels that are within the surface's clip."""
        clip, size = surface.get_clip(), self.size
        if not (clip.width and clip.height):
            return
        if self._integers.shape[1] < rows.capacity:
            self._integers = np.empty((2, rows.capacity), np.int32)
        seen, other = (rows.window(each) for each in rows.masks)
        left, top = (rows.window(each) for each in self._integers)
        with np.errstate(invalid="ignore"):  # what is no number, or too large, is seen nowhere
            np.copyto(left, corners[0], casting="unsafe")
            np.copyto(top, corners[1], casting="unsafe")
        # Numbers below 0 are very large ones without a sign: one look for both ends.
        left -= clip.left - size + 1
        top -= clip.top - size + 1
        np.less(left.view(np.uint32), clip.width + size - 1, out=seen)
        np.less(top.view(np.uint32), clip.height + size - 1, out=other)
        seen &= other
        seen &= rows.window(rows.alive)
        which = self._which(rows)
        if not seen.all():
            left, top = left[seen], top[seen]
            which = None if which is None else which[seen]
        _put(surface, clip, (left, top), size, which, self.colors)


def _put(
    surface: pygame.Surface,
    clip: pygame.Rect,
    corner: tuple[Array, Array],
    size: int,
    which: Array | None,
    colors: Sequence[pygame.Color],
) -> None:
    """Write dots; `corner` counts from where a dot is just seen at the top left of `clip`."""
    # A pixel beyond an edge is written to the dot's own nearest one, which has the same color.
    steps = range(1 - size, 1)
    xs, ys = corner
    columns = [np.clip(xs + step, 0, clip.width - 1) if size > 1 else xs for step in steps]
    lines = [np.clip(ys + step, 0, clip.height - 1) if size > 1 else ys for step in steps]
    depth = surface.get_bytesize()
    if depth == 3:  # noqa: PLR2004 - bytes a pixel, for which there is no type of numpy's
        pixels = pygame.surfarray.pixels3d(surface)[clip.left :, clip.top :]
        shades: Any = np.array([color[:3] for color in colors], np.uint8)
        shade = shades[0] if which is None else shades[which]
        at = np.stack(columns * size), np.repeat(lines, size, axis=0)
        pixels[at[0].T, at[1].T] = shade if which is None else shade[:, None]
        return
    pixels = pygame.surfarray.pixels2d(surface)
    width, height = surface.get_size()
    pitch = surface.get_pitch() // depth
    flat = np.lib.stride_tricks.as_strided(pixels, (pitch * (height - 1) + width,), (depth,))
    flat = flat[clip.top * pitch + clip.left :]
    shades = np.array([surface.map_rgb(color) for color in colors], pixels.dtype)
    if size == 1:
        at_once = ys.astype(np.intp)
        at_once *= pitch
        at_once += xs
        flat[at_once] = shades[0] if which is None else shades[which]
        return
    spots = np.empty((len(xs), size * size), np.intp)
    for number, line in enumerate(lines):
        start = line.astype(np.intp)
        start *= pitch
        for place, column in enumerate(columns):
            np.add(start, column, out=spots[:, number * size + place])
    flat[spots] = shades[0] if which is None else shades[which][:, None]
