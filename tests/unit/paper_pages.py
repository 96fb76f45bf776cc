"""Readers of figures for papers: fonts, sizes of text, and texts that overlap."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from pypdf import PdfReader
from pypdf.generic import DictionaryObject

#: Boxes of texts may touch by so much (inches), as they include room for accents.
TOUCH_IN = 0.015


def read_fonts(pdf: bytes) -> dict[str, DictionaryObject]:
    """Return the descriptors of all fonts by name; a font without an embedded file fails."""
    found: dict[str, DictionaryObject] = {}
    for kind, font in _list_fonts(PdfReader(BytesIO(pdf)).pages[0]["/Resources"].get_object()):
        assert kind != "/Type3", "a Type 3 font"
        inner = font.get("/DescendantFonts")
        own = font if inner is None else inner.get_object()[0].get_object()
        found[str(font["/BaseFont"])] = own["/FontDescriptor"].get_object()
    return found


def _list_fonts(resources: Any) -> Iterator[tuple[str, Any]]:
    for font in resources.get("/Font", {}).values():
        yield str(font.get_object()["/Subtype"]), font.get_object()
    for form in resources.get("/XObject", {}).values():
        inner = form.get_object().get("/Resources")
        if inner is not None:
            yield from _list_fonts(inner.get_object())


def read_sizes(pdf: bytes) -> set[float]:
    """Return the sizes of all text on the page, in points."""
    sizes: set[float] = set()

    def visit(text: str, cm: list[float], tm: list[float], _font: object, size: float) -> None:
        if text.strip():
            scale = np.hypot(cm[0], cm[1]) * np.hypot(tm[0], tm[1])
            sizes.add(round(float(scale) * size, 2))

    PdfReader(BytesIO(pdf)).pages[0].extract_text(visitor_text=visit)
    return sizes


def read_page_size(pdf: bytes) -> tuple[float, float]:
    """Return width and height of the page, in points."""
    box = PdfReader(BytesIO(pdf)).pages[0].mediabox
    return float(box.width), float(box.height)


def list_faults(figure: Figure) -> list[str]:
    """Return which texts of a figure overlap, or leave it."""
    texts = list(_list_texts(figure))
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    page, touch = figure.bbox, TOUCH_IN * figure.dpi
    faults = [
        f"{name!r} leaves the figure"
        for name, box in boxes
        if box.x0 < page.x0 - touch or box.x1 > page.x1 + touch
        or box.y0 < page.y0 - touch or box.y1 > page.y1 + touch
    ]  # fmt: skip
    for (name, a), (other, b) in combinations(boxes, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > touch and high > touch:
            faults.append(f"{name!r} overlaps {other!r}")
    return faults


def _list_texts(figure: Figure) -> Iterator[Text]:
    hidden = {
        id(text)
        for parent in figure.axes
        for ax in (parent, *parent.child_axes)
        for axis in (ax.xaxis, ax.yaxis)
        for text in _list_hidden(axis)
    }
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            yield text


def _list_hidden(axis: Axis) -> Iterator[Text]:
    """Yield labels of ticks that lie outside of the axis, or are turned off."""
    low, high = sorted(axis.get_view_interval())
    every = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    for tick in every:
        for text in (tick.label1, tick.label2):
            if not (axis.axes.get_visible() and low <= tick.get_loc() <= high):
                yield text
