"""The size of a figure in a paper: width of a column, height, and size of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headgate.base.errors import HeadgateError
from headgate.base.messages import also

MM_PER_IN, PT_PER_IN = 25.4, 72.0
#: The largest height of a page's text (inches).
PAGE_IN = 9.2
_UNITS_IN = {"in": 1.0, "mm": 1 / MM_PER_IN, "cm": 10 / MM_PER_IN, "pt": 1 / PT_PER_IN}
_LENGTH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*")
#: Widths of one and two columns (inches), by paper. IEEE: "Resolution and Size", IEEE Author Center
#: (3.5 and 7.16 in). ACM: acmart, format sigconf (241.15 and 506.3 pt of TeX).
PAPERS = {"ieee": (3.5, 7.16), "acm": (3.337, 7.006)}
#: Limits of widths and heights (inches), and of the size of text (points).
LEAST_IN, MOST_IN = 1.0, 20.0
LEAST_PT, MOST_PT = 5.0, 24.0
FONT_PT = 8.0
#: A font like Times that comes with Matplotlib.
FONT = "STIXGeneral"


@dataclass(frozen=True)
class PaperSize:
    """Width in inches, height in inches unless it follows from the content, text in points.

    `font` is the family of all text, one whose file Matplotlib finds.
    """

    width_in: float
    font_pt: float = FONT_PT
    height_in: float | None = None
    font: str = FONT

    @classmethod
    def of(
        cls,
        paper: str,
        columns: int | None = None,
        font_size: float | None = None,
        height: str | None = None,
        font: str | None = None,
    ) -> PaperSize:
        """Return the size for "ieee", "acm", or a width such as "88 mm".

        `columns` is 1 or 2 columns of the paper; a width in itself excludes it. Raises
        HeadgateError.
        """
        if columns not in (None, 1, 2):
            raise HeadgateError(f"columns: a figure is 1 or 2 columns wide, not {columns}")
        if not isinstance(paper, str):
            raise HeadgateError(
                f"paper: give {', '.join(PAPERS)}, or a width with its unit, such as '88 mm'; got"
                f" {paper!r}"
            )
        name = paper.strip().lower()
        if name in PAPERS:
            width_in = PAPERS[name][(columns or 1) - 1]
        else:
            width_in = _read_length("paper", paper)
            if columns is not None:
                raise HeadgateError(
                    f"columns: {paper!r} is already the width of the figure; leave out --columns"
                )
        size = FONT_PT if font_size is None else font_size
        if not LEAST_PT <= size <= MOST_PT:
            raise HeadgateError(
                f"font-size: {size:g} is not from {LEAST_PT:g} to {MOST_PT:g} points"
            )
        height_in = None if height is None else _read_length("height", height)
        return cls(width_in, size, height_in, font or FONT)


def _read_length(option: str, text: str) -> float:
    """Return a length in inches. Raises HeadgateError."""
    match = _LENGTH.fullmatch(text)
    papers = f"{', '.join(PAPERS)}, or a width such as" if option == "paper" else "a length such as"
    if match is None or match[2] not in _UNITS_IN:
        near = also(text, PAPERS) if option == "paper" else ""
        units = f" (in {', '.join(_UNITS_IN)})"
        raise HeadgateError(f"{option}: {text!r} is not {papers} '88 mm'{units}{near}")
    length_in = float(match[1]) * _UNITS_IN[match[2]]
    if not LEAST_IN <= length_in <= MOST_IN:
        raise HeadgateError(
            f"{option}: {text!r} is not from {LEAST_IN * MM_PER_IN:g} to {MOST_IN * MM_PER_IN:g} mm"
        )
    return length_in
