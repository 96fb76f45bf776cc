"""Texts of a PNG: a line that was laid out before, and a letter that was drawn before, are copied.

Matplotlib 3.11 draws a text letter by letter. It sets the size of the font before each one, and
FreeType then prepares the font again: a fifth of the time of a report's pictures. Here the size is
set once per text, and a letter of one size, angle and place within a pixel is drawn once. The
pixels are the same, which a test compares. This takes private methods of Matplotlib; a version
without them draws texts as it always does.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib.backends import backend_agg
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font, RenderMode
from numpy.typing import NDArray

#: Lines of some 3 kB, and letters of some 700 bytes, that are remembered.
LINES, LETTERS = 4_000, 30_000
#: FreeType's units in a pixel, and in the number one.
_IN_PIXEL, _IN_ONE = 0x40, 0x10000

Turn = tuple[tuple[int, int], tuple[int, int]]
"""The matrix that turns a letter, in FreeType's units."""
Placed = tuple[Any, int, float, float]
"""A letter of a line: its font, its number in it, and its place in pixels, upwards."""
Letter = tuple[NDArray[np.uint8], int, int]
"""Its pixels, its left edge, and the row below it, from a whole pixel of the line."""


_untyped: Any = backend_agg
#: A version before 3.11 draws whole lines itself.
_DRAWS_LETTERS = all(
    hasattr(FT2Font, name) for name in ("_layout", "_render_glyph", "_set_transform")
)


class TextRenderer(RendererAgg):
    """Agg that remembers lines and letters."""

    def draw_text(  # noqa: PLR0913, PLR0917 - as Matplotlib calls it
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Draw a line of text at a place in pixels, `y` from the top."""
        agg: Any = super()
        if not _DRAWS_LETTERS or ismath or not gc.get_antialiased() or _is_special(mtext):
            agg.draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        font = agg._prepare_font(prop)
        size = (prop.get_size_in_points(), self.dpi, _untyped.get_hinting_flag())
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        turn = _turn_by(cos, sin)
        draw = self.__dict__["_renderer"].draw_text_image
        for letter_font, letter, dx, dy in _lay_out(font, s, *size):
            right = round(_IN_PIXEL * (x + dx * cos - dy * sin))
            up = round(_IN_PIXEL * (self.height - y + dx * sin + dy * cos))
            within = (right % _IN_PIXEL, up % _IN_PIXEL)
            pixels, left, below = _draw_letter(letter_font, letter, *size, turn, within)
            left, below = left + right // _IN_PIXEL, below - up // _IN_PIXEL
            draw(pixels, left, int(self.height) + below, 0, gc)


class PngCanvas(FigureCanvasAgg):
    """The canvas that draws with it."""

    def get_renderer(self) -> Any:
        """Return the renderer of this size; a new one if the size has changed."""
        known = self.__dict__.get("renderer")
        wide, high = self.get_width_height(physical=True)
        if known is None or (known.width, known.height, known.dpi) != (wide, high, self.figure.dpi):
            self.renderer: Any = TextRenderer(wide, high, self.figure.dpi)  # type: ignore[no-untyped-call]
        return self.renderer


def _is_special(text: Any) -> bool:
    """Return whether a text asks for features of its font, or for a language."""
    return text is not None and bool(text.get_fontfeatures() or text.get_language())


def _turn_by(cos: float, sin: float) -> Turn:
    one, other = round(_IN_ONE * cos), round(_IN_ONE * sin)
    return (one, -other), (other, one)


@lru_cache(LINES)
def _lay_out(font: Any, line: str, size: float, dpi: float, flags: Any) -> tuple[Placed, ...]:
    """Lay out a line in a font that is set to this size."""
    del size, dpi
    items = font._layout(line, flags=flags)
    return tuple((one.ft_object, one.glyph_index, one.x, one.y) for one in items)


@lru_cache(LETTERS)
def _draw_letter(  # noqa: PLR0913, PLR0917 - all that decides its pixels
    font: Any,
    letter: int,
    size: float,
    dpi: float,
    flags: Any,
    turn: Turn,
    within: tuple[int, int],
) -> Letter:
    """Draw a letter at a place within a pixel."""
    font.set_size(size, dpi)
    font._set_transform(turn, within)
    drawn = font._render_glyph(letter, flags, RenderMode.NORMAL)
    pixels = np.array(drawn.buffer)
    return pixels, drawn.left, len(pixels) - drawn.top
