"""Draws the map of a network at the size of a paper's column."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from headgate.figures.paper.size import PAGE_IN, PT_PER_IN, PaperSize
from headgate.figures.plots.map_names import write, write_names
from headgate.figures.plots.network import (
    FEW_SPANS,
    draw_loss_handles,
    draw_spans,
    find_colours,
    format_points,
)
from headgate.figures.plots.palette import EDGE
from headgate.figures.spec.drawing import (
    LOAD,
    LOSS_WORDS,
    Map,
    classify_loss,
)
from headgate.figures.spec.places import ROW_LIMITS

#: Height over width of a map without proportions; the height of a row of routers (inches).
SQUARE, ROW_IN = 0.7, 0.55
#: Lines of text that legend and scale take.
AROUND_LINES = 6.5
#: The width of links beside that of a picture for screens.
THINNER = 0.55


def draw_map(drawn: Map, size: PaperSize) -> Figure:
    """Draw links, routers and names, with the scale of colours below."""
    height_in = size.height_in or _choose_height(drawn, size)
    figure, ax = plt.subplots(figsize=(size.width_in, height_in))
    draw_spans(ax, drawn, THINNER)
    few = len(drawn.spans) <= FEW_SPANS
    for x, y in drawn.routers.values():
        ax.plot(x, y, "o", color="white", markeredgecolor=EDGE, markeredgewidth=0.6, zorder=4,
                markersize=5 if few else 3)  # fmt: skip
    if few:
        _write_values(ax, drawn, size)
    ax.set_axis_off()
    ax.margins(0.06)
    if drawn.is_row:
        ax.set_ylim(ROW_LIMITS)
    if drawn.aspect:
        ax.set_aspect(drawn.aspect)
    _draw_scale(figure, ax, drawn)
    if drawn.scale.palette == LOAD:
        _draw_legend(figure, drawn)
    write_names(figure, ax, drawn, size.font_pt)
    return figure


def _choose_height(drawn: Map, size: PaperSize) -> float:
    """Return the height in inches: that of the map in its proportions, its scale and legend."""
    around_in = AROUND_LINES * size.font_pt / PT_PER_IN
    if drawn.is_row:
        return ROW_IN + around_in
    if drawn.aspect is None:
        return SQUARE * size.width_in + around_in
    ends = np.array([end for span in drawn.spans for end in span.ends])
    wide, high = np.ptp(ends, axis=0)
    return min(PAGE_IN, float(size.width_in * drawn.aspect * high / wide) + around_in)


def _write_values(ax: Axes, drawn: Map, size: PaperSize) -> None:
    for span in drawn.spans:
        (x0, y0), (x1, y1) = span.ends
        said = f"{100 * span.shown:.1f} %"
        if drawn.scale.palette != LOAD:
            said = format_points()(span.shown, 0)
        write(ax, said, ((x0 + x1) / 2, (y0 + y1) / 2), (0, 0.5 * size.font_pt), size.font_pt)


def _draw_scale(figure: Figure, ax: Axes, drawn: Map) -> None:
    colours, norm = find_colours(drawn.scale)
    percent = PercentFormatter(1, symbol=" %") if drawn.scale.palette == LOAD else format_points()
    bar = figure.colorbar(
        ScalarMappable(norm, colours), ax=ax, location="bottom", shrink=0.8, aspect=32, pad=0.02,
        format=percent, ticks=MaxNLocator(5),
    )  # fmt: skip
    bar.outline.set_linewidth(0.4)
    bar.set_label(drawn.scale.title)


def _draw_legend(figure: Figure, drawn: Map) -> None:
    """Explain the widths of links, in as many columns as fit."""
    there = sorted({classify_loss(span.loss) for span in drawn.spans})
    scale = THINNER * drawn.thinness
    handles = draw_loss_handles(there, scale)
    letters = max(len(LOSS_WORDS[i]) for i in there) + 7
    room = figure.get_figwidth() * PT_PER_IN / (0.48 * float(plt.rcParams["font.size"]))
    figure.legend(
        handles, [LOSS_WORDS[i] for i in there], loc="outside upper center",
        ncols=max(1, min(len(there), int(room / letters))),
    )  # fmt: skip
