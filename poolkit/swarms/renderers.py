"""Draw the lives of a swarm: as images, or as dots written into the pixels of a surface."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pygame

from poolkit.swarms.targets import Box, Extents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.swarms.columns import Array
    from poolkit.swarms.rows import Rows

Renderer: TypeAlias = "Images | Dots"
_pairs_in = struct.Struct("2f").iter_unpack
_LARGEST_DOT = 3
_OPAQUE = 255


def renderer_for(images: Any, colors: Any, lifetime: float | None) -> Renderer:
    """Return what a swarm draws: images, or dots if the first of `images` is a size.

    Raises:
        TypeError: `images` is neither, or images are given colors.
        ValueError: A size isn't 1 to 3, a color isn't one, or `colors` has no lifetime to go by.
    """
    if isinstance(images, pygame.Surface):
        images = [images]
    size, *others = images if isinstance(images, Sequence) and images else [images]
    if isinstance(size, int) and not isinstance(size, bool):
        return _dots_of(size, others, colors, lifetime)
    surfaces = [size, *others]
    if not all(isinstance(surface, pygame.Surface) for surface in surfaces):
        message = (
            "images are a surface, several, or a size in pixels and colors for dots, as in "
            f"(2, 'gold'); not {images!r}"
        )
        raise TypeError(message)
    if colors is not None:
        message = "colors= is for dots: images show their own"
        raise TypeError(message)
    return Images(surfaces)


def _dots_of(size: int, fixed_colors: Any, colors: Any, lifetime: float | None) -> Dots:
    if not 1 <= size <= _LARGEST_DOT:
        message = f"dots are 1 to {_LARGEST_DOT} pixels wide, not {size}: make an image instead"
        raise ValueError(message)
    if colors is None:
        colors = fixed_colors[0] if len(fixed_colors) == 1 else fixed_colors or "white"
        lifetime = None
    elif lifetime is None:
        message = "colors= follows the age of a life: give a lifetime, or dots of (size, color)"
        raise ValueError(message)
    elif fixed_colors:
        message = "give dots their colors as (size, colors), or along their age by colors="
        raise TypeError(message)
    parsed = [pygame.Color(color) for color in ([colors] if _is_color(colors) else colors)]
    if not parsed:
        message = f"dots have a color or several, as in ({size}, 'gold')"
        raise ValueError(message)
    return Dots(size, parsed, lifetime)


def _is_color(value: Any) -> bool:
    is_channels = isinstance(value, Sequence) and all(isinstance(channel, int) for channel in value)
    return isinstance(value, str | int | pygame.Color) or (is_channels and len(value) > 0)


def num_bytes(surfaces: Iterable[pygame.Surface]) -> int:
    """Return the bytes of the pixels that surfaces show, each sheet counted once."""
    sheets = {id(sheet): sheet for sheet in (surface.get_abs_parent() for surface in surfaces)}
    return sum(sheet.get_pitch() * sheet.get_height() for sheet in sheets.values())


def _checked_frames(rows: Rows, count: int) -> Array | None:
    """Return the column `frame`, or `None` if there is one picture only.

    Raises:
        IndexError: A frame isn't one of `count` pictures.
    """
    if count == 1:
        return None
    frames = rows.window(*rows.lines["frame"])
    if len(frames) and not (frames.min() >= 0 and frames.max() < count):
        message = f"a frame is one of 0 to {count - 1}, not {frames.min()} to {frames.max()}"
        raise IndexError(message)
    return frames


class Images:
    """One image or several, drawn by `Surface.fblits`; the column `frame` says which."""

    def __init__(
        self, surfaces: Sequence[pygame.Surface], sizes: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.surfaces = surfaces
        self.extents: Extents = Extents(sizes or [surface.get_size() for surface in surfaces])

    def draw(
        self, rows: Rows, surface: pygame.Surface, offset: tuple[float, float], flags: int
    ) -> None:
        """Draw the living in the order of their births."""
        self.blit(rows, surface, offset, flags, _checked_frames(rows, len(self.surfaces)))

    def blit(
        self,
        rows: Rows,
        surface: pygame.Surface,
        offset: tuple[float, float],
        flags: int,
        frames: Array | None,
    ) -> None:
        """Draw an image for each living row that may be seen, without an object that lasts."""
        corners = rows.window(rows.pairs)
        for axis, centers in enumerate(map(rows.window, rows.lines["position"])):
            half: Any = self.extents.largest[axis]
            if frames is not None and not self.extents.is_uniform:
                half = self.extents.halves[axis].take(
                    frames, out=rows.window(rows.floats), mode="clip"
                )
            np.subtract(centers, half, out=corners[:, axis])
        corners += offset
        seen = self._may_be_seen(rows, surface, offset)
        if not seen.all():
            corners = corners[seen]
            frames = None if frames is None else frames[seen]
        shown: Iterable[pygame.Surface] = repeat(self.surfaces[0])
        if frames is not None:
            shown = map(self.surfaces.__getitem__, frames.tolist())
        surface.fblits(zip(shown, _pairs_in(corners.data), strict=False), flags)

    def _may_be_seen(
        self, rows: Rows, surface: pygame.Surface, offset: tuple[float, float]
    ) -> Array:
        """Return a mask of the living rows in the surface's clip, or a pixel beside it."""
        clip, (right, down) = surface.get_clip(), offset
        left, top = clip.left - right - 1, clip.top - down - 1
        view = Box(left, left + clip.width + 2, top, top + clip.height + 2)
        seen: Array = self.extents.overlap(rows, view)
        seen &= rows.window(rows.alive)
        return seen


class Dots:
    """Dots of one color or several; the column `frame` says which, or their age."""

    def __init__(self, size: int, colors: Sequence[pygame.Color], lifetime: float | None) -> None:
        self.size = size
        self.colors = colors
        self.lifetime = lifetime  # seconds in which they go through the colors, if they do
        self.extents: Extents = Extents([(size, size)])
        self.surfaces: list[Any] = [pygame.Surface((size, size), pygame.SRCALPHA) for _ in colors]
        for image, color in zip(self.surfaces, colors, strict=True):
            image.fill(color)
        # Whole pixels left of its position, as the dots that are written.
        self._images = Images(self.surfaces, [(size // 2 * 2,) * 2])
        self._is_opaque = all(color.a == _OPAQUE for color in colors)
        self._integers = np.empty((2, 0), np.int32)

    def draw(
        self, rows: Rows, surface: pygame.Surface, offset: tuple[float, float], flags: int
    ) -> None:
        """Draw the living in the order of their births."""
        if flags or not self._is_opaque:  # the result depends on what is there: that needs a blit
            self._images.blit(rows, surface, offset, flags, self._color_indices(rows))
        else:
            self._write(rows, surface, [part - self.size // 2 for part in offset])

    def _color_indices(self, rows: Rows) -> Array | None:
        """Return the color of each row, or `None` if there is one only."""
        count = len(self.colors)
        if count == 1 or self.lifetime is None:
            return _checked_frames(rows, count)
        age = rows.window(*rows.lines["age"])
        return np.fmin(np.fmax(age * (count / self.lifetime), 0), count - 1).astype(np.intp)

    def _write(self, rows: Rows, surface: pygame.Surface, shift: Sequence[float]) -> None:
        """Write colors into the pixels that are within the surface's clip."""
        clip, size = surface.get_clip(), self.size
        if not (clip.width and clip.height):
            return
        if self._integers.shape[1] < rows.capacity:
            self._integers = np.empty((2, rows.capacity), np.int32)
        seen, other = map(rows.window, rows.masks)
        left, top = map(rows.window, self._integers)
        for axis, (pixels, mask) in enumerate(((left, seen), (top, other))):
            centers = rows.window(rows.lines["position"][axis])
            if shift[axis]:
                centers = np.add(centers, shift[axis], out=rows.window(rows.floats))
            with np.errstate(invalid="ignore"):  # NaN, and what is too large, isn't seen anywhere
                np.copyto(pixels, centers, casting="unsafe")
            np.subtract(pixels, clip.topleft[axis] - size + 1, out=pixels)
            # Without a sign numbers below 0 are very large: one comparison checks both ends.
            np.less(pixels.view(np.uint32), clip.size[axis] + size - 1, out=mask)
        np.logical_and(seen, other, out=seen)
        if not rows.window(rows.alive).all():
            seen &= rows.window(rows.alive)
        frames = self._color_indices(rows)
        if not seen.all():
            left, top = left[seen], top[seen]
            frames = None if frames is None else frames[seen]
        _write_dots(surface, clip, (left, top), size, frames, self.colors)


def _write_dots(
    surface: pygame.Surface,
    clip: pygame.Rect,
    corner: tuple[Array, Array],
    size: int,
    frames: Array | None,
    colors: Sequence[pygame.Color],
) -> None:
    """Write dots; `corner` counts from where a dot is just seen at the top left of `clip`."""
    # A pixel beyond an edge goes to the nearest one of the same dot, which has the same color.
    steps = range(1 - size, 1)
    xs, ys = corner
    columns = [np.clip(xs + step, 0, clip.width - 1) if size > 1 else xs for step in steps]
    lines = [np.clip(ys + step, 0, clip.height - 1) if size > 1 else ys for step in steps]
    depth = surface.get_bytesize()
    if depth == 3:  # noqa: PLR2004 - bytes a pixel, for which numpy has no type
        pixels = pygame.surfarray.pixels3d(surface)[clip.left :, clip.top :]
        shades: Any = np.array([color[:3] for color in colors], np.uint8)
        shade = shades[0] if frames is None else shades[frames]
        at = np.stack(columns * size), np.repeat(lines, size, axis=0)
        pixels[at[0].T, at[1].T] = shade if frames is None else shade[:, None]
        return
    pixels = pygame.surfarray.pixels2d(surface)
    width, height = surface.get_size()
    pitch = surface.get_pitch() // depth
    flat = np.lib.stride_tricks.as_strided(pixels, (pitch * (height - 1) + width,), (depth,))
    flat = flat[clip.top * pitch + clip.left :]
    shades = np.array([surface.map_rgb(color) for color in colors]).astype(pixels.dtype)
    if size == 1:
        spots = ys.astype(np.intp)
        spots *= pitch
        spots += xs
        flat[spots] = shades[0] if frames is None else shades[frames]
        return
    spots = np.empty((len(xs), size * size), np.intp)
    for row, line in enumerate(lines):
        start = line.astype(np.intp)
        start *= pitch
        for place, column in enumerate(columns):
            np.add(start, column, out=spots[:, row * size + place])
    flat[spots] = shades[0] if frames is None else shades[frames][:, None]
